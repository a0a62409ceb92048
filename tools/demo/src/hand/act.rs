use core::fmt;

use crate::hand::calls::Call;

/// Something that the operator does, with an outcome that is expected of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// Watches the hand at rest.
    Rest,
    /// Moves the fingers by a grasp.
    Grasp {
        /// Its name.
        name: String,
        /// From 0, open, to 1, closed.
        level: f32,
    },
    /// Goes on with a grasp.
    Hold,
    /// Gives a command with a NaN among its values.
    WrongCommand,
    /// Pulls the commander's cable: nothing is commanded any more.
    Pull,
    /// Plugs it in again. The hold has ended the grasp.
    Plug,
    /// Puts the ball before the hand, or takes it away.
    Ball(bool),
    /// Brings the hand back to its start.
    Reset,
}

impl Act {
    /// Expected outcome.
    pub const fn expected(&self) -> &'static str {
        match self {
            Self::Rest => "HOLDING, no force, and the inertial units read 9.81 m/s²",
            Self::Grasp { .. } => "the fingers come to rest, with forces where they touch the ball",
            Self::Hold => "the ball is held: no force goes away",
            Self::WrongCommand => "it is refused as a whole, with the NaN as the reason",
            Self::Pull => "after the time-out without a command the hand is HOLDING",
            Self::Plug => "the hand takes commands again, and the grasp does not go on by itself",
            Self::Ball(true) => "the node puts it there",
            Self::Ball(false) => "all contact forces are 0",
            Self::Reset => "all motors are where they were at the start, and the hand is HOLDING",
        }
    }

    /// The calls that it needs.
    pub fn calls(&self) -> Vec<Call> {
        match self {
            // The cap on the speed comes first, so that no finger moves without it.
            Self::Grasp { name, level, .. } => vec![Call::Cap, Call::Grasp(name.clone(), *level)],
            Self::WrongCommand => vec![Call::WrongCommand],
            Self::Ball(is_there) => vec![Call::Ball(*is_there)],
            Self::Reset => vec![Call::Reset],
            Self::Rest | Self::Hold | Self::Pull | Self::Plug => vec![],
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rest => f.write_str("watch the hand at rest"),
            Self::Grasp { name, level, .. } if *level == 0.0 => write!(f, "open the grasp {name}"),
            Self::Grasp { name, level, .. } => write!(f, "grasp {name}, closed to {level:.1}"),
            Self::Hold => f.write_str("go on with the grasp"),
            Self::WrongCommand => f.write_str("command positions of all motors, one of which is NaN"),
            Self::Pull => f.write_str("pull the commander's cable"),
            Self::Plug => f.write_str("plug the commander's cable in again"),
            Self::Ball(true) => f.write_str("put the ball before the hand"),
            Self::Ball(false) => f.write_str("take the ball away"),
            Self::Reset => f.write_str("reset the hand"),
        }
    }
}
