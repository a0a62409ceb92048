//! Node `zone_scaler`: what the surroundings leave of a command.

use r2r::geometry_msgs::msg as geometry;
use r2r::luci_messages::msg as luci;
use ros::{Error, Inputs, Shell, Status, Stop, Topic, clock, qos};
use units::{Command, Machine};
use zones::{Applied, Input, Output, Params, ZoneScaler, specification};

use crate::command_topic::CommandTopic;
use crate::start::{self, Member};
use crate::{messages, velocity_arbiter};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "zone_scaler";
/// Where the node's command goes.
pub const COMMAND: &str = "cmd_vel";

/// What the node publishes.
pub struct Topics {
    command: CommandTopic,
    applied: Topic<luci::LuciJoystickScaling>,
    input_source: i32,
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, params: &Params) -> Result<Self, Error> {
        Ok(Self {
            command: CommandTopic::new(node, COMMAND, params.stamped)?,
            applied: Topic::new(node, "luci/joystick_scaling", qos::command())?,
            input_source: params.input_source,
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
            Output::PublishApplied(applied) => {
                let input_source = self.input_source;
                self.applied.publish_if_watched(|| joystick_scaling(&applied, input_source));
            }
        }
    }
}

fn joystick_scaling(applied: &Applied, input_source: i32) -> luci::LuciJoystickScaling {
    luci::LuciJoystickScaling {
        forward_back: applied.forward_back,
        left_right: applied.left_right,
        joystick_zone: applied.zone as i32,
        input_source,
        forward_back_scaling: applied.forward_back_scaling,
        left_right_scaling: applied.left_right_scaling,
    }
}

/// Listens to the scaling and, unless the composed process feeds the commands itself, to the arbiter's command.
/// # Errors
/// The middleware refuses a topic.
pub fn listen<M: Machine + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    params: &Params,
    composed: bool,
    wrap: fn(Input) -> M::Input,
) -> Result<(), Error> {
    inputs.subscribe::<luci::LuciZoneScaling>(node, "luci/scaling", qos::sensor(), move |message| {
        Some(wrap(Input::ScalingReceived(messages::zone_fields(&message))))
    })?;
    let command = move |velocity: Result<units::Velocity, units::NotFinite>, stamp| match velocity {
        Ok(velocity) => Some(wrap(Input::CommandReceived(Command { velocity, stamp }))),
        Err(error) => Some(wrap(Input::CommandRefused(error))),
    };
    match (composed, params.stamped) {
        (true, _) => Ok(()),
        (false, true) => inputs.subscribe::<geometry::TwistStamped>(
            node,
            velocity_arbiter::COMMAND,
            qos::commands(),
            move |message| command(messages::velocity(&message.twist), messages::stamp(&message)),
        ),
        (false, false) => inputs.subscribe::<geometry::Twist>(
            node,
            velocity_arbiter::COMMAND,
            qos::commands(),
            move |message| command(messages::velocity(&message), clock::stamp()),
        ),
    }
}

/// What the node says of itself.
pub fn status(scaler: &ZoneScaler) -> Status {
    Status::of(scaler.health(), scaler.report())
}

/// Runs the node until somebody wishes to end.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let mut topics = Topics::new(&mut member.node, &member.params)?;
    let latency = topics.command().latency();
    listen(&mut member.inputs, &mut member.node, &member.params, false, |input| input)?;
    let shell =
        Shell::new(ZoneScaler::new(member.params.clone()), None, move |output| topics.publish(output));
    let runner = member.runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?;
    let runner = runner.status(move |machine| latency.report(status(machine)));
    start::run(runner, stop, &shell, [Input::Stopping])
}
