use core::time::Duration;

use safety::Instant;

/// How long a controller's updates took, over all control steps since it was loaded, those in which it was stopped included.
///
/// # Source
/// `pr2_controller_manager` 1.8.21 and `pr2_mechanism_msgs/msg/ControllerStatistics`, whose `variance_time` is the population
/// standard deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ControllerTiming {
    samples: u64,
    /// The mean of all updates \[s\].
    pub mean: f64,
    /// The sum of the squared distances from the mean \[s²\].
    squares: f64,
    /// The longest update.
    pub max: Duration,
    /// How many updates took longer than [`LONGEST_UPDATE`](Self::LONGEST_UPDATE).
    pub overruns: u32,
    /// The end of the last of them.
    pub last_overrun: Option<Instant>,
}

impl ControllerTiming {
    /// An update that takes longer breaks the real-time promise, whatever the rate of the loop is.
    pub const LONGEST_UPDATE: Duration = Duration::from_millis(1);

    /// Adds an update that took `duration` and ended at `end`.
    pub fn add(&mut self, duration: Duration, end: Instant) {
        // Welford's recurrence, which stays exact over days where a sum of squares would not.
        self.samples += 1;
        let distance = duration.as_secs_f64() - self.mean;
        self.mean += distance / self.samples as f64;
        self.squares += distance * (duration.as_secs_f64() - self.mean);
        self.max = self.max.max(duration);
        if duration > Self::LONGEST_UPDATE {
            self.overruns = self.overruns.saturating_add(1);
            self.last_overrun = Some(end);
        }
    }

    /// The population standard deviation of all updates \[s\].
    pub fn standard_deviation(&self) -> f64 {
        if self.samples == 0 { 0.0 } else { (self.squares / self.samples as f64).max(0.0).sqrt() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fed(micros: &[u64]) -> ControllerTiming {
        let mut timing = ControllerTiming::default();
        for (index, &micros) in micros.iter().enumerate() {
            timing.add(Duration::from_micros(micros), Instant::from_millis(index as u64));
        }
        timing
    }

    fn near(got: f64, expected: f64) {
        assert!((got - expected).abs() < 1e-12, "{got}, not {expected}");
    }

    #[test]
    fn mean_and_standard_deviation_are_those_of_the_population() {
        // 2, 4, 4, 4, 5, 5, 7, 9: mean 5, standard deviation 2.
        let timing = fed(&[2, 4, 4, 4, 5, 5, 7, 9]);
        near(timing.mean, 5e-6);
        near(timing.standard_deviation(), 2e-6);
        assert_eq!(timing.max, Duration::from_micros(9));
        near(fed(&[]).standard_deviation(), 0.0);
    }

    #[test]
    fn an_update_of_more_than_a_millisecond_is_an_overrun() {
        let timing = fed(&[1000, 1001, 500, 2000, 10]);
        assert_eq!((timing.overruns, timing.last_overrun), (2, Some(Instant::from_millis(3))));
        assert_eq!((fed(&[1000]).overruns, fed(&[1000]).last_overrun), (0, None));
    }

    #[test]
    fn a_day_of_equal_updates_has_no_deviation() {
        let mut timing = ControllerTiming::default();
        for index in 0..2_000_000 {
            timing.add(Duration::from_nanos(3333 + index % 2), Instant::ZERO);
        }
        // Half of them a nanosecond longer: a deviation of half a nanosecond.
        assert!((timing.standard_deviation() - 0.5e-9).abs() < 1e-14, "{}", timing.standard_deviation());
    }
}
