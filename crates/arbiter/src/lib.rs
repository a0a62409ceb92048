//! Who drives now: velocity sources by priority, timeout and lock.
//!
//! * [`Arbiter`] is the machine: commands and locks come in, the command that may drive goes out in the same call.
//! * A source drives while it is fresh, valid, not locked and of the highest priority among those; [`Verdict`] says for
//!   each source why it drives or not, [`Active`] for all of them.
//! * [`Params`] are the [`Source`]s and [`Lock`]s, read from the parameters that [`specification`] describes.
//!
//! What is deliberately absent: a store of commands. A command drives from the call that brought it or never, so that
//! nothing which lay waiting can move a motor.
#![forbid(unsafe_code)]

mod arbiter;
mod heard;
mod parameters;
mod source;
mod status;
mod verdict;

pub use arbiter::{Arbiter, Input, Output};
pub use parameters::{Params, specification};
pub use source::{Invalid, Kind, Lock, Source, velocity_of};
pub use status::Counters;
pub use units::Level;
pub use verdict::{Active, Explained, Verdict};
