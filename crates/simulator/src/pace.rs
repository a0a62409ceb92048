use core::time::Duration;

use safety::{Instant, earliest};

/// A deadline that recurs at every multiple of a period.
///
/// The multiples count from the origin of the clock, so there is no drift. Of several missed ones only one is due, so
/// there is no burst after a stall.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    period: u64,
    /// `None` beyond the end of the clock.
    next: Option<Instant>,
}

impl Pace {
    /// Creates a deadline that is due at once and then at every multiple of `period` (at least 1 ns).
    pub fn new(period: Duration) -> Self {
        Self { period: nanos(period), next: Some(Instant::ZERO) }
    }

    /// Whether the deadline has passed; if so, the next one is the first multiple after `now`.
    pub fn due(&mut self, now: Instant) -> bool {
        let due = self.next.is_some_and(|next| now >= next);
        if due {
            let multiple = now.as_nanos() / self.period + 1;
            self.next = multiple.checked_mul(self.period).map(Instant::from_nanos);
        }
        due
    }

    /// Moves the deadline to `now`.
    pub fn hasten(&mut self, now: Instant) {
        self.next = earliest(self.next, Some(now));
    }

    /// The deadline; `None` for never.
    pub fn next(&self) -> Option<Instant> {
        self.next
    }
}

/// `period` \[ns\], at least 1.
pub(crate) fn nanos(period: Duration) -> u64 {
    u64::try_from(period.as_nanos()).unwrap_or(u64::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stall_makes_no_burst_and_no_drift() {
        let mut pace = Pace::new(Duration::from_millis(20));
        assert!(pace.due(Instant::from_millis(7)), "at once");
        assert_eq!(pace.next(), Some(Instant::from_millis(20)));
        assert!(pace.due(Instant::from_millis(95)));
        assert!(!pace.due(Instant::from_millis(95)), "once for the four that were missed");
        assert_eq!(pace.next(), Some(Instant::from_millis(100)), "back on the multiples");
    }

    #[test]
    fn at_the_end_of_time_nothing_is_due_twice() {
        let mut pace = Pace::new(Duration::from_millis(20));
        let end = Instant::from_nanos(u64::MAX);
        assert!(pace.due(end) && !pace.due(end));
        assert_eq!(pace.next(), None);
        assert_eq!(Pace::new(Duration::ZERO).period, 1);
    }
}
