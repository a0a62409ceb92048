//! The demo of the controller manager: a simulated arm of two joints, its controllers, and everything that a user does with them.
//!
//! The demo is only a client: it starts the node `mechanism` as a process, calls its services, publishes commands, and shows the
//! messages on its topics.
//!
//! * [`client`]: the operator's knowledge and commands. [`act`] is what it does, [`script`] the order of its acts, [`keyboard`] the acts
//!   of the user's keys, [`listing`] the values for the user.
//! * [`robot`]: the joints and controllers of `config/arm.yaml`.
//! * [`calls`], [`topics`]: its services and messages.

mod act;
mod calls;
mod client;
mod keyboard;
mod listing;
mod robot;
mod script;
mod topics;

use nodes::mechanism;

use crate::client::run::run as run_client;
use crate::error::Error;
use crate::other_nodes::OwnTopics;
use crate::start::Demo;
use calls::Services;
use client::Arm;
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
    let mut session = demo.begin("Operates the demo's arm and observes its node.", TOPICS)?;
    let children = &mut session.children;
    let (parameters, robot) = (children.write("arm.yaml", PARAMETERS)?, children.write("arm.urdf", ROBOT)?);
    let overrides = [
        format!("{}:robot_description:={}", mechanism::NAME, robot.display()),
        format!("{}:mechanism_statistics_publish_rate:={STATISTICS_RATE:.1}", mechanism::NAME),
    ];
    children.start(mechanism::NAME, &parameters, &overrides)?;
    let member = &mut session.member;
    let mut topics = Topics::new(&mut member.node)?;
    topics::subscribe(&mut member.inputs, &mut member.node)?;
    let caller = Services::caller(&mut member.node)?;
    let arm = (Arm::default(), script::script(demo.arguments.length()));
    run_client(demo, mechanism::NAME, session, arm, &caller, move |command| topics.publish(command))
}
