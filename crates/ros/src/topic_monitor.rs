use std::collections::BTreeSet;

use safety::Level;

use crate::{Publisher, Status};

/// The state of a subscribed topic: how many messages were received, and which publishers are incompatible or too many.
pub(crate) struct TopicMonitor {
    pub(crate) topic: String,
    type_name: String,
    pub(crate) reliable: bool,
    pub(crate) received: u64,
    /// Incompatible publishers that were already logged.
    reported: BTreeSet<String>,
    incompatible: usize,
    conflict_reported: bool,
    /// Whether the topic must have a single publisher.
    pub(crate) single: bool,
    pub(crate) publishers: usize,
}

impl TopicMonitor {
    pub(crate) fn new(topic: String, type_name: String, reliable: bool) -> Self {
        Self {
            topic,
            type_name,
            reliable,
            received: 0,
            reported: BTreeSet::new(),
            incompatible: 0,
            conflict_reported: false,
            single: false,
            publishers: 0,
        }
    }

    /// Checks the topic's publishers: the middleware never connects and never reports publishers of another type, or
    /// best-effort ones where reliable is required. `also_best_effort` is whether the topic is also subscribed to with best
    /// effort.
    pub(crate) fn check(&mut self, publishers: &[Publisher], node_name: &str, also_best_effort: bool) {
        self.incompatible = 0;
        self.publishers = publishers.len();
        // A publisher that left is reported again when it returns, so this list holds no more entries than the graph.
        let key = |publisher: &Publisher| format!("{}/{}", publisher.node, publisher.type_name);
        self.reported.retain(|known| publishers.iter().any(|publisher| key(publisher) == *known));
        // A conflict is logged once, when the names of all publishers are known.
        let is_conflict =
            self.single && publishers.len() > 1 && !publishers.iter().any(Publisher::is_nameless);
        if !std::mem::replace(&mut self.conflict_reported, is_conflict) && is_conflict {
            let names: Vec<_> = publishers.iter().map(|publisher| publisher.node.as_str()).collect();
            log::warn!(
                target: node_name,
                "'{}' has {} publishers, must have one: {}",
                self.topic, names.len(), names.join(", ")
            );
        }
        for publisher in publishers {
            let Some((found, wanted)) =
                publisher.mismatch(&self.type_name, self.reliable && !also_best_effort)
            else {
                continue;
            };
            self.incompatible += 1;
            if !publisher.is_nameless() && self.reported.insert(key(publisher)) {
                log::warn!(
                    target: node_name,
                    "'{}' is published by node '{}' as {found}, must be {wanted}: its messages are ignored",
                    self.topic, publisher.node
                );
            }
        }
    }

    /// Adds the state of the topic to `status`.
    pub(crate) fn report(&self, status: &mut Status, also_best_effort: bool) {
        let how = if also_best_effort && !self.reliable { " best effort" } else { "" };
        status.values.push((format!("{} received{how}", self.topic), self.received.to_string()));
        if self.single && self.publishers > 1 {
            let text = format!("'{}' has {} publishers, must have one", self.topic, self.publishers);
            status.worsen(Level::Warn, text);
        }
        if self.incompatible > 0 {
            status
                .values
                .push((format!("{} incompatible publishers", self.topic), self.incompatible.to_string()));
            let text = format!("'{}' has a publisher of a wrong type or reliability", self.topic);
            status.worsen(Level::Warn, text);
        }
    }
}
