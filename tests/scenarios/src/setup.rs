use core::fmt;

use clap::ValueEnum;

/// The parts of the chain between a person and the motors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Setup {
    /// hindbrain alone: the driver publishes `cmd_vel`.
    Hindbrain,
    /// Joystick, arbiter, zones and hindbrain in one process.
    Together,
    /// Joystick, arbiter, zones and hindbrain, each in a process of its own.
    Apart,
}

/// The source of motion when a fault begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The publisher of `cmd_vel`, or the arbiter's source `navigation`.
    Navigation,
    /// A hand on the virtual stick, while navigation commands no motion.
    Stick,
    /// The publisher of the joystick's reference, which passes while the stick is at rest.
    Reference,
}

/// A process that can be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// The process of hindbrain; in [`Setup::Together`] of everything.
    Hindbrain,
    /// The process of the joystick.
    Joystick,
    /// The process of the arbiter.
    Arbiter,
    /// The process of the zones.
    Zones,
}

/// A topic that must have one publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// `cmd_vel`
    Command,
    /// `hind/enable`
    Enable,
    /// `hind/estop`
    Estop,
    /// `hind/reset`
    Reset,
    /// `motor/port`
    Port,
    /// `motor/starboard`
    Starboard,
    /// The topic of the arbiter's source `navigation`.
    Source,
    /// The topic of the arbiter's lock `door`.
    Lock,
    /// `cmd_vel_arbitrated`, between two processes.
    Arbitrated,
    /// `luci/scaling`
    Scaling,
    /// `luci/chair_profile`
    Profile,
    /// `joystick/reference`
    Reference,
    /// `joystick/virtual_device`
    Stick,
}

/// The kind of a second publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// Like the first one, from a node of another name.
    Alike,
    /// Like the first one, from a node of the same name.
    SameName,
    /// Best effort.
    BestEffort,
    /// Of another type.
    OtherType,
}

impl Second {
    /// Whether its messages are received.
    pub const fn fits(self) -> bool {
        matches!(self, Self::Alike | Self::SameName)
    }
}

/// A fault of a motor controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceFault {
    /// It is unplugged.
    Plug,
    /// It does not answer.
    Answers,
    /// Its answers are invalid.
    Sense,
    /// It reports an error of its own.
    Health,
}

/// The messages of a second publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Nothing.
    Nothing,
    /// A value that would let the vehicle drive.
    Motion,
    /// A value that would stop it.
    Stop,
    /// Both in turn.
    Both,
    /// A value that would let it drive, stamped a minute ago if it has a stamp.
    Old,
}

/// A source of higher priority than navigation's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrioritySource {
    /// The arbiter's source `dock`, of commands without a stamp.
    Dock,
    /// The stick.
    Stick,
    /// The stick, with which a person holds the vehicle still.
    StickAtRest,
}

/// How a source that drives ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a zero as the last message, or the button released.
    LetsGo,
    /// In silence, while commanding motion or holding still.
    Silent,
    /// Unplugged, which only a stick can be.
    Unplugged,
}

/// An invalid factor of a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonsense {
    /// Not a number.
    NaN,
    /// Infinite.
    Infinite,
    /// Below 0.
    Negative,
    /// Beyond 1.
    Above,
}

impl Nonsense {
    /// The factor.
    pub const fn factor(self) -> f32 {
        match self {
            Self::NaN => f32::NAN,
            Self::Infinite => f32::INFINITY,
            Self::Negative => -0.5,
            Self::Above => 1.5,
        }
    }
}

/// Implements `Display` with a word for each variant.
macro_rules! shown {
    ($kind:ty { $($which:ident: $word:literal),+ $(,)? }) => {
        impl fmt::Display for $kind {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self { $(Self::$which => $word),+ })
            }
        }
    };
}

shown!(Setup { Hindbrain: "hindbrain", Together: "together", Apart: "apart" });
shown!(Process {
    Hindbrain: "hindbrain",
    Joystick: "joystick",
    Arbiter: "velocity_arbiter",
    Zones: "zone_scaler",
});
shown!(Topic {
    Command: "cmd_vel",
    Enable: "hind/enable",
    Estop: "hind/estop",
    Reset: "hind/reset",
    Port: "motor/port",
    Starboard: "motor/starboard",
    Source: "cmd_vel_smoothed",
    Lock: "door",
    Arbitrated: "cmd_vel_arbitrated",
    Scaling: "luci/scaling",
    Profile: "luci/chair_profile",
    Reference: "joystick/reference",
    Stick: "joystick/virtual_device",
});
shown!(Second { Alike: "alike", SameName: "same_name", BestEffort: "best_effort", OtherType: "other_type" });
shown!(DeviceFault { Plug: "unplugged", Answers: "nothing", Sense: "garbage", Health: "errors" });
