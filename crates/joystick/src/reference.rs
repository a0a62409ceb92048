use core::time::Duration;

use units::{Clock, Command, CommandMonitor, Instant, Received, Velocity};

use crate::PoseState;

/// Older than this, a reference is no longer what the vehicle is to do.
pub(crate) const STALE: Duration = Duration::from_millis(500);

/// The reference: which one is in force, for how long, and whether its motion may begin.
///
/// It is judged as every command is, see [`CommandMonitor`]: a late, old or repeated one is not passed on, and after the
/// reference was silent, or the stick lost, nothing of it is passed on before it asks for none; nor is
/// one that was there before this node. One without velocities asks for none; a velocity that is no number asks for motion.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reference {
    monitor: CommandMonitor,
    state: PoseState,
    was_received: bool,
    /// Motion of it was lost or refused since its last zero: more than the silence of one that has nothing to ask for.
    owes_zero: bool,
    publishers: usize,
}

/// How the reference in force ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loss {
    AtRest,
    InMotion,
}

impl Reference {
    /// Takes a reference that is read now. The caller has called [`expire`](Self::expire) before.
    pub(crate) fn receive(&mut self, clock: &Clock, state: PoseState) -> Received {
        self.was_received = true;
        if self.publishers > 1 {
            return Received::WaitsForZero;
        }
        let command = Command::new(asked(&state), state.stamp);
        let received = self.monitor.receive(clock, command, STALE);
        match received {
            Received::InForce => (self.state, self.owes_zero) = (state, false),
            Received::WaitsForZero => self.owes_zero = true,
            Received::Stopped(_) | Received::Refused(_) => {}
        }
        received
    }

    /// So many publish the reference. Of several none counts, for nobody knows whose is meant; how the reference in force was lost
    /// by it, if it was.
    pub(crate) fn count(&mut self, publishers: usize) -> Option<Loss> {
        self.publishers = publishers;
        let loss = self.in_force().filter(|_| publishers > 1).map(|_| Loss::InMotion);
        if publishers > 1 {
            self.require_zero();
        }
        loss
    }

    /// Lets time pass; how the reference in force was lost by it, if it was.
    pub(crate) fn expire(&mut self, now: Instant) -> Option<Loss> {
        let moved = self.monitor.asks_for_motion();
        let is_lost = self.monitor.expire(now, STALE);
        self.owes_zero |= moved && self.monitor.waits_for_zero();
        is_lost.then_some(if moved { Loss::InMotion } else { Loss::AtRest })
    }

    /// Whoever else commanded was lost: it has to ask for a stop before anything of it is passed on.
    pub(crate) fn require_zero(&mut self) {
        self.monitor.lose();
        self.monitor.require_zero();
        self.owes_zero = true;
    }

    /// The reference in force.
    pub(crate) fn in_force(&self) -> Option<&PoseState> {
        self.monitor.command().map(|_| &self.state)
    }

    /// How old the reference in force is.
    pub(crate) fn age(&self, now: Instant) -> Option<Duration> {
        self.monitor.age(now)
    }

    /// When the reference in force is lost if no other comes.
    pub(crate) fn expiry(&self) -> Option<Instant> {
        self.monitor.expiry(STALE)
    }

    /// Whether one came that has to ask for a stop first, and was not just silent at rest.
    pub(crate) fn waits_for_zero(&self) -> bool {
        self.was_received && self.owes_zero
    }

    /// Whether one ever came, fresh or not.
    pub(crate) fn was_received(&self) -> bool {
        self.was_received
    }
}

/// The velocity that a reference asks for, where what is no number counts as motion.
pub(crate) fn asked(state: &PoseState) -> Velocity {
    let number = |part: f64| if part.is_finite() { part } else { 1.0 };
    let of = |part: Option<[f64; 3]>| part.unwrap_or_default().map(number);
    // All parts are finite by now.
    Velocity::new(of(state.vel), of(state.avel)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Stamp;

    fn reference(vel: Option<[f64; 3]>) -> PoseState {
        PoseState { vel, ..PoseState::default() }
    }

    fn clock(millis: u64) -> Clock {
        let mut clock = Clock::default();
        clock.read(Instant::from_millis(millis), Stamp { sec: 1000, nanosec: 0 });
        clock
    }

    #[test]
    fn what_is_no_number_is_motion_and_no_velocity_is_none() {
        assert!(asked(&reference(None)).is_neutral());
        assert!(asked(&reference(Some([0.0; 3]))).is_neutral());
        for odd in [f64::NAN, f64::INFINITY] {
            assert!(!asked(&reference(Some([0.0, odd, 0.0]))).is_neutral(), "{odd}");
        }
    }

    #[test]
    fn one_lost_in_motion_waits_for_a_stop() {
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
}
