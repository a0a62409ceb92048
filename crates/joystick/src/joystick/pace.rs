use core::time::Duration;

use safety::{Instant, WATCHDOG_INTERVAL};

/// How the desired state evolves without further inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// There is no desired state.
    None,
    /// It is zero and stays zero.
    Rests,
    /// It changes, or is motion that has to be repeated.
    Moves,
}

/// When the filter's cycles are due.
///
/// A cycle is due one interval after the last was *due*; cycles that were not polled in time are skipped and counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    period: Duration,
    /// The time between cycles; `None` while there are no cycles.
    interval: Option<Duration>,
    due: Instant,
    /// The time of the last cycle.
    cycled: Option<Instant>,
    /// Whether the machine was polled.
    was_polled: bool,
}

impl Pace {
    pub(super) fn new(rate: u32) -> Self {
        let period = Duration::from_nanos(1_000_000_000 / u64::from(rate.clamp(1, 1_000_000_000)));
        Self { period, interval: None, due: Instant::ZERO, cycled: None, was_polled: false }
    }

    /// Sets the rate that `course` needs. With `steady`, which a log needs, cycles always run at the full rate. A
    /// cycle that was not due before does not count as missed.
    pub(super) fn follow(&mut self, now: Instant, course: Course, steady: bool) {
        let interval = match course {
            _ if steady => Some(self.period),
            Course::Moves => Some(self.period),
            Course::Rests => Some(self.period.max(WATCHDOG_INTERVAL)),
            Course::None => None,
        };
        if let Some(interval) = interval.filter(|_| self.interval != interval) {
            self.due = self.due.max(now).min(now + interval.saturating_mul(2));
        }
        self.interval = interval;
    }

    /// The desired state was published outside of the cycles at `now`. The next cycle is two periods away, so a stick
    /// that reports at the rate of the cycles is published once.
    pub(super) fn restart(&mut self, now: Instant) {
        self.due = now + self.interval.unwrap_or_default().max(self.period.saturating_mul(2));
    }

    /// Advances to the next cycle if one is due at `now`, and returns how many were skipped.
    pub(super) fn step(&mut self, now: Instant) -> Option<u64> {
        self.was_polled = true;
        // At the end of time the next cycle would be due at the same time again.
        let interval = self.interval.filter(|_| self.due <= now && self.cycled != Some(now))?;
        let (late, interval) = (now.since(self.due).as_nanos(), interval.as_nanos().max(1));
        self.due = now + Duration::from_nanos(u64::try_from(interval - late % interval).unwrap_or(u64::MAX));
        self.cycled = Some(now);
        Some(u64::try_from(late / interval).unwrap_or(u64::MAX))
    }

    /// Whether the machine was polled.
    pub(super) fn was_polled(&self) -> bool {
        self.was_polled
    }

    /// When the next cycle is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.interval.map(|_| self.due)
    }
}
