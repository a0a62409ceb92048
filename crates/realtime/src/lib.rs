//! A periodic real-time thread, mailboxes to it that never wait, its statistics, and signs of life between threads.
//!
//! | file | idea |
//! |---|---|
//! | `mailbox` | hands one thing over without a lock |
//! | `settings` | scheduling, memory and cores of a thread, and what to do where they are refused |
//! | `schedule` | when the next cycle is due, and which ones were missed |
//! | `periodic` | the thread |
//! | `timing`, `histogram` | how well it keeps its times |
//! | `reporter` | the thread beside it that passes on what it reports |
//! | `pulse` | the sign of life of another thread |
#![forbid(unsafe_code)]

mod histogram;
mod mailbox;
mod periodic;
mod pulse;
mod reporter;
mod schedule;
mod settings;
mod timing;

pub use histogram::{Histogram, NoHistogram, SharedHistogram};
pub use mailbox::Mailbox;
pub use periodic::{Cycle, Periodic, now};
pub use pulse::{LONGEST_SILENCE, Pulse};
pub use reporter::Reporter;
pub use settings::{RealTime, Refused};
pub use timing::Timing;
