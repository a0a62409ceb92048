use safety::{Clock, Instant, PublisherCount, REMOVAL_TIME, Received, Stamp, Velocity};

use crate::integrator::Integrator;
use crate::joystick::Course;
use crate::mapping::{DeflectedAxis, commands, deflected_axis, is_at_rest, reads_the_same};
use crate::mode::{Activity, Mode, Reach};
use crate::reference::{Loss, Reference, Seed, requested_velocity};
use crate::stick::Stick;
use crate::stop_sequence::StopSequence;
use crate::{Dynamics, EnableButtons, Mappings, Params, PoseState};

/// The state task: passes the reference on, or replaces it by the command of the stick.
///
/// The caller must call [`advance`](Self::advance) before any change, which integrates the command up to now, and
/// [`update`](Self::update) after it, which updates mode and command.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    mappings: Mappings,
    dynamics: Dynamics,
    /// The frame last requested by the parameters, to detect a new request.
    requested_frame: bool,
    mode: Mode,
    activity: Activity,
    /// Whether the stick claims the vehicle: it drives or holds.
    claims: bool,
    /// The stick holds the vehicle at zero, as one that is not released.
    holds: bool,
    /// When the enable button of a stick elsewhere went up, until a later state of it shows that it was not removed.
    released: Option<Instant>,
    /// The acceleration that the stick commands \[m/s², rad/s²], linear then angular.
    acceleration: [f64; 6],
    motion: Integrator,
    /// The time up to which the motion is integrated.
    until: Instant,
    reference: Reference,
    stop_sequence: StopSequence,
    /// The stick took over without a reference, and its initial zero is not published yet; its motion starts after
    /// that.
    begins: bool,
    /// Whether the stick claimed the vehicle at the last publication.
    claimed: bool,
    /// When the stick claimed the vehicle at a publication last.
    last_claim: Option<Instant>,
    /// The stick or its button was removed while it claimed the vehicle or within [`REMOVAL_TIME`] after, since the last update.
    taken: bool,
    /// The stick commands nothing because it has not been at rest since it started to drive or its meaning changed.
    waits: bool,
    /// Whether the node's life cycle is in the state active; otherwise nothing is claimed or passed on.
    is_active: bool,
    seeds_refused: u64,
    seeds_limited: u64,
}

impl Filter {
    pub(crate) fn new(params: &Params) -> Self {
        Self {
            mappings: params.mappings,
            dynamics: params.dynamics,
            requested_frame: params.intrinsic,
            mode: Mode::new(params.intrinsic),
            activity: Activity::of(&params.mappings.enable, |_| false, false),
            claims: false,
            holds: false,
            released: None,
            acceleration: [0.0; 6],
            motion: Integrator::default(),
            until: Instant::ZERO,
            reference: Reference::default(),
            stop_sequence: StopSequence::default(),
            begins: false,
            claimed: false,
            last_claim: None,
            taken: false,
            waits: false,
            is_active: true,
            seeds_refused: 0,
            seeds_limited: 0,
        }
    }

    /// Whether the stick drives: an enable button is active, or none is mapped and the stick is connected and has a mapped axis.
    ///
    /// # Source
    /// own: without buttons the openrobots component is always active and masks the reference, even without a stick;
    /// nothing else could ever drive such a vehicle. A takeover by `enable.toggle` is a deliberate act and outlasts
    /// its stick.
    pub(crate) fn active(&self) -> bool {
        self.claims && !self.holds
    }

    /// Whether the stick drives or holds the vehicle at zero. Otherwise the reference is passed on.
    pub(crate) fn claims(&self) -> bool {
        self.claims
    }

    /// Whether the stick holds the vehicle at zero by a button that does not count.
    pub(crate) fn is_held_early(&self) -> bool {
        self.holds && self.released.is_none()
    }

    /// Whether the release of a stick elsewhere does not count yet.
    pub(crate) fn is_release_open(&self) -> bool {
        self.released.is_some()
    }

    pub(crate) fn intrinsic(&self) -> bool {
        self.mode.intrinsic
    }

