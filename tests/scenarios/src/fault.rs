use crate::{
    Change, DeviceFault, Driver, Effect, Ending, Nonsense, Payload, PrioritySource, Process, Second, Setup,
    Topic,
};

/// A fault. Rates are in messages per second, shares between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)] // the sentences name the fields
pub enum Fault {
    /// The e-stop reports pressed in a `share` of its messages, at least once.
    EstopPressed { rate: f64, share: f64 },
    /// The e-stop's heartbeat ends.
    EstopSilent,
    /// The switch publishes false.
    EnableFalse,
    /// The switch publishes false in a `share` of its messages, at least once, and true in the others and at the end.
    EnableFlickers { rate: f64, share: f64 },
    /// A second switch appears, publishes false once and leaves, while the first one repeats true `rate` times a second.
    SecondSwitchOff { second: Second, rate: f64 },
    /// The reset button is down since before any other fault.
    ResetJammed,
    /// The driver without a stick sends no command; its publisher is `gone`, or stays silent.
    CommandSilent { gone: bool },
    /// Its command is not finite (`huge` false) or beyond all reason.
    CommandNonsense { huge: bool },
    /// The commands' stamps lie `behind` milliseconds behind the clock; negative: ahead.
    CommandStamps { behind: i32 },
    /// All commands have the stamp of the first.
    CommandRepeated,
    /// A sensor in front reports blocked (`invalid` false) or no measurement in a `share` of its messages, at least once.
    Infrared { starboard: bool, rate: f64, share: f64, invalid: bool },
    /// A sensor in front falls silent.
    InfraredSilent { starboard: bool },
    /// A sensor in front repeats its last message including the stamp.
    InfraredRepeated { starboard: bool },
    /// A second publisher appears, publishes `says` all the time, and leaves.
    SecondPublisher { topic: Topic, second: Second, says: Payload },
    /// The link to the operator's computer is cut: no command and no e-stop arrives; all of them arrive at once when it is
    /// back.
    LinkCut,
    /// A process is held, or the computer suspended (one clock counts both), for `millis`, while the commands continue.
    Held { process: Process, millis: u32 },
    /// The life cycle of a node leaves *active*, and is activated again.
    Inactive { process: Process },
    /// Parameters are set while the vehicle drives, and restored.
    ParameterSet(Change),
    /// The motor controller fails with `lack` and recovers.
    DeviceLost { lack: DeviceFault },

    /// A source of higher priority takes over from navigation, drives or holds the vehicle still, and ends as `ends`. With a
    /// `gap` navigation falls silent meanwhile, and returns at that end.
    Takeover { by: PrioritySource, ends: Ending, gap: bool },
    /// A person closes the lock above the driving source, and opens it again.
    LockClosed,
    /// The lock falls silent; its publisher is `gone`, or stays silent.
    LockSilent { gone: bool },
    /// The lock reports closed in a `share` of its messages, at least once.
    LockFlickers { rate: f64, share: f64 },
    /// No scaling arrives; its publisher is `gone`, or stays silent.
    ScalingSilent { gone: bool },
    /// The zones ahead are blocked in a `share` of the scalings, at least once; a share of 1 is all of them.
    ScalingBlocked { rate: f64, share: f64 },
    /// The factors of some zones are invalid in a `share` of the scalings, at least once: of those `ahead`, or of those behind.
    ScalingInvalid { ahead: bool, nonsense: Nonsense, rate: f64, share: f64 },
    /// The zones ahead are blocked, or the lock is closed, and a person switches enable off and on meanwhile; then it opens.
    Rearmed { zone: bool },
    /// The occupant selects a profile for which the chair is not calibrated, and returns to the calibrated one.
    ProfileUnknown,
    /// The stick falls silent; its publisher is `gone`, or stays.
    StickSilent { gone: bool },
    /// The stick is unplugged, and returns held ahead with the button down.
    StickUnplugged,
    /// The dead-man button is released while the stick is held ahead, and pressed again.
    ButtonLetGo,
}

/// A part of the system that a fault uses exclusively: two faults that share one do not coincide.
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
    /// Everything but the lock: it closes, opens or falls silent while another source takes over, drives or is lost.
    AllButLock,
    /// Everything: the fault occurs alone.
    All,
}

/// How a fault goes together with a person's actions and with motion.
struct Nature {
    is_steady: bool,
    needs_motion: bool,
}

impl Fault {
    /// Its name.
    pub fn name(&self) -> String {
        let text = format!("{self:?}");
        text.split([' ', '(']).next().unwrap_or_default().to_owned()
    }

