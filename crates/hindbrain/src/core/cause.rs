use core::fmt;

use safety::Level;

use super::Source;

/// The effect of an active cause, from mild to severe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// None: the cause is a detail of another one, or a warning.
    Reports,
    /// The motors brake to zero, or stay there.
    Brakes,
    /// A soft stop, caused by the infra-red sensors.
    StopsByIr,
    /// A soft stop, caused by anything else.
    StopsByRos,
    /// A fault of the machine, published as an emergency stop.
    Faults,
    /// An emergency stop.
    EmergencyStops,
}

/// Condition for the vehicle to move again after a cause has ended. Each one includes the ones before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Recovery {
    /// Nothing.
    Itself,
    /// A zero command.
    Zero,
    /// A rise of `hind/enable`.
    Enable,
    /// The reset button, pressed and released.
    Reset,
}

/// The row of one cause in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// A name for programs, as in `hind/state_detail`.
    pub code: &'static str,
    /// Its text for people.
    pub text: &'static str,
    /// Its condition.
    pub condition: &'static str,
    /// Its effect, the same in both profiles.
    pub effect: Effect,
    /// Condition for motion after the cause in the profile `strict`; in `seed` all causes clear by themselves.
    pub recovery: Recovery,
    /// The level of `/diagnostics` with it: a vehicle that nobody drives is well, and a stop that a person requested is not an error.
    pub level: Level,
    /// The source that has to publish another value to end the cause; `None` if there is no single one.
    pub source: Option<Source>,
}

macro_rules! source {
    () => {
        None
    };
    ($source:ident) => {
        Some(Source::$source)
    };
}

macro_rules! causes {
    ($($name:ident: $code:literal, $effect:ident, $recovery:ident, $level:ident $(of $source:ident)?, $text:literal, $condition:literal;)+) => {
        /// One reason why the vehicle does not follow the command, from mild to severe: the table of causes, from which everything
        /// else about stops is derived.
        ///
        /// # Source
        /// own, around the states of hindbrain (Bravo, 2016), after ISO 13850 (an emergency stop stays until it is reset, and a
        /// reset starts nothing), LinuxCNC's `estop_latch` and PX4's failsafe framework (causes ordered by severity).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Cause {
            $(#[doc = $condition] $name,)+
        }

        impl Cause {
            /// All causes, from mild to severe.
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The table's row of this cause.
            pub const fn row(self) -> Row {
                match self {
                    $(Self::$name => Row {
                        code: $code,
                        text: $text,
                        condition: $condition,
                        effect: Effect::$effect,
                        recovery: Recovery::$recovery,
                        level: Level::$level,
                        source: source!($($source)?),
                    },)+
                }
            }
        }
    };
}

