//! The glue between a [`units::Machine`] and a ROS 2 graph. No decision about motion is taken in here, but that of a backlog of
//! commands, as a held process finds it, the newest and every zero are delivered.
//!
//! * [`Shell`] owns a machine and the way its outputs leave; whoever has an event delivers it and takes it to the
//!   last output in one call.
//! * [`Runner`] is one thread for one ROS node: it sleeps until a message comes, hands every message to the shell, and keeps house
//!   (parameters, diagnostics, wrong types on a topic). What is due without a message is done by the shell's alarm.
//! * [`Inputs`] are the topics that a node always subscribes to; a [`SubscriptionSpec`] is for one that comes and goes with its
//!   parameters.
//! * [`Parameters`] serves the six parameter services over a [`params::Set`]. A node's own services have a [`Desk`], on
//!   which they change parameters by the same way.
//!
//! What is deliberately absent: a message that waits while another one is delivered (all are taken first), timers of r2r
//! (the machine's deadline is the only one), and any wait between two reads.
#![forbid(unsafe_code)]

pub mod clock;
pub mod panics;
pub mod qos;

mod alarm;
mod candidate;
mod diagnostics;
mod error;
mod input;
mod latency;
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
mod subscription_spec;
mod subscriptions;
mod topic;
mod wire;

pub use alarm::AlarmThread;
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
pub use subscription_spec::SubscriptionSpec;
pub use topic::Topic;
