//! Stages that pass commands on, declared in the graph, so that an earlier stage recognizes its own command.
//!
//! r2r does not report who sent a message, nor which node subscribes to a topic. So each stage declares its way in the graph, by a
//! publisher without messages on a hidden topic that names both ends. It appears and vanishes with its node.

use std::collections::{BTreeSet, HashMap};

use r2r::QosProfile;
use r2r::std_msgs::msg::Empty;

use crate::Error;

/// Between the two ends in the name of the hidden topic.
const MARK: &str = "/_steersman_feeds";

/// Declares that `node` publishes on `to` what it makes of the commands on `from`; both are names in the graph.
/// # Errors
/// Both are the same topic: the node would receive its own commands. Or the middleware refuses the declaration.
pub fn declare_stage(node: &mut r2r::Node, from: &str, to: &str) -> Result<(), Error> {
    if from == to {
        return Err(Error::Start(format!(
            "this node publishes on '{to}', which it also subscribes to: it would receive its own commands; let it publish another \
             topic, or subscribe to another one"
        )));
    }
    let mark = format!("{from}{MARK}{to}");
    node.create_publisher::<Empty>(&mark, QosProfile::default())
        .map(|_| ()) // it lives as long as the node
        .map_err(Error::ros(format!("declare what '{from}' feeds")))
}

/// The topics that carry what stages make of the commands on `from`, directly or by way of further stages; none if the graph cannot
/// be read.
pub(crate) fn fed_by(node: &r2r::Node, from: &str) -> BTreeSet<String> {
    node.get_topic_names_and_types().map_or_else(|_| BTreeSet::new(), |topics| reached(&topics, from))
}

fn reached<T>(topics: &HashMap<String, T>, from: &str) -> BTreeSet<String> {
    let ways: Vec<(&str, &str)> = topics.keys().filter_map(|name| name.split_once(MARK)).collect();
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(from) = next.pop() {
        for (_, to) in ways.iter().filter(|(start, _)| *start == from) {
            if reached.insert((*to).to_owned()) {
                next.push(to);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_feeds_is_followed_through_all_stages_and_in_circles() {
        let topics = [
            "/arbitrated/_steersman_feeds/cmd_vel",
            "/cmd_vel/_steersman_feeds/r/hind/applied",
            "/cmd_vel/_steersman_feeds/arbitrated",
            "/other/_steersman_feeds/far",
            "/arbitrated",
        ];
        let topics: HashMap<String, ()> = topics.into_iter().map(|name| (name.to_owned(), ())).collect();
        let reached = |from| reached(&topics, from).into_iter().collect::<Vec<_>>();
        assert_eq!(reached("/arbitrated"), ["/arbitrated", "/cmd_vel", "/r/hind/applied"]);
        assert_eq!(reached("/other"), ["/far"]);
        assert_eq!(reached("/far"), Vec::<String>::new());
    }
}
