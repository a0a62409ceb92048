use core::time::Duration;

use units::{Instant, MessageTime};

/// Why the motors are halted, the least severe first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HaltCause {
    /// A halt was requested. A reset clears it.
    Requested,
    /// The control loop hangs in a step. The next report of it clears it.
    LoopSilent,
    /// The states of the robot elsewhere were lost, or one of its topics had a second publisher. A reset clears it once that has
    /// ended.
    RobotLost,
    /// The state of the vehicle was never received. The first one clears it.
    StateAwaited,
    /// The state of the vehicle was lost. A reset clears it once that has ended.
    StateLost,
    /// The vehicle is in its emergency stop, or in a state that is not known. Another state clears it.
    Estop,
    /// The vehicle's state had several publishers. A reset clears it once that has ended.
    Contested,
}

/// How a halt ends that does not end by itself.
const RESET: &str = "; reset_motors ends it";
const RESET_LATER: &str = "; reset_motors ends it once that is over";

/// The state of the vehicle is lost when it is older; hindbrain publishes it twice a second.
const STATE_TIMEOUT: Duration = Duration::from_millis(1500);

/// The causes that hold, and until when the vehicle's state counts.
#[derive(Clone, Debug)]
pub(crate) struct HaltCauses {
    /// In any order.
    held: Vec<HaltCause>,
    /// `None` if the state is not awaited.
    state_until: Option<Instant>,
    /// Whether the state does not count now.
    is_state_lost: bool,
    /// Whether the state has several publishers now.
    is_contested: bool,
}

impl HaltCauses {
    /// None, but that of a state that is awaited.
    pub(crate) fn new(awaits_state: bool) -> Self {
        let held = awaits_state.then_some(HaltCause::StateAwaited).into_iter().collect();
        let state_until = awaits_state.then_some(Instant::ZERO);
        Self { held, state_until, is_state_lost: awaits_state, is_contested: false }
    }

    /// The most severe one.
    pub(crate) fn worst(&self) -> Option<HaltCause> {
        self.held.iter().max().copied()
    }

    /// The most severe one in words, and how it ends if not by itself. `obstacle` is why the states of the robot elsewhere do not
    /// count.
    pub(crate) fn text(&self, obstacle: Option<String>) -> Option<String> {
        let Some(worst) = self.worst() else { return obstacle };
        let (is_on, text) = match worst {
            HaltCause::Requested => (false, "a halt was requested".to_owned()),
            HaltCause::LoopSilent => return Some("the control loop hangs in a step".to_owned()),
            HaltCause::RobotLost => {
                (obstacle.is_some(), obstacle.unwrap_or_else(|| "the robot was lost".to_owned()))
            }
            HaltCause::StateAwaited => return Some("the vehicle's state is awaited".to_owned()),
            HaltCause::StateLost => {
                (self.is_state_lost, format!("the vehicle's state {} lost", is_or_was(self.is_state_lost)))
            }
            HaltCause::Estop => return Some("the vehicle is in its emergency stop".to_owned()),
            HaltCause::Contested => {
                let has = if self.is_contested { "has" } else { "had" };
                (self.is_contested, format!("the vehicle's state {has} more than one publisher"))
            }
        };
        Some(text + if is_on { RESET_LATER } else { RESET })
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
        let (is_state_lost, is_contested) = (self.is_state_lost, self.is_contested);
        self.held.retain(|cause| match cause {
            HaltCause::Requested => false,
            HaltCause::RobotLost => is_robot_lost,
            HaltCause::StateLost => is_state_lost,
            HaltCause::Contested => is_contested,
            HaltCause::LoopSilent | HaltCause::StateAwaited | HaltCause::Estop => true,
        });
    }

    /// The vehicle's state was received.
    pub(crate) fn state_received(&mut self, now: Instant, time: MessageTime, state: &str) {
        // One that is too old says nothing of now.
        if let Some(until) = self.state_until.as_mut().filter(|_| !time.is_expired(now, STATE_TIMEOUT)) {
            *until = time.expiry(STATE_TIMEOUT);
            self.is_state_lost = false;
            self.set(HaltCause::StateAwaited, false);
            self.set(HaltCause::Estop, !is_known_without_estop(state));
        }
    }

    /// So many nodes publish the vehicle's state.
    pub(crate) fn publishers_counted(&mut self, count: usize) {
        self.is_contested = count > 1;
        if self.is_contested {
            self.set(HaltCause::Contested, true);
        }
    }

    /// When the vehicle's state is lost.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.state_until.filter(|_| !self.is_state_lost)
    }

    /// Notices at `now` that the vehicle's state is lost.
    pub(crate) fn expire(&mut self, now: Instant) {
        if self.deadline().is_some_and(|until| now >= until) {
            self.is_state_lost = true;
            self.set(HaltCause::StateLost, true);
        }
    }
}

fn is_or_was(is_on: bool) -> &'static str {
    if is_on { "is" } else { "was" }
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
            HaltCause::LoopSilent,
            HaltCause::RobotLost,
            HaltCause::StateAwaited,
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

    #[test]
    fn a_state_that_was_lost_or_contested_needs_a_reset_once_that_is_over() {
        let mut causes = HaltCauses::new(true);
        let receive = |causes: &mut HaltCauses, at: u64| {
            let now = Instant::from_millis(at);
            causes.state_received(now, MessageTime::new(now, Duration::ZERO), "OK");
        };
        let text = |causes: &HaltCauses| causes.text(None).unwrap_or_default();
        assert_eq!(text(&causes), "the vehicle's state is awaited");
        receive(&mut causes, 0);
        assert_eq!(causes.worst(), None, "the first one needs none");
        causes.expire(Instant::from_millis(1500));
        assert_eq!(text(&causes), "the vehicle's state is lost; reset_motors ends it once that is over");
        causes.reset(false);
        assert_eq!(causes.worst(), Some(HaltCause::StateLost));
        receive(&mut causes, 2000);
        assert_eq!(text(&causes), "the vehicle's state was lost; reset_motors ends it");
        causes.reset(false);
        assert_eq!(causes.worst(), None);
        causes.publishers_counted(2);
        causes.reset(false);
        assert_eq!(causes.worst(), Some(HaltCause::Contested));
        causes.publishers_counted(1);
        assert_eq!(text(&causes), "the vehicle's state had more than one publisher; reset_motors ends it");
        causes.reset(false);
        assert_eq!(causes.worst(), None);
    }
}
