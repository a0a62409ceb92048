//! The publishers of a topic in the graph.
//!
//! A DDS participant cannot have one topic with two types, and which publisher is discovered first is a race. So the types of commands are
//! parameters, and a publisher of another type is a conflict or a warning.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use r2r::qos::{DurabilityPolicy, ReliabilityPolicy};
use safety::{Instant, PublisherCount, PublisherId};

use crate::{clock, panics};

/// The period at which publishers are counted while it matters: a conflict is known within 0.2 s with a margin, and an arbiter's
/// lock takes longer to open. The graph reports its changes, but r2r waits for no event besides its own.
const COUNT_PERIOD: Duration = Duration::from_millis(100);
/// The period at rest. A node that can move nothing is at rest when it received nothing for this time.
const REST_PERIOD: Duration = Duration::from_secs(1);

/// When a node counts the publishers of the topics that must have one: every [`COUNT_PERIOD`] while messages come or something
/// may move, otherwise once a second, and before the first message after a silence. So no message is delivered later than
/// [`COUNT_PERIOD`] after a count.
pub(crate) struct CountSchedule {
    /// The latest time of the next count.
    pub(crate) due: Instant,
    received: Instant,
}

impl CountSchedule {
    /// A first count at `now`.
    pub(crate) fn new(now: Instant) -> Self {
        Self { due: now, received: now }
    }

    /// Whether to count at `now`, before messages are delivered if some were `received`. `may_move` is what the machine says.
    pub(crate) fn is_due(&mut self, now: Instant, received: bool, may_move: bool) -> bool {
        let silence = now.since(self.received);
        if received {
            self.received = now;
        }
        let is_at_rest = !received && !may_move && silence >= REST_PERIOD;
        let next = now + if is_at_rest { REST_PERIOD } else { COUNT_PERIOD };
        let is_due = now >= self.due || received && silence >= COUNT_PERIOD;
        self.due = if is_due { next } else { next.min(self.due) };
        is_due
    }
}

/// Part of the name of a node that the middleware has not discovered yet.
const NAMELESS: &str = "_UNKNOWN_";

/// A publisher in the graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publisher {
    /// Its identity, which no other publisher had or will have.
    pub id: PublisherId,
    /// The name of its node, without a namespace.
    pub node: String,
    /// The namespace and the name of its node.
    pub full_name: String,
    /// The message type: `std_msgs/msg/Bool`.
    pub type_name: String,
    /// Whether its messages may be lost.
    pub is_best_effort: bool,
    /// Whether it keeps no message for those that subscribe later.
    pub is_volatile: bool,
}

impl Publisher {
    /// Whether the middleware has not yet discovered which node it belongs to.
    pub fn is_nameless(&self) -> bool {
        self.full_name.contains(NAMELESS)
    }

    /// The offered and the required type or reliability, if a subscription to `type_name` does not receive its messages. The
    /// middleware never connects the two and does not report it.
    pub fn mismatch<'a>(&'a self, type_name: &'a str, reliable: bool) -> Option<(&'a str, &'a str)> {
        if self.type_name != type_name {
            Some((&self.type_name, type_name))
        } else if reliable && self.is_best_effort {
            Some(("best effort", "reliable"))
        } else {
            None
        }
    }
}

/// The publishers of `topic`, a name in the graph; `None` if the graph cannot be read, which does not prove that there are
/// none.
///
/// r2r 0.9 panics at an endpoint whose lifespan, deadline or lease has more than 10^9 - 1 nanoseconds beside its seconds, which
/// the middleware passes on unchanged. The list is lost then, so it counts as one that cannot be read.
pub fn publishers(node: &r2r::Node, topic: &str) -> Option<Vec<Publisher>> {
    static IS_REPORTED: AtomicBool = AtomicBool::new(false);
    let all = panics::contain(|| node.get_publishers_info_by_topic(topic, false));
    if all.is_none() && !IS_REPORTED.swap(true, Ordering::Relaxed) {
        log::error!(
            "the publishers of '{topic}' cannot be counted: one of them has a lifespan, deadline or lease of more than \
             999999999 nanoseconds beside its seconds; end it, or correct its QoS profile"
        );
    }
    let all = all?.ok()?;
    let publishers = all.into_iter().map(|info| Publisher {
        id: id_of(&info.endpoint_gid),
        is_best_effort: matches!(info.qos_profile.reliability, ReliabilityPolicy::BestEffort),
        is_volatile: matches!(info.qos_profile.durability, DurabilityPolicy::Volatile),
        full_name: format!("{}/{}", info.node_namespace.trim_end_matches('/'), info.node_name),
        node: info.node_name,
        type_name: info.topic_type,
    });
    Some(publishers.collect())
}

