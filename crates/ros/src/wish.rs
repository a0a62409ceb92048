use params::{Refusal, Set};
use units::Machine;

use crate::Candidate;
use crate::port::Publisher;

/// A topic that a node's parameters ask it to listen to.
pub struct Wish<M: Machine> {
    /// The parameter that names the topic: `sources.navigation.topic`.
    pub parameter: String,
    /// The topic as the parameter has it.
    pub topic: String,
    /// The index that its messages have for the machine.
    pub index: usize,
    /// The types that it may be heard as, one at a time: that which is published first, until nobody publishes it any more.
    pub candidates: Vec<Candidate<M>>,
    /// The ROS names of all types that anything of its kind can have. A topic that is published, and as none of these, is a
    /// mistake.
    pub possible: &'static [&'static str],
    /// Whether a second node on it is told, since nobody could tell the two apart.
    pub sole: bool,
}

impl<M: Machine + 'static> Wish<M> {
    /// Whether something that is heard as one of `types` in their order is the same.
    pub(crate) fn has_types(&self, candidates: &[Candidate<M>]) -> bool {
        self.candidates.iter().map(Candidate::type_name).eq(candidates.iter().map(Candidate::type_name))
    }

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
