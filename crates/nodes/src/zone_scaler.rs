//! Node `zone_scaler`: scales commands by the surroundings.
//!
//! It has two inputs with a result each. The command on `cmd_vel_arbitrated` is scaled and published on `cmd_vel`;
//! `~/joystick_scaling` reports how it was scaled. For the stick on `luci/joystick_position`, `~/joystick_position_scaling`
//! reports how it would be scaled. A `LuciJoystickScaling` does not show which of the two it belongs to (both may have the same
//! input source), hence two topics. `luci/joystick_scaling` is the chair's own result, which this node receives and never
//! publishes. `luci/chair_profile` reports the chair's profile.

mod picture;

use r2r::luci_messages::msg as luci;
use r2r::std_msgs::msg::Int32;
use ros::{Error, Inputs, Shell, Status, Stop, Topic, qos};
use safety::Contains;
use zones::{Applied, Channel, Feedback, Input, Output, Params, ZoneScaler, specification};

use crate::command_topic::{self, CommandTopic};
use crate::start::{self, Member};
use crate::why::StageTopic;
use crate::{luci_topics, messages, velocity_arbiter};

pub use self::picture::Picture;

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "zone_scaler";
/// The topic of the node's command.
pub const COMMAND: &str = "cmd_vel";

/// Topics that the node publishes.
pub struct Topics {
    /// The command's topic, for its latency and [`CommandTopic::for_subscribers_only`].
    pub command: CommandTopic,
    applied: Topic<luci::LuciJoystickScaling>,
    applied_to_joystick: Topic<luci::LuciJoystickScaling>,
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, params: &Params) -> Result<Self, Error> {
        Ok(Self {
            command: CommandTopic::new(node, COMMAND, params.published.stamped)?,
            applied: Topic::new(node, "~/joystick_scaling", qos::command())?,
            applied_to_joystick: Topic::new(node, "~/joystick_position_scaling", qos::command())?,
        })
    }

    /// Carries out an output of the machine.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::Drive(command) => self.command.publish(&command),
            Output::PublishApplied(applied) => {
                let topic = match applied.channel {
                    Channel::Velocity => &mut self.applied,
                    Channel::Joystick => &mut self.applied_to_joystick,
                };
                topic.publish_if_subscribed(|| joystick_scaling(&applied));
            }
        }
    }
}

fn joystick_scaling(applied: &Applied) -> luci::LuciJoystickScaling {
    luci::LuciJoystickScaling {
        forward_back: applied.forward_back,
        left_right: applied.left_right,
        joystick_zone: applied.zone.number(),
        input_source: applied.input_source,
        forward_back_scaling: applied.forward_back_scaling,
        left_right_scaling: applied.left_right_scaling,
    }
}

fn feedback(message: &luci::LuciJoystickScaling) -> Feedback {
    Feedback {
        forward_back: message.forward_back,
        left_right: message.left_right,
        joystick_zone: message.joystick_zone,
        input_source: message.input_source,
        forward_back_scaling: message.forward_back_scaling,
        left_right_scaling: message.left_right_scaling,
    }
}

/// Subscribes to the scaling, to the chair's stick and the chair's own scaling of it, and, unless the composed process feeds
/// the commands itself, to the arbiter's command.
/// # Errors
/// The middleware refuses a topic.
pub fn subscribe<M: Contains<ZoneScaler> + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    params: &Params,
    composed: bool,
) -> Result<(), Error> {
    inputs.subscribe::<luci::LuciZoneScaling>(node, luci_topics::SCALING, qos::sensor(), move |message| {
        Some(M::wrap(Input::ScalingReceived(messages::zone_fields(&message))))
    })?;
    inputs.expect_one_publisher(luci_topics::SCALING, move |count| {
        M::wrap(Input::ScalingPublishersCounted(count))
    });
    inputs.subscribe::<Int32>(node, luci_topics::PROFILE, qos::state(), move |message| {
        Some(M::wrap(Input::ProfileReceived(message.data)))
    })?;
    inputs.expect_one_publisher(luci_topics::PROFILE, move |count| {
        M::wrap(Input::ProfilePublishersCounted(count))
    });
    inputs.subscribe::<luci::LuciJoystickScaling>(
        node,
        luci_topics::JOYSTICK_SCALING,
        qos::sensor(),
        move |message| Some(M::wrap(Input::FeedbackReceived(feedback(&message)))),
    )?;
    inputs.subscribe::<luci::LuciJoystick>(
        node,
        luci_topics::JOYSTICK_POSITION,
        qos::command(),
        move |message| Some(M::wrap(Input::JoystickReceived(messages::joystick(&message)))),
    )?;
    let names = inputs.names();
    ros::declare_stage(node, &names.resolve(velocity_arbiter::COMMAND), &names.resolve(COMMAND))?;
    if !composed {
        let topic = velocity_arbiter::COMMAND;
        command_topic::subscribe(inputs, node, topic, params.published.stamped, |command| {
            M::wrap(match command {
                Ok(command) => Input::CommandReceived(command),
                Err(error) => Input::CommandRefused(error),
            })
        })?;
        inputs.expect_one_publisher(topic, |count| M::wrap(Input::CommandPublishersCounted(count)));
    }
    Ok(())
}

/// The node's diagnostics.
pub fn status(scaler: &ZoneScaler) -> Status {
    Status::of(scaler.health(), scaler.report())
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let mut topics = Topics::new(&mut member.node, &member.params)?;
    let (command, latency) = (topics.command.topic.clone(), topics.command.latency.clone());
    subscribe(&mut member.inputs, &mut member.node, &member.params, false)?;
    let mut picture = Picture::new(&mut member.node)?;
    let stage = StageTopic::new(&mut member.node, member.inputs.names(), NAME)?;
    let scaler = ZoneScaler::new(member.params.clone());
    let shell = Shell::new(scaler, Some(Input::ClockRead), move |output| topics.publish(output));
    let drawn = shell.clone();
    let runner = member
        .runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?
        .managed(Input::ActivityChanged)?;
    let runner = runner
        .status(move |machine| latency.report(status(machine)))
        .needs_subscriber(COMMAND, move || command.has_subscribers())
        .log_levels();
    let runner = runner
        .task(move |_| picture.draw(&drawn))
        .task(stage.task::<ZoneScaler, _>(&shell))
        .sleep_longer_at_rest();
    start::run(runner, stop, &shell, [Input::Stopping])
}
