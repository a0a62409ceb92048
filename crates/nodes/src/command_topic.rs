//! A topic that carries commands from one stage to the next, and records their age at publication.

use std::sync::{Arc, Mutex};

use r2r::geometry_msgs::msg as geometry;
use ros::panics::lock;
use ros::{Error, Inputs, Latency, Status, Topic, clock, panics, qos};
use safety::{Command, Machine, NotFinite, Stamp};

use crate::messages;

/// A topic of velocities, as `TwistStamped` or as plain `Twist`. A clone is for another thread.
#[derive(Clone)]
pub enum TwistTopic {
    /// Without a stamp.
    Twist(Topic<geometry::Twist>),
    /// With the stamp of the command.
    TwistStamped(Topic<geometry::TwistStamped>),
}

impl TwistTopic {
    /// Opens the topic `name`.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node, name: &str, stamped: bool) -> Result<Self, Error> {
        Ok(match stamped {
            true => Self::TwistStamped(Topic::new(node, name, qos::command())?),
            false => Self::Twist(Topic::new(node, name, qos::command())?),
        })
    }

    /// Publishes `command`.
    pub fn publish(&self, command: &Command) {
        match self {
            Self::Twist(topic) => topic.publish(&messages::twist(&command.velocity)),
            Self::TwistStamped(topic) => topic.publish(&messages::twist_stamped(command)),
        }
    }

    /// Publishes a zero at the end of a process. A failure is not logged.
    pub fn publish_last_zero(&self) {
        let zero = Command { stamp: clock::stamp(), ..Command::default() };
        match self {
            Self::Twist(topic) => topic.publish_last(&messages::twist(&zero.velocity)),
            Self::TwistStamped(topic) => topic.publish_last(&messages::twist_stamped(&zero)),
        }
    }

    /// Whether publishing the last message failed.
    pub fn is_failing(&self) -> bool {
        match self {
            Self::Twist(topic) => topic.is_failing(),
            Self::TwistStamped(topic) => topic.is_failing(),
        }
    }

    /// Whether the topic has a subscriber; `true` if the middleware does not know.
    pub fn has_subscribers(&self) -> bool {
        match self {
            Self::Twist(topic) => topic.has_subscribers(),
            Self::TwistStamped(topic) => topic.has_subscribers(),
        }
    }
}

/// A topic of commands, whose `TwistStamped` carries the stick event's stamp.
pub struct CommandTopic {
    /// The topic.
    pub topic: TwistTopic,
    /// The latencies that the topic records.
    pub latency: SharedLatency,
    subscribed_only: bool,
}

impl CommandTopic {
    /// Opens the topic `name`. If the process panics, a zero is published on it.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node, name: &str, stamped: bool) -> Result<Self, Error> {
        let topic = TwistTopic::new(node, name, stamped)?;
        let last = topic.clone();
        panics::final_messages(move || last.publish_last_zero());
        Ok(Self { topic, latency: SharedLatency::default(), subscribed_only: false })
    }

    /// From now on publishes only if the topic has a subscriber: for a topic inside a composed process.
    pub fn for_subscribers_only(&mut self) {
        self.subscribed_only = true;
    }

    /// Publishes `command` and records its age.
    pub fn publish(&mut self, command: &Command) {
        if !self.subscribed_only || self.topic.has_subscribers() {
            self.topic.publish(command);
        }
        self.latency.record(command.stamp);
    }
}

/// Subscribes to a command topic of the same two types; `input` makes an input of a command, valid or not.
/// # Errors
/// The middleware refuses the topic.
pub fn subscribe<M: Machine + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    name: &str,
    stamped: bool,
    input: fn(Result<Command, NotFinite>) -> M::Input,
) -> Result<(), Error> {
    if stamped {
        inputs.subscribe(node, name, qos::commands(), move |message: geometry::TwistStamped| {
            Some(input(messages::command(&message)))
        })
    } else {
        inputs.subscribe(node, name, qos::commands(), move |message: geometry::Twist| {
            Some(input(messages::unstamped(&message)))
        })
    }
}

/// Latencies that one thread records and another one reports.
#[derive(Clone, Default)]
pub struct SharedLatency(Arc<Mutex<Latency>>);

impl SharedLatency {
    /// Records the age of `stamp`.
    pub fn record(&self, stamp: Stamp) {
        lock(&self.0).record(stamp, clock::stamp());
    }

    /// Adds the latencies to `status`.
    pub fn report(&self, status: Status) -> Status {
        let quantiles = lock(&self.0).quantiles();
        match quantiles {
            None => status,
            Some(q) => status
                .with("stick to here, p50 [us]", format!("{:.0}", q.p50))
                .with("stick to here, p99 [us]", format!("{:.0}", q.p99))
                .with("stick to here, max [us]", format!("{:.0}", q.max)),
        }
    }
}
