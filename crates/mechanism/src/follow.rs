//! The goals of the action `control_msgs/action/FollowJointTrajectory`: which are valid, and what becomes of them.

mod ahead;
mod follower;
mod goal;
mod result;

pub use ahead::AheadStream;
pub use follower::{EndedGoal, Follower};
pub use goal::{FollowGoal, GoalError, GoalErrorKind, NamedTolerance};
pub use result::{FollowEnd, FollowResult};
