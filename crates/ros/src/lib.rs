//! The glue between a [`units::Machine`] and a ROS 2 graph. No decision about motion is taken in here, but that of a backlog of
//! commands, as a held process finds it, the newest and every zero are delivered.
//!
//! * [`Shell`] owns a machine and the way its outputs leave; whoever has an event delivers it and takes it to the
//!   last output in one call.
//! * [`Runner`] is one thread for one ROS node: it waits for messages or the machine's deadline, hands every message
//!   to the shell as it comes, and keeps house (parameters, diagnostics, wrong types on a topic).
//! * [`Inputs`] are the topics that a node always listens to; a [`Wish`] is for one that comes and goes with its parameters, on a
//!   thread of its own.
//! * [`Parameters`] serves the six parameter services over a [`params::Set`]. A node's own services have a [`Desk`], on
//!   which they change parameters by the same way.
//!
//! What is deliberately absent: a message that waits while another one is delivered (all are taken first), timers of r2r
//! (the machine's deadline is the only one), and any wait between two reads.
#![forbid(unsafe_code)]

pub mod clock;
pub mod panics;
pub mod qos;

mod candidate;
mod diagnostics;
mod error;
mod input;
mod latency;
mod listener;
mod listeners;
mod logger;
mod names;
mod node;
mod overrides;
mod parameters;
mod port;
mod publishers;
mod requests;
mod runner;
mod service;
mod shell;
mod stderr;
mod stop;
mod topic;
mod wire;
mod wish;

pub use candidate::Candidate;
pub use diagnostics::Status;
pub use error::Error;
pub use input::Inputs;
pub use latency::{Latency, Quantiles};
pub use logger::{ShellLog, start as start_logger};
pub use names::{Names, check_remap_rules};
pub use node::Node;
pub use overrides::check_overrides;
pub use parameters::Parameters;
pub use publishers::{COUNT_PERIOD, Publisher, census, publishers, wait_for_publishers, watch_publishers};
pub use runner::{Runner, context};
pub use service::Desk;
pub use shell::{Place, Shell};
pub use stderr::print_line;
pub use stop::{Stop, exit_at_once};
pub use topic::Topic;
pub use wish::Wish;
