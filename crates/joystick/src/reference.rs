use core::time::Duration;

use safety::{Accelerations, Clock, CommandMonitor, Instant, PublisherCount, Received, Velocity};

use crate::PoseState;
use crate::mode::Reach;

/// Timeout of a reference: an older one is no longer in force.
pub(crate) const STALE: Duration = Duration::from_millis(500);

/// The reference: which one is in force, for how long, and whether its motion may begin.
///
/// It is checked like every command, see [`CommandMonitor`]: a late, old or repeated reference is not passed on.
/// After a silence of the reference or a loss of the stick it is passed on only after it requested zero; so is a
/// reference that was published before this node started. A reference without velocities requests zero; a velocity
/// that is not a number counts as motion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reference {
    monitor: CommandMonitor,
    state: PoseState,
    was_received: bool,
    /// Its motion was lost or refused since its last zero, in contrast to a silence at rest.
    needs_zero: bool,
    publishers: PublisherCount,
}

/// How the reference in force ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    AtRest,
    InMotion,
}

impl Reference {
    /// Receives a reference that was read now. The caller must have called [`expire`](Self::expire) before.
    pub(crate) fn receive(&mut self, clock: &Clock, state: PoseState) -> Received {
        self.was_received = true;
        if self.publishers.are_several() {
            return Received::WaitsForZero;
        }
        let command = accelerations(&state).command(requested_velocity(&state), state.stamp);
        let received = self.monitor.receive(clock, command, STALE);
        match received {
            Received::InForce => (self.state, self.needs_zero) = (state, false),
            Received::WaitsForZero => self.needs_zero = true,
            Received::Stopped(_) | Received::Refused(_) => {}
        }
        received
    }

    /// Sets the number of publishers. With several, no reference is accepted, since it is unknown which one is meant.
    /// Returns how the reference in force was lost by it, if it was.
    pub(crate) fn count(&mut self, publishers: PublisherCount) -> Option<Loss> {
        self.publishers = publishers;
        let loss = self.in_force().filter(|_| publishers.are_several()).map(|_| Loss::InMotion);
        if publishers.are_several() {
            self.require_zero();
        }
        loss
    }

    /// Advances the time and returns how the reference in force expired, if it did.
    pub(crate) fn expire(&mut self, now: Instant) -> Option<Loss> {
        // A stick that was held when it fell silent was not released, also at rest.
        let moved = accelerations(&self.state).are_held() || self.monitor.asks_for_motion();
        let is_lost = self.monitor.expire(now, STALE);
        self.needs_zero |= moved && self.monitor.waits_for_zero();
        is_lost.then_some(if moved { Loss::InMotion } else { Loss::AtRest })
    }

    /// Another source of commands was lost: the reference has to request a stop before it is passed on.
    pub(crate) fn require_zero(&mut self) {
        self.monitor.lose();
        self.monitor.require_zero();
        self.needs_zero = true;
    }

    /// The reference in force.
    pub(crate) fn in_force(&self) -> Option<&PoseState> {
        self.monitor.command().map(|_| &self.state)
    }

    /// The age of the reference in force.
    pub(crate) fn age(&self, now: Instant) -> Option<Duration> {
        self.monitor.age(now)
    }

    /// When the reference in force expires if no other arrives.
    pub(crate) fn expiry(&self) -> Option<Instant> {
        self.monitor.expiry(STALE)
    }

    /// Whether a received reference has to request a stop first, and was not just silent at rest.
    pub(crate) fn waits_for_zero(&self) -> bool {
        self.was_received && self.needs_zero
    }

    /// Whether its publisher asks for motion, in force or not.
    pub(crate) fn asks_for_motion(&self) -> bool {
        self.monitor.asks_for_motion()
    }

    /// Whether a reference was ever received, fresh or not.
    pub(crate) fn was_received(&self) -> bool {
        self.was_received
    }
}

/// The velocity that a reference requests; a value that is not a number counts as motion.
pub(crate) fn requested_velocity(state: &PoseState) -> Velocity {
    let number = |part: f64| if part.is_finite() { part } else { 1.0 };
    let of = |part: Option<[f64; 3]>| part.unwrap_or_default().map(number);
    // All values are finite here.
    Velocity::new(of(state.vel), of(state.avel)).unwrap_or_default()
}

fn accelerations(state: &PoseState) -> Accelerations {
    Accelerations { linear: state.acc, angular: state.aacc }
}

/// Maximum speed \[m/s, rad/s] of a reference accepted for a takeover; also the maximum initial velocity of a
/// takeover where no drag bounds it.
const MAX_SEED_SPEED: f64 = 1000.0;

