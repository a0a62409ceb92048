use core::time::Duration;

use units::{Clock, Instant, Received, Stamp, Velocity};

use crate::integrator::Integrator;
use crate::joystick::Course;
use crate::mapping::{Unrest, commands, is_at_rest, reads_the_same, unrest};
use crate::mode::{Activity, Mode};
use crate::reference::{Loss, Reference, asked};
use crate::takeover::{Reach, Seed};
use crate::{Dynamics, EnableButtons, Mappings, Params, PoseState};

/// For how long it is said that whoever commanded was lost: some messages, so that one is received.
pub(crate) const LOST: Duration = Duration::from_millis(100);
/// For how long zero is published after the stick, or a reference in motion, was lost: every hop sees it, also one that
/// misses some messages. After that nothing is claimed any more.
pub(crate) const FAREWELL: Duration = Duration::from_secs(1);

/// The stick that drives, as far as the filter looks at it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stick<'a> {
    pub(crate) axes: &'a [i16],
    pub(crate) buttons: &'a [bool],
    /// Whether it is connected and read.
    pub(crate) is_there: bool,
}

/// The zeros that are still to be published after the stick or the reference stopped commanding.
#[derive(Clone, Copy, Debug, Default)]
struct Farewell {
    /// At least one is.
    is_due: bool,
    /// Until then in each cycle, unless a reference is passed on.
    until: Instant,
    /// Whether the reference is not passed on before that: the stick was lost, nobody let go of it.
    masks: bool,
    /// Until then it is said that who commanded was lost, in place of zero.
    lost_until: Instant,
}

impl Farewell {
    /// From `now` on, of a stick that was lost, or a reference in motion.
    fn after_loss(now: Instant, masks: bool) -> Self {
        Self { is_due: true, until: now + FAREWELL, masks, lost_until: now + LOST }
    }

    /// Of a hand that let go, or a reference at rest.
    fn of_one_stop() -> Self {
        Self { is_due: true, ..Self::default() }
    }
}

/// The state task: passes the reference on, or replaces it by what the stick commands.
///
/// The caller says [`advance`](Self::advance) before it changes anything, so that the time up to now is integrated
/// with what was commanded then, and [`look`](Self::look) after, so that mode and command follow.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    mappings: Mappings,
    dynamics: Dynamics,
    /// The frame that the parameters asked for last, to notice that they ask for another.
    intrinsic_asked: bool,
    mode: Mode,
    activity: Activity,
    /// Whether the stick claims the vehicle.
    claims: bool,
    /// What the stick commands now \[m/s², rad/s²], linear then angular.
    acceleration: [f64; 6],
    motion: Integrator,
    /// Up to when the motion is integrated.
    until: Instant,
    reference: Reference,
    farewell: Farewell,
    /// The stick took over from nothing, and the zero with which it begins is not published yet; its motion begins after that.
    begins: bool,
    /// Whether the stick claimed the vehicle when it was published last: SDL lets go of a pad before it says, in the same batch of
    /// events, that the pad is gone.
    claimed: bool,
    /// The stick, or its button, was taken away while it claimed the vehicle, since the last look.
    taken: bool,
    /// The stick that drives was not yet at rest since it does, or means what it does, and commands nothing.
    waits: bool,
    seeds_refused: u64,
    seeds_limited: u64,
}

impl Filter {
    pub(crate) fn new(params: &Params) -> Self {
        Self {
            mappings: params.mappings,
            dynamics: params.dynamics,
            intrinsic_asked: params.intrinsic,
            mode: Mode::new(params.intrinsic),
            activity: Activity::of(&params.mappings.enable, &[], false),
            claims: false,
            acceleration: [0.0; 6],
            motion: Integrator::default(),
            until: Instant::ZERO,
            reference: Reference::default(),
            farewell: Farewell::default(),
            begins: false,
            claimed: false,
            taken: false,
            waits: false,
            seeds_refused: 0,
            seeds_limited: 0,
        }
    }