/// The identity of the endpoint with this GID, whose length depends on the version of ROS.
fn id_of(gid: &[u8]) -> PublisherId {
    let mut id = PublisherId([0; 24]);
    id.0.iter_mut().zip(gid).for_each(|(to, from)| *to = *from);
    id
}

/// Counts the publishers that [`publishers`] found.
pub fn count(found: Option<&[Publisher]>, is_compatible: impl Fn(&Publisher) -> bool) -> PublisherCount {
    found.map_or(PublisherCount::Unknown, |found| {
        let compatible = found.iter().filter(|publisher| is_compatible(publisher)).count();
        PublisherCount::Known { compatible, incompatible: found.len() - compatible }
    })
}

/// Waits until each of `topics`, names in the graph, is published, for one second at most: the middleware takes some tenths of
/// a second to discover a publisher.
pub fn wait_for_publishers(node: &r2r::Node, topics: impl IntoIterator<Item = String>) {
    const LONGEST: Duration = Duration::from_secs(1);
    let end = clock::now() + LONGEST;
    for topic in topics {
        while publishers(node, &topic).unwrap_or_default().is_empty() && clock::now() < end {
            thread::park_timeout(Duration::from_millis(10));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The times of the counts \[ms\] in three seconds with a wake-up every 10 ms, `received` of which has messages.
    fn counts(may_move: bool, received: impl Fn(u64) -> bool) -> Vec<u64> {
        let mut schedule = CountSchedule::new(Instant::ZERO);
        let is_due = |at: &u64| schedule.is_due(Instant::from_millis(*at), received(*at), may_move);
        (0..3000).step_by(10).filter(is_due).collect()
    }

    #[test]
    fn publishers_are_counted_once_a_second_at_rest() {
        let tenths: Vec<u64> = (0..30).map(|tenth| tenth * 100).collect();
        assert_eq!(counts(false, |_| false), [&tenths[..=10], &[2000]].concat());
        assert_eq!(counts(true, |_| false), tenths);
        assert_eq!(counts(false, |at| at % 900 == 0), tenths);
        assert_eq!(counts(false, |_| true), tenths);
    }

    #[test]
    fn the_first_message_after_a_rest_is_delivered_after_a_count() {
        let counts = counts(false, |at| at == 1090 || at == 2050 || at == 2060);
        let (before, after) = counts.split_at(counts.partition_point(|&at| at < 2050));
        assert_eq!(before.last(), Some(&1990));
        assert_eq!(after[..2], [2050, 2150]);
    }

    #[test]
    fn motion_is_noticed_within_the_period_of_motion() {
        let mut schedule = CountSchedule::new(Instant::ZERO);
        let mut is_due = |at, may_move| schedule.is_due(Instant::from_millis(at), false, may_move);
        assert!(is_due(1000, false));
        assert!(!is_due(1500, true));
        assert!(is_due(1600, true));
    }

    fn publisher(type_name: &str, is_best_effort: bool) -> Publisher {
        let id = PublisherId([0; 24]);
        Publisher {
            id,
            node: "n".into(),
            full_name: "/n".into(),
            type_name: type_name.into(),
            is_best_effort,
            is_volatile: true,
        }
    }

    #[test]
    fn one_of_another_type_or_best_effort_does_not_fit() {
        let bool = "std_msgs/msg/Bool";
        assert_eq!(publisher(bool, false).mismatch(bool, true), None);
        assert_eq!(publisher(bool, true).mismatch(bool, true), Some(("best effort", "reliable")));
        assert_eq!(publisher(bool, true).mismatch(bool, false), None);
        let other = publisher("std_msgs/msg/Int16", true);
        assert_eq!(other.mismatch(bool, true), Some(("std_msgs/msg/Int16", bool)));
    }

    #[test]
    fn a_graph_that_cannot_be_read_is_no_proof_that_there_is_one_publisher() {
        let [fits, other] = ["a", "b"].map(|type_name| publisher(type_name, false));
        let count = |found: Option<&[Publisher]>| super::count(found, |publisher| publisher.type_name == "a");
        assert_eq!(count(None), PublisherCount::Unknown);
        assert!(count(None).is_conflict());
        assert_eq!(count(Some(&[])), PublisherCount::of(0));
        assert_eq!(
            count(Some(&[fits.clone(), other, fits])),
            PublisherCount::Known { compatible: 2, incompatible: 1 }
        );
    }
}
