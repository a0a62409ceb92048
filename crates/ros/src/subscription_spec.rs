use params::{Refusal, Set};
use safety::{Census, Machine};

use crate::{Candidate, Publisher};

/// A topic that a node's parameters ask it to subscribe to.
pub struct SubscriptionSpec<M: Machine> {
    /// The parameter that names the topic: `sources.navigation.topic`.
    pub parameter: String,
    /// The topic as the parameter has it.
    pub topic: String,
    /// The index of its messages for the machine.
    pub index: usize,
    /// The message type and QoS.
    pub candidate: Candidate<M>,
    /// The ROS names of all types that a topic of this kind can have. A topic that is published only with other types is
    /// refused.
    pub possible: &'static [&'static str],
    /// The input that reports the publishers of the topic to the machine whenever they change. The machine decides what
    /// follows.
    pub count: Count<M>,
}

/// Makes an input of a topic's index and its publishers.
pub type Count<M> = Box<dyn Fn(usize, Census) -> <M as Machine>::Input + Send>;

impl<M: Machine + 'static> SubscriptionSpec<M> {
    /// Refuses a topic that is published only with types that it cannot have.
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
