use core::time::Duration;

use crate::vehicle::operator_input::{OperatorInput, Stick};

/// The scripted course: the operator input in each step, for a part of its length.
///
/// It shows each way to stop and each recovery: unplugging while driving, the e-stop while driving, and disabling motion. The
/// stick stays pushed while the e-stop is pressed and released: nothing may move then.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    length: Duration,
}

/// The parts of the course, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // each has its text in `LEGS`
pub enum Step {
    Boot,
    Reset,
    Stopped,
    Enable,
    Straight,
    Curve,
    Unplug,
    Replug,
    DriveOn,
    Press,
    Release,
    ResetAgain,
    StoppedAgain,
    EnableAgain,
    DriveAgain,
    Navigate,
    Disable,
}

/// A step, its description, its share of the course in percent, and the operator input.
struct Leg {
    step: Step,
    text: &'static str,
    share: u32,
    operator_input: OperatorInput,
}

const ENABLED: OperatorInput = OperatorInput { enable: true, ..OperatorInput::REST };
/// The longest straight drive, whatever the course's length: the room has an end, the curve has none.
const STRAIGHT: Duration = Duration::from_millis(1200);
/// Circles to the left of about 0.7 m radius, which fit the open half of the room wherever they begin.
const CIRCLE: Stick = Stick::pushed(0.6, 0.6);
const CIRCLING: OperatorInput = OperatorInput { stick: Some(CIRCLE), ..ENABLED };

#[rustfmt::skip]
const LEGS: [Leg; 17] = [
    leg(Step::Boot, "stands, the e-stop latched as after every start", 5, OperatorInput::REST),
    leg(Step::Reset, "reset is pressed", 3, OperatorInput { reset: true, ..OperatorInput::REST }),
    leg(Step::Stopped, "reset is released: the e-stop is cleared, motion is not enabled", 4, OperatorInput::REST),
    leg(Step::Enable, "enabled, the stick at rest", 4, ENABLED),
    leg(Step::Straight, "drives straight on", 6, OperatorInput { stick: Some(Stick::pushed(0.6, 0.0)), ..ENABLED }),
    leg(Step::Curve, "drives a curve", 11, CIRCLING),
    leg(Step::Unplug, "the stick is unplugged while driving", 10, OperatorInput { stick: None, ..ENABLED }),
    leg(Step::Replug, "the stick is plugged in again, at rest", 4, ENABLED),
    leg(Step::DriveOn, "drives on", 9, CIRCLING),
    leg(Step::Press, "the e-stop is pressed while driving, the stick stays pushed", 6, OperatorInput { estop: true, ..CIRCLING }),
    leg(Step::Release, "the e-stop is released, the stick still pushed: nothing may move", 5, CIRCLING),
    leg(Step::ResetAgain, "everything is released, reset is pressed", 3, OperatorInput { reset: true, ..OperatorInput::REST }),
    leg(Step::StoppedAgain, "reset is released", 3, OperatorInput::REST),
    leg(Step::EnableAgain, "enabled again, the stick at rest", 4, ENABLED),
    leg(Step::DriveAgain, "drives again", 9, CIRCLING),
    leg(Step::Navigate, "the stick is released: navigation drives", 8, OperatorInput { navigation: true, ..ENABLED }),
    leg(Step::Disable, "motion is disabled, although navigation continues", 6, OperatorInput { navigation: true, ..OperatorInput::REST }),
];

const fn leg(step: Step, text: &'static str, share: u32, operator_input: OperatorInput) -> Leg {
    Leg { step, text, share, operator_input }
}

impl Course {
    /// A course of this length.
    pub const fn new(length: Duration) -> Self {
        Self { length }
    }

    /// The step with this index, and its duration; `None` after the last.
    pub fn part(&self, index: usize) -> Option<(Step, Duration)> {
        let share = |leg: &Leg| self.length * leg.share / 100;
        let leg = LEGS.get(index)?;
        let time = match leg.step {
            Step::Straight => share(leg).min(STRAIGHT),
            // The rest of it is driven in the curve.
            Step::Curve => share(leg) + share(&LEGS[index - 1]).saturating_sub(STRAIGHT),
            _ => share(leg),
        };
        Some((leg.step, time))
    }
}

impl Step {
    fn leg(self) -> &'static Leg {
        // The table is in the order of the steps, which a test checks.
        &LEGS[self as usize]
    }

    /// The operator input.
    pub fn operator_input(self) -> OperatorInput {
        self.leg().operator_input
    }

    /// The description, as part of a sentence.
    pub fn text(self) -> &'static str {
        self.leg().text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_each_step_once_and_in_order() {
        for (index, leg) in LEGS.iter().enumerate() {
            assert_eq!(leg.step as usize, index, "{:?}", leg.step);
        }
        assert_eq!(LEGS.iter().map(|leg| leg.share).sum::<u32>(), 100);
    }

    #[test]
    fn steps_take_their_share_of_the_length() {
        let course = Course::new(Duration::from_secs(20));
        let at = |index| course.part(index).map(|(step, time)| (step, time.as_millis()));
        // 5 % of 20 s are 1 s, and 3 % 0.6 s
        assert_eq!((at(0), at(1)), (Some((Step::Boot, 1000)), Some((Step::Reset, 600))));
        assert_eq!((at(16), at(17)), (Some((Step::Disable, 1200)), None));
        for seconds in [12, 20, 100, 3600] {
            let length = Duration::from_secs(seconds);
            let course = Course::new(length);
            let times = (0..).map_while(|index| course.part(index)).map(|(_, time)| time);
            assert_eq!(times.sum::<Duration>(), length);
        }
    }

    #[test]
    fn a_long_course_circles_instead_of_driving_far() {
        let course = Course::new(Duration::from_secs(100));
        // 6 s straight on, of which 1.2 s are driven, and 11 s in the curve: 11 + 6 - 1.2
        let time = |step: Step| course.part(step as usize).map(|(_, time)| time.as_millis());
        assert_eq!((time(Step::Straight), time(Step::Curve)), (Some(1200), Some(15_800)));
    }

    #[test]
    fn the_shortest_course_leaves_time_for_each_bound() {
        // 12 s: the motors have 1 s to stand after the unplug, and the e-stop 0.3 s
        let share = |step: Step| Duration::from_secs(12) * step.leg().share / 100;
        assert!(share(Step::Unplug) > Duration::from_millis(1100));
        assert!(share(Step::Press) > Duration::from_millis(600));
        assert!(share(Step::Disable) > Duration::from_millis(600));
    }

    #[test]
    fn every_way_to_move_again_begins_with_the_stick_at_rest() {
        // hindbrain allows no motion before it received a zero command
        for pair in LEGS.windows(2) {
            let [before, after] = pair else { unreachable!() };
            if !before.operator_input.enable && after.operator_input.enable {
                assert_eq!(after.operator_input.stick, Some(Stick::REST), "{:?}", after.step);
            }
        }
    }
}
