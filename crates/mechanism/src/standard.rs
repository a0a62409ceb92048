//! The controllers that most robots need.

mod calibration;
mod diff_drive;
mod effort;
mod gripper;
mod joint_state;
mod position;
mod setpoint;
mod trajectory;
mod velocity;

pub use calibration::{Calibration, CalibrationController, LOW_STEPS};
pub use diff_drive::{DiffDrive, DiffDriveController};
pub use effort::EffortController;
pub use gripper::{Gripper, GripperController};
pub use joint_state::JointStateController;
pub use position::PositionController;
pub use setpoint::Setpoint;
pub use trajectory::{FEEDBACK_RATE, Goal, Quantity, Tolerance, TrajectoryController, Violation};
pub use velocity::VelocityController;
