use std::time::Duration;

/// How times are spread.
#[derive(Clone, Debug)]
pub struct Distribution(Vec<Duration>);

impl Distribution {
    /// The distribution of `times`; `None` without any.
    pub fn new(mut times: Vec<Duration>) -> Option<Self> {
        times.sort();
        (!times.is_empty()).then_some(Self(times))
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.0.len()
    }

    /// The shortest time that no less than `share` (0 to 1) of all do not exceed.
    pub fn quantile(&self, share: f64) -> Duration {
        // A rank from 1 to the count: `as` rounds toward zero and saturates.
        let rank = ((share * self.count() as f64).ceil() as usize).clamp(1, self.count());
        self.0[rank - 1]
    }

    /// How many do not exceed `bound`.
    pub fn within(&self, bound: Duration) -> usize {
        self.0.partition_point(|time| *time <= bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(times: impl IntoIterator<Item = u64>) -> Distribution {
        Distribution::new(times.into_iter().map(Duration::from_millis).collect()).unwrap()
    }

    #[test]
    fn quantiles_are_times_that_occurred() {
        // 1 to 200, longest first: 100 of them are no more than 100, 198 no more than 198
        let distribution = millis((1..=200).rev());
        let quantiles = [0.0, 0.5, 0.9, 0.99, 1.0].map(|share| distribution.quantile(share).as_millis());
        assert_eq!(quantiles, [1, 100, 180, 198, 200]);
    }

    #[test]
    fn a_single_time_is_every_quantile() {
        let distribution = millis([7]);
        assert_eq!([0.0, 0.5, 1.0].map(|share| distribution.quantile(share).as_millis()), [7; 3]);
        assert!(Distribution::new(Vec::new()).is_none());
    }

    #[test]
    fn the_bound_itself_is_within() {
        let distribution = millis([10, 20, 20, 21]);
        assert_eq!(distribution.within(Duration::from_millis(20)), 3);
        assert_eq!(distribution.within(Duration::from_millis(9)), 0);
    }
}
