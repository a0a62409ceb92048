use params::{Refusal, Set};
use units::{Census, Machine};

use crate::candidate::Read;
use crate::port::Port;
use crate::subscription_spec::Count;
use crate::{Names, Shell, Status, SubscriptionSpec, census, publishers};

/// The topics that a node subscribes to as its parameters say, which come and go at run time, in the order they are read: what
/// stops comes before what moves.
///
/// A changed set of parameters and the topics of it come into force as one, on the node's own thread: no message is delivered between
/// the two, and none afterwards of a topic that is not asked for any more.
///
/// # Source
/// own: r2r 0.9 takes a subscription back only with its whole node, or when a message comes whose stream is gone. So what is not asked
/// for any more stays subscribed to, unheard, until the node ends; and since a DDS participant cannot have one topic with two types, a
/// topic keeps its type until then.
pub(crate) struct DynamicSubscriptions<M: Machine> {
    node: String,
    names: Names,
    shell: Shell<M>,
    plan: Plan<M>,
    /// In reading order.
    entries: Vec<Entry<M>>,
    /// Subscribed to, and not asked for now.
    unheard: Vec<Subscribed<M>>,
}

/// Makes of a set of parameters what is to be subscribed to.
type Plan<M> = Box<dyn FnMut(&Set) -> Result<Vec<SubscriptionSpec<M>>, Refusal> + Send>;

/// A topic of the graph that is subscribed to.
struct Subscribed<M: Machine> {
    full: String,
    type_name: String,
    read: Read<M>,
}

/// What the parameters ask for.
struct Entry<M: Machine> {
    subscribed: Subscribed<M>,
    port: Port,
    /// The index that the topic has for the machine.
    index: usize,
    count: Count<M>,
    /// The publishers that the machine knows of, once it knows.
    counted: Option<Census>,
}

/// How many topics may stay unheard, so that parameters that change for ever do not fill the memory.
const MOST_UNHEARD: usize = 64;

impl<M: Machine + 'static> DynamicSubscriptions<M> {
    /// For the node called `node`. `plan` says in reading order what a set of parameters asks to subscribe to.
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
            unheard: Vec::new(),
        }
    }

    /// Subscribes to what `after` asks for, and does `commit` in the same moment, which puts `after` in force.
    /// # Errors
    /// Why something cannot be subscribed to; then all is as before.
    pub(crate) fn change(
        &mut self,
        node: &mut r2r::Node,
        after: &Set,
        commit: impl FnOnce(),
    ) -> Result<(), Refusal> {
        let mut specs: Vec<(String, SubscriptionSpec<M>)> = Vec::new();
        for spec in (self.plan)(after)? {
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
            let reliable = spec.candidate.is_reliable();
            asked.push((full.clone(), reliable, spec.index, self.subscribe(node, after, full, spec)?));
        }
        for entry in self.entries.drain(..) {
            self.unheard.push(entry.subscribed);
        }
        for (full, reliable, index, count) in asked {
            // All of them were subscribed to just now.
            let Some(at) = self.unheard.iter().position(|one| one.full == full) else { continue };
            let subscribed = self.unheard.swap_remove(at);
            let mut port = Port::new(full, subscribed.type_name.clone(), reliable);
            port.sole = true;
            self.entries.push(Entry { subscribed, port, index, count, counted: None });
        }
        commit();
        // The machine has to know who publishes each of them, also of those that it knew by another index.
        self.look_for_strangers(node);
        Ok(())
    }

    /// Subscribes to the topic of `spec`, which is `full` in the graph, unless that was done already. What is left of `spec`.
    fn subscribe(
        &mut self,
        node: &mut r2r::Node,
        after: &Set,
        full: String,
        spec: SubscriptionSpec<M>,
    ) -> Result<Count<M>, Refusal> {
        let type_name = spec.candidate.type_name().to_owned();
        let all = || self.entries.iter().map(|entry| &entry.subscribed).chain(&self.unheard);
        match all().find(|one| one.full == full) {
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
        if self.unheard.len() >= MOST_UNHEARD {
            let rule = format!(
                "must be one of the topics so far: {MOST_UNHEARD} were subscribed to and given up, restart the node"
            );
            return Err(after.refuse(&spec.parameter, rule));
        }
        let SubscriptionSpec { parameter, topic, candidate, count, .. } = spec;
        let read = candidate
            .open(node, &topic)
            .map_err(|error| after.refuse(&parameter, format!("cannot be subscribed to: {error}")))?;
        self.unheard.push(Subscribed { full, type_name, read });
        Ok(count)
    }

    /// Takes what r2r has; how many messages.
    pub(crate) fn take(&mut self) -> usize {
        let entries = self.entries.iter_mut().map(|entry| &mut entry.subscribed);
        entries.chain(&mut self.unheard).map(|one| one.read.take()).sum()
    }

    /// Delivers everything that was taken, and forgets what nobody asks for.
    pub(crate) fn deliver(&mut self) {
        for Entry { subscribed, port, index, .. } in &mut self.entries {
            port.received += subscribed.read.deliver(&self.shell, *index);
        }
        self.unheard.iter_mut().for_each(|one| one.read.forget());
    }

    /// Counts the publishers of each topic, and reports those that do not fit in the log.
    pub(crate) fn look_for_strangers(&mut self, node: &r2r::Node) {
        for Entry { subscribed, port, index, count, counted } in &mut self.entries {
            let found = publishers(node, &subscribed.full);
            if let Some(found) = &found {
                port.look(found, &self.node, false);
            }
            let reliable = port.reliable;
            let now = census(found.as_deref(), |one| one.misfit(&subscribed.type_name, reliable).is_none());
            if counted.replace(now) != Some(now) {
                self.shell.deliver(count(*index, now));
            }
        }
    }

    /// Adds to `status` what came of the topics; who publishes them is the machine's to report.
    pub(crate) fn report(&self, status: &mut Status) {
        for Entry { port, .. } in &self.entries {
            status.values.push((format!("{} received", port.topic), port.received.to_string()));
        }
    }
}
