//! The publishers of a topic on which one is expected: who they are, and how many.

use core::fmt;

/// A publisher of a topic, of all that ever were: a node that is started again, or renamed, has another one.
///
/// # Source
/// The GID of a DDS endpoint; 16 bytes since ROS 2 Iron, 24 before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublisherId(pub [u8; 24]);

/// How many publishers one topic has: every endpoint in the graph counts, of any type, any QoS and any node name.
///
/// r2r does not report the publisher of a message. So a message that was received while there were several publishers never
/// counts: the publisher that is left may not be the one that sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublisherCount {
    /// The graph could not be read: that counts as a conflict.
    Unknown,
    /// The counts.
    Known {
        /// Publishers whose messages can be received.
        compatible: usize,
        /// Publishers of another type or reliability, whose messages cannot be received.
        incompatible: usize,
    },
    /// It carries what a later stage made of the counting node's own commands: that counts as a conflict.
    Loop,
}

impl PublisherCount {
    /// No publisher.
    pub const NONE: Self = Self::of(0);

    /// This many compatible publishers.
    pub const fn of(compatible: usize) -> Self {
        Self::Known { compatible, incompatible: 0 }
    }

    /// The number of publishers of any kind; `None` if it is not known, or means nothing because the topic is a loop.
    pub const fn total(self) -> Option<usize> {
        match self {
            Self::Known { compatible, incompatible } => Some(compatible.saturating_add(incompatible)),
            Self::Unknown | Self::Loop => None,
        }
    }

    /// Whether there is more than one publisher, or one whose messages are not received.
    pub fn is_conflict(self) -> bool {
        self.are_several() || matches!(self, Self::Known { incompatible: 1.., .. })
    }

    /// Whether there is more than one publisher of any kind, the number is not known, or the topic is a loop.
    pub fn are_several(self) -> bool {
        self.total().is_none_or(|total| total > 1)
    }

    /// Whether its only publisher is one whose messages are not received.
    pub const fn is_unfit(self) -> bool {
        matches!(self, Self::Known { compatible: 0, incompatible: 1 })
    }

    /// Whether there is a publisher of any kind, or the number is not known.
    pub fn is_any(self) -> bool {
        self.total() != Some(0)
    }

    /// Records a new count. Returns whether the messages that were received so far no longer count.
    #[must_use]
    pub fn update(&mut self, count: Self) -> bool {
        core::mem::replace(self, count).are_several() || count.are_several()
    }
}

impl Default for PublisherCount {
    fn default() -> Self {
        Self::NONE
    }
}

impl fmt::Display for PublisherCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unknown => f.write_str("its publishers cannot be read from the graph"),
            Self::Loop => {
                f.write_str("its topic carries this node's own command, passed on by a later stage")
            }
            Self::Known { compatible, incompatible: 0 } => write!(f, "{compatible} publishers, must be 1"),
            Self::Known { compatible, incompatible } => {
                let all = compatible.saturating_add(incompatible);
                write!(f, "ignores {incompatible} of {all} publishers: another type, or best effort")
            }
        }
    }
}

/// Counts the publishers of a topic that one and the same is expected to publish.
///
/// A publisher that takes the place of another counts beside it, once: its messages do not continue those of the other one, however
/// soon they follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Succession(Option<PublisherId>);

impl Succession {
    /// Number of publishers that count, of those that are `found` now; `None` if the graph could not be read.
    pub fn count(&mut self, found: Option<&[PublisherId]>) -> PublisherCount {
        match found {
            None => PublisherCount::Unknown,
            Some(&[only]) => {
                let is_another = self.0.replace(only).is_some_and(|before| before != only);
                PublisherCount::of(1 + usize::from(is_another))
            }
            Some(found) => PublisherCount::of(found.len()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn none_and_one_compatible_publisher_are_no_conflict() {
        for (compatible, incompatible, conflict, several, any) in [
            (0, 0, false, false, false),
            (1, 0, false, false, true),
            (0, 1, true, false, true),
            (1, 1, true, true, true),
            (2, 0, true, true, true),
            (usize::MAX, 1, true, true, true),
        ] {
            let count = PublisherCount::Known { compatible, incompatible };
            assert_eq!(
                (count.is_conflict(), count.are_several(), count.is_any()),
                (conflict, several, any),
                "{compatible} {incompatible}"
            );
        }
        for count in [PublisherCount::Unknown, PublisherCount::Loop] {
            assert!(count.is_conflict() && count.are_several() && count.is_any(), "{count:?}");
        }
    }

    #[test]
    fn a_conflict_is_displayed() {
        let text = |compatible, incompatible| PublisherCount::Known { compatible, incompatible }.to_string();
        assert_eq!(text(2, 0), "2 publishers, must be 1");
        assert_eq!(text(1, 1), "ignores 1 of 2 publishers: another type, or best effort");
        assert!(PublisherCount::Unknown.to_string().contains("cannot be read"));
    }

    #[test]
    fn a_message_received_beside_a_second_publisher_never_counts() {
        let mut publishers = PublisherCount::default();
        for (count, forgets, several) in [
            (PublisherCount::of(1), false, false),
            (PublisherCount::of(2), true, true),
            (PublisherCount::of(3), true, true),
            (PublisherCount::of(1), true, false),
            (PublisherCount::NONE, false, false),
            (PublisherCount::Unknown, true, true),
        ] {
            assert_eq!((publishers.update(count), publishers.are_several()), (forgets, several), "{count:?}");
            assert_eq!(publishers, count);
        }
    }

    #[test]
    fn a_publisher_that_takes_the_place_of_another_counts_beside_it_once() {
        let mut succession = Succession::default();
        let cases: [(&[u8], usize); 9] = [
            (&[], 0),
            (&[1], 1),
            (&[1], 1),
            (&[2], 2),
            (&[2], 1),
            (&[], 0),
            (&[2], 1),
            (&[2, 3], 2),
            (&[3], 2),
        ];
        for (found, count) in cases {
            let ids: Vec<_> = found.iter().map(|id| PublisherId([*id; 24])).collect();
            assert_eq!(succession.count(Some(&ids)), PublisherCount::of(count), "{found:?}");
        }
        assert_eq!(succession.count(None), PublisherCount::Unknown);
    }
}
