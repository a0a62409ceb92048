use core::time::Duration;

use units::{Instant, Stamp};

use crate::integrator::Integrator;
use crate::mapping::{commands, is_at_rest, reads_the_same};
use crate::mode::{Activity, Mode};
use crate::takeover::{STALE, Seed};
use crate::{Dynamics, EnableButtons, Mappings, Params, PoseState};

/// The stick that drives, as far as the filter looks at it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stick<'a> {
    pub(crate) axes: &'a [i16],
    pub(crate) buttons: &'a [bool],
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
    /// What the stick commands now \[m/s², rad/s²], linear then angular.
    acceleration: [f64; 6],
    motion: Integrator,
    /// Up to when the motion is integrated.
    until: Instant,
    reference: Option<(Instant, PoseState)>,
    /// The stick let go and there is no reference to pass on: one explicit stop is due.
    owes_stop: bool,
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
            acceleration: [0.0; 6],
            motion: Integrator::default(),
            until: Instant::ZERO,
            reference: None,
            owes_stop: false,
            waits: false,
            seeds_refused: 0,
            seeds_limited: 0,
        }
    }

    pub(crate) fn active(&self) -> bool {
        self.activity.is_active()
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

    /// How long ago the last reference came.
    pub(crate) fn reference_age(&self, now: Instant) -> Option<Duration> {
        self.reference.as_ref().map(|(at, _)| now.since(*at))
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

    /// Integrates up to `now` what was commanded so far.
    pub(crate) fn advance(&mut self, now: Instant) {
        if self.active() {
            self.motion.advance(&self.acceleration, self.dynamics.drag, now.since(self.until));
        }
        self.until = self.until.max(now);
    }

    /// Takes new parameters. A takeover ends if its button becomes another. A stick that is not at rest and would command
    /// by another axis, from another middle or the other way commands nothing before it was at rest: nobody has asked for
    /// that motion; nor has somebody who holds it while other buttons enable it. More or less of the same is no other
    /// motion.
    pub(crate) fn configure(&mut self, params: &Params, stick: Stick<'_>) {
        let [before, after] =
            [&self.mappings, &params.mappings].map(|mappings| commands(mappings, stick.axes));
        let turns = before.iter().zip(after).any(|(&before, after)| after != 0.0 && before * after <= 0.0);
        let is_other = turns
            || !reads_the_same(&self.mappings, &params.mappings)
            || self.mappings.enable != params.mappings.enable;
        if is_other && !is_at_rest(&params.mappings, stick.axes) {
            self.hand_over(false);
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

    /// In another frame the same numbers are another motion: to keep them could double the jump, so it stops.
    fn select_frame(&mut self, select: impl FnOnce(&mut Mode)) {
        let before = self.mode.intrinsic();
        select(&mut self.mode);
        if self.mode.intrinsic() != before {
            self.motion.stop();
        }
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
        self.motion.stop();
        self.waits = true;
        if stranger {
            self.mode.release();
        }
    }

    /// A reference came in.
    pub(crate) fn receive(&mut self, now: Instant, reference: PoseState) {
        self.reference = Some((now, reference));
    }

    /// Lets mode and command follow the stick; no stick is one without axes and buttons. `whole` says that all of its
    /// state that came at once is here: an axis may be told after another that is at rest.
    pub(crate) fn look(&mut self, now: Instant, stamp: Stamp, stick: Stick<'_>, whole: bool) {
        let before = self.active();
        self.activity = Activity::of(&self.mappings.enable, stick.buttons, self.mode.latch());
        let divisor = self.divisor();
        let (linear, angular) = (self.dynamics.amax / divisor, self.dynamics.awmax / divisor);
        self.waits &= !(whole && is_at_rest(&self.mappings, stick.axes));
        let commands = if self.waits { [0.0; 6] } else { commands(&self.mappings, stick.axes) };
        let [x, y, z, ax, ay, az] = commands;
        self.acceleration = [x * linear, y * linear, z * linear, ax * angular, ay * angular, az * angular];
        match (before, self.active()) {
            (false, true) => {
                self.owes_stop = false;
                let velocity = self.seed(now, stamp);
                self.motion.start(velocity);
            }
            // The motion is forgotten: the next takeover starts anew.
            (true, false) => self.owes_stop = true,
            _ => {}
        }
    }

    /// The velocity to take over from the reference; zero while the stick is not at rest, which would have to end it.
    fn seed(&mut self, now: Instant, stamp: Stamp) -> [f64; 6] {
        let seed = if self.waits {
            Seed::Refused
        } else {
            Seed::of(self.reference.as_ref(), now, stamp, self.mode.intrinsic(), &self.dynamics)
        };
        match seed {
            Seed::Nothing => [0.0; 6],
            Seed::Refused => {
                self.seeds_refused = self.seeds_refused.saturating_add(1);
                [0.0; 6]
            }
            Seed::Velocity { velocity, limited } => {
                self.seeds_limited = self.seeds_limited.saturating_add(u64::from(limited));
                velocity
            }
        }
    }

    /// What to publish at `stamp`, integrated by the last [`advance`](Self::advance); `None` while there is nothing.
    ///
    /// Inactive, the reference as it came, however old: who reads it judges it by its own stamp. One without a stamp
    /// nobody could judge: it is forgotten when nothing new came for [`STALE`], with one stop. Before the first
    /// reference nothing. When the stick lets go one stop comes first in any case: a reference that is older than the
    /// stick's last word may be passed over as late further on, and the stick's would go on.
    pub(crate) fn desired(&mut self, now: Instant, stamp: Stamp) -> Option<PoseState> {
        if !self.active() {
            if self
                .reference
                .is_some_and(|(at, reference)| reference.stamp.is_zero() && now.since(at) >= STALE)
            {
                self.reference = None;
                self.owes_stop = true;
            }
            let owes_stop = core::mem::take(&mut self.owes_stop);
            return match &self.reference {
                Some((_, reference)) if !owes_stop => Some(*reference),
                _ => owes_stop.then(|| self.standing(stamp)),
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

    /// The last word before the end: a stop, also in place of a reference that is not passed on any more; nothing where
    /// nothing was ever said.
    pub(crate) fn stop(&mut self, stamp: Stamp) -> Option<PoseState> {
        self.motion.stop();
        (self.active() || self.owes_stop || self.reference.is_some()).then(|| self.standing(stamp))
    }

    fn standing(&self, stamp: Stamp) -> PoseState {
        PoseState::standing(stamp, self.intrinsic())
    }
}
