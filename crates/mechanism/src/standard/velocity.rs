use core::time::Duration;

use safety::Instant;

use crate::Robot;
use crate::controllers::{Controller, ControllerFailure, ControllerInput, InputKind, Message, Step};
use crate::laws::Pid;
use crate::standard::Setpoint;

/// Moves a joint at a velocity: effort = PI(command - velocity), with the velocity 0 when no command came within the time-out.
///
/// Input `command`: the velocity \[rad/s or m/s\], within [those](crate::robot::Joint::admitted_speed) at which the joint may be moved where it is.
/// Commands from before a start do not count. There is no derivative term, since a
/// measured velocity has no clean derivative.
///
/// Where a command ends, the integral is what it was when the joint last moved at half of the commanded velocity or more: it holds a load,
/// and does not push on against what stopped the joint.
/// # Source
/// `robot_mechanism_controllers` 1.8 (`JointVelocityController`); own: the time-out, and the integral where a command ends.
#[derive(Clone, Debug)]
pub struct VelocityController {
    joint: usize,
    timeout: Duration,
    pid: Pid,
    command: Setpoint,
    /// The integral that the load needs, and whether the joint is commanded to move.
    load: f64,
    moves: bool,
}

impl VelocityController {
    /// A controller of the joint with this index in the robot.
    pub fn new(joint: usize, pid: Pid, timeout: Duration) -> Self {
        Self { joint, timeout, pid, command: Setpoint::default(), load: 0.0, moves: false }
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
        self.pid.reset();
        (self.load, self.moves) = (0.0, false);
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let wanted = self.command.fresh(step.now, self.timeout).unwrap_or(0.0);
        if let Some(joint) = step.robot.joints_mut().get_mut(self.joint) {
            let wanted = joint.admitted_speed(wanted);
            let moves = wanted != 0.0;
            if core::mem::replace(&mut self.moves, moves) && !moves {
                self.pid.set_integral(self.load);
            }
            let error = wanted - joint.velocity;
            joint.commanded_effort += self.pid.update(error, 0.0, step.period.as_secs_f64());
            if !moves || error.abs() <= wanted.abs() / 2.0 {
                self.load = self.pid.integral();
            }
        }
        Ok(())
    }
}
