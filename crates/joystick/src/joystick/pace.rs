use core::time::Duration;

use units::Instant;

use super::WATCH;

/// What the desired state does while nothing happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// There is none.
    None,
    /// It is a zero, and stays one.
    Rests,
    /// It changes, or is motion that has to be repeated.
    Moves,
}

/// When the filter's cycles are due.
///
/// The next is due one interval after the last was *due*; those that nobody asked for in time are skipped and counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    period: Duration,
    /// The time between cycles, none while there are none.
    interval: Option<Duration>,
    due: Instant,
    /// When the last cycle was.
    cycled: Option<Instant>,
    /// Whether somebody polled already.
    has_begun: bool,
}

impl Pace {
    pub(super) fn new(rate: u32) -> Self {
        let period = Duration::from_nanos(1_000_000_000 / u64::from(rate.clamp(1, 1_000_000_000)));
        Self { period, interval: None, due: Instant::ZERO, cycled: None, has_begun: false }
    }

    /// Goes on as `course` needs it. Cycles that are counted, `steady`, come at the whole rate whatever happens. What was not due so
    /// far is not missed.
    pub(super) fn follow(&mut self, now: Instant, course: Course, steady: bool) {
        let interval = match course {
            _ if steady => Some(self.period),
            Course::Moves => Some(self.period),
            Course::Rests => Some(self.period.max(WATCH)),
            Course::None => None,
        };
        if let Some(interval) = interval.filter(|_| self.interval != interval) {
            self.due = self.due.max(now).min(now + interval.saturating_mul(2));
        }
        self.interval = interval;
    }

    /// The desired state was published out of turn at `now`: the next cycle is two periods away, so that a stick that reports as often
    /// as cycles come is published once.
    pub(super) fn restart(&mut self, now: Instant) {
        self.due = now + self.interval.unwrap_or_default().max(self.period.saturating_mul(2));
    }

    /// Goes on to the next cycle if one is due at `now`, and tells how many were skipped.
    pub(super) fn step(&mut self, now: Instant) -> Option<u64> {
        self.has_begun = true;
        // At the end of time the next cycle would be due at the same time again.
        let interval = self.interval.filter(|_| self.due <= now && self.cycled != Some(now))?;
        let (late, interval) = (now.since(self.due).as_nanos(), interval.as_nanos().max(1));
        self.due = now + Duration::from_nanos(u64::try_from(interval - late % interval).unwrap_or(u64::MAX));
        self.cycled = Some(now);
        Some(u64::try_from(late / interval).unwrap_or(u64::MAX))
    }

    /// Whether somebody polled already.
    pub(super) fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// When the next cycle is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.interval.map(|_| self.due)
    }
}
