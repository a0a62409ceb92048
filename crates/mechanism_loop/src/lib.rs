//! The real-time thread that steps a robot and its controllers, and the ways to it that never wait.
//!
//! | file | idea |
//! |---|---|
//! | `cycle` | one cycle of the thread: messages in, hardware, control step, reports out |
//! | `delivery` | the ways of messages to controllers: stops pass all others |
//! | `link` | the ends of the queues outside the thread |
//! | `gated` | the way of efforts to a robot elsewhere, past the halt |
//! | `hand` | the analytic hand of `haptix` as hardware |
//! | `remote` | a robot elsewhere: its states in, its efforts out |
#![forbid(unsafe_code)]

mod cycle;
mod delivery;
mod gated;
mod hand;
mod link;
mod remote;

pub use cycle::{Body, Event};
pub use delivery::Deliveries;
pub use gated::{EffortSink, GatedEfforts};
pub use hand::{HandError, HandHardware};
pub use link::{Commands, Control, Events, Settings, link, start};
pub use remote::{Efforts, EffortsReceiver, RemoteHardware, StatesSender, remote};
