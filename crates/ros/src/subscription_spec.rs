use params::{Refusal, Set};
use units::{Census, Machine};

use crate::{Candidate, Publisher};

/// A topic that a node's parameters ask it to subscribe to.
pub struct SubscriptionSpec<M: Machine> {
    /// The parameter that names the topic: `sources.navigation.topic`.
    pub parameter: String,
    /// The topic as the parameter has it.
    pub topic: String,
    /// The index that its messages have for the machine.
    pub index: usize,
    /// How it is listened to.
    pub candidate: Candidate<M>,
    /// The ROS names of all types that anything of its kind can have. A topic that is published, and as none of these, is a
    /// mistake.
    pub possible: &'static [&'static str],
    /// The input that gives the machine the publishers of the topic with this index, whenever they change: what follows is its
    /// decision.
    pub count: Count<M>,
}

/// Makes of an index and the publishers of its topic what the machine is to know.
pub type Count<M> = Box<dyn Fn(usize, Census) -> <M as Machine>::Input + Send>;

impl<M: Machine + 'static> SubscriptionSpec<M> {
    /// Refuses a topic that is published, and only as types that it cannot have.
    pub(crate) fn check_publishers(&self, after: &Set, publishers: &[Publisher]) -> Result<(), Refusal> {
        let fits = |publisher: &Publisher| self.possible.contains(&publisher.type_name.as_str());
        match publishers.first() {
            Some(first) if !publishers.iter().any(fits) => Err(after.refuse(
                &self.parameter,
                format!(
                    "must be a topic of {}, and node '{}' publishes it as {}",
                    self.possible.join(" or "),
                    first.node,
                    first.type_name
                ),
            )),
            _ => Ok(()),
        }
    }
}
