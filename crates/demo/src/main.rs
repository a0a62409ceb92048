//! Executable `demo`: a small robot driven from the stick to the motors, on one machine and without any hardware.
//!
//! The demo is only an operator and an observer: it starts the nodes as processes, moves a virtual stick, presses buttons, and
//! shows the messages on the topics.
//!
//! * [`arguments`], [`other_nodes`], [`probe`]: the user's options, the other nodes in the ROS domain, whether a gamepad is
//!   connected.
//! * [`children`]: the processes of the nodes.
//! * [`machine`]: the operator, a machine like every node. [`operator_input`] is the state of the stick and the buttons,
//!   [`course`] the script, [`keyboard`] the user's keys, [`observed`] and [`stages`] the received messages, [`record`] the
//!   changes that [`checks`] judge.
//! * [`topics`]: its messages.
//! * [`headless`], [`screen`] and [`view`]: the output for the user.
#![forbid(unsafe_code)]

mod arguments;
mod checks;
mod children;
mod course;
mod error;
mod headless;
mod keyboard;
mod machine;
mod observed;
mod operator_input;
mod other_nodes;
mod probe;
mod record;
mod screen;
mod stages;
mod topics;
mod view;

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser as _;
use nodes::start::{self, Member, StopOnDrop};
use nodes::{hindbrain, joystick, simulator, steersman, velocity_arbiter, zone_scaler};
use params::Specification;
use ros::{Shell, Stop};

use crate::arguments::Arguments;
use crate::children::Children;
use crate::course::Course;
use crate::error::Error;
use crate::machine::{Input, Operator, Plan};
use crate::topics::{Topics, VIRTUAL};

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

/// Runs the nodes and the operator until the course, or the user, is done.
fn demonstrate(arguments: Arguments) -> Result<(), Error> {
    let (domain, sentence) = isolation::ensure()?;
    print(sentence);
    let stop = Stop::on_signals(LONGEST_END).map_err(Error::io("catch signals"))?;
    let context = ros::context()?;
    if arguments.headless {
        ros::start_logger(); // Lines of a log would disturb the screen.
    }
    let specification = Specification::new(NAME, "Operates the demo's robot and observes all topics.");
    let member = Member::new(&context, specification, |_| Ok(()))?;
    other_nodes::refuse(&member.node, &stop)?;
    // The course unplugs the stick, which is not possible with a real one.
    let gamepad = if arguments.headless { None } else { probe::gamepad() };
    let mut overrides = Vec::new();
    if gamepad.is_none() {
        overrides.extend(
            ["virtual_device", "control_device"].map(|p| format!("{}:{p}:={VIRTUAL}", joystick::NAME)),
        );
    }
    // Created here so it is dropped last: whatever happens below, the nodes are ended.
    let mut children = Children::start(processes(arguments.separate), &overrides)?;
    let folder = children.folder().to_owned();
    let result = operate(arguments, member, &mut children, &stop, gamepad.as_deref(), domain);
    drop(children);
    stop.set_done();
    print(format_args!("the nodes' logs are in {}", folder.display()));
    result
}

fn processes(separate: bool) -> &'static [&'static str] {
    if separate {
        &[joystick::NAME, velocity_arbiter::NAME, zone_scaler::NAME, hindbrain::NAME, simulator::NAME]
    } else {
        &[steersman::NAME, simulator::NAME]
    }
}

/// Runs the operator's node on a thread of its own, and the user interface here.
fn operate(
    arguments: Arguments,
    mut member: Member<(), Operator>,
    children: &mut Children,
    stop: &Stop,
    gamepad: Option<&str>,
    domain: u8,
) -> Result<(), Error> {
    let mut topics = Topics::new(&mut member.node)?;
    topics::subscribe(&mut member.inputs, &mut member.node, gamepad.is_none())?;
    let plan = Plan {
        course: Course::new(arguments.length()),
        headless: arguments.headless,
        virtual_stick: gamepad.is_none(),
    };
    let shell = Shell::new(Operator::new(plan), Some(Input::ClockRead), move |output| topics.publish(output));
    let mut runner = member.runner(&shell, |_| Ok(Input::ParametersChanged))?;
    let result = thread::scope(|scope| {
        let (runner, ends) = (&mut runner, StopOnDrop::new(stop));
        scope.spawn(move || runner.run(ends.stop()));
        let _ends = StopOnDrop::new(stop);
        if arguments.headless {
            headless::run(&shell, children, stop)
        } else {
            screen::run(&shell, children, stop, gamepad, domain)
        }
    });
    start::finish(&shell, &Stop::new(), [Input::Stopping]); // the runner still holds the node that publishes it
    result
}
