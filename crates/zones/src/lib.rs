//! Scales a command by the eight zones around the vehicle, as LUCI does.
//!
//! * [`ZoneScaler`] is the machine: it receives commands and scalings and returns the scaled command in the same
//!   call, followed by [`Applied`], which describes the scaling.
//! * A command is treated as by LUCI: a [`Stick`], whose direction is in one [`Zone`] by [`Boundaries`], for which a
//!   [`Scaling`] holds two factors, used by [`scale`]. With hysteresis the zones that the stick has just left also
//!   apply: [`HeldZones`].
//! * LUCI's own messages are [`Joystick`] and [`Feedback`]; the latter is compared with the prediction, which gives a
//!   [`Deviation`].
//! * [`Calibration`] converts a velocity to a chair's stick and back, by [`Curve`]s that grow strictly; [`Profiles`]
//!   holds one for each of the chair's profiles. With profiles the zones are evaluated on the stick that the chair
//!   gets.
//! * [`Params`] are read from the parameters that [`specification`] describes.
//!
//! Deliberately absent: anything that makes a command faster or changes its sign. No part of the output ever exceeds
//! the same part of the input.
#![forbid(unsafe_code)]

mod applied;
mod boundaries;
mod calibration;
mod curve;
mod decision;
mod explain;
mod feedback;
mod held;
mod joystick;
mod parameters;
mod profiles;
mod scale;
mod scaler;
mod scaling;
mod sensed;
mod status;
mod stick;
mod velocity_channel;
mod zone;

pub use applied::{Applied, Channel, Reason};
pub use boundaries::{Boundaries, Sector};
pub use calibration::{Calibration, Deflection};
pub use curve::{BadCurve, Curve, FASTEST};
pub use feedback::{Deviation, Feedback};
pub use held::HeldZones;
pub use joystick::Joystick;
pub use parameters::{Markers, Operation, Params, Published, specification};
pub use profiles::{Profiles, ReportedProfile, example, profile_parameters, published};
pub use safety::{FullSpeed, Level};
pub use scale::{Mode, scale, scale_keeping_direction};
pub use scaler::{Input, Output, ZoneScaler};
pub use scaling::{Factors, Scaling};
pub use status::Counters;
pub use stick::Stick;
pub use zone::Zone;
