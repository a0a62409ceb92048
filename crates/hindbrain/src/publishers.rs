use safety::Census;

use crate::core::SoleTopic;

/// The publishers of the topics on which one is expected. Each endpoint counts, whatever its node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Publishers {
    counts: [Census; SoleTopic::ALL.len()],
}

impl Publishers {
    /// With `census` for `topic`.
    #[must_use]
    pub const fn with(mut self, topic: SoleTopic, census: Census) -> Self {
        self.counts[topic as usize] = census;
        self
    }

    /// The publishers of `topic`.
    pub const fn of(&self, topic: SoleTopic) -> Census {
        self.counts[topic as usize]
    }
}
