//! The demo of a hand with a HAPTIX interface: grasps of a simulated hand, a ball before it, and what its sensors feel.
//!
//! The demo is only a client: it starts the node `haptix` as a process, calls its services, repeats a command, and shows the
//! messages on its topics.
//!
//! * [`machine`]: the operator, a machine like every node. [`act`] is what it does, [`script`] the order of its acts, [`keyboard`]
//!   the acts of the user's keys, [`commander`] the repeated command, [`observed`] the received state, [`record`] the changes by
//!   which [`checks`] judge each act.
//! * [`device`]: the hand and the ball of `config/hand.yaml`.
//! * [`calls`], [`topics`]: its services and messages.
//! * [`table`], [`screen`] and [`view`]: the output for the user.

mod act;
mod calls;
mod checks;
mod commander;
mod device;
mod keyboard;
mod machine;
mod observed;
mod record;
mod screen;
mod script;
mod table;
mod topics;
mod view;

use nodes::haptix;
use ros::Shell;

use crate::children::Children;
use crate::error::Error;
use crate::headless::{self, Progress};
use crate::other_nodes::{self, OwnTopics};
use crate::print;
use crate::start::{Demo, operate};
use calls::Clients;
use device::{Device, PARAMETERS};
use machine::{Input, Operator, Output};
use script::Script;
use topics::Topics;

/// The topics of the node.
const TOPICS: OwnTopics = OwnTopics {
    prefixes: &["/haptix/"],
    observed: &[
        "/haptix/sensor",
        "/haptix/state",
        "/haptix/robot_info",
        "/haptix/robot_description",
        "/haptix/contacts",
    ],
};

/// Runs the node and the operator until the script, or the user, is done.
/// # Errors
/// See [`Error`].
pub fn run(demo: &Demo) -> Result<(), Error> {
    let Demo { arguments, stop, .. } = demo;
    let device = Device::read()?;
    let mut member = demo.member("Operates the demo's hand and observes its node.")?;
    other_nodes::refuse(&member.node, stop, TOPICS, demo.is_shared)?;
    // Created here so it is dropped after the operator: whatever happens below, the node is ended.
    let mut children = Children::new()?;
    let parameters = children.write("hand.yaml", PARAMETERS)?;
    children.start(haptix::NAME, &parameters, &[])?;
    let mut topics = Topics::new(&mut member.node, &device)?;
    topics::subscribe(&mut member.inputs, &mut member.node)?;
    let calls = Clients::caller(&mut member.node, &device)?;
    let operator = Operator::new(device, Script::new(arguments.length()), arguments.headless);
    let caller = calls.clone();
    let shell = Shell::new(operator, None, move |output| match output {
        Output::Call(call) => caller.call(call),
        Output::Command => topics.command(),
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
    demo.judge(children, haptix::NAME, result, || shell.inspect(table::failures))
}

fn progress(operator: &Operator) -> Progress {
    operator.pilot().progress(operator.observed().missing())
}
