use core::time::Duration;

use safety::ClockReading;

use crate::laws::{
    Bounds, FollowedJoint, GoalId, JointTolerances, Motion, NamedPoints, NamedPointsError, TrajectoryError,
};

/// A goal as a message has it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FollowGoal {
    /// Its trajectory.
    pub trajectory: NamedPoints,
    /// On the way.
    pub path_tolerance: Vec<NamedTolerance>,
    /// At the end.
    pub goal_tolerance: Vec<NamedTolerance>,
    /// How long after the end the joints may take: seconds and nanoseconds; 0 for the controller's time, -1 s for any.
    pub goal_time: (i32, u32),
    /// Whether it has a part for joints of several degrees of freedom.
    pub is_multi_dof: bool,
}

/// The tolerances of one joint in a goal: 0 for that of the controller, -1 for any distance.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NamedTolerance {
    /// The joint.
    pub joint: String,
    /// \[rad or m\]
    pub position: f64,
    /// \[rad/s or m/s\]
    pub velocity: f64,
    /// \[rad/s² or m/s²\]
    pub acceleration: f64,
}

/// Why a goal is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GoalError {
    /// The trajectory is none for the controller's joints.
    #[error("{0}")]
    Trajectory(NamedPointsError),
    /// It has a part for joints of several degrees of freedom.
    #[error(
        "it has values for joints of several degrees of freedom, must have none: this controller has no such joint"
    )]
    MultiDof,
    /// A tolerance is for a joint that the controller does not have.
    #[error("it has a tolerance for joint '{joint}', must be one of [{}]", .known.join(", "))]
    ToleranceJoint {
        /// The joint.
        joint: String,
        /// Joints of the controller.
        known: Vec<String>,
    },
    /// A tolerance is none.
    #[error("{field} of joint '{joint}': {what} is {value}, must be {}", allowed(.what))]
    Tolerance {
        /// `path_tolerance` or `goal_tolerance`.
        field: &'static str,
        /// The joint.
        joint: String,
        /// `position`, `velocity` or `acceleration`.
        what: &'static str,
        /// The value.
        value: f64,
    },
    /// The time after the end is none.
    #[error("goal_time_tolerance is {sec} s and {nanosec} ns, must be 0 or more, or -1 s")]
    GoalTime {
        /// Its seconds.
        sec: i32,
        /// Its nanoseconds.
        nanosec: u32,
    },
}

/// The values that a tolerance may have.
fn allowed(what: &str) -> &'static str {
    if what == "acceleration" {
        "0 or -1: accelerations are not measured"
    } else {
        "greater than 0, or 0 or -1"
    }
}

/// The kinds of [`GoalError`] that the action distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalErrorKind {
    /// `INVALID_GOAL`
    Goal,
    /// `INVALID_JOINTS`
    Joints,
    /// `OLD_HEADER_TIMESTAMP`
    Stamp,
}

impl FollowGoal {
    /// The motion that fulfils this goal `id` with a controller of `joints`, from `now` on by the clock of stamps.
    /// # Errors
    /// The first thing that is wrong.
    /// # Source
    /// `joint_trajectory_controller` of ros2_controllers 4 (Jazzy), `validate_trajectory_msg` and `get_segment_tolerances`; own:
    /// what could not take effect is refused: joints of several degrees of freedom, tolerances of accelerations, which are not
    /// measured, and tolerances of other joints.
    pub fn motion(
        self,
        id: GoalId,
        joints: &[FollowedJoint],
        now: impl Into<ClockReading>,
    ) -> Result<Motion, GoalError> {
        if self.is_multi_dof {
            return Err(GoalError::MultiDof);
        }
        let trajectory = self.trajectory.for_joints(joints, now).map_err(GoalError::Trajectory)?;
        let mut tolerances = vec![JointTolerances::default(); joints.len()];
        for (field, given) in
            [("path_tolerance", self.path_tolerance), ("goal_tolerance", self.goal_tolerance)]
        {
            for tolerance in given {
                let bounds = tolerance.bounds(field)?;
                let index = joints.iter().position(|joint| joint.name == tolerance.joint);
                let Some(own) = index.and_then(|index| tolerances.get_mut(index)) else {
                    let known = joints.iter().map(|joint| joint.name.clone()).collect();
                    let joint = tolerance.joint;
                    return Err(GoalError::ToleranceJoint { joint, known });
                };
                *(if field == "path_tolerance" { &mut own.path } else { &mut own.goal }) = bounds;
            }
        }
        let goal_time = match self.goal_time {
            (0, 0) => None,
            (-1, 0) => Some(Duration::MAX),
            (sec, nanosec) => {
                let whole = u64::try_from(sec).map_err(|_| GoalError::GoalTime { sec, nanosec })?;
                Some(Duration::from_secs(whole) + Duration::from_nanos(nanosec.into()))
            }
        };
        Ok(Motion { trajectory, goal: Some(id), tolerances, goal_time })
    }
}

