//! Who drives now: velocity sources by priority, timeout and lock.
//!
//! * [`Arbiter`] is the machine: commands and locks come in, the command that may drive goes out in the same call.
//! * A source drives while it is fresh, valid, not locked and of the highest priority among those; [`Verdict`] says for
//!   each source why it drives or not, [`Active`] for all of them.
//! * What drives is brought to what is asked for within limits of velocity, acceleration and jerk, if any is set; a
//!   hand-over from one source to another is part of that, a safety stop is not.
//! * [`Params`] are the [`Source`]s and [`Lock`]s, read from the parameters that [`specification`] describes.
//!
//! What is deliberately absent: a store of commands. A command drives from the call that brought it or never, so that
//! nothing which lay waiting can move a motor.
#![forbid(unsafe_code)]

mod arbiter;
mod event;
mod judgement;
mod lock_monitor;
mod parameters;
mod ramp;
mod source;
mod source_monitor;
mod source_stats;
mod state;
mod status;
mod verdict;
mod wiring;

pub use arbiter::Arbiter;
pub use event::{Input, Output};
pub use limiter::Limits;
pub use lock_monitor::LockState;
pub use parameters::{Clash, Params, specification};
pub use source::{Invalid, Kind, Lock, Source};
pub use source_stats::{Refusals, Refused, Traffic};
pub use state::State;
pub use status::Counters;
pub use units::{Census, Level};
pub use verdict::{Active, Explained, Verdict, ZeroCause};
pub use wiring::Wiring;