    pub(crate) fn latched(&self) -> bool {
        self.mode.latch
    }

    /// The current divisor of the accelerations.
    pub(crate) fn divisor(&self) -> f64 {
        self.activity.divisor(self.dynamics.slow)
    }

    /// The reference, for reports.
    pub(crate) fn reference(&self) -> &Reference {
        &self.reference
    }

    /// The mapped axis that is farthest off rest, and its distance.
    pub(crate) fn deflected_axis(&self, stick: Stick<'_>) -> Option<DeflectedAxis> {
        deflected_axis(&self.mappings, stick.axes())
    }

    /// Whether the stick commands nothing because it has not been at rest yet.
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// Whether the stick commands an acceleration.
    pub(crate) fn is_pushed(&self) -> bool {
        self.acceleration != [0.0; 6]
    }

    /// The numbers of takeovers that started from zero, and of those that started slower than the reference.
    pub(crate) fn seeds(&self) -> (u64, u64) {
        (self.seeds_refused, self.seeds_limited)
    }

    pub(crate) fn has_axis(&self) -> bool {
        self.mappings.linear.iter().chain(&self.mappings.angular).any(|mapping| mapping.axis.is_some())
    }

    pub(crate) fn has_enable_button(&self) -> bool {
        self.mappings.enable != EnableButtons::default()
    }

    fn reaches(&self, stick: Stick<'_>) -> bool {
        let all = self.mappings.linear.iter().chain(&self.mappings.angular);
        stick.is_there() && all.filter_map(|mapping| mapping.axis).any(|axis| axis < stick.axes().len())
    }

    /// Advances the time and returns whether the reference expired while it was passed on.
    pub(crate) fn expire(&mut self, now: Instant) -> bool {
        let loss = self.reference.expire(now);
        self.reference_lost(now, loss)
    }

    /// Sets the number of publishers of the reference and returns whether that ended the passing on.
    pub(crate) fn count_references(&mut self, now: Instant, publishers: PublisherCount) -> bool {
        let loss = self.reference.count(publishers);
        self.reference_lost(now, loss)
    }

    fn reference_lost(&mut self, now: Instant, loss: Option<Loss>) -> bool {
        let loss = loss.filter(|_| !self.claims);
        match loss {
            Some(Loss::InMotion) => {
                self.stop_sequence = StopSequence::after_loss(now, self.stop_sequence.masks)
            }
            Some(Loss::AtRest) => self.stop_sequence.is_due = true,
            None => {}
        }
        loss.is_some()
    }

    /// Integrates the current command up to `now`.
    pub(crate) fn advance(&mut self, now: Instant) {
        if self.active() && !self.begins {
            self.motion.advance(&self.acceleration, self.dynamics.drag, now.since(self.until));
        }
        self.until = self.until.max(now);
    }

    /// Applies new parameters. A takeover ends if its button changes. A deflected stick has to return to rest before
    /// it commands again in these cases: it would command by another axis, from another centre or in the other
    /// direction; the enable buttons change while it is held; or it commanded no motion so far and now would. The
    /// user did not request such a motion. A mere change of magnitude needs no rest.
    pub(crate) fn configure(&mut self, mappings: Mappings, params: &Params, stick: Stick<'_>) {
        self.remap(mappings, params.dynamics, stick);
        if self.requested_frame != params.intrinsic {
            self.request_frame(params.intrinsic);
        }
    }

    /// Whether the node's life cycle is active.
    pub(crate) fn is_active(&self) -> bool {
        self.is_active
    }

    /// The node's life cycle became active, or left that state. The stick has to rest and the reference to be zero before either counts
    /// again, and a takeover ends.
    pub(crate) fn set_active(&mut self, is_active: bool) {
        self.is_active = is_active;
        self.mode.release();
        self.wait_for_rest();
        (self.claims, self.holds, self.released) = (false, false, None);
        self.reference.require_zero();
    }

