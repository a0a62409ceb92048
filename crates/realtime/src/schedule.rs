use std::time::Duration;

use safety::Instant;

/// When the cycles of a periodic thread are due: at the start and each whole period after it.
///
/// A cycle that begins or ends too late never shifts the later ones. Cycles whose time has passed are left out, so there is no
/// burst after a hold or a suspend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    period: Duration,
    due: Instant,
}

impl Schedule {
    /// The first cycle is due at `start`. A period below a microsecond counts as one.
    pub(crate) fn new(start: Instant, period: Duration) -> Self {
        Self { period: period.max(Duration::from_micros(1)), due: start }
    }

    /// When the next cycle is due.
    pub(crate) fn due(&self) -> Instant {
        self.due
    }

    /// Ends the present cycle at `now`; returns how many of the next ones are left out.
    pub(crate) fn end_cycle(&mut self, now: Instant) -> u64 {
        let passed = now.since(self.due).as_nanos() / self.period.as_nanos();
        let missed = u64::try_from(passed).unwrap_or(u64::MAX);
        let ahead = self.period.as_nanos().saturating_mul(u128::from(missed) + 1);
        self.due = self.due + Duration::from_nanos(u64::try_from(ahead).unwrap_or(u64::MAX));
        missed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PERIOD: Duration = Duration::from_millis(10);

    fn at(micros: u64) -> Instant {
        Instant::from_nanos(micros * 1000)
    }

    #[test]
    fn cycles_lie_on_whole_periods_however_late_they_are() {
        let mut schedule = Schedule::new(at(5000), PERIOD);
        assert_eq!(schedule.due(), at(5000));
        for (now, due) in [(5100, 15_000), (24_999, 25_000), (25_000, 35_000)] {
            assert_eq!((schedule.end_cycle(at(now)), schedule.due()), (0, at(due)), "{now}");
        }
    }

    #[test]
    fn missed_cycles_are_left_out_and_counted() {
        let mut schedule = Schedule::new(at(0), PERIOD);
        // Ends at 35 ms: the cycles of 10, 20 and 30 ms are over.
        assert_eq!((schedule.end_cycle(at(35_000)), schedule.due()), (3, at(40_000)));
        // Ends exactly when the next one is due: that one is late but not over.
        let mut schedule = Schedule::new(at(0), PERIOD);
        assert_eq!((schedule.end_cycle(at(10_000)), schedule.due()), (1, at(20_000)));
    }

    #[test]
    fn a_suspend_of_years_is_one_gap() {
        let mut schedule = Schedule::new(at(0), Duration::from_millis(1));
        let later = Instant::from_nanos(100 * 365 * 86_400 * 1_000_000_000);
        assert_eq!(schedule.end_cycle(later), 100 * 365 * 86_400 * 1000);
        assert_eq!(schedule.due(), later + Duration::from_millis(1));
    }

    #[test]
    fn no_period_is_one_of_a_microsecond() {
        let mut schedule = Schedule::new(at(0), Duration::ZERO);
        assert_eq!((schedule.end_cycle(at(0)), schedule.due()), (0, at(1)));
    }
}
