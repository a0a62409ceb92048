use core::ops::BitOr;

use crate::{Driver, Effect, Ending, Fault, Process, Rival, Setup, Topic};

/// What a person has to do, once a fault is over, before the vehicle moves again; in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needs {
    /// Press the reset button and let it go.
    pub reset: bool,
    /// Switch enable off and on.
    pub enable: bool,
    /// With the stick at rest let the dead-man button go and press it: in place of a zero.
    pub button: bool,
    /// Let what is asked for be zero once.
    pub zero: bool,
}

impl Needs {
    /// Nothing.
    pub const NOTHING: Self = Self { reset: false, enable: false, button: false, zero: false };
    /// A zero command.
    pub const ZERO: Self = Self { zero: true, ..Self::NOTHING };
    /// The stick at rest, then the button.
    pub const BUTTON: Self = Self { button: true, ..Self::ZERO };
    /// Enable, then a zero.
    pub const ENABLE: Self = Self { enable: true, ..Self::ZERO };
    /// The switches.
    pub const SWITCHES: Self = Self { reset: true, ..Self::ENABLE };
    /// All of it.
    pub const ALL: Self = Self { button: true, ..Self::SWITCHES };

    /// What somebody waits for who names the causes `names` of a stop, as hindbrain's table has them: what asks for a reset asks for
    /// the rest too, and so on.
    pub fn of_causes<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let of = |name| match name {
            "ESTOP_PRESSED" | "ESTOP_STALE" | "ESTOP_CONFLICT" | "ESTOP_LATCHED" | "OVERRUN"
            | "DEVICE_LOST" | "FAULT_LATCHED" => Self { reset: true, ..Self::NOTHING },
            "MOTOR_CONFLICT" | "ENABLE_CONFLICT" | "NOT_ENABLED" | "LEASE_LAPSED" | "NOT_ARMED" => {
                Self { enable: true, ..Self::NOTHING }
            }
            "CMD_CONFLICT" | "WAY_BLOCKED" | "CMD_STALE" | "NEUTRAL_WAIT" => Self::ZERO,
            _ => Self::NOTHING,
        };
        names.into_iter().map(of).fold(Self::NOTHING, BitOr::bitor)
    }

    /// What has to be done of it from this on: after a reset enable, after that a zero.
    #[must_use]
    pub const fn without_reset(self) -> Self {
        Self { reset: false, ..self }
    }
}

/// What both of them ask for.
impl BitOr for Needs {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self {
            reset: self.reset || other.reset,
            enable: self.enable || other.enable,
            button: self.button || other.button,
            zero: self.zero || other.zero,
        }
    }
}

/// What the motors do for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// They drive at this level, from so long after its beginning on \[s\].
    Goes(i16, f64),
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
    pub needs: Needs,
}

/// Full speed and half of it, as levels.
pub(crate) const FULL: i16 = 66;
const HALF: i16 = 33;

/// A tick of hindbrain's \[s\].
const TICK: f64 = 0.02;
/// How long the graph takes to be read, and its news to spread \[s\].
pub(crate) const GRAPH: f64 = 0.2;
/// From full speed to rest: 66 counts at 200 counts/s \[s\].
const BRAKING: f64 = 0.33;
/// `cmd_timeout`, `ir.timeout`, that of sources, locks, scalings and of the virtual stick \[s\].
const TIMEOUT: f64 = 0.5;
/// `estop.timeout` \[s\].
const ESTOP_TIMEOUT: f64 = 0.25;
/// For so long a lock has to say nothing but open before it is \[s\].
const OPENING: f64 = 0.25;
/// How long the velocity of a stick takes to another one: 1 in e^7 is left of it, at a drag of 10 \[s\].
const EASING: f64 = 0.7;

/// At stop without a slope once it is known.
const AT_ONCE: f64 = TICK;
/// Down the slope once it is known.
const BRAKES: f64 = TICK + BRAKING;

const AS_EVER: Motion = Motion::Goes(FULL, 0.0);
const GOES: Course = Course { during: AS_EVER, after: AS_EVER, resumes: None, needs: Needs::NOTHING };
const SLOWS: Course =
    Course { during: Motion::Goes(HALF, EASING), after: Motion::Goes(FULL, EASING), ..GOES };

const fn stops(bound: f64, needs: Needs) -> Course {
    Course { during: Motion::Stops(bound), after: Motion::Stops(0.0), resumes: None, needs }
}

/// It may drive on by itself, as `docs/safety.md` says of locks and zones, so long after the end.
const fn resumes(during: Motion, after: f64) -> Course {
    Course { during, after: Motion::Stops(0.0), resumes: Some(after), needs: Needs::NOTHING }
}

/// Somebody else drives, from rest, until the end of the fault, which is what stops it.
const fn ends(bound: f64, needs: Needs) -> Course {
    Course { during: Motion::Goes(FULL, 1.0), after: Motion::Stops(bound), resumes: None, needs }
}

impl Course {
    /// Whether the vehicle drives all the time.
    pub const fn goes(&self) -> bool {
        matches!((self.during, self.after), (Motion::Goes(..), Motion::Goes(..)))
    }

