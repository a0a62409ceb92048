use std::collections::BTreeSet;

use safety::{Level, PublisherCount};

use crate::{Publisher, Status, count};

/// The state of a subscribed topic: how many messages were received, and which publishers are incompatible or too many.
pub(crate) struct TopicMonitor {
    /// Its name in the graph.
    pub(crate) topic: String,
    pub(crate) type_name: String,
    reliable: bool,
    pub(crate) received: u64,
    /// Incompatible publishers that were already logged.
    reported: BTreeSet<String>,
    conflict_reported: bool,
    /// Whether the topic must have a single publisher.
    pub(crate) single: bool,
    /// Whether its last message of before is asked for, which a volatile publisher does not keep.
    pub(crate) durable: bool,
    pub(crate) publishers: PublisherCount,
}

impl TopicMonitor {
    pub(crate) fn new(topic: String, type_name: String, reliable: bool) -> Self {
        Self {
            topic,
            type_name,
            reliable,
            received: 0,
            reported: BTreeSet::new(),
            conflict_reported: false,
            single: false,
            durable: false,
            publishers: PublisherCount::NONE,
        }
    }

    /// Counts the topic's publishers; `None` if they cannot be read. It logs those that are too many or incompatible: the middleware never
    /// connects and never reports publishers of another type, or best-effort ones where reliable is required.
    pub(crate) fn check(&mut self, found: Option<&[Publisher]>, node_name: &str) {
        self.publishers = count(found, |publisher| self.mismatch(publisher).is_none());
        let Some(publishers) = found else { return };
        // A publisher that left is reported again when it returns, so this list holds no more entries than the graph.
        let key = |publisher: &Publisher| format!("{}/{}", publisher.node, publisher.type_name);
        self.reported.retain(|known| publishers.iter().any(|publisher| key(publisher) == *known));
        // A conflict is logged once, when the names of all publishers are known.
        let is_conflict =
            self.single && self.publishers.are_several() && !publishers.iter().any(Publisher::is_nameless);
        if !std::mem::replace(&mut self.conflict_reported, is_conflict) && is_conflict {
            let names: Vec<_> = publishers.iter().map(|publisher| publisher.node.as_str()).collect();
            log::warn!(target: node_name, "'{}': {} ({})", self.topic, self.publishers, names.join(", "));
        }
        for publisher in publishers {
            if let Some((found, wanted)) = self.mismatch(publisher)
                && !publisher.is_nameless()
                && !self.reported.contains(&key(publisher))
            {
                log::warn!(
                    target: node_name,
                    "'{}' is published by node '{}' as {found}, must be {wanted}: its messages are ignored",
                    self.topic, publisher.node
                );
                self.reported.insert(key(publisher));
            }
        }
    }

    fn mismatch<'a>(&'a self, publisher: &'a Publisher) -> Option<(&'a str, &'a str)> {
        let volatile = (self.durable && publisher.is_volatile).then_some(("volatile", "transient local"));
        publisher.mismatch(&self.type_name, self.reliable).or(volatile)
    }

    /// Adds the state of the topic to `status`.
    pub(crate) fn report(&self, status: &mut Status) {
        status.values.push((format!("{} received", self.topic), self.received.to_string()));
        if self.single && self.publishers.are_several() {
            status.worsen(Level::Warn, format!("'{}': {}", self.topic, self.publishers));
        }
        if let PublisherCount::Known { incompatible: incompatible @ 1.., .. } = self.publishers {
            let key = format!("{} incompatible publishers", self.topic);
            status.values.push((key, incompatible.to_string()));
            let text = format!("'{}' has a publisher of a wrong type or reliability", self.topic);
            status.worsen(Level::Warn, text);
        }
    }
}
