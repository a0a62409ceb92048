//! Selects the velocity source that drives, by priority, timeout and lock.
//!
//! * [`Arbiter`] is the machine: it receives commands and locks, and sends the command that drives in the same call.
//! * The source that drives has the highest priority of those that are fresh, valid and not locked. [`Verdict`] is the reason
//!   why one source drives or not, [`Active`] has those of all sources.
//! * The velocity follows the command within limits of velocity, acceleration and jerk, if any is set. The limits apply to a
//!   hand-over from one source to another, but not to a safety stop.
//! * [`Params`] are the [`Source`]s and [`Lock`]s, read from the parameters that [`specification`] describes.
//!
//! Deliberately absent: a store of commands. A command drives from the call that received it or never, so no stored command
//! can move a motor.
#![forbid(unsafe_code)]

mod arbiter;
mod event;
mod explain;
mod judgement;
mod lock_monitor;
mod parameters;
mod ramp;
mod source;
mod source_monitor;
mod source_stats;
mod status;
mod verdict;
mod wiring;

pub use arbiter::Arbiter;
pub use event::{Input, Output, State};
pub use limiter::Limits;
pub use lock_monitor::LockState;
pub use parameters::{Clash, Params, specification};
pub use safety::Level;
pub use source::{Invalid, Lock, Source, SourceType};
pub use source_stats::{Refusals, Refused, Traffic};
pub use status::Counters;
pub use verdict::{Active, Verdict, ZeroCause};
pub use wiring::Wiring;
