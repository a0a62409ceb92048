use crate::{Lack, Process, Says, Second, Topic};

/// What is said to the vehicle, or done to it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the sentences name the fields
pub enum Message {
    /// A command of navigation ahead, as a part of full speed, whose stamp lies so many milliseconds behind the clock; `None`: the
    /// stamp of the command before.
    Command { forward: f64, behind: Option<i32> },
    /// The same on the joystick's reference.
    Reference { forward: f64, behind: Option<i32> },
    /// A command of the source `dock`, which has no stamps.
    Dock { forward: f64 },
    /// How the stick is held; `None`: pulled out.
    Stick(Option<Hand>),
    /// Of the lock `door`: whether it is closed.
    Lock(bool),
    /// The factors of all zones ahead, and of all others.
    Scaling { ahead: f32, others: f32 },
    /// The profile that the chair is in.
    Profile(i32),
    /// `hind/enable`.
    Enable(bool),
    /// `hind/estop`: whether it is pressed.
    Estop(bool),
    /// `hind/reset`: whether it is down.
    Reset(bool),
    /// One of the two sensors in front; `repeated`: with the stamp of its message before.
    Infrared { starboard: bool, reading: Reading, repeated: bool },
    /// A topic has these publishers.
    Publishers { topic: Topic, publishers: Publishers },
    /// The second publisher of a topic says this.
    Second { topic: Topic, second: Second, says: Says },
    /// The motor controller works, or what is wrong with it.
    Device(Option<Lack>),
    /// A process is held, or goes on.
    Held { process: Process, on: bool },
}

/// How the stick is held.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// How far ahead, as a part of the way.
    pub forward: f64,
    /// Whether the dead-man button is down.
    pub button: bool,
}

/// Who publishes a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publishers {
    /// Its publisher is gone.
    Nobody,
    /// The one that it is to have.
    One,
    /// That one, and a second one like this.
    Two(Second),
}

/// What a sensor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Reading {
    Clear,
    Blocked,
    Invalid,
}

/// The profile for which the chair is calibrated, and one for which it is not.
pub(crate) const CALIBRATED: i32 = 1;
pub(crate) const UNKNOWN: i32 = 3;

impl Message {
    /// What is received of it, if it is not lost on the way: of a second publisher what the only one might say.
    pub fn received(self) -> Option<Self> {
        match self {
            Self::Second { topic, second, says } if second.fits() => Self::of(topic, says),
            Self::Second { .. } => None,
            message => Some(message),
        }
    }

    /// How many of its kind wait for a process that is held, the newest ones.
    /// # Source
    /// The depths with which the nodes listen: `qos.rs` of the crate `ros`. The graph and the motor controller have no queue.
    pub(crate) const fn depth(self) -> usize {
        match self {
            Self::Command { .. } | Self::Reference { .. } | Self::Dock { .. } => 100,
            Self::Stick(_) | Self::Lock(_) | Self::Enable(_) | Self::Estop(_) | Self::Reset(_) => 1000,
            Self::Infrared { .. } => 1000,
            Self::Scaling { .. } => 10,
            Self::Profile(_) => 1,
            Self::Publishers { .. } | Self::Second { .. } | Self::Device(_) | Self::Held { .. } => usize::MAX,
        }
    }

    /// What somebody says on `topic`; `None` of what nobody listens to.
    pub fn of(topic: Topic, says: Says) -> Option<Self> {
        let goes = says != Says::Stop;
        let forward = if goes { 1.0 } else { 0.0 };
        let behind = Some(if says == Says::Old { 60_000 } else { 0 });
        Some(match topic {
            Topic::Command | Topic::Source | Topic::Arbitrated => Self::Command { forward, behind },
            Topic::Reference => Self::Reference { forward, behind },
            Topic::Enable => Self::Enable(goes),
            Topic::Estop => Self::Estop(!goes),
            Topic::Reset => Self::Reset(goes),
            Topic::Lock => Self::Lock(!goes),
            Topic::Scaling => Self::Scaling { ahead: forward as f32, others: 1.0 },
            Topic::Profile => Self::Profile(if goes { CALIBRATED } else { UNKNOWN }),
            Topic::Stick => Self::Stick(Some(Hand { forward, button: goes })),
            Topic::Port | Topic::Starboard => return None,
        })
    }
}

impl Publishers {
    /// How many there are whose messages are received, and how many others.
    pub const fn counted(self) -> (usize, usize) {
        match self {
            Self::Nobody => (0, 0),
            Self::One => (1, 0),
            Self::Two(second) if second.fits() => (2, 0),
            Self::Two(_) => (1, 1),
        }
    }
}

impl Reading {
    /// The distance that it measures \[m\]; `None` is no measurement.
    pub const fn distance(self) -> Option<f64> {
        match self {
            Self::Clear => Some(1.0),
            Self::Blocked => Some(0.1),
            Self::Invalid => None,
        }
    }
}
