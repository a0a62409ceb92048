use core::fmt;

use safety::PublisherCount;

use crate::Invalid;

/// Why nothing is published for a switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Silence {
    /// The node's life cycle is not in the state active, or it ends.
    Inactive,
    /// The source's publishers were not counted lately: the thread that reads the middleware hangs, or has not begun.
    NotCounted,
    /// The source has no publisher.
    NoPublisher,
    /// The source has several publishers, or one that cannot be received.
    Conflict(PublisherCount),
    /// Nothing was received from the source's present publisher.
    NotReceived,
    /// Latched messages may follow one another: the last one is not yet known.
    Settling,
    /// The last message is older than the switch's timeout.
    TimedOut,
    /// The process was held, so the last message may be old.
    Held,
    /// The last message says nothing.
    Invalid(Invalid),
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Inactive => f.write_str("the node is not active"),
            Self::NotCounted => f.write_str("the publishers of its source were not counted lately"),
            Self::NoPublisher => f.write_str("its source has no publisher"),
            Self::Conflict(publishers) => write!(f, "its source is in conflict: {publishers}"),
            Self::NotReceived => f.write_str("nothing was received from the publisher of its source"),
            Self::Settling => f.write_str("the last word of its source is not yet known"),
            Self::TimedOut => f.write_str("its source is silent for longer than its timeout"),
            Self::Held => f.write_str("nothing was received since this process was held"),
            Self::Invalid(reason) => write!(f, "the last message of its source {reason}"),
        }
    }
}
