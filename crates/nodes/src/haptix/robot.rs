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
use safety::{StateMonitor, StateSample};

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

    /// A monitor that judges its states.
    pub(super) fn monitor(&self) -> StateMonitor {
        let Self { model, topics, .. } = self;
        let joints = model.constants.description.joint_names.clone();
        StateMonitor::new(&topics.states, joints, topics.timeout)
            .of_joints(model.others.clone(), model.measures)
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
        let publishing = CommandsTopic { publisher, names, model, timeout, stays: Arc::default() };
        let stays = Arc::clone(&publishing.stays);
        let end = RobotEnd(publishing.clone());
        let last = end.clone();
        panics::final_messages(move || last.stay(true));
        Ok(Opened {
            states: StatesSender { ring: states, stays },
            commands: Commands { ring: commands, topic: publishing, has_subscriber: None },
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

/// The topic of the robot's commands; each thread has a clone. Nothing is locked during a send, which may hang.
#[derive(Clone)]
struct CommandsTopic {
    publisher: Topic<JointTrajectory>,
    names: Vec<String>,
    model: RobotModel,
    timeout: Duration,
    stays: Arc<Mutex<Stays>>,
}

/// The commands to stay, beside which those of the device do not count.
#[derive(Default)]
struct Stays {
    /// The states that counted last.
    last: Option<RobotStates>,
    /// How many there were.
    count: u64,
    /// After the last message there is no other.
    is_over: bool,
}

impl CommandsTopic {
    fn publish(&self, command: &RobotCommand) {
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

    fn stay(&self) {
        let last = lock(&self.stays).last;
        let command = RobotCommand::last(&self.model, last.as_ref(), clock::now(), self.timeout);
        if let Some(command) = command {
            self.publish(&command);
        }
    }
}

/// Passes states to the device.
pub(super) struct StatesSender {
    ring: Producer<RobotStates>,
    stays: Arc<Mutex<Stays>>,
}

impl StatesSender {
    /// Passes states on. While the device's thread is held, those that do not fit are lost: it reads old ones then, which know their age.
    pub(super) fn send(&mut self, sample: &StateSample) {
        let states = RobotStates::new(sample);
        lock(&self.stays).last = Some(states);
        let _ = self.ring.push(states);
    }
}

/// Publishes the device's commands.
pub(super) struct Commands {
    ring: Consumer<RobotCommand>,
    topic: CommandsTopic,
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
        let before = {
            let stays = lock(&self.topic.stays);
            (!stays.is_over).then_some(stays.count)?
        };
        self.topic.publish(&newest?);
        if lock(&self.topic.stays).count != before {
            self.topic.stay(); // the send may have hung meanwhile: the last command is the one to stay
        }
        let has_subscriber = self.topic.publisher.has_subscribers();
        (self.has_subscriber.replace(has_subscriber) != Some(has_subscriber)).then_some(has_subscriber)
    }
}

/// The last command of the robot, for any thread.
#[derive(Clone)]
pub(super) struct RobotEnd(CommandsTopic);

impl RobotEnd {
    /// Commands the robot to stay where it is, if that is known; nothing is published after the last of these.
    pub(super) fn stay(&self, is_last: bool) {
        {
            let mut stays = lock(&self.0.stays);
            stays.is_over |= is_last;
            stays.count += 1;
        }
        self.0.stay();
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
        &self.hand.model().constants
    }

    fn command(&mut self, setpoints: &Setpoints) -> Result<(), DeviceError> {
        self.hand.follow(realtime::now(), setpoints)
    }

    fn hold(&mut self, _: f64) -> Result<(), DeviceError> {
        let command = self.hand.hold(realtime::now())?;
        self.commands.push(command).map_err(|_| DeviceError::NoAnswer) // without room the loop tries again
    }

    fn step(&mut self, dt: Duration) -> Result<(), DeviceError> {
        self.hand.pass(dt);
        self.receive(); // also between ticks: the ring has no room for a long one
        if take(&mut self.is_due)
            && let Some(command) = self.hand.command(realtime::now())
        {
            let _ = self.commands.push(command); // without room nobody publishes, and the next one is newer
        }
        Ok(())
    }

    fn read(&mut self, sensor: &mut Sensor) -> Result<(), DeviceError> {
        self.receive();
        self.is_due = true;
        self.hand.read(realtime::now(), sensor)
    }

    fn reset(&mut self, _: bool) -> Result<(), DeviceError> {
        Ok(()) // a robot has no pose of its start and no objects; the loop makes it hold
    }
}
