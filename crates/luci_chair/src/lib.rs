//! A simulated wheelchair behind LUCI's topics and services, as far as LUCI's texts and code document it.
//!
//! * [`LuciChair`] is the machine: it receives an occupant's stick, a remote joystick and services, and returns
//!   LUCI's messages and the speeds of two wheels.
//! * It reproduces LUCI's behaviour: a command from the wrong source is silently ignored, the answer of a service
//!   guarantees nothing, a remote that is too slow engages the brakes, and a mode stays when its client dies.
//! * It can simulate faults: refuse services, leave the mode, fall silent.
//! * [`Params`] are read from the parameters that [`specification`] describes.
//!
//! Deliberately absent: noise, randomness and a clock. The same inputs at the same times give the same outputs,
//! regardless of polls in between.
#![forbid(unsafe_code)]

mod drive;
mod luci_chair;
mod messages;
mod parameters;
mod wheels;

pub use luci_chair::{Counters, LuciChair};
pub use messages::{EncoderFields, ImuMessage, Input, JoystickScaling, Output};
pub use parameters::{Params, specification};
pub use safety::Level;
pub use wheels::servo;
