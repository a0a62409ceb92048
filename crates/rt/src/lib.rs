//! A periodic real-time thread, and mailboxes to it that never wait.
//!
//! | file | idea |
//! |---|---|
//! | `mailbox` | hands one thing over without a lock |
//! | `settings` | scheduling, memory and cores of a thread, and what to do where they are refused |
//! | `schedule` | when the next cycle is due, and which ones were missed |
//! | `periodic` | the thread |
#![forbid(unsafe_code)]

mod mailbox;
mod periodic;
mod schedule;
mod settings;

pub use mailbox::Mailbox;
pub use periodic::{Cycle, Periodic, now};
pub use settings::{RealTime, Refused};
