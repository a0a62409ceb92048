//! Makes of a switch that is latched, published on change, best effort or a button of a pad the repeated, reliable one that a lock of the
//! arbiter, and hindbrain's enable, e-stop and reset need.
//!
//! * [`SwitchRelay`] is the machine: it publishes the last word of each source at once and again at a rate, and nothing while that word
//!   is not certain: [`Silence`] is the reason.
//! * [`Params`] are the [`Switch`]es, read from the parameters that [`specification`] describes.
//!
//! Deliberately absent: a value for a lost source. What is safe depends on the topic, and each of these topics has a reader for which
//! silence is a loss.
#![forbid(unsafe_code)]

mod monitor;
mod parameters;
mod relay;
mod silence;
mod status;
mod switch;

pub use parameters::{Params, specification};
pub use relay::{Input, Output, PAUSE, SETTLING, SwitchRelay};
pub use safety::Level;
pub use silence::Silence;
pub use switch::{Durability, Invalid, MessageType, Reliability, Source, Switch};
