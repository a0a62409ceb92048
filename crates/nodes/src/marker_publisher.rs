//! Node `marker_publisher`: draws for rviz why the vehicle stands, and the velocities that are requested and granted.
//!
//! It only subscribes to what other nodes publish for everybody, and runs in a process of its own, beside rviz: whatever becomes of it
//! changes nothing for them. The velocities are received with best effort, so no node waits for it.

use pictures::{Input, MarkerPublisher, Output, Params, Report, Source, Stop as StopState, specification};
use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus};
use r2r::geometry_msgs::msg as geometry;
use r2r::hindbrain_msgs::msg as hind;
use r2r::visualization_msgs::msg::MarkerArray;
use ros::{Error, Inputs, Shell, Status, Stop, Topic, qos};
use safety::Level;

use crate::start::{self, Member};
use crate::{hindbrain, markers, messages, velocity_arbiter};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "marker_publisher";

fn stop_state(message: hind::StateDetail) -> StopState {
    let source =
        |source: hind::Source| Source { name: source.name, says: source.says, blocks: source.blocks };
    StopState {
        state: message.state,
        causes: message.causes.into_iter().map(|cause| cause.text).collect(),
        sources: message.sources.into_iter().map(source).collect(),
    }
}

/// The report of a node in `namespace`, which ends with a slash unless it is empty.
fn report(status: DiagnosticStatus, namespace: &str) -> Option<Report> {
    let known = [Level::Ok, Level::Warn].into_iter().find(|level| *level as u8 == status.level);
    let level = known.unwrap_or(Level::Error);
    let node = status.name.strip_prefix(namespace)?.to_owned();
    Some(Report { node, level, message: status.message })
}

fn subscribe(
    inputs: &mut Inputs<MarkerPublisher>,
    node: &mut r2r::Node,
    params: &Params,
) -> Result<(), Error> {
    let namespace = node.namespace().map_err(Error::ros("read the node's namespace"))?;
    let namespace = format!("{}/", namespace.trim_matches('/')).trim_start_matches('/').to_owned();
    inputs.subscribe(node, hindbrain::DETAIL, qos::state(), |message| {
        Some(Input::StopReceived(stop_state(message)))
    })?;
    inputs.subscribe(node, "/diagnostics", qos::edge(), move |message: DiagnosticArray| {
        let reports = message.status.into_iter().filter_map(|status| report(status, &namespace));
        Some(Input::ReportsReceived(reports.collect()))
    })?;
    let stamped = |twist: geometry::TwistStamped| messages::velocity(&twist.twist).ok();
    let topic = velocity_arbiter::COMMAND;
    if params.stamped {
        inputs.subscribe(node, topic, qos::sensor(), move |twist| {
            Some(Input::RequestReceived(stamped(twist)))
        })?;
    } else {
        inputs.subscribe(node, topic, qos::sensor(), |twist: geometry::Twist| {
            Some(Input::RequestReceived(messages::velocity(&twist).ok()))
        })?;
    }
    inputs.subscribe(node, hindbrain::APPLIED, qos::sensor(), move |twist| {
        Some(Input::GrantReceived(stamped(twist)))
    })
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), |set| Ok(Params::get(set)))?;
    let topic: Topic<MarkerArray> = Topic::new(&mut member.node, "~/markers", qos::command())?;
    let Member { node, params, inputs, .. } = &mut member;
    subscribe(inputs, node, params)?;
    let machine = MarkerPublisher::new(member.params.clone());
    let shell = Shell::new(machine, None, move |output| match output {
        Output::Publish(drawn, frame) => topic.publish_if_subscribed(|| markers::message(drawn, &frame)),
    });
    let runner = member.runner(&shell, |set| Ok(Input::ParametersChanged(Params::get(set))))?;
    start::run(
        runner.status(|_| Status::of((Level::Ok, "draws"), Vec::new())).sleep_longer_at_rest(),
        stop,
        &shell,
        [],
    )
}
