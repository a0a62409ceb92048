use std::path::Path;
use std::time::Duration;

use processes::{Folder, Process};
use ros::{Error, Stop, clock};
use safety::Machine;

use crate::bounds::Bounds;
use crate::child;
use crate::reaction::{Reaction, plans};
use crate::trials::{Input, Measured, Output, Trials};
use crate::wires::{FROM_RELAY, TO_RELAY, Wires};

/// The longest wait: a request to end must be noticed.
const LONGEST_SLEEP: Duration = Duration::from_millis(10);
/// The progress is printed after so many trials.
const PROGRESS: usize = 50;

/// Starts hindbrain and a bare relay, measures `count` trials of each reaction, and ends them.
/// # Errors
/// A process does not start, or a trial cannot be measured; the output of the processes is shown.
pub fn measure(context: &r2r::Context, count: u32, folder: &Folder, stop: &Stop) -> Result<Bounds, Error> {
    let parameters = folder.put("reactions.yaml", include_str!("reactions.yaml")).map_err(child::failed)?;
    let wires = Wires::new(context)?;
    let mut children = start(&parameters, folder)?;
    let measured = rehearse(wires, count, stop);
    processes::end(&mut children);
    if stop.is_set() {
        return Err(Error::Start("interrupted".into()));
    }
    measured.map_err(|why| {
        let outputs: Vec<String> = children.iter().map(Process::output).collect();
        Error::Start(format!("the reactions could not be measured: {why}\n{}", outputs.join("\n")))
    })
}

fn start(parameters: &Path, folder: &Folder) -> Result<[Process; 2], Error> {
    let arguments = ["--ros-args", "--params-file", &parameters.to_string_lossy()].map(str::to_owned);
    Ok([
        child::start("bench", &["relay", TO_RELAY, FROM_RELAY].map(str::to_owned), folder)?,
        child::start("hindbrain", &arguments, folder)?,
    ])
}

/// Runs the trials on the real graph, until they are over or the user interrupts them.
fn rehearse(mut wires: Wires, count: u32, stop: &Stop) -> Result<Bounds, String> {
    let all = count as usize * Reaction::ALL.len();
    let mut trials = Trials::new(plans(count), clock::now());
    let mut bounds = Bounds::default();
    while let Some(deadline) = trials.deadline() {
        if stop.is_set() {
            return Err("interrupted".into());
        }
        wires.wait(deadline.since(clock::now()).min(LONGEST_SLEEP));
        let now = clock::now();
        wires.read(|input: Input| trials.handle(now, input));
        while let Some(output) = trials.poll(clock::now()) {
            match output {
                Output::Publish(message) => wires.publish(message).map_err(|error| error.to_string())?,
                Output::Measured(measured) => {
                    bounds.add(&measured);
                    report_progress(&measured, bounds.count(), all);
                }
                Output::Repeated(why) => {
                    eprintln!("bench: {why}; it is repeated");
                    bounds.repeated();
                }
                Output::Failed(why) => return Err(why),
            }
        }
    }
    Ok(bounds)
}

/// Prints the progress, and the details of a trial that exceeded its bound.
fn report_progress(measured: &Measured, count: usize, all: usize) {
    let Measured { plan, took, relay, late } = measured;
    if *took > plan.reaction.bound() {
        eprintln!(
            "bench: {plan} took {took:.1?}, more than {:?} (phase {:.1?}; the bare relay {relay:.1?} just before; the bench \
             itself up to {late:.1?} late)",
            plan.reaction.bound(),
            plan.phase
        );
    }
    if count.is_multiple_of(PROGRESS) {
        eprintln!("bench: reactions: {count} of {all} trials");
    }
}
