use std::pin::Pin;

use control::Deliveries;
use futures::{FutureExt, Stream, StreamExt};
use mechanism::controllers::{ControllerId, InputKind, Message};
use mechanism::laws::{FollowedJoint, NamedPoints, Point, TrajectoryError};
use r2r::geometry_msgs::msg::TwistStamped;
use r2r::std_msgs::msg::Float64;
use r2r::trajectory_msgs::msg::JointTrajectory;
use ros::clock::from_wire;
use ros::{Error, clock, qos};
use units::{Clock, Command, MessageTime};

use super::NAME;
use super::factory::Created;
use crate::messages;

/// The topics that feed the inputs of controllers: `<controller>/<input>`.
///
/// # Source
/// own: r2r 0.9 destroys a subscription only with its node, or when a message comes whose stream is gone. So the topic of a
/// controller that was unloaded stays subscribed, and the next controller of its name has it.
pub(super) struct ControllerTopics(Vec<ControllerTopic>);

struct ControllerTopic {
    name: String,
    messages: Messages,
    controller: ControllerId,
    input: usize,
    joints: Vec<FollowedJoint>,
}

enum Messages {
    Float(Pin<Box<dyn Stream<Item = Float64> + Send>>),
    Velocity(Pin<Box<dyn Stream<Item = TwistStamped> + Send>>),
    Trajectory(Pin<Box<dyn Stream<Item = JointTrajectory> + Send>>),
}

impl Messages {
    fn subscribe(node: &mut r2r::Node, topic: &str, kind: InputKind) -> r2r::Result<Self> {
        Ok(match kind {
            InputKind::Float => Self::Float(Box::pin(node.subscribe(topic, qos::command())?)),
            InputKind::Velocity => Self::Velocity(Box::pin(node.subscribe(topic, qos::commands())?)),
            InputKind::Trajectory => Self::Trajectory(Box::pin(node.subscribe(topic, qos::command())?)),
        })
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
    pub(super) fn new() -> Self {
        Self(Vec::new())
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
            let known = self.0.iter_mut().find(|known| known.name == topic);
            match known {
                Some(known) if known.messages.kind() == input.kind => {
                    (known.controller, known.input) = (created.controller.id, number);
                    known.joints.clone_from(&created.joints);
                }
                Some(_) => {
                    let text = format!("topic '{topic}' keeps its type until this node ends");
                    return Err(Error::Start(text));
                }
                None => {
                    let what = Error::ros(format!("subscribe to '{topic}'"));
                    let messages = Messages::subscribe(node, &topic, input.kind).map_err(what)?;
                    self.0.push(ControllerTopic {
                        name: topic,
                        messages,
                        controller: created.controller.id,
                        input: number,
                        joints: created.joints.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Passes all received messages on, and announces each trajectory that was. `clock` knows whether they may have waited.
    pub(super) fn pass_on(
        &mut self,
        deliveries: &mut Deliveries,
        clock: &Clock,
        mut announce: impl FnMut(ControllerId),
    ) {
        for topic in &mut self.0 {
            while let Some(message) = topic.next(clock) {
                let is_trajectory = topic.messages.kind() == InputKind::Trajectory;
                if !deliveries.send(topic.controller, topic.input, message, MessageTime::read_now(clock)) {
                    log::warn!(target: NAME, "a message on '{}' is lost: too many wait for the control loop", topic.name);
                } else if is_trajectory {
                    announce(topic.controller);
                }
            }
        }
    }
}

impl ControllerTopic {
    /// The next message that is one.
    fn next(&mut self, clock: &Clock) -> Option<Message> {
        loop {
            let message = match &mut self.messages {
                Messages::Float(stream) => {
                    let Float64 { data } = stream.next().now_or_never()??;
                    if data.is_finite() {
                        Ok(Message::Float(data))
                    } else {
                        Err(format!("{data} is not finite"))
                    }
                }
                Messages::Velocity(stream) => {
                    let message = stream.next().now_or_never()??;
                    messages::command(&message)
                        .map(|command| velocity(command, *clock))
                        .map_err(|error| error.to_string())
                }
                Messages::Trajectory(stream) => {
                    let message = stream.next().now_or_never()??;
                    trajectory(&self.joints, message)
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
    read.read(clock::now(), clock::stamp());
    Message::Velocity(command, read)
}

/// A trajectory, or a stop if it has no points, as for the PR2's controller and that of ROS 1.
fn trajectory(joints: &[FollowedJoint], message: JointTrajectory) -> Result<Message, String> {
    if message.points.is_empty() {
        return Ok(Message::Stop);
    }
    let points = named_points(message).map_err(|error| error.to_string())?;
    let trajectory = points.for_joints(joints, clock::stamp()).map_err(|error| error.to_string())?;
    Ok(Message::Trajectory(Some(Box::new(trajectory.into()))))
}

pub(super) fn named_points(message: JointTrajectory) -> Result<NamedPoints, TrajectoryError> {
    let point = |point: r2r::trajectory_msgs::msg::JointTrajectoryPoint| {
        let time = Point::time(point.time_from_start.sec, point.time_from_start.nanosec)?;
        let (positions, velocities, accelerations) = (point.positions, point.velocities, point.accelerations);
        Ok(Point { time, positions, velocities, accelerations })
    };
    let points = message.points.into_iter().map(point).collect::<Result<Vec<_>, _>>()?;
    Ok(NamedPoints { joints: message.joint_names, points, start: from_wire(&message.header.stamp) })
}
