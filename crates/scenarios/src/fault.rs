use crate::{Change, Driver, Effect, Ending, Lack, Nonsense, Process, Rival, Says, Second, Setup, Topic};

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
    /// The switch says false in a `share` of its messages, once at least, and true in the others and at the end.
    EnableFlickers { rate: f64, share: f64 },
    /// A second switch comes, says false once and goes, while the first one repeats true `rate` times a second.
    SecondSwitchOff { second: Second, rate: f64 },
    /// The reset button is down, from before anything else goes wrong.
    ResetJammed,
    /// No command of who drives without a stick comes; its publisher is `gone`, or stays and says nothing.
    CommandSilent { gone: bool },
    /// What it commands is not finite (`huge` false) or beyond all reason.
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
    /// A second publisher comes, says this all the time, and goes.
    SecondPublisher { topic: Topic, second: Second, says: Says },
    /// The link to the operator's computer is cut: no command and no e-stop comes; and all of it at once when it is back.
    LinkCut,
    /// A process is held, or the computer suspended (one clock counts both), for so many milliseconds, while the commands go on.
    Held { process: Process, millis: u32 },
    /// Parameters are set while the vehicle drives, and set back.
    ParameterSet(&'static Change),
    /// The motor controller is lost like this and found again.
    DeviceLost { lack: Lack },

    /// A source of higher priority takes over from navigation, drives or holds still, and ends like this. With a `gap` navigation falls
    /// silent meanwhile, and is back at that end.
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
    /// The occupant selects a profile for which the chair is not calibrated, and goes back.
    ProfileUnknown,
    /// The stick says nothing more; its publisher is `gone`, or stays.
    StickSilent { gone: bool },
    /// The stick is pulled out, and is back held ahead with the button down.
    StickUnplugged,
    /// The dead-man button is let go while the stick is held ahead, and pressed again.
    ButtonLetGo,
}

/// What a fault has for itself: two that share one of these do not come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Estop,
    Enable,
    Reset,
    Commands,
    Infrared(bool),
    Publishers(Topic),
    Process,
    Parameters,
    Device,
    Lock,
    Scaling,
    Profile,
    Stick,
    /// Everything: it comes alone.
    All,
}

impl Fault {
    /// Its name.
    pub fn name(&self) -> String {
        let text = format!("{self:?}");
        text.split([' ', '(']).next().unwrap_or_default().to_owned()
    }

    /// The topic whose publisher goes.
    pub(crate) fn deserted(&self, driver: Driver, setup: Setup) -> Option<Topic> {
        match self {
            Self::CommandSilent { gone: true } => Some(match (setup, driver) {
                (Setup::Hindbrain, _) => Topic::Command,
                (_, Driver::Reference) => Topic::Reference,
                _ => Topic::Source,
            }),
            Self::LockSilent { gone: true } => Some(Topic::Lock),
            Self::ScalingSilent { gone: true } => Some(Topic::Scaling),
            Self::StickSilent { gone: true } => Some(Topic::Stick),
            _ => None,
        }
    }

    /// What it has for itself.
    pub(crate) fn parts(&self, driver: Driver, setup: Setup) -> Vec<Part> {
        let mut parts = match *self {
            Self::EstopPressed { .. } | Self::EstopSilent => vec![Part::Estop],
            Self::EnableFalse | Self::EnableFlickers { .. } => vec![Part::Enable],
            Self::SecondSwitchOff { .. } => vec![Part::Enable, Part::Publishers(Topic::Enable)],
            Self::ResetJammed => vec![Part::Reset],
            Self::CommandSilent { .. }
            | Self::CommandNonsense { .. }
            | Self::CommandStamps { .. }
            | Self::CommandRepeated => vec![Part::Commands],
            Self::Infrared { starboard, .. }
            | Self::InfraredSilent { starboard }
            | Self::InfraredRepeated { starboard } => vec![Part::Infrared(starboard)],
            Self::SecondPublisher { topic, .. } => vec![Part::Publishers(topic)],
            Self::LinkCut => vec![Part::Estop, Part::Commands],
            // Nobody answers meanwhile.
            Self::Held { .. } => vec![Part::Process, Part::Parameters],
            Self::ParameterSet(change) if change.node == Process::Zones => {
                vec![Part::Parameters, Part::Scaling, Part::Profile, Part::Commands]
            }
            // A limit makes a command beyond all reason one that is within it, see `drive/tests/holes.rs`.
            Self::ParameterSet(change) if change.is_of_limits() => vec![Part::Parameters, Part::Commands],
            // Sooner lost than the figures say.
            Self::ParameterSet(change) if change.is_of_time() => vec![Part::Parameters, Part::Commands],
            Self::ParameterSet(_) => vec![Part::Parameters],
            Self::DeviceLost { .. } => vec![Part::Device],
            Self::LockClosed | Self::LockSilent { .. } | Self::LockFlickers { .. } => vec![Part::Lock],
            Self::ScalingSilent { .. } | Self::ScalingBlocked { .. } | Self::ScalingInvalid { .. } => {
                vec![Part::Scaling]
            }
            Self::ProfileUnknown => vec![Part::Profile, Part::Publishers(Topic::Profile)],
            Self::StickSilent { .. } | Self::StickUnplugged | Self::ButtonLetGo => vec![Part::Stick],
            Self::Takeover { .. } | Self::Rearmed { .. } => vec![Part::All],
        };
        parts.extend(self.deserted(driver, setup).map(Part::Publishers));
        parts
    }

