use core::time::Duration;

use crate::heard::Health;
use crate::{Arbiter, Traffic, Verdict};

/// Who may drive, as of now.
impl Arbiter {
    /// The source whose next message drives, or that drives.
    pub(crate) fn winner(&self) -> Option<usize> {
        let mut winner: Option<(u8, usize)> = None;
        for (index, source) in self.params.sources.iter().enumerate() {
            if self.hindrance(index).is_none() && winner.is_none_or(|(highest, _)| source.priority > highest)
            {
                winner = Some((source.priority, index));
            }
        }
        winner.map(|(_, index)| index)
    }

    pub(crate) fn verdict(&self, source: usize, winner: Option<usize>) -> Verdict {
        match (self.hindrance(source), winner) {
            _ if self.stopping => Verdict::Stopping,
            (Some(hindrance), _) => hindrance,
            (None, Some(by)) if by != source => Verdict::Outranked { by },
            (None, _) if self.driving == Some(source) => Verdict::Drives,
            (None, _) => Verdict::Waits,
        }
    }

    /// What keeps `source` from driving, other sources apart.
    fn hindrance(&self, source: usize) -> Option<Verdict> {
        let (spec, seat) = (self.params.sources.get(source)?, self.seats.get(source)?);
        match seat.heard.health(self.now, spec) {
            Health::NeverHeard => Some(Verdict::NeverHeard),
            Health::TimedOut => Some(Verdict::TimedOut),
            Health::TooOld => Some(Verdict::TooOld),
            Health::FromFuture => Some(Verdict::FromFuture),
            Health::Invalid => Some(Verdict::Invalid),
            Health::Valid => self.lock_above(spec.priority).map(|by| Verdict::Locked { by }),
        }
    }

    /// The closed lock of the highest priority, if that is higher than `priority`.
    fn lock_above(&self, priority: u8) -> Option<usize> {
        let mut found: Option<(u8, usize)> = None;
        for (index, (lock, bolt)) in self.params.locks.iter().zip(&self.bolts).enumerate() {
            if bolt.is_closed(self.now, lock.timeout)
                && lock.priority > priority
                && found.is_none_or(|(highest, _)| lock.priority > highest)
            {
                found = Some((lock.priority, index));
            }
        }
        found.map(|(_, index)| index)
    }

    /// What came of the source with this index since it is there, as of the last call; `None` if there is none.
    pub fn traffic(&self, source: usize) -> Option<Traffic> {
        let seat = self.seats.get(source)?;
        Some(seat.tally.traffic(self.now, seat.heard.age(self.now)))
    }

    /// For how long the source that drives does so, or nobody, as of the last call.
    pub fn active_for(&self) -> Duration {
        self.now.since(self.active().since)
    }
}
