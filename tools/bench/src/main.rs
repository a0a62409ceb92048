//! `bench`: how long a stick event takes to the motors, in one process and in four, beside a bare chain; how long hindbrain takes to
//! stop them for each reason, beside a bare relay; how long a process takes to its first message; how well the control loop keeps its time; what a HAPTIX
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
//! | `hand` | moves the virtual stick |
//! | `vehicle` | what the vehicle published last |
//! | `bare` | bare processes: `bench stamp`, `relay`, `loop`, `service`, `bare-hand` |
//! | `lateness` | how late a node's loop wakes up, beside the least that a real-time loop does |
//! | `steps` | steps of the pure crates, which criterion measures in `benches/steps` |
//! | `table`, `page` | quantiles, and tables in Markdown; the tables in a document |
//! | **subjects** | |
//! | `chain` | rounds; `sink` subscribes, `pairing` finds the event of a motor value |
//! | `reactions` | `reaction`: what must stop the motors, and when; `trials`: a machine, up to full speed, the event, the stop |
//! | `idle` | the cost of each node while nothing moves |
//! | `start` | from the start of a process to its first message |
//! | `control_loop` | `calls`: of the controller manager; `cost`: of the node |
//! | `haptix_hand` | `trips`: updates and commands; `mujoco` |

mod arguments;
mod bare;
mod chain;
mod control_loop;
mod hand;
mod haptix_hand;
mod idle;
mod lateness;
mod page;
mod peer;
mod reactions;
mod stage;
mod start;
mod steps;
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
    let seconds = stage.arguments.seconds;
    for &subject in Subject::value_variants().iter().filter(|&&subject| stage.arguments.asks_for(subject)) {
        let machine = table::machine();
        let tables = match subject {
            Subject::Chain => chain::measure(stage),
            Subject::Reactions => reactions::measure(stage),
            Subject::Idle => idle::measure(stage),
            Subject::Zones => steps::measure(&steps::ZONES, seconds),
            Subject::Loop => control_loop::measure(stage),
            Subject::Hand => haptix_hand::measure(stage),
            Subject::Start => start::measure(stage),
            Subject::Drive => steps::measure(&steps::DRIVE, seconds),
        }?;
        println!("{tables}\n{machine}\n");
        if let Some(page) = &stage.arguments.write {
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
    }
}
