use core::cmp::Reverse;
use core::time::Duration;

use crate::{Arbiter, Traffic, Verdict, ZeroCause};

/// Decides which source may drive.
impl Arbiter {
    /// Updates the states of the locks. A lost lock requires a zero of every source below it that asks for motion, so nothing
    /// starts moving when the lock comes back; [`expire`](Self::expire) then finds that the source that drove is lost.
    pub(crate) fn update_locks(&mut self) {
        let now = self.clock.now();
        let locks = self.params.locks.iter().zip(&self.locks);
        self.active.locks.clear();
        self.active.locks.extend(locks.map(|(lock, monitor)| monitor.state(now, lock.timeout)));
        for source in 0..self.sources.len() {
            if self.is_lock_lost_above(source)
                && let Some(monitor) = self.sources.get_mut(source)
                && monitor.asks_for_motion()
            {
                monitor.require_zero(ZeroCause::OtherLost);
            }
        }
    }

    /// Judges every source by itself, with the locks as of [`update_locks`](Self::update_locks). Returns the source that drives, or
    /// whose next message drives.
    pub(crate) fn judge(&mut self) -> Option<usize> {
        let mut winner: Option<(u8, usize)> = None;
        self.active.verdicts.clear();
        for index in 0..self.params.sources.len() {
            let hindrance = self.hindrance(index);
            let priority = self.params.sources.get(index).map_or(0, |source| source.priority);
            if hindrance.is_none() && winner.is_none_or(|(highest, _)| priority > highest) {
                winner = Some((priority, index));
            }
            self.active.verdicts.push(hindrance.unwrap_or(Verdict::Waits));
        }
        winner.map(|(_, index)| index)
    }

    /// Completes the verdicts of [`judge`](Self::judge) with the `winner`.
    pub(crate) fn rank(&mut self, winner: Option<usize>) {
        for (source, verdict) in self.active.verdicts.iter_mut().enumerate() {
            *verdict = match (*verdict, winner) {
                _ if self.stopping => Verdict::Stopping,
                (Verdict::Waits, Some(by)) if by != source => Verdict::Outranked { by },
                (Verdict::Waits, _) if self.driving == Some(source) => Verdict::Drives,
                (verdict, _) => verdict,
            };
        }
    }

    /// Why `source` may not drive, without regard to other sources.
    fn hindrance(&self, source: usize) -> Option<Verdict> {
        let (spec, monitor) = (self.params.sources.get(source)?, self.sources.get(source)?);
        if !self.is_active {
            return Some(Verdict::Inactive);
        }
        if self.in_conflict(source) {
            return Some(Verdict::Conflict);
        }
        match monitor.hindrance(self.clock.now(), spec.timeout) {
            waits @ (None | Some(Verdict::WaitsForZero(_))) => {
                self.lock_above(spec.priority).map(|by| Verdict::Locked { by }).or(waits)
            }
            hindrance => hindrance,
        }
    }

    /// Whether `source` has more than one publisher, or their number is not known.
    pub(crate) fn in_conflict(&self, source: usize) -> bool {
        self.active.publishers.get(source).is_some_and(|publishers| publishers.are_several())
    }

    /// The source of the highest priority that may drive, locks aside.
    pub(crate) fn foremost(&self) -> Option<usize> {
        let now = self.clock.now();
        let sources = self.params.sources.iter().zip(&self.sources).enumerate();
        sources
            .filter(|(index, (source, monitor))| {
                !self.in_conflict(*index) && monitor.hindrance(now, source.timeout).is_none()
            })
            .max_by_key(|(_, (source, _))| source.priority)
            .map(|(index, _)| index)
    }

    /// The closed lock of the highest priority, if that is higher than `priority`.
    fn lock_above(&self, priority: u8) -> Option<usize> {
        let locks = self.params.locks.iter().zip(&self.active.locks).enumerate();
        let closed = locks.filter(|(_, (lock, state))| state.is_closed() && lock.priority > priority);
        // The first of several with the same priority.
        closed.min_by_key(|(_, (lock, _))| Reverse(lock.priority)).map(|(index, _)| index)
    }

    /// The counts and rates of the source with this index since it was added, as of the last call; `None` if there is none.
    pub fn traffic(&self, source: usize) -> Option<Traffic> {
        Some(self.sources.get(source)?.traffic(self.clock.now()))
    }

    /// The time since the driving source began, or since no source drives, as of the last call.
    pub fn active_for(&self) -> Duration {
        self.clock.now().since(self.active().since)
    }
}
