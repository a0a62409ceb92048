//! Node `joystick`: devices, what the user wants, and the reference that passes through while the user does not drive.

mod device_topics;
mod pads;

use joystick::{Input, Joystick, Output, Params, specification};
use r2r::or_pose_estimator::msg as or_pose;
use r2r::sensor_msgs::msg as sensor;
use ros::{Error, Inputs, Names, Parameters, Runner, Shell, Status, Stop, Topic, qos};
use units::{Machine, Stamp};

use crate::{messages, start};

pub use device_topics::DeviceTopics;
pub use pads::Pads;

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "joystick";

/// What the node publishes.
pub struct Topics {
    desired: Topic<or_pose::State>,
    joy: Topic<sensor::Joy>,
    devices: DeviceTopics,
}

impl Topics {
    /// Opens the topics; those of the devices open and close with them.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, devices: DeviceTopics) -> Result<Self, Error> {
        Ok(Self {
            desired: Topic::new(node, "~/desired", qos::state())?,
            joy: Topic::new(node, "joy", qos::command())?,
            devices,
        })
    }

    /// Carries out what the machine asks for.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::PublishDesired(state) => self.desired.publish(&messages::pose_state(&state)),
            Output::PublishJoy(state) => self.joy.publish_if_watched(|| messages::joy(state)),
            Output::OpenDevice { name } => self.devices.open(name),
            Output::PublishDevice { name, state } => self.devices.publish(&name, state),
            Output::CloseDevice { name } => self.devices.close(&name),
            Output::Report(report) if report.is_warning() => log::warn!(target: NAME, "{report}"),
            Output::Report(report) => log::info!(target: NAME, "{report}"),
        }
    }
}

/// Listens to what the node takes from the graph, and to the devices; `wrap` makes an input of the machine at hand.
/// # Errors
/// The middleware refuses a topic, or SDL does not start.
pub fn listen<M: Machine<Input: Send> + Send + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    shell: &Shell<M>,
    params: &Params,
    wrap: fn(Input) -> M::Input,
) -> Result<Pads, Error> {
    inputs.subscribe::<or_pose::State>(node, "~/reference", qos::command(), move |message| {
        Some(wrap(Input::ReferenceReceived(messages::reference(&message))))
    })?;
    let pads = Pads::start(shell.clone(), wrap, params.virtual_device.clone())?;
    let virtual_pads = pads.clone();
    inputs.subscribe::<r2r::or_joystick::msg::State>(
        node,
        "~/virtual_device",
        qos::edge(),
        move |message| {
            virtual_pads.set_virtual(message);
            None
        },
    )?;
    Ok(pads)
}

/// What the node says of itself.
pub fn status(joystick: &Joystick) -> Status {
    let (level, message) = joystick.health();
    let status = Status::new(start::level(level as u8), message);
    joystick.report().into_iter().fold(status, |status, (key, value)| status.with(key, value))
}

/// Tells the machine the wall clock.
pub fn clock_read(stamp: Stamp) -> Input {
    Input::ClockRead(stamp)
}

/// Runs the node until somebody wishes to end.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut node = start::node(context, NAME)?;
    let parameters = Parameters::new(&mut node, &specification())?;
    let params = start::read(NAME, &parameters, Params::read)?;
    let devices = DeviceTopics::default();
    let mut topics = Topics::new(&mut node, devices.clone())?;
    let shell =
        Shell::new(Joystick::new(params.clone()), Some(clock_read), move |output| topics.publish(output));
    let mut inputs = Inputs::new(Names::new(NAME, &start::namespace(&node)?, std::env::args()));
    let pads = listen(&mut inputs, &mut node, &shell, &params, |input| input)?;
    let apply = |set: &params::Set| Params::read(set).map(Input::ParametersChanged);
    let mut runner = Runner::new(node, shell.clone(), inputs, parameters, apply)?
        .status(status)
        .chore(move |node| devices.serve(node))
        .chore(pads.watch(stop))
        .longest_sleep(start::WITH_OTHER_THREADS);
    start::run(&mut runner, stop, &shell, [Input::Stopping])
}