impl NamedTolerance {
    fn bounds(&self, field: &'static str) -> Result<Bounds, GoalError> {
        let refuse = |what, value| GoalError::Tolerance { field, joint: self.joint.clone(), what, value };
        let bound = |what, value: f64| match value {
            0.0 => Ok(None),
            -1.0 => Ok(Some(f64::INFINITY)),
            value if value > 0.0 => Ok(Some(value)),
            value => Err(refuse(what, value)),
        };
        if self.acceleration != 0.0 && self.acceleration != -1.0 {
            return Err(refuse("acceleration", self.acceleration));
        }
        Ok(Bounds {
            position: bound("position", self.position)?,
            velocity: bound("velocity", self.velocity)?,
        })
    }
}

impl GoalError {
    /// Its kind.
    pub fn kind(&self) -> GoalErrorKind {
        match self {
            Self::Trajectory(NamedPointsError::Joints { .. }) | Self::ToleranceJoint { .. } => {
                GoalErrorKind::Joints
            }
            Self::Trajectory(NamedPointsError::Late { .. } | NamedPointsError::NoTime) => {
                GoalErrorKind::Stamp
            }
            _ => GoalErrorKind::Goal,
        }
    }
}

impl From<TrajectoryError> for GoalError {
    fn from(error: TrajectoryError) -> Self {
        Self::Trajectory(NamedPointsError::Points(error))
    }
}

#[cfg(test)]
mod tests {
    use safety::Stamp;

    use super::*;
    use crate::laws::Point;

    const NOW: Stamp = Stamp { sec: 100, nanosec: 0 };

