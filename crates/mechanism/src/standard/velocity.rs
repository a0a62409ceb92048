use core::time::Duration;

use safety::Instant;

use crate::Robot;
use crate::controllers::{Controller, ControllerFailure, ControllerInput, InputKind, Message, Step};
use crate::laws::{Pid, SpeedLaw};
use crate::standard::Setpoint;

/// Moves a joint at a velocity: effort = PI(command - velocity), with the velocity 0 when no command came within the time-out.
///
/// Input `command`: the velocity \[rad/s or m/s\], within [those](crate::robot::Joint::admitted_speed) at which the joint may be moved where it is.
/// Commands from before a start do not count. There is no derivative term, since a
/// measured velocity has no clean derivative.
///
/// Where a command ends or becomes less the integral holds a load, and does not push on against what stopped the joint ([`SpeedLaw`]).
/// # Source
/// `robot_mechanism_controllers` 1.8 (`JointVelocityController`); own: the time-out, and the [`SpeedLaw`].
#[derive(Clone, Debug)]
pub struct VelocityController {
    joint: usize,
    timeout: Duration,
    law: SpeedLaw,
    command: Setpoint,
}

impl VelocityController {
    /// A controller of the joint with this index in the robot.
    pub fn new(joint: usize, pid: Pid, timeout: Duration) -> Self {
        Self { joint, timeout, law: SpeedLaw::new(pid), command: Setpoint::default() }
    }
}

impl Controller for VelocityController {
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
        self.law.reset();
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let wanted = self.command.fresh(step.now, self.timeout).unwrap_or(0.0);
        if let Some(joint) = step.robot.joints_mut().get_mut(self.joint) {
            let wanted = joint.admitted_speed(wanted);
            joint.commanded_effort += self.law.update(wanted, joint.velocity, step.period.as_secs_f64());
        }
        Ok(())
    }
}
