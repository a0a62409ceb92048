use core::time::Duration;

use units::Instant;

/// When the filter's cycles are due.
///
/// The next is due one period after the last was *due*; those that nobody asked for in time are skipped and counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    period: Duration,
    /// Before the first cycle there is no pace yet.
    next: Option<Instant>,
    last: Option<Instant>,
}

impl Pace {
    pub(super) fn new(rate: u32) -> Self {
        let period = Duration::from_nanos(1_000_000_000 / u64::from(rate.clamp(1, 1_000_000_000)));
        Self { period, next: None, last: None }
    }

    /// Goes on to the next cycle if one is due at `now`, and tells how many were skipped.
    pub(super) fn step(&mut self, now: Instant) -> Option<u64> {
        let due = self.next.unwrap_or(now);
        if now < due || self.last == Some(now) {
            return None;
        }
        let missed = now.since(due).as_nanos() / self.period.as_nanos().max(1);
        let missed = u64::try_from(missed).unwrap_or(u64::MAX);
        let periods = u32::try_from(missed.saturating_add(1)).unwrap_or(u32::MAX);
        self.next = Some(due + self.period.saturating_mul(periods));
        self.last = Some(now);
        Some(missed)
    }

    /// Whether there was a cycle.
    pub(super) fn has_begun(&self) -> bool {
        self.next.is_some()
    }

    /// When the next cycle is due.
    pub(super) fn deadline(&self) -> Instant {
        self.next.unwrap_or(Instant::ZERO)
    }
}
