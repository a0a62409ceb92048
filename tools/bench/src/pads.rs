//! Cost and speed of the joystick node: see `--help`.

mod load;
mod log;
mod paths;
mod report;
mod unplugs;
mod wires;

use processes::{Folder, Process};
use ros::{Error, Stop};

pub use self::load::run as run_loaded;

use self::report::Report;
use self::wires::Wires;
use crate::arguments::Arguments;
use crate::child;
use crate::hand::Hand;

/// The vehicle's parameters, of which the joystick takes its own: one virtual pad that is moved over its topic.
const STACK: &str = include_str!("stack.yaml");
/// As [`STACK`], without a virtual pad, for pads that move by themselves, and at the full rate.
const MANY: &str = include_str!("pads/many.yaml");

/// Measures all of it, one after the other.
/// # Errors
/// A process does not start, ends, or nothing arrives; its output is shown.
pub fn measure(
    context: &r2r::Context,
    asked: &Arguments,
    folder: &Folder,
    stop: &Stop,
) -> Result<Report, Error> {
    let mut node = r2r::Node::create(context.clone(), "bench_pads", "")
        .map_err(Error::ros("make the node 'bench_pads'"))?;
    let (hand, control) = Hand::new(&mut node)?;
    let mut wires = Wires::new(node, hand.pad(), stop.clone())?;
    let one = folder.put("pads.yaml", STACK).map_err(child::failed)?;
    let many = folder.put("many.yaml", MANY).map_err(child::failed)?;
    std::thread::scope(|scope| {
        scope.spawn(move || hand.run());
        let mut measure = || -> Result<Report, Error> {
            let mut report = Report::new(asked.clone());
            for round in 1..=asked.rounds {
                eprintln!("bench: pads: round {round} of {}", asked.rounds);
                paths::measure(&mut wires, &control, asked.window(), &one, folder, &mut report.paths)?;
            }
            report.unplugs = unplugs::measure(&mut wires, asked.unplugs, &one, folder)?;
            for (index, load) in report.loads.iter_mut().enumerate() {
                eprintln!("bench: pads: load {}", index + 1);
                load.measure(&mut wires, asked.window(), &many, folder)?;
            }
            eprintln!("bench: pads: log");
            report.log = Some(log::measure(&mut wires, &control, asked.window(), folder)?);
            Ok(report)
        };
        let report = measure();
        drop(control);
        report
    })
}

/// Why `what` could not be measured, with the output of the process.
fn failed(what: &str, why: &str, child: &Process) -> Error {
    Error::Start(format!("{what} could not be measured: {why}\n{}", child.output()))
}

/// The joystick node with the parameters in `path`.
fn start(path: &std::path::Path, folder: &Folder) -> Result<Process, Error> {
    let arguments = ["--ros-args", "--params-file", &path.to_string_lossy()].map(str::to_owned);
    child::start("joystick", &arguments, folder)
}
