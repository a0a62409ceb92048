//! The demo of the chain: a small robot driven from the stick to the motors.
//!
//! The demo is only an operator and an observer: it starts the nodes as processes, moves a virtual stick, presses buttons, and
//! shows the messages on the topics.
//!
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
mod record;
mod screen;
mod stages;
mod table;
mod topics;
mod view;

use std::sync::mpsc::channel;
use std::time::Duration;

use gamepad::{Event, Gamepads};
use nodes::{hindbrain, joystick, simulator, steersman, velocity_arbiter, zone_scaler};
use ros::Shell;

use crate::error::Error;
use crate::headless;
use crate::other_nodes::OwnTopics;
use crate::start::{Demo, Session, operate};
use course::Course;
use machine::{Input, Operator, Plan};
use topics::{Topics, VIRTUAL};

/// The topics that drive.
pub const TOPICS: OwnTopics = OwnTopics {
    prefixes: &["/motor/", "/hind/", "/cmd_vel"],
    observed: &["/hind/applied", "/hind/leds", "/hind/state", "/hind/state_detail"],
};
/// The parameters of all nodes.
const PARAMETERS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/demo.yaml"));

/// How long SDL may take to report the connected devices.
const DEVICE_TIME: Duration = Duration::from_millis(500);
/// The demo's mapping needs two axes, and a dead-man button with number 5.
const AXES: usize = 2;
const BUTTONS: usize = 6;

/// Runs the nodes and the operator until the course, or the user, is done.
/// # Errors
/// See [`Error`].
pub fn run(demo: &Demo) -> Result<(), Error> {
    let Demo { arguments, stop, .. } = demo;
    let session = demo.begin("Operates the demo's robot and observes all topics.", TOPICS)?;
    let Session { mut member, mut children } = session;
    // The course unplugs the stick, which is not possible with a real one.
    let gamepad = if arguments.headless { None } else { gamepad() };
    let mut overrides = Vec::new();
    if gamepad.is_none() {
        overrides.extend(
            ["virtual_device", "control_device"].map(|p| format!("{}:{p}:={VIRTUAL}", joystick::NAME)),
        );
    }
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
            let place = |operator: &Operator| (operator.pilot, operator.missing());
            headless::run(&shell, &mut children, stop, place, table::line)?;
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

/// The name of a connected gamepad that could drive; `None` also if SDL does not start, which the joystick node reports itself.
fn gamepad() -> Option<String> {
    let (sender, receiver) = channel();
    let gamepads = Gamepads::start(move |event| {
        if let Event::Connected { name, axes, buttons, .. } = event
            && axes.len() >= AXES
            && buttons.len() >= BUTTONS
        {
            let _ = sender.send(name); // The receiver may be gone for a second one.
        }
    });
    let name = gamepads.as_ref().ok().and_then(|_| receiver.recv_timeout(DEVICE_TIME).ok());
    drop(gamepads);
    name
}
