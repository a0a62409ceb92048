//! The demo of the chain: a small robot driven from the stick to the motors.
//!
//! The demo is only an operator and an observer: it starts the nodes as processes, moves a virtual stick, presses buttons, and
//! shows the messages on the topics.
//!
//! * [`probe`]: whether a gamepad is connected.
//! * [`machine`]: the operator, a machine like every node. [`operator_input`] is the state of the stick and the buttons,
//!   [`course`] the script, [`keyboard`] the user's keys, [`observed`] and [`stages`] the received messages, [`record`] the
//!   changes that [`checks`] judge.
//! * [`topics`]: its messages.
//! * [`table`], [`screen`] and [`view`]: the output for the user.

mod checks;
mod course;
mod keyboard;
mod machine;
mod observed;
mod operator_input;
mod probe;
mod record;
mod screen;
mod stages;
mod table;
mod topics;
mod view;

use nodes::{hindbrain, joystick, simulator, steersman, velocity_arbiter, zone_scaler};
use ros::Shell;

use crate::children::Children;
use crate::error::Error;
use crate::headless::{self, Progress};
use crate::other_nodes::{self, OwnTopics};
use crate::start::{Demo, operate};
use course::Course;
use machine::{Input, Operator, Pilot, Plan};
use topics::{Topics, VIRTUAL};

/// The topics that drive.
pub const TOPICS: OwnTopics = OwnTopics {
    prefixes: &["/motor/", "/hind/", "/cmd_vel"],
    observed: &["/hind/applied", "/hind/leds", "/hind/state", "/hind/state_detail"],
};
/// The parameters of all nodes.
const PARAMETERS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/demo.yaml"));

/// Runs the nodes and the operator until the course, or the user, is done.
/// # Errors
/// See [`Error`].
pub fn run(demo: &Demo) -> Result<(), Error> {
    let Demo { arguments, stop, .. } = demo;
    let mut member = demo.member("Operates the demo's robot and observes all topics.")?;
    other_nodes::refuse(&member.node, stop, TOPICS, demo.is_shared)?;
    // The course unplugs the stick, which is not possible with a real one.
    let gamepad = if arguments.headless { None } else { probe::gamepad() };
    let mut overrides = Vec::new();
    if gamepad.is_none() {
        overrides.extend(
            ["virtual_device", "control_device"].map(|p| format!("{}:{p}:={VIRTUAL}", joystick::NAME)),
        );
    }
    // Created here so it is dropped after the operator: whatever happens below, the nodes are ended.
    let mut children = Children::new()?;
    let parameters = children.write("demo.yaml", PARAMETERS)?;
    for name in processes(arguments.separate) {
        children.start(name, &parameters, &overrides)?;
    }
    let mut topics = Topics::new(&mut member.node)?;
    topics::subscribe(&mut member.inputs, &mut member.node, gamepad.is_none())?;
    let plan = Plan {
        course: Course::new(arguments.length()),
        headless: arguments.headless,
        virtual_stick: gamepad.is_none(),
    };
    let shell = Shell::new(Operator::new(plan), Some(Input::ClockRead), move |output| topics.publish(output));
    let runner = member.runner(&shell, |_| Ok(Input::ParametersChanged))?;
    let result = operate(runner, stop, Input::Stopping, || {
        if arguments.headless {
            headless::run(&shell, &mut children, stop, progress, table::line)?;
            shell.inspect(table::finish)
        } else {
            screen::run(&shell, &mut children, stop, gamepad.as_deref(), demo.domain)
        }
    });
    demo.end(children, result)
}

fn processes(separate: bool) -> &'static [&'static str] {
    if separate {
        &[joystick::NAME, velocity_arbiter::NAME, zone_scaler::NAME, hindbrain::NAME, simulator::NAME]
    } else {
        &[steersman::NAME, simulator::NAME]
    }
}

fn progress(operator: &Operator) -> Progress {
    match operator.pilot() {
        Pilot::Starting => Progress::Starting(operator.missing()),
        Pilot::Script(leg) => Progress::Playing(leg.began),
        Pilot::Finished(_) => Progress::Finished,
        Pilot::Waiting(_) | Pilot::Keyboard(_) => Progress::Starting(Vec::new()),
    }
}
