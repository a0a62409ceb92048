use core::fmt;

use crate::{Driver, Effect, Ending, Fault, Process, Rival, Setup, Topic};

/// What a person has to do, once a fault is over, before the vehicle moves again. Each includes what stands before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clears {
    /// Nothing.
    Itself,
    /// Let what is asked for be zero once.
    Zero,
    /// With the stick at rest let the dead-man button go and press it. Of who drives without a stick no more than a zero.
    Button,
    /// Switch enable off and on.
    Enable,
    /// Press the reset button and let it go.
    Reset,
}

/// What the motors do for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// They drive.
    Goes,
    /// They may do either.
    Free,
    /// They are at stop from so long after its beginning on \[s\].
    Stops(f64),
}

/// What must come of a fault, although full speed is asked for all the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// While it lasts, from its first effect on the wire.
    pub during: Motion,
    /// Once it is over, until somebody acts.
    pub after: Motion,
    /// When it drives again by itself, from the end on \[s\]; `None` if it does not, or never stopped.
    pub resumes: Option<f64>,
    /// What a person has to do.
    pub clears: Clears,
}

/// A tick of hindbrain's \[s\].
const TICK: f64 = 0.02;
/// How long the graph takes to be read, and its news to spread \[s\].
const GRAPH: f64 = 0.2;
/// From full speed to rest: 66 counts at 200 counts/s \[s\].
const BRAKING: f64 = 0.33;
/// `cmd_timeout`, `ir.timeout`, that of sources, locks, scalings and of the virtual stick \[s\].
const TIMEOUT: f64 = 0.5;
/// `estop.timeout` \[s\].
const ESTOP_TIMEOUT: f64 = 0.25;
/// For so long a lock has to say nothing but open before it is \[s\].
const OPENING: f64 = 0.25;

/// At stop without a slope once it is known.
const AT_ONCE: f64 = TICK;
/// Down the slope once it is known.
const BRAKES: f64 = TICK + BRAKING;

const GOES: Course =
    Course { during: Motion::Goes, after: Motion::Goes, resumes: None, clears: Clears::Itself };

const fn stops(bound: f64, clears: Clears) -> Course {
    Course { during: Motion::Stops(bound), after: Motion::Stops(0.0), resumes: None, clears }
}

/// It may drive on by itself, as `docs/safety.md` says of locks and zones, so long after the end.
const fn resumes(during: Motion, after: f64) -> Course {
    Course { during, after: Motion::Stops(0.0), resumes: Some(after), clears: Clears::Itself }
}

/// It drives until the end of the fault, which is what stops it.
const fn ends(bound: f64, clears: Clears) -> Course {
    Course { during: Motion::Goes, after: Motion::Stops(bound), resumes: None, clears }
}

impl Course {
    /// Whether nothing that a person does brings motion while the fault lasts: it is there without a break.
    pub const fn is_steady(fault: &Fault) -> bool {
        match fault {
            Fault::EstopSilent
            | Fault::SecondSwitchOff { .. }
            | Fault::CommandSilent { .. }
            | Fault::CommandNonsense { .. }
            | Fault::CommandStamps { .. }
            | Fault::CommandRepeated
            | Fault::InfraredSilent { .. }
            | Fault::InfraredRepeated { .. }
            | Fault::SecondPublisher { .. }
            | Fault::DeviceLost
            | Fault::LockClosed
            | Fault::LockSilent { .. }
            | Fault::ScalingSilent { .. }
            | Fault::StickSilent { .. }
            | Fault::StickUnplugged
            | Fault::ButtonLetGo => true,
            // Other zones, in another mode, have nothing against it.
            Fault::ParameterSet(change) => matches!(change.node, Process::Arbiter),
            Fault::ScalingBlocked { share, .. } => *share >= 1.0,
            // What flickers may be well for long enough, and what was said once can be taken back.
            Fault::EstopPressed { .. }
            | Fault::EnableFalse
            | Fault::Infrared { .. }
            | Fault::LinkCut
            | Fault::Held { .. }
            | Fault::Takeover { .. }
            | Fault::LockFlickers { .. }
            | Fault::ScalingInvalid { .. }
            | Fault::Rearmed { .. } => false,
        }
    }

