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
//! | `stage` | what all measurements need; processes and their end |
//! | `peer` | a node of the bench: messages, and calls of services |
//! | `vehicle` | what the vehicle published last |
//! | `bare` | bare processes: `bench stamp`, `relay`, `loop`, `service`, `bare-hand` |
//! | `lateness` | how late a node's loop wakes up, beside the least that a real-time loop does |
//! | `steps` | steps of the pure crates, which criterion measures in `benches/steps` |
//! | `table`, `page` | quantiles, and tables in Markdown; the tables in a document |
//! | `child`, `incoming`, `distribution` | what `chain` and `pads` have instead of `stage`, `peer` and `table` |
//! | **subjects** | |
//! | `chain` | all rounds: `subject`, `round`, `hand`, `sink`, `pairing`, `evdev`, `chain_table` |
//! | `reactions` | `reaction`: what must stop the motors, and when; `trials`: a machine, up to full speed, the event, the stop |
//! | `pads` | the joystick node: its topics, an unplugged pad, the load of many, the log |
//! | `idle` | the cost of each node while nothing moves |
//! | `control_loop` | `calls`: of the controller manager; `cost`: of the node |
//! | `haptix_hand` | `trips`: updates and commands; `mujoco` |

mod arguments;
mod bare;
mod chain;
mod chain_table;
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
mod peer;
mod reactions;
mod round;
mod sink;
mod stage;
mod steps;
mod subject;
mod table;
mod vehicle;

use std::process::ExitCode;

use clap::{Parser as _, ValueEnum as _};

use crate::arguments::{Arguments, CommandLine, Part, Subject};
use crate::stage::{Result, Stage};

fn main() -> ExitCode {
    let CommandLine { bench: arguments, part } = CommandLine::parse();
    let done = match part {
        None => bench(arguments),
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
fn bench(arguments: Arguments) -> Result<()> {
    let stage = &Stage::new(arguments)?;
    let Stage { arguments, stop, context, folder } = stage;
    for &subject in Subject::value_variants().iter().filter(|&&subject| arguments.asks_for(subject)) {
        let machine = table::machine();
        let with_machine = |tables: Result<String>| tables.map(|tables| format!("{tables}\n{machine}"));
        let tables = match subject {
            Subject::Chain => chain::measure(context, arguments, folder, stop)?.to_string(),
            Subject::Reactions => with_machine(reactions::measure(stage))?,
            Subject::Pads => pads::measure(context, arguments, folder, stop)?.to_string(),
            Subject::Idle => with_machine(idle::measure(stage))?,
            Subject::Zones => with_machine(steps::measure(&steps::ZONES, arguments.seconds))?,
            Subject::Loop => with_machine(control_loop::measure(stage))?,
            Subject::Hand => with_machine(haptix_hand::measure(stage))?,
            Subject::Drive => with_machine(steps::measure(&steps::DRIVE, arguments.seconds))?,
        };
        println!("{tables}\n");
        if let Some(page) = &arguments.write {
            page::renew(page, subject, &tables)?;
        }
    }
    Ok(())
}

/// A part of what is measured.
fn play(part: Part) -> Result<()> {
    match part {
        Part::Stamp { from, to } => bare::stamp(&from, &to),
        Part::Relay { from, to } => bare::relay(&from, &to),
        Part::Loop { rate, topics } => bare::sleeper(rate, &topics),
        Part::Service => bare::manager(),
        Part::BareHand => bare::hand(),
        Part::Reader { file } => Ok(evdev::read(&file)?),
        Part::Pads { pads, rate, ros: _ } => Ok(pads::run_loaded(pads, rate, &stage::on_signals()?)?),
    }
}
