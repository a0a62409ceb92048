//! What the eight zones around the vehicle leave of a command: LUCI's scaling.
//!
//! * [`ZoneScaler`] is the machine: commands and scalings come in, what is left of the command goes out in the same
//!   call, followed by [`Applied`], which says what was done to it.
//! * A command is looked at as LUCI looks at it: a [`Stick`], whose direction lies in one [`Zone`] by [`Boundaries`],
//!   for which a [`Scaling`] holds two factors, used by [`scale`].
//! * [`Params`] are read from the parameters that [`specification`] describes.
//!
//! What is deliberately absent: a way to make a command faster, or to turn its sign. Whatever comes in, no part of the
//! output is greater than the same part of the input.
#![forbid(unsafe_code)]

mod applied;
mod boundaries;
mod parameters;
mod scale;
mod scaler;
mod scaling;
mod status;
mod stick;
mod zone;

pub use applied::{Applied, Reason};
pub use boundaries::Boundaries;
pub use parameters::{Params, specification};
pub use scale::{Mode, scale, scale_keeping_direction};
pub use scaler::{Input, Output, ZoneScaler};
pub use scaling::{Factors, Scaling};
pub use status::Counters;
pub use stick::{FullThrow, Stick};
pub use units::Level;
pub use zone::Zone;
