use safety::{Clock, Command, PublisherCount};

use crate::laws::{GoalId, Motion};

/// A message to an input of a controller.
///
/// The loop passes it by reference, so a controller exchanges what is large with what it had before, which then goes back with
/// the message and is freed outside the loop.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// One number: an effort, a position or a velocity.
    Float(f64),
    /// The velocity of a vehicle, with the clock at its receipt.
    Velocity(Command, Clock),
    /// A motion of the controller's joints, and afterwards the one before it, if there was one.
    Trajectory(Option<Box<Motion>>),
    /// Whatever was commanded on the input ends: a number counts as not commanded, the joints of a position or a trajectory are held
    /// where they are, and a vehicle stands until a zero.
    Stop,
    /// The goal of this id ends, whether it is followed or is not begun yet, and the joints are held where they are. Nothing else ends.
    Cancel(GoalId),
    /// The publishers of the input were counted, after the messages that follow at once had arrived. Of several ones nothing counts; a
    /// controller does not receive this, but a [`Stop`](Self::Stop).
    Counted(PublisherCount),
}

impl Message {
    /// The goal that its motion is for.
    pub fn goal(&self) -> Option<GoalId> {
        let Self::Trajectory(Some(motion)) = self else { return None };
        motion.goal
    }
}

/// An input of a controller, which a topic of the same name in the controller's namespace feeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ControllerInput {
    /// Its name: `command`.
    pub name: &'static str,
    /// Kind of the messages that it takes.
    pub kind: InputKind,
}

/// Kind of the messages that an input takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// [`Message::Float`], from `std_msgs/Float64`.
    Float,
    /// [`Message::Velocity`], from `geometry_msgs/TwistStamped`.
    Velocity,
    /// [`Message::Trajectory`], from `trajectory_msgs/JointTrajectory`.
    Trajectory,
}
