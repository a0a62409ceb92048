use crate::{Process, Second, Topic};

/// What is said to the vehicle.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the sentences name the fields
pub enum Message {
    /// A command of navigation ahead, as a part of full speed, whose stamp lies so many milliseconds behind the clock; `None`: the
    /// stamp of the command before.
    Command { forward: f64, behind: Option<i32> },
    /// A command of the source `dock`, which has no stamps.
    Dock { forward: f64 },
    /// How the virtual stick is held; `None`: pulled out.
    Stick(Option<Hand>),
    /// Of the lock `door`: whether it is closed.
    Lock(bool),
    /// The factors of all zones ahead, and of all others.
    Scaling { ahead: f32, others: f32 },
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
    /// The motor controller works or is lost.
    Device(bool),
    /// Parameters of a node are set, as text in YAML; without one the entry is deleted. They may be refused.
    Parameters { node: Process, set: &'static [(&'static str, &'static str)] },
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

/// What a sensor says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Reading {
    Clear,
    Blocked,
    Invalid,
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

/// A machine with motors, as a world of [`Message`]s sees it.
pub trait Vehicle {
    /// The message comes now; one that a machine has no input for means nothing to it.
    fn receive(&mut self, message: Message);
    /// Lets time pass, and whatever is due happen.
    fn pass(&mut self, millis: u32);
    /// Lets time pass while the process is held: nothing happens.
    fn hold(&mut self, millis: u32);
    /// The levels that the motors were told last.
    fn levels(&self) -> [i16; 2];
}
