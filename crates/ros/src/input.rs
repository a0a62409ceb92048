use r2r::{QosProfile, WrappedTypesupport};
use safety::{Machine, PublisherCount, PublisherId};

use crate::candidate::{self, Read};
use crate::names::type_of;
use crate::sole_topic::SoleTopic;
use crate::topic_monitor::TopicMonitor;
use crate::{Endpoint, Error, Names, Shell, Status, overridden, publishers};

/// The topics that a node subscribes to from its start to its end, in reading order: topics that stop come before topics that
/// move.
///
/// r2r receives at most one message per topic and wake-up and keeps ten unread ones; further messages stay in the middleware,
/// oldest first. The runner receives all of them, topic after topic until none is left, before it delivers the first. So no
/// message waits longer than a wake-up, and a stop is delivered before a motion command, however many there are of either.
pub struct Inputs<M: Machine> {
    subscriptions: Vec<Subscribed<M>>,
    sole: Vec<SoleTopic<M>>,
    names: Names,
}

struct Subscribed<M: Machine> {
    monitor: TopicMonitor,
    read: Read<M>,
    /// The input that reports the publishers, if the topic must have one publisher only.
    count: Option<Count<M>>,
    /// Whether messages were received and not delivered.
    has_messages: bool,
    /// Whether the publishers were read since messages were last delivered.
    is_counted: bool,
}

/// A function that makes an input of the publishers of a topic.
enum Count<M: Machine> {
    /// An input of their number, whenever it changes.
    Number(Box<dyn Fn(PublisherCount) -> M::Input + Send>),
    /// An input of their identities, whenever they change and before messages are delivered; `None` if the graph cannot be read.
    /// The second field is the last ones that were reported.
    Identities(Box<dyn Fn(Option<Vec<PublisherId>>) -> M::Input + Send>, Option<Option<Vec<PublisherId>>>),
}

