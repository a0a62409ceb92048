use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;

use crate::{Cycle, SharedHistogram};

/// How well a periodic thread keeps its times, since its start. The thread writes it while others read it.
/// # Real-time
/// Writing takes a few instructions, waits for nobody and allocates nothing.
#[derive(Debug, Default)]
pub struct Timing {
    steps: AtomicU64,
    missed: AtomicU64,
    /// How many calls took longer than the period.
    long: AtomicU64,
    /// \[µs\]
    longest: AtomicU64,
    /// \[µs\]
    max_late: AtomicU64,
    late: SharedHistogram,
}

impl Timing {
    /// Adds a call that took `time`, of a thread with this period.
    pub(crate) fn add(&self, cycle: Cycle, time: Duration, period: Duration) {
        let micros = |duration: Duration| u64::try_from(duration.as_micros()).unwrap_or(u64::MAX);
        self.steps.fetch_add(1, Ordering::Relaxed);
        self.missed.fetch_add(cycle.missed, Ordering::Relaxed);
        self.long.fetch_add(u64::from(time > period), Ordering::Relaxed);
        self.longest.fetch_max(micros(time), Ordering::Relaxed);
        self.max_late.fetch_max(micros(cycle.late), Ordering::Relaxed);
        self.late.add(cycle.late);
    }

    /// How many calls were made.
    pub fn steps(&self) -> u64 {
        self.steps.load(Ordering::Relaxed)
    }

    /// How many were left out because another one, or a hold, took too long.
    pub fn missed(&self) -> u64 {
        self.missed.load(Ordering::Relaxed)
    }

    /// The longest call.
    pub fn longest(&self) -> Duration {
        Duration::from_micros(self.longest.load(Ordering::Relaxed))
    }

    /// Its numbers with their names in `/diagnostics`.
    pub fn values(&self) -> Vec<(String, String)> {
        let late = self.late.read();
        let quantiles = [0.5, 0.99, 0.999].map(|share| late.quantile(share).as_micros().to_string());
        let number = |value: &AtomicU64| value.load(Ordering::Relaxed).to_string();
        let values = [
            ("steps", number(&self.steps)),
            ("steps left out", number(&self.missed)),
            ("steps longer than the period", number(&self.long)),
            ("longest step (us)", number(&self.longest)),
            ("greatest lateness (us)", number(&self.max_late)),
            ("lateness of 50, 99 and 99.9 % of the steps (us)", quantiles.join(", ")),
            ("lateness (ns:steps)", late.to_string()),
        ];
        values.map(|(name, value)| (name.to_owned(), value)).into()
    }
}

#[cfg(test)]
mod tests {
    use safety::Instant;

    use super::*;

    #[test]
    fn calls_are_counted_and_the_worst_is_kept() {
        let (timing, period) = (Timing::default(), Duration::from_millis(1));
        for (late, missed, micros) in [(50, 0, 1000), (2000, 1, 1001), (10, 0, 20)] {
            let late = Duration::from_micros(late);
            let cycle = Cycle { now: Instant::ZERO, late, since_last: period, missed };
            timing.add(cycle, Duration::from_micros(micros), period);
        }
        let values: Vec<String> = timing.values().into_iter().map(|(_, value)| value).collect();
        // Each quantile is the upper end of its bucket: 51.2 and 2031.6 µs.
        let expected = ["3", "1", "1", "1001", "2000", "51, 2031, 2031", "9728:1 49152:1 1966080:1"];
        assert_eq!(values, expected);
        assert_eq!((timing.steps(), timing.missed(), timing.longest().as_micros()), (3, 1, 1001));
    }
}
