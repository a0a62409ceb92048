use core::fmt;
use std::time::Duration;

use ros::{Stop, clock};

use crate::NAME;
use crate::trouble::Trouble;

/// How long somebody may take to be seen in the graph.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often to look.
const LOOK: Duration = Duration::from_millis(50);
/// What only tells: who listens to these watches, and whoever wants to may.
const TOLD: [&str; 4] = ["/hind/applied", "/hind/leds", "/hind/state", "/hind/state_detail"];
/// What nearly every node publishes, by which those are named that only listen.
const EVERYBODYS: [&str; 2] = ["/parameter_events", "/rosout"];
/// Part of what the middleware says of a node whose name it does not know yet.
const NAMELESS: &str = "_UNKNOWN_";

/// Somebody whom the demo would drive, or who would drive the demo's vehicle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Met {
    /// The topic.
    topic: String,
    /// The nodes that publish it; empty if somebody only listens to it.
    publishers: Vec<String>,
    /// All nodes of the domain that have a name, one of which is the listener.
    candidates: Vec<String>,
}

impl Met {
    /// Whether it is said by name who; a listener's name may still be found by a publisher of its own.
    fn is_named(&self) -> bool {
        !self.publishers.is_empty() && !self.publishers.iter().any(|name| name.contains(NAMELESS))
    }
}

impl fmt::Display for Met {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { topic, publishers, candidates } = self;
        match (&publishers[..], &candidates[..]) {
            ([node, ..], _) => write!(f, "the node '{node}' already publishes '{topic}'"),
            (_, []) => write!(f, "a node already listens to '{topic}'"),
            (_, [node]) => write!(f, "the node '{node}' already listens to '{topic}'"),
            (_, nodes) => write!(f, "one of the nodes '{}' already listens to '{topic}'", nodes.join("', '")),
        }
    }
}

/// Waits until everybody in the domain is known, before anything of the demo is there.
/// # Errors
/// Somebody is there already who has to do with motors or commands, or the user wishes to end.
pub fn refuse(node: &r2r::Node, stop: &Stop) -> Result<(), Trouble> {
    let publishers = |topic: &str| -> Vec<String> {
        let all = ros::publishers(node, topic).unwrap_or_default();
        all.into_iter().map(|publisher| publisher.full_name).collect()
    };
    let end = clock::now() + PATIENCE;
    loop {
        if stop.is_set() {
            return Err(Trouble::Interrupted);
        }
        let topics = node.get_topic_names_and_types().unwrap_or_default();
        let is_over = clock::now() >= end;
        match meet(topics.into_keys().collect(), &publishers) {
            Some(met) if met.is_named() || is_over => return Err(Trouble::Met(met)),
            None if is_over => return Ok(()),
            _ => std::thread::park_timeout(LOOK),
        }
    }
}

/// Whether the demo or its nodes drive with this topic.
fn drives(topic: &str) -> bool {
    ["/motor/", "/hind/", "/cmd_vel"].iter().any(|first| topic.starts_with(first))
}

/// The first of `topics` that speaks of somebody else, those with a publisher before those with listeners alone.
fn meet(mut topics: Vec<String>, publishers: &dyn Fn(&str) -> Vec<String>) -> Option<Met> {
    topics.retain(|topic| drives(topic));
    topics.sort();
    let candidates = || {
        let mut all: Vec<String> = EVERYBODYS.into_iter().flat_map(publishers).collect();
        all.retain(|name| name.trim_start_matches('/') != NAME);
        all.sort();
        all.dedup();
        all
    };
    let mut listened = None;
    for topic in topics {
        let publishers = publishers(&topic);
        if !publishers.is_empty() {
            return Some(Met { topic, publishers, candidates: Vec::new() });
        }
        if listened.is_none() && !TOLD.contains(&topic.as_str()) {
            listened = Some(topic);
        }
    }
    listened.map(|topic| Met { topic, publishers: Vec::new(), candidates: candidates() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said where these topics are, of which each is published by these nodes.
    fn said(topics: &[(&str, &[&str])]) -> Option<String> {
        let names = topics.iter().map(|(topic, _)| (*topic).to_owned()).collect();
        let of = |topic: &str| {
            let nodes = topics.iter().find(|(name, _)| *name == topic).map_or(&[][..], |(_, nodes)| nodes);
            nodes.iter().map(|node| (*node).to_owned()).collect()
        };
        meet(names, &of).map(|met| met.to_string())
    }

    #[test]
    fn whoever_publishes_what_the_demo_drives_with_is_named() {
        let everybody: &[&str] = &["/demo", "/hindbrain"];
        for topic in ["/motor/port", "/hind/state", "/hind/enable", "/cmd_vel", "/cmd_vel_smoothed"] {
            let met = said(&[("/rosout", everybody), ("/cmd_vel_x", &[]), (topic, &["/hindbrain"])]);
            assert_eq!(met, Some(format!("the node '/hindbrain' already publishes '{topic}'")));
        }
    }

    #[test]
    fn whoever_only_listens_is_one_of_those_who_are_there() {
        let met = |everybody: &[&str]| said(&[("/rosout", everybody), ("/motor/port", &[])]);
        assert_eq!(met(&["/demo", "/a"]), Some("the node '/a' already listens to '/motor/port'".into()));
        let one_of = "one of the nodes '/a', '/b' already listens to '/motor/port'";
        assert_eq!(met(&["/b", "/demo", "/a", "/b"]), Some(one_of.into()));
        assert_eq!(met(&["/demo"]), Some("a node already listens to '/motor/port'".into()));
    }

    #[test]
    fn who_watches_or_does_something_else_is_left_alone() {
        assert_eq!(said(&[]), None);
        let rosout: &[&str] = &["/demo", "/a"];
        assert_eq!(said(&[("/rosout", rosout), ("/scan", &["/a"]), ("/robot/cmd_vel", &["/a"])]), None);
        assert_eq!(said(&TOLD.map(|topic| (topic, &[][..]))), None);
    }

    #[test]
    fn a_name_that_is_not_known_yet_is_waited_for() {
        let met = |publishers: &[&str], candidates: &[&str]| {
            let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
            Met { topic: "/cmd_vel".into(), publishers: owned(publishers), candidates: owned(candidates) }
        };
        let nameless = "_NODE_NAMESPACE_UNKNOWN_/_NODE_NAME_UNKNOWN_";
        assert!(met(&["/a"], &[]).is_named());
        assert!(!met(&[nameless], &[]).is_named() && !met(&[], &["/a"]).is_named());
    }
}
