//! Control laws, without the controllers that feed them.

mod named;
mod pid;
mod trajectory;

pub use named::{NamedPoints, NamedPointsError};
pub use pid::{Gains, Pid, PidError};
pub use trajectory::{Point, Trajectory, TrajectoryError};