    /// Whether the stick claims the vehicle: a button says so, or none is mapped and the stick is there with an axis that
    /// is mapped. Otherwise the reference is passed on.
    ///
    /// # Source
    /// own: without buttons the openrobots component is always active and masks the reference, also where there is no
    /// stick. Such a vehicle would never be driven by anything else. A takeover by `enable.toggle` is a person's act and
    /// outlasts its stick.
    pub(crate) fn active(&self) -> bool {
        self.claims
    }

    pub(crate) fn intrinsic(&self) -> bool {
        self.mode.intrinsic()
    }

    pub(crate) fn latched(&self) -> bool {
        self.mode.latch()
    }

    /// What the accelerations are divided by now.
    pub(crate) fn divisor(&self) -> f64 {
        self.activity.divisor(self.dynamics.slow)
    }

    /// The reference, for whoever reports on it.
    pub(crate) fn reference(&self) -> &Reference {
        &self.reference
    }

    /// Which axis keeps the stick from commanding, and how far it is from its rest.
    pub(crate) fn unrest(&self, stick: Stick<'_>) -> Option<Unrest> {
        self.waits.then(|| unrest(&self.mappings, stick.axes)).flatten()
    }

    /// Whether the stick commands nothing because it was not yet at rest.
    pub(crate) fn waits(&self) -> bool {
        self.waits
    }

