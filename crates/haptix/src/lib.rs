//! The sensors and commands of a HAPTIX robot hand, and an analytic hand behind them.
#![forbid(unsafe_code)]

mod device;
mod device_loop;
mod dummy;
mod grasps;
mod hand;
mod model;
mod node;
mod parameters;
mod robot;
mod setpoints;
mod simulation;
mod skeleton;
mod state;
mod urdf;
mod wire;

/// Parts of a [`Model`], for another device that simulates the same hand.
pub mod parts {
    pub use crate::hand::contacts::Pad;
    pub use crate::hand::kinematics::{ImuMount, JointFrame, Mount};
    pub use crate::hand::servo::Plant;
    pub use crate::model::{Joint, Motor};
    pub use safety::Coupling;
}

pub use device::{Constants, Device, DeviceError};
pub use device_loop::{DeviceLoop, Mode, Order, Reading, Report, Settings};
pub use dummy::DummyDevice;
pub use grasps::{GraspValue, Grasps};
pub use hand::sensing::Sensing;
pub use hand::{AnalyticHand, GRAVITY, MotorState};
pub use model::robot::RobotModel;
pub use model::{BUILTIN, Model};
pub use node::{Answer, Haptix, Input, MAX_WAITING, Output};
pub use parameters::{Params, TOPICS, device, robot, specification};
pub use robot::{RobotCommand, RobotHand, RobotStates, RobotTopics};
pub use setpoints::{CommandError, Reference, Setpoints};
pub use simulation::{Faults, MAX_DELAY, MAX_OBJECTS, Noise, Object, Shape, Simulation};
pub use skeleton::{BASE, Frame, Pad, Posture, Skeleton};
pub use state::State;
pub use urdf::UrdfError;
pub use wire::{Command, Description, Group, Limit, MAX, RobotInfo, Sensor};
