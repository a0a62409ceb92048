use core::time::Duration;

/// A gap between two steps that is longer halts the motors, unless it is less than [`MOST_MISSED`] periods.
const LONGEST_GAP: Duration = Duration::from_millis(200);
/// One late step of a slow loop shows no hold.
const MOST_MISSED: u32 = 5;
/// How many periods a step counts for at most, whatever the time since the last one: no law integrates over a hold.
const MOST_PERIODS: u32 = 10;

/// Whether a gap between two steps of a loop of this `period` shows that it was held.
pub fn is_hold(gap: Duration, period: Duration) -> bool {
    gap > LONGEST_GAP.max(period * MOST_MISSED)
}

/// The time that a step counts for, `gap` after the one before, in a loop of this `period`.
pub fn step_time(gap: Duration, period: Duration) -> Duration {
    gap.min(period * MOST_PERIODS)
}

/// Command to the motors before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HaltAction {
    /// Halt.
    Halt,
    /// Begin a reset.
    Reset,
}

/// Decides before each step whether the motors are halted or reset.
///
/// A halt holds while it is wanted, and its end begins a reset; so does each reset that is requested while no halt is wanted. A
/// gap of more than 200 ms and five periods between two steps halts the motors: the process was held, and nothing was controlled. If no halt is
/// wanted, the reset follows before the next step, and controllers begin anew.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HaltGate {
    is_halted: bool,
    resets: u64,
}

impl HaltGate {
    /// Decides on the command before a step that is `gap` after the one before. `is_wanted` is true while the motors shall be halted;
    /// `resets` counts the resets that were requested since the start.
    pub fn step(
        &mut self,
        is_wanted: bool,
        resets: u64,
        gap: Duration,
        period: Duration,
    ) -> Option<HaltAction> {
        let is_requested = core::mem::replace(&mut self.resets, resets) != resets;
        let was_halted = core::mem::replace(&mut self.is_halted, is_wanted);
        if is_hold(gap, period) {
            self.is_halted = true;
            return Some(HaltAction::Halt);
        }
        match (was_halted, is_wanted) {
            (false, true) => Some(HaltAction::Halt),
            (true, true) => None,
            (true, false) => Some(HaltAction::Reset),
            (false, false) => is_requested.then_some(HaltAction::Reset),
        }
    }
}

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

    const STEP: Duration = Duration::from_millis(1);

    #[test]
    fn a_halt_holds_while_it_is_wanted_and_each_reset_counts_once() {
        let mut gate = HaltGate::default();
        let halt = Some(HaltAction::Halt);
        let reset = Some(HaltAction::Reset);
        for (is_wanted, resets, action) in [
            (false, 0, None),
            (true, 0, halt),
            (true, 0, None),
            (true, 1, None), // a halt came after the reset
            (false, 1, reset),
            (false, 1, None),
            (false, 2, reset),
            (false, 2, None),
        ] {
            assert_eq!(gate.step(is_wanted, resets, STEP, STEP), action, "{is_wanted} {resets}");
        }
    }

    #[test]
    fn a_gap_halts_and_its_reset_comes_only_if_no_halt_is_wanted() {
        let gap = LONGEST_GAP + STEP;
        let mut gate = HaltGate::default();
        assert_eq!(gate.step(false, 0, LONGEST_GAP, STEP), None);
        assert_eq!(gate.step(false, 0, gap, STEP), Some(HaltAction::Halt));
        assert_eq!(gate.step(false, 0, STEP, STEP), Some(HaltAction::Reset));
        assert_eq!(gate.step(false, 0, gap, STEP), Some(HaltAction::Halt));
        assert_eq!(gate.step(true, 0, STEP, STEP), None, "it is halted already");
        assert_eq!(gate.step(true, 0, gap, STEP), Some(HaltAction::Halt));
        assert_eq!(gate.step(false, 1, STEP, STEP), Some(HaltAction::Reset));
        let slow = Duration::from_millis(100);
        assert_eq!(gate.step(false, 1, slow * 5, slow), None, "a late step of a slow loop");
        assert_eq!(gate.step(false, 1, slow * 6, slow), Some(HaltAction::Halt));
    }

    #[test]
    fn no_step_counts_for_more_than_ten_periods() {
        assert_eq!(step_time(STEP * 9, STEP), STEP * 9);
        assert_eq!(step_time(STEP * 2000, STEP), STEP * 10);
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
