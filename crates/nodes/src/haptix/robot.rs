use std::mem::take;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use haptix::{
    Constants, Device, DeviceError, Haptix, Input, RobotCommand, RobotHand, RobotModel, RobotStates,
    RobotTopics, Sensor, Setpoints,
};
use r2r::builtin_interfaces::msg::Duration as WireDuration;
use r2r::sensor_msgs::msg::JointState;
use r2r::trajectory_msgs::msg::{JointTrajectory, JointTrajectoryPoint};
use ros::panics::{self, lock};
use ros::{Error, Inputs, Topic, clock, qos};
use rtrb::{Consumer, Producer, RingBuffer};
use units::{StateMonitor, StateSample};

use crate::messages;

/// How many states may wait for the device, and how many commands for their topic.
const MOST_WAITING: usize = 64;

/// A robot elsewhere, for the device's thread.
///
/// # Real-time
/// States and commands travel in rings: nothing waits, allocates or frees.
pub(super) struct RobotDevice {
    hand: RobotHand,
    states: Consumer<RobotStates>,
    commands: Producer<RobotCommand>,
    /// Whether a command is due, once in each tick.
    is_due: bool,
}

/// The node's side of a robot elsewhere, before its topics are open.
pub(super) struct Robot {
    model: RobotModel,
    topics: RobotTopics,
    states: Producer<RobotStates>,
    commands: Consumer<RobotCommand>,
}

impl Robot {
    /// The robot that `model` describes: the device, and the node's side.
    pub(super) fn new(model: RobotModel, topics: &RobotTopics) -> (RobotDevice, Self) {
        let (states, received) = RingBuffer::new(MOST_WAITING);
        let (sent, commands) = RingBuffer::new(MOST_WAITING);
        let hand = RobotHand::new(model.clone(), topics.timeout);
        let device = RobotDevice { hand, states: received, commands: sent, is_due: false };
        (device, Self { model, topics: topics.clone(), states, commands })
    }

    /// What judges its states.
    pub(super) fn monitor(&self) -> StateMonitor {
        let Self { model, topics, .. } = self;
        let joints = model.constants().description.joint_names.clone();
        StateMonitor::new(&topics.states, joints, topics.timeout)
            .of_joints(model.others().to_vec(), model.measures())
    }

    /// Opens its topics.
    /// # Errors
    /// The middleware refuses one.
    pub(super) fn open(self, node: &mut r2r::Node, inputs: &mut Inputs<Haptix>) -> Result<Opened, Error> {
        let Self {
            model,
            topics: RobotTopics { states: topic, commands: commands_topic, timeout },
            states,
            commands,
        } = self;
        inputs.subscribe::<JointState>(node, &topic, qos::sensor(), |message| {
            Some(Input::StatesReceived(messages::states(message)))
        })?;
        let publisher = Topic::new(node, &commands_topic, qos::command())?;
        let names = model.commanded().map(str::to_owned).collect();
        let shared = Shared { publisher, names, model, timeout, last: None, is_over: false };
        let shared = Arc::new(Mutex::new(shared));
        let end = RobotEnd(Arc::clone(&shared));
        let last = end.clone();
        panics::final_messages(move || last.stay(true));
        Ok(Opened {
            states: StatesSender { ring: states, shared: Arc::clone(&shared) },
            commands: Commands { ring: commands, shared, has_subscriber: None },
            end,
            sole: [topic, commands_topic],
        })
    }
}

/// A robot elsewhere whose topics are open.
pub(super) struct Opened {
    pub(super) states: StatesSender,
    pub(super) commands: Commands,
    pub(super) end: RobotEnd,
    /// The topics on which one publisher is expected.
    pub(super) sole: [String; 2],
}

/// What the threads of the node share.
struct Shared {
    publisher: Topic<JointTrajectory>,
    names: Vec<String>,
    model: RobotModel,
    timeout: Duration,
    /// The states that counted last.
    last: Option<RobotStates>,
    /// After the last message there is no other.
    is_over: bool,
}

