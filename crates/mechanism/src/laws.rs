//! Control laws, without the controllers that feed them.

mod motion;
mod named;
mod pid;
mod pursuit;
mod speed;
mod trajectory;

pub use motion::{Bounds, GoalId, JointTolerances, Motion};
pub use named::{FollowedJoint, NamedPoints, NamedPointsError};
pub use pid::{Gains, Pid};
pub(crate) use pursuit::{Advance, Approach, Progress, near};
pub use speed::SpeedLaw;
pub(crate) use trajectory::{PLANNED, settle};
pub use trajectory::{Point, Trajectory, TrajectoryError};
