//! Driving a wheelchair of LUCI's, and reading where it went.
//!
//! * [`Chair`] is the machine of the node; it is made of the others.
//! * [`Remote`] is the machine that drives: it enters and leaves the chair's remote mode, drives only while the chair
//!   shows that it listens, and says neutral explicitly at all other times. A [`Joystick`] always has its [`Source`].
//! * What a stick means as a velocity in each of the chair's profiles is [`zones::Calibration`]'s to say.
//! * [`Odometry`] is the machine that follows the wheels' encoders; [`imu`] and [`camera`] turn LUCI's other messages
//!   into standard ones.
//! * [`Params`] are read from the parameters that [`specification`] describes.
//!
//! What is deliberately absent: a joystick message without a source, a way to take a mode back from whoever ended it, and
//! a calibration that nobody measured.
#![forbid(unsafe_code)]

mod camera;
mod chair;
mod encoders;
mod feedback;
mod imu;
mod joystick;
mod life_cycle;
mod messages;
mod occupant;
mod odometry;
mod parameters;
mod pose;
mod remote;
mod request;
mod service;
mod status;

pub use camera::{BadCamera, CameraMatrices, camera};
pub use chair::{Chair, ChairInput, ChairOutput, Side};
pub use encoders::{BadAngle, Encoders};
pub use imu::{Imu, ImuFields, imu};
pub use joystick::{BadJoystick, Joystick, Source};
pub use messages::{Input, Output, State};
pub use odometry::{Estimate, Odometry, OdometryCounters, OdometryInput};
pub use parameters::{OdometryParams, Params, RemoteParams, specification};
pub use remote::Remote;
pub use service::{Mode, Service};
pub use status::{Counters, Fault, Hold};
pub use units::Level;