// Name: code, effect, what clears it, level of diagnostics, source; text for people; condition.
causes! {
    CommandBelowCount: "CMD_BELOW_COUNT", Reports, Itself, Warn of Command,
        "the command asks for less than the least motor value: nothing moves",
        "the state is `OK`, nothing brakes, and what passes of the command asks both wheels for less than one count: 1/66 of `wheel_speed`";
    CommandInvalid: "CMD_INVALID", Reports, Itself, Warn of Command,
        "the last command was refused",
        "the last message on `cmd_vel` was not a command; the previous one counts until it is stale";
    ResetConflict: "RESET_CONFLICT", Reports, Itself, Error of Reset,
        "hind/reset has more than one publisher, or one that does not fit: no press counts",
        "`hind/reset` has more than one publisher, or an incompatible one: no press counts";
    IrInvalid: "IR_INVALID", Reports, Itself, Warn,
        "an infra-red sensor sends no measurement",
        "the last message of a fitted infra-red sensor is not a measurement, or a clear one that is too old or from the future";
    IrStale: "IR_STALE", Reports, Itself, Warn,
        "an infra-red sensor is silent",
        "a fitted infra-red sensor was not received for `ir.timeout`, or ever";
    FrontBlocked: "FRONT_BLOCKED", Reports, Itself, Warn,
        "the front is blocked",
        "not every reading of a fitted front sensor was clear for `ir.timeout`";
    BackBlocked: "BACK_BLOCKED", Reports, Itself, Warn,
        "the back is blocked",
        "not every reading of a fitted back sensor was clear for `ir.timeout`";
    NeutralWait: "NEUTRAL_WAIT", Brakes, Zero, Ok of Command,
        "waits for a zero command",
        "no zero command was received since the last cause that requires one, and no such cause holds";
    CommandStale: "CMD_STALE", Brakes, Zero, Ok of Command,
        "no fresh command",
        "no command was received for `cmd_timeout`, or ever";
    WayBlocked: "WAY_BLOCKED", StopsByIr, Zero, Warn,
        "the command leads toward the blocked side",
        "the command, or a wheel that still turns, does not lead straight away from the blocked side";
    NotArmed: "NOT_ARMED", StopsByRos, Enable, Warn of Enable,
        "waits for enable to change from false to true",
        "enable is true, did not rise since the last cause that requires it, and nothing is latched";
    LeaseLapsed: "LEASE_LAPSED", StopsByRos, Enable, Warn of Enable,
        "the lease of enable lapsed",
        "enable is true and was not repeated for `enable.lease`";
    NotEnabled: "NOT_ENABLED", StopsByRos, Enable, Ok of Enable,
        "not enabled",
        "enable is false, or was never received";
    DeviceUnready: "DEVICE_UNREADY", StopsByRos, Zero, Warn of Device,
        "the motor controller is not open yet",
        "a motor controller is configured and not opened yet";
    MotorGap: "MOTOR_GAP", StopsByRos, Zero, Warn,
        "the motor values were interrupted",
        "the motor values were interrupted for more than 0.2 s, or a motor controller had none in time, while something moved or could";
    CommandConflict: "CMD_CONFLICT", StopsByRos, Zero, Error of Command,
        "cmd_vel has more than one publisher, or one that does not fit",
        "`cmd_vel` has more than one publisher, or an incompatible one";
    EnableConflict: "ENABLE_CONFLICT", StopsByRos, Enable, Error of Enable,
        "hind/enable has more than one publisher, or one that does not fit",
        "`hind/enable` has more than one publisher, or an incompatible one";
    MotorConflict: "MOTOR_CONFLICT", StopsByRos, Enable, Error,
        "another node publishes the motors",
        "`motor/port` or `motor/starboard` has another publisher";
    Inactive: "INACTIVE", StopsByRos, Enable, Warn,
        "the node is not active",
        "the node's life cycle is in another state than active";
    Stopping: "STOPPING", StopsByRos, Enable, Warn,
        "the node is ending",
        "the node is about to end";
    FaultLatched: "FAULT_LATCHED", Faults, Reset, Error of Reset,
        "a fault waits for reset",
        "a fault was not reset since";
    DeviceLost: "DEVICE_LOST", Faults, Reset, Error of Device,
        "the motor controller is lost",
        "the motor controller is gone, hangs, or reports an error";
    Overrun: "OVERRUN", Faults, Reset, Error,
        "the motors were not supervised for too long",
        "a step came later than 0.5 s, or the supervising thread had to act, while something moved or could";
    EstopLatched: "ESTOP_LATCHED", EmergencyStops, Reset, Warn of Reset,
        "an emergency stop waits for reset",
        "an emergency stop was not reset since, or the e-stop was received for the first time: one may be from before the start";
    EstopConflict: "ESTOP_CONFLICT", EmergencyStops, Reset, Error of Estop,
        "hind/estop has more than one publisher, or one that does not fit",
        "`hind/estop` has more than one publisher, or an incompatible one";
    EstopStale: "ESTOP_STALE", EmergencyStops, Reset, Error of Estop,
        "the e-stop is silent: it has to repeat true or false within estop.timeout",
        "an e-stop that was received is silent for `estop.timeout`; or one has a publisher, or is required, and was never received";
    EstopPressed: "ESTOP_PRESSED", EmergencyStops, Reset, Warn of Estop,
        "the e-stop is pressed",
        "the last message on `hind/estop` is true";
}

impl Cause {
    /// A name for programs, as in `hind/state_detail`.
    pub const fn code(self) -> &'static str {
        self.row().code
    }

    /// Its text for people.
    pub const fn as_str(self) -> &'static str {
        self.row().text
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of [`Cause`]s. It is displayed with the most severe first; sets compare by their most severe causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Causes(u32);

impl Causes {
    /// No cause.
    pub const NONE: Self = Self(0);

    /// This set, with `cause` added if `is` holds.
    #[must_use]
    pub const fn with(self, cause: Cause, is: bool) -> Self {
        if is { Self(self.0 | 1 << cause as u8) } else { self }
    }

    /// This set without `cause`.
    #[must_use]
    pub const fn without(self, cause: Cause) -> Self {
        Self(self.0 & !(1 << cause as u8))
    }

    /// The union with `other`.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `cause` is in it.
    pub const fn contains(self, cause: Cause) -> bool {
        self.0 & 1 << cause as u8 != 0
    }

