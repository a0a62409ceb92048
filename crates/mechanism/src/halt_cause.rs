use core::time::Duration;

use units::{Instant, MessageTime};

/// Why the motors are halted, the least severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HaltCause {
    /// A halt was requested. A reset clears it.
    Requested,
    /// The states of the robot elsewhere were lost, or one of its topics had a second publisher. A reset clears it once that has
    /// ended.
    RobotLost,
    /// The state of the vehicle is awaited and silent. The next one clears it.
    StateLost,
    /// The vehicle is in its emergency stop, or in a state that is not known. Another state clears it.
    Estop,
    /// The vehicle's state has several publishers. One publisher clears it.
    Contested,
}

impl HaltCause {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Requested => "a halt was requested",
            Self::RobotLost => "the robot was lost",
            Self::StateLost => "the vehicle's state is lost",
            Self::Estop => "the vehicle is in its emergency stop",
            Self::Contested => "the vehicle's state has more than one publisher",
        }
    }

    /// Whether only a reset ends the halt.
    pub(crate) fn needs_reset(self) -> bool {
        matches!(self, Self::Requested | Self::RobotLost)
    }
}

/// The state of the vehicle is lost when it is older; hindbrain publishes it twice a second.
const STATE_TIMEOUT: Duration = Duration::from_millis(1500);

/// The causes that hold, and until when the vehicle's state counts.
#[derive(Clone, Debug)]
pub(crate) struct HaltCauses {
    /// In any order.
    held: Vec<HaltCause>,
    /// `None` if the state is not awaited.
    state_until: Option<Instant>,
}

impl HaltCauses {
    /// None, but that of a state that is awaited.
    pub(crate) fn new(awaits_state: bool) -> Self {
        let state_until = awaits_state.then_some(Instant::ZERO);
        Self { held: awaits_state.then_some(HaltCause::StateLost).into_iter().collect(), state_until }
    }

    /// The most severe one.
    pub(crate) fn worst(&self) -> Option<HaltCause> {
        self.held.iter().max().copied()
    }

    /// Whether `cause` holds.
    pub(crate) fn holds(&self, cause: HaltCause) -> bool {
        self.held.contains(&cause)
    }

    /// Sets whether a cause holds.
    pub(crate) fn set(&mut self, cause: HaltCause, holds: bool) {
        self.held.retain(|held| *held != cause);
        self.held.extend(holds.then_some(cause));
    }

    /// A reset of the motors was requested, while the robot elsewhere is still lost or not.
    pub(crate) fn reset(&mut self, is_robot_lost: bool) {
        self.set(HaltCause::Requested, false);
        if !is_robot_lost {
            self.set(HaltCause::RobotLost, false);
        }
    }

    /// The vehicle's state was received.
    pub(crate) fn state_received(&mut self, now: Instant, time: MessageTime, state: &str) {
        // One that is too old says nothing of now.
        if let Some(until) = self.state_until.as_mut().filter(|_| !time.is_expired(now, STATE_TIMEOUT)) {
            *until = time.expiry(STATE_TIMEOUT);
            self.set(HaltCause::StateLost, false);
            self.set(HaltCause::Estop, !is_known_without_estop(state));
        }
    }

    /// When the vehicle's state is lost.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.state_until.filter(|_| !self.held.contains(&HaltCause::StateLost))
    }

    /// Notices at `now` that the vehicle's state is lost.
    pub(crate) fn expire(&mut self, now: Instant) {
        if self.deadline().is_some_and(|until| now >= until) {
            self.set(HaltCause::StateLost, true);
        }
    }
}

/// Whether the state of a vehicle is one of hindbrain's that is no emergency stop. What is not known counts as one.
fn is_known_without_estop(state: &str) -> bool {
    state == "OK" || state == "SSTOP" || state.starts_with("SSTOP.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_severe_cause_is_named_until_it_is_cleared() {
        let mut causes = HaltCauses::new(true);
        let order = [
            HaltCause::Requested,
            HaltCause::RobotLost,
            HaltCause::StateLost,
            HaltCause::Estop,
            HaltCause::Contested,
        ];
        order.iter().for_each(|cause| causes.set(*cause, true));
        for cause in order.into_iter().rev() {
            assert_eq!(causes.worst(), Some(cause));
            causes.set(cause, false);
        }
        assert_eq!(causes.worst(), None);
    }

    #[test]
    fn a_reset_clears_a_request_and_a_loss_that_has_ended() {
        let mut causes = HaltCauses::new(false);
        for cause in [HaltCause::Requested, HaltCause::RobotLost, HaltCause::Estop] {
            causes.set(cause, true);
        }
        causes.reset(true);
        assert_eq!(causes.held, [HaltCause::RobotLost, HaltCause::Estop]);
        causes.reset(false);
        assert_eq!(causes.held, [HaltCause::Estop]);
    }
}
