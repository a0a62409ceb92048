use core::fmt;

use safety::VehicleHalt;

use crate::node::DEVICE_TIMEOUT;

/// State of the hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// There is no reading yet.
    Starting,
    /// It follows commands.
    Following,
    /// It follows commands, and grasps move the fingers.
    Grasping,
    /// It holds its position with reduced gains, since there is no command.
    Holding,
    /// The device did not answer in its last tick; why, if that is known. It holds when it answers.
    Waiting(Option<String>),
    /// It holds its position with reduced gains, since its vehicle forbids to move.
    Halted(VehicleHalt),
    /// It holds its position with reduced gains, since the node's life cycle is in another state than active.
    Inactive,
    /// The robot is commanded, but no node subscribes to its commands.
    NoSubscriber,
    /// The device failed, with its text.
    Failed(String),
    /// The device does not answer; why, if that is known.
    NotAnswering(Option<String>),
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Starting => f.write_str("STARTING"),
            Self::Following => f.write_str("FOLLOWING"),
            Self::Grasping => f.write_str("GRASPING"),
            Self::Holding => {
                f.write_str("HOLDING: without a command the hand holds its position with reduced gains")
            }
            Self::Waiting(why) => {
                f.write_str("WAITING: the device did not answer in its last tick, so it takes no command")?;
                why.as_ref().map_or(Ok(()), |why| write!(f, "; {why}"))
            }
            Self::Halted(halt) => write!(f, "HALTED: {halt}{}", halt.clause()),
            Self::Inactive => f.write_str("INACTIVE: the node is not active"),
            Self::NoSubscriber => f.write_str("NO_SUBSCRIBER: no node subscribes to the robot's commands"),
            Self::Failed(what) => write!(f, "FAILED: {what}"),
            Self::NotAnswering(why) => {
                let millis = DEVICE_TIMEOUT.as_millis();
                write!(f, "NOT_ANSWERING: the device has given no reading for {millis} ms")?;
                why.as_ref().map_or(Ok(()), |why| write!(f, "; {why}"))
            }
        }
    }
}