    /// Takeovers that began with zero, and those that began slower than the reference.
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
        stick.is_there && all.filter_map(|mapping| mapping.axis).any(|axis| axis < stick.axes.len())
    }

    /// Lets time pass; whether that ended what was passed on.
    pub(crate) fn expire(&mut self, now: Instant) -> bool {
        let loss = self.reference.expire(now);
        self.reference_lost(now, loss)
    }

    /// So many publish the reference; whether that ended what was passed on.
    pub(crate) fn count_references(&mut self, now: Instant, publishers: usize) -> bool {
        let loss = self.reference.count(publishers);
        self.reference_lost(now, loss)
    }

    fn reference_lost(&mut self, now: Instant, loss: Option<Loss>) -> bool {
        let loss = loss.filter(|_| !self.active());
        match loss {
            Some(Loss::InMotion) => self.farewell = Farewell::after_loss(now, self.farewell.masks),
            Some(Loss::AtRest) => self.farewell.is_due = true,
            None => {}
        }
        loss.is_some()
    }

    /// Integrates up to `now` what was commanded so far.
    pub(crate) fn advance(&mut self, now: Instant) {
        if self.active() && !self.begins {
            self.motion.advance(&self.acceleration, self.dynamics.drag, now.since(self.until));
        }
        self.until = self.until.max(now);
    }

    /// Takes new parameters. A takeover ends if its button becomes another. A stick that is not at rest and would command
    /// by another axis, from another middle or the other way commands nothing before it was at rest: nobody has asked for
    /// that motion; nor has somebody who holds it while other buttons enable it, or who got no motion by it so far. More or
    /// less of the same is no other motion.
    pub(crate) fn configure(&mut self, params: &Params, stick: Stick<'_>) {
        let [before, after] =
            [&self.mappings, &params.mappings].map(|mappings| commands(mappings, stick.axes));
        let turns = before.iter().zip(after).any(|(&before, after)| after != 0.0 && before * after <= 0.0);
        let is_other = turns
            || !reads_the_same(&self.mappings, &params.mappings)
            || self.mappings.enable != params.mappings.enable;
        let changes = self.mappings != params.mappings || self.dynamics != params.dynamics;
        let begins = changes && self.active() && self.commands_zero();
        if (is_other || begins) && !is_at_rest(&params.mappings, stick.axes) {
            self.wait_for_rest();
        }
        if self.mappings.enable != params.mappings.enable {
            self.taken = self.claimed; // nobody lets go of a button that is another one
        }
        if self.mappings.enable.toggle != params.mappings.enable.toggle {
            self.mode.release();
        }
        if self.intrinsic_asked != params.intrinsic {
            self.ask_frame(params.intrinsic);
        }
        self.mappings = params.mappings;
        self.dynamics = params.dynamics;
    }

    /// Selects a frame, also where a button selected the other one since it was asked for last.
    pub(crate) fn ask_frame(&mut self, intrinsic: bool) {
        self.select_frame(|mode| mode.select(intrinsic));
        self.intrinsic_asked = intrinsic;
    }

    /// The parameter says `intrinsic` now because a button had selected that: nothing is asked for.
    pub(crate) fn note_frame(&mut self, intrinsic: bool) {
        self.intrinsic_asked = intrinsic;
    }

    /// The mappings in force.
    pub(crate) fn mappings(&self) -> &Mappings {
        &self.mappings
    }

    /// A button of the stick that drives went down.
    pub(crate) fn pressed(&mut self, button: usize) {
        self.mode.pressed(button, &self.mappings);
    }

    /// Selects the frame that the buttons asked for.
    pub(crate) fn apply_frame(&mut self) {
        self.select_frame(Mode::apply_frame);
    }

    /// In another frame the same numbers are another motion: to keep them could double the jump, so it stops; and that zero
    /// is of nobody who let go, so the stick has to be at rest before it commands again.
    fn select_frame(&mut self, select: impl FnOnce(&mut Mode)) {
        let before = self.mode.intrinsic();
        select(&mut self.mode);
        if self.mode.intrinsic() != before {
            self.wait_for_rest();
        }
    }

    /// The motion ends now, and the stick commands nothing before it was at rest, which the next look may find it to be.
    fn wait_for_rest(&mut self) {
        self.motion.stop();
        (self.acceleration, self.waits) = ([0.0; 6], true);
    }

    /// Whether the velocity that the stick commands is within a zero, which counts as one further on.
    fn commands_zero(&self) -> bool {
        let (linear, angular) = self.motion.velocity();
        Velocity::new(linear, angular).is_ok_and(|velocity| velocity.is_neutral())
    }

    /// Another stick drives, or none, or it means something else: the motion ends now, and whoever drives commands nothing before it was at rest.
    /// A takeover goes on, except with a `stranger`: a stick that did not drive before.
    ///
    /// # Source
    /// own: the velocity could be left to decay, but a lost input is an explicit zero everywhere in Steersman, and
    /// without drag it would never decay. The latch stays, so that a takeover does not hand authority back; but it is the
    /// takeover of who pressed that stick's button, and no other stick inherits it. A stick may be deflected when it gets to
    /// drive, by a hand that knows nothing of it or by what lies on it: nobody has asked for that motion.
    pub(crate) fn hand_over(&mut self, stranger: bool) {
        self.taken = self.claimed;
        self.wait_for_rest();
        if stranger {
            self.mode.release();
        }
    }

    /// What is [desired](Self::desired) is published.
    pub(crate) fn published(&mut self) {
        self.begins = false;
    }

    /// Whether the stick claims the vehicle now is remembered as what was published.
    pub(crate) fn note_claim(&mut self) {
        self.claimed = self.active();
    }

    /// A reference came in; whether what is to be published is another one by that.
    pub(crate) fn receive(&mut self, clock: &Clock, reference: PoseState) -> bool {
        let had_one = self.reference.in_force().is_some();
        match self.reference.receive(clock, reference) {
            Received::InForce => true,
            Received::Stopped(_) if had_one => {
                self.farewell.is_due |= !self.active();
                true
            }
            Received::Stopped(_) | Received::WaitsForZero | Received::Refused(_) => false,
        }
    }

    /// Lets mode and command follow the stick; no stick is one without axes and buttons. `whole` says that all of its
    /// state that came at once is here: an axis may be reported after another that is at rest.
    pub(crate) fn look(&mut self, now: Instant, stick: Stick<'_>, whole: bool) {
        let before = self.active();
        let taken = core::mem::take(&mut self.taken);
        self.activity = Activity::of(&self.mappings.enable, stick.buttons, self.mode.latch());
        self.claims = self.activity.is_active() && (self.has_enable_button() || self.reaches(stick));
        let divisor = self.divisor();
        let (linear, angular) = (self.dynamics.amax / divisor, self.dynamics.awmax / divisor);
        self.waits &= !(whole && is_at_rest(&self.mappings, stick.axes));
        let commands = if self.waits { [0.0; 6] } else { commands(&self.mappings, stick.axes) };
        let [x, y, z, ax, ay, az] = commands;
        self.acceleration = [x * linear, y * linear, z * linear, ax * angular, ay * angular, az * angular];
        match (before, self.active()) {
            (false, true) => {
                self.farewell = Farewell::default();
                let seed = self.seed(Reach { linear, angular, drag: self.dynamics.drag });
                self.begins = seed.is_none();
                self.motion.start(seed.unwrap_or_default());
            }
            // The motion is forgotten: the next takeover starts anew.
            (true, false) => self.farewell = Farewell::of_one_stop(),
            _ => {}
        }
        // A button was let go by a person; all else is a loss, in motion or at rest.
        let is_lost = taken || before && (!stick.is_there || !self.has_enable_button());
        if is_lost && !self.active() {
            self.farewell = Farewell::after_loss(now, true);
            self.reference.require_zero();
        }
    }

    /// The velocity to take over from the reference; none while the stick is not at rest, which would have to end it.
    fn seed(&mut self, reach: Reach) -> Option<[f64; 6]> {
        let seed = match self.reference.in_force() {
            Some(reference) if !self.waits => Seed::of(reference, self.mode.intrinsic(), reach),
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

    /// What to publish at `stamp`, integrated by the last [`advance`](Self::advance); `None` while nothing is claimed.
    ///
    /// Inactive, the reference in force as it came; without one nothing. When the stick lets go one stop comes first in
    /// any case: a reference that is older than the stick's last command may be passed over as late further on, and the
    /// stick's would go on. When the stick was lost, zero for [`FAREWELL`], also before a reference; when a
    /// reference was lost in motion, zero for as long unless it comes back. After a loss the first of these hold no
    /// velocity at all, which further on is a loss and not a hand that let go: nobody else may drive off by itself.
    pub(crate) fn desired(&self, now: Instant, stamp: Stamp) -> Option<PoseState> {
        if !self.active() {
            let Farewell { is_due, until, masks, lost_until } = self.farewell;
            let waits = is_due || (masks && now < until);
            return match self.reference.in_force() {
                Some(reference) if !waits => Some(*reference),
                _ if now < lost_until => Some(PoseState::lost(stamp, self.intrinsic())),
                _ => (is_due || now < until).then(|| PoseState::released(stamp, self.intrinsic())),
            };
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

    /// What is published while nothing happens from `now` on.
    pub(crate) fn course(&self, now: Instant) -> Course {
        let moves = |moves: bool| if moves { Course::Moves } else { Course::Rests };
        if self.active() {
            return moves(self.acceleration != [0.0; 6] || self.motion.velocity() != ([0.0; 3], [0.0; 3]));
        }
        match self.reference.in_force() {
            _ if self.farewell.is_due || now < self.farewell.until => Course::Moves,
            Some(reference) => moves(!asked(reference).is_neutral()),
            None => Course::None,
        }
    }

    /// Whether a stop is due before a reference may be passed on.
    pub(crate) fn owes_stop(&self) -> bool {
        self.farewell.is_due
    }

    /// The stop that was due is published.
    pub(crate) fn stopped(&mut self) {
        self.farewell.is_due = false;
    }

    /// The last command before the end: a stop, also in place of a reference that is not passed on any more; nothing where
    /// nothing is claimed. It is none of a hand that lets go.
    pub(crate) fn stop(&mut self, now: Instant, stamp: Stamp) -> Option<PoseState> {
        self.motion.stop();
        let farewell = self.farewell.is_due || now < self.farewell.until;
        let is_claimed = self.active() || farewell || self.reference.in_force().is_some();
        is_claimed.then(|| PoseState::standing(stamp, self.intrinsic()))
    }
}
