//! A periodic real-time thread, mailboxes to it that never wait, and signs of life between threads.
//!
//! | file | idea |
//! |---|---|
//! | `mailbox` | hands one thing over without a lock |
//! | `settings` | scheduling, memory and cores of a thread, and what to do where they are refused |
//! | `schedule` | when the next cycle is due, and which ones were missed |
//! | `periodic` | the thread |
//! | `pulse` | the sign of life of another thread |
#![forbid(unsafe_code)]

mod mailbox;
mod periodic;
mod pulse;
mod schedule;
mod settings;

pub use mailbox::Mailbox;
pub use periodic::{Cycle, Periodic, now};
pub use pulse::{LONGEST_SILENCE, Pulse};
pub use settings::{RealTime, Refused};