    /// What `docs/safety.md` says of `fault` while `driver` drives.
    pub fn of(fault: &Fault, driver: Driver, setup: Setup) -> Self {
        let lost = TIMEOUT + BRAKES;
        match *fault {
            Fault::EstopPressed { .. } | Fault::DeviceLost { .. } => stops(AT_ONCE, Needs::SWITCHES),
            Fault::EstopSilent | Fault::LinkCut => stops(ESTOP_TIMEOUT + TICK, Needs::SWITCHES),
            Fault::EnableFalse => stops(AT_ONCE, Needs::ENABLE),
            // The last word is true, which rises.
            Fault::EnableFlickers { .. } => stops(AT_ONCE, Needs::ZERO),
            Fault::SecondSwitchOff { .. } => stops(GRAPH + TICK, Needs::ENABLE),
            Fault::ResetJammed => GOES,
            Fault::CommandStamps { behind } if (-100..500).contains(&behind) => GOES,
            // The arbiter knows at once that it is no number; hindbrain goes on with the command before.
            Fault::CommandNonsense { huge: false } if setup != Setup::Hindbrain => stops(BRAKES, Needs::ZERO),
            Fault::CommandSilent { .. }
            | Fault::CommandNonsense { .. }
            | Fault::CommandStamps { .. }
            | Fault::CommandRepeated => stops(lost, Needs::ZERO),
            Fault::Infrared { .. } => stops(AT_ONCE, Needs::ZERO),
            Fault::InfraredSilent { .. } | Fault::InfraredRepeated { .. } => {
                stops(TIMEOUT + TICK, Needs::ZERO)
            }
            Fault::SecondPublisher { topic, .. } => second_publisher(topic),
            Fault::Held { process, millis } => held(process, millis, driver, setup),
            Fault::ParameterSet(change) => match change.effect {
                Effect::Refused | Effect::DrivesOn => GOES,
                Effect::Slows => SLOWS,
                Effect::Loses => stops(BRAKES, Needs::ZERO),
                Effect::LetsGo => stops(EASING, Needs::BUTTON),
                Effect::Rests => stops(EASING, Needs::ZERO),
            },
            Fault::Takeover { by, ends: ending, gap } => takeover(by, ending, gap),
            // To open it is the act.
            Fault::LockClosed => resumes(Motion::Stops(BRAKES), OPENING),
            // Closed before it ever opens, with room for a late message.
            Fault::LockFlickers { rate, share } if (1.0 / share).ceil() / rate < 0.8 * OPENING => {
                resumes(Motion::Stops(BRAKES), OPENING)
            }
            Fault::LockFlickers { .. } => resumes(Motion::Free, OPENING),
            Fault::LockSilent { .. } | Fault::ScalingSilent { .. } => stops(lost, Needs::ZERO),
            // hindbrain waits for a zero since, and what is opened sets nothing in motion.
            Fault::Rearmed { .. } | Fault::ProfileUnknown => stops(BRAKES, Needs::ZERO),
            // As LUCI's zones do it: what they leave at once, each time.
            Fault::ScalingBlocked { share, .. } if share >= 1.0 => resumes(Motion::Stops(BRAKES), 0.0),
            Fault::ScalingBlocked { .. } => resumes(Motion::Free, 0.0),
            Fault::ScalingInvalid { ahead: true, .. } => stops(BRAKES, Needs::ZERO),
            Fault::ScalingInvalid { ahead: false, .. } => GOES,
            Fault::StickSilent { .. } => stops(lost, Needs::BUTTON),
            Fault::StickUnplugged => stops(BRAKES, Needs::BUTTON),
            // To press it is the act, wherever the stick is.
            Fault::ButtonLetGo => resumes(Motion::Stops(BRAKES), 0.0),
        }
    }
}

fn second_publisher(topic: Topic) -> Course {
    match topic {
        Topic::Command => stops(GRAPH + TICK, Needs::ZERO),
        Topic::Enable | Topic::Port | Topic::Starboard => stops(GRAPH + TICK, Needs::ENABLE),
        Topic::Estop => stops(GRAPH + TICK, Needs::SWITCHES),
        // No press counts.
        Topic::Reset => GOES,
        Topic::Source
        | Topic::Lock
        | Topic::Arbitrated
        | Topic::Scaling
        | Topic::Profile
        | Topic::Reference => stops(GRAPH + BRAKES, Needs::ZERO),
        Topic::Stick => stops(GRAPH + BRAKES, Needs::BUTTON),
    }
}

fn held(process: Process, millis: u32, driver: Driver, setup: Setup) -> Course {
    let is_stick = driver == Driver::Stick;
    match process {
        _ if millis <= 150 => GOES,
        // 0.25 s without the e-stop's heartbeat is silence; of a joystick in the same process it is as of a held one.
        Process::Hindbrain => {
            let needs = if is_stick && setup == Setup::Together { Needs::ALL } else { Needs::SWITCHES };
            stops(f64::from(millis) / 1000.0 + BRAKES, needs)
        }
        Process::Joystick if driver == Driver::Navigation => GOES,
        Process::Joystick if is_stick => stops(TIMEOUT + BRAKES, Needs::BUTTON),
        _ => stops(TIMEOUT + BRAKES, Needs::ZERO),
    }
}

fn takeover(by: Rival, ending: Ending, gap: bool) -> Course {
    match ending {
        Ending::LetsGo if by == Rival::StickAtRest && !gap => resumes(Motion::Stops(BRAKES), TIMEOUT),
        // Nobody let go, and nobody else drives off by itself; that it is silent is known after a while.
        _ if by == Rival::StickAtRest => {
            Course { after: Motion::Stops(TIMEOUT), ..stops(BRAKES, Needs::ZERO) }
        }
        // To let go is to hand over, once who let go is over; but who was silent meanwhile is lost.
        Ending::LetsGo if gap => ends(BRAKES, Needs::ZERO),
        Ending::LetsGo => Course { resumes: Some(TIMEOUT), ..ends(BRAKES, Needs::NOTHING) },
        Ending::Silent => ends(TIMEOUT + BRAKES, Needs::ZERO),
        Ending::Unplugged if by == Rival::Stick => ends(BRAKES, Needs::ZERO),
        Ending::Unplugged => ends(TIMEOUT + BRAKES, Needs::ZERO),
    }
}
