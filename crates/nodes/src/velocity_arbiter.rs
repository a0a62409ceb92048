//! Node `velocity_arbiter`: who drives now.

use arbiter::{Active, Arbiter, Input, Invalid, Kind, Output, Params, specification};
use r2r::diagnostic_msgs::msg::{DiagnosticStatus, KeyValue};
use r2r::geometry_msgs::msg as geometry;
use r2r::or_pose_estimator::msg as or_pose;
use r2r::std_msgs::msg::Bool;
use ros::{Error, Inputs, Shell, Status, Stop, Topic, clock, qos};
use units::{Machine, Stamp};

use crate::command_topic::CommandTopic;
use crate::messages;
use crate::start::{self, Member};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "velocity_arbiter";
/// Where the node's command goes.
pub const COMMAND: &str = "cmd_vel_arbitrated";

/// What the node publishes.
pub struct Topics {
    command: CommandTopic,
    active: Topic<DiagnosticStatus>,
    params: Params,
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, params: &Params) -> Result<Self, Error> {
        Ok(Self {
            command: CommandTopic::new(node, COMMAND, params.stamped)?,
            active: Topic::new(node, "~/active", qos::state())?,
            params: params.clone(),
        })
    }

    /// The command's topic, for its latency and to publish it for watchers only.
    pub fn command(&mut self) -> &mut CommandTopic {
        &mut self.command
    }

    /// Carries out what the machine asks for.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::Drive(command) => self.command.publish(&command),
            Output::PublishActive(active) => {
                let message = self.active_message(&active);
                log::info!(target: NAME, "{} drives", message.message);
                self.active.publish(&message);
            }
        }
    }

    fn active_message(&self, active: &Active) -> DiagnosticStatus {
        let sources = &self.params.sources;
        let name = active.source.and_then(|index| sources.get(index)).map_or("nobody", |source| &source.name);
        let values = sources.iter().zip(&active.verdicts).map(|(source, verdict)| KeyValue {
            key: source.name.clone(),
            value: verdict.explain(&self.params).to_string(),
        });
        DiagnosticStatus {
            name: NAME.into(),
            message: name.into(),
            hardware_id: "steersman".into(),
            values: values.collect(),
            ..Default::default()
        }
    }
}

/// Listens to locks first and then to sources, except for the source `inner`, which the composed process feeds itself.
/// # Errors
/// The middleware refuses a topic.
pub fn listen<M: Machine + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    params: &Params,
    inner: Option<usize>,
    wrap: fn(Input) -> M::Input,
) -> Result<(), Error> {
    for (lock, settings) in params.locks.iter().enumerate() {
        inputs.subscribe::<Bool>(node, &settings.topic, qos::edge(), move |message| {
            Some(wrap(Input::LockReceived { lock, closed: message.data }))
        })?;
    }
    for (source, settings) in params.sources.iter().enumerate() {
        if inner == Some(source) {
            continue;
        }
        let heard = move |velocity: Result<units::Velocity, Invalid>, stamp: Stamp| {
            Some(wrap(Input::CommandReceived { source, velocity, stamp }))
        };
        let topic = settings.topic.as_str();
        match settings.kind {
            Kind::Twist => {
                inputs.subscribe::<geometry::Twist>(node, topic, qos::commands(), move |message| {
                    heard(messages::velocity(&message).map_err(Invalid::NotFinite), clock::stamp())
                })?
            }
            Kind::TwistStamped => {
                inputs.subscribe::<geometry::TwistStamped>(node, topic, qos::commands(), move |message| {
                    let velocity = messages::velocity(&message.twist).map_err(Invalid::NotFinite);
                    heard(velocity, messages::stamp(&message))
                })?;
            }
            Kind::PoseState => {
                inputs.subscribe::<or_pose::State>(node, topic, qos::commands(), move |message| {
                    let state = messages::reference(&message);
                    heard(arbiter::velocity_of(state.intrinsic, state.vel, state.avel), state.stamp)
                })?
            }
        }
    }
    Ok(())
}

/// What the node says of itself.
pub fn status(arbiter: &Arbiter) -> Status {
    Status::of(arbiter.health(), arbiter.report())
}

/// Runs the node until somebody wishes to end.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let mut topics = Topics::new(&mut member.node, &member.params)?;
    let latency = topics.command().latency();
    listen(&mut member.inputs, &mut member.node, &member.params, None, |input| input)?;
    let shell = Shell::new(Arbiter::new(member.params.clone()), None, move |output| topics.publish(output));
    let runner = member.runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?;
    let runner = runner.status(move |machine| latency.report(status(machine)));
    start::run(runner, stop, &shell, [Input::Stopping])
}
