//! `bench`: how long a stick event takes to the motors, in one process and in four, beside a bare chain; how long hindbrain takes to
//! stop them for each reason, beside a bare relay; what the joystick node costs; how well the control loop keeps its time; what a HAPTIX
//! hand costs; and what the steps of the pure crates cost beside their floors.
//!
//! Figures and ratios, not a test: whatever they are, the exit code is 0 if they could be measured. How each is measured stands in the
//! docs of its module; `docs/performance.md` has those figures that users need.
//!
//! | file | idea |
//! |---|---|
//! | `arguments` | what the user asks for |
//! | `child` | the start of a process |
//! | `baseline` | bare processes: `bench stamp`, `bench relay`, `bench loop` |
//! | `bare_loop` | the least that a real-time loop does |
//! | `lateness` | how late a node's loop wakes up, beside the bare loop |
//! | `reports` | what a node's loop reports of itself |
//! | `service` | calls of a service |
//! | `incoming` | the unread messages of a topic |
//! | **chain** | |
//! | `chain` | all rounds |
//! | `subject` | what is measured: which processes, how many messages on the way |
//! | `round` | one measurement of one subject |
//! | `hand` | moves the virtual stick |
//! | `sink` | subscribes to the motors, or to the end of a bare chain |
//! | `pairing` | which motor value belongs to which stick event |
//! | `evdev` | the same from the event of a mocked pad |
//! | `table` | the figures of all rounds |
//! | **reactions** | |
//! | `reaction` | what must stop the motors, in which time, and in which order it is tried |
//! | `trials` | the way of all trials, as a machine: up to full speed, the event, the stop |
//! | `slots` | when messages are published |
//! | `vehicle` | what the vehicle published last |
//! | `wires` | the topics |
//! | `rehearsal` | the trials on the real graph |
//! | `page` | the tables in a document |
//! | `distribution` | quantiles and histogram |
//! | `bounds` | the figures of all trials |
//! | **pads** | |
//! | `pads` | the joystick node: its topics, an unplugged pad, the load of many, the log |
//! | **idle** | |
//! | `idle` | what each node costs while nothing moves |
//! | **loop** | |
//! | `control_loop` | the control loop of `mechanism`: lateness beside a bare loop, calls, cost of the node |
//! | **hand** | |
//! | `haptix_hand` | a HAPTIX hand: updates and commands over DDS, lateness of its loop, MuJoCo |
//! | **drive**, **zones**, and in **loop** and **hand** | |
//! | `steps` | steps of the pure crates, which criterion measures in `benches/steps`, as tables |

mod arguments;
mod bare_loop;
mod baseline;
mod bounds;
mod chain;
mod child;
mod control_loop;
mod distribution;
mod evdev;
mod hand;
mod haptix_hand;
mod idle;
mod incoming;
mod lateness;
mod pads;
mod page;
mod pairing;
mod reaction;
mod rehearsal;
mod reports;
mod round;
mod service;
mod sink;
mod slots;
mod steps;
mod subject;
mod table;
mod trials;
mod vehicle;
mod wires;

use std::process::ExitCode;

use clap::{Parser as _, ValueEnum as _};
use processes::Folder;
use ros::Error;

use crate::arguments::{Arguments, CommandLine, Part, Subject};

fn main() -> ExitCode {
    let CommandLine { bench: arguments, part } = CommandLine::parse();
    let done = match part {
        None => bench(&arguments),
        Some(part) => play(part),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Measures each requested subject, one after the other.
fn bench(arguments: &Arguments) -> Result<(), Error> {
    isolation::ensure().map_err(|error| Error::Start(error.to_string()))?;
    let stop = &baseline::on_signals()?;
    let context = &ros::context()?;
    let folder = &Folder::new("bench").map_err(child::failed)?;
    for &subject in Subject::value_variants().iter().filter(|&&subject| arguments.asks_for(subject)) {
        let table = match subject {
            Subject::Chain => chain::measure(context, arguments, folder, stop)?.to_string(),
            Subject::Reactions => rehearsal::measure(context, arguments.reactions, folder, stop)?.to_string(),
            Subject::Pads => pads::measure(context, arguments, folder, stop)?.to_string(),
            Subject::Idle => idle::measure(folder, stop)?.to_string(),
            Subject::Zones => with_machine(steps::measure(&steps::ZONES, arguments.seconds)?),
            Subject::Loop => control_loop::measure(context, arguments, folder, stop)?.to_string(),
            Subject::Hand => haptix_hand::measure(context, arguments, folder, stop)?.to_string(),
            Subject::Drive => with_machine(steps::measure(&steps::DRIVE, arguments.seconds)?),
        };
        println!("{table}\n");
        if let Some(page) = &arguments.write {
            page::renew(page, subject, &table)?;
        }
    }
    Ok(())
}

fn with_machine(report: steps::Report) -> String {
    format!("{report}\n{}", table::machine())
}

/// A part of what is measured.
fn play(part: Part) -> Result<(), Error> {
    match part {
        Part::Stamp { from, to } => baseline::stamp(&from, &to),
        Part::Relay { from, to } => baseline::relay(&from, &to),
        Part::Loop { rate, topics } => baseline::sleeper(rate, &topics),
        Part::Service => control_loop::serve_bare(),
        Part::BareHand => haptix_hand::serve_bare(),
        Part::Reader { file } => evdev::read(&file),
        Part::Pads { pads, rate, ros: _ } => pads::run_loaded(pads, rate, &baseline::on_signals()?),
    }
}
