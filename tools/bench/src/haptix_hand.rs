//! A HAPTIX hand: steps of the analytic hand, updates and commands over DDS, how late the device's loop wakes up at rest and under
//! updates, and a hand in MuJoCo.

mod mujoco;
mod trips;

use std::time::Duration;

use processes::Process;
use ros::clock;

use self::trips::Updater;
use crate::stage::{Result, Stage};
use crate::{lateness, steps};

/// The namespace of the node's services and topics.
const HAND: &str = "/haptix";
/// How long updates follow each other while the loop is measured, and how long one waits for the next.
const WINDOW: Duration = Duration::from_secs(6);
const PAUSE: Duration = Duration::from_millis(1);

/// Measures one after the other, each beside its floor; returns tables.
/// # Errors
/// A process does not start, ends, or does not answer.
pub fn measure(stage: &Stage) -> Result<String> {
    let steps = steps::measure(&steps::HAND, stage.arguments.seconds)?;
    let trips = trips::measure(stage)?;
    let lateness = with_node(stage, Some(lateness::core()), &[], |_| lateness_under_updates(stage))?;
    Ok(format!("{steps}\n{trips}\n{lateness}\n{}", mujoco::measure()?))
}

/// Measures while the node with the analytic hand at 1 kHz and further processes run; its thread has one processor if it is given.
fn with_node<T>(
    stage: &Stage,
    core: Option<usize>,
    beside: &[&[&str]],
    measure: impl FnOnce(&[Process]) -> Result<T>,
) -> Result<T> {
    let cores = core.map(|core| format!("cores:=[{core}]"));
    let mut node = vec![
        "haptix",
        "--ros-args",
        "-p",
        "device:=mpl",
        "-p",
        "step_rate:=1000",
        "-p",
        "update_rate:=1000.0",
    ];
    node.extend(cores.iter().flat_map(|cores| ["-p", cores]));
    stage.with("the hand", &[&[&node[..]], beside].concat(), measure)
}

/// The updates come from one client.
fn lateness_under_updates(stage: &Stage) -> Result<String> {
    let mut updater = Updater::new(stage, "bench_updater", HAND)?;
    lateness::measure(stage, "updates", |_| {
        let (end, mut count) = (clock::now() + WINDOW, 0);
        while clock::now() < end {
            updater.update()?;
            updater.peer.pause(PAUSE)?;
            count += 1;
        }
        Ok(count)
    })
}
