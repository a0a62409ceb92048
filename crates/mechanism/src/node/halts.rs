//! The halt of the motors: what causes it, what ends it, and what is reported of it.

use safety::StateMonitor;

use super::{Mechanism, Output};
use crate::halt_cause::{HaltCause, HaltCauses};

impl Mechanism {
    /// Changes the causes: the first one halts the motors, and the end of the last one resets them.
    ///
    /// At the end of the node none counts: its messages are received no more, and the motors stay halted.
    pub(super) fn change_causes(&mut self, change: impl FnOnce(&mut HaltCauses)) {
        if self.is_stopping {
            return;
        }
        let (had_cause, before) = (self.causes.worst().is_some(), self.halt_cause());
        change(&mut self.causes);
        let has_cause = self.causes.worst().is_some();
        if has_cause && !had_cause {
            self.outputs.push_back(Output::Halt);
            self.warn_of_halt("the motors are halted");
        } else if has_cause && before != self.halt_cause() {
            self.warn_of_halt("the motors stay halted");
        } else if had_cause && !has_cause {
            self.reset();
        }
    }

    fn reset(&mut self) {
        self.is_resetting = true;
        self.outputs.push_back(Output::Reset);
    }

    pub(super) fn warn_of_halt(&mut self, what: &str) {
        let cause = self.halt_cause().unwrap_or_default();
        self.outputs.push_back(Output::Warn(format!("{what}: {cause}")));
    }

    /// Reports that the motors are on, or why they are halted if that has no cause here.
    pub(super) fn say_halt(&mut self, was_held: bool) {
        self.is_resetting &= self.is_halted;
        self.outputs.extend(match (self.is_halted, self.causes.worst()) {
            (false, _) => Some(Output::Inform("the motors are on".to_owned())),
            (true, None) if was_held => Some(Output::Warn(
                "the motors are halted: the control loop or its node was held for more than 0.2 s; they come back by themselves".to_owned(),
            )),
            (true, None) if !self.had_obstacle && !self.is_resetting => Some(Output::Warn(
                "the motors are halted: a motor halted by itself; reset_motors ends it".to_owned(),
            )),
            (true, _) => None,
        });
    }

    pub(super) fn reset_requested(&mut self) {
        let mut after = self.causes.clone();
        after.reset(self.clock.now(), self.has_obstacle());
        if after.worst().is_some() {
            // A halt that was requested stays: a reset that is refused changes nothing.
            self.warn_of_halt("the motors stay halted");
            return;
        }
        if self.causes.worst().is_none() {
            self.reset(); // an error of a motor, which has no cause here
        }
        self.change_causes(|causes| *causes = after);
    }

    pub(super) fn lose_robot(&mut self) {
        self.change_causes(|causes| causes.set(HaltCause::RobotLost, true));
    }

    /// Reports that the states of the robot elsewhere are awaited, or count again. At the end of the node neither is news.
    pub(super) fn watch_states(&mut self) {
        let has_obstacle = self.has_obstacle();
        let had_obstacle = core::mem::replace(&mut self.had_obstacle, has_obstacle);
        if had_obstacle == has_obstacle || self.is_stopping {
            return;
        }
        let obstacle = self.states.as_ref().and_then(StateMonitor::obstacle);
        let is_lost = self.causes.holds(HaltCause::RobotLost);
        self.outputs.extend(match obstacle {
            // A loss is reported as a halt.
            Some(_) if is_lost => None,
            Some(obstacle) => Some(Output::Warn(format!("the motors are halted: {obstacle}"))),
            None if is_lost => {
                Some(Output::Inform("the robot's states count again; reset_motors ends the halt".to_owned()))
            }
            None => Some(Output::Inform("the robot's states count".to_owned())),
        });
    }

    /// Whether the states of the robot elsewhere do not count.
    pub(super) fn has_obstacle(&self) -> bool {
        self.states.as_ref().is_some_and(StateMonitor::has_obstacle)
    }
}
