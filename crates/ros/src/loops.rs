//! Stages that pass commands on, declared in the graph, so that an earlier stage recognizes its own command.
//!
//! r2r does not report who sent a message, nor which topics a node publishes. So each stage says what it passes on in one latched
//! message on a hidden topic, and counts as long as its node publishes there.

use std::collections::BTreeSet;

use r2r::QosProfile;
use r2r::std_msgs::msg::String as Text;

use crate::{Error, Received, publishers, qos, ready};

/// The hidden topic of the declarations.
const STAGES: &str = "/_steersman/stages";
/// The most declarations that are kept, and wait in the middleware.
const MOST_STAGES: usize = 100;

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
    let declare = |node: &mut r2r::Node| {
        let stage = Stage { from: from.into(), to: to.into(), node: node.fully_qualified_name()? };
        // The publisher lives as long as the node.
        node.create_publisher(STAGES, qos::state())?.publish(&Text { data: stage.message() })
    };
    declare(node).map_err(Error::ros(format!("declare what '{from}' feeds")))
}

/// One declaration.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stage {
    from: String,
    to: String,
    /// The full name of its node.
    node: String,
}

impl Stage {
    fn message(&self) -> String {
        format!("{} {} {}", self.from, self.to, self.node)
    }

    fn parse(message: &str) -> Option<Self> {
        let mut words = message.split(' ').map(str::to_owned);
        let stage = Self { from: words.next()?, to: words.next()?, node: words.next()? };
        words.next().is_none().then_some(stage)
    }
}

/// The stages that are declared in the graph.
pub(crate) struct Stages {
    messages: Received<Text>,
    known: BTreeSet<Stage>,
}

impl Stages {
    /// Receives the declarations by `node`.
    /// # Errors
    /// The middleware refuses the subscription.
    pub(crate) fn open(node: &mut r2r::Node) -> Result<Self, Error> {
        let all = QosProfile::default().reliable().transient_local().keep_last(MOST_STAGES);
        let messages = node.subscribe(STAGES, all).map_err(Error::ros("subscribe to the stages"))?;
        Ok(Self { messages: Box::pin(messages), known: BTreeSet::new() })
    }

    /// Receives what r2r has.
    pub(crate) fn receive(&mut self) {
        for message in ready(&mut self.messages) {
            if self.known.len() < MOST_STAGES {
                self.known.extend(Stage::parse(&message.data));
            }
        }
    }

    /// The topics that carry what stages make of the commands on `from`, directly or by way of further stages. A stage is forgotten
    /// when its node is gone from the graph; while that cannot be read, none is.
    pub(crate) fn fed_by(&mut self, node: &r2r::Node, from: &str) -> BTreeSet<String> {
        let found = publishers(node, STAGES).filter(|found| !found.iter().any(|one| one.is_nameless()));
        if let Some(found) = found {
            self.known.retain(|stage| found.iter().any(|one| one.full_name == stage.node));
        }
        reached(&self.known, from)
    }
}

fn reached(stages: &BTreeSet<Stage>, from: &str) -> BTreeSet<String> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(from) = next.pop() {
        for stage in stages.iter().filter(|stage| stage.from == from) {
            if reached.insert(stage.to.clone()) {
                next.push(&stage.to);
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
        let messages = [
            "/arbitrated /cmd_vel /scaler",
            "/cmd_vel /r/hind/applied /r/hindbrain",
            "/cmd_vel /arbitrated /relay",
            "/other /far /relay",
            "/other /wide",
            "/other /wide /relay more",
            "",
        ];
        let stages: BTreeSet<Stage> = messages.into_iter().filter_map(Stage::parse).collect();
        assert!(stages.iter().all(|stage| messages.contains(&stage.message().as_str())));
        let reached = |from| reached(&stages, from).into_iter().collect::<Vec<_>>();
        assert_eq!(reached("/arbitrated"), ["/arbitrated", "/cmd_vel", "/r/hind/applied"]);
        assert_eq!(reached("/other"), ["/far"]);
        assert_eq!(reached("/far"), Vec::<String>::new());
    }
}