    /// The topic whose publisher leaves.
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

    /// The parts that it uses exclusively.
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
            // Requests are not answered meanwhile.
            Self::Held { .. } | Self::Inactive { process: Process::Hindbrain } => {
                vec![Part::Process, Part::Parameters]
            }
            Self::Inactive { .. } => vec![Part::All],
            Self::ParameterSet(change) if change.node == Process::Zones => {
                vec![Part::Parameters, Part::Scaling, Part::Profile, Part::Commands]
            }
            // A limit turns a command beyond all reason into one within it, see `drive/tests/all/holes.rs`.
            Self::ParameterSet(change) if change.is_of_limits() => vec![Part::Parameters, Part::Commands],
            // The source is lost sooner than the figures say.
            Self::ParameterSet(change) if change.is_of_time() => vec![Part::Parameters, Part::Commands],
            Self::ParameterSet(_) => vec![Part::Parameters],
            Self::DeviceLost { .. } => vec![Part::Device],
            Self::LockClosed | Self::LockSilent { .. } | Self::LockFlickers { .. } => vec![Part::Lock],
            Self::ScalingSilent { .. } | Self::ScalingBlocked { .. } | Self::ScalingInvalid { .. } => {
                vec![Part::Scaling]
            }
            Self::ProfileUnknown => vec![Part::Profile, Part::Publishers(Topic::Profile)],
            Self::StickSilent { .. } | Self::StickUnplugged | Self::ButtonLetGo => vec![Part::Stick],
            Self::Takeover { .. } => vec![Part::AllButLock],
            Self::Rearmed { .. } => vec![Part::All],
        };
        parts.extend(self.deserted(driver, setup).map(Part::Publishers));
        parts
    }

    /// Whether it is bad in some messages only, so a held process may miss it.
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

    /// Whether no action of a person causes motion while it lasts: it is present without a break.
    pub const fn is_steady(&self) -> bool {
        self.nature().is_steady
    }

    /// Whether it needs its recovery steps only if it meets motion, which another fault may have ended before: a blocked sensor
    /// has no effect on a vehicle that is not commanded to move.
    pub(crate) const fn needs_motion(&self) -> bool {
        self.nature().needs_motion
    }

    const fn nature(&self) -> Nature {
        let (is_steady, needs_motion) = match self {
            // A flicker may be good for long enough, and a single message can be taken back.
            Self::EstopPressed { .. }
            | Self::EnableFalse
            | Self::EnableFlickers { .. }
            | Self::ResetJammed
            | Self::LinkCut => (false, false),
            Self::Infrared { .. }
            | Self::Takeover { .. }
            | Self::LockFlickers { .. }
            | Self::ScalingInvalid { .. }
            | Self::Rearmed { .. } => (false, true),
            Self::EstopSilent
            | Self::SecondSwitchOff { .. }
            | Self::CommandSilent { .. }
            | Self::CommandStamps { .. }
            | Self::CommandRepeated
            | Self::DeviceLost { .. }
            | Self::StickSilent { .. }
            | Self::StickUnplugged => (true, false),
            Self::InfraredSilent { .. }
            | Self::InfraredRepeated { .. }
            | Self::LockClosed
            | Self::LockSilent { .. }
            | Self::ScalingSilent { .. }
            | Self::ProfileUnknown
            | Self::ButtonLetGo => (true, true),
            // The stages that scale a command know which speed is too high.
            Self::CommandNonsense { huge } => (true, *huge),
            Self::SecondPublisher { topic, .. } => {
                (true, matches!(topic, Topic::Lock | Topic::Arbitrated | Topic::Scaling | Topic::Profile))
            }
            Self::Inactive { process } => (true, !matches!(process, Process::Hindbrain)),
            Self::Held { process, .. } => (false, !matches!(process, Process::Hindbrain)),
            // A change of the zones to another mode may allow motion.
            Self::ParameterSet(change) => (matches!(change.node, Process::Arbiter | Process::Joystick), true),
            Self::ScalingBlocked { share, .. } => (*share >= 1.0, true),
        };
        Nature { is_steady, needs_motion }
    }

    /// Whether it is refused while the vehicle moves, but not if another fault has stopped it.
    pub(crate) const fn is_refused(&self) -> bool {
        matches!(self, Self::ParameterSet(change) if matches!(change.effect, Effect::Refused))
    }

    /// How long it holds a process, in milliseconds: everything is detected that much later.
    pub(crate) const fn holds(&self) -> u64 {
        if let Self::Held { millis, .. } = self { *millis as u64 } else { 0 }
    }
}
