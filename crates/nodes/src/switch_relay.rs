//! Node `switch_relay`: repeats switches as sold, for locks of the arbiter and for the e-stop of hindbrain.

use r2r::QosProfile;
use r2r::sensor_msgs::msg::Joy;
use r2r::std_msgs::msg::Bool;
use ros::{Error, Shell, Status, Stop, Topic, clock, qos};
use switches::{
    Durability, Input, MessageType, Output, Params, Reliability, Switch, SwitchRelay, specification,
};

use crate::start::{self, Member};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "switch_relay";

/// The QoS of a switch's source.
fn qos_of(switch: &Switch) -> QosProfile {
    let qos = match switch.reliability {
        Reliability::Reliable => qos::edge(),
        Reliability::BestEffort => qos::heartbeat(),
    };
    match switch.durability {
        Durability::Volatile => qos,
        Durability::TransientLocal => qos.transient_local(),
    }
}

fn subscribe(member: &mut Member<Params, SwitchRelay>) -> Result<(), Error> {
    let Member { node, params, inputs, .. } = member;
    for (switch, spec) in params.switches.iter().enumerate() {
        let (source, qos) = (spec.source, qos_of(spec));
        let count = move |publishers, publisher| Input::PublishersCounted { switch, publishers, publisher };
        match source.message_type() {
            MessageType::Bool => {
                let convert =
                    move |message: Bool| Some(Input::StateReceived { switch, state: Ok(message.data) });
                inputs.subscribe_to_one::<Bool>(node, &spec.from, qos, convert, count)?;
            }
            MessageType::Joy => {
                let convert = move |message: Joy| {
                    let state = source.of_joy(&message.axes, &message.buttons);
                    Some(Input::StateReceived { switch, state })
                };
                inputs.subscribe_to_one::<Joy>(node, &spec.from, qos, convert, count)?;
            }
        }
    }
    Ok(())
}

/// Warns of each source whose loss only the middleware notices.
fn warn_of_latched(params: &Params) {
    for Switch { name, from, to, .. } in params.switches.iter().filter(|switch| switch.timeout.is_none()) {
        log::warn!(
            target: NAME,
            "switch {name} has no timeout: if the source of '{from}' is killed or cut off, '{to}' repeats its last state for up to 20 s more, and \
             if it hangs, for ever; an emergency stop must not be wired that way, it needs a source that repeats and a timeout"
        );
    }
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let names = member.inputs.names().clone();
    let checked = member.params.check_topics(member.set(), |topic| names.resolve(topic));
    checked.map_err(|refusal| Error::Parameters { node: NAME.into(), refusals: vec![refusal] })?;
    let outputs: Vec<String> = member.params.switches.iter().map(|switch| switch.to.clone()).collect();
    let topics = outputs.iter().map(|to| Topic::<Bool>::new(&mut member.node, to, qos::edge()));
    let topics: Vec<_> = topics.collect::<Result<_, _>>()?;
    subscribe(&mut member)?;
    warn_of_latched(&member.params);
    let shell = Shell::new(SwitchRelay::new(member.params.clone()), None, move |output: Output| {
        let Output::Publish { switch, on, .. } = output;
        let is_current = output.is_current(clock::now());
        if let Some(topic) = topics.get(switch).filter(|_| is_current) {
            topic.publish(&Bool { data: on });
        }
    });
    let runner = member
        .runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?
        .managed(Input::ActivityChanged)?
        .publishes_alone(outputs)
        .status(|relay| Status::of(relay.health(), relay.report()))
        .log_levels();
    start::run(runner, stop, &shell, [Input::Stopping])
}
