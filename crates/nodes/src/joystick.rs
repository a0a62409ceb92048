//! Node `joystick`: devices, what the user wants, and the reference that passes through while the user does not drive.

mod device_topics;
mod held;
mod pads;

use joystick::{Input, Joystick, Output, Params, specification};
use r2r::or_pose_estimator::msg as or_pose;
use r2r::sensor_msgs::msg as sensor;
use ros::{Error, Inputs, Shell, Status, Stop, Topic, qos};
use units::{Machine, Stamp};

use crate::messages;
use crate::start::{self, Member};

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
    inputs.subscribe::<or_pose::State>(node, "~/reference", qos::commands(), move |message| {
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
    Status::of(joystick.health(), joystick.report())
}

/// Tells the machine the wall clock.
pub fn clock_read(stamp: Stamp) -> Input {
    Input::ClockRead(stamp)
}

/// Runs the node until somebody wishes to end.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let devices = DeviceTopics::default();
    let mut topics = Topics::new(&mut member.node, devices.clone())?;
    let machine = Joystick::new(member.params.clone());
    let shell = Shell::new(machine, Some(clock_read), move |output| topics.publish(output));
    let pads = listen(&mut member.inputs, &mut member.node, &shell, &member.params, |input| input)?;
    let runner = member.runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?;
    let runner = runner
        .status(status)
        .chore(move |node| devices.serve(node))
        .chore(pads.watch(stop))
        .longest_sleep(start::WITH_OTHER_THREADS);
    start::run(runner, stop, &shell, [Input::Stopping])
}
