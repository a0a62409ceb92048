use crate::{DeviceFault, Payload, Process, Second, Topic};

/// A message to the vehicle, or an action on it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the sentences name the fields
pub enum Message {
    /// A command of navigation ahead, as a part of full speed, whose stamp lies `behind` milliseconds behind the clock; `None`:
    /// the stamp of the previous command.
    Command { forward: f64, behind: Option<i32> },
    /// As `Command`, on the joystick's reference.
    Reference { forward: f64, behind: Option<i32> },
    /// A command of the source `dock`, which has no stamps.
    Dock { forward: f64 },
    /// The position of the stick; `None`: unplugged.
    Stick(Option<Hand>),
    /// The lock `door`: whether it is closed.
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
    /// A message of the second publisher of a topic.
    Second { topic: Topic, second: Second, says: Payload },
    /// The motor controller works, or what is wrong with it.
    Device(Option<DeviceFault>),
    /// A process is held or continues.
    Held { process: Process, on: bool },
    /// A node's life cycle becomes active, or leaves that state.
    Active { process: Process, on: bool },
}

/// The position of the stick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hand {
    /// The deflection ahead, as a part of the full travel.
    pub forward: f64,
    /// Whether the dead-man button is down.
    pub button: bool,
}

/// The publishers of a topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Publishers {
    /// Its publisher is gone.
    Nobody,
    /// The expected one.
    One,
    /// The expected one, and a second one of this kind.
    Two(Second),
}

/// The reading of a sensor.
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
    /// The message as it is received, if it is not lost on the way: for a second publisher, the message that the expected one
    /// might send.
    pub fn received(self) -> Option<Self> {
        match self {
            Self::Second { topic, second, says } if second.fits() => Self::of(topic, says),
            Self::Second { .. } => None,
            message => Some(message),
        }
    }

    /// How many messages of its kind wait for a held process; the newest are kept.
    /// # Source
    /// The depths of the nodes' subscriptions: `qos.rs` of the crate `ros`. The graph and the motor controller have no queue.
    pub(crate) const fn depth(self) -> usize {
        match self {
            Self::Command { .. } | Self::Reference { .. } | Self::Dock { .. } => 100,
            Self::Stick(_) | Self::Lock(_) | Self::Enable(_) | Self::Estop(_) | Self::Reset(_) => 1000,
            Self::Infrared { .. } => 1000,
            Self::Scaling { .. } => 10,
            Self::Profile(_) => 1,
            Self::Publishers { .. } | Self::Second { .. } | Self::Device(_) => usize::MAX,
            Self::Held { .. } | Self::Active { .. } => usize::MAX,
        }
    }

    /// A message with this payload on `topic`; `None` for a topic without a subscriber.
    pub fn of(topic: Topic, says: Payload) -> Option<Self> {
        let goes = says != Payload::Stop;
        let forward = if goes { 1.0 } else { 0.0 };
        let behind = Some(if says == Payload::Old { 60_000 } else { 0 });
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
    /// The number of publishers whose messages are received, and of the others.
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
