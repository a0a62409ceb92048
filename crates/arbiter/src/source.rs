use core::fmt;
use core::time::Duration;

use units::{NotFinite, Velocity};

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

/// The command in a state as the joystick publishes it.
///
/// * `intrinsic`: whether the velocities are in the vehicle's axes
/// * `linear` [m/s], `angular` [rad/s]: absent where the state does not hold them; one alone asks for no motion of the
///   other kind
/// # Errors
/// [`Invalid::NoVelocity`] if both are absent, [`Invalid::WorldFrame`] if they are in the world's axes,
/// [`Invalid::NotFinite`] for NaN and the infinities.
/// # Source
/// openrobots `joystick` component: readers must honour the flag. Refusing the world's axes is own.
pub fn velocity_of(
    intrinsic: bool,
    linear: Option<[f64; 3]>,
    angular: Option<[f64; 3]>,
) -> Result<Velocity, Invalid> {
    if linear.is_none() && angular.is_none() {
        return Err(Invalid::NoVelocity);
    }
    if !intrinsic {
        return Err(Invalid::WorldFrame);
    }
    Velocity::new(linear.unwrap_or_default(), angular.unwrap_or_default()).map_err(Invalid::NotFinite)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_a_command_only_in_the_axes_of_the_vehicle() {
        let (v, w) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        assert_eq!(velocity_of(true, Some(v), Some(w)), Ok(Velocity::new(v, w).unwrap()));
        assert_eq!(velocity_of(true, Some(v), None), Ok(Velocity::new(v, [0.0; 3]).unwrap()));
        assert_eq!(velocity_of(true, None, Some(w)), Ok(Velocity::new([0.0; 3], w).unwrap()));
        assert_eq!(velocity_of(false, Some(v), Some(w)), Err(Invalid::WorldFrame));
        assert_eq!(velocity_of(false, None, None), Err(Invalid::NoVelocity));
        let error = velocity_of(true, Some([0.0, f64::NAN, 0.0]), None).unwrap_err();
        assert_eq!(error.to_string(), "linear.y is NaN, must be finite");
    }

    #[test]
    fn kinds_have_names() {
        assert_eq!(Kind::named("twist"), Some(Kind::Twist));
        assert_eq!(Kind::named("twist_stamped"), Some(Kind::TwistStamped));
        assert_eq!(Kind::named("pose_state"), Some(Kind::PoseState));
        assert_eq!(Kind::named("auto"), None);
        assert_eq!(Kind::named("Twist"), None);
    }
}
