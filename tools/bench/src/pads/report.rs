//! The figures of `pads`.
//!
//! Times are from the stick event as SDL reports it to the subscription; the bare chain is one message between two r2r processes. `joy`
//! waits for `coalesce_interval` for further moves. Those of an unplugged pad are from publishing what pulls it out, at full speed, and
//! include DDS both ways. Where pads are moved, one of them drives. All are virtual pads of SDL: the event of a real one first passes
//! the kernel and SDL, which a pad whose file opens wakes up, and which polls any other every millisecond.

use core::fmt;
use std::time::Duration;

use super::load::{Load, MOVES};
use super::log::Logged;
use super::paths::Paths;
use super::unplugs::Unplugs;
use crate::arguments::Arguments;
use crate::distribution::Distribution;
use crate::hand::RATE;
use crate::table::machine;

/// Within which a pad that goes has to be let go everywhere.
const BOUND: Duration = Duration::from_millis(50);

/// All figures of the joystick node, shown as tables in Markdown.
#[derive(Debug)]
pub struct Report {
    asked: Arguments,
    /// Times from the stick event to the topics.
    pub paths: Paths,
    /// Times from the unplugging to all that is let go.
    pub unplugs: Unplugs,
    /// Cost of the node for different numbers of pads.
    pub loads: [Load; 5],
    /// The log at 1 kHz.
    pub log: Option<Logged>,
}

impl Report {
    /// Nothing yet.
    pub fn new(asked: Arguments) -> Self {
        let loads = [(0, false), (1, false), (1, true), (8, false), (8, true)];
        let loads = loads.map(|(pads, moved)| Load::new(pads, moved));
        Self { asked, paths: Paths::default(), unplugs: Unplugs::default(), loads, log: None }
    }

    fn latencies(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = Distribution::new(self.paths.bare.clone());
        writeln!(
            f,
            "| stick event to | events | p50 [µs] | p99 [µs] | max [µs] | p50 to bare |\n|---|---|---|---|---|---|"
        )?;
        let rows = [
            ("`~/device/<name>`", &self.paths.device),
            ("`joy`", &self.paths.joy),
            ("`~/desired`", &self.paths.desired),
            ("bare chain of 1", &self.paths.bare),
        ];
        for (name, times) in rows {
            let Some(times) = Distribution::new(times.clone()) else { continue };
            let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| times.quantile(share).as_secs_f64() * 1e6);
            let floor = bare.as_ref().map_or(f64::NAN, |bare| bare.quantile(0.5).as_secs_f64() * 1e6);
            writeln!(
                f,
                "| {name} | {} | {p50:.0} | {p99:.0} | {max:.0} | {:.2} |",
                times.count(),
                p50 / floor
            )?;
        }
        writeln!(f, "\n{RATE} events a second, {} rounds of {} s.\n", self.asked.rounds, self.asked.seconds)
    }

    fn unplugs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| unplugged to | trials | min [ms] | p50 [ms] | p90 [ms] | p99 [ms] | max [ms] | within {} ms |\n|---|---|---|---|---|---|---|---|",
            BOUND.as_millis()
        )?;
        let rows = [
            ("released `~/device/<name>`", &self.unplugs.device),
            ("neutral `joy`", &self.unplugs.joy),
            ("zero `~/desired`", &self.unplugs.desired),
            ("all three", &self.unplugs.all),
        ];
        for (name, times) in rows {
            let Some(times) = Distribution::new(times.clone()) else { continue };
            let [min, p50, p90, p99, max] =
                [0.0, 0.5, 0.9, 0.99, 1.0].map(|share| millis(times.quantile(share)));
            let (count, within) = (times.count(), times.within(BOUND));
            writeln!(
                f,
                "| {name} | {count} | {min:.2} | {p50:.2} | {p90:.2} | {p99:.2} | {max:.2} | {within} |"
            )?;
        }
        writeln!(f)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.latencies(f)?;
        self.unplugs(f)?;
        writeln!(f, "| pads | CPU [% of a core] | memory [MB] |\n|---|---|---|")?;
        for Load { pads, moved, cpu, memory } in &self.loads {
            let how = match (pads, moved) {
                (0, _) => "none".into(),
                (_, false) => format!("{pads} at rest"),
                (_, true) => format!("{pads}, each moved {MOVES} times a second"),
            };
            writeln!(f, "| {how} | {cpu:.1} | {memory:.0} |")?;
        }
        if let Some(Logged { time, cycles, missed }) = self.log {
            let due = time.as_secs_f64() * 1000.0;
            writeln!(
                f,
                "\nA log at 1 kHz for {:.1} s: {cycles} of {due:.0} cycles ran, of their rows {missed} were missed.",
                time.as_secs_f64()
            )?;
        }
        write!(f, "\n{}", machine())
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_a_row_for_all_that_was_measured() {
        let asked = Arguments { only: None, seconds: 4, rounds: 3, reactions: 1, unplugs: 2, write: None };
        let mut report = Report::new(asked);
        report.paths.bare = vec![Duration::from_micros(200)];
        report.paths.joy = vec![Duration::from_micros(300); 3];
        report.unplugs.all = vec![Duration::from_millis(50), Duration::from_millis(51)];
        report.log = Some(Logged { time: Duration::from_secs(2), cycles: 1999, missed: 1 });
        let text = report.to_string();
        for row in [
            "| `joy` | 3 | 300 | 300 | 300 | 1.50 |",
            "| all three | 2 | 50.00 | 50.00 | 51.00 | 51.00 | 51.00 | 1 |",
            "| 8, each moved 125 times a second | 0.0 | 0 |",
            "1999 of 2000 cycles ran, of their rows 1 were missed",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
        assert!(!text.contains("`~/desired` |"), "nothing was received of it");
    }
}
