use std::collections::BTreeSet;
use std::pin::Pin;

use futures::{FutureExt, Stream, StreamExt};
use r2r::qos::ReliabilityPolicy;
use r2r::{QosProfile, WrappedTypesupport};
use units::{Level, Machine};

use crate::names::type_of;
use crate::{Error, Names, Shell, Status};

/// The topics that a node listens to, in the order they are read: what stops comes before what moves.
///
/// r2r keeps ten unread messages of a topic and drops the *newest* when an eleventh comes. The runner reads every topic
/// dry after each wake-up and r2r takes at most one message per topic and wake-up, so that nothing is ever dropped and
/// an old command never waits behind a new one.
pub struct Inputs<M: Machine> {
    ports: Vec<Port<M>>,
    undecided: Vec<Undecided<M>>,
    names: Names,
}

/// Listens to a topic as one type.
type Subscribe<M> = Box<dyn FnOnce(&mut Inputs<M>, &mut r2r::Node, &str) -> Result<(), Error> + Send>;

/// One of the types that a topic may turn out to have; see [`Inputs::subscribe_to_first`].
pub struct Candidate<M: Machine> {
    type_name: String,
    subscribe: Subscribe<M>,
}

impl<M: Machine + 'static> Candidate<M> {
    /// `T`, from which `convert` makes an input, or `None` if the message says nothing.
    pub fn new<T: WrappedTypesupport + Send + 'static>(
        qos: QosProfile,
        convert: impl FnMut(T) -> Option<M::Input> + Send + 'static,
    ) -> Self {
        let subscribe: Subscribe<M> =
            Box::new(move |inputs, node, topic| inputs.subscribe(node, topic, qos, convert));
        Self { type_name: type_of::<T>(), subscribe }
    }
}

/// A topic that waits for its first publisher.
struct Undecided<M: Machine> {
    topic: String,
    candidates: Vec<Candidate<M>>,
}

/// Delivers what has come on a topic and counts it.
type Read<M> = Box<dyn FnMut(&Shell<M>) -> u64 + Send>;

/// What the machine is told of a number of publishers.
type Count<M> = Box<dyn Fn(usize) -> <M as Machine>::Input + Send>;

struct Port<M: Machine> {
    topic: String,
    type_name: String,
    reliable: bool,
    read: Read<M>,
    received: u64,
    /// Publishers that do not fit and were already reported.
    reported: BTreeSet<String>,
    strangers: usize,
    /// More than one publisher is one too many, which the machine is told like this.
    sole: Option<Count<M>>,
    publishers: usize,
}