    /// Whether it says what is bad now and then, so that a process that is held may miss it.
    pub(crate) const fn flickers(&self) -> bool {
        matches!(
            self,
            Self::EstopPressed { .. }
                | Self::EnableFlickers { .. }
                | Self::Infrared { .. }
                | Self::LockFlickers { .. }
                | Self::ScalingBlocked { .. }
                | Self::ScalingInvalid { .. }
        )
    }

    /// Whether nothing that a person does brings motion while it lasts: it is there without a break.
    pub const fn is_steady(&self) -> bool {
        match self {
            Self::EstopSilent
            | Self::SecondSwitchOff { .. }
            | Self::CommandSilent { .. }
            | Self::CommandNonsense { .. }
            | Self::CommandStamps { .. }
            | Self::CommandRepeated
            | Self::InfraredSilent { .. }
            | Self::InfraredRepeated { .. }
            | Self::SecondPublisher { .. }
            | Self::DeviceLost { .. }
            | Self::LockClosed
            | Self::LockSilent { .. }
            | Self::ScalingSilent { .. }
            | Self::ProfileUnknown
            | Self::StickSilent { .. }
            | Self::StickUnplugged
            | Self::ButtonLetGo => true,
            // Other zones, in another mode, have nothing against it.
            Self::ParameterSet(change) => matches!(change.node, Process::Arbiter | Process::Joystick),
            Self::ScalingBlocked { share, .. } => *share >= 1.0,
            // What flickers may be well for long enough, and what was said once can be taken back.
            Self::EstopPressed { .. }
            | Self::EnableFalse
            | Self::EnableFlickers { .. }
            | Self::ResetJammed
            | Self::Infrared { .. }
            | Self::LinkCut
            | Self::Held { .. }
            | Self::Takeover { .. }
            | Self::LockFlickers { .. }
            | Self::ScalingInvalid { .. }
            | Self::Rearmed { .. } => false,
        }
    }

    /// Whether it asks for what it asks for only if it meets motion, which another fault may have taken away before: a blocked
    /// sensor is none in the way of a vehicle that is not told to move.
    pub(crate) const fn needs_motion(&self) -> bool {
        match self {
            Self::EstopPressed { .. }
            | Self::EstopSilent
            | Self::EnableFalse
            | Self::EnableFlickers { .. }
            | Self::SecondSwitchOff { .. }
            | Self::ResetJammed
            | Self::CommandSilent { .. }
            | Self::CommandNonsense { huge: false }
            | Self::CommandStamps { .. }
            | Self::CommandRepeated
            | Self::LinkCut
            | Self::DeviceLost { .. }
            | Self::StickSilent { .. }
            | Self::StickUnplugged => false,
            Self::SecondPublisher { topic, .. } => {
                matches!(topic, Topic::Lock | Topic::Arbitrated | Topic::Scaling | Topic::Profile)
            }
            Self::Held { process, .. } => !matches!(process, Process::Hindbrain),
            // How fast is too fast the stages know that scale it.
            Self::CommandNonsense { huge: true }
            | Self::Infrared { .. }
            | Self::InfraredSilent { .. }
            | Self::InfraredRepeated { .. }
            | Self::ParameterSet(_)
            | Self::Takeover { .. }
            | Self::LockClosed
            | Self::LockSilent { .. }
            | Self::LockFlickers { .. }
            | Self::ScalingSilent { .. }
            | Self::ScalingBlocked { .. }
            | Self::ScalingInvalid { .. }
            | Self::Rearmed { .. }
            | Self::ProfileUnknown
            | Self::ButtonLetGo => true,
        }
    }

    /// Whether it is refused as long as something moves, and not where something else has stopped it.
    pub(crate) const fn is_refused(&self) -> bool {
        matches!(self, Self::ParameterSet(change) if matches!(change.effect, Effect::Refused))
    }

    /// For how long a process is held by it, in milliseconds: everything is noticed so much later.
    pub(crate) const fn holds(&self) -> u64 {
        if let Self::Held { millis, .. } = self { *millis as u64 } else { 0 }
    }
}
