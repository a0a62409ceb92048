use std::time::Duration;

/// The heights of a bar, from none to full.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

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

    /// The shortest.
    pub fn min(&self) -> Duration {
        self.quantile(0.0)
    }

    /// The longest.
    pub fn max(&self) -> Duration {
        self.quantile(1.0)
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

    /// A line of `columns` bars, each for an equal part of the time from the shortest to the longest; the highest bar is
    /// full and a single time is seen.
    pub fn histogram(&self, columns: usize) -> String {
        let width = (self.max() - self.min()).as_secs_f64() / columns as f64;
        let mut counts = vec![0; columns];
        for time in &self.0 {
            let column = (*time - self.min()).as_secs_f64() / width;
            // NaN, where all are equal, is column 0.
            counts[(column as usize).min(columns - 1)] += 1;
        }
        let most = counts.iter().copied().max().unwrap_or(1);
        counts.into_iter().map(|count| BARS[(count * (BARS.len() - 1)).div_ceil(most)]).collect()
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
        assert_eq!((distribution.min().as_millis(), distribution.max().as_millis()), (1, 200));
    }

    #[test]
    fn a_single_time_is_every_quantile() {
        let distribution = millis([7]);
        assert_eq!([0.0, 0.5, 1.0].map(|share| distribution.quantile(share).as_millis()), [7; 3]);
        assert_eq!(distribution.histogram(4), "█   ");
        assert!(Distribution::new(Vec::new()).is_none());
    }

    #[test]
    fn the_bound_itself_is_within() {
        let distribution = millis([10, 20, 20, 21]);
        assert_eq!(distribution.within(Duration::from_millis(20)), 3);
        assert_eq!(distribution.within(Duration::from_millis(9)), 0);
    }

    #[test]
    fn a_histogram_shows_the_single_outlier() {
        // 0 to 40 in four parts: 16 in the first, 8 in the second, none, and one, whose bar would round to none
        let times = [0; 16].into_iter().chain([15; 8]).chain([40]);
        assert_eq!(millis(times).histogram(4), "█▄ ▁");
    }
}
