//! Node `joystick`: the devices, the velocity reference of the user, and the reference that passes through while the user does
//! not drive.
//!
//! | file | idea |
//! |---|---|
//! | `pads` | the devices |
//! | `absence` | logs that no device drives, and why |
//! | `extras` | battery and motion of the device that drives |
//! | `device_topics` | topics that open and close with the devices |
//! | `services` | the nine of the openrobots component |
//! | `log` | the log file of the published state |

mod absence;
mod desired;
mod device_topics;
mod extras;
mod log;
mod pads;
mod services;

use std::cell::RefCell;
use std::sync::mpsc::{Receiver, Sender, channel};

use ::log::{info, warn};
use joystick::{DeviceId, Effect, Input, Joystick, Output, Params, specification};
use r2r::or_pose_estimator::msg as or_pose;
use r2r::sensor_msgs::msg as sensor;
use r2r::std_msgs::msg as std_msgs;
use ros::{Error, Inputs, Names, Runner, Shell, Status, Stop, Topic, qos};
use safety::{Contains, Succession};

use self::absence::{Absence, Missing};
use self::desired::Desired;
use self::device_topics::DeviceTopics;
use self::log::Log;
use crate::messages;
use crate::start::{self, Member};
use crate::why::StageTopic;

pub use self::pads::Pads;

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "joystick";

/// Topics that the node publishes.
pub struct Topics {
    /// The velocity reference's topic, for `Desired::for_subscribers_only`.
    pub desired: Desired,
    joy: Topic<sensor::Joy>,
    connected: Topic<std_msgs::Bool>,
    devices: DeviceTopics,
    effects: Sender<(DeviceId, Effect)>,
    log: Log,
}

/// The parts of the node outside its machine, between the creation of its topics and of its runner.
pub struct Parts {
    devices: DeviceTopics,
    /// The machine's effects on the devices, which are carried out without the machine's lock.
    effects: Receiver<(DeviceId, Effect)>,
    log: Log,
    joy: r2r::Publisher<sensor::Joy>,
    stage: StageTopic,
}

impl Parts {
    /// Opens the topics; those of the devices open and close with them.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, names: &Names) -> Result<(Topics, Self), Error> {
        let (effects, asked) = channel();
        let joy = Topic::new(node, "joy", qos::edge())?;
        let devices = DeviceTopics::default();
        let parts = Self {
            devices,
            effects: asked,
            log: Log::default(),
            joy: joy.share(),
            stage: StageTopic::new(node, names, NAME)?,
        };
        let topics = Topics {
            desired: Desired::new(node)?,
            joy,
            connected: Topic::new(node, "~/connected", qos::state())?,
            devices: parts.devices.clone(),
            effects,
            log: parts.log.clone(),
        };
        Ok((topics, parts))
    }

    /// Adds the node's tasks, services and diagnostics to `runner`.
    /// # Errors
    /// The middleware refuses a service.
    pub fn add_tasks<M: Contains<Joystick, Input: Send> + Send + 'static>(
        self,
        runner: Runner<M>,
        shell: &Shell<M>,
        pads: Pads,
        stop: &Stop,
    ) -> Result<Runner<M>, Error> {
        let Self { devices, effects, log, joy, stage } = self;
        let runner = services::serve(runner, &log)?;
        let (extra_pads, extra_shell) = (pads.clone(), shell.clone());
        let mut absence = Absence::new();
        let extras = move |_: &mut r2r::Node| {
            let (driver, needs_reading) = extra_shell.inspect(|machine| {
                let joystick = machine.stage();
                (joystick.controlled_id(), joystick.needs_reading())
            });
            if needs_reading {
                extra_pads.request_states();
            }
            extra_pads.carry_out(effects.try_iter());
            extra_pads.serve_extras(driver.map(|id| id.0));
            absence.watch(driver.is_none(), || extra_shell.inspect(|machine| Missing::of(machine.stage())));
        };
        let (mut known, joy_shell) = (0, shell.clone());
        let subscribers = move |_: &mut r2r::Node| {
            let count = ros::subscribers(&joy);
            if std::mem::replace(&mut known, count) != count {
                joy_shell.deliver(M::wrap(Input::JoySubscribersCounted(count)));
            }
        };
        let stage = stage.task::<Joystick, _>(shell);
        let (shell, status_log) = (shell.clone(), log.clone());
        let switch = move |_: &mut r2r::Node| {
            if let Some(on) = log.switched() {
                shell.deliver(M::wrap(Input::LogSwitched(on)));
            }
        };
        Ok(runner
            .task(subscribers)
            .status(move |machine| status_log.report(status(machine.stage())))
            .task(switch)
            .task(extras)
            .task(stage)
            .task(move |node| devices.serve(node))
            .task(pads.watch(stop)))
    }
}