impl Shared {
    fn publish(&mut self, command: &RobotCommand) {
        let point = JointTrajectoryPoint {
            positions: command.positions().to_vec(),
            time_from_start: WireDuration {
                sec: i32::try_from(command.time.as_secs()).unwrap_or(i32::MAX),
                nanosec: command.time.subsec_nanos(),
            },
            ..Default::default()
        };
        // Without a stamp it begins when it arrives. A controller shortens a trajectory whose stamp is in the past, so one with a stamp
        // would be faster than the greatest speed when it is late, or when the robot's clock is another one.
        let message =
            JointTrajectory { joint_names: self.names.clone(), points: vec![point], ..Default::default() };
        self.publisher.publish(&message);
    }
}

/// Passes states to the device.
pub(super) struct StatesSender {
    ring: Producer<RobotStates>,
    shared: Arc<Mutex<Shared>>,
}

impl StatesSender {
    /// Passes states on. While the device's thread is held, those that do not fit are lost: it reads old ones then, which know their age.
    pub(super) fn send(&mut self, sample: &StateSample) {
        let states = RobotStates::new(sample);
        lock(&self.shared).last = Some(states);
        let _ = self.ring.push(states);
    }
}

/// Publishes the device's commands.
pub(super) struct Commands {
    ring: Consumer<RobotCommand>,
    shared: Arc<Mutex<Shared>>,
    /// Whether a node subscribed to the last one.
    has_subscriber: Option<bool>,
}

impl Commands {
    /// Publishes the newest command, if there is one. Returns whether it has a subscriber, if that changed.
    pub(super) fn publish(&mut self) -> Option<bool> {
        let mut newest = None;
        while let Ok(command) = self.ring.pop() {
            newest = Some(command);
        }
        let mut shared = lock(&self.shared);
        let command = newest.filter(|_| !shared.is_over)?;
        shared.publish(&command);
        let has_subscriber = shared.publisher.has_subscribers();
        (self.has_subscriber.replace(has_subscriber) != Some(has_subscriber)).then_some(has_subscriber)
    }
}

/// The last command of the robot, for any thread.
#[derive(Clone)]
pub(super) struct RobotEnd(Arc<Mutex<Shared>>);

impl RobotEnd {
    /// Commands the robot to stay where it is, if that is known; nothing is published after the last of these.
    pub(super) fn stay(&self, is_last: bool) {
        let mut shared = lock(&self.0);
        shared.is_over |= is_last;
        let command = RobotCommand::last(&shared.model, shared.last.as_ref(), clock::now(), shared.timeout);
        if let Some(command) = command {
            shared.publish(&command);
        }
    }
}

impl RobotDevice {
    /// Takes the newest states.
    fn receive(&mut self) {
        while let Ok(states) = self.states.pop() {
            self.hand.take(states);
        }
    }
}

impl Device for RobotDevice {
    fn constants(&self) -> &Constants {
        self.hand.model().constants()
    }

    fn command(&mut self, setpoints: &Setpoints) -> Result<(), DeviceError> {
        self.hand.follow(rt::now(), setpoints)
    }

    fn hold(&mut self, _: f64) -> Result<(), DeviceError> {
        let command = self.hand.hold(rt::now())?;
        self.commands.push(command).map_err(|_| DeviceError::NoAnswer) // without room the loop tries again
    }

    fn step(&mut self, dt: Duration) -> Result<(), DeviceError> {
        self.hand.pass(dt);
        self.receive(); // also between ticks: the ring has no room for a long one
        if take(&mut self.is_due)
            && let Some(command) = self.hand.command(rt::now())
        {
            let _ = self.commands.push(command); // without room nobody publishes, and the next one is newer
        }
        Ok(())
    }

    fn read(&mut self, sensor: &mut Sensor) -> Result<(), DeviceError> {
        self.receive();
        self.is_due = true;
        self.hand.read(rt::now(), sensor)
    }

    fn reset(&mut self, _: bool) -> Result<(), DeviceError> {
        Ok(()) // a robot has no pose of its start and no objects; the loop makes it hold
    }
}
