use std::time::Duration;

use haptix::{AnalyticHand, Device};
use mechanism::Robot;
use mechanism::robot::{Actuator, Hardware, MotorHalt};
use safety::Instant;

/// The motors of an analytic hand as the actuators of a robot, which have their names.
///
/// The effort of an actuator is the torque of its motor, at the shaft, and the servos of the hand do not act: two laws would fight
/// over one motor. A motor that is halted or not enabled has no torque and turns freely, against its damping. The joints of the hand
/// follow its motors by themselves, and those of the robot by its transmissions, both with the couplings of one description.
/// # Real-time
/// It allocates nothing, waits for nothing and makes no call.
#[derive(Clone, Debug)]
pub struct HandHardware {
    hand: AnalyticHand,
    /// The motor of each actuator.
    motors: Vec<usize>,
    halt: MotorHalt,
    torques: [f64; haptix::MAX],
    time: Duration,
}

/// A robot has an actuator that is no motor of the hand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the robot has the actuator '{actuator}', must be a motor of the hand: {}", .motors.join(", "))]
pub struct HandError {
    /// The actuator.
    pub actuator: String,
    /// The motors of the hand.
    pub motors: Vec<String>,
}

impl HandHardware {
    /// The hardware for `robot`, at rest in the start pose of `hand`. Its motors are halted, and a reset begins, as at the start of a
    /// driver.
    /// # Errors
    /// An actuator is no motor of the hand.
    pub fn new(hand: AnalyticHand, robot: &Robot) -> Result<Self, HandError> {
        let names = &hand.constants().description.motor_names;
        let motor = |actuator: &Actuator| {
            names
                .iter()
                .position(|name| *name == actuator.name)
                .ok_or_else(|| HandError { actuator: actuator.name.clone(), motors: names.clone() })
        };
        let motors = robot.actuators().iter().map(motor).collect::<Result<Vec<_>, _>>()?;
        let halt = MotorHalt::new(motors.len());
        Ok(Self { hand, motors, halt, torques: [0.0; haptix::MAX], time: Duration::ZERO })
    }
}

impl Hardware for HandHardware {
    fn read(&mut self, robot: &mut Robot, _: Instant, period: Duration) {
        self.time += period;
        self.halt.step();
        for (index, (actuator, &motor)) in robot.actuators_mut().iter_mut().zip(&self.motors).enumerate() {
            actuator.state.is_halted = self.halt.is_halted(index);
            self.torques[motor] = actuator.admitted_effort();
            let Actuator { command, state, .. } = actuator;
            state.is_enabled = command.enable && !state.is_halted;
            (state.last_commanded_effort, state.last_executed_effort) = (command.effort, self.torques[motor]);
        }
        self.hand.drive(&self.torques, period);
        for (index, (actuator, &motor)) in robot.actuators_mut().iter_mut().zip(&self.motors).enumerate() {
            let moved = self.hand.motor(motor);
            actuator.measure(self.time, index, [moved.position, moved.velocity, moved.torque]);
        }
    }

    fn write(&mut self, _: &Robot) {} // the next `read` applies the commands over its period

    fn halt(&mut self) {
        self.halt.halt();
    }

    fn reset(&mut self) {
        self.halt.reset();
    }
}
