use core::fmt;

use crate::{Change, Ending, Nonsense, Process, Rival, Second, Topic};

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
    /// No command of navigation comes; its publisher is `gone`, or stays and says nothing.
    CommandSilent { gone: bool },
    /// What navigation commands is not finite (`huge` false) or beyond all reason.
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
    /// A process is held, or the computer suspended (one clock counts both), for so many milliseconds, while the commands go on.
    Held { process: Process, millis: u32 },
    /// Parameters are set while the vehicle drives, and set back.
    ParameterSet(&'static Change),
    /// The motor controller is lost and found again.
    DeviceLost,

    /// A source of higher priority takes over from navigation, drives, and ends like this. With a `gap` navigation falls silent
    /// meanwhile, and is back at that end.
    Takeover { by: Rival, ends: Ending, gap: bool },
    /// A person closes the lock above who drives, and opens it again.
    LockClosed,
    /// The lock falls silent; its publisher is `gone`, or stays and says nothing.
    LockSilent { gone: bool },
    /// The lock says closed in a `share` of its messages, once at least.
    LockFlickers { rate: f64, share: f64 },
    /// No scaling comes; its publisher is `gone`, or stays and says nothing.
    ScalingSilent { gone: bool },
    /// The zones ahead are blocked in a `share` of the scalings, once at least; a share of 1 is all of them.
    ScalingBlocked { rate: f64, share: f64 },
    /// The factors of some zones are none in a `share` of the scalings, once at least: of those `ahead`, or of those behind.
    ScalingInvalid { ahead: bool, nonsense: Nonsense, rate: f64, share: f64 },
    /// The zones ahead are blocked, or the lock is closed, and somebody switches enable off and on behind it; then it opens.
    Rearmed { zone: bool },
    /// The stick says nothing more; its publisher is `gone`, or stays.
    StickSilent { gone: bool },
    /// The stick is pulled out, and is back held ahead with the button down.
    StickUnplugged,
    /// The dead-man button is let go while the stick is held ahead, and pressed again.
    ButtonLetGo,
}

impl Fault {
    /// Its name, for other languages.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::EstopPressed { .. } => "estop_pressed",
            Self::EstopSilent => "estop_silent",
            Self::EnableFalse => "enable_false",
            Self::SecondSwitchOff { .. } => "second_switch_off",
            Self::CommandSilent { .. } => "command_silent",
            Self::CommandNonsense { .. } => "command_nonsense",
            Self::CommandStamps { .. } => "command_stamps",
            Self::CommandRepeated => "command_repeated",
            Self::Infrared { .. } => "infrared",
            Self::InfraredSilent { .. } => "infrared_silent",
            Self::InfraredRepeated { .. } => "infrared_repeated",
            Self::SecondPublisher { .. } => "second_publisher",
            Self::LinkCut => "link_cut",
            Self::Held { .. } => "held",
            Self::ParameterSet(_) => "parameter_set",
            Self::DeviceLost => "device_lost",
            Self::Takeover { .. } => "takeover",
            Self::LockClosed => "lock_closed",
            Self::LockSilent { .. } => "lock_silent",
            Self::LockFlickers { .. } => "lock_flickers",
            Self::ScalingSilent { .. } => "scaling_silent",
            Self::ScalingBlocked { .. } => "scaling_blocked",
            Self::ScalingInvalid { .. } => "scaling_invalid",
            Self::Rearmed { .. } => "rearmed",
            Self::StickSilent { .. } => "stick_silent",
            Self::StickUnplugged => "stick_unplugged",
            Self::ButtonLetGo => "button_let_go",
        }
    }
}

/// Its name and its fields, as `name key=value ...`.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::EstopPressed { rate, share }
            | Self::LockFlickers { rate, share }
            | Self::ScalingBlocked { rate, share } => write!(f, " rate={rate:.3} share={share:.3}"),
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
            Self::Held { process, millis } => write!(f, " process={process} millis={millis}"),
            Self::Rearmed { zone } => write!(f, " zone={zone}"),
            Self::ParameterSet(change) => write!(f, " {change}"),
            Self::Takeover { by, ends, gap } => write!(f, " by={by} ends={ends} gap={gap}"),
            Self::ScalingInvalid { ahead, nonsense, rate, share } => {
                write!(f, " ahead={ahead} nonsense={nonsense} rate={rate:.3} share={share:.3}")
            }
            Self::CommandSilent { gone }
            | Self::LockSilent { gone }
            | Self::ScalingSilent { gone }
            | Self::StickSilent { gone } => write!(f, " gone={gone}"),
            Self::EstopSilent
            | Self::EnableFalse
            | Self::CommandRepeated
            | Self::LinkCut
            | Self::DeviceLost
            | Self::LockClosed
            | Self::StickUnplugged
            | Self::ButtonLetGo => Ok(()),
        }
    }
}
