use std::collections::VecDeque;

use mechanism::Input;
use mechanism::controllers::{ControllerId, ControllerInput, InputKind, Message, PublishPeriod};
use mechanism::follow::AheadStream;
use mechanism::laws::{FollowedJoint, NamedPoints, NamedPointsError, Point, TrajectoryError};
use mechanism_loop::Deliveries;
use r2r::geometry_msgs::msg::TwistStamped;
use r2r::std_msgs::msg::Float64;
use r2r::trajectory_msgs::msg::JointTrajectory;
use r2r::{QosProfile, WrappedTypesupport};
use ros::clock::from_wire;
use ros::{Error, Names, Received, clock, qos, ready};
use safety::{Clock, Command, Instant, MessageTime, PublisherCount};

use super::NAME;
use super::factory::Created;
use crate::messages;

/// The topics that feed the inputs of controllers: `<controller>/<input>`.
///
/// # Source
/// own: r2r 0.9 destroys a subscription only with its node, or when a message comes whose stream is gone. So the topic of a
/// controller that was unloaded stays subscribed, and the next controller of its name has it.
pub(super) struct ControllerTopics {
    topics: Vec<ControllerTopic>,
    names: Names,
}

struct ControllerTopic {
    name: String,
    messages: Messages,
    controller: ControllerId,
    /// The index of the controller's input, and the input.
    input: (usize, ControllerInput),
    joints: Vec<FollowedJoint>,
    /// The nodes that published it when they were last counted.
    commanders: Vec<String>,
    count_due: PublishPeriod,
    stream: AheadStream,
    /// When the log has again that a trajectory only stops the motion.
    stops: PublishPeriod,
}

/// How often a topic's publishers are counted at most, before its messages are passed on \[Hz\].
const COUNT_RATE: f64 = 10.0;

/// How often the log says at most that a trajectory only stops the motion \[Hz\]: a stream may do so with each message.
const STOP_RATE: f64 = 1.0;

/// The most messages of a topic that wait here; of more the oldest are dropped, since a later one counts in their place.
const MOST_WAITING: usize = 1000;

/// The messages of a topic, in order of arrival.
struct Waiting<T> {
    stream: Received<T>,
    waiting: VecDeque<T>,
}

impl<T: WrappedTypesupport + Send + 'static> Waiting<T> {
    fn subscribe(node: &mut r2r::Node, topic: &str, qos: QosProfile) -> Result<Self, Error> {
        let qos = ros::overridden(node, ros::Endpoint::Subscription, topic, qos);
        let qos = qos.map_err(|refusal| Error::Start(refusal.to_string()))?;
        let stream = node.subscribe(topic, qos).map_err(Error::ros(format!("subscribe to '{topic}'")))?;
        Ok(Self { stream: Box::pin(stream), waiting: VecDeque::new() })
    }

    /// Receives what r2r has, and returns how much that was.
    fn receive(&mut self) -> usize {
        let mut count = 0;
        for message in ready(&mut self.stream) {
            count += 1;
            if self.waiting.len() == MOST_WAITING {
                self.waiting.pop_front();
            }
            self.waiting.push_back(message);
        }
        count
    }

    fn next(&mut self) -> Option<T> {
        self.waiting.pop_front()
    }
}

enum Messages {
    Float(Waiting<Float64>),
    Velocity(Waiting<TwistStamped>),
    Trajectory(Waiting<JointTrajectory>),
}

impl Messages {
    fn subscribe(node: &mut r2r::Node, topic: &str, kind: InputKind) -> Result<Self, Error> {
        Ok(match kind {
            InputKind::Float => Self::Float(Waiting::subscribe(node, topic, qos::command())?),
            InputKind::Velocity => Self::Velocity(Waiting::subscribe(node, topic, qos::commands())?),
            InputKind::Trajectory => Self::Trajectory(Waiting::subscribe(node, topic, qos::command())?),
        })
    }

