use std::collections::BTreeSet;
use std::time::Duration;

use params::{Refusal, Set};
use safety::{Instant, Machine, PublisherCount};

use crate::candidate::Read;
use crate::loops::Stages;
use crate::topic_monitor::TopicMonitor;
use crate::{Candidate, Error, Names, Publisher, Shell, Status, clock, publishers};

/// A topic that a node's parameters ask it to subscribe to.
pub struct SubscriptionSpec<M: Machine> {
    /// The parameter that names the topic: `sources.navigation.topic`.
    pub parameter: String,
    /// The topic as the parameter has it.
    pub topic: String,
    /// The index of its messages for the machine.
    pub index: usize,
    /// The message type and QoS.
    pub candidate: Candidate<M>,
    /// The ROS names of all types that a topic of this kind can have. A topic that is published only with other types is
    /// refused.
    pub possible: &'static [&'static str],
    /// The input that reports the publishers of the topic to the machine whenever they change. The machine decides what
    /// follows.
    pub count: Count<M>,
}

/// Makes an input of a topic's index and its publishers.
type Count<M> = Box<dyn Fn(usize, PublisherCount) -> <M as Machine>::Input + Send>;

impl<M: Machine + 'static> SubscriptionSpec<M> {
    /// Refuses a topic that is published only with types that it cannot have.
    fn check_publishers(&self, after: &Set, publishers: &[Publisher]) -> Result<(), Refusal> {
        let fits = |publisher: &Publisher| self.possible.contains(&publisher.type_name.as_str());
        match publishers.first() {
            Some(first) if !publishers.iter().any(fits) => Err(after.refuse(
                &self.parameter,
                format!(
                    "must be a topic of {}, and node '{}' publishes it as {}",
                    self.possible.join(" or "),
                    first.node,
                    first.type_name
                ),
            )),
            _ => Ok(()),
        }
    }
}

/// The topics that a node's parameters name, added and removed at run time, in reading order: topics that stop come before
/// topics that move.
///
/// A changed set of parameters and its topics come into force together, on the node's own thread: no message is delivered
/// between the two, and no message of a removed topic is delivered afterwards.
///
/// # Source
/// own: r2r 0.9 destroys a subscription only with its node, or when a message comes whose stream is gone. So a removed topic
/// stays subscribed until the node ends, and its messages are discarded. Since a DDS participant cannot have one topic with two
/// types, a topic keeps its type until then.
pub(crate) struct DynamicSubscriptions<M: Machine> {
    node: String,
    names: Names,
    shell: Shell<M>,
    plan: Plan<M>,
    /// Entries in reading order.
    entries: Vec<Entry<M>>,
    /// Subscriptions that the parameters do not name now.
    inactive: Vec<Subscribed<M>>,
    own: Option<OwnCommand>,
}

/// The command that the node itself publishes.
struct OwnCommand {
    /// Its topic in the graph.
    topic: String,
    stages: Stages,
    /// The topics that carry what later stages made of it.
    fed: BTreeSet<String>,
    /// When they are read again at the latest.
    due: Instant,
}

/// The longest time between two readings of what the own command feeds; a publisher that comes or goes is a reason for one, too.
const FEEDS_PERIOD: Duration = Duration::from_secs(1);

/// Makes the list of subscriptions of a set of parameters.
type Plan<M> = Box<dyn FnMut(&Set) -> Result<Vec<SubscriptionSpec<M>>, Refusal> + Send>;

/// A topic of the graph that is subscribed to.
struct Subscribed<M: Machine> {
    monitor: TopicMonitor,
    read: Read<M>,
}

/// A subscription that the parameters name.
struct Entry<M: Machine> {
    subscribed: Subscribed<M>,
    /// The topic's index for the machine.
    index: usize,
    count: Count<M>,
    /// The publishers that were last reported to the machine.
    counted: Option<PublisherCount>,
    /// Whether it was logged that the topic is a loop.
    loop_reported: bool,
}

