//! The figures of `chain`.
//!
//! They are medians over interleaved rounds; of `max` the largest, of `events` and `lost` the sums. A ratio is to the bare chain
//! of the same round. Times are taken one subject after the other, with a subscription to `hind/applied`; the cost of a subject and
//! of its bare chain in the same seconds, with subscriptions to both motors and the state only. *Lost* counts events that were sent
//! and never arrived, since a publisher keeps the newest message only. Memory counts shared pages for each process.

use core::fmt;
use std::time::Duration;

use crate::evdev::Evdev;
use crate::hand::RATE;
use crate::round::Figures;
use crate::subject::{Kind, SUBJECTS};
use crate::table::machine;

/// CPU of one process and of four, at most, to the bare chain's.
const GOALS: [f64; 2] = [2.0, 1.3];
/// p50 from the pad's event, at most, to that from SDL's stamp.
const EVDEV_GOAL: f64 = 1.15;

/// The figures of all rounds; shown as a table in Markdown.
#[derive(Debug)]
pub struct Table {
    window: Duration,
    rounds: [Vec<Figures>; SUBJECTS.len()],
    /// From the event of a mocked pad.
    pub evdev: Option<Evdev>,
}

impl Table {
    /// No figures yet; each will be measured for `window`.
    pub fn new(window: Duration) -> Self {
        Self { window, rounds: Default::default(), evdev: None }
    }

    /// Adds a measurement of the subject `number` and of the bare chain that follows it.
    pub fn add(&mut self, number: usize, [subject, bare]: [Figures; 2]) {
        self.rounds[number].push(subject);
        self.rounds[number + 1].push(bare);
    }

    /// A figure of the subject `number`: its median over all rounds.
    fn median(&self, number: usize, figure: impl Fn(&Figures) -> f64) -> f64 {
        median(self.rounds[number].iter().map(figure).collect())
    }

    fn sum(&self, number: usize, figure: impl Fn(&Figures) -> u64) -> u64 {
        self.rounds[number].iter().map(figure).sum()
    }

    /// How much more `figure` is than that of the bare chain of the same round, which follows in the table: the median over all
    /// rounds, the smallest and the largest.
    fn ratio(&self, number: usize, figure: impl Fn(&Figures) -> f64) -> Ratio {
        let pairs = self.rounds[number].iter().zip(&self.rounds[number + 1]);
        let ratios: Vec<f64> = pairs.map(|(subject, bare)| figure(subject) / figure(bare)).collect();
        Ratio {
            least: ratios.iter().copied().fold(f64::INFINITY, f64::min),
            most: ratios.iter().copied().fold(0.0, f64::max),
            middle: median(ratios),
        }
    }

    fn row(&self, f: &mut fmt::Formatter<'_>, number: usize) -> fmt::Result {
        let subject = &SUBJECTS[number];
        let (cpu, goal, time) = match subject.kind {
            Kind::Nodes(_) => {
                let cpu = self.ratio(number, |figures| figures.cost.cpu);
                let goal = GOALS[number / 2];
                let reached = if cpu.middle <= goal { "reached" } else { "not reached" };
                let time = self.ratio(number, |figures| micros(figures, 0.5));
                (cpu.to_string(), format!("{goal} {reached}"), time.to_string())
            }
            Kind::Bare(_) => ("1 | 1".into(), "–".into(), "1 | 1".into()),
        };
        let arrived = self.sum(number, |figures| figures.times.taken.count() as u64);
        let lost =
            self.sum(number, |figures| figures.times.sent.saturating_sub(figures.times.taken.count() as u64));
        let max = self.rounds[number].iter().map(|figures| micros(figures, 1.0)).fold(0.0, f64::max);
        writeln!(
            f,
            "| {} | {:.0} | {:.1} | {cpu} | {goal} | {:.0} | {arrived} | {lost} | {:.0} | {:.0} | {max:.0} | {time} |",
            subject.name,
            self.median(number, |figures| figures.cost.values),
            self.median(number, |figures| figures.cost.cpu),
            self.median(number, |figures| figures.cost.memory),
            self.median(number, |figures| micros(figures, 0.5)),
            self.median(number, |figures| micros(figures, 0.99)),
        )
    }
}

