//! Control laws, without the controllers that feed them.

mod pid;
mod trajectory;

pub use pid::{Gains, Pid, PidError};
pub use trajectory::{Point, Trajectory, TrajectoryError};
