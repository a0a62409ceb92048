use std::collections::VecDeque;

/// Rule for an output that waits because a send hangs: whether it may be overtaken or lost.
///
/// Each machine names that of each of its outputs ([`Machine::backlog`](crate::Machine::backlog)), so that a queue of bounded length loses
/// nothing for which another part waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backlog {
    /// It waits, however long that takes: it answers a request, gives something back, begins or ends something. As many of these wait as were
    /// asked for: [`Outbox::is_full`] says when no more must be asked for.
    Each,
    /// A newer output of this number takes its place: a value or a state, of which only the newest counts.
    Newest(u8),
    /// The oldest of many is lost: each of these messages counts, and the newest ones more.
    Recent,
}

impl Backlog {
    /// Makes it that of stage 0 to 7 of a machine of several stages, none of which uses numbers beyond 31.
    #[must_use]
    pub const fn of_stage(self, stage: u8) -> Self {
        match self {
            Self::Newest(number) => Self::Newest(stage * 32 + number),
            other => other,
        }
    }
}

/// The outputs of a machine that wait to be published, in order.
///
/// At most [`MOST_RECENT`](Self::MOST_RECENT) outputs of [`Backlog::Recent`] wait, one of each number of [`Backlog::Newest`], and all of
/// [`Backlog::Each`].
#[derive(Debug)]
pub struct Outbox<O> {
    waiting: VecDeque<(Backlog, O)>,
    /// How many of them are recent ones.
    recent: usize,
}

impl<O> Default for Outbox<O> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), recent: 0 }
    }
}

impl<O> Outbox<O> {
    /// How many outputs of [`Backlog::Recent`] wait at most.
    pub const MOST_RECENT: usize = 1000;

    /// Adds `output`.
    ///
    /// # Real-time
    /// It allocates only if more wait than ever before.
    pub fn push(&mut self, backlog: Backlog, output: O) {
        match backlog {
            Backlog::Each => {}
            // In the place of the older one: at the end, a value that is made more often than the queue is emptied would never get its turn.
            Backlog::Newest(_) => {
                if let Some((_, older)) = self.waiting.iter_mut().find(|(known, _)| *known == backlog) {
                    *older = output;
                    return;
                }
            }
            Backlog::Recent => {
                let oldest = (self.recent == Self::MOST_RECENT)
                    .then(|| self.waiting.iter().position(|(known, _)| *known == backlog));
                match oldest.flatten() {
                    Some(oldest) => drop(self.waiting.remove(oldest)),
                    None => self.recent += 1,
                }
            }
        }
        self.waiting.push_back((backlog, output));
    }

    /// The next output to publish.
    pub fn pop(&mut self) -> Option<O> {
        let (backlog, output) = self.waiting.pop_front()?;
        self.recent -= usize::from(backlog == Backlog::Recent);
        Some(output)
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Whether so much waits that nothing must be asked for that has to be answered.
    pub fn is_full(&self) -> bool {
        self.waiting.len() >= Self::MOST_RECENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(outbox: &mut Outbox<i32>) -> Vec<i32> {
        std::iter::from_fn(|| outbox.pop()).collect()
    }

    #[test]
    fn a_newer_value_takes_the_place_of_the_one_that_waits() {
        let mut outbox = Outbox::default();
        for output in [1, 20, 2, 30, 3] {
            outbox.push(if output < 10 { Backlog::Newest(0) } else { Backlog::Recent }, output);
        }
        outbox.push(Backlog::Newest(1), 4);
        assert_eq!(taken(&mut outbox), [3, 20, 30, 4]);
    }

    #[test]
    fn a_send_that_hangs_for_ever_fills_no_memory_and_loses_nothing_for_which_somebody_waits() {
        let mut outbox = Outbox::default();
        outbox.push(Backlog::Each, -1);
        for output in 0..5000 {
            outbox.push(Backlog::Recent, output);
            outbox.push(Backlog::Newest(7), 10_000 + output);
        }
        outbox.push(Backlog::Each, -2);
        assert!(outbox.is_full());
        let mut expected: Vec<i32> = (4000..5000).collect();
        expected.insert(0, 14_999); // it has kept the place of the first one
        expected.insert(0, -1);
        expected.push(-2);
        assert_eq!(taken(&mut outbox), expected);
        assert!(outbox.is_empty() && !outbox.is_full());
        // The count is right after all that.
        (0..1001).for_each(|output| outbox.push(Backlog::Recent, output));
        assert_eq!(taken(&mut outbox), (1..1001).collect::<Vec<_>>());
    }

    #[test]
    fn the_values_of_two_stages_are_two() {
        assert_ne!(Backlog::Newest(0).of_stage(1), Backlog::Newest(0).of_stage(2));
        assert_eq!(Backlog::Each.of_stage(1), Backlog::Each);
    }
}
