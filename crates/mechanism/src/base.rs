use crate::Robot;

/// The two motors of a base, `port_motor` and `starboard_motor`, as the actuators of a robot.
///
/// A motor's value is a part of full: its effort divided by `full_effort`, within -1 and 1, forward positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaseMotors {
    full_effort: f64,
}

/// The actuators of a robot are not the motors of a base.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("hardware is 'base': the robot's actuators are [{}], must be [{}]", .found.join(", "), MOTORS.join(", "))]
pub struct BaseError {
    /// Names of the robot's actuators.
    pub found: Vec<String>,
}

/// The motors in the order of a robot's actuators, which is that of their names.
const MOTORS: [&str; 2] = ["port_motor", "starboard_motor"];

impl BaseMotors {
    /// The motors of `robot`, whose full value is `full_effort` \[Nm\], greater than 0.
    /// # Errors
    /// Its actuators are others.
    pub fn new(robot: &Robot, full_effort: f64) -> Result<Self, BaseError> {
        let found: Vec<String> = robot.actuators().iter().map(|actuator| actuator.name.clone()).collect();
        if found == MOTORS { Ok(Self { full_effort }) } else { Err(BaseError { found }) }
    }

    /// The parts of full, port and starboard, for the efforts of the robot's actuators \[Nm\]. What is not finite or not there is a
    /// stop.
    pub fn shares(&self, efforts: &[f64]) -> [f64; 2] {
        [0, 1].map(|motor| {
            let effort = efforts.get(motor).copied().filter(|effort| effort.is_finite()).unwrap_or_default();
            (effort / self.full_effort).clamp(-1.0, 1.0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::Actuator;

    fn robot(names: &[&str]) -> Robot {
        Robot::from_parts(Vec::new(), names.iter().map(|name| Actuator::new(*name)).collect(), Vec::new())
    }

    #[test]
    fn an_effort_is_a_part_of_full() {
        let motors = BaseMotors::new(&robot(&MOTORS), 4.0).unwrap();
        assert_eq!(motors.shares(&[2.0, -1.0]), [0.5, -0.25]);
        assert_eq!(motors.shares(&[9.0, -9.0]), [1.0, -1.0], "beyond full is full");
        assert_eq!(motors.shares(&[f64::NAN]), [0.0, 0.0]);
    }

    #[test]
    fn another_robot_is_refused() {
        let error = BaseMotors::new(&robot(&["pan_motor"]), 4.0).unwrap_err().to_string();
        assert_eq!(
            error,
            "hardware is 'base': the robot's actuators are [pan_motor], must be [port_motor, starboard_motor]"
        );
    }
}
