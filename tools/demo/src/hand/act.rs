use core::fmt;

use crate::hand::calls::Call;
use crate::words::words;

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
        /// Expected readings of the contact sensors.
        feels: Feels,
    },
    /// Goes on with a grasp and watches these contact sensors.
    Hold(&'static [&'static str]),
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

/// Expected readings of the contact sensors at the end of a motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feels {
    /// At least these contact sensors feel something that they did not feel before.
    Contact(&'static [&'static str]),
    /// None feels anything, and the fingers are where they shall be.
    Nothing,
    /// Whatever there is.
    Anything,
}

impl Act {
    /// The calls that it needs.
    pub fn calls(&self) -> Vec<Call> {
        match self {
            // The cap on the speed comes first, so that no finger moves without it.
            Self::Grasp { name, level, .. } => vec![Call::Cap, Call::Grasp(name.clone(), *level)],
            Self::WrongCommand => vec![Call::WrongCommand],
            Self::Ball(is_there) => vec![Call::Ball(*is_there)],
            Self::Reset => vec![Call::Reset],
            Self::Rest | Self::Hold(_) | Self::Pull | Self::Plug => vec![],
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rest => f.write_str("watch the hand at rest"),
            Self::Grasp { name, level, .. } if *level == 0.0 => write!(f, "open the grasp {name}"),
            Self::Grasp { name, level, .. } => write!(f, "grasp {name}, closed to {level:.1}"),
            Self::Hold(_) => f.write_str("go on with the grasp"),
            Self::WrongCommand => f.write_str("command positions of all motors, one of which is NaN"),
            Self::Pull => f.write_str("pull the commander's cable"),
            Self::Plug => f.write_str("plug the commander's cable in again"),
            Self::Ball(true) => f.write_str("put the ball before the hand"),
            Self::Ball(false) => f.write_str("take the ball away"),
            Self::Reset => f.write_str("reset the hand"),
        }
    }
}

impl fmt::Display for Feels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Contact(names) => write!(f, "forces rise at {}", words(names)),
            Self::Nothing => f.write_str("the fingers get there, and all contact forces are 0"),
            Self::Anything => f.write_str("the fingers come to rest"),
        }
    }
}
