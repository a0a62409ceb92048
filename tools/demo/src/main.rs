//! Executable `demo`: shows the nodes at work in a terminal, on one machine and without any hardware.
//!
//! * [`vehicle`]: a small robot driven from the stick to the motors. [`arm`]: the controllers of a simulated arm. [`hand`]: a
//!   simulated hand that grasps.
//! * [`arguments`], [`other_nodes`]: the user's options, the other nodes in the ROS domain.
//! * [`start`], [`children`]: the start and the end of a demo, the processes of its nodes.
//! * [`operator`], [`pilot`]: the operator's machine; who operates, the script or the user.
//! * [`client`]: what arm and hand share, the client of one node. [`calls`]: calls of services, one after the other.
//! * [`headless`], [`screen`] and [`words`]: a script without a screen, a screen, and words for both.
#![forbid(unsafe_code)]

mod arguments;
mod arm;
mod calls;
mod children;
mod client;
mod error;
mod hand;
mod headless;
mod operator;
mod other_nodes;
mod pilot;
mod screen;
mod start;
mod vehicle;
mod words;

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::Parser as _;
use ros::Stop;

use crate::arguments::Arguments;
use crate::error::Error;
use crate::start::Demo;

/// The node's name.
const NAME: &str = "demo";
/// The exit code of an invalid command line.
const USAGE_ERROR: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if !arguments.headless && !std::io::stdout().is_terminal() {
        eprintln!("{NAME}: the output is not a terminal, which the screen needs; use --headless");
        return ExitCode::from(USAGE_ERROR);
    }
    match demonstrate(arguments) {
        Ok(()) => {
            print(format_args!("{NAME}: ok"));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{NAME}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// How long the demo may take to end after a signal: its nodes are given 3 s.
const LONGEST_END: Duration = Duration::from_secs(6);

/// Prints a line. A closed output, as behind `| head`, does not end the demo half-way.
fn print(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Shows what the user chose.
fn demonstrate(arguments: Arguments) -> Result<(), Error> {
    let (domain, sentence) = isolation::ensure()?;
    print(sentence);
    let stop = Stop::on_signals(LONGEST_END).map_err(Error::io("catch signals"))?;
    let is_shared = isolation::is_in_use(domain);
    let context = ros::context()?;
    if arguments.headless {
        ros::start_logger(); // Lines of a log would disturb the screen.
    }
    let demo = Demo { arguments, context, stop, domain, is_shared };
    match (demo.arguments.arm, demo.arguments.hand) {
        (true, _) => arm::run(&demo),
        (_, true) => hand::run(&demo),
        _ => vehicle::run(&demo),
    }
}