    /// Whether there is no cause.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The causes in it, the most severe first.
    pub fn iter(self) -> impl Iterator<Item = Cause> {
        Cause::ALL.iter().copied().rev().filter(move |&cause| self.contains(cause))
    }

    /// The most severe cause.
    pub fn worst(self) -> Option<Cause> {
        Cause::ALL.get(self.0.checked_ilog2()? as usize).copied()
    }

    /// The most severe effect.
    pub fn effect(self) -> Effect {
        self.worst().map_or(Effect::Reports, |cause| cause.row().effect)
    }

    /// The level of the most severe cause, or an error if any cause is one.
    pub fn level(self) -> Level {
        let is_error = self.iter().any(|cause| cause.row().level == Level::Error);
        let worst = self.worst().map_or(Level::Ok, |cause| cause.row().level);
        if is_error { Level::Error } else { worst }
    }

    /// Whether one of the causes has this effect.
    pub const fn have(self, effect: Effect) -> bool {
        self.0 & WITH_EFFECT[effect as usize] != 0
    }

    /// Condition for the vehicle to move again, if all causes ended now.
    pub const fn recovery(self) -> Recovery {
        if self.0 & WITH_RECOVERY[Recovery::Reset as usize] != 0 {
            Recovery::Reset
        } else if self.0 & WITH_RECOVERY[Recovery::Enable as usize] != 0 {
            Recovery::Enable
        } else if self.0 & WITH_RECOVERY[Recovery::Zero as usize] != 0 {
            Recovery::Zero
        } else {
            Recovery::Itself
        }
    }
}

/// The causes with each effect, as bits.
const WITH_EFFECT: [u32; 6] = {
    let (mut bits, mut index) = ([0; 6], 0);
    while index < Cause::ALL.len() {
        bits[Cause::ALL[index].row().effect as usize] |= 1 << index;
        index += 1;
    }
    bits
};

/// The causes of each [`Recovery`], as bits.
const WITH_RECOVERY: [u32; 4] = {
    let (mut bits, mut index) = ([0; 4], 0);
    while index < Cause::ALL.len() {
        bits[Cause::ALL[index].row().recovery as usize] |= 1 << index;
        index += 1;
    }
    bits
};

impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, cause) in self.iter().enumerate() {
            write!(f, "{}{cause}", if index == 0 { "" } else { ", " })?;
        }
        if self.is_empty() { f.write_str("no cause") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_complete_and_in_order() {
        for (index, cause) in Cause::ALL.iter().copied().enumerate() {
            assert_eq!(cause as usize, index);
        }
        assert!(Cause::ALL.is_sorted());
    }

    #[test]
    fn every_cause_has_its_own_code_and_sentence() {
        for (index, cause) in Cause::ALL.iter().copied().enumerate() {
            let code = cause.code();
            assert!(code.len() > 5 && code.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{code}");
            for other in &Cause::ALL[..index] {
                assert!(code != other.code() && cause.as_str() != other.as_str(), "{code}");
            }
        }
    }

    #[test]
    fn a_stronger_effect_never_requires_less_to_clear() {
        assert!(Cause::ALL.iter().map(|cause| cause.row().effect).is_sorted());
        for cause in Cause::ALL.iter().copied() {
            let Row { effect, recovery, .. } = cause.row();
            assert_eq!(effect == Effect::Reports, recovery == Recovery::Itself, "{cause:?}");
            assert!(effect < Effect::Faults || recovery == Recovery::Reset, "{cause:?}");
        }
    }

    #[test]
    fn the_most_severe_cause_wins_and_is_written_first() {
        let mild = Causes::NONE.with(Cause::NeutralWait, true).with(Cause::NotEnabled, true);
        let severe = Causes::NONE.with(Cause::EstopPressed, true);
        assert!(severe > mild && mild > Causes::NONE);
        assert_eq!((mild.worst(), severe.worst()), (Some(Cause::NotEnabled), Some(Cause::EstopPressed)));
        assert_eq!(
            (mild.recovery(), severe.recovery(), Causes::NONE.recovery()),
            (Recovery::Enable, Recovery::Reset, Recovery::Itself)
        );
        assert_eq!(Causes::NONE.with(Cause::Overrun, false), Causes::NONE);
        assert_eq!(severe.with(Cause::EstopPressed, true), severe, "adding a cause again has no effect");
        assert!(severe.have(Effect::EmergencyStops) && !severe.have(Effect::StopsByRos));
        assert_eq!((mild.effect(), severe.effect()), (Effect::StopsByRos, Effect::EmergencyStops));
        assert_eq!(mild.to_string(), "not enabled, waits for a zero command");
        assert_eq!(Causes::NONE.to_string(), "no cause");
    }
}
