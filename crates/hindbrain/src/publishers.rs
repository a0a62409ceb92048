use safety::PublisherCount;

use crate::core::SoleTopic;

/// The publishers of the topics on which one is expected. Each endpoint counts, whatever its node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Publishers {
    counts: [PublisherCount; SoleTopic::ALL.len()],
}

impl Publishers {
    /// With this `count` for `topic`.
    #[must_use]
    pub const fn with(mut self, topic: SoleTopic, count: PublisherCount) -> Self {
        self.counts[topic as usize] = count;
        self
    }

    /// The publishers of `topic`.
    pub const fn of(&self, topic: SoleTopic) -> PublisherCount {
        self.counts[topic as usize]
    }
}
