use std::fmt;

use crossbeam_utils::atomic::AtomicCell;

/// Hands over one thing at a time between two threads, in either direction, without a lock.
///
/// The side that takes the thing owns it: a sender that takes it back is sure that the receiver has not got it and never will.
/// # Real-time
/// Both methods are one atomic exchange of a pointer: they never wait, allocate or free.
/// # Source
/// own, on `crossbeam_utils::atomic::AtomicCell`.
pub struct Mailbox<T>(AtomicCell<Option<Box<T>>>);

impl<T> Mailbox<T> {
    /// An empty mailbox.
    pub const fn new() -> Self {
        const { assert!(AtomicCell::<Option<Box<T>>>::is_lock_free()) };
        Self(AtomicCell::new(None))
    }

    /// Puts `thing` in, and returns what was in it: the receiver did not take that.
    #[must_use = "what the receiver did not take is returned"]
    pub fn put(&self, thing: Box<T>) -> Option<Box<T>> {
        self.0.swap(Some(thing))
    }

    /// Takes what is in it.
    pub fn take(&self) -> Option<Box<T>> {
        self.0.take()
    }
}

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Mailbox<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mailbox") // looking inside would take the thing out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_taken_comes_back() {
        let mailbox = Mailbox::new();
        assert_eq!((mailbox.put(Box::new(1)), mailbox.put(Box::new(2))), (None, Some(Box::new(1))));
        assert_eq!((mailbox.take(), mailbox.take()), (Some(Box::new(2)), None));
    }

    /// The sender takes each thing back if it can: each arrives at exactly one of the two.
    #[test]
    fn each_thing_has_one_owner_although_both_take() {
        const COUNT: u64 = 200_000;
        let (mailbox, received) = (Mailbox::new(), AtomicCell::new(0_u64));
        let ended = AtomicCell::new(false);
        let mut returned = 0;
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !ended.load() {
                    if let Some(thing) = mailbox.take() {
                        received.fetch_add(*thing);
                    }
                    std::thread::yield_now();
                }
            });
            for thing in 1..=COUNT {
                returned += mailbox.put(Box::new(thing)).map_or(0, |thing| *thing);
                if thing % 3 == 0 {
                    returned += mailbox.take().map_or(0, |thing| *thing);
                }
            }
            returned += mailbox.take().map_or(0, |thing| *thing);
            ended.store(true);
        });
        returned += mailbox.take().map_or(0, |thing| *thing);
        assert_eq!(received.load() + returned, COUNT * (COUNT + 1) / 2);
    }
}