    fn receive(&mut self) -> usize {
        match self {
            Self::Float(received) => received.receive(),
            Self::Velocity(received) => received.receive(),
            Self::Trajectory(received) => received.receive(),
        }
    }

    fn are_waiting(&self) -> bool {
        match self {
            Self::Float(received) => !received.waiting.is_empty(),
            Self::Velocity(received) => !received.waiting.is_empty(),
            Self::Trajectory(received) => !received.waiting.is_empty(),
        }
    }

    fn kind(&self) -> InputKind {
        match self {
            Self::Float(_) => InputKind::Float,
            Self::Velocity(_) => InputKind::Velocity,
            Self::Trajectory(_) => InputKind::Trajectory,
        }
    }
}

impl ControllerTopics {
    pub(super) fn new(names: Names) -> Self {
        Self { topics: Vec::new(), names }
    }

    /// Subscribes to the inputs of the controller `name`.
    /// # Errors
    /// The middleware refuses a topic, or it has another type since an earlier controller of this name.
    pub(super) fn attach(
        &mut self,
        node: &mut r2r::Node,
        name: &str,
        created: &Created,
    ) -> Result<(), Error> {
        for (number, input) in created.inputs.iter().enumerate() {
            let topic = format!("{name}/{}", input.name);
            let known = self.topics.iter_mut().find(|known| known.name == topic);
            match known {
                Some(known) if known.messages.kind() == input.kind => {
                    (known.controller, known.input) = (created.controller.id, (number, *input));
                    (known.commanders, known.count_due) = (Vec::new(), count_due());
                    known.joints.clone_from(&created.joints);
                }
                Some(_) => {
                    let text = format!("topic '{topic}' keeps its type until this node ends");
                    return Err(Error::Start(text));
                }
                None => {
                    let messages = Messages::subscribe(node, &topic, input.kind)?;
                    self.topics.push(ControllerTopic {
                        name: topic,
                        messages,
                        controller: created.controller.id,
                        input: (number, *input),
                        joints: created.joints.clone(),
                        commanders: Vec::new(),
                        count_due: count_due(),
                        stream: AheadStream::default(),
                        stops: PublishPeriod::new(STOP_RATE, Instant::ZERO),
                    });
                }
            }
        }
        Ok(())
    }

    /// Receives what r2r has, and returns how much that was.
    pub(super) fn receive(&mut self) -> usize {
        self.topics.iter_mut().map(|topic| topic.messages.receive()).sum()
    }

    /// Passes all received messages on, after a count of their publishers, and announces each change of several ones. `clock` knows
    /// whether the messages may have waited, and `place` where joints are.
    pub(super) fn pass_on(
        &mut self,
        node: &r2r::Node,
        deliveries: &mut Deliveries,
        clock: &Clock,
        mut place: impl FnMut(&mut [FollowedJoint]),
        mut count: impl FnMut(Input),
    ) {
        let time = MessageTime::read_now(clock);
        for topic in &mut self.topics {
            let (index, input) = topic.input;
            let (publishers, news) = topic.count(node, &self.names);
            if let Some(publishers) = publishers {
                deliveries.send(topic.controller, index, Message::Counted(publishers), time);
            }
            news.into_iter().for_each(&mut count);
            while let Some(message) = topic.next(clock, &mut place) {
                if !deliveries.send(topic.controller, index, message, time) {
                    let effect = if input.kind == InputKind::Trajectory {
                        ""
                    } else {
                        ", and the motion that it commands is stopped"
                    };
                    log::warn!(
                        target: NAME,
                        "a message on '{}' is lost{effect}: too many wait for the control loop",
                        topic.name
                    );
                }
            }
        }
    }
}

/// The first count is due at once.
fn count_due() -> PublishPeriod {
    PublishPeriod::new(COUNT_RATE, Instant::ZERO)
}

