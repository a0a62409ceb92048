//! `bench`: how long a stick event takes to the motors, in one process and in four, beside a bare chain; and how long
//! hindbrain takes to stop them for each reason, beside a bare relay; what the joystick node costs; what the zones
//! cost; and what the arbiter and the drive cost.
//!
//! Figures and ratios, not a test: whatever they are, the exit code is 0 if they could be measured.
//!
//! | file | idea |
//! |---|---|
//! | `arguments` | what the user asks for |
//! | `child` | a process: its start, its end, its CPU and memory |
//! | `baseline` | the bare chain: `bench source` and `bench relay` |
//! | `incoming` | the unread messages of a topic |
//! | **latencies** | |
//! | `subject` | what is measured: which processes, how many messages on the way |
//! | `round` | one measurement of one subject |
//! | `hand` | moves the virtual stick |
//! | `sink` | hears the motors, or the end of a bare chain |
//! | `pairing` | which motor value belongs to which stick event |
//! | `table` | the figures of all rounds |
//! | **reactions** | |
//! | `reaction` | what must stop the motors, in which time, and in which order it is tried |
//! | `trials` | the way of all trials, as a machine: up to full speed, the event, the stop |
//! | `slots` | when things are said |
//! | `vehicle` | what was heard of the vehicle |
//! | `wires` | the topics |
//! | `rehearsal` | the trials on the real graph |
//! | `distribution` | quantiles and histogram |
//! | `bounds` | the figures of all trials |
//! | **pads** | |
//! | `pads` | the joystick node: its topics, an unplugged pad, the load of many, the log |
//! | **idle** | |
//! | `idle` | what each node costs while nothing moves |
//! | **zones** | |
//! | `zones` | a stick, a scan and a cloud through the pure machines, beside the least that has to be done with them |
//! | **drive** | |
//! | `drive` | a command through the arbiter, a stick event through the drive: time, allocations, instructions |

mod arguments;
mod baseline;
mod bounds;
mod child;
mod distribution;
mod drive;
mod hand;
mod idle;
mod incoming;
mod pads;
mod pairing;
mod reaction;
mod rehearsal;
mod round;
mod sink;
mod slots;
mod subject;
mod table;
mod trials;
mod vehicle;
mod wires;
mod zones;

use std::process::ExitCode;

use ros::{Error, Stop};

use crate::arguments::{Arguments, Asked, HELP, Latencies};
use crate::child::Folder;
use crate::hand::Hand;
use crate::round::Stage;
use crate::sink::Sink;
use crate::subject::SUBJECTS;
use crate::table::Table;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

fn main() -> ExitCode {
    let done = match arguments::read(std::env::args().skip(1)) {
        Ok(Asked::Help) => {
            println!("{HELP}");
            Ok(())
        }
        Ok(Asked::Bench(arguments)) => bench(arguments),
        Ok(Asked::Source { to, rate }) => baseline::source(&to, rate),
        Ok(Asked::Relay { from, to }) => baseline::relay(&from, &to),
        Ok(Asked::Sleeper(rate)) => baseline::sleeper(rate),
        Ok(Asked::Loaded { pads, rate }) => {
            baseline::on_signals().and_then(|stop| pads::run_loaded(pads, rate, &stop))
        }
        Ok(Asked::Steps { case, count }) => drive::run_steps(case, count),
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

/// What is asked for, one after the other.
fn bench(arguments: Arguments) -> Result<(), Error> {
    isolation::ensure().map_err(|trouble| Error::Start(trouble.to_string()))?;
    let stop = baseline::on_signals()?;
    let context = ros::context()?;
    let folder = Folder::new()?;
    if let Some(latencies) = arguments.latencies {
        println!("{}\n", bench_latencies(&context, latencies, &folder, &stop)?);
    }
    if let Some(count) = arguments.reactions {
        println!("{}\n", rehearsal::measure(&context, count, &folder, &stop)?);
    }
    if let Some(asked) = arguments.pads {
        println!("{}\n", pads::measure(&context, asked, &folder, &stop)?);
    }
    if arguments.idle {
        println!("{}\n", idle::measure(&folder, &stop)?);
    }
    if arguments.zones {
        println!("{}\n", zones::measure()?);
    }
    if arguments.drive {
        println!("{}", drive::measure(&stop)?);
    }
    Ok(())
}

/// All rounds, one subject alive at a time, and the table.
fn bench_latencies(
    context: &r2r::Context,
    Latencies { window, rounds }: Latencies,
    folder: &Folder,
    stop: &Stop,
) -> Result<Table, Error> {
    let mut node =
        r2r::Node::create(context.clone(), "bench", "").map_err(Error::ros("make the node 'bench'"))?;
    let (hand, reins) = Hand::new(&mut node)?;
    let sink = Sink::new(node, stop.clone())?;
    let parameters = &folder.put("stack.yaml", include_str!("stack.yaml"))?;
    let stage = Stage { sink, hand: reins, folder, parameters, window };
    std::thread::scope(|scope| {
        scope.spawn(move || hand.run());
        measure(stage, rounds, stop)
    })
}

fn measure(mut stage: Stage<'_>, rounds: u32, stop: &Stop) -> Result<Table, Error> {
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
