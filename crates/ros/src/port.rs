use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use r2r::qos::ReliabilityPolicy;
use units::Level;

use crate::{Status, clock};

/// How often publishers are counted where one is expected, when nothing asks for it sooner. The graph has an event for its changes,
/// but r2r waits for no event besides its own.
pub const COUNT_PERIOD: Duration = Duration::from_millis(200);

/// Part of what the middleware says of a node whose name it does not know yet.
pub const NAMELESS: &str = "_UNKNOWN_";

/// Somebody who publishes a topic, as the graph has it.
pub(crate) struct Publisher {
    pub(crate) node: String,
    pub(crate) type_name: String,
    pub(crate) best_effort: bool,
}

/// Who publishes `topic`, which is a name in the graph; `None` if the middleware cannot tell.
pub(crate) fn look_up(node: &r2r::Node, topic: &str) -> Option<Vec<Publisher>> {
    let all = node.get_publishers_info_by_topic(topic, false).ok()?;
    let publishers = all.into_iter().map(|info| Publisher {
        best_effort: matches!(info.qos_profile.reliability, ReliabilityPolicy::BestEffort),
        node: info.node_name,
        type_name: info.topic_type,
    });
    Some(publishers.collect())
}

/// The same; nobody if the middleware cannot tell.
pub(crate) fn publishers(node: &r2r::Node, topic: &str) -> Vec<Publisher> {
    look_up(node, topic).unwrap_or_default()
}

/// How many publishers `topic`, a name in the graph, has, whatever their types; `None` if the middleware cannot tell.
pub fn count_publishers(node: &r2r::Node, topic: &str) -> Option<usize> {
    look_up(node, topic).map(|publishers| publishers.len())
}

/// Waits until each of `topics`, names in the graph, is published, one second at the most: the middleware takes some tenths of a
/// second to find who does.
pub fn wait_for_publishers(node: &r2r::Node, topics: impl IntoIterator<Item = String>) {
    const PATIENCE: Duration = Duration::from_secs(1);
    let end = clock::now() + PATIENCE;
    for topic in topics {
        while publishers(node, &topic).is_empty() && clock::now() < end {
            thread::park_timeout(Duration::from_millis(10));
        }
    }
}

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
        let is_nameless = |publisher: &Publisher| publisher.node.contains(NAMELESS);
        let is_conflict = self.sole && publishers.len() > 1 && !publishers.iter().any(is_nameless);
        if !std::mem::replace(&mut self.conflict_reported, is_conflict) && is_conflict {
            let names: Vec<_> = publishers.iter().map(|publisher| publisher.node.as_str()).collect();
            log::warn!(
                target: node_name,
                "'{}' has {} publishers, must have one: {}",
                self.topic, names.len(), names.join(", ")
            );
        }
        for publisher in publishers {
            let (found, wanted) = if publisher.type_name != self.type_name {
                (publisher.type_name.as_str(), self.type_name.as_str())
            } else if self.reliable && publisher.best_effort && !twin {
                ("best effort", "reliable")
            } else {
                continue;
            };
            self.strangers += 1;
            if !is_nameless(publisher) && self.reported.insert(key(publisher)) {
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