impl<M: Machine + 'static> Inputs<M> {
    /// Nothing yet, for the node that `names` speaks of.
    pub fn new(names: Names) -> Self {
        Self { ports: Vec::new(), undecided: Vec::new(), names }
    }

    /// How the node's names come out in the graph.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Listens to `topic`; `convert` makes an input of a message, or `None` if the message says nothing.
    /// # Errors
    /// The middleware refuses the topic, for example because its name is not legal.
    pub fn subscribe<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        node: &mut r2r::Node,
        topic: &str,
        qos: QosProfile,
        mut convert: impl FnMut(T) -> Option<M::Input> + Send + 'static,
    ) -> Result<(), Error> {
        let type_name = type_of::<T>();
        let reliable = matches!(qos.reliability, ReliabilityPolicy::Reliable);
        let stream = node
            .subscribe::<T>(topic, qos)
            .map_err(Error::ros(format!("listen to '{topic}' as {type_name}")))?;
        let mut stream: Pin<Box<dyn Stream<Item = T> + Send>> = Box::pin(stream);
        let read = move |shell: &Shell<M>| {
            let mut count = 0;
            while let Some(Some(message)) = stream.next().now_or_never() {
                count += 1;
                if let Some(input) = convert(message) {
                    shell.deliver(input);
                }
            }
            count
        };
        self.ports.push(Port {
            topic: self.names.resolve(topic),
            type_name,
            reliable,
            read: Box::new(read),
            received: 0,
            reported: BTreeSet::new(),
            strangers: 0,
            sole: None,
            publishers: 0,
        });
        Ok(())
    }

    /// Asks for one publisher only on `topic`, which is listened to already. More are told, and the machine gets `input`
    /// of their number whenever it changes, within a second of the graph knowing it: what follows is its decision.
    pub fn expect_one_publisher(&mut self, topic: &str, input: impl Fn(usize) -> M::Input + Send + 'static) {
        let full = self.names.resolve(topic);
        if let Some(port) = self.ports.iter_mut().find(|port| port.topic == full) {
            port.sole = Some(Box::new(input));
        }
    }

    /// Listens to `topic` as the first of `candidates` that somebody publishes it as, from then on.
    ///
    /// A DDS participant cannot have one topic with two types, hence the choice, and r2r cannot take it back.
    pub fn subscribe_to_first(&mut self, topic: &str, candidates: Vec<Candidate<M>>) {
        self.undecided.push(Undecided { topic: topic.into(), candidates });
    }

    /// Whether a topic still waits for its first publisher.
    pub(crate) fn is_undecided(&self) -> bool {
        !self.undecided.is_empty()
    }

    /// Listens to those undecided topics that are published by now.
    pub(crate) fn decide(&mut self, node: &mut r2r::Node, node_name: &str) {
        for mut undecided in std::mem::take(&mut self.undecided) {
            let full = self.names.resolve(&undecided.topic);
            let publishers = node.get_publishers_info_by_topic(&full, false).unwrap_or_default();
            let is_published =
                |candidate: &Candidate<M>| publishers.iter().any(|p| p.topic_type == candidate.type_name);
            let Some(index) = undecided.candidates.iter().position(is_published) else {
                self.undecided.push(undecided);
                continue;
            };
            let Candidate { type_name, subscribe } = undecided.candidates.swap_remove(index);
            match subscribe(self, node, &undecided.topic) {
                Ok(()) => log::info!(target: node_name, "'{full}' is heard as {type_name}"),
                Err(error) => log::error!(target: node_name, "{error}"),
            }
        }
    }

    /// Delivers everything that has come.
    pub(crate) fn read(&mut self, shell: &Shell<M>) {
        for port in &mut self.ports {
            port.received += (port.read)(shell);
        }
    }

    /// Looks in the graph for publishers that the middleware never connects and never mentions: of another type, or
    /// best-effort where reliable is asked for.
    pub(crate) fn look_for_strangers(&mut self, node: &r2r::Node, node_name: &str, shell: &Shell<M>) {
        let heard: Vec<String> = self.ports.iter().filter(|p| !p.reliable).map(|p| p.topic.clone()).collect();
        for port in &mut self.ports {
            let Ok(publishers) = node.get_publishers_info_by_topic(&port.topic, false) else { continue };
            port.strangers = 0;
            let before = std::mem::replace(&mut port.publishers, publishers.len());
            if let Some(input) = &port.sole
                && before != port.publishers
            {
                shell.deliver(input(port.publishers));
            }
            if port.sole.is_some() && publishers.len() > 1 && port.reported.insert("several".into()) {
                let names: Vec<_> = publishers.iter().map(|publisher| publisher.node_name.as_str()).collect();
                log::warn!(
                    target: node_name,
                    "'{}' has {} publishers, must have one: {}",
                    port.topic, names.len(), names.join(", ")
                );
            }
            for publisher in &publishers {
                let best_effort = matches!(publisher.qos_profile.reliability, ReliabilityPolicy::BestEffort);
                let (found, wanted) = if publisher.topic_type != port.type_name {
                    (publisher.topic_type.as_str(), port.type_name.as_str())
                } else if port.reliable && best_effort && !heard.contains(&port.topic) {
                    ("best effort", "reliable")
                } else {
                    continue;
                };
                port.strangers += 1;
                if port.reported.insert(format!("{}/{found}", publisher.node_name)) {
                    log::warn!(
                        target: node_name,
                        "'{}' is published by node '{}' as {found}, must be {wanted}: its messages are ignored",
                        port.topic, publisher.node_name
                    );
                }
            }
        }
    }

    /// Adds to `status` what there is to say of the topics.
    pub(crate) fn report(&self, status: &mut Status) {
        for undecided in &self.undecided {
            let types: Vec<_> = undecided.candidates.iter().map(|c| c.type_name.as_str()).collect();
            let topic = self.names.resolve(&undecided.topic);
            status.values.push((format!("{topic} waits for a publisher of"), types.join(" or ")));
        }
        for port in &self.ports {
            // A topic may be heard both ways, so that nobody speaks to deaf ears.
            let twin =
                self.ports.iter().any(|other| other.topic == port.topic && other.reliable != port.reliable);
            let how = if twin && !port.reliable { " best effort" } else { "" };
            status.values.push((format!("{} received{how}", port.topic), port.received.to_string()));
            if port.sole.is_some() && port.publishers > 1 {
                let text = format!("'{}' has {} publishers, must have one", port.topic, port.publishers);
                status.worsen(Level::Warn, text);
            }
            if port.strangers > 0 {
                status
                    .values
                    .push((format!("{} publishers that do not fit", port.topic), port.strangers.to_string()));
                status.worsen(
                    Level::Warn,
                    format!("'{}' has a publisher of a wrong type or reliability", port.topic),
                );
            }
        }
    }
}
