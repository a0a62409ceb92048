//! The glue between a [`safety::Machine`] and a ROS 2 graph. No decision about motion is made here, with one exception: of a
//! backlog of commands, which builds up while the process is held, only the newest command and every zero are delivered.
//!
//! * [`Shell`] owns a machine and publishes its outputs. One call delivers an event and carries out every output that follows
//!   from it.
//! * [`Runner`] is one thread for one ROS node: it sleeps until a message comes, passes every message to the shell, and does
//!   the housekeeping (parameters, diagnostics, wrong types on a topic). The shell's alarm does what is due without a message.
//! * [`Inputs`] are the topics that a node always subscribes to. A [`SubscriptionSpec`] describes a topic that the parameters
//!   add and remove.
//! * [`Parameters`] serves the six parameter services over a [`params::Set`]. A node's own services get a [`ServiceContext`],
//!   through which they change parameters in the same way.
//!
//! Three things are deliberately absent: a message that waits while another one is delivered (all are received first), timers of
//! r2r (the machine's deadline is the only timer), and any wait between two reads.
#![forbid(unsafe_code)]

pub mod clock;
pub mod panics;
pub mod qos;

mod action;
mod alarm;
mod candidate;
mod clock_topic;
mod diagnostics;
mod error;
mod goals;
mod input;
mod late_devices;
mod latency;
mod life_cycle;
mod logger;
mod loops;
mod names;
mod node;
mod outputs;
mod overrides;
mod own_topic;
mod parameter_update;
mod parameters;
mod publishers;
mod qos_overrides;
mod reader;
mod requests;
mod rosout;
mod runner;
mod service;
mod shell;
mod sole_topic;
mod stderr;
mod stop;
mod streams;
mod subscriptions;
mod topic;
mod topic_monitor;
mod turns;
mod wire;

pub use action::{ActionServer, CancelRequests, Goal, GoalEnd, GoalRequest};
pub use alarm::AlarmThread;
pub use candidate::Candidate;
pub use diagnostics::{Status, log_level};
pub use error::Error;
pub use input::Inputs;
pub use latency::{Latency, Quantiles};
pub use logger::{ShellLog, start as start_logger};
pub use loops::declare_stage;
pub use names::{Names, check_remap_rules, full_name, namespace};
pub use node::{Node, context};
pub use overrides::{KnownNode, check_overrides};
pub use parameters::Parameters;
pub use publishers::{Publisher, count, publishers, wait_for_publishers};
pub use qos_overrides::{Endpoint, overridden};
pub use runner::{LONGEST_SLEEP, REST_SLEEP, Runner};
pub use service::{Reply, ServiceContext};
pub use shell::{FaultPlace, Shell};
pub use stderr::print_line;
pub use stop::{Stop, exit_at_once};
pub use streams::{Received, ready};
pub use subscriptions::SubscriptionSpec;
pub use topic::{Topic, subscribers};
pub use wire::to_wire as parameter_message;