/// The initial velocity of a takeover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seed {
    /// Zero, because the reference has no usable velocity.
    Refused,
    /// This velocity \[m/s, rad/s], linear then angular.
    Velocity {
        velocity: [f64; 6],
        /// Whether the reference was faster than that.
        limited: bool,
    },
}

impl Seed {
    /// The seed from the `reference` in force.
    ///
    /// Its velocity if it is in the frame `intrinsic` and sane. Each axis is limited to what the stick can reach with
    /// its current buttons (slow motion starts slowly), and never exceeds 1000.
    ///
    /// # Source
    /// own: the openrobots component does not specify how a takeover starts. The parameters exclude a velocity beyond
    /// `amax / drag` or the speed that is set.
    pub(crate) fn of(reference: &PoseState, intrinsic: bool, reach: [Reach; 6]) -> Self {
        let sane =
            |part: Option<[f64; 3]>| part.is_none_or(|part| part.iter().all(|v| v.abs() <= MAX_SEED_SPEED));
        if reference.intrinsic != intrinsic || !sane(reference.vel) || !sane(reference.avel) {
            return Self::Refused;
        }
        let [x, y, z] = reference.vel.unwrap_or_default();
        let [ax, ay, az] = reference.avel.unwrap_or_default();
        // Each coordinate is limited separately, as commands are.
        let (mut velocity, mut limited) = ([x, y, z, ax, ay, az], false);
        for (velocity, Reach { speed, .. }) in velocity.iter_mut().zip(reach) {
            let bound = if speed > 0.0 { speed.min(MAX_SEED_SPEED) } else { 0.0 }; // 0 for NaN
            limited |= velocity.abs() > bound;
            *velocity = velocity.clamp(-bound, bound) + 0.0; // no -0.0
        }
        Self::Velocity { velocity, limited }
    }
}

#[cfg(test)]
mod tests {
    use safety::Stamp;

    use super::*;

    fn reference(vel: Option<[f64; 3]>) -> PoseState {
        PoseState { vel, ..PoseState::default() }
    }

    fn clock(millis: u64) -> Clock {
        let mut clock = Clock::default();
        clock.read(Instant::from_millis(millis), Stamp { sec: 1000, nanosec: 0 });
        clock
    }

    #[test]
    fn nan_is_motion_and_a_missing_velocity_is_not() {
        assert!(requested_velocity(&reference(None)).is_neutral());
        assert!(requested_velocity(&reference(Some([0.0; 3]))).is_neutral());
        for odd in [f64::NAN, f64::INFINITY] {
            assert!(!requested_velocity(&reference(Some([0.0, odd, 0.0]))).is_neutral(), "{odd}");
        }
    }

    #[test]
    fn a_reference_lost_in_motion_waits_for_a_stop() {
        let mut passed = Reference::default();
        assert_eq!(
            passed.receive(&clock(0), reference(Some([1.0; 3]))),
            Received::WaitsForZero,
            "the first one"
        );
        passed.receive(&clock(0), reference(None));
        passed.receive(&clock(0), reference(Some([1.0; 3])));
        assert!(
            passed.in_force().is_some() && passed.expire(Instant::from_millis(500)) == Some(Loss::InMotion)
        );
        assert_eq!(passed.receive(&clock(600), reference(Some([1.0; 3]))), Received::WaitsForZero);
        assert!(passed.in_force().is_none() && passed.waits_for_zero());
        passed.receive(&clock(610), reference(Some([0.0; 3])));
        passed.receive(&clock(620), reference(Some([1.0; 3])));
        assert_eq!(passed.in_force().and_then(|state| state.vel), Some([1.0; 3]));
    }

    #[test]
    fn a_takeover_is_within_any_speed_and_the_greatest_one() {
        let fast = reference(Some([900.0, -MAX_SEED_SPEED, 0.25]));
        for (speed, expected) in [
            (2.5, [2.5, -2.5, 0.25]),
            (f64::INFINITY, [900.0, -MAX_SEED_SPEED, 0.25]),
            (1e9, [900.0, -MAX_SEED_SPEED, 0.25]),
            (0.0, [0.0; 3]),
            (-1.0, [0.0; 3]),
            (f64::NAN, [0.0; 3]),
        ] {
            let Seed::Velocity { velocity: [x, y, z, ..], limited } =
                Seed::of(&fast, false, [Reach { acceleration: 1.0, speed }; 6])
            else {
                panic!("{speed}: refused");
            };
            assert_eq!(([x, y, z], limited), (expected, expected[0] < 900.0), "{speed}");
        }
    }
}
