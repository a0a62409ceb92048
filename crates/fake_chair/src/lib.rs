//! A wheelchair that is not there: what stands behind LUCI's topics and services, as far as its texts and code tell.
//!
//! * [`FakeChair`] is the machine: an occupant's stick, a remote joystick and services come in, LUCI's messages and the
//!   speeds of two wheels go out.
//! * It keeps LUCI's habits: a command from the wrong source is ignored without a word, an answer to a service promises
//!   nothing, a remote that is too slow has the brakes engaged, and a mode stays when its client dies.
//! * It can be made to fail: refuse services, leave the mode, fall silent.
//! * [`Params`] are read from the parameters that [`specification`] describes.
//!
//! What is deliberately absent: noise, chance and a clock. The same inputs at the same times give the same outputs,
//! however often it is polled in between.
#![forbid(unsafe_code)]

mod base;
mod drive;
mod fake_chair;
mod messages;
mod parameters;
mod status;
mod wheels;

pub use base::servo;
pub use fake_chair::FakeChair;
pub use messages::{EncoderFields, ImuMessage, Input, JoystickScaling, Output};
pub use parameters::{Params, specification};
pub use status::Counters;
pub use units::Level;
