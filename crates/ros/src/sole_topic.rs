use std::mem;

use r2r::qos::DurabilityPolicy;
use r2r::{QosProfile, WrappedTypesupport};
use safety::{Machine, PublisherCount, PublisherId};

use crate::candidate::{self, Read};
use crate::names::type_of;
use crate::topic_monitor::TopicMonitor;
use crate::{Endpoint, Error, Names, Shell, overridden, publishers};

/// A topic that is subscribed to while it has exactly one publisher, and anew for each one.
///
/// r2r does not report the publisher of a message. What a subscription receives that was made when this publisher was already the only
/// one is none of those before it, and a latched message comes once more. The publishers are counted before messages are delivered.
///
/// r2r 0.9 destroys a subscription that was given up when its next message comes; until then the middleware discards.
pub(crate) struct SoleTopic<M: Machine> {
    /// The topic as the node has it.
    topic: String,
    monitor: TopicMonitor,
    qos: QosProfile,
    open: Open<M>,
    count: Count<M>,
    /// The only publisher, with the subscription to it.
    subscribed: Option<(PublisherId, Read<M>)>,
    has_messages: bool,
    is_counted: bool,
    is_refused: bool,
}

type Open<M> = Box<dyn FnMut(&mut r2r::Node, &str, QosProfile) -> r2r::Result<Read<M>> + Send>;
/// Makes an input of the publishers, and of the only one among them that can be received.
type Count<M> = Box<dyn Fn(PublisherCount, Option<PublisherId>) -> <M as Machine>::Input + Send>;

impl<M: Machine + 'static> SoleTopic<M> {
    /// The topic `topic` of `node`; `convert` makes an input of a message, and `count` one of each count of the publishers.
    /// # Errors
    /// An override of its QoS is refused.
    pub(crate) fn new<T: WrappedTypesupport + Send + 'static>(
        node: &r2r::Node,
        names: &Names,
        topic: &str,
        qos: QosProfile,
        convert: impl FnMut(T) -> Option<M::Input> + Clone + Send + 'static,
        count: impl Fn(PublisherCount, Option<PublisherId>) -> M::Input + Send + 'static,
    ) -> Result<Self, Error> {
        let qos = overridden(node, Endpoint::Subscription, topic, qos).map_err(Error::refused(node))?;
        let mut monitor =
            TopicMonitor::new(names.resolve(topic), type_of::<T>(), candidate::is_reliable(&qos));
        monitor.single = true;
        monitor.durable = matches!(qos.durability, DurabilityPolicy::TransientLocal);
        let open: Open<M> = Box::new(move |node, topic, qos| {
            let mut convert = convert.clone();
            candidate::subscribe(node, topic, qos, move |_, message| convert(message))
        });
        let (topic, count) = (topic.to_owned(), Box::new(count));
        let (has_messages, is_counted, is_refused) = (false, false, false);
        Ok(Self { topic, monitor, qos, open, count, subscribed: None, has_messages, is_counted, is_refused })
    }

    /// Receives the messages that r2r has and returns their number.
    pub(crate) fn receive(&mut self) -> usize {
        let count = self.subscribed.as_mut().map_or(0, |(_, read)| read.receive());
        self.has_messages |= count > 0;
        count
    }

    /// Counts the publishers, and drops the subscription with its messages if the only publisher is another one than before.
    pub(crate) fn check(&mut self, node: &mut r2r::Node, node_name: &str, shell: &Shell<M>) {
        self.is_counted = true;
        let found = publishers(node, &self.monitor.topic);
        self.monitor.check(found.as_deref(), node_name);
        let publisher = match found.as_deref() {
            Some([one]) if self.monitor.publishers == PublisherCount::of(1) => Some(one.id),
            _ => None,
        };
        if self.subscribed.as_ref().map(|(id, _)| *id) != publisher {
            self.subscribed = None;
            if let Some(id) = publisher {
                self.subscribe(node, node_name, id);
            }
        }
        shell.deliver((self.count)(self.monitor.publishers, publisher));
    }

    fn subscribe(&mut self, node: &mut r2r::Node, node_name: &str, id: PublisherId) {
        match (self.open)(node, &self.topic, self.qos.clone()) {
            Ok(read) => (self.subscribed, self.is_refused) = (Some((id, read)), false),
            // It is tried again with the next count.
            Err(error) => {
                if !mem::replace(&mut self.is_refused, true) {
                    log::error!(target: node_name, "could not subscribe to '{}': {error}", self.topic);
                }
            }
        }
    }

    /// Delivers the received messages, after a count of the publishers.
    pub(crate) fn deliver(&mut self, node: &mut r2r::Node, node_name: &str, shell: &Shell<M>) {
        if self.has_messages && !self.is_counted {
            self.check(node, node_name, shell);
        }
        if let Some((_, read)) = &mut self.subscribed {
            read.deliver(shell, 0);
        }
        (self.has_messages, self.is_counted) = (false, false);
    }
}
