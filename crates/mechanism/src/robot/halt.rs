/// Halts all motors at once, and enables them one after the other by a reset, as the driver of the PR2 does.
///
/// A halt takes effect in the next step and lasts until a reset. A reset takes 2 N + 5 steps for N motors: from the
/// seventh step on one motor is enabled every second step, the last one in the last step.
/// # Source
/// `pr2_ethercat_drivers`, `ethercat_hardware`: `haltMotors` and `resetMotors`; it starts halted and resets itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MotorHalt {
    motors: usize,
    /// How many motors are enabled.
    enabled: usize,
    /// The steps that are left of a reset.
    left: usize,
}

impl MotorHalt {
    /// All of `motors` are halted, and a reset begins.
    pub fn new(motors: usize) -> Self {
        let mut halt = Self { motors, enabled: 0, left: 0 };
        halt.reset();
        halt
    }

    /// Halts all motors; ends a reset.
    pub fn halt(&mut self) {
        (self.enabled, self.left) = (0, 0);
    }

    /// Begins a reset, from its first step.
    pub fn reset(&mut self) {
        (self.enabled, self.left) = (0, 2 * self.motors + 5);
    }

    /// Makes a step of a reset.
    pub fn step(&mut self) {
        if self.left > 0 {
            self.left -= 1;
            let passed = 2 * self.motors + 5 - self.left;
            self.enabled = passed.saturating_sub(5) / 2;
        }
    }

    /// Whether the motor `index` is halted.
    pub fn is_halted(&self, index: usize) -> bool {
        index >= self.enabled
    }

    /// Whether any motor is halted.
    pub fn is_any_halted(&self) -> bool {
        self.enabled < self.motors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many motors are enabled after each of `steps` steps.
    fn enabled(halt: &mut MotorHalt, steps: usize) -> Vec<usize> {
        let count = |halt: &MotorHalt| (0..halt.motors).filter(|&motor| !halt.is_halted(motor)).count();
        (0..steps)
            .map(|_| {
                halt.step();
                count(halt)
            })
            .collect()
    }

    #[test]
    fn a_reset_enables_one_motor_every_second_step() {
        let mut halt = MotorHalt::new(3);
        assert!(halt.is_any_halted(), "it starts halted");
        assert_eq!(enabled(&mut halt, 12), [0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3]);
        assert!(!halt.is_any_halted());
    }

    #[test]
    fn a_halt_is_immediate_and_lasts_until_a_reset() {
        let mut halt = MotorHalt::new(2);
        enabled(&mut halt, 9);
        assert!(!halt.is_any_halted());
        halt.halt();
        assert!(halt.is_halted(0) && halt.is_halted(1));
        assert_eq!(enabled(&mut halt, 50), vec![0; 50]);
        halt.reset();
        halt.step();
        halt.halt();
        assert_eq!(enabled(&mut halt, 50), vec![0; 50], "it ends a reset");
    }

    #[test]
    fn without_motors_nothing_is_halted() {
        let mut halt = MotorHalt::new(0);
        halt.step();
        assert!(!halt.is_any_halted());
    }
}