    /// The names of the mappings have these numbers on the device that starts to drive.
    pub(crate) fn resolve(&mut self, mappings: Mappings, stick: Stick<'_>) {
        self.remap(mappings, self.dynamics, stick);
    }

    fn remap(&mut self, mappings: Mappings, dynamics: Dynamics, stick: Stick<'_>) {
        let [before, after] = [&self.mappings, &mappings].map(|mappings| commands(mappings, stick.axes()));
        let turns = before.iter().zip(after).any(|(&before, after)| after != 0.0 && before * after <= 0.0);
        let is_other =
            turns || !reads_the_same(&self.mappings, &mappings) || self.mappings.enable != mappings.enable;
        let changes = self.mappings != mappings || self.dynamics != dynamics;
        let begins = changes && self.active() && self.commands_zero();
        if (is_other || begins) && !is_at_rest(&mappings, stick.axes()) {
            self.wait_for_rest();
        }
        if self.mappings.enable != mappings.enable {
            self.taken = self.claimed; // a change of the button is not a release by the user
        }
        if self.mappings.enable.toggle != mappings.enable.toggle {
            self.mode.release();
        }
        (self.mappings, self.dynamics) = (mappings, dynamics);
    }

    /// Selects a frame, even if a button selected the other one since the last request.
    pub(crate) fn request_frame(&mut self, intrinsic: bool) {
        self.select_frame(|mode| mode.select(intrinsic));
        self.requested_frame = intrinsic;
    }

    /// Records that the parameter has the value `intrinsic` because a button selected it; this is not a request.
    pub(crate) fn record_frame_parameter(&mut self, intrinsic: bool) {
        self.requested_frame = intrinsic;
    }

    /// The dynamics in force.
    pub(crate) fn dynamics(&self) -> Dynamics {
        self.dynamics
    }

    /// The mappings in force.
    pub(crate) fn mappings(&self) -> &Mappings {
        &self.mappings
    }

    /// A button of the driving stick was pressed.
    pub(crate) fn pressed(&mut self, button: usize) {
        self.mode.pressed(button, &self.mappings);
    }

    /// Selects the frame that the buttons requested.
    pub(crate) fn apply_frame(&mut self) {
        self.select_frame(Mode::apply_frame);
    }

    /// Changes the frame and stops the motion: the same numbers mean another motion in another frame, and keeping
    /// them could double the jump. The user did not release the stick, so it has to be at rest before it commands
    /// again.
    fn select_frame(&mut self, select: impl FnOnce(&mut Mode)) {
        let before = self.mode.intrinsic;
        select(&mut self.mode);
        if self.mode.intrinsic != before {
            self.wait_for_rest();
        }
    }

    /// Stops the motion; the stick commands nothing until it is at rest, which the next update may find.
    fn wait_for_rest(&mut self) {
        self.motion.stop();
        (self.acceleration, self.waits) = ([0.0; 6], true);
    }

    /// Whether the commanded velocity is within the threshold that receivers count as zero.
    fn commands_zero(&self) -> bool {
        let (linear, angular) = self.motion.velocity();
        Velocity::new(linear, angular).is_ok_and(|velocity| velocity.is_neutral())
    }

    /// Another stick, or none, drives, or the driving stick is no longer read. The motion stops, and the next stick commands nothing until it has returned to rest. A takeover continues, unless the stick is a `new_driver`, one that did
    /// not drive before.
    ///
    /// # Source
    /// own: the velocity could decay instead, but a lost input is an explicit zero everywhere in Steersman, and
    /// without drag it would never decay. The latch stays, so a takeover does not hand authority back. It belongs to
    /// the person who pressed the button of that stick; no other stick inherits it. A stick may be deflected when it
    /// starts to drive, by a person unaware of it or by an object lying on it; no person requested that motion.
    pub(crate) fn hand_over(&mut self, now: Instant, new_driver: bool) {
        self.taken = self.claimed || self.last_claim.is_some_and(|at| now.since(at) <= REMOVAL_TIME);
        self.wait_for_rest();
        if new_driver {
            self.mode.release();
        }
    }

