use std::path::Path;
use std::time::Duration;

use ros::{Error, Stop, clock};
use units::Machine;

use crate::bounds::Bounds;
use crate::child::{Child, Folder};
use crate::reaction::{Reaction, plans};
use crate::trials::{Input, Measured, Output, Trials};
use crate::wires::{FROM_RELAY, TO_RELAY, Wires};

/// How long a wait may last: the wish to end must be seen.
const LONGEST_SLEEP: Duration = Duration::from_millis(10);
/// After so many trials it is told how far it is.
const PROGRESS: usize = 50;

/// Makes hindbrain and a bare relay run, measures `count` trials of each reaction, and ends them.
/// # Errors
/// A process does not start, or a trial cannot be measured; what the processes said is shown.
pub fn measure(context: &r2r::Context, count: u32, folder: &Folder, stop: &Stop) -> Result<Bounds, Error> {
    let parameters = folder.put("reactions.yaml", include_str!("reactions.yaml"))?;
    let wires = Wires::new(context)?;
    let children = start(&parameters, folder)?;
    let measured = rehearse(wires, count, stop);
    children.iter().for_each(Child::ask_to_end);
    if stop.is_set() {
        return Err(Error::Start("interrupted".into()));
    }
    measured.map_err(|why| {
        let words: Vec<String> = children.iter().map(Child::words).collect();
        Error::Start(format!("the reactions could not be measured: {why}\n{}", words.join("\n")))
    })
}

fn start(parameters: &Path, folder: &Folder) -> Result<[Child; 2], Error> {
    let arguments = ["--ros-args", "--params-file", &parameters.to_string_lossy()].map(str::to_owned);
    Ok([
        Child::start("bench", &["relay", TO_RELAY, FROM_RELAY].map(str::to_owned), folder)?,
        Child::start("hindbrain", &arguments, folder)?,
    ])
}

/// Lets the trials happen on the real graph; somebody who wishes to end is obeyed.
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
                    tell(&measured, bounds.count(), all);
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

/// Says how far it is, and what there is to know of a trial that exceeded its bound.
fn tell(measured: &Measured, count: usize, all: usize) {
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
