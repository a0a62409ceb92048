use core::time::Duration;

use safety::{Instant, LinkState};

use crate::Robot;
use crate::robot::SimulatedRobot;

/// Hardware of a control loop: it sets the state of a robot's actuators before a step, and obeys their commands after it.
///
/// # Real-time
/// The loop calls `read`, `write` and `link` in each cycle: they must not allocate, lock or block.
pub trait Hardware: Send {
    /// Sets the state of the actuators at `now`, `period` after the previous call.
    fn read(&mut self, robot: &mut Robot, now: Instant, period: Duration);

    /// Passes the actuators' commands on. The last call before the end has efforts of zero and disabled actuators.
    fn write(&mut self, robot: &Robot);

    /// Halts all motors, until a reset.
    fn halt(&mut self);

    /// Begins a reset of the motors.
    fn reset(&mut self);

    /// Whether it reads a calibration sensor for the actuator `actuator`, and notes its edges. Before controllers are created
    /// [`Robot::note_sensors`] asks this.
    fn has_calibration_sensor(&self, actuator: usize) -> bool {
        let _ = actuator;
        false
    }

    /// Whether the robot is there, if it is one that can be absent.
    fn link(&self) -> Option<LinkState> {
        None
    }
}

impl Hardware for SimulatedRobot {
    fn read(&mut self, robot: &mut Robot, _: Instant, period: Duration) {
        self.step(robot, period);
    }

    fn write(&mut self, _: &Robot) {} // the next `read` applies the commands over its period

    fn halt(&mut self) {
        Self::halt(self);
    }

    fn reset(&mut self) {
        Self::reset(self);
    }

    fn has_calibration_sensor(&self, actuator: usize) -> bool {
        Self::has_calibration_sensor(self, actuator)
    }
}
