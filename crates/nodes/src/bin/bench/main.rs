//! `bench`: how long a stick event takes to the motors, in one process and in four, beside a bare chain.
//!
//! Figures and ratios, not a test: whatever they are, the exit code is 0 if they could be measured.
//!
//! | file | idea |
//! |---|---|
//! | `arguments` | what the user asks for |
//! | `subject` | what is measured: which processes, how many messages on the way |
//! | `round` | one measurement of one subject |
//! | `hand` | moves the virtual stick |
//! | `sink` | hears the motors, or the end of a bare chain |
//! | `pairing` | which motor value belongs to which stick event |
//! | `child` | a process: its start, its end, its CPU and memory |
//! | `baseline` | the bare chain: `bench source` and `bench relay` |
//! | `table` | the figures of all rounds |

mod arguments;
mod baseline;
mod child;
mod hand;
mod pairing;
mod round;
mod sink;
mod subject;
mod table;

use std::process::ExitCode;

use ros::{Error, Stop};

use crate::arguments::{Arguments, Asked, HELP};
use crate::child::Folder;
use crate::hand::Hand;
use crate::round::Stage;
use crate::sink::Sink;
use crate::subject::SUBJECTS;
use crate::table::Table;

fn main() -> ExitCode {
    let done = match arguments::read(std::env::args().skip(1)) {
        Ok(Asked::Help) => {
            println!("{HELP}");
            Ok(())
        }
        Ok(Asked::Bench(arguments)) => bench(arguments),
        Ok(Asked::Source { to, rate }) => baseline::source(&to, rate),
        Ok(Asked::Relay { from, to }) => baseline::relay(&from, &to),
        Err(misunderstood) => Err(Error::Start(misunderstood.to_string())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}

/// All rounds, one subject alive at a time, and the table.
fn bench(arguments: Arguments) -> Result<(), Error> {
    let stop = baseline::on_signals()?;
    let context = ros::context()?;
    let mut node = r2r::Node::create(context, "bench", "").map_err(Error::ros("make the node 'bench'"))?;
    let (hand, reins) = Hand::new(&mut node)?;
    let sink = Sink::new(node, stop.clone())?;
    let stage = Stage { sink, hand: reins, folder: Folder::new()?, window: arguments.window };
    std::thread::scope(|scope| {
        scope.spawn(move || hand.run());
        println!("{}", measure(stage, arguments.rounds, &stop)?);
        Ok(())
    })
}

fn measure(mut stage: Stage, rounds: u32, stop: &Stop) -> Result<Table, Error> {
    let mut table = Table::new(stage.window);
    for round in 1..=rounds {
        for (number, subject) in SUBJECTS.iter().enumerate() {
            eprintln!("bench: round {round} of {rounds}: {}", subject.name);
            let figures = stage.measure(subject);
            if stop.is_set() {
                return Err(Error::Start("interrupted".into()));
            }
            table.add(number, figures?);
        }
    }
    Ok(table)
}
