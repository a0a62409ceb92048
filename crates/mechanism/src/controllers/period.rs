use core::time::Duration;

use safety::Instant;

/// When a topic is due that is published at a rate: in phase with the start, without bursts.
///
/// It is due in the first step later than a whole number of periods after the start. Periods that were missed are left out.
/// # Source
/// `pr2_controller_manager` 1.8.21, `publishJointState` and `publishMechanismStatistics`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PublishPeriod {
    period: Duration,
    last: Instant,
}

impl PublishPeriod {
    /// The rate \[Hz\] that counts for every smaller one, 0 and NaN included: once in 11 days.
    const LEAST_RATE: f64 = 1e-6;

    /// Publishing at `rate` \[Hz\] from `start` on.
    pub fn new(rate: f64, start: Instant) -> Self {
        // `max` returns the other number where one is NaN; the period is at least a nanosecond and at most 10^6 s.
        let period = Duration::from_secs_f64((1.0 / rate.max(Self::LEAST_RATE)).max(1e-9));
        Self { period, last: start }
    }

    /// Whether it is due at `now`. If so it counts as published, so call this only if a message can be sent.
    pub fn is_due(&mut self, now: Instant) -> bool {
        let passed = now.since(self.last);
        if passed <= self.period {
            return false;
        }
        // The last whole period before `now`.
        let periods = (passed.as_nanos() - 1) / self.period.as_nanos();
        let whole = periods.saturating_mul(self.period.as_nanos());
        self.last = self.last + Duration::from_nanos(u64::try_from(whole).unwrap_or(u64::MAX));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of a loop of 1 kHz in which a topic of `rate` is published.
    fn due(rate: f64, steps: impl Iterator<Item = u64>) -> Vec<u64> {
        let mut period = PublishPeriod::new(rate, Instant::ZERO);
        steps.filter(|&step| period.is_due(Instant::from_millis(step))).collect()
    }

    #[test]
    fn it_is_due_after_each_whole_period() {
        // 100 Hz: later than 10 ms, so at 11, 21 ...
        assert_eq!(due(100.0, 0..42), [11, 21, 31, 41]);
    }

    #[test]
    fn missed_periods_are_left_out_and_the_phase_is_kept() {
        assert_eq!(due(100.0, (0..15).chain(47..75)), [11, 47, 51, 61, 71]);
    }

    #[test]
    fn a_slot_that_is_busy_is_retried_without_a_shift() {
        let mut period = PublishPeriod::new(100.0, Instant::ZERO);
        let published = (0..32).filter(|&step| {
            let is_busy = (8..14).contains(&step);
            !is_busy && period.is_due(Instant::from_millis(step))
        });
        assert_eq!(published.collect::<Vec<_>>(), [14, 21, 31]);
    }

    #[test]
    fn the_mean_rate_is_exact_where_the_period_is_no_whole_number_of_steps() {
        // 300 Hz for ten seconds of steps of 1 ms: 3000 messages, but for the end.
        let count = due(300.0, 0..10_000).len();
        assert!((2999..=3000).contains(&count), "{count}");
    }

    #[test]
    fn a_rate_that_is_none_publishes_next_to_never() {
        for rate in [0.0, -5.0, f64::NAN, 1e-300] {
            assert_eq!(due(rate, (0..1_000_000_000).step_by(999_983)), [], "{rate}");
        }
        assert_eq!(due(f64::INFINITY, 0..3), [1, 2], "each step");
        assert_eq!(due(1e6, 0..3), [1, 2]);
    }
}