    /// What `docs/safety.md` says of `fault` while `driver` drives.
    pub fn of(fault: &Fault, driver: Driver, setup: Setup) -> Self {
        let lost = TIMEOUT + BRAKES;
        match *fault {
            Fault::EstopPressed { .. } | Fault::DeviceLost => stops(AT_ONCE, Clears::Reset),
            Fault::EstopSilent | Fault::LinkCut => stops(ESTOP_TIMEOUT + TICK, Clears::Reset),
            Fault::EnableFalse => stops(AT_ONCE, Clears::Enable),
            Fault::SecondSwitchOff { .. } => stops(GRAPH + TICK, Clears::Enable),
            Fault::CommandStamps { behind } if (-100..500).contains(&behind) => GOES,
            // The arbiter knows at once that it is no number; hindbrain goes on with the command before.
            Fault::CommandNonsense { huge: false } if setup != Setup::Hindbrain => {
                stops(BRAKES, Clears::Zero)
            }
            Fault::CommandSilent { .. }
            | Fault::CommandNonsense { .. }
            | Fault::CommandStamps { .. }
            | Fault::CommandRepeated => stops(lost, Clears::Zero),
            Fault::Infrared { .. } => stops(AT_ONCE, Clears::Zero),
            Fault::InfraredSilent { .. } | Fault::InfraredRepeated { .. } => {
                stops(TIMEOUT + TICK, Clears::Zero)
            }
            Fault::SecondPublisher { topic, .. } => second_publisher(topic),
            Fault::Held { process, millis } => held(process, millis, driver),
            Fault::ParameterSet(change) => match change.effect {
                Effect::Refused | Effect::DrivesOn => GOES,
                Effect::Loses => stops(BRAKES, Clears::Zero),
            },
            Fault::Takeover { by, ends: ending, gap } => takeover(by, ending, gap),
            // To open it is the act.
            Fault::LockClosed => resumes(Motion::Stops(BRAKES), OPENING),
            // Closed before it ever opens, with room for a late message.
            Fault::LockFlickers { rate, share } if (1.0 / share).ceil() / rate < 0.8 * OPENING => {
                resumes(Motion::Stops(BRAKES), OPENING)
            }
            Fault::LockFlickers { .. } => resumes(Motion::Free, OPENING),
            Fault::LockSilent { .. } | Fault::ScalingSilent { .. } => stops(lost, Clears::Zero),
            // hindbrain waits for a zero since, and what is opened sets nothing in motion.
            Fault::Rearmed { .. } => stops(BRAKES, Clears::Zero),
            // As LUCI's zones do it: what they leave at once, each time.
            Fault::ScalingBlocked { share, .. } if share >= 1.0 => resumes(Motion::Stops(BRAKES), 0.0),
            Fault::ScalingBlocked { .. } => resumes(Motion::Free, 0.0),
            Fault::ScalingInvalid { ahead: true, .. } => stops(BRAKES, Clears::Zero),
            Fault::ScalingInvalid { ahead: false, .. } => GOES,
            Fault::StickSilent { .. } => stops(lost, Clears::Button),
            Fault::StickUnplugged => stops(BRAKES, Clears::Button),
            // To press it is the act, wherever the stick is.
            Fault::ButtonLetGo => resumes(Motion::Stops(BRAKES), 0.0),
        }
    }
}

fn second_publisher(topic: Topic) -> Course {
    match topic {
        Topic::Command => stops(GRAPH + TICK, Clears::Zero),
        Topic::Enable | Topic::Motors => stops(GRAPH + TICK, Clears::Enable),
        Topic::Estop => stops(GRAPH + TICK, Clears::Reset),
        Topic::Source | Topic::Lock | Topic::Arbitrated | Topic::Scaling => {
            stops(GRAPH + BRAKES, Clears::Zero)
        }
        Topic::Stick => stops(GRAPH + BRAKES, Clears::Button),
    }
}

fn held(process: Process, millis: u32, driver: Driver) -> Course {
    match process {
        // 0.25 s without the e-stop's heartbeat is silence.
        Process::Hindbrain if millis > 150 => stops(f64::from(millis) / 1000.0 + BRAKES, Clears::Reset),
        Process::Joystick if driver != Driver::Stick => GOES,
        _ if millis <= 150 => GOES,
        Process::Joystick => stops(TIMEOUT + BRAKES, Clears::Button),
        _ => stops(TIMEOUT + BRAKES, Clears::Zero),
    }
}

fn takeover(by: Rival, ending: Ending, gap: bool) -> Course {
    match ending {
        // To let go is to hand over, once who let go is over; but who was silent meanwhile is lost.
        Ending::LetsGo if gap => ends(BRAKES, Clears::Zero),
        Ending::LetsGo => Course { resumes: Some(TIMEOUT), ..ends(BRAKES, Clears::Itself) },
        Ending::Silent => ends(TIMEOUT + BRAKES, Clears::Zero),
        Ending::Unplugged if by == Rival::Stick => ends(BRAKES, Clears::Zero),
        Ending::Unplugged => ends(TIMEOUT + BRAKES, Clears::Zero),
    }
}

impl fmt::Display for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { during, after, resumes, clears } = self;
        let resumes = resumes.map_or_else(|| "none".to_owned(), |time| format!("{time:.3}"));
        write!(f, "during={during} after={after} resumes={resumes} clears={clears}")
    }
}

impl fmt::Display for Motion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Goes => f.write_str("goes"),
            Self::Free => f.write_str("free"),
            Self::Stops(bound) => write!(f, "{bound:.3}"),
        }
    }
}

impl fmt::Display for Clears {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Itself => "itself",
            Self::Zero => "zero",
            Self::Button => "button",
            Self::Enable => "enable",
            Self::Reset => "reset",
        })
    }
}
