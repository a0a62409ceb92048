//! The controllers that most robots need.

mod effort;
mod position;
mod setpoint;
mod trajectory;
mod velocity;

pub use effort::EffortController;
pub use position::PositionController;
pub use setpoint::Setpoint;
pub use trajectory::{Goal, Tolerance, TrajectoryController};
pub use velocity::VelocityController;
