use core::ops::BitOr;

use crate::{Driver, Effect, Ending, Fault, PrioritySource, Process, Setup, Topic};

/// The recovery steps that a person has to do once a fault is over, before the vehicle moves again; in the order of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Needs {
    /// Press and release the reset button.
    pub reset: bool,
    /// Switch enable off and on.
    pub enable: bool,
    /// With the stick at rest release and press the dead-man button: in place of a zero.
    pub button: bool,
    /// Command zero once.
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
    /// Reset and enable, then a zero.
    pub const SWITCHES: Self = Self { reset: true, ..Self::ENABLE };
    /// All steps.
    pub const ALL: Self = Self { button: true, ..Self::SWITCHES };

    /// The step that hindbrain waits for when it names the causes `names` of a stop, as in its table: a cause that needs a
    /// reset implies the later steps, and so on.
    pub fn of_causes<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        let of = |name| match name {
            "ESTOP_PRESSED" | "ESTOP_STALE" | "ESTOP_CONFLICT" | "ESTOP_LATCHED" | "OVERRUN"
            | "DEVICE_LOST" | "FAULT_LATCHED" => Self { reset: true, ..Self::NOTHING },
            "INACTIVE" | "MOTOR_CONFLICT" | "ENABLE_CONFLICT" | "NOT_ENABLED" | "LEASE_LAPSED"
            | "NOT_ARMED" => Self { enable: true, ..Self::NOTHING },
            "CMD_CONFLICT" | "MOTOR_GAP" | "WAY_BLOCKED" | "CMD_STALE" | "NEUTRAL_WAIT" => Self::ZERO,
            _ => Self::NOTHING,
        };
        names.into_iter().map(of).fold(Self::NOTHING, BitOr::bitor)
    }

    /// The remaining steps after a reset.
    #[must_use]
    pub const fn without_reset(self) -> Self {
        Self { reset: false, ..self }
    }
}

/// The steps of both.
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

/// The motion of the motors for some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// They drive at this level, from this time after the beginning on \[s\].
    Goes(i16, f64),
    /// They may drive or stop.
    Free,
    /// They are at stop from this time after the beginning on \[s\].
    Stops(f64),
}

/// The required course of a fault, although full speed is commanded all the time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Course {
    /// While it lasts, from its first effect on the wire.
    pub during: Motion,
    /// Once it is over, until a person acts.
    pub after: Motion,
    /// When the vehicle drives again by itself, after the end of the fault \[s\]; `None` if it does not, or never stopped.
    pub resumes: Option<f64>,
    /// The recovery steps.
    pub needs: Needs,
}

/// Full speed and half of it, as levels.
pub(crate) const FULL: i16 = 66;
const HALF: i16 = 33;

/// A tick of hindbrain's \[s\].
const TICK: f64 = 0.02;
/// How long a change of the graph takes to be discovered everywhere \[s\].
pub(crate) const GRAPH: f64 = 0.2;
/// From full speed to rest: 66 counts at 200 counts/s \[s\].
const BRAKING: f64 = 0.33;
/// `cmd_timeout`, `ir.timeout`, that of sources, locks, scalings and of the virtual stick \[s\].
const TIMEOUT: f64 = 0.5;
/// `estop.timeout` \[s\].
const ESTOP_TIMEOUT: f64 = 0.25;
/// How long a lock must report open only, before it is open \[s\].
const OPENING: f64 = 0.25;
/// How long the velocity of a stick takes to reach a new value: 1 in e^7 of the difference is left, at a drag of 10 \[s\].
const EASING: f64 = 0.7;

/// At stop without a ramp once the fault is detected.
const AT_ONCE: f64 = TICK;
/// Down the ramp once the fault is detected.
const BRAKES: f64 = TICK + BRAKING;

const FULL_SPEED: Motion = Motion::Goes(FULL, 0.0);
const GOES: Course = Course { during: FULL_SPEED, after: FULL_SPEED, resumes: None, needs: Needs::NOTHING };
const SLOWS: Course =
    Course { during: Motion::Goes(HALF, EASING), after: Motion::Goes(FULL, EASING), ..GOES };

const fn stops(bound: f64, needs: Needs) -> Course {
    Course { during: Motion::Stops(bound), after: Motion::Stops(0.0), resumes: None, needs }
}

/// It may drive on by itself, as `docs/safety.md` states for locks and zones, this time after the end.
const fn resumes(during: Motion, after: f64) -> Course {
    Course { during, after: Motion::Stops(0.0), resumes: Some(after), needs: Needs::NOTHING }
}

/// Another source drives, from rest, until the end of the fault, which stops the vehicle.
const fn ends(bound: f64, needs: Needs) -> Course {
    Course { during: Motion::Goes(FULL, 1.0), after: Motion::Stops(bound), resumes: None, needs }
}

impl Course {
    /// Whether the vehicle drives all the time.
    pub const fn goes(&self) -> bool {
        matches!((self.during, self.after), (Motion::Goes(..), Motion::Goes(..)))
    }

