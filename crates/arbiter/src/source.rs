use core::fmt;
use core::time::Duration;

use units::NotFinite;

/// The message type of a source's topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `geometry_msgs/msg/Twist`: no stamp, so that only the time of receipt tells its age.
    Twist,
    /// `geometry_msgs/msg/TwistStamped`.
    TwistStamped,
    /// `or_pose_estimator/msg/State`, as the joystick publishes it.
    PoseState,
}

impl Kind {
    /// The kind that a parameter calls `name`.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "twist" => Some(Self::Twist),
            "twist_stamped" => Some(Self::TwistStamped),
            "pose_state" => Some(Self::PoseState),
            _ => None,
        }
    }

    /// Whether its publisher may fall silent at rest and begin again with motion, as navigation does between two goals. A stick does
    /// not: one that is pushed behind a link that is cut moves nothing when the link is back, and the joystick begins with a zero.
    pub(crate) const fn is_silent_at_rest(self) -> bool {
        !matches!(self, Self::PoseState)
    }
}

/// One that asks for motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The name that the user gave it.
    pub name: String,
    /// Where its commands come from.
    pub topic: String,
    /// How they come.
    pub kind: Kind,
    /// The highest one wins; no two sources have the same.
    pub priority: u8,
    /// A source that was silent for so long is lost, and a command whose stamp is so old is refused.
    pub timeout: Duration,
}

impl Source {
    /// A source with the default times.
    pub fn new(name: &str, topic: &str, kind: Kind, priority: u8) -> Self {
        Self { name: name.into(), topic: topic.into(), kind, priority, timeout: Duration::from_millis(500) }
    }

    /// Whether what is known of `other` holds for this one: its name, topic and kind are the same.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.topic, self.kind) == (&other.name, &other.topic, other.kind)
    }
}

/// One that can forbid motion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lock {
    /// The name that the user gave it.
    pub name: String,
    /// Where its state comes from (`std_msgs/msg/Bool`, true is closed).
    pub topic: String,
    /// While it is closed it masks every source whose priority is strictly lower.
    ///
    /// # Source
    /// twist_mux 4.4.0: a joystick with the priority of the lock still drives.
    pub priority: u8,
    /// A lock that was silent for so long counts as closed; one that never said anything as well.
    pub timeout: Duration,
}

impl Lock {
    /// Whether what is known of `other` holds for this one: its name and topic are the same.
    pub fn is_same(&self, other: &Self) -> bool {
        (&self.name, &self.topic) == (&other.name, &other.topic)
    }
}

/// Why a message was not a command.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Invalid {
    /// A part of the velocity was NaN or infinite.
    NotFinite(NotFinite),
    /// The velocity was given in the world's axes; nobody here knows the attitude to turn it into the vehicle's.
    WorldFrame,
    /// The message held no velocity.
    NoVelocity,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite(part) => part.fmt(f),
            Self::WorldFrame => {
                f.write_str("velocity is in the world frame, must be in the vehicle's (intrinsic)")
            }
            Self::NoVelocity => f.write_str("message holds no velocity"),
        }
    }
}

impl core::error::Error for Invalid {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_names() {
        assert_eq!(Kind::named("twist"), Some(Kind::Twist));
        assert_eq!(Kind::named("twist_stamped"), Some(Kind::TwistStamped));
        assert_eq!(Kind::named("pose_state"), Some(Kind::PoseState));
        assert_eq!(Kind::named("auto"), None);
        assert_eq!(Kind::named("Twist"), None);
    }
}