impl<M: Machine + 'static> Inputs<M> {
    /// No subscriptions yet, for the node of `names`.
    pub fn new(names: Names) -> Self {
        Self { subscriptions: Vec::new(), sole: Vec::new(), names }
    }

    /// Resolves the node's names to those in the graph.
    pub fn names(&self) -> &Names {
        &self.names
    }

    /// Subscribes to `topic`. `convert` makes an input of a message, or returns `None` if the message carries none.
    /// # Errors
    /// It is subscribed to already, under this name or another, or an override of its QoS is refused, or the middleware refuses it, for
    /// example because its name is not legal.
    pub fn subscribe<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        node: &mut r2r::Node,
        topic: &str,
        qos: QosProfile,
        mut convert: impl FnMut(T) -> Option<M::Input> + Send + 'static,
    ) -> Result<(), Error> {
        let qos = overridden(node, Endpoint::Subscription, topic, qos).map_err(Error::refused(node))?;
        let (type_name, full, reliable) =
            (type_of::<T>(), self.names.resolve(topic), candidate::is_reliable(&qos));
        if self.find(&full).is_some() {
            return Err(Error::Start(format!(
                "'{topic}' is the topic '{full}' in the graph, which this node subscribes to for something else already: one of \
                 the two needs another topic"
            )));
        }
        let monitor = TopicMonitor::new(full, type_name.clone(), reliable);
        let read = candidate::subscribe(node, topic, qos, move |_, message| convert(message))
            .map_err(Error::ros(format!("subscribe to '{topic}' as {type_name}")))?;
        self.subscriptions.push(Subscribed {
            monitor,
            read,
            count: None,
            has_messages: false,
            is_counted: false,
        });
        Ok(())
    }

    /// Subscribes to `topic` while it has exactly one publisher, anew for each one: no message is one of a publisher before it, and a
    /// latched message of each is received. `convert` makes an input of a message, and `count` one of each count of the publishers, with
    /// the only one that can be received. Several inputs may be made of one topic.
    /// # Errors
    /// An override of its QoS is refused.
    pub fn subscribe_to_one<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        node: &r2r::Node,
        topic: &str,
        qos: QosProfile,
        convert: impl FnMut(T) -> Option<M::Input> + Clone + Send + 'static,
        count: impl Fn(PublisherCount, Option<PublisherId>) -> M::Input + Send + 'static,
    ) -> Result<(), Error> {
        self.sole.push(SoleTopic::new(node, &self.names, topic, qos, convert, count)?);
        Ok(())
    }

    /// Requires a single publisher on `topic`, which is already subscribed to. More are logged, and the machine receives
    /// `input` with their number whenever it changes. The machine decides what follows.
    pub fn expect_one_publisher(
        &mut self,
        topic: &str,
        input: impl Fn(PublisherCount) -> M::Input + Send + 'static,
    ) {
        self.expect_one(topic, Some(Count::Number(Box::new(input))));
    }

    /// Requires a single publisher on `topic`, which is already subscribed to, as
    /// [`expect_one_publisher`](Self::expect_one_publisher) does, and reports who it is: the machine receives `input` with the
    /// publishers' identities whenever they change, and in each turn of the runner in which messages of the topic were received,
    /// once, before they are delivered.
    pub fn identify_publishers(
        &mut self,
        topic: &str,
        input: impl Fn(Option<Vec<PublisherId>>) -> M::Input + Send + 'static,
    ) {
        self.expect_one(topic, Some(Count::Identities(Box::new(input), None)));
    }

    /// Reports several publishers on `topic`, which is already subscribed to, in the log and in the diagnostics. The machine does
    /// not know of them: the last message wins.
    pub fn advise_one_publisher(&mut self, topic: &str) {
        self.expect_one(topic, None);
    }

    fn expect_one(&mut self, topic: &str, count: Option<Count<M>>) {
        let full = self.names.resolve(topic);
        if let Some(subscribed) = self.find(&full) {
            subscribed.monitor.single = true;
            subscribed.count = count;
        }
    }

    fn find(&mut self, full: &str) -> Option<&mut Subscribed<M>> {
        self.subscriptions.iter_mut().find(|subscribed| subscribed.monitor.topic == full)
    }

    /// Receives the messages that r2r has and returns their number.
    pub(crate) fn receive(&mut self) -> usize {
        let receive = |subscribed: &mut Subscribed<M>| {
            let count = subscribed.read.receive();
            subscribed.has_messages |= count > 0;
            count
        };
        let received: usize = self.subscriptions.iter_mut().map(receive).sum();
        received + self.sole.iter_mut().map(SoleTopic::receive).sum::<usize>()
    }

    /// Delivers all received messages, those of a topic whose publishers are [identified](Self::identify_publishers) after
    /// them.
    pub(crate) fn deliver(&mut self, node: &mut r2r::Node, node_name: &str, shell: &Shell<M>) {
        let is_unknown = |subscribed: &Subscribed<M>| {
            subscribed.has_messages
                && !subscribed.is_counted
                && matches!(subscribed.count, Some(Count::Identities(..)))
        };
        self.check(node, node_name, shell, is_unknown);
        for subscribed in &mut self.subscriptions {
            subscribed.monitor.received += subscribed.read.deliver(shell, 0);
            (subscribed.has_messages, subscribed.is_counted) = (false, false);
        }
        self.sole.iter_mut().for_each(|topic| topic.deliver(node, node_name, shell));
    }

    /// Checks the graph for publishers that this node cannot receive, on the topics that require a single publisher (`single`)
    /// or on the others.
    pub(crate) fn check_publishers(
        &mut self,
        node: &mut r2r::Node,
        node_name: &str,
        shell: &Shell<M>,
        single: bool,
    ) {
        self.check(node, node_name, shell, |subscribed| subscribed.count.is_some() == single);
        if single {
            self.sole.iter_mut().for_each(|topic| topic.check(node, node_name, shell));
        }
    }

    fn check(
        &mut self,
        node: &r2r::Node,
        node_name: &str,
        shell: &Shell<M>,
        is_due: impl Fn(&Subscribed<M>) -> bool,
    ) {
        for subscribed in self.subscriptions.iter_mut().filter(|subscribed| is_due(subscribed)) {
            subscribed.is_counted = true;
            let Subscribed { monitor, count, has_messages, .. } = subscribed;
            let before = monitor.publishers;
            let found = publishers(node, &monitor.topic);
            monitor.check(found.as_deref(), node_name);
            match count {
                Some(Count::Number(input)) if before != monitor.publishers => {
                    shell.deliver(input(monitor.publishers));
                }
                Some(Count::Identities(input, known)) => {
                    let mut found: Option<Vec<_>> =
                        found.map(|found| found.iter().map(|publisher| publisher.id).collect());
                    found.iter_mut().for_each(|ids| ids.sort_unstable());
                    if *has_messages || known.as_ref() != Some(&found) {
                        *known = Some(found.clone());
                        shell.deliver(input(found));
                    }
                }
                Some(Count::Number(_)) | None => {}
            }
        }
    }

    /// Adds the state of the topics to `status`.
    pub(crate) fn report(&self, status: &mut Status) {
        for Subscribed { monitor, .. } in &self.subscriptions {
            monitor.report(status);
        }
    }
}
