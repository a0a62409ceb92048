//! Distributions of times, and tables in Markdown.

use std::fs;
use std::num::NonZero;
use std::time::Duration;

use crate::stage::Result;

/// The first of several measurements, in which memory is used for the first time and the middleware finds topics, do not count.
const REHEARSED: usize = 20;

/// How times are spread. There is one at least.
#[derive(Clone, Debug)]
pub struct Distribution(Vec<Duration>);

impl Distribution {
    /// The distribution of `times`.
    /// # Errors
    /// There are none.
    pub fn new(times: Vec<Duration>) -> Result<Self> {
        Self::all([times]).map(|[one]| one)
    }

    /// The distribution of each of `times`.
    /// # Errors
    /// One has none.
    pub fn all<const N: usize>(times: [Vec<Duration>; N]) -> Result<[Self; N]> {
        if times.iter().any(Vec::is_empty) {
            return Err("nothing arrived".into());
        }
        Ok(times.map(|mut times| {
            times.sort();
            Self(times)
        }))
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

    /// The quantile \[µs].
    pub fn micros(&self, share: f64) -> f64 {
        self.quantile(share).as_secs_f64() * 1e6
    }

    /// The least, p50, p90, p99 and the most as cells of a table \[ms].
    pub fn millis(&self) -> String {
        let cells = [0.0, 0.5, 0.9, 0.99, 1.0].map(|share| format!("{:.2}", self.micros(share) / 1000.0));
        cells.join(" | ")
    }

    /// How many do not exceed `bound`.
    pub fn within(&self, bound: Duration) -> usize {
        self.0.partition_point(|time| *time <= bound)
    }
}

/// Measures each of `N` things in turns, `count` times each; `measure` receives its number, and returns how long it took, `None` if
/// nothing came.
/// # Errors
/// One cannot be measured.
pub fn in_turns<const N: usize>(
    count: usize,
    mut measure: impl FnMut(usize) -> Result<Option<Duration>>,
) -> Result<[Distribution; N]> {
    let mut times = [const { Vec::new() }; N];
    for round in 0..REHEARSED + count {
        for (number, times) in times.iter_mut().enumerate() {
            let took = measure(number)?;
            if round >= REHEARSED {
                times.push(took.ok_or("a message was lost")?);
            }
        }
    }
    Distribution::all(times)
}

/// A table with `rows`, numbers at the right.
pub fn table(header: &str, rows: impl IntoIterator<Item = String>) -> String {
    let numbers = "--:|".repeat(header.matches(" | ").count());
    let rows: String = rows.into_iter().map(|row| row + "\n").collect();
    format!("{header}\n|---|{numbers}\n{rows}")
}

/// A row of how long something took: its name, how often it was measured, p50, p99 and max \[µs], and p50 to that of `bare`.
pub fn times(name: &str, times: &Distribution, bare: &Distribution) -> String {
    let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| times.micros(share));
    format!("| {name} | {} | {p50:.0} | {p99:.0} | {max:.0} | {:.2} |", times.count(), p50 / bare.micros(0.5))
}

/// A cell with a goal: the most that `value` may be, and whether it is not more.
pub fn goal(value: f64, most: f64) -> String {
    format!("{most} {}", if value <= most { "reached" } else { "not reached" })
}

/// The machine, and what else it does.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let version = fs::read_to_string("/proc/version").unwrap_or_default();
    let kernel: Vec<&str> = version.split_whitespace().take(3).collect();
    let middleware = std::env::var("RMW_IMPLEMENTATION").unwrap_or_else(|_| "the default middleware".into());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    format!("Machine: {cores} cores, {}, {middleware}; load of the minute before {load}.", kernel.join(" "))
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
        assert_eq!(distribution.millis(), "1.00 | 100.00 | 180.00 | 198.00 | 200.00");
    }

    #[test]
    fn a_single_time_is_every_quantile() {
        let distribution = millis([7]);
        assert_eq!([0.0, 0.5, 1.0].map(|share| distribution.quantile(share).as_millis()), [7; 3]);
        assert!(Distribution::new(Vec::new()).is_err());
    }

    #[test]
    fn the_bound_itself_is_within() {
        let distribution = millis([10, 20, 20, 21]);
        assert_eq!(distribution.within(Duration::from_millis(20)), 3);
        assert_eq!(distribution.within(Duration::from_millis(9)), 0);
    }

    #[test]
    fn the_first_ones_do_not_count() {
        let mut calls = 0;
        let [one, two] = in_turns(3, |number| {
            calls += 1;
            Ok((calls > 40).then(|| Duration::from_millis(7 + number as u64)))
        })
        .unwrap();
        assert_eq!((one.count(), one.micros(1.0), two.micros(0.0)), (3, 7000.0, 8000.0));
        assert!(in_turns::<1>(1, |_| Ok(None)).is_err());
    }

    #[test]
    fn each_row_is_compared_with_its_bare_one() {
        let of = |micros: u64| Distribution::new(vec![Duration::from_micros(micros)]).unwrap();
        let rows = [times("bare", &of(200), &of(200)), times("node", &of(800), &of(200))];
        assert_eq!(
            table("| call | calls | p50 [µs] | p99 [µs] | max [µs] | p50 to bare |", rows),
            "| call | calls | p50 [µs] | p99 [µs] | max [µs] | p50 to bare |\n\
             |---|--:|--:|--:|--:|--:|\n\
             | bare | 1 | 200 | 200 | 200 | 1.00 |\n\
             | node | 1 | 800 | 800 | 800 | 4.00 |\n"
        );
    }

    #[test]
    fn a_goal_that_is_met_exactly_is_reached() {
        assert_eq!((goal(1.2, 1.2), goal(1.3, 1.2)), ("1.2 reached".into(), "1.2 not reached".into()));
    }
}