    /// The course that `docs/safety.md` states for `fault` while `driver` drives.
    pub fn of(fault: &Fault, driver: Driver, setup: Setup) -> Self {
        let lost = TIMEOUT + BRAKES;
        match *fault {
            Fault::EstopPressed { .. } | Fault::DeviceLost { .. } => stops(AT_ONCE, Needs::SWITCHES),
            Fault::EstopSilent | Fault::LinkCut => stops(ESTOP_TIMEOUT + TICK, Needs::SWITCHES),
            Fault::EnableFalse => stops(AT_ONCE, Needs::ENABLE),
            // The last message is true, which is a rise.
            Fault::EnableFlickers { .. } => stops(AT_ONCE, Needs::ZERO),
            Fault::SecondSwitchOff { .. } => stops(GRAPH + TICK, Needs::ENABLE),
            Fault::ResetJammed => GOES,
            Fault::CommandStamps { behind } if (-100..500).contains(&behind) => GOES,
            // The arbiter detects at once that it is not finite; hindbrain continues with the previous command.
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
            Fault::Inactive { process: Process::Hindbrain } => stops(AT_ONCE, Needs::ENABLE),
            Fault::Inactive { process: Process::Joystick } if driver == Driver::Navigation => GOES,
            Fault::Inactive { process: Process::Joystick } if driver == Driver::Stick => {
                stops(BRAKES, Needs::BUTTON)
            }
            Fault::Inactive { .. } => stops(BRAKES, Needs::ZERO),
            Fault::ParameterSet(change) => match change.effect {
                Effect::Refused | Effect::DrivesOn => GOES,
                Effect::Slows => SLOWS,
                Effect::Loses => stops(BRAKES, Needs::ZERO),
                Effect::LetsGo => stops(EASING, Needs::BUTTON),
                Effect::Rests => stops(EASING, Needs::ZERO),
            },
            Fault::Takeover { by, ends: ending, gap } => takeover(by, ending, gap),
            // Opening the lock is the person's act.
            Fault::LockClosed => resumes(Motion::Stops(BRAKES), OPENING),
            // Closed before it ever opens, with room for a late message.
            Fault::LockFlickers { rate, share } if (1.0 / share).ceil() / rate < 0.8 * OPENING => {
                resumes(Motion::Stops(BRAKES), OPENING)
            }
            Fault::LockFlickers { .. } => resumes(Motion::Free, OPENING),
            Fault::LockSilent { .. } | Fault::ScalingSilent { .. } => stops(lost, Needs::ZERO),
            // hindbrain has waited for a zero since then, so opening the lock or zone starts no motion.
            Fault::Rearmed { .. } | Fault::ProfileUnknown => stops(BRAKES, Needs::ZERO),
            // As LUCI's zones do: the vehicle follows the allowed speed at once, each time.
            Fault::ScalingBlocked { share, .. } if share >= 1.0 => resumes(Motion::Stops(BRAKES), 0.0),
            Fault::ScalingBlocked { .. } => resumes(Motion::Free, 0.0),
            Fault::ScalingInvalid { ahead: true, .. } => stops(BRAKES, Needs::ZERO),
            Fault::ScalingInvalid { ahead: false, .. } => GOES,
            Fault::StickSilent { .. } => stops(lost, Needs::BUTTON),
            Fault::StickUnplugged => stops(BRAKES, Needs::BUTTON),
            // Pressing the button is the person's act, wherever the stick is.
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
        // 0.25 s without the e-stop's heartbeat is silence. A joystick in the same process counts as held too.
        Process::Hindbrain => {
            let needs = if is_stick && setup == Setup::Together { Needs::ALL } else { Needs::SWITCHES };
            stops(f64::from(millis) / 1000.0 + BRAKES, needs)
        }
        Process::Joystick if driver == Driver::Navigation => GOES,
        Process::Joystick if is_stick => stops(TIMEOUT + BRAKES, Needs::BUTTON),
        _ => stops(TIMEOUT + BRAKES, Needs::ZERO),
    }
}

fn takeover(by: PrioritySource, ending: Ending, gap: bool) -> Course {
    match ending {
        Ending::LetsGo if by == PrioritySource::StickAtRest && !gap => {
            resumes(Motion::Stops(BRAKES), TIMEOUT)
        }
        // The stick was not released, and no other source may start by itself; the silence is detected after the time-out.
        _ if by == PrioritySource::StickAtRest => {
            Course { after: Motion::Stops(TIMEOUT), ..stops(BRAKES, Needs::ZERO) }
        }
        // A release hands over to the next source, once the released source has timed out; but a source that was silent
        // meanwhile is lost.
        Ending::LetsGo if gap => ends(BRAKES, Needs::ZERO),
        Ending::LetsGo => Course { resumes: Some(TIMEOUT), ..ends(BRAKES, Needs::NOTHING) },
        Ending::Silent => ends(TIMEOUT + BRAKES, Needs::ZERO),
        Ending::Unplugged if by == PrioritySource::Stick => ends(BRAKES, Needs::ZERO),
        Ending::Unplugged => ends(TIMEOUT + BRAKES, Needs::ZERO),
    }
}
