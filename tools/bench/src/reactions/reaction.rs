use core::fmt;
use std::time::Duration;

use hindbrain::{StopState, TICK};

/// hindbrain's default timeouts.
const CMD_TIMEOUT: Duration = Duration::from_millis(500);
const ESTOP_TIMEOUT: Duration = Duration::from_millis(250);
/// From full speed to rest: 66 counts at 200 counts/s, see `reactions.yaml`.
const BRAKING: Duration = Duration::from_millis(330);

/// Something that must stop the motors in bounded time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// The emergency stop is pressed.
    EstopPressed,
    /// The software switch goes to false.
    Disabled,
    /// The publisher of the full-speed command falls silent.
    CommandLost,
    /// An infra-red sensor sees an obstacle on the way.
    WayBlocked,
    /// The emergency stop's heartbeat ends.
    EstopSilent,
}

/// A message to publish.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Message {
    /// `cmd_vel`: straight ahead \[m/s].
    Command(f64),
    /// `hind/estop`: whether it is pressed.
    Estop(bool),
    /// `hind/enable`: whether the vehicle may drive.
    Enable(bool),
    /// `hind/reset`: whether the button is down.
    Reset(bool),
    /// `hind/ir` of the one fitted sensor: whether something is in its way.
    Infrared {
        /// Whether it is nearer than allowed.
        blocked: bool,
    },
    /// The bare relay's topic: a number that comes back.
    Relay(u64),
}

impl Reaction {
    /// In the order of a round.
    pub const ALL: [Self; 5] =
        [Self::EstopPressed, Self::Disabled, Self::CommandLost, Self::WayBlocked, Self::EstopSilent];

    /// Name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EstopPressed => "e-stop pressed",
            Self::Disabled => "enable false",
            Self::CommandLost => "cmd_vel silent",
            Self::WayBlocked => "infra-red blocked",
            Self::EstopSilent => "e-stop silent",
        }
    }

    /// From the event at hindbrain to the motor value at the latest, without the way there and back.
    pub const fn bound(self) -> Duration {
        match self {
            Self::EstopPressed | Self::Disabled | Self::WayBlocked => TICK,
            Self::CommandLost => CMD_TIMEOUT.saturating_add(TICK).saturating_add(BRAKING),
            Self::EstopSilent => ESTOP_TIMEOUT.saturating_add(TICK),
        }
    }

    /// The message from which time is measured: the one that stops, or the last one before silence.
    pub const fn event(self, speed: f64) -> Message {
        match self {
            Self::EstopPressed => Message::Estop(true),
            Self::Disabled => Message::Enable(false),
            Self::CommandLost => Message::Command(speed),
            Self::WayBlocked => Message::Infrared { blocked: true },
            Self::EstopSilent => Message::Estop(false),
        }
    }

    /// The state of hindbrain afterwards, if it stopped for this reason alone.
    pub const fn state(self) -> &'static str {
        match self {
            Self::EstopPressed | Self::EstopSilent => StopState::Estop.as_str(),
            Self::Disabled => StopState::SoftRos.as_str(),
            Self::CommandLost => StopState::Ok.as_str(),
            Self::WayBlocked => StopState::SoftIr.as_str(),
        }
    }
}

/// One trial to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Reaction that is to stop the motors.
    pub reaction: Reaction,
    /// Number among its kind, from 0.
    pub number: u32,
    /// How long after a command the event comes, less than a tick.
    pub phase: Duration,
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "trial {} of '{}'", self.number + 1, self.reaction.name())
    }
}

/// `count` trials of each reaction, in turns, so other load affects all of them alike.
pub fn plans(count: u32) -> impl Iterator<Item = Plan> {
    (0..count).flat_map(|number| {
        Reaction::ALL.into_iter().map(move |reaction| Plan { reaction, number, phase: phase(number) })
    })
}

/// The part of a tick that trial `number` begins at: van der Corput's sequence, whose largest gap is at most twice the
/// mean one, for any number of trials.
fn phase(number: u32) -> Duration {
    let part = f64::from(number.reverse_bits()) / (f64::from(u32::MAX) + 1.0);
    TICK.mul_f64(part)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_bounds_are_those_of_the_default_parameters() {
        let core = hindbrain::Params::default().core;
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap();
        assert_eq!(nanos(CMD_TIMEOUT), core.command_timeout);
        assert_eq!(nanos(ESTOP_TIMEOUT), core.estop_timeout);
        // full speed in counts over the slope in counts per thousand seconds
        let full = u64::try_from(core.full).unwrap();
        assert_eq!(nanos(BRAKING), full * 1_000_000_000_000 / core.slopes.decel);
        let bounds = Reaction::ALL.map(|reaction| reaction.bound().as_millis());
        assert_eq!(bounds, [20, 20, 850, 20, 270]);
    }

    #[test]
    fn each_reaction_is_planned_as_often_and_in_turns() {
        let planned: Vec<Plan> = plans(3).collect();
        for (place, plan) in planned.iter().enumerate() {
            assert_eq!((plan.reaction, plan.number as usize), (Reaction::ALL[place % 5], place / 5));
        }
        assert_eq!(planned.len(), 15);
    }

    #[test]
    fn the_phases_are_spread_over_the_tick() {
        // the first eight are the multiples of an eighth of 20 ms, out of order
        let phases: Vec<u128> = (0..8).map(|number| phase(number).as_micros()).collect();
        assert_eq!(phases, [0, 10_000, 5000, 15_000, 2500, 12_500, 7500, 17_500]);
        let many: BTreeSet<Duration> = (0..200).map(phase).collect();
        assert_eq!(many.len(), 200);
        assert!(many.iter().all(|phase| *phase < TICK));
    }
}
