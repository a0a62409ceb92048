//! Drives a LUCI wheelchair, and computes its odometry.
//!
//! * [`Chair`] is the machine of the node; it is made of the others.
//! * [`Remote`] is the machine that drives: it enters and leaves the chair's remote mode, drives only while the chair
//!   reports that the mode is in force, and explicitly sends neutral at all other times. A [`Joystick`] always has
//!   its [`Source`].
//! * [`zones::Calibration`] converts between stick and velocity for each of the chair's profiles.
//! * [`Odometry`] is the machine that integrates the wheel encoders; [`imu`] and [`camera`] convert LUCI's other
//!   messages to standard ones.
//! * [`Params`] are read from the parameters that [`specification`] describes.
//!
//! Deliberately absent: a joystick message without a source, any way to take a mode back from the source that ended
//! it, and a default calibration.
#![forbid(unsafe_code)]

mod chair;
mod encoders;
mod explain;
mod feedback;
mod joystick;
mod life_cycle;
mod messages;
mod occupant;
mod odometry;
mod parameters;
mod pose;
mod remote;
mod sensors;
mod status;

pub use chair::{Chair, ChairInput, ChairOutput, Side};
pub use encoders::{BadAngle, Encoders};
pub use joystick::{BadJoystick, Joystick, Source};
pub use messages::{Input, Mode, Output, Service, State};
pub use odometry::{Estimate, Odometry, OdometryCounters, OdometryInput};
pub use parameters::{NodeParams, OdometryParams, Params, RemoteParams, specification};
pub use remote::Remote;
pub use safety::Level;
pub use sensors::{BadCamera, CameraMatrices, Imu, ImuFields, camera, imu};
pub use status::{Counters, Fault, Hold};