    /// The [desired](Self::desired) state was published.
    pub(crate) fn published(&mut self) {
        self.begins = false;
    }

    /// Records whether the stick claims the vehicle at this publication.
    pub(crate) fn record_claim(&mut self, now: Instant) {
        self.claimed = self.claims;
        if self.claimed {
            self.last_claim = Some(now);
        }
    }

    /// Receives a reference and returns whether it changes the desired state.
    pub(crate) fn receive(&mut self, clock: &Clock, reference: PoseState) -> bool {
        let had_one = self.reference.in_force().is_some();
        match self.reference.receive(clock, reference) {
            Received::InForce => true,
            Received::Stopped(_) if had_one => {
                self.stop_sequence.is_due |= !self.claims;
                true
            }
            Received::Stopped(_) | Received::WaitsForZero | Received::Refused(_) => false,
        }
    }

    /// Updates mode and command from the stick; no stick is represented by one without axes and buttons. `whole`
    /// means that all values reported together are present: a deflected axis may be reported after another one at
    /// rest. `made` is when the last state of a stick elsewhere was made, `None` for one that is read here.
    ///
    /// # Source
    /// own: a stick that is removed from another computer looks like one that was released, since its removal is not
    /// published there, only followed by silence. A person who holds a button that does not count wants to have the vehicle in hand:
    /// nothing else may drive it.
    pub(crate) fn update(&mut self, now: Instant, stick: Stick<'_>, whole: bool, made: Option<Instant>) {
        let (before, drove) = (self.claims, self.active());
        let taken = core::mem::take(&mut self.taken);
        self.activity = Activity::of(&self.mappings.enable, |button| stick.is_held(button), self.mode.latch);
        let drives =
            self.is_active && self.activity.is_active() && (self.has_enable_button() || self.reaches(stick));
        let EnableButtons { on, slow, toggle } = self.mappings.enable;
        let may_hold = self.is_active && !drives && stick.is_there();
        let is_down = [on, slow, toggle].into_iter().flatten().any(|button| stick.must_be_released(button));
        let is_up = may_hold && before && !is_down && self.has_enable_button();
        self.released = made.filter(|_| is_up).and_then(|made| {
            let released = self.released.unwrap_or(now);
            (made.since(released) < REMOVAL_TIME).then_some(released)
        });
        self.holds = may_hold && is_down || self.released.is_some();
        self.claims = drives || self.holds;
        if drives && before && !drove {
            self.wait_for_rest(); // the stick may have been away meanwhile
        }
        let reach = Reach::of(&self.mappings, &self.dynamics, self.activity);
        self.waits &= !(whole && is_at_rest(&self.mappings, stick.axes()));
        let is_still = self.waits || self.holds;
        let commands = if is_still { [0.0; 6] } else { commands(&self.mappings, stick.axes()) };
        self.acceleration = core::array::from_fn(|at| commands[at] * reach[at].acceleration);
        if drives && !drove {
            self.stop_sequence = StopSequence::default();
            let seed = if before { None } else { self.seed(reach) };
            self.begins = seed.is_none();
            self.motion.start(seed.unwrap_or_default());
        } else if self.holds {
            self.motion.stop();
        } else if before && !drives {
            // The motion is discarded: the next takeover starts anew.
            self.stop_sequence = StopSequence::of_release(now);
        }
        // Releasing a button is an act of the user; everything else is a loss, in motion or at rest.
        let is_lost = taken || before && (!stick.is_there() || !self.has_enable_button());
        if is_lost && !self.active() {
            let retracts = taken && !self.claimed; // its release was published
            self.stop_sequence = StopSequence { retracts, ..StopSequence::after_loss(now, true) };
            self.last_claim = None;
            self.reference.require_zero();
        }
    }