impl Topics {
    /// Carries out an output of the machine.
    pub fn publish(&mut self, output: Output) {
        match output {
            Output::PublishDesired(state) => self.desired.publish(&state),
            Output::PublishJoy(state) => self.joy.publish(&messages::joy(state)),
            Output::PublishConnected(data) => self.connected.publish(&std_msgs::Bool { data }),
            Output::LogRow(row) => self.log.row(row),
            // The receiver is gone only when the node ends.
            Output::Feedback { device, effect } => drop(self.effects.send((device, effect))),
            Output::OpenDevice { name } => self.devices.open(name),
            Output::PublishDevice { name, state } => self.devices.publish(&name, state),
            Output::CloseDevice { name } => self.devices.close(&name),
            Output::Report(report) if report.is_warning() => warn!(target: NAME, "{report}"),
            Output::Report(report) => info!(target: NAME, "{report}"),
        }
    }
}

/// Subscribes to the node's topics and starts the devices.
/// # Errors
/// The middleware refuses a topic, or SDL does not start.
pub fn subscribe<M: Contains<Joystick, Input: Send> + Send + 'static>(
    inputs: &mut Inputs<M>,
    node: &mut r2r::Node,
    shell: &Shell<M>,
    set: &params::Set,
    joy_input: &str,
) -> Result<Pads, Error> {
    let names = inputs.names();
    if !joy_input.is_empty() && names.resolve(joy_input) == names.resolve("joy") {
        let refusal = set.refuse(
            "joy_input",
            "must be another topic than 'joy', which this node publishes: remap one of them",
        );
        return Err(Error::Parameters { node: NAME.into(), refusals: vec![refusal] });
    }
    ros::declare_stage(node, &names.resolve("~/reference"), &names.resolve("~/desired"))?;
    inputs.subscribe::<or_pose::State>(node, "~/reference", qos::commands(), move |message| {
        Some(M::wrap(Input::ReferenceReceived(messages::reference(&message))))
    })?;
    inputs
        .expect_one_publisher("~/reference", move |count| M::wrap(Input::ReferencePublishersCounted(count)));
    inputs.subscribe::<sensor::JoyFeedback>(node, "joy/set_feedback", qos::edge(), move |message| {
        Some(M::wrap(Input::FeedbackReceived(pads::feedback(&message))))
    })?;
    let of_virtual = if joy_input.is_empty() {
        const TOPIC: &str = "~/virtual_device";
        inputs.subscribe::<r2r::or_joystick::msg::State>(node, TOPIC, qos::edge(), move |message| {
            Some(M::wrap(Input::VirtualDeviceMoved(Ok(pads::virtual_state(message)))))
        })?;
        TOPIC
    } else {
        inputs.subscribe::<sensor::Joy>(node, joy_input, qos::edge(), move |message| {
            Some(M::wrap(Input::VirtualDeviceMoved(pads::state_of_joy(&message))))
        })?;
        joy_input
    };
    let publishers = RefCell::new(Succession::default());
    inputs.identify_publishers(of_virtual, move |found| {
        let count = publishers.borrow_mut().count(found.as_deref());
        M::wrap(Input::VirtualPublishersCounted(count))
    });
    Pads::start(node, shell.clone())
}

fn status(joystick: &Joystick) -> Status {
    Status::of(joystick.health(), joystick.report()).of_hardware(joystick.controlled().unwrap_or_default())
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let (mut topics, parts) = Parts::new(&mut member.node, member.inputs.names())?;
    let machine = Joystick::new(member.params.clone());
    let shell = Shell::new(machine, Some(Input::ClockRead), move |output| topics.publish(output));
    let set = member.set().clone();
    let joy_input = &member.params.joy_input;
    let pads = subscribe(&mut member.inputs, &mut member.node, &shell, &set, joy_input)?;
    let runner = member
        .runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?
        .managed(Input::ActivityChanged)?;
    let runner = parts.add_tasks(runner, &shell, pads, stop)?;
    start::run(runner, stop, &shell, [Input::Stopping])
}
