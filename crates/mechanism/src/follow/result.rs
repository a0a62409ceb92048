use crate::follow::{GoalError, GoalErrorKind};
use crate::laws::FollowedJoint;
use crate::standard::{Goal, Quantity, Violation};

/// The result of a goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowResult {
    /// How it ended.
    pub end: FollowEnd,
    /// The `error_code` of the action.
    pub code: i32,
    /// Why, in a sentence without a full stop; the action's `error_string`.
    pub text: String,
}

/// How a goal ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FollowEnd {
    /// The joints are at their goal.
    Succeeded,
    /// They are not.
    Aborted,
    /// Its client cancelled it.
    Cancelled,
}

// The codes of control_msgs/action/FollowJointTrajectory.
const SUCCESSFUL: i32 = 0;
const INVALID_GOAL: i32 = -1;
const INVALID_JOINTS: i32 = -2;
const OLD_HEADER_TIMESTAMP: i32 = -3;
const PATH_TOLERANCE_VIOLATED: i32 = -4;
const GOAL_TOLERANCE_VIOLATED: i32 = -5;

impl FollowResult {
    pub(super) fn new(end: FollowEnd, code: i32, text: impl Into<String>) -> Self {
        Self { end, code, text: text.into() }
    }

    /// The end of a goal that something else than its motion ended.
    ///
    /// The action has no code of its own for that; the controllers of ROS 2 use `INVALID_GOAL`.
    pub(super) fn interrupted(text: impl Into<String>) -> Self {
        Self::new(FollowEnd::Aborted, INVALID_GOAL, text)
    }

    /// The end of a goal whose motion did not reach its controller.
    pub fn lost() -> Self {
        Self::interrupted("too many messages wait for the control loop")
    }

    pub(super) fn cancelled() -> Self {
        Self::new(FollowEnd::Cancelled, SUCCESSFUL, "the goal was cancelled; the joints are held")
    }

    /// The end of a goal as its controller reports it; `None` if it goes on.
    pub(super) fn of(goal: Goal, joints: &[FollowedJoint]) -> Option<Self> {
        Some(match goal {
            Goal::Active => return None,
            Goal::None => Self::interrupted("the controller was started again"),
            Goal::Stopped => Self::interrupted(
                "it was stopped, since it waited for too long, is one of a stream through a halt of the motors, or a trajectory without points came; the joints are held",
            ),
            Goal::Halted => Self::interrupted("the motors are halted"),
            Goal::Reached => Self::new(FollowEnd::Succeeded, SUCCESSFUL, "the goal is reached"),
            Goal::Refused { violation, start } => {
                let mut text = sentence(violation, joints, "is too far from the trajectory to join it");
                if !start.is_zero() {
                    let start = start.as_secs_f64();
                    text += &format!(
                        "; by its stamp it starts in {start:.3} s, and is compared with where the joints are when it comes"
                    );
                }
                Self::new(FollowEnd::Aborted, PATH_TOLERANCE_VIOLATED, text + "; nothing changes")
            }
            Goal::PathViolated(violation) => {
                let text = sentence(violation, joints, "left its path tolerance");
                Self::new(FollowEnd::Aborted, PATH_TOLERANCE_VIOLATED, text)
            }
            Goal::Displaced(violation) => {
                let text = sentence(violation, joints, "left its path tolerance")
                    + "; the joints are held where they are";
                Self::new(FollowEnd::Aborted, PATH_TOLERANCE_VIOLATED, text)
            }
            Goal::GoalMissed(violation) => {
                let text = sentence(violation, joints, "missed its goal tolerance");
                Self::new(FollowEnd::Aborted, GOAL_TOLERANCE_VIOLATED, text)
            }
        })
    }
}

impl From<&GoalError> for FollowResult {
    fn from(error: &GoalError) -> Self {
        let code = match error.kind() {
            GoalErrorKind::Goal => INVALID_GOAL,
            GoalErrorKind::Joints => INVALID_JOINTS,
            GoalErrorKind::Stamp => OLD_HEADER_TIMESTAMP,
        };
        Self::new(FollowEnd::Aborted, code, error.to_string())
    }
}

