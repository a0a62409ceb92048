use core::time::Duration;

use params::Choice;
use safety::NotFinite;

/// The message type of a source's topic.
///
/// The compiler leads from a new one in [`ALL`](Self::ALL) to everything that it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceType {
    /// `geometry_msgs/msg/Twist`: it has no stamp, so its age is known only from its receipt.
    Twist,
    /// `geometry_msgs/msg/TwistStamped`.
    TwistStamped,
    /// `or_pose_estimator/msg/State`, as the joystick publishes it.
    PoseState,
}

params::choices! { SourceType: Twist = "twist", TwistStamped = "twist_stamped", PoseState = "pose_state" }

impl SourceType {
    /// The names of all types in ROS.
    pub const MESSAGES: [&str; <Self as Choice>::ALL.len()] = {
        let mut messages = [""; <Self as Choice>::ALL.len()];
        let mut index = 0;
        while index < messages.len() {
            messages[index] = <Self as Choice>::ALL[index].message();
            index += 1;
        }
        messages
    };

    /// The name of the message type in ROS.
    pub const fn message(self) -> &'static str {
        match self {
            Self::Twist => "geometry_msgs/msg/Twist",
            Self::TwistStamped => "geometry_msgs/msg/TwistStamped",
            Self::PoseState => "or_pose_estimator/msg/State",
        }
    }

    /// Whether its publisher may fall silent at rest and begin again with motion, as navigation does between two goals. A stick may
    /// not: one that was pushed during a lost connection moves nothing when the connection is back, and the joystick begins with a
    /// zero.
    pub(crate) const fn is_silent_at_rest(self) -> bool {
        match self {
            Self::Twist | Self::TwistStamped => true,
            Self::PoseState => false,
        }
    }
}

/// A source of velocity commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name in the parameters.
    pub name: String,
    /// The topic of its commands.
    pub topic: String,
    /// Their message type.
    pub kind: SourceType,
    /// The highest one drives; no two sources have the same.
    pub priority: u8,
    /// A source that is silent for this time is lost, and a command whose stamp is this old is refused.
    pub timeout: Duration,
}

impl Source {
    /// A source with the default times.
    pub fn new(name: &str, topic: &str, kind: SourceType, priority: u8) -> Self {
        Self { name: name.into(), topic: topic.into(), kind, priority, timeout: Duration::from_millis(500) }
    }

    /// Whether the state of `other` applies to this one: its name, topic and kind are the same.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.topic, self.kind) == (&other.name, &other.topic, other.kind)
    }
}

/// A lock, which can forbid motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The name in the parameters.
    pub name: String,
    /// The topic of its state (`std_msgs/msg/Bool`, true is closed).
    pub topic: String,
    /// While it is closed it masks every source whose priority is strictly lower.
    ///
    /// # Source
    /// twist_mux 4.4.0: a joystick with the priority of the lock still drives.
    pub priority: u8,
    /// A lock that is silent for this time counts as closed, and so does one that was never received.
    pub timeout: Duration,
}

impl Lock {
    /// Whether the state of `other` applies to this one: its name and topic are the same.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.topic) == (&other.name, &other.topic)
    }
}

/// Why a message was not a command.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// A part of the velocity was NaN or infinite.
    #[error("{0}")]
    NotFinite(NotFinite),
    /// The velocity was given in the world's axes; the attitude for the conversion to the vehicle's axes is not known here.
    #[error("velocity is in the world frame, must be in the vehicle's (intrinsic)")]
    WorldFrame,
    /// The message held no velocity.
    #[error("message holds no velocity")]
    NoVelocity,
}
