use core::fmt;
use std::time::Duration;

use ros::{Stop, clock};

use crate::NAME;
use crate::error::Error;

/// How long the discovery of other nodes may take. In some starts Fast DDS learns the topics of another process only with
/// that one's next heartbeat, 3 s later.
const DISCOVERY_TIME: Duration = Duration::from_secs(5);
/// How long it is looked for nodes in a domain that no process of this machine is in.
const EMPTY_TIME: Duration = Duration::from_secs(1);
/// How often to check the graph.
const POLL_PERIOD: Duration = Duration::from_millis(50);
/// Topics that nearly every node publishes, which show the names of nodes that only subscribe.
const COMMON_TOPICS: [&str; 2] = ["/parameter_events", "/rosout"];
/// Part of the name of a node that the middleware has not discovered yet.
const NAMELESS: &str = "_UNKNOWN_";

/// The topics of a demo that no other node may use.
#[derive(Clone, Copy, Debug)]
pub struct OwnTopics {
    /// Prefixes of their names.
    pub prefixes: &'static [&'static str],
    /// Topics among them that only report: a subscriber to these does not conflict with the demo.
    pub observed: &'static [&'static str],
}

/// A node that the demo would drive, or that would drive the demo's vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherNode {
    /// The topic.
    topic: String,
    /// The nodes that publish it; empty if it is only subscribed to.
    publishers: Vec<String>,
    /// All named nodes of the domain, one of which is the subscriber.
    candidates: Vec<String>,
}

impl OtherNode {
    /// Whether the node's name is known. A subscriber's name may still be found by a publisher of its own.
    fn is_named(&self) -> bool {
        !self.publishers.is_empty() && !self.publishers.iter().any(|name| name.contains(NAMELESS))
    }
}

impl fmt::Display for OtherNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { topic, publishers, candidates } = self;
        match (&publishers[..], &candidates[..]) {
            ([node, ..], _) => write!(f, "the node '{node}' already publishes '{topic}'"),
            (_, []) => write!(f, "a node already subscribes to '{topic}'"),
            (_, [node]) => write!(f, "the node '{node}' already subscribes to '{topic}'"),
            (_, nodes) => {
                write!(f, "one of the nodes '{}' already subscribes to '{topic}'", nodes.join("', '"))
            }
        }
    }
}

/// Waits until all nodes in the domain are discovered, before the demo starts its own; `is_shared`: whether another process of this
/// machine is in the domain.
/// # Errors
/// Another node publishes or subscribes to one of the topics `own`, or the user interrupted.
pub fn refuse(node: &r2r::Node, stop: &Stop, own: OwnTopics, is_shared: bool) -> Result<(), Error> {
    let publishers = |topic: &str| -> Vec<String> {
        let all = ros::publishers(node, topic).unwrap_or_default();
        all.into_iter().map(|publisher| publisher.full_name).collect()
    };
    let end = clock::now() + if is_shared { DISCOVERY_TIME } else { EMPTY_TIME };
    loop {
        if stop.is_set() {
            return Err(Error::Interrupted);
        }
        // Nothing else finds subscribers. It may crash when a topic has two types, but here nothing is started yet.
        #[allow(clippy::disallowed_methods)]
        let topics = node.get_topic_names_and_types().unwrap_or_default();
        let is_over = clock::now() >= end;
        match find_other_node(topics.into_keys().collect(), own, &publishers) {
            Some(other) if other.is_named() || is_over => return Err(Error::OtherNode(other)),
            None if is_over => return Ok(()),
            _ => std::thread::park_timeout(POLL_PERIOD),
        }
    }
}

/// The first of `topics` that another node uses; topics with a publisher come before those with subscribers only.
fn find_other_node(
    mut topics: Vec<String>,
    own: OwnTopics,
    publishers: &dyn Fn(&str) -> Vec<String>,
) -> Option<OtherNode> {
    topics.retain(|topic| own.prefixes.iter().any(|first| topic.starts_with(first)));
    topics.sort();
    let candidates = || {
        let mut all: Vec<String> = COMMON_TOPICS.into_iter().flat_map(publishers).collect();
        all.retain(|name| name.trim_start_matches('/') != NAME);
        all.sort();
        all.dedup();
        all
    };
    let mut subscribed = None;
    for topic in topics {
        let publishers = publishers(&topic);
        if !publishers.is_empty() {
            return Some(OtherNode { topic, publishers, candidates: Vec::new() });
        }
        if subscribed.is_none() && !own.observed.contains(&topic.as_str()) {
            subscribed = Some(topic);
        }
    }
    subscribed.map(|topic| OtherNode { topic, publishers: Vec::new(), candidates: candidates() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The message for these topics and the nodes that publish them.
    fn message(topics: &[(&str, &[&str])]) -> Option<String> {
        let names = topics.iter().map(|(topic, _)| (*topic).to_owned()).collect();
        let of = |topic: &str| {
            let nodes = topics.iter().find(|(name, _)| *name == topic).map_or(&[][..], |(_, nodes)| nodes);
            nodes.iter().map(|node| (*node).to_owned()).collect()
        };
        find_other_node(names, crate::vehicle::TOPICS, &of).map(|other| other.to_string())
    }

    #[test]
    fn a_publisher_of_a_driving_topic_is_named() {
        let nodes_of_rosout: &[&str] = &["/demo", "/hindbrain"];
        for topic in ["/motor/port", "/hind/state", "/hind/enable", "/cmd_vel", "/cmd_vel_smoothed"] {
            let other =
                message(&[("/rosout", nodes_of_rosout), ("/cmd_vel_x", &[]), (topic, &["/hindbrain"])]);
            assert_eq!(other, Some(format!("the node '/hindbrain' already publishes '{topic}'")));
        }
    }

    #[test]
    fn a_subscriber_is_one_of_the_discovered_nodes() {
        let other = |nodes_of_rosout: &[&str]| message(&[("/rosout", nodes_of_rosout), ("/motor/port", &[])]);
        assert_eq!(other(&["/demo", "/a"]), Some("the node '/a' already subscribes to '/motor/port'".into()));
        let one_of = "one of the nodes '/a', '/b' already subscribes to '/motor/port'";
        assert_eq!(other(&["/b", "/demo", "/a", "/b"]), Some(one_of.into()));
        assert_eq!(other(&["/demo"]), Some("a node already subscribes to '/motor/port'".into()));
    }

    #[test]
    fn observers_and_unrelated_nodes_are_accepted() {
        assert_eq!(message(&[]), None);
        let rosout: &[&str] = &["/demo", "/a"];
        assert_eq!(message(&[("/rosout", rosout), ("/scan", &["/a"]), ("/robot/cmd_vel", &["/a"])]), None);
        assert_eq!(
            message(
                &crate::vehicle::TOPICS.observed.iter().map(|topic| (*topic, &[][..])).collect::<Vec<_>>()
            ),
            None
        );
    }

    #[test]
    fn an_undiscovered_name_is_waited_for() {
        let other = |publishers: &[&str], candidates: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            OtherNode {
                topic: "/cmd_vel".into(),
                publishers: owned(publishers),
                candidates: owned(candidates),
            }
        };
        let nameless = "_NODE_NAMESPACE_UNKNOWN_/_NODE_NAME_UNKNOWN_";
        assert!(other(&["/a"], &[]).is_named());
        assert!(!other(&[nameless], &[]).is_named() && !other(&[], &["/a"]).is_named());
    }
}
