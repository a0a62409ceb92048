use core::time::Duration;

use safety::Instant;

use crate::Robot;
use crate::controllers::{Controller, ControllerFailure, ControllerInput, InputKind, Message, Step};
use crate::standard::Setpoint;

/// Passes an effort to a joint: effort = command, and 0 when no command came within the time-out.
///
/// Input `command`: the effort \[Nm or N\]. Commands from before a start do not count.
/// # Source
/// `robot_mechanism_controllers` 1.8 (`JointEffortController`); own: the time-out.
#[derive(Clone, Debug)]
pub struct EffortController {
    joint: usize,
    timeout: Duration,
    command: Setpoint,
}

impl EffortController {
    /// A controller of the joint with this index in the robot.
    pub fn new(joint: usize, timeout: Duration) -> Self {
        Self { joint, timeout, command: Setpoint::default() }
    }
}

impl Controller for EffortController {
    fn inputs(&self) -> &'static [ControllerInput] {
        &[ControllerInput { name: "command", kind: InputKind::Float }]
    }

    fn receive(&mut self, _: usize, message: &mut Message, now: Instant) {
        self.command.receive(message, now);
    }

    fn is_rest(&self, _: usize, message: &Message, _: &Robot) -> bool {
        matches!(message, Message::Float(0.0))
    }

    fn starting(&mut self, _: &mut Step<'_>) {
        self.command.reset();
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let effort = self.command.fresh(step.now, self.timeout).unwrap_or(0.0);
        if let Some(joint) = step.robot.joints_mut().get_mut(self.joint) {
            joint.commanded_effort += effort;
        }
        Ok(())
    }
}