/// The most inactive subscriptions, so that endless changes of the parameters do not fill the memory.
const MAX_INACTIVE: usize = 64;

impl<M: Machine + 'static> DynamicSubscriptions<M> {
    /// The subscriptions of the node called `node`. `plan` returns those that a set of parameters names, in reading order.
    pub(crate) fn new(
        node: &str,
        names: &Names,
        shell: &Shell<M>,
        plan: impl FnMut(&Set) -> Result<Vec<SubscriptionSpec<M>>, Refusal> + Send + 'static,
    ) -> Self {
        Self {
            node: node.to_owned(),
            names: names.clone(),
            shell: shell.clone(),
            plan: Box::new(plan),
            entries: Vec::new(),
            inactive: Vec::new(),
            own: None,
        }
    }

    /// Reports each topic that carries what a later stage makes of the node's own command on `topic` as [`PublisherCount::Loop`].
    /// # Errors
    /// The middleware refuses the subscription to the stages.
    pub(crate) fn find_loops_of(&mut self, node: &mut r2r::Node, topic: &str) -> Result<(), Error> {
        let (topic, stages) = (self.names.resolve(topic), Stages::open(node)?);
        self.own = Some(OwnCommand { topic, stages, fed: BTreeSet::new(), due: Instant::ZERO });
        Ok(())
    }

    /// Subscribes to the topics that `after` names, and calls `commit`, which puts `after` in force, at the same moment.
    /// # Errors
    /// Why a topic cannot be subscribed to; nothing has changed then.
    pub(crate) fn change(
        &mut self,
        node: &mut r2r::Node,
        after: &Set,
        commit: impl FnOnce(),
    ) -> Result<(), Refusal> {
        let mut specs: Vec<(String, SubscriptionSpec<M>)> = Vec::new();
        for mut spec in (self.plan)(after)? {
            spec.candidate = spec.candidate.overridden(node, &spec.topic)?;
            let full = self.names.resolve(&spec.topic);
            if let Some((_, other)) = specs.iter().find(|(other, _)| *other == full) {
                let rule = format!(
                    "must differ from '{}', which is the same topic in the graph, '{full}'",
                    other.parameter
                );
                return Err(after.refuse(&spec.parameter, rule));
            }
            specs.push((full, spec));
        }
        let mut asked = Vec::new();
        for (full, spec) in specs {
            asked.push((full.clone(), spec.index, self.subscribe(node, after, full, spec)?));
        }
        self.inactive.extend(self.entries.drain(..).map(|entry| entry.subscribed));
        for (full, index, count) in asked {
            // All of them were subscribed to above.
            let Some(at) = self.inactive.iter().position(|one| one.monitor.topic == full) else { continue };
            let subscribed = self.inactive.swap_remove(at);
            self.entries.push(Entry { subscribed, index, count, counted: None, loop_reported: false });
        }
        commit();
        // The machine needs the publishers of each topic, also of those that had another index before.
        self.check_publishers(node);
        Ok(())
    }

    /// Subscribes to the topic of `spec`, which is `full` in the graph, unless it is already subscribed to. Returns the
    /// publisher count's input.
    fn subscribe(
        &mut self,
        node: &mut r2r::Node,
        after: &Set,
        full: String,
        spec: SubscriptionSpec<M>,
    ) -> Result<Count<M>, Refusal> {
        let type_name = spec.candidate.type_name().to_owned();
        let all = self.entries.iter().map(|entry| &entry.subscribed).chain(&self.inactive);
        match all.map(|one| &one.monitor).find(|monitor| monitor.topic == full) {
            Some(known) if known.type_name == type_name => return Ok(spec.count),
            Some(known) => {
                let rule = format!(
                    "must be of the type {}, which '{full}' was subscribed to as: a topic keeps its type until the node is restarted",
                    known.type_name
                );
                return Err(after.refuse(&spec.parameter, rule));
            }
            None => {}
        }
        spec.check_publishers(after, &publishers(node, &full).unwrap_or_default())?;
        if self.inactive.len() >= MAX_INACTIVE {
            let rule = format!(
                "must be one of the topics so far: {MAX_INACTIVE} were subscribed to and given up, restart the node"
            );
            return Err(after.refuse(&spec.parameter, rule));
        }
        let SubscriptionSpec { parameter, topic, candidate, count, .. } = spec;
        let mut monitor = TopicMonitor::new(full, type_name, candidate.is_reliable());
        monitor.single = true;
        let read = candidate
            .open(node, &topic)
            .map_err(|error| after.refuse(&parameter, format!("cannot be subscribed to: {error}")))?;
        self.inactive.push(Subscribed { monitor, read });
        Ok(count)
    }

    /// Receives the messages that r2r has and returns their number.
    pub(crate) fn receive(&mut self) -> usize {
        if let Some(own) = &mut self.own {
            own.stages.receive();
        }
        let entries = self.entries.iter_mut().map(|entry| &mut entry.subscribed);
        entries.chain(&mut self.inactive).map(|one| one.read.receive()).sum()
    }

    /// Delivers all received messages and discards those of inactive subscriptions.
    pub(crate) fn deliver(&mut self) {
        for Entry { subscribed, index, .. } in &mut self.entries {
            subscribed.monitor.received += subscribed.read.deliver(&self.shell, *index);
        }
        self.inactive.iter_mut().for_each(|one| one.read.discard());
    }

    /// Counts the publishers of each topic, and logs the incompatible ones and the loops.
    pub(crate) fn check_publishers(&mut self, node: &r2r::Node) {
        let mut has_changed = false;
        let mut all = Vec::with_capacity(self.entries.len());
        for Entry { subscribed: Subscribed { monitor, .. }, .. } in &mut self.entries {
            let (before, found) = (monitor.publishers, publishers(node, &monitor.topic));
            monitor.check(found.as_deref(), &self.node);
            has_changed |= monitor.publishers != before;
            all.push(found.unwrap_or_default());
        }
        if let Some(own) = &mut self.own
            && (has_changed || clock::now() >= own.due)
        {
            own.fed = own.stages.fed_by(node, &own.topic);
            // After a change once more with the next count: a publisher may be discovered before its stage's declaration.
            own.due = clock::now() + if has_changed { Duration::ZERO } else { FEEDS_PERIOD };
        }
        for (entry, found) in self.entries.iter_mut().zip(all) {
            let Entry { subscribed: Subscribed { monitor, .. }, index, count, counted, loop_reported } =
                entry;
            let looped = self.own.as_ref().filter(|own| own.fed.contains(&monitor.topic));
            // It is logged once, when the names of all publishers are known.
            let are_named = !found.iter().any(Publisher::is_nameless);
            let is_loop = looped.is_some() && (*loop_reported || are_named);
            if !std::mem::replace(loop_reported, is_loop)
                && is_loop
                && let Some(own) = looped
            {
                let nodes: Vec<_> = found.iter().map(|publisher| publisher.node.as_str()).collect();
                log::error!(
                    target: &self.node,
                    "'{}' carries what this node publishes on '{}', passed on by {}: it is ignored, or the node would drive itself; let \
                     the source publish another topic",
                    monitor.topic, own.topic, if nodes.is_empty() { "a later stage".into() } else { nodes.join(", ") }
                );
            }
            let now = if looped.is_some() { PublisherCount::Loop } else { monitor.publishers };
            if counted.replace(now) != Some(now) {
                self.shell.deliver(count(*index, now));
            }
        }
    }

    /// Adds the number of received messages to `status`. The machine reports the publishers.
    pub(crate) fn report(&self, status: &mut Status) {
        for Entry { subscribed: Subscribed { monitor, .. }, .. } in &self.entries {
            status.values.push((format!("{} received", monitor.topic), monitor.received.to_string()));
        }
    }
}
