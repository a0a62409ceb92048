//! What the eight zones around the vehicle leave of a command: LUCI's scaling.
//!
//! * [`ZoneScaler`] is the machine: commands and scalings come in, what is left of the command goes out in the same
//!   call, followed by [`Applied`], which says what was done to it.
//! * A command is looked at as LUCI looks at it: a [`Stick`], whose direction lies in one [`Zone`] by [`Boundaries`],
//!   for which a [`Scaling`] holds two factors, used by [`scale`]. With hysteresis also the zones that the stick has
//!   only just left have a say: [`HeldZones`].
//! * LUCI's own messages come as [`Joystick`] and [`Feedback`]; the latter is compared with what was predicted, which
//!   gives a [`Deviation`].
//! * [`Calibration`] turns a velocity into a chair's stick and back, by [`Curve`]s that grow strictly; [`Profiles`] holds one
//!   for each of the chair's profiles. With one the zones are judged on the very stick that the chair gets.
//! * [`Params`] are read from the parameters that [`specification`] describes.
//!
//! What is deliberately absent: a way to make a command faster, or to turn its sign. Whatever comes in, no part of the
//! output is greater than the same part of the input.
#![forbid(unsafe_code)]

mod applied;
mod boundaries;
mod calibration;
mod curve;
mod decision;
mod feedback;
mod held;
mod joystick;
mod joystick_channel;
mod parameters;
mod profiles;
mod request;
mod scale;
mod scaler;
mod scaling;
mod sector;
mod sensed;
mod stale;
mod status;
mod stick;
mod throw;
mod told_profile;
mod velocity_channel;
mod way_out;
mod zone;

pub use applied::{Applied, Channel, Reason};
pub use boundaries::Boundaries;
pub use calibration::{Calibration, Deflection};
pub use curve::{BadCurve, Curve, FASTEST};
pub use feedback::{Deviation, Feedback};
pub use held::HeldZones;
pub use joystick::Joystick;
pub use parameters::{Markers, Operation, Params, specification};
pub use profiles::{Profiles, example, profile_parameters, published};
pub use scale::{Mode, scale, scale_keeping_direction};
pub use scaler::{Input, Output, ZoneScaler};
pub use scaling::{Factors, Scaling};
pub use sector::Sector;
pub use stale::explain;
pub use status::Counters;
pub use stick::{FullThrow, Stick};
pub use told_profile::ToldProfile;
pub use units::Level;
pub use zone::Zone;
