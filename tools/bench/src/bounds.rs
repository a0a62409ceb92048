//! The figures of `reactions`.
//!
//! Each is the time from publishing the event at full speed until both motors receive stop. It includes DDS both ways, and the bound
//! does not: a bare relay, asked one tick before each event, shows what DDS costs, and the last column allows each trial what its
//! relay took. The events are spread evenly over hindbrain's tick; before them passes the period of an infra-red sensor.

use core::fmt;
use std::time::Duration;

use crate::distribution::Distribution;
use crate::reaction::Reaction;
use crate::table::machine;
use crate::trials::Measured;

/// The reactions' times of all trials, beside the bare relay's; shown as a table in Markdown.
#[derive(Debug, Default)]
pub struct Bounds {
    reactions: [Row; Reaction::ALL.len()],
    relay: Vec<Duration>,
    repeated: u32,
}

#[derive(Debug, Default)]
struct Row {
    times: Vec<Duration>,
    /// How many kept the bound plus the time that the bare relay took in the same trial.
    within_with_way: usize,
}

impl Bounds {
    /// Adds a trial.
    pub fn add(&mut self, measured: &Measured) {
        let reaction = measured.plan.reaction;
        let row = &mut self.reactions[reaction.index()];
        row.times.push(measured.took);
        row.within_with_way += usize::from(measured.took <= reaction.bound() + measured.relay);
        self.relay.push(measured.relay);
    }

    /// Counts a trial that had to be repeated.
    pub fn repeated(&mut self) {
        self.repeated += 1;
    }

    /// How many trials there were.
    pub fn count(&self) -> usize {
        self.relay.len()
    }

    /// Name and times of each row, and of a reaction the last three columns.
    fn rows(&self) -> impl Iterator<Item = (&'static str, Distribution, String)> {
        let reactions = Reaction::ALL.into_iter().zip(&self.reactions).filter_map(|(reaction, row)| {
            let (bound, times) = (reaction.bound(), Distribution::new(row.times.clone())?);
            let last = format!("{:.0} | {} | {}", millis(bound), times.within(bound), row.within_with_way);
            Some((reaction.name(), times, last))
        });
        let relay = Distribution::new(self.relay.clone());
        reactions.chain(relay.map(|times| ("bare relay", times, "– | – | –".into())))
    }
}

impl fmt::Display for Bounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| reaction | trials | min [ms] | p50 [ms] | p90 [ms] | p99 [ms] | max [ms] | bound [ms] | within \
             | within bound + relay |"
        )?;
        writeln!(f, "|---|---|---|---|---|---|---|---|---|---|")?;
        for (name, times, last) in self.rows() {
            write!(f, "| {name} | {} |", times.count())?;
            for share in [0.0, 0.5, 0.9, 0.99, 1.0] {
                write!(f, " {:.2} |", millis(times.quantile(share)))?;
            }
            writeln!(f, " {last} |")?;
        }
        write!(
            f,
            "\nTrials repeated because something else stopped the motors: {}. {}",
            self.repeated,
            machine()
        )
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reaction::plans;

    #[test]
    fn each_reaction_has_its_row_and_the_relay_counts_in_all() {
        let mut bounds = Bounds::default();
        for (number, plan) in plans(3).enumerate() {
            let took = Duration::from_micros([20_000, 20_302, 20_311][plan.number as usize]);
            let relay = Duration::from_micros(300 + number as u64);
            bounds.add(&Measured { plan, took, relay, late: Duration::ZERO });
        }
        let text = bounds.to_string();
        assert_eq!(bounds.count(), 15);
        for row in [
            // 20 keeps the bound of 20 ms; 20.302 does with the 0.305 of its relay, 20.311 not with 0.310
            "| e-stop pressed | 3 | 20.00 | 20.30 | 20.31 | 20.31 | 20.31 | 20 | 1 | 2 |",
            "| infra-red blocked | 3 | 20.00 | 20.30 | 20.31 | 20.31 | 20.31 | 20 | 1 | 3 |",
            "| bare relay | 15 | 0.30 | 0.31 | 0.31 | 0.31 | 0.31 | – | – | – |",
        ] {
            assert!(text.contains(row), "{row}\n{text}");
        }
    }

    #[test]
    fn what_was_not_measured_has_no_row() {
        assert!(!Bounds::default().to_string().contains("e-stop"));
    }
}
