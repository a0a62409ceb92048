//! The demo of a hand with a HAPTIX interface: grasps of a simulated hand, a ball before it, and what its sensors feel.
//!
//! The demo is only a client: it starts the node `haptix` as a process, calls its services, repeats a command, and shows the
//! messages on its topics.
//!
//! * [`client`]: the operator's knowledge, keys and commands. [`act`] is what it does, [`script`] the order of its acts.
//! * [`device`]: the hand and the ball of `config/hand.yaml`. [`reading`]: what its sensors feel.
//! * [`calls`], [`topics`]: its services and messages.

mod act;
mod calls;
mod client;
mod device;
mod reading;
mod script;
mod topics;

use nodes::haptix;

use crate::client::run::run as run_client;
use crate::error::Error;
use crate::other_nodes::OwnTopics;
use crate::start::Demo;
use calls::Services;
use client::Hand;
use device::{Device, PARAMETERS};
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
    let device = Device::read()?;
    let mut session = demo.begin("Operates the demo's hand and observes its node.", TOPICS)?;
    let parameters = session.children.write("hand.yaml", PARAMETERS)?;
    session.children.start(haptix::NAME, &parameters, &[])?;
    let member = &mut session.member;
    let mut topics = Topics::new(&mut member.node, &device)?;
    topics::subscribe(&mut member.inputs, &mut member.node)?;
    let caller = Services::caller(&mut member.node, &device)?;
    let hand = (Hand::new(device), script::script(demo.arguments.length()));
    run_client(demo, haptix::NAME, session, hand, &caller, move |()| topics.command())
}
