//! How long hindbrain takes to stop both motors from full speed.
//!
//! Each time is from publishing the event at full speed until both motors receive stop. It includes DDS both ways, and the bound
//! does not: a bare relay, asked one tick before each event, shows what DDS costs, and the last column allows each trial what its
//! relay took. The events are spread evenly over hindbrain's tick; before them passes the period of an infra-red sensor.

mod reaction;
mod slots;
mod trials;
mod wires;

use std::time::Duration;

use ros::clock;
use safety::Machine;

use self::reaction::{Reaction, plans};
use self::trials::{Measured, Output, Trials};
use self::wires::{FROM_RELAY, TO_RELAY, Wires};
use crate::stage::{Result, Stage, check};
use crate::table::{self, Distribution};

/// The longest wait: a request to end must be noticed.
const LONGEST_SLEEP: Duration = Duration::from_millis(10);
/// The progress is printed after so many trials.
const PROGRESS: usize = 50;

/// Measures all trials with hindbrain and a bare relay on the real graph; returns a table.
/// # Errors
/// A process does not start, or a trial cannot be measured.
pub fn measure(stage: &Stage) -> Result<String> {
    stage.put("reactions.yaml", include_str!("reactions.yaml"))?;
    let relay: &[&str] = &["bench", "relay", TO_RELAY, FROM_RELAY];
    let hindbrain: &[&str] = &["hindbrain", "--ros-args", "--params-file", "reactions.yaml"];
    let wires = Wires::new(stage)?;
    stage.with("the reactions", &[relay, hindbrain], |_| rehearse(stage, wires))
}

/// Makes all trials.
fn rehearse(stage: &Stage, mut wires: Wires) -> Result<String> {
    let all = stage.arguments.reactions as usize * Reaction::ALL.len();
    let mut trials = Trials::new(plans(stage.arguments.reactions), clock::now());
    let (mut measured, mut repeated) = (Vec::new(), 0);
    while let Some(deadline) = trials.deadline() {
        check(&stage.stop)?;
        wires.receive(deadline.since(clock::now()).min(LONGEST_SLEEP), |input| {
            trials.handle(clock::now(), input)
        });
        while let Some(output) = trials.poll(clock::now()) {
            match output {
                Output::Publish(message) => wires.publish(message)?,
                Output::Measured(trial) => {
                    measured.push(trial);
                    report_progress(&trial, measured.len(), all);
                }
                Output::Repeated(why) => {
                    eprintln!("bench: {why}; it is repeated");
                    repeated += 1;
                }
                Output::Failed(why) => return Err(why.into()),
            }
        }
    }
    let table = table::table(HEADER, rows(&measured)?);
    Ok(format!("{table}\nTrials repeated because something else stopped the motors: {repeated}.\n"))
}

/// Prints the progress, and the details of a trial that exceeded its bound.
fn report_progress(Measured { plan, took, relay, late }: &Measured, count: usize, all: usize) {
    let bound = plan.reaction.bound();
    if *took > bound {
        eprintln!(
            "bench: {plan} took {took:.1?}, more than {bound:?} (phase {:.1?}; the bare relay {relay:.1?} just before; the bench \
             itself up to {late:.1?} late)",
            plan.phase
        );
    }
    if count.is_multiple_of(PROGRESS) {
        eprintln!("bench: reactions: {count} of {all} trials");
    }
}

const HEADER: &str = "| reaction | trials | min [ms] | p50 [ms] | p90 [ms] | p99 [ms] | max [ms] | bound [ms] | within \
                      | within bound + relay |";

/// A row for each reaction, and one for the bare relay in all trials.
fn rows(trials: &[Measured]) -> Result<Vec<String>> {
    let row = |name: &str, times: Vec<Duration>, bound: &dyn Fn(&Distribution) -> String| {
        let times = Distribution::new(times)?;
        Ok(format!("| {name} | {} | {} | {} |", times.count(), times.millis(), bound(&times)))
    };
    let of_reaction = |reaction: Reaction| {
        let own = trials.iter().filter(|trial| trial.plan.reaction == reaction);
        let bound = reaction.bound();
        let within_with_way = own.clone().filter(|trial| trial.took <= bound + trial.relay).count();
        row(reaction.name(), own.map(|trial| trial.took).collect(), &|times| {
            format!("{} | {} | {within_with_way}", bound.as_millis(), times.within(bound))
        })
    };
    let relay = trials.iter().map(|trial| trial.relay).collect();
    let relay = row("bare relay", relay, &|_| "– | – | –".into());
    Reaction::ALL.into_iter().map(of_reaction).chain([relay]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reaction_has_its_row_and_the_relay_counts_in_all() {
        let trial = |(number, plan): (usize, reaction::Plan)| Measured {
            plan,
            took: Duration::from_micros([20_000, 20_302, 20_311][plan.number as usize]),
            relay: Duration::from_micros(300 + number as u64),
            late: Duration::ZERO,
        };
        let trials: Vec<Measured> = plans(3).enumerate().map(trial).collect();
        let rows = rows(&trials).unwrap();
        assert_eq!(rows.len(), 6);
        // 20 keeps the bound of 20 ms; 20.302 does with the 0.305 of its relay, 20.311 not with 0.310
        assert_eq!(rows[0], "| e-stop pressed | 3 | 20.00 | 20.30 | 20.31 | 20.31 | 20.31 | 20 | 1 | 2 |");
        assert_eq!(rows[3], "| infra-red blocked | 3 | 20.00 | 20.30 | 20.31 | 20.31 | 20.31 | 20 | 1 | 3 |");
        assert_eq!(rows[5], "| bare relay | 15 | 0.30 | 0.31 | 0.31 | 0.31 | 0.31 | – | – | – |");
    }
}
