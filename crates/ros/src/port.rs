use std::collections::BTreeSet;

use units::Level;

use crate::{Publisher, Status};

/// What is known of a topic that is listened to: how much came, and who publishes it in vain.
pub(crate) struct Port {
    pub(crate) topic: String,
    type_name: String,
    pub(crate) reliable: bool,
    pub(crate) received: u64,
    /// Publishers that do not fit and were already reported.
    reported: BTreeSet<String>,
    strangers: usize,
    conflict_reported: bool,
    /// Whether more than one publisher is one too many.
    pub(crate) sole: bool,
    pub(crate) publishers: usize,
}

impl Port {
    pub(crate) fn new(topic: String, type_name: String, reliable: bool) -> Self {
        Self {
            topic,
            type_name,
            reliable,
            received: 0,
            reported: BTreeSet::new(),
            strangers: 0,
            conflict_reported: false,
            sole: false,
            publishers: 0,
        }
    }

    /// Takes note of who publishes the topic: the middleware never connects and never mentions those of another type, or
    /// best-effort ones where reliable is asked for. `twin` says whether the topic is listened to best effort as well.
    pub(crate) fn look(&mut self, publishers: &[Publisher], node_name: &str, twin: bool) {
        self.strangers = 0;
        self.publishers = publishers.len();
        // What has gone is reported anew when it comes back: so the memory holds no more than the graph.
        let key = |publisher: &Publisher| format!("{}/{}", publisher.node, publisher.type_name);
        self.reported.retain(|known| publishers.iter().any(|publisher| key(publisher) == *known));
        // Who it is is told once, when it is known.
        let is_conflict = self.sole && publishers.len() > 1 && !publishers.iter().any(Publisher::is_nameless);
        if !std::mem::replace(&mut self.conflict_reported, is_conflict) && is_conflict {
            let names: Vec<_> = publishers.iter().map(|publisher| publisher.node.as_str()).collect();
            log::warn!(
                target: node_name,
                "'{}' has {} publishers, must have one: {}",
                self.topic, names.len(), names.join(", ")
            );
        }
        for publisher in publishers {
            let Some((found, wanted)) = publisher.misfit(&self.type_name, self.reliable && !twin) else {
                continue;
            };
            self.strangers += 1;
            if !publisher.is_nameless() && self.reported.insert(key(publisher)) {
                log::warn!(
                    target: node_name,
                    "'{}' is published by node '{}' as {found}, must be {wanted}: its messages are ignored",
                    self.topic, publisher.node
                );
            }
        }
    }

    /// Adds to `status` what there is to say of the topic.
    pub(crate) fn report(&self, status: &mut Status, twin: bool) {
        let how = if twin && !self.reliable { " best effort" } else { "" };
        status.values.push((format!("{} received{how}", self.topic), self.received.to_string()));
        if self.sole && self.publishers > 1 {
            let text = format!("'{}' has {} publishers, must have one", self.topic, self.publishers);
            status.worsen(Level::Warn, text);
        }
        if self.strangers > 0 {
            status
                .values
                .push((format!("{} publishers that do not fit", self.topic), self.strangers.to_string()));
            let text = format!("'{}' has a publisher of a wrong type or reliability", self.topic);
            status.worsen(Level::Warn, text);
        }
    }
}
