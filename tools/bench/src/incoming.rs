use std::pin::Pin;

use futures::{FutureExt, Stream, StreamExt};
use r2r::{QosProfile, WrappedTypesupport};
use ros::Error;

/// The unread messages of a topic.
///
/// r2r keeps ten and drops the newest when an eleventh comes: read all of them after each wake-up.
pub struct Incoming<T>(Pin<Box<dyn Stream<Item = T> + Send>>);

impl<T: WrappedTypesupport + Send + 'static> Incoming<T> {
    /// Subscribes to `topic` with `node`.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node, topic: &str, qos: QosProfile) -> Result<Self, Error> {
        let stream = node.subscribe::<T>(topic, qos).map_err(Error::ros(format!("listen to '{topic}'")))?;
        Ok(Self(Box::pin(stream)))
    }

    /// The oldest unread message; `None` if all are read.
    pub fn take(&mut self) -> Option<T> {
        self.0.next().now_or_never().flatten()
    }
}
