//! The demo of the controller manager: a simulated arm of two joints, its controllers, and everything that a user does with them.
//!
//! The demo is only a client: it starts the node `mechanism` as a process, calls its services, publishes commands, and shows the
//! messages on its topics.
//!
//! * [`machine`]: the operator, a machine like every node. [`act`] is what it does, [`script`] the order of its acts, [`keyboard`]
//!   the acts of the user's keys, [`commander`] the commands, [`motion`] a trajectory, [`observed`] the received state,
//!   [`record`] the changes by which [`checks`] judge each act.
//! * [`robot`]: the joints and controllers of `config/arm.yaml`.
//! * [`calls`], [`topics`]: its services and messages.
//! * [`table`], [`screen`] and [`view`]: the output for the user.

mod act;
mod calls;
mod checks;
mod commander;
mod keyboard;
mod machine;
mod motion;
mod observed;
mod record;
mod robot;
mod screen;
mod script;
mod table;
mod topics;
mod view;

use nodes::mechanism;
use ros::Shell;

use crate::children::Children;
use crate::error::Error;
use crate::headless::{self, Progress};
use crate::other_nodes::{self, OwnTopics};
use crate::print;
use crate::start::{Demo, operate};
use calls::Clients;
use machine::{Input, Operator, Output};
use script::Script;
use topics::Topics;

/// The topics of the node and its controllers.
const TOPICS: OwnTopics = OwnTopics {
    prefixes: &[
        "/motors_halted",
        "/mechanism_statistics",
        "/joint_states",
        "/pan_effort/",
        "/pan_position/",
        "/tilt_position/",
        "/pan_velocity/",
        "/arm_trajectory/",
    ],
    observed: &["/motors_halted", "/mechanism_statistics", "/joint_states"],
};
/// The node's parameters, and its robot.
const PARAMETERS: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/arm.yaml"));
const ROBOT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/urdf/arm.urdf"));
/// How often the node reports its controllers \[Hz\]: a screen is to follow a key at once.
const STATISTICS_RATE: f64 = 10.0;

/// Runs the node and the operator until the script, or the user, is done.
/// # Errors
/// See [`Error`].
pub fn run(demo: &Demo) -> Result<(), Error> {
    let Demo { arguments, stop, .. } = demo;
    let mut member = demo.member("Operates the demo's arm and observes its node.")?;
    other_nodes::refuse(&member.node, stop, TOPICS, demo.is_shared)?;
    // Created here so it is dropped after the operator: whatever happens below, the node is ended.
    let mut children = Children::new()?;
    let (parameters, robot) = (children.write("arm.yaml", PARAMETERS)?, children.write("arm.urdf", ROBOT)?);
    let overrides = [
        format!("{}:robot_description:={}", mechanism::NAME, robot.display()),
        format!("{}:mechanism_statistics_publish_rate:={STATISTICS_RATE:.1}", mechanism::NAME),
    ];
    children.start(mechanism::NAME, &parameters, &overrides)?;
    let mut topics = Topics::new(&mut member.node)?;
    topics::subscribe(&mut member.inputs, &mut member.node)?;
    let calls = Clients::caller(&mut member.node)?;
    let operator = Operator::new(Script::new(arguments.length()), arguments.headless);
    let caller = calls.clone();
    let shell = Shell::new(operator, None, move |output| match output {
        Output::Call(call) => caller.call(call),
        Output::Command(controller, value) => topics.command(controller, value),
        Output::Follow(motion) => topics.follow(&motion),
    });
    let answers = calls.answers(shell.clone(), || Input::ServicesFound, Input::Answered);
    let runner = member.runner(&shell, |_| Ok(Input::ParametersChanged))?.task(answers);
    let alarm = shell.start_alarm()?;
    let result = operate(runner, stop, Input::Stopping, || {
        if arguments.headless {
            headless::run(&shell, &mut children, stop, progress, table::line)?;
            shell.inspect(table::table).iter().for_each(print);
        } else {
            screen::run(&shell, &mut children, stop, demo.domain)?;
        }
        Ok(())
    });
    drop(alarm);
    demo.judge(children, mechanism::NAME, result, || shell.inspect(table::failures))
}

fn progress(operator: &Operator) -> Progress {
    operator.pilot().progress(operator.observed().missing())
}
