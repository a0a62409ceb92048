use std::pin::Pin;

use futures::{FutureExt, Stream, StreamExt};
use r2r::qos::ReliabilityPolicy;
use r2r::{QosProfile, WrappedTypesupport};
use units::Machine;

use crate::Shell;
use crate::names::type_of;
use crate::port::Publisher;

/// Delivers what has come on a topic and counts it; the number is the index that the topic has for the machine by now.
pub(crate) type Read<M> = Box<dyn FnMut(&Shell<M>, usize) -> u64 + Send>;
/// Listens to a topic.
type Open<M> = Box<dyn FnMut(&mut r2r::Node, &str) -> r2r::Result<Read<M>> + Send>;

/// One of the types that a topic may turn out to have; see [`Inputs::subscribe_to_first`](crate::Inputs::subscribe_to_first)
/// and [`Wish`](crate::Wish).
pub struct Candidate<M: Machine> {
    type_name: String,
    reliable: bool,
    open: Open<M>,
}

impl<M: Machine + 'static> Candidate<M> {
    /// `T`, from which `convert` makes an input, or `None` if the message says nothing.
    pub fn new<T: WrappedTypesupport + Send + 'static>(
        qos: QosProfile,
        mut convert: impl FnMut(T) -> Option<M::Input> + Clone + Send + 'static,
    ) -> Self {
        Self::indexed(qos, move |_, message| convert(message))
    }

    /// The same for one of several like topics: `convert` gets also the index that the topic has when the message is delivered.
    pub fn indexed<T: WrappedTypesupport + Send + 'static>(
        qos: QosProfile,
        convert: impl FnMut(usize, T) -> Option<M::Input> + Clone + Send + 'static,
    ) -> Self {
        let reliable = is_reliable(&qos);
        let open: Open<M> = Box::new(move |node, topic| subscribe(node, topic, qos.clone(), convert.clone()));
        Self { type_name: type_of::<T>(), reliable, open }
    }

    /// The ROS name of the type.
    pub(crate) fn type_name(&self) -> &str {
        &self.type_name
    }

    pub(crate) fn is_reliable(&self) -> bool {
        self.reliable
    }

    /// Makes `node` listen to `topic` as this type.
    pub(crate) fn open(&mut self, node: &mut r2r::Node, topic: &str) -> r2r::Result<Read<M>> {
        (self.open)(node, topic)
    }
}

/// Which of `candidates` is published.
pub(crate) fn first_published<M: Machine>(
    candidates: &[Candidate<M>],
    publishers: &[Publisher],
) -> Option<usize> {
    candidates.iter().position(|candidate| is_published(candidate, publishers))
}

pub(crate) fn is_published<M: Machine>(candidate: &Candidate<M>, publishers: &[Publisher]) -> bool {
    publishers.iter().any(|publisher| publisher.type_name == candidate.type_name)
}

pub(crate) fn is_reliable(qos: &QosProfile) -> bool {
    matches!(qos.reliability, ReliabilityPolicy::Reliable)
}

/// Makes `node` listen to `topic`.
pub(crate) fn subscribe<M: Machine + 'static, T: WrappedTypesupport + Send + 'static>(
    node: &mut r2r::Node,
    topic: &str,
    qos: QosProfile,
    mut convert: impl FnMut(usize, T) -> Option<M::Input> + Send + 'static,
) -> r2r::Result<Read<M>> {
    let mut stream: Pin<Box<dyn Stream<Item = T> + Send>> = Box::pin(node.subscribe::<T>(topic, qos)?);
    Ok(Box::new(move |shell, index| {
        let mut count = 0;
        while let Some(Some(message)) = stream.next().now_or_never() {
            count += 1;
            if let Some(input) = convert(index, message) {
                shell.deliver(input);
            }
        }
        count
    }))
}
