use std::time::Duration;

use safety::Instant;

/// Time divided into slots of equal length, each with its beginning and one more moment, the phase, within.
#[derive(Clone, Debug)]
pub struct Slots {
    length: Duration,
    next: Instant,
    phase: Option<Instant>,
    count: u64,
    late: Duration,
}

/// A moment that has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A slot begins.
    Beginning,
    /// The phase within the slot.
    Phase,
}

impl Slots {
    /// Slots of this length, the first of which begins at `now`.
    pub fn new(length: Duration, now: Instant) -> Self {
        Self { length, next: now, phase: None, count: 0, late: Duration::ZERO }
    }

    /// The next moment that has come by `now`; `phase` is that of a slot that begins, less than its length. A slot that
    /// comes late by more than its length shifts all later ones: missed slots are not made up for by a burst.
    pub fn take(&mut self, now: Instant, phase: Duration) -> Option<Moment> {
        if self.phase.take_if(|due| *due <= now).is_some() {
            return Some(Moment::Phase);
        }
        if self.next > now {
            return None;
        }
        let late = now.since(self.next);
        self.late = self.late.max(late);
        let begins = if late < self.length { self.next } else { now };
        self.next = begins + self.length;
        self.phase = Some(begins + phase);
        self.count += 1;
        Some(Moment::Beginning)
    }

    /// When the next moment comes.
    pub fn deadline(&self) -> Instant {
        self.phase.map_or(self.next, |due| due.min(self.next))
    }

    /// Whether this is one of every `n` slots.
    pub fn is_one_of(&self, n: u64) -> bool {
        self.count.is_multiple_of(n)
    }

    /// By how much a slot began late at most, since this was last forgotten.
    pub fn late(&self) -> Duration {
        self.late
    }

    /// Forgets how late slots were.
    pub fn forget_late(&mut self) {
        self.late = Duration::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::Moment::{Beginning, Phase};
    use super::*;

    const LENGTH: Duration = Duration::from_millis(20);

    /// The moments that have come by `now` \[ms], with a phase of 7 ms.
    fn moments(slots: &mut Slots, now: u64) -> Vec<Moment> {
        let mut take = || slots.take(Instant::from_millis(now), Duration::from_millis(7));
        std::iter::from_fn(&mut take).collect()
    }

    #[test]
    fn beginnings_and_phases_alternate() {
        let mut slots = Slots::new(LENGTH, Instant::from_millis(100));
        for (now, expected) in
            [(99, vec![]), (100, vec![Beginning]), (106, vec![]), (107, vec![Phase]), (120, vec![Beginning])]
        {
            assert_eq!(moments(&mut slots, now), expected, "at {now} ms");
        }
        assert_eq!(slots.deadline(), Instant::from_millis(127));
        assert!(slots.is_one_of(2), "two slots have begun");
    }

    #[test]
    fn a_little_late_shifts_nothing() {
        let mut slots = Slots::new(LENGTH, Instant::from_millis(100));
        assert_eq!(moments(&mut slots, 119), [Beginning, Phase]);
        assert_eq!(slots.deadline(), Instant::from_millis(120));
        assert_eq!(slots.late(), Duration::from_millis(19));
        slots.forget_late();
        assert_eq!(slots.late(), Duration::ZERO);
    }

    #[test]
    fn much_too_late_shifts_all_instead_of_a_burst() {
        let mut slots = Slots::new(LENGTH, Instant::from_millis(100));
        assert_eq!(moments(&mut slots, 500), [Beginning]);
        assert_eq!(slots.deadline(), Instant::from_millis(507));
        assert_eq!(moments(&mut slots, 520), [Phase, Beginning]);
    }
}
