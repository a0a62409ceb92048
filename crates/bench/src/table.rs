use core::fmt;
use std::fs;
use std::num::NonZero;
use std::time::Duration;

use crate::round::Figures;
use crate::subject::{Kind, SUBJECTS};

/// The figures of all rounds; shown as a table in Markdown.
#[derive(Debug)]
pub struct Table {
    window: Duration,
    rounds: [Vec<Figures>; SUBJECTS.len()],
}

impl Table {
    /// No figures yet; each will be measured for `window`.
    pub fn new(window: Duration) -> Self {
        Self { window, rounds: Default::default() }
    }

    /// Adds a measurement of the subject `number`.
    pub fn add(&mut self, number: usize, figures: Figures) {
        self.rounds[number].push(figures);
    }

    /// A figure of the subject `number`: its median over all rounds.
    fn median(&self, number: usize, figure: impl Fn(&Figures) -> f64) -> f64 {
        median(self.rounds[number].iter().map(figure).collect())
    }

    fn sum(&self, number: usize, figure: impl Fn(&Figures) -> u64) -> u64 {
        self.rounds[number].iter().map(figure).sum()
    }

    /// How much longer half of the events take than in the bare chain of the same round, which follows in the table:
    /// the median over all rounds, the smallest and the largest.
    fn ratio(&self, number: usize) -> (f64, f64, f64) {
        let pairs = self.rounds[number].iter().zip(&self.rounds[number + 1]);
        let ratios: Vec<f64> = pairs.map(|(subject, bare)| subject.latency.p50 / bare.latency.p50).collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        (median(ratios), least, most)
    }

    /// Events that were sent and did not arrive. The joystick's own cycle adds one a second to those of the hand.
    fn lost(&self, number: usize) -> u64 {
        let own = match SUBJECTS[number].kind {
            Kind::Nodes(_) => self.window.as_secs(),
            Kind::Bare(_) => 0,
        };
        self.sum(number, |f| (f.sent + own).saturating_sub(f.arrived))
    }

    fn row(&self, f: &mut fmt::Formatter<'_>, number: usize) -> fmt::Result {
        let subject = &SUBJECTS[number];
        let ratio = match subject.kind {
            Kind::Nodes(_) => {
                let (middle, least, most) = self.ratio(number);
                format!("{middle:.2} ({least:.2} to {most:.2})")
            }
            Kind::Bare(_) => "1".into(),
        };
        let processes = self.rounds[number].first().map_or(0, |figures| figures.processes);
        let max = self.rounds[number].iter().map(|figures| figures.latency.max).fold(0.0, f64::max);
        writeln!(
            f,
            "| {} | {processes} | {} | {} | {} | {:.0} | {:.0} | {max:.0} | {ratio} | {:.1} | {:.0} |",
            subject.name,
            subject.messages,
            self.sum(number, |figures| figures.arrived),
            self.lost(number),
            self.median(number, |figures| figures.latency.p50),
            self.median(number, |figures| figures.latency.p99),
            self.median(number, |figures| figures.cpu),
            self.median(number, |figures| figures.memory),
        )
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| subject | processes | messages | events | lost | p50 [µs] | p99 [µs] | max [µs] \
             | p50 to bare chain | CPU [% of a core] | memory [MB] |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|---|")?;
        (0..SUBJECTS.len()).try_for_each(|number| self.row(f, number))?;
        let rounds = self.rounds[0].len();
        let unpaired: u64 = (0..SUBJECTS.len()).map(|number| self.sum(number, |f| f.unpaired)).sum();
        write!(
            f,
            "\nFrom the stick event as SDL reports it to `/motor/port` at who measures, 200 events a second. Medians over \
             {rounds} interleaved rounds of {} s; of max the largest, of events and lost the sums. The ratio is to the \
             bare r2r chain below in the same round. Lost were sent and never seen at the end: a publisher keeps the \
             newest message only, and SDL joins states that come within a millisecond; {unpaired} messages without a \
             counterpart are left out. Memory counts shared pages for each process. {}",
            self.window.as_secs(),
            machine()
        )
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

/// The machine that it was measured on, and what else it does.
pub fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let version = fs::read_to_string("/proc/version").unwrap_or_default();
    let kernel: Vec<&str> = version.split_whitespace().take(3).collect();
    let middleware = std::env::var("RMW_IMPLEMENTATION").unwrap_or_else(|_| "the default middleware".into());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_whitespace().next().unwrap_or("unknown");
    format!("Machine: {cores} cores, {}, {middleware}; load of the last minute {load}.", kernel.join(" "))
}

#[cfg(test)]
mod tests {
    use ros::Quantiles;

    use super::*;

    fn figures(p50: f64, max: f64) -> Figures {
        let latency = Quantiles { total: 0, p50, p99: 2.0 * p50, max };
        Figures { processes: 1, sent: 800, arrived: 803, unpaired: 0, latency, cpu: 1.5, memory: 30.0 }
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
        for (subject, bare) in [(100.0, 100.0), (300.0, 150.0), (900.0, 300.0)] {
            table.add(0, figures(subject, 1000.0 + subject));
            table.add(1, figures(bare, 0.0));
        }
        // 1, 2 and 3; of the medians it would be 300 / 150
        assert_eq!(table.ratio(0), (2.0, 1.0, 3.0));
        let text = table.to_string();
        // 800 sent and 4 of the joystick's own, 803 arrived: one lost in each of three rounds
        assert!(
            text.contains(
                "| one process | 1 | 1 | 2409 | 3 | 300 | 600 | 1900 | 2.00 (1.00 to 3.00) | 1.5 | 30 |"
            ),
            "{text}"
        );
    }
}
