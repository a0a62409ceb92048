use crate::PublisherId;

/// How many nodes publish a topic on which one publisher is expected, of any type.
///
/// r2r does not report the publisher of a message. So a message that was received while there were several publishers never
/// counts: the publisher that is left may not be the one that sent it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PublisherCount(usize);

impl PublisherCount {
    /// Records `count` publishers; [`usize::MAX`] if the graph could not be read. Returns whether earlier messages no longer count.
    #[must_use]
    pub const fn set(&mut self, count: usize) -> bool {
        let were_several = self.are_several();
        self.0 = count;
        were_several || self.are_several()
    }

    /// The number of publishers.
    pub const fn get(self) -> usize {
        self.0
    }

    /// Whether there is more than one.
    pub const fn are_several(self) -> bool {
        self.0 > 1
    }
}

/// Counts the publishers of a topic that one and the same is expected to publish.
///
/// A publisher that takes the place of another counts beside it, once: its messages do not continue those of the other one, however
/// soon they follow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Succession(Option<PublisherId>);

impl Succession {
    /// Number of publishers that count, of those that are `found` now.
    pub fn count(&mut self, found: impl ExactSizeIterator<Item = PublisherId>) -> usize {
        let count = found.len();
        let Some(last) = found.last().filter(|_| count == 1) else { return count };
        let is_another = self.0.replace(last).is_some_and(|before| before != last);
        1 + usize::from(is_another)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_received_beside_a_second_publisher_never_counts() {
        let mut publishers = PublisherCount::default();
        for (count, forgets, several) in [
            (1, false, false),
            (2, true, true),
            (3, true, true),
            (1, true, false),
            (0, false, false),
            (usize::MAX, true, true),
        ] {
            assert_eq!((publishers.set(count), publishers.are_several()), (forgets, several), "{count}");
            assert_eq!(publishers.get(), count);
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
            assert_eq!(succession.count(found.iter().map(|id| PublisherId([*id; 24]))), count, "{found:?}");
        }
    }
}
