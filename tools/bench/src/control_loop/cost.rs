//! Cost of the node with two running controllers, beside a bare loop of the same rate.
//!
//! The two are measured in turns. Wake-ups are voluntary context switches: a step whose only system call that blocks is its sleep has
//! one. The loop publishes `joint_states` 100 times a second.

use core::fmt;
use std::time::Duration;

use processes::{Activity, Folder, Meter, Process};
use ros::{Error, Stop};

use super::calls::{Caller, MANAGER};
use super::node;
use crate::child;
use crate::idle::pause;

const RATES: [u32; 2] = [200, 1000];
const ROUNDS: usize = 2;
/// How long a process runs before it is measured.
const WARM_UP: Duration = Duration::from_secs(2);
/// How long it is measured.
const WINDOW: Duration = Duration::from_secs(6);
const RUNNING: &[&str] = &["pan_position", "tilt_position"];
/// The name of the loop's thread.
const THREAD: &str = "control";

/// Cost of a process.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    all: Activity,
    /// Its control loop alone.
    thread: Activity,
}

/// The figures; shown as a table in Markdown.
pub struct Report(Vec<(u32, [Cost; 2])>);

/// Measures the node and the bare loop in turns, each alone in the graph but for a client that waits.
/// # Errors
/// A process does not start, ends, or refuses its controllers; its output is shown.
pub fn measure(context: &r2r::Context, folder: &Folder, stop: &Stop) -> Result<Report, Error> {
    let mut caller = Caller::new(context, "bench_caller", MANAGER)?;
    let mut rows = RATES.map(|rate| (rate, [Cost::default(); 2]));
    for round in 1..=ROUNDS {
        for (rate, sums) in &mut rows {
            eprintln!("bench: loop: round {round} of {ROUNDS}, cost at {rate} Hz");
            let bare = child::start("bench", &["loop".to_owned(), rate.to_string()], folder)?;
            sums[1].add(&observe(bare, stop)?);
            let child = node::start(*rate, None, folder)?;
            let started = caller.wait().and_then(|()| caller.start(RUNNING));
            started.map_err(|error| Error::Start(format!("{error}\n{}", child.output())))?;
            sums[0].add(&observe(child, stop)?);
        }
    }
    Ok(Report(rows.into()))
}

fn observe(child: Process, stop: &Stop) -> Result<Cost, Error> {
    let measured = observed(&child, stop);
    measured.map_err(|why| Error::Start(format!("the cost could not be measured: {why}\n{}", child.output())))
}

fn observed(child: &Process, stop: &Stop) -> Result<Cost, String> {
    let text = |error: std::io::Error| error.to_string();
    pause(WARM_UP, stop)?;
    let children = std::slice::from_ref(child);
    let (all, thread) = (Meter::new(children, None).map_err(text)?, Meter::new(children, Some(THREAD)));
    pause(WINDOW, stop)?;
    let thread = thread.and_then(|thread| thread.read()).unwrap_or_default();
    Ok(Cost { all: all.read().map_err(text)?, thread })
}

impl Cost {
    /// Adds the share of one round to a mean over all.
    fn add(&mut self, round: &Self) {
        let share = 1.0 / ROUNDS as f64;
        for (sum, one) in [(&mut self.all, &round.all), (&mut self.thread, &round.thread)] {
            sum.cpu += share * one.cpu;
            sum.wakeups += share * one.wakeups;
            sum.memory += share * one.memory;
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| 2 controllers run | CPU [% of a core] | of that the loop's thread | its wake-ups [1/s] | all wake-ups [1/s] | \
             memory [MB] | CPU to bare |\n|---|--:|--:|--:|--:|--:|--:|"
        )?;
        for (rate, [node, bare]) in &self.0 {
            let percent = |activity: &Activity| 100.0 * activity.cpu;
            writeln!(
                f,
                "| `mechanism` at {rate} Hz | {:.2} | {:.2} | {:.0} | {:.0} | {:.0} | {:.1} |",
                percent(&node.all),
                percent(&node.thread),
                node.thread.wakeups,
                node.all.wakeups,
                node.all.memory,
                node.all.cpu / bare.all.cpu
            )?;
            writeln!(
                f,
                "| bare loop at {rate} Hz | {:.2} | – | – | {:.0} | {:.0} | 1 |",
                percent(&bare.all),
                bare.all.wakeups,
                bare.all.memory
            )?;
        }
        write!(f, "\nMeans of {ROUNDS} windows of {} s.", WINDOW.as_secs())
    }
}
