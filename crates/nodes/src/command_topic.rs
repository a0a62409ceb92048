//! A topic that carries commands from one stage to the next, and records their age at publication.

use std::sync::{Arc, Mutex};

use r2r::geometry_msgs::msg as geometry;
use ros::panics::lock;
use ros::{Error, Latency, Status, Topic, clock, panics, qos};
use safety::{Command, Stamp};

use crate::messages;

/// A command topic as `TwistStamped`, which carries the stick event's stamp, or as plain `Twist`.
pub struct CommandTopic {
    topic: Kind,
    latency: SharedLatency,
    subscribed_only: bool,
}

enum Kind {
    Stamped(Topic<geometry::TwistStamped>),
    Plain(Topic<geometry::Twist>),
}

impl CommandTopic {
    /// Opens the topic `name`. If the process panics, a zero is published on it.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node, name: &str, stamped: bool) -> Result<Self, Error> {
        let topic = if stamped {
            let topic = Topic::new(node, name, qos::command())?;
            let publisher = topic.share();
            panics::final_messages(move || {
                let _ = publisher.publish(&messages::twist_stamped(&Command {
                    stamp: clock::stamp(),
                    ..Command::default()
                }));
            });
            Kind::Stamped(topic)
        } else {
            let topic = Topic::new(node, name, qos::command())?;
            let publisher = topic.share();
            panics::final_messages(move || {
                let _ = publisher.publish(&geometry::Twist::default());
            });
            Kind::Plain(topic)
        };
        Ok(Self { topic, latency: SharedLatency::default(), subscribed_only: false })
    }

    /// From now on publishes only if the topic has a subscriber: for a topic inside a composed process.
    pub fn for_subscribers_only(&mut self) {
        self.subscribed_only = true;
    }

    /// The latencies that the topic records.
    pub fn latency(&self) -> SharedLatency {
        self.latency.clone()
    }

    /// Publishes `command` and records its age.
    pub fn publish(&mut self, command: &Command) {
        let wanted = match &self.topic {
            _ if !self.subscribed_only => true,
            Kind::Stamped(topic) => topic.has_subscribers(),
            Kind::Plain(topic) => topic.has_subscribers(),
        };
        if wanted {
            match &mut self.topic {
                Kind::Stamped(topic) => topic.publish(&messages::twist_stamped(command)),
                Kind::Plain(topic) => topic.publish(&messages::twist(&command.velocity)),
            }
        }
        self.latency.record(command.stamp);
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
