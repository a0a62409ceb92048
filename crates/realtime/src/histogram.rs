use core::fmt;
use core::str::FromStr;
use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;

/// How often which durations occurred, each known to a sixteenth of its octave from a microsecond on.
///
/// Its text has what occurred, each as `<least duration in ns>:<count>`, in ascending order.
/// # Real-time
/// Adding one takes a few instructions and allocates nothing.
/// # Source
/// own, in the manner of HdrHistogram: an array of a fixed length, which those of the crate `hdrhistogram` are not.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Histogram([u64; BUCKETS]);

/// The octave of a microsecond, in ns.
const FIRST: u32 = 10;
/// The octaves from a microsecond to 17 s.
const OCTAVES: usize = 24;
/// One for all that is shorter, and 16 for each octave; the last one also has all that is longer.
const BUCKETS: usize = 1 + 16 * OCTAVES;

impl Histogram {
    /// One without durations.
    pub const fn new() -> Self {
        Self([0; BUCKETS])
    }

    /// Adds a duration.
    pub fn add(&mut self, duration: Duration) {
        if let Some(count) = self.0.get_mut(bucket(duration)) {
            *count += 1;
        }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The duration that no less than `share` (0 to 1) of all do not exceed, rounded up by a sixteenth at most; zero without any.
    pub fn quantile(&self, share: f64) -> Duration {
        // A rank from 1 to the count: `as` rounds toward zero and saturates.
        let rank = ((share * self.count() as f64).ceil() as u64).clamp(1, self.count().max(1));
        let mut passed = 0;
        let found = self.0.iter().position(|count| {
            passed += count;
            passed >= rank
        });
        found.map_or(Duration::ZERO, |index| least(index + 1))
    }

    /// How many are `bound` or longer, of those whose bucket begins there or later.
    pub fn count_from(&self, bound: Duration) -> u64 {
        self.0.iter().enumerate().filter(|(index, _)| least(*index) >= bound).map(|(_, count)| count).sum()
    }

    /// Durations that were added since `earlier`.
    #[must_use]
    pub fn since(&self, earlier: &Self) -> Self {
        let mut left = *self;
        left.0.iter_mut().zip(&earlier.0).for_each(|(count, before)| *count = count.saturating_sub(*before));
        left
    }

    /// Both together.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        let mut both = *self;
        both.0.iter_mut().zip(&other.0).for_each(|(count, more)| *count += more);
        both
    }
}

/// A [`Histogram`] that one thread fills while others read it.
/// # Real-time
/// Adding one takes a few instructions, waits for nobody and allocates nothing.
#[derive(Debug)]
pub struct SharedHistogram([AtomicU64; BUCKETS]);

impl SharedHistogram {
    /// Adds a duration.
    pub fn add(&self, duration: Duration) {
        if let Some(count) = self.0.get(bucket(duration)) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Durations that were added so far; one that is added meanwhile may be missing.
    pub fn read(&self) -> Histogram {
        Histogram(core::array::from_fn(|index| {
            self.0.get(index).map_or(0, |count| count.load(Ordering::Relaxed))
        }))
    }
}

impl Default for SharedHistogram {
    fn default() -> Self {
        Self([const { AtomicU64::new(0) }; BUCKETS])
    }
}

/// The bucket of a duration.
fn bucket(duration: Duration) -> usize {
    let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    let Some(octave) = nanos.checked_ilog2().and_then(|octave| octave.checked_sub(FIRST)) else { return 0 };
    let part = (nanos >> (octave + FIRST - 4)) & 15;
    (1 + 16 * octave as usize + part as usize).min(BUCKETS - 1)
}

/// The least duration of a bucket.
fn least(bucket: usize) -> Duration {
    let Some(index) = bucket.checked_sub(1) else { return Duration::ZERO };
    Duration::from_nanos((16 + index as u64 % 16) << (FIRST as usize - 4 + index / 16))
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        for (index, count) in self.0.iter().enumerate().filter(|(_, count)| **count > 0) {
            write!(f, "{gap}{}:{count}", least(index).as_nanos())?;
            gap = " ";
        }
        Ok(())
    }
}

impl fmt::Debug for Histogram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Histogram({self})")
    }
}

/// A text that is not a histogram.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not a part of a histogram, must be <ns>:<count>")]
pub struct NoHistogram(String);

impl FromStr for Histogram {
    type Err = NoHistogram;

    fn from_str(text: &str) -> Result<Self, NoHistogram> {
        let mut histogram = Self::new();
        for word in text.split_whitespace() {
            let parts = word
                .split_once(':')
                .and_then(|(nanos, count)| Some((nanos.parse().ok()?, count.parse::<u64>().ok()?)));
            let (nanos, count) = parts.ok_or_else(|| NoHistogram(word.to_owned()))?;
            if let Some(own) = histogram.0.get_mut(bucket(Duration::from_nanos(nanos))) {
                *own = own.saturating_add(count);
            }
        }
        Ok(histogram)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(micros: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        micros.iter().for_each(|&micros| histogram.add(Duration::from_micros(micros)));
        histogram
    }

    #[test]
    fn what_several_threads_add_is_counted_once() {
        let shared = SharedHistogram::default();
        std::thread::scope(|scope| {
            for micros in [3, 700] {
                let shared = &shared;
                scope.spawn(move || (0..1000).for_each(|_| shared.add(Duration::from_micros(micros))));
            }
        });
        let (read, expected) = (shared.read(), of(&[3, 700]));
        assert_eq!(read.count(), 2000);
        assert_eq!(
            [0.0, 1.0].map(|share| read.quantile(share)),
            [0.0, 1.0].map(|share| expected.quantile(share))
        );
    }

    #[test]
    fn buckets_follow_each_other_without_a_gap() {
        assert_eq!(
            [0, 1023, 1024, 1087, 1088].map(|nanos| bucket(Duration::from_nanos(nanos))),
            [0, 0, 1, 1, 2]
        );
        for index in 1..BUCKETS {
            assert_eq!(
                (bucket(least(index)), bucket(least(index) - Duration::from_nanos(1))),
                (index, index - 1)
            );
        }
        assert_eq!(bucket(Duration::MAX), BUCKETS - 1);
    }

    #[test]
    fn counts_begin_at_a_bound_and_differ_between_two_times() {
        let early = of(&[10, 100]);
        let late = early.with(&of(&[1200, 10]));
        assert_eq!(
            (late.count(), late.count_from(Duration::from_millis(1)), late.count_from(Duration::ZERO)),
            (4, 1, 4)
        );
        assert_eq!(late.since(&early), of(&[1200, 10]));
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        for text in ["10", "a:1", "10:-1", "10:1 :"] {
            assert!(text.parse::<Histogram>().is_err(), "{text}");
        }
        assert_eq!("".parse(), Ok::<_, NoHistogram>(Histogram::new()));
        assert_eq!(Histogram::new().quantile(0.5), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn a_quantile_is_a_sixteenth_too_long_at_most(
            mut micros in proptest::collection::vec(1_u64..10_000_000, 1..100), share in 0.0..=1.0_f64,
        ) {
            let histogram = of(&micros);
            micros.sort_unstable();
            let rank = ((share * micros.len() as f64).ceil() as usize).clamp(1, micros.len());
            let (exact, found) = (micros[rank - 1] as f64, histogram.quantile(share).as_secs_f64() * 1e6);
            prop_assert!(exact < found + 1e-9 && found <= exact * 17.0 / 16.0 + 1e-9, "{exact}, found {found}");
            prop_assert_eq!(histogram.to_string().parse(), Ok::<_, NoHistogram>(histogram));
        }
    }
}