fn sentence(violation: Violation, joints: &[FollowedJoint], what: &str) -> String {
    let Violation { joint, quantity, error, tolerance } = violation;
    let (name, unit) = joints.get(joint).map_or(("?", ""), |joint| (joint.name.as_str(), joint.unit));
    if quantity == Quantity::Speed {
        return format!(
            "joint '{name}' would have to move at {error:.4} {unit}/s to the first point, must be within its limit of {tolerance} {unit}/s"
        );
    }
    let (measured, per) = match quantity {
        Quantity::Position => ("position", ""),
        Quantity::Velocity | Quantity::Speed => ("velocity", "/s"),
    };
    let error = error.abs();
    format!(
        "joint '{name}' {what}: its {measured} is {error:.4} {unit}{per} from the desired one, must be within {tolerance} \
         {unit}{per}"
    )
}

#[cfg(test)]
mod tests {
    use core::time::Duration;

    use super::*;

    fn joints() -> Vec<FollowedJoint> {
        [("pan", "rad"), ("lift", "m")]
            .map(|(name, unit)| FollowedJoint { name: name.to_owned(), unit, ..FollowedJoint::default() })
            .into()
    }

    #[test]
    fn a_violation_names_joint_value_and_tolerance() {
        let pan = Violation { joint: 0, quantity: Quantity::Position, error: -0.25, tolerance: 0.1 };
        let result = FollowResult::of(Goal::PathViolated(pan), &joints()).unwrap();
        assert_eq!((result.end, result.code), (FollowEnd::Aborted, -4));
        assert_eq!(
            result.text,
            "joint 'pan' left its path tolerance: its position is 0.2500 rad from the desired one, must be within 0.1 rad"
        );
        let lift = Violation { joint: 1, quantity: Quantity::Velocity, error: 0.02, tolerance: 0.01 };
        let result = FollowResult::of(Goal::GoalMissed(lift), &joints()).unwrap();
        assert_eq!((result.end, result.code), (FollowEnd::Aborted, -5));
        assert_eq!(
            result.text,
            "joint 'lift' missed its goal tolerance: its velocity is 0.0200 m/s from the desired one, must be within 0.01 m/s"
        );
    }

    #[test]
    fn a_refusal_names_its_reason_and_a_start_in_the_future() {
        let refused = |quantity, tolerance, millis| {
            let violation = Violation { joint: 0, quantity, error: 1.2, tolerance };
            let goal = Goal::Refused { violation, start: Duration::from_millis(millis) };
            let result = FollowResult::of(goal, &joints()).unwrap();
            assert_eq!((result.end, result.code), (FollowEnd::Aborted, -4));
            result.text
        };
        assert_eq!(
            refused(Quantity::Position, 0.3, 1500),
            "joint 'pan' is too far from the trajectory to join it: its position is 1.2000 rad from the desired one, must be within 0.3 rad; \
             by its stamp it starts in 1.500 s, and is compared with where the joints are when it comes; nothing changes"
        );
        assert_eq!(
            refused(Quantity::Speed, 1.0, 0),
            "joint 'pan' would have to move at 1.2000 rad/s to the first point, must be within its limit of 1 rad/s; nothing changes"
        );
    }

    #[test]
    fn other_ends_have_their_codes() {
        let of = |goal| FollowResult::of(goal, &joints()).map(|result| (result.end, result.code));
        assert_eq!(of(Goal::Reached), Some((FollowEnd::Succeeded, 0)));
        assert_eq!(of(Goal::Halted), Some((FollowEnd::Aborted, -1)));
        assert_eq!(of(Goal::None), Some((FollowEnd::Aborted, -1)));
        assert_eq!(of(Goal::Stopped), Some((FollowEnd::Aborted, -1)));
        assert_eq!(of(Goal::Active), None);
    }
}
