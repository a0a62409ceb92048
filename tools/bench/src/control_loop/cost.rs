//! Cost of the node with two running controllers, beside a bare loop of the same rate.
//!
//! The two are measured in turns. Wake-ups are voluntary context switches: a step whose only system call that blocks is its sleep has
//! one. The loop publishes `joint_states` 100 times a second.

use std::time::Duration;

use processes::{Activity, Meter, Process};

use super::calls::Caller;
use super::with_node;
use crate::stage::{Result, Stage};
use crate::table::table;

const RATES: [u32; 2] = [200, 1000];
const ROUNDS: u32 = 2;
/// How long a process runs before it is measured.
const WARM_UP: Duration = Duration::from_secs(2);
/// How long it is measured.
const WINDOW: Duration = Duration::from_secs(6);
/// The name of the loop's thread.
const THREAD: &str = "control";

/// Cost of the node, of its loop's thread alone, and of the bare loop.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    node: Activity,
    thread: Activity,
    bare: Activity,
}

/// Measures the node and the bare loop in turns, each alone in the graph but for a client that waits; returns a table.
/// # Errors
/// A process does not start, ends, or refuses its controllers.
pub fn measure(stage: &Stage) -> Result<String> {
    let mut costs = [Cost::default(); RATES.len()];
    for round in 1..=ROUNDS {
        for (rate, cost) in RATES.into_iter().zip(&mut costs) {
            eprintln!("bench: loop: round {round} of {ROUNDS}, cost at {rate} Hz");
            let bare: &[&str] = &["bench", "loop", &rate.to_string()];
            let [bare] = stage.with("the bare loop", &[bare], |children| observe(stage, children, [None]))?;
            let [node, thread] = with_node(stage, rate, None, &[], |children| {
                let mut caller = Caller::new(stage, "bench_caller")?;
                caller.run_two()?;
                observe(stage, children, [None, Some(THREAD)])
            })?;
            for (sum, one) in [(&mut cost.node, node), (&mut cost.thread, thread), (&mut cost.bare, bare)] {
                sum.cpu += one.cpu / f64::from(ROUNDS);
                sum.wakeups += one.wakeups / f64::from(ROUNDS);
                sum.memory += one.memory / f64::from(ROUNDS);
            }
        }
    }
    let table = table(HEADER, RATES.into_iter().zip(&costs).flat_map(|(rate, cost)| rows(rate, cost)));
    Ok(format!("{table}\nMeans of {ROUNDS} windows of {} s.\n", WINDOW.as_secs()))
}

/// Activity of a process and of threads of it.
fn observe<const N: usize>(
    stage: &Stage,
    children: &[Process],
    threads: [Option<&str>; N],
) -> Result<[Activity; N]> {
    stage.pause(WARM_UP)?;
    let mut activities = [Activity::default(); N];
    let meters = threads.map(|thread| Meter::new(children, thread));
    stage.pause(WINDOW)?;
    for (activity, meter) in activities.iter_mut().zip(meters) {
        *activity = meter?.read()?;
    }
    Ok(activities)
}

const HEADER: &str = "| 2 controllers run | CPU [% of a core] | of that the loop's thread | its wake-ups [1/s] | all wake-ups [1/s] \
                      | memory [MB] | CPU to bare |";

fn rows(rate: u32, Cost { node, thread, bare }: &Cost) -> [String; 2] {
    [
        format!(
            "| `mechanism` at {rate} Hz | {:.2} | {:.2} | {:.0} | {:.0} | {:.0} | {:.1} |",
            100.0 * node.cpu,
            100.0 * thread.cpu,
            thread.wakeups,
            node.wakeups,
            node.memory,
            node.cpu / bare.cpu
        ),
        format!(
            "| bare loop at {rate} Hz | {:.2} | – | – | {:.0} | {:.0} | 1 |",
            100.0 * bare.cpu,
            bare.wakeups,
            bare.memory
        ),
    ]
}
