//! Executable `demo`: a small robot driven from the stick to the motors, on one machine and without any hardware.
//!
//! The demo is an operator and an observer, nothing else: it starts the nodes as processes, moves a virtual stick,
//! presses buttons, and shows what it sees on the topics.
//!
//! * [`arguments`], [`neighbours`], [`probe`]: what the user asks for, who else is in the ROS domain, whether a gamepad is there.
//! * [`children`]: the processes of the nodes.
//! * [`machine`]: the operator, who is a machine like every node: [`wish`] is what is held in hand, [`course`] the
//!   script, [`hands`] the keyboard, [`seen`] and [`stages`] what the topics told, [`record`] what [`checks`] judge.
//! * [`topics`]: its messages.
//! * [`headless`], [`screen`] and [`view`]: what the user sees.
#![forbid(unsafe_code)]

mod arguments;
mod checks;
mod children;
mod course;
mod hands;
mod headless;
mod machine;
mod neighbours;
mod probe;
mod record;
mod screen;
mod seen;
mod stages;
mod topics;
mod trouble;
mod view;
mod wish;

use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

use clap::Parser as _;
use nodes::start::{self, EndsAll, Member};
use nodes::{hindbrain, joystick, simulator, steersman, velocity_arbiter, zone_scaler};
use params::Specification;
use ros::{Shell, Stop};

use crate::arguments::Arguments;
use crate::children::Children;
use crate::course::Course;
use crate::machine::{Input, Operator, Plan};
use crate::topics::{Topics, VIRTUAL};
use crate::trouble::Trouble;

/// The node's name.
const NAME: &str = "demo";
/// The exit code of a command line that makes no sense.
const MISUNDERSTOOD: u8 = 2;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if !arguments.headless && !std::io::stdout().is_terminal() {
        eprintln!("{NAME}: the output is no terminal, which the screen needs; --headless does without");
        return ExitCode::from(MISUNDERSTOOD);
    }
    match demonstrate(arguments) {
        Ok(()) => {
            say(format_args!("{NAME}: ok"));
            ExitCode::SUCCESS
        }
        Err(trouble) => {
            eprintln!("{NAME}: {trouble}");
            ExitCode::FAILURE
        }
    }
}

/// How long the demo may take to end after a signal: its nodes are given 3 s.
const LONGEST_END: Duration = Duration::from_secs(6);

/// Prints a line. That nobody reads it any more, as behind `| head`, is no reason to leave a robot half-way.
fn say(line: impl Display) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// Runs the nodes and the operator until the course, or the user, is done.
fn demonstrate(arguments: Arguments) -> Result<(), Trouble> {
    let (domain, sentence) = isolation::ensure()?;
    say(sentence);
    let stop = Stop::on_signals(LONGEST_END).map_err(Trouble::io("catch signals"))?;
    let context = ros::context()?;
    if arguments.headless {
        ros::start_logger(); // On a screen, lines of a log would be nothing but dirt.
    }
    let specification = Specification::new(NAME, "Operates the demo's robot and observes all topics.");
    let member = Member::new(&context, specification, |_| Ok(()))?;
    neighbours::refuse(&member.node, &stop)?;
    // The course pulls the stick out, which nobody can do to a real one.
    let gamepad = if arguments.headless { None } else { probe::gamepad() };
    let mut overrides = Vec::new();
    if gamepad.is_none() {
        overrides.extend(
            ["virtual_device", "control_device"].map(|p| format!("{}:{p}:={VIRTUAL}", joystick::NAME)),
        );
    }
    // The first to go last: whatever happens below, the nodes are ended.
    let mut children = Children::start(processes(arguments.separate), &overrides)?;
    let folder = children.folder().to_owned();
    let result = operate(arguments, member, &mut children, &stop, gamepad.as_deref(), domain);
    drop(children);
    stop.set_done();
    say(format_args!("the nodes' logs are in {}", folder.display()));
    result
}

fn processes(separate: bool) -> &'static [&'static str] {
    if separate {
        &[joystick::NAME, velocity_arbiter::NAME, zone_scaler::NAME, hindbrain::NAME, simulator::NAME]
    } else {
        &[steersman::NAME, simulator::NAME]
    }
}

/// Runs the operator's node on a thread of its own, and here what the user sees.
fn operate(
    arguments: Arguments,
    mut member: Member<(), Operator>,
    children: &mut Children,
    stop: &Stop,
    gamepad: Option<&str>,
    domain: u8,
) -> Result<(), Trouble> {
    let mut topics = Topics::new(&mut member.node)?;
    topics::listen(&mut member.inputs, &mut member.node, gamepad.is_none())?;
    let plan = Plan {
        course: Course::new(arguments.length()),
        headless: arguments.headless,
        virtual_stick: gamepad.is_none(),
    };
    let shell = Shell::new(Operator::new(plan), Some(Input::ClockRead), move |output| topics.publish(output));
    let mut runner = member.runner(&shell, |_| Ok(Input::ParametersChanged))?;
    let result = thread::scope(|scope| {
        let (runner, ends) = (&mut runner, EndsAll::new(stop));
        scope.spawn(move || runner.run(ends.stop()));
        let _ends = EndsAll::new(stop);
        if arguments.headless {
            headless::run(&shell, children, stop)
        } else {
            screen::run(&shell, children, stop, gamepad, domain)
        }
    });
    start::finish(&shell, &Stop::new(), [Input::Stopping]); // the runner still holds the node that says it
    result
}
