//! Node `hindbrain`: the last gate before the motors.

use hindbrain::{Hindbrain, Input, Motors, Output, Params, Sensor, specification};
use r2r::geometry_msgs::msg as geometry;
use r2r::sensor_msgs::msg::Range;
use r2r::std_msgs::msg::{Bool, Int16, String as Text};
use ros::{Error, Inputs, Shell, Status, Stop, Topic, clock, qos};
use units::{Command, Machine};

use crate::command_topic::SharedLatency;
use crate::start::{self, Member};
use crate::{messages, zone_scaler};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "hindbrain";

/// What the node publishes.
pub struct Topics {
    port: Topic<Int16>,
    starboard: Topic<Int16>,
    applied: Topic<geometry::TwistStamped>,
    state: Topic<Text>,
    latency: SharedLatency,
    params: Params,
}

impl Topics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, params: &Params) -> Result<Self, Error> {
        Ok(Self {
            port: Topic::new(node, "motor/port", qos::command())?,
            starboard: Topic::new(node, "motor/starboard", qos::command())?,
            applied: Topic::new(node, "hind/applied", qos::command())?,
            state: Topic::new(node, "hind/state", qos::state())?,
            latency: SharedLatency::default(),
            params: params.clone(),
        })
    }

    /// How old commands are when they become motor values.
    pub fn latency(&self) -> SharedLatency {
        self.latency.clone()
    }

    /// Carries out what the machine asks for.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::Drive(motors) => {
                self.port.publish(&Int16 { data: motors.port });
                self.starboard.publish(&Int16 { data: motors.starboard });
                let params = &self.params;
                self.applied.publish_if_watched(|| applied(&motors, params));
                self.latency.record(motors.stamp);
            }
            Output::PublishState(state) => self.state.publish(&Text { data: state.as_str().into() }),
            Output::Report(report) => log::info!(target: NAME, "{report}"),
        }
    }
}

/// The velocity that two motor values stand for, with the stamp of the stick event they go back to: the motor topics
/// themselves carry no stamp.
fn applied(motors: &Motors, params: &Params) -> geometry::TwistStamped {
    let (forward, turn) = motors.velocity(params);
    let velocity = units::Velocity::planar(forward, turn).unwrap_or_default();
    messages::twist_stamped(&Command { velocity, stamp: motors.stamp })
}

/// Listens to what stops first, then, unless the composed process feeds the commands itself, to `cmd_vel`.
/// # Errors
/// The middleware refuses a topic.
pub fn listen<M: Machine + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    params: &Params,
    composed: bool,
    wrap: fn(Input) -> M::Input,
) -> Result<(), Error> {
    let edge = qos::edge();
    let flag = |make: fn(bool) -> Input| move |message: Bool| Some(wrap(make(message.data)));
    // Twice: a press must not be lost on the way, and must be heard from whomever it comes. Hearing it twice does no harm.
    inputs.subscribe::<Bool>(node, "hind/estop", edge.clone(), flag(Input::EstopReceived))?;
    inputs.subscribe::<Bool>(node, "hind/estop", qos::sensor(), flag(Input::EstopReceived))?;
    inputs.subscribe::<Bool>(node, "hind/enable", edge.clone(), flag(Input::EnableReceived))?;
    inputs.subscribe::<Bool>(node, "hind/reset", edge, flag(Input::ResetReceived))?;
    inputs.subscribe::<Range>(node, "hind/ir", qos::sensor(), move |message| {
        let Some(sensor) = Sensor::from_frame_id(&message.header.frame_id) else {
            log::debug!(target: NAME, "'hind/ir' of unknown sensor '{}' is ignored", message.header.frame_id);
            return None;
        };
        Some(wrap(Input::IrReceived { sensor, distance: distance(&message) }))
    })?;
    let command = move |velocity: Result<units::Velocity, units::NotFinite>, stamp| {
        Some(wrap(Input::CommandReceived(velocity.map(|velocity| Command { velocity, stamp }))))
    };
    match (composed, params.stamped) {
        (true, _) => Ok(()),
        (false, true) => inputs.subscribe::<geometry::TwistStamped>(
            node,
            zone_scaler::COMMAND,
            qos::commands(),
            move |message| command(messages::velocity(&message.twist), messages::stamp(&message)),
        ),
        (false, false) => {
            inputs.subscribe::<geometry::Twist>(node, zone_scaler::COMMAND, qos::commands(), move |message| {
                command(messages::velocity(&message), clock::stamp())
            })
        }
    }
}

/// The distance of a reading [m], infinite where nothing is in reach (REP-117); `None` if it is no measurement.
fn distance(message: &Range) -> Option<f64> {
    let range = f64::from(message.range);
    (range >= 0.0).then_some(range)
}

/// What the node says of itself.
pub fn status(hindbrain: &Hindbrain) -> Status {
    Status::of(hindbrain.health(), hindbrain.report())
}

/// Runs the node until somebody wishes to end.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let mut topics = Topics::new(&mut member.node, &member.params)?;
    let latency = topics.latency();
    listen(&mut member.inputs, &mut member.node, &member.params, false, |input| input)?;
    let shell = Shell::new(Hindbrain::new(member.params.clone()), None, move |output| topics.publish(output));
    let runner = member.runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?;
    let runner = runner.status(move |machine| latency.report(status(machine)));
    start::run(runner, stop, &shell, [Input::Stopping])
}
