use r2r::{QosProfile, WrappedTypesupport};

use crate::Error;

/// A topic that a node publishes; says once when publishing begins to fail and once when it works again.
pub struct Topic<T: WrappedTypesupport> {
    publisher: r2r::Publisher<T>,
    node: String,
    name: String,
    failing: bool,
}

impl<T: WrappedTypesupport + 'static> Topic<T> {
    /// Makes `node` publish on `name`.
    /// # Errors
    /// The middleware refuses the topic, for example because its name is not legal.
    pub fn new(node: &mut r2r::Node, name: &str, qos: QosProfile) -> Result<Self, Error> {
        let what = || Error::ros(format!("publish '{name}'"));
        let publisher = node.create_publisher(name, qos).map_err(what())?;
        Ok(Self { publisher, node: node.name().map_err(what())?, name: name.into(), failing: false })
    }

    /// Publishes `message`.
    pub fn publish(&mut self, message: &T) {
        match self.publisher.publish(message) {
            Ok(()) if self.failing => {
                self.failing = false;
                log::info!(target: &self.node, "'{}' is published again", self.name);
            }
            Err(error) if !self.failing => {
                self.failing = true;
                log::error!(target: &self.node, "could not publish '{}': {error}", self.name);
            }
            Ok(()) | Err(_) => {}
        }
    }

    /// Whether the middleware did not take the last message.
    pub const fn is_failing(&self) -> bool {
        self.failing
    }

    /// Another way to publish here, for another thread; the topic ends with the node all the same.
    pub fn share(&self) -> r2r::Publisher<T>
    where
        r2r::Publisher<T>: Clone,
    {
        self.publisher.clone()
    }

    /// Publishes what `make` makes if anybody listens.
    pub fn publish_if_watched(&mut self, make: impl FnOnce() -> T) {
        if self.is_watched() {
            self.publish(&make());
        }
    }

    /// Whether anybody listens; if the middleware cannot tell, somebody may.
    pub fn is_watched(&self) -> bool {
        self.publisher.get_inter_process_subscription_count().map_or(true, |count| count > 0)
    }

    /// Ends the topic.
    pub fn close(self, node: &mut r2r::Node) {
        node.destroy_publisher(self.publisher);
    }
}
