use core::fmt;
use core::str::FromStr;

/// What there is of the chain between a person and the motors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setup {
    /// hindbrain by itself: who commands it publishes `cmd_vel`.
    Hindbrain,
    /// Joystick, arbiter, zones and hindbrain in one process.
    Together,
    /// The same four, each in a process of its own.
    Apart,
}

/// Who asks for motion when a fault begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// Whoever publishes `cmd_vel`, or the arbiter's source `navigation`.
    Navigation,
    /// A hand on the virtual stick, while navigation asks for nothing.
    Stick,
    /// Whoever publishes the joystick's reference, which passes while the stick is at rest.
    Reference,
}

/// A process that can be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Process {
    /// The one that has hindbrain, and in [`Setup::Together`] everything else.
    Hindbrain,
    /// Of the joystick.
    Joystick,
    /// Of the arbiter.
    Arbiter,
    /// Of the zones.
    Zones,
}

/// A topic on which one publisher is expected.
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
    /// That of the arbiter's source `navigation`.
    Source,
    /// That of the arbiter's lock `door`.
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

/// What a second publisher is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    /// As the first one, from a node of another name.
    Alike,
    /// As the first one, from a node of the same name.
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

/// What is wrong with a motor controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lack {
    /// It is unplugged.
    Plug,
    /// It does not answer.
    Answers,
    /// What it answers is none.
    Sense,
    /// It reports an error of its own.
    Health,
}

/// What a second publisher says all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// Nothing.
    Nothing,
    /// What would let the vehicle drive.
    Motion,
    /// What would stop it.
    Stop,
    /// One and the other.
    Both,
    /// What would let it drive, stamped a minute ago where it has a stamp.
    Old,
}

/// A source of higher priority than navigation's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rival {
    /// The arbiter's source `dock`, of commands without a stamp.
    Dock,
    /// The stick.
    Stick,
    /// The stick, with which a person holds the vehicle still.
    StickAtRest,
}

/// How somebody who drives ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With a zero as the last word, or the button let go.
    LetsGo,
    /// In silence, while asking for motion or holding still.
    Silent,
    /// Unplugged, which only a stick can be.
    Unplugged,
}

/// What a factor of a zone is that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nonsense {
    /// Not a number.
    NaN,
    /// Without end.
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

impl FromStr for Setup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Hindbrain, Self::Together, Self::Apart];
        all.into_iter()
            .find(|setup| setup.to_string() == text)
            .ok_or_else(|| format!("'{text}' must be hindbrain, together or apart"))
    }
}

/// Tells of a kind by which word it is shown.
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
shown!(Lack { Plug: "unplugged", Answers: "nothing", Sense: "garbage", Health: "errors" });