/// The time that such a share of the events did not exceed \[µs].
fn micros(figures: &Figures, share: f64) -> f64 {
    figures.times.taken.quantile(share).as_secs_f64() * 1e6
}

/// A ratio in several rounds; shown as two cells.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ratio {
    middle: f64,
    least: f64,
    most: f64,
}

impl fmt::Display for Ratio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.2} | {:.2} to {:.2}", self.middle, self.least, self.most)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| subject | motor values [1/s and side] | CPU [% of a core] | CPU to bare | CPU, least to most | CPU goal \
             | memory [MB] | events | lost | p50 [µs] | p99 [µs] | max [µs] | p50 to bare | p50, least to most |\n\
             |---|--:|--:|--:|---|---|--:|--:|--:|--:|--:|--:|--:|---|"
        )?;
        (0..SUBJECTS.len()).try_for_each(|number| self.row(f, number))?;
        let rounds = self.rounds[0].len();
        writeln!(
            f,
            "\n{RATE} events a second, {rounds} rounds of {window} s. {machine}",
            window = self.window.as_secs(),
            machine = machine()
        )?;
        match &self.evdev {
            None => write!(f, "\nNo pad of evdev was measured: umockdev is not installed."),
            Some(evdev) => {
                let ratio = evdev.ratio();
                let report = evdev.from_report.quantile(0.5).as_secs_f64() * 1e6;
                let reached = if ratio <= EVDEV_GOAL { "reached" } else { "not reached" };
                writeln!(
                    f,
                    "\n| a mocked pad of evdev | events | p50 [µs] | p99 [µs] | p50 to SDL's | goal |\n|---|--:|--:|--:|--:|---|"
                )?;
                for (what, times) in [
                    ("from the pad's event to `/motor/port`", &evdev.from_event),
                    ("from the pad's event to SDL's report", &evdev.to_report),
                    ("from SDL's report to `/motor/port`", &evdev.from_report),
                    (
                        "from a like event until a bare process beside the vehicle has read it",
                        &evdev.to_reader,
                    ),
                ] {
                    let [p50, p99] = [0.5, 0.99].map(|part| times.quantile(part).as_secs_f64() * 1e6);
                    writeln!(
                        f,
                        "| {what} | {} | {p50:.0} | {p99:.0} | {:.2} | – |",
                        times.count(),
                        p50 / report
                    )?;
                }
                write!(
                    f,
                    "| from the pad's event, without the mock | – | – | – | {ratio:.2} | {EVDEV_GOAL} {reached} |"
                )
            }
        }
    }
}

/// The middle value, the mean of the two in the middle; NaN without any.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let (low, high) = (values.len().saturating_sub(1) / 2, values.len() / 2);
    match (values.get(low), values.get(high)) {
        (Some(low), Some(high)) => (low + high) / 2.0,
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::Distribution;
    use crate::round::{Cost, Times};

    fn figures(p50: u64, max: u64) -> Figures {
        let times = [p50, p50, max].map(Duration::from_micros).to_vec();
        Figures {
            cost: Cost { values: 200.0, cpu: 1.5, memory: 30.0 },
            times: Times { sent: 4, taken: Distribution::new(times).unwrap() },
        }
    }

    #[test]
    fn the_middle_one_counts() {
        assert_eq!(median(vec![9.0, 1.0, 4.0]), 4.0);
        assert_eq!(median(vec![9.0, 1.0]), 5.0);
        assert!(median(Vec::new()).is_nan());
    }

    #[test]
    fn a_ratio_is_taken_within_a_round() {
        let mut table = Table::new(Duration::from_secs(4));
        for (subject, bare) in [(100, 100), (300, 150), (900, 300)] {
            table.add(0, [figures(subject, 1000 + subject), figures(bare, bare)]);
        }
        // 1, 2 and 3; of the medians it would be 300 / 150
        let ratio = table.ratio(0, |figures| micros(figures, 0.5));
        assert_eq!(ratio, Ratio { middle: 2.0, least: 1.0, most: 3.0 });
        let text = table.to_string();
        // four sent and three arrived: one lost in each of three rounds
        let row = "| steersman | 200 | 1.5 | 1.00 | 1.00 to 1.00 | 2 reached | 30 | 9 | 3 | 300 | 1300 | 1900 | 2.00 | 1.00 to 3.00 |";
        assert!(text.contains(row), "{text}");
    }
}
