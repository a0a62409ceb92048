use core::fmt;

/// A topic of hindbrain's on which one publisher is expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    /// `cmd_vel`
    Command,
    /// `hind/enable`
    Enable,
    /// `hind/estop`
    Estop,
    /// `motor/port`
    Motors,
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

/// What a person has to do, once a fault is over, before the vehicle moves again. Each includes what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clears {
    /// Nothing.
    Itself,
    /// Let the command be zero once.
    Zero,
    /// Switch enable off and on.
    Enable,
    /// Press the reset button and let it go.
    Reset,
}

/// Something that goes wrong. Rates are in messages per second, shares between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the sentences name the fields
pub enum Fault {
    /// The e-stop says pressed in a `share` of its messages, once at least.
    EstopPressed { rate: f64, share: f64 },
    /// The e-stop's heartbeat ends.
    EstopSilent,
    /// The switch says false.
    EnableFalse,
    /// A second switch comes, says false once and goes, while the first one repeats true `rate` times a second.
    SecondSwitchOff { second: Second, rate: f64 },
    /// Nothing comes on `cmd_vel`.
    CommandSilent,
    /// What comes on `cmd_vel` is not finite (`huge` false) or beyond all reason.
    CommandNonsense { huge: bool },
    /// The commands' stamps lie so many milliseconds behind the clock, negative: ahead.
    CommandStamps { behind: i32 },
    /// All commands have the stamp of the first.
    CommandRepeated,
    /// A sensor in front says blocked (`invalid` false) or no measurement in a `share` of its messages, once at least.
    Infrared { starboard: bool, rate: f64, share: f64, invalid: bool },
    /// A sensor in front falls silent.
    InfraredSilent { starboard: bool },
    /// A sensor in front repeats its last message, stamp and all.
    InfraredRepeated { starboard: bool },
    /// A second publisher comes, says nothing, and goes.
    SecondPublisher { topic: Topic, second: Second },
    /// The link to the operator's computer is cut: no command and no e-stop comes; and all of it at once when it is back.
    LinkCut,
    /// The process is held, or the computer suspended (one clock counts both), for so many milliseconds, while the commands go on.
    Held { millis: u32 },
    /// A parameter is set while the vehicle drives: refused, and nothing else.
    ParameterSet { name: &'static str, value: f64 },
    /// The motor controller is lost and found again.
    DeviceLost,
}

/// A tick of hindbrain's \[s\].
const TICK: f64 = 0.02;
/// How long the graph takes to be read, and its news to spread \[s\].
const GRAPH: f64 = 0.2;
/// From full speed to rest: 66 counts at 200 counts/s \[s\].
const BRAKING: f64 = 0.33;
/// `cmd_timeout` and `ir.timeout` \[s\].
const TIMEOUT: f64 = 0.5;
/// `estop.timeout` \[s\].
const ESTOP_TIMEOUT: f64 = 0.25;

impl Fault {
    /// From the fault's first effect on the wire to the motors at stop \[s\]; `None` if the vehicle drives on.
    pub fn bound(&self) -> Option<f64> {
        match *self {
            Self::EstopPressed { .. } | Self::EnableFalse | Self::Infrared { .. } | Self::DeviceLost => {
                Some(TICK)
            }
            Self::EstopSilent | Self::LinkCut => Some(ESTOP_TIMEOUT + TICK),
            Self::SecondSwitchOff { .. } | Self::SecondPublisher { .. } => Some(GRAPH + TICK),
            Self::CommandStamps { behind } if (-100..500).contains(&behind) => None,
            Self::CommandSilent
            | Self::CommandNonsense { .. }
            | Self::CommandStamps { .. }
            | Self::CommandRepeated => Some(TIMEOUT + TICK + BRAKING),
            Self::InfraredSilent { .. } | Self::InfraredRepeated { .. } => Some(TIMEOUT + TICK),
            Self::Held { millis } if millis <= 150 => None,
            Self::Held { millis } => Some(f64::from(millis) / 1000.0 + TICK + BRAKING),
            Self::ParameterSet { .. } => None,
        }
    }

    /// What a person has to do afterwards.
    pub fn clears(&self) -> Clears {
        match *self {
            Self::EstopPressed { .. } | Self::EstopSilent | Self::LinkCut | Self::DeviceLost => Clears::Reset,
            // 0.25 s without the e-stop's heartbeat is silence.
            Self::Held { millis } if millis > 150 => Clears::Reset,
            Self::SecondPublisher { topic: Topic::Estop, .. } => Clears::Reset,
            Self::SecondPublisher { topic: Topic::Command, .. } => Clears::Zero,
            Self::EnableFalse | Self::SecondSwitchOff { .. } | Self::SecondPublisher { .. } => Clears::Enable,
            _ if self.bound().is_none() => Clears::Itself,
            _ => Clears::Zero,
        }
    }

    /// Its name, for other languages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::EstopPressed { .. } => "estop_pressed",
            Self::EstopSilent => "estop_silent",
            Self::EnableFalse => "enable_false",
            Self::SecondSwitchOff { .. } => "second_switch_off",
            Self::CommandSilent => "command_silent",
            Self::CommandNonsense { .. } => "command_nonsense",
            Self::CommandStamps { .. } => "command_stamps",
            Self::CommandRepeated => "command_repeated",
            Self::Infrared { .. } => "infrared",
            Self::InfraredSilent { .. } => "infrared_silent",
            Self::InfraredRepeated { .. } => "infrared_repeated",
            Self::SecondPublisher { .. } => "second_publisher",
            Self::LinkCut => "link_cut",
            Self::Held { .. } => "held",
            Self::ParameterSet { .. } => "parameter_set",
            Self::DeviceLost => "device_lost",
        }
    }
}

/// Its name and its fields, as `name key=value ...`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::EstopPressed { rate, share } => write!(f, " rate={rate:.3} share={share:.3}"),
            Self::SecondSwitchOff { second, rate } => write!(f, " second={second} rate={rate:.3}"),
            Self::CommandNonsense { huge } => write!(f, " huge={huge}"),
            Self::CommandStamps { behind } => write!(f, " behind={behind}"),
            Self::Infrared { starboard, rate, share, invalid } => {
                write!(f, " starboard={starboard} rate={rate:.3} share={share:.3} invalid={invalid}")
            }
            Self::InfraredSilent { starboard } | Self::InfraredRepeated { starboard } => {
                write!(f, " starboard={starboard}")
            }
            Self::SecondPublisher { topic, second } => write!(f, " topic={topic} second={second}"),
            Self::Held { millis } => write!(f, " millis={millis}"),
            Self::ParameterSet { name, value } => write!(f, " name={name} value={value:.3}"),
            Self::EstopSilent
            | Self::EnableFalse
            | Self::CommandSilent
            | Self::CommandRepeated
            | Self::LinkCut
            | Self::DeviceLost => Ok(()),
        }
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Command => "cmd_vel",
            Self::Enable => "hind/enable",
            Self::Estop => "hind/estop",
            Self::Motors => "motor/port",
        })
    }
}

impl fmt::Display for Second {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Alike => "alike",
            Self::SameName => "same_name",
            Self::BestEffort => "best_effort",
            Self::OtherType => "other_type",
        })
    }
}

impl fmt::Display for Clears {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Itself => "itself",
            Self::Zero => "zero",
            Self::Enable => "enable",
            Self::Reset => "reset",
        })
    }
}