    /// The initial velocity taken over from the reference; none while the stick is not at rest, since that ends the
    /// motion.
    fn seed(&mut self, reach: [Reach; 6]) -> Option<[f64; 6]> {
        let seed = match self.reference.in_force() {
            Some(reference) if !self.waits => Seed::of(reference, self.mode.intrinsic, reach),
            _ => Seed::Refused,
        };
        match seed {
            Seed::Refused => {
                self.seeds_refused =
                    self.seeds_refused.saturating_add(u64::from(self.reference.was_received()));
                None
            }
            Seed::Velocity { velocity, limited } => {
                self.seeds_limited = self.seeds_limited.saturating_add(u64::from(limited));
                Some(velocity)
            }
        }
    }

    /// The state to publish at `stamp`, integrated by the last [`advance`](Self::advance); `None` while nothing is
    /// claimed.
    ///
    /// While inactive this is the reference in force, unchanged, or nothing.
    ///
    /// When the stick is released, one stop always comes first: a reference older than the last command of the stick
    /// may be dropped as late by the receiver, and the command of the stick would stay in force. After a loss of the
    /// stick, zero is published for [a second](StopSequence::after_loss), even if there is a reference. After a loss of a reference in
    /// motion, zero is published for the same time unless the reference returns. After a loss the first of these
    /// states have no velocity at all. Receivers treat that as a loss, not as a release: no other source may start to
    /// drive by itself.
    pub(crate) fn desired(&self, now: Instant, stamp: Stamp) -> Option<PoseState> {
        if !self.is_active {
            return Some(PoseState::lost(stamp, self.intrinsic()));
        }
        if !self.claims {
            let StopSequence { is_due, until, masks, lost_until, retracts, passes_from } = self.stop_sequence;
            let waits = is_due || now < passes_from || (masks && now < until);
            return match self.reference.in_force() {
                Some(reference) if !waits => Some(*reference),
                _ if is_due && retracts => Some(PoseState::standing(stamp, self.intrinsic())),
                _ if now < lost_until => Some(PoseState::lost(stamp, self.intrinsic())),
                _ => (is_due || now < until).then(|| PoseState::released(stamp, self.intrinsic())),
            };
        }
        if self.holds && now < self.stop_sequence.lost_until {
            return Some(PoseState::lost(stamp, self.intrinsic()));
        }
        if self.begins || self.holds {
            return Some(PoseState::standing(stamp, self.intrinsic()));
        }
        let (vel, avel) = self.motion.velocity();
        let (acc, aacc) = self.motion.acceleration(&self.acceleration, self.dynamics.drag);
        Some(PoseState {
            stamp,
            intrinsic: self.intrinsic(),
            vel: Some(vel),
            avel: Some(avel),
            acc: Some(acc),
            aacc: Some(aacc),
            ..PoseState::default()
        })
    }

    /// How the desired state evolves from `now` on without further inputs.
    pub(crate) fn course(&self, now: Instant) -> Course {
        let moves = |moves: bool| if moves { Course::Moves } else { Course::Rests };
        if self.claims {
            let is_lost = now < self.stop_sequence.lost_until;
            return moves(
                is_lost || self.acceleration != [0.0; 6] || self.motion.velocity() != ([0.0; 3], [0.0; 3]),
            );
        }
        match self.reference.in_force() {
            _ if self.stop_sequence.is_due || now < self.stop_sequence.until => Course::Moves,
            Some(reference) => moves(!requested_velocity(reference).is_neutral()),
            None => Course::None,
        }
    }

    /// Whether a stop is due before a reference may be passed on.
    pub(crate) fn needs_stop(&self) -> bool {
        self.stop_sequence.is_due
    }

    /// The due stop was published.
    pub(crate) fn stopped(&mut self) {
        self.stop_sequence.is_due = false;
    }

    /// The last command before shutdown: a stop, which also replaces a reference that is no longer passed on. There
    /// is none if nothing is claimed. It does not count as a release by the user.
    pub(crate) fn stop(&mut self, now: Instant, stamp: Stamp) -> Option<PoseState> {
        self.motion.stop();
        let is_stopping = self.stop_sequence.is_due || now < self.stop_sequence.until;
        let is_claimed = self.claims || is_stopping || self.reference.in_force().is_some();
        is_claimed.then(|| PoseState::standing(stamp, self.intrinsic()))
    }
}