impl ControllerTopic {
    /// Counts the publishers while messages come or there were several, if that is due. Returns the count, each time, since a loop
    /// that does not have the controller yet ignores it, and what is new of several ones.
    fn count(&mut self, node: &r2r::Node, names: &Names) -> (Option<PublisherCount>, Option<Input>) {
        let now = clock::now();
        let is_of_use = self.commanders.len() > 1 || self.messages.are_waiting();
        if !is_of_use || !self.count_due.is_due(now) {
            return (None, None);
        }
        let found = ros::publishers(node, &names.resolve(&self.name));
        let count = found.as_ref().map_or(PublisherCount::Unknown, |found| PublisherCount::of(found.len()));
        let nodes: Vec<String> = match found {
            Some(found) => found.into_iter().map(|publisher| publisher.full_name).collect(),
            // That they cannot be counted does not prove that there is one.
            None => vec!["nodes that cannot be counted".into(); 2],
        };
        let before = std::mem::replace(&mut self.commanders, nodes.clone());
        let is_new = (before.len() > 1 || nodes.len() > 1) && before != nodes;
        let news = is_new.then(|| Input::CommandersCounted {
            controller: self.controller,
            input: self.input.1,
            nodes,
        });
        (Some(count), news)
    }

    /// The next message that is one.
    fn next(&mut self, clock: &Clock, place: &mut impl FnMut(&mut [FollowedJoint])) -> Option<Message> {
        loop {
            let message = match &mut self.messages {
                Messages::Float(received) => {
                    let Float64 { data } = received.next()?;
                    if data.is_finite() {
                        Ok(Message::Float(data))
                    } else {
                        Err(format!("{data} is not finite"))
                    }
                }
                Messages::Velocity(received) => {
                    let message = received.next()?;
                    messages::command(&message)
                        .map(|command| velocity(command, *clock))
                        .map_err(|error| error.to_string())
                }
                Messages::Trajectory(received) => {
                    let message = received.next()?;
                    place(&mut self.joints);
                    trajectory(&self.joints, message, &mut self.stream, &mut self.stops)
                }
            };
            match message {
                Ok(message) => return Some(message),
                Err(reason) => log::warn!(target: NAME, "a message on '{}' is ignored: {reason}", self.name),
            }
        }
    }
}

/// A velocity that is received now.
fn velocity(command: Command, mut read: Clock) -> Message {
    read.read(clock::now(), clock::reading());
    Message::Velocity(command, read)
}

/// A trajectory, or a stop if it has no points, as for the PR2's controller and that of ROS 1.
fn trajectory(
    joints: &[FollowedJoint],
    message: JointTrajectory,
    stream: &mut AheadStream,
    stops: &mut PublishPeriod,
) -> Result<Message, String> {
    if message.points.is_empty() {
        return Ok(Message::Stop);
    }
    let points = named_points(message).map_err(|error| error.to_string())?;
    let (now, made) = (clock::now(), points.for_joints(joints, clock::reading()));
    match made.and_then(|trajectory| stream.check(trajectory, now)) {
        Ok(trajectory) => Ok(Message::Trajectory(Some(Box::new(trajectory.into())))),
        // What it was to replace does not go on.
        Err(
            error @ (NamedPointsError::Late { .. }
            | NamedPointsError::Ahead { .. }
            | NamedPointsError::NoTime),
        ) => {
            if stops.is_due(now) {
                log::warn!(target: NAME, "a trajectory stops the motion and moves nothing: {error}");
            }
            Ok(Message::Stop)
        }
        Err(error) => Err(error.to_string()),
    }
}

pub(super) fn named_points(message: JointTrajectory) -> Result<NamedPoints, TrajectoryError> {
    let point = |point: r2r::trajectory_msgs::msg::JointTrajectoryPoint| {
        let time = Point::time(point.time_from_start.sec, point.time_from_start.nanosec)?;
        let (positions, velocities, accelerations) = (point.positions, point.velocities, point.accelerations);
        Ok(Point { time, positions, velocities, accelerations, efforts: point.effort })
    };
    let points = message.points.into_iter().map(point).collect::<Result<Vec<_>, _>>()?;
    Ok(NamedPoints { joints: message.joint_names, points, start: from_wire(&message.header.stamp) })
}
