//! The sensors and commands of a HAPTIX robot hand, and an analytic hand behind them.
#![forbid(unsafe_code)]

mod device;
mod grasps;
mod hand;
mod model;
mod setpoints;
mod simulation;
mod wire;

pub use device::{Device, DeviceError};
pub use grasps::{GraspValue, Grasps};
pub use hand::AnalyticHand;
pub use model::{BUILTIN, Model};
pub use setpoints::{CommandError, Reference, Setpoints};
pub use simulation::{Faults, MAX_DELAY, MAX_OBJECTS, Noise, Object, Shape, Simulation};
pub use wire::{Command, Description, Group, Limit, MAX, RobotInfo, Sensor};