    fn names(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// Pan has limits.
    fn joints() -> Vec<FollowedJoint> {
        [("pan", Some([-1.5, 1.57])), ("tilt", None)]
            .map(|(name, range)| FollowedJoint {
                name: name.to_owned(),
                unit: "rad",
                range,
                ..FollowedJoint::default()
            })
            .into()
    }

    fn goal() -> FollowGoal {
        let point = Point { time: Duration::from_secs(2), positions: vec![0.5, 0.7], ..Point::default() };
        let trajectory = NamedPoints { joints: names("tilt pan"), points: vec![point], start: Stamp::ZERO };
        FollowGoal { trajectory, ..FollowGoal::default() }
    }

    fn tolerance(joint: &str, position: f64, velocity: f64, acceleration: f64) -> Vec<NamedTolerance> {
        vec![NamedTolerance { joint: joint.to_owned(), position, velocity, acceleration }]
    }

    fn refused(goal: FollowGoal) -> (GoalErrorKind, String) {
        let error = goal.motion(7, &joints(), NOW).unwrap_err();
        (error.kind(), error.to_string())
    }

    fn accepted(goal: FollowGoal) -> Motion {
        goal.motion(7, &joints(), NOW).unwrap()
    }

    #[test]
    fn a_goal_is_a_motion_in_the_controllers_order() {
        let motion = accepted(goal());
        assert_eq!((motion.goal, motion.goal_time), (Some(7), None));
        assert_eq!(motion.trajectory.sample(Duration::from_secs(2), 0, [0.0; 2])[0], 0.7);
        assert_eq!(motion.tolerances, [JointTolerances::default(); 2]);
    }

    #[test]
    fn zero_is_the_controllers_tolerance_and_minus_one_is_none() {
        let mut given = goal();
        given.path_tolerance = tolerance("tilt", 0.1, -1.0, -1.0);
        given.goal_tolerance = tolerance("pan", -1.0, 0.2, 0.0);
        let bounds = |position, velocity| Bounds { position, velocity };
        let [pan, tilt] = accepted(given).tolerances.try_into().unwrap();
        assert_eq!(
            pan,
            JointTolerances { path: Bounds::default(), goal: bounds(Some(f64::INFINITY), Some(0.2)) }
        );
        assert_eq!(
            tilt,
            JointTolerances { path: bounds(Some(0.1), Some(f64::INFINITY)), goal: Bounds::default() }
        );
    }

    #[test]
    fn a_tolerance_that_could_not_take_effect_is_refused() {
        let with = |path_tolerance| refused(FollowGoal { path_tolerance, ..goal() });
        assert_eq!(
            with(tolerance("lift", 0.1, 0.0, 0.0)),
            (
                GoalErrorKind::Joints,
                "it has a tolerance for joint 'lift', must be one of [pan, tilt]".to_owned()
            )
        );
        assert_eq!(
            with(tolerance("pan", -0.1, 0.0, 0.0)),
            (
                GoalErrorKind::Goal,
                "path_tolerance of joint 'pan': position is -0.1, must be greater than 0, or 0 or -1"
                    .to_owned()
            )
        );
        assert!(with(tolerance("pan", 0.1, f64::NAN, 0.0)).1.contains("velocity is NaN"));
        assert!(with(tolerance("pan", 0.1, 0.0, 2.0)).1.contains("acceleration is 2, must be 0 or -1"));
    }

    #[test]
    fn the_time_after_the_end_overrides_that_of_the_controller() {
        let with = |goal_time| FollowGoal { goal_time, ..goal() };
        assert_eq!(accepted(with((1, 500_000_000))).goal_time, Some(Duration::from_millis(1500)));
        assert_eq!(accepted(with((-1, 0))).goal_time, Some(Duration::MAX), "any time");
        let (kind, text) = refused(with((-2, 0)));
        assert_eq!(kind, GoalErrorKind::Goal);
        assert_eq!(text, "goal_time_tolerance is -2 s and 0 ns, must be 0 or more, or -1 s");
    }

    #[test]
    fn what_is_wrong_with_a_goal_has_its_kind() {
        let mut other = goal();
        other.trajectory.joints = names("pan");
        assert_eq!(refused(other).0, GoalErrorKind::Joints, "partial joints");
        let mut bad = goal();
        bad.trajectory.points[0].positions[1] = f64::NAN;
        assert_eq!(refused(bad).0, GoalErrorKind::Goal);
        let mut empty = goal();
        empty.trajectory.points.clear();
        assert_eq!(refused(empty).0, GoalErrorKind::Goal);
        let mut beyond = goal();
        beyond.trajectory.points[0].positions[1] = 5.0;
        let sentence = "joint 'pan': 5 is beyond its upper limit 1.57";
        assert_eq!(refused(beyond), (GoalErrorKind::Goal, sentence.to_owned()));
        let mut jump = goal();
        jump.trajectory.points[0].time = Duration::ZERO;
        let (kind, text) = refused(jump);
        assert!(kind == GoalErrorKind::Goal && text.contains("is 0 s, must be greater than 0"), "{text}");
        let mut past = goal();
        past.trajectory.start = Stamp { sec: 97, nanosec: 0 };
        assert_eq!(
            refused(past),
            (GoalErrorKind::Stamp, "by its stamp it began 3.000 s ago and takes 2.000 s: it is over".into())
        );
        assert_eq!(refused(FollowGoal { is_multi_dof: true, ..goal() }).0, GoalErrorKind::Goal);
    }
}
