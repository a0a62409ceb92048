//! A topic that carries commands from one stage to the next, and records their age at publication.

use std::sync::{Arc, Mutex};

use r2r::WrappedTypesupport;
use r2r::geometry_msgs::msg as geometry;
use ros::panics::lock;
use ros::{Error, Inputs, Latency, Status, Topic, clock, panics, qos};
use safety::{Command, Machine, NotFinite, Stamp};

use crate::messages;

/// Publishes a command; with true only if the topic has a subscriber.
type Publish = Box<dyn Fn(&Command, bool) + Send>;

/// A command topic as `TwistStamped`, which carries the stick event's stamp, or as plain `Twist`.
pub struct CommandTopic {
    publish: Publish,
    /// The latencies that the topic records.
    pub latency: SharedLatency,
    subscribed_only: bool,
}

impl CommandTopic {
    /// Opens the topic `name`. If the process panics, a zero is published on it.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node, name: &str, stamped: bool) -> Result<Self, Error> {
        let publish = if stamped {
            publisher(node, name, messages::twist_stamped)
        } else {
            publisher(node, name, |command| messages::twist(&command.velocity))
        }?;
        Ok(Self { publish, latency: SharedLatency::default(), subscribed_only: false })
    }

    /// From now on publishes only if the topic has a subscriber: for a topic inside a composed process.
    pub fn for_subscribers_only(&mut self) {
        self.subscribed_only = true;
    }

    /// Publishes `command` and records its age.
    pub fn publish(&mut self, command: &Command) {
        (self.publish)(command, self.subscribed_only);
        self.latency.record(command.stamp);
    }
}

fn publisher<T: WrappedTypesupport + 'static>(
    node: &mut r2r::Node,
    name: &str,
    message: fn(&Command) -> T,
) -> Result<Publish, Error>
where
    Topic<T>: Send,
    r2r::Publisher<T>: Clone + Send,
{
    let topic = Topic::new(node, name, qos::command())?;
    let last = topic.share();
    panics::final_messages(move || {
        let zero = Command { stamp: clock::stamp(), ..Command::default() };
        let _ = last.publish(&message(&zero));
    });
    Ok(Box::new(move |command, subscribed_only| {
        if !subscribed_only || topic.has_subscribers() {
            topic.publish(&message(command));
        }
    }))
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
