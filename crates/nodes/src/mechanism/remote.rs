use std::sync::Arc;
use std::time::Duration;

use hindbrain::Motors;
use mechanism::{BaseMotors, Input, Mechanism, RemoteCommands, RemoteParams, Robot};
use mechanism_loop::{EffortSink, EffortsReceiver, GatedEfforts, RemoteHardware, StatesSender, remote};
use r2r::sensor_msgs::msg::JointState;
use r2r::std_msgs::msg::Int16;
use ros::clock::{self, to_wire};
use ros::{Error, Inputs, Topic, panics, qos};
use safety::{Instant, Stamp, StateMonitor};

use crate::hindbrain::MOTORS;
use crate::messages;

/// The way to a robot elsewhere and back.
pub(super) struct Remote {
    pub(super) hardware: RemoteHardware,
    pub(super) states: StatesSender,
    pub(super) efforts: Efforts,
    pub(super) monitor: StateMonitor,
    /// The topics on which one publisher is expected.
    pub(super) sole: Vec<String>,
}

/// The efforts on their way from the control loop to their topics.
pub(super) struct Efforts {
    receiver: EffortsReceiver,
    /// Their topics.
    pub(super) topics: EffortTopics,
    /// The time between two efforts.
    pub(super) period: Duration,
}

/// The topics of efforts behind their gate.
pub(super) type EffortTopics = GatedEfforts<EffortPublisher>;

/// Publishes efforts.
#[derive(Clone)]
pub(super) struct EffortPublisher(Kind);

#[derive(Clone)]
enum Kind {
    Joints { topic: Topic<JointState>, names: Vec<String> },
    Motors { topics: [Topic<Int16>; 2], motors: BaseMotors },
}

impl Remote {
    /// Opens the topics of the robot.
    /// # Errors
    /// The middleware refuses one, or the robot has other actuators than its hardware.
    pub(super) fn new(
        node: &mut r2r::Node,
        inputs: &mut Inputs<Mechanism>,
        robot: &Robot,
        params: &RemoteParams,
    ) -> Result<Self, Error> {
        let names: Vec<String> = robot.actuators().iter().map(|actuator| actuator.name.clone()).collect();
        let mut sole = vec![params.states.clone()];
        let kind = match &params.commands {
            RemoteCommands::Joints(topic) => {
                sole.push(topic.clone());
                Kind::Joints { topic: Topic::new(node, topic, qos::command())?, names: names.clone() }
            }
            &RemoteCommands::Motors { full_effort } => {
                let motors =
                    BaseMotors::new(robot, full_effort).map_err(|error| Error::Start(error.to_string()))?;
                sole.extend(MOTORS.map(str::to_owned));
                let mut topic = |name| Topic::new(node, name, qos::command());
                Kind::Motors { topics: [topic(MOTORS[0])?, topic(MOTORS[1])?], motors }
            }
        };
        let topics = GatedEfforts::new(EffortPublisher(kind));
        let (halted, last) = (topics.clone(), topics.clone());
        panics::at_once(move || halted.halt());
        panics::final_messages(move || last.publish_last());
        inputs.subscribe::<JointState>(node, &params.states, qos::sensor(), |message| {
            Some(Input::StatesReceived(messages::states(message)))
        })?;
        let (hardware, states, receiver) = remote(robot, params.timeout, params.rate);
        let period = Duration::from_secs_f64(1.0 / params.rate);
        let monitor = StateMonitor::new(&params.states, names, params.timeout).within(robot.speed_bounds());
        let monitor = monitor.placed_by(Arc::new(robot.clone()));
        Ok(Self { hardware, states, efforts: Efforts { receiver, topics, period }, monitor, sole })
    }
}

impl Efforts {
    /// Publishes the newest efforts, if there are new ones, and the zero of a halt.
    pub(super) fn publish(&mut self) {
        if let Some(efforts) = self.receiver.take() {
            self.topics.publish(clock::now, efforts.at, &efforts.efforts);
            self.receiver.recycle(efforts);
        }
        self.topics.publish_zero(clock::now());
    }
}

impl EffortSink for EffortPublisher {
    fn send(&self, efforts: &[f64], at: Instant) {
        self.publish(efforts, clock::stamp().before(clock::now().since(at)));
    }

    fn send_zero(&self) {
        let count = match &self.0 {
            Kind::Joints { names, .. } => names.len(),
            Kind::Motors { .. } => MOTORS.len(),
        };
        self.publish(&vec![0.0; count], clock::stamp());
    }
}

impl EffortPublisher {
    fn publish(&self, efforts: &[f64], stamp: Stamp) {
        match &self.0 {
            Kind::Joints { topic, names } => {
                let mut message =
                    JointState { name: names.clone(), effort: efforts.to_vec(), ..Default::default() };
                message.header.stamp = to_wire(stamp);
                topic.publish(&message);
            }
            Kind::Motors { topics: [port, starboard], motors } => {
                let values = Motors::from_shares(motors.shares(efforts), stamp);
                port.publish(&Int16 { data: values.port });
                starboard.publish(&Int16 { data: values.starboard });
            }
        }
    }
}
