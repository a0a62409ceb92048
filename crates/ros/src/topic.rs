use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use r2r::{QosProfile, WrappedTypesupport};

use crate::{Endpoint, Error, overridden};

/// A topic that a node publishes. It logs once when publishing begins to fail and once when it works again. A clone is the same topic for
/// another thread; it does not keep the topic alive when the node ends.
#[derive(Clone)]
pub struct Topic<T: WrappedTypesupport> {
    publisher: r2r::Publisher<T>,
    node: String,
    name: String,
    is_failing: Arc<AtomicBool>,
}

impl<T: WrappedTypesupport + 'static> Topic<T> {
    /// Creates the publisher of `name`.
    /// # Errors
    /// The middleware refuses the topic, for example because its name is invalid, or an override of its QoS is refused.
    pub fn new(node: &mut r2r::Node, name: &str, qos: QosProfile) -> Result<Self, Error> {
        let what = || Error::ros(format!("publish '{name}'"));
        let qos = overridden(node, Endpoint::Publisher, name, qos).map_err(Error::refused(node))?;
        let publisher = node.create_publisher(name, qos).map_err(what())?;
        Ok(Self {
            publisher,
            node: node.name().map_err(what())?,
            name: name.into(),
            is_failing: Arc::default(),
        })
    }

    /// Publishes `message`.
    pub fn publish(&self, message: &T) {
        let published = self.publisher.publish(message);
        let was_failing = self.is_failing.swap(published.is_err(), Ordering::Relaxed);
        match published {
            Ok(()) if was_failing => {
                log::info!(target: &self.node, "'{}' is published again", self.name);
            }
            Err(error) if !was_failing => {
                log::error!(target: &self.node, "could not publish '{}': {error}", self.name);
            }
            Ok(()) | Err(_) => {}
        }
    }

    /// Publishes `message` at the end of a process, when a failure has no remedy and is not logged.
    pub fn publish_last(&self, message: &T) {
        let _ = self.publisher.publish(message);
    }

    /// Whether publishing the last message failed.
    pub fn is_failing(&self) -> bool {
        self.is_failing.load(Ordering::Relaxed)
    }

    /// A publisher of the same topic for another thread. It does not keep the topic alive when the node ends.
    pub fn share(&self) -> r2r::Publisher<T>
    where
        r2r::Publisher<T>: Clone,
    {
        self.publisher.clone()
    }

    /// Publishes the message that `make` creates, if the topic has a subscriber.
    pub fn publish_if_subscribed(&self, make: impl FnOnce() -> T) {
        if self.has_subscribers() {
            self.publish(&make());
        }
    }

    /// Whether the topic has a subscriber; `true` if the middleware does not know.
    pub fn has_subscribers(&self) -> bool {
        subscribers(&self.publisher) > 0
    }

    /// Destroys the publisher.
    pub fn close(self, node: &mut r2r::Node) {
        node.destroy_publisher(self.publisher);
    }
}

/// The number of subscribers of `publisher`; 1 if the middleware does not know.
pub fn subscribers<T: WrappedTypesupport + 'static>(publisher: &r2r::Publisher<T>) -> usize {
    publisher.get_inter_process_subscription_count().unwrap_or(1)
}
