use core::time::Duration;

use crate::laws::Trajectory;

/// Identifies a goal of `control_msgs/action/FollowJointTrajectory`; no two goals have the same.
pub type GoalId = u64;

/// A trajectory that a controller is to follow, with what its sender asks of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// The trajectory; it begins when the controller receives it.
    pub trajectory: Trajectory,
    /// The goal that it fulfils, if it is that of an action.
    pub goal: Option<GoalId>,
    /// The tolerances of each joint in the controller's order; none for those of the controller.
    pub tolerances: Vec<JointTolerances>,
    /// How long after the end the joints may take to come within their tolerances, [`Duration::MAX`] for any time; `None` for the
    /// controller's.
    pub goal_time: Option<Duration>,
}

/// The tolerances of one joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointTolerances {
    /// On the way.
    pub path: Bounds,
    /// At the end.
    pub goal: Bounds,
}

/// The greatest distances from the desired state, infinite for any; `None` for that of the controller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bounds {
    /// \[rad or m\]
    pub position: Option<f64>,
    /// \[rad/s or m/s\]
    pub velocity: Option<f64>,
}

impl From<Trajectory> for Motion {
    /// A trajectory without a goal, with the controller's tolerances.
    fn from(trajectory: Trajectory) -> Self {
        Self { trajectory, goal: None, tolerances: Vec::new(), goal_time: None }
    }
}
