use core::fmt;

/// One reason why the vehicle does not do what is wanted, from mild to severe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Cause {
    /// Zero-first: no wish of zero has come since the last stop.
    NeutralWait,
    /// The last message was no command; the wish before it goes on until it is stale.
    CommandInvalid,
    /// No command in force: none came, or the last one is too old.
    CommandStale,
    /// The front pair counts as blocked.
    FrontBlocked,
    /// The back pair counts as blocked.
    BackBlocked,
    /// A fitted infra-red sensor sends what is no measurement.
    IrInvalid,
    /// A fitted infra-red sensor is silent, or was never heard.
    IrStale,
    /// A soft stop that nobody keeps any more: it ends with the next step, or once the vehicle stands.
    Settling,
    /// Enabled, but not by a change from false to true that was heard since the start and the last stop that asks for one.
    NotArmed,
    /// The enable was not repeated within its lease.
    LeaseLapsed,
    /// More than one node publishes commands: whoever speaks last is heard.
    RivalPublishers,
    /// The software switch is off.
    NotEnabled,
    /// The motor controller has not been opened yet.
    DeviceUnready,
    /// The emergency stop or a fault is latched: it waits for the reset button to be pressed and let go.
    Latched,
    /// The motor controller is lost or does not answer.
    DeviceLost,
    /// Nobody watched over the motors for too long: a step came late, or the supervising thread had to stop them.
    Overrun,
    /// The emergency stop is silent, or was never heard although it is required.
    EstopStale,
    /// The emergency stop is pressed.
    EstopPressed,
    /// The node is about to end.
    Stopping,
}

impl Cause {
    /// All causes, from mild to severe.
    pub const ALL: [Self; 19] = [
        Self::NeutralWait,
        Self::CommandInvalid,
        Self::CommandStale,
        Self::FrontBlocked,
        Self::BackBlocked,
        Self::IrInvalid,
        Self::IrStale,
        Self::Settling,
        Self::NotArmed,
        Self::LeaseLapsed,
        Self::RivalPublishers,
        Self::NotEnabled,
        Self::DeviceUnready,
        Self::Latched,
        Self::DeviceLost,
        Self::Overrun,
        Self::EstopStale,
        Self::EstopPressed,
        Self::Stopping,
    ];

    /// A name for programs, as it stands in `hind/state_detail`.
    pub const fn code(self) -> &'static str {
        match self {
            Self::NeutralWait => "NEUTRAL_WAIT",
            Self::CommandInvalid => "CMD_INVALID",
            Self::CommandStale => "CMD_STALE",
            Self::FrontBlocked => "FRONT_BLOCKED",
            Self::BackBlocked => "BACK_BLOCKED",
            Self::IrInvalid => "IR_INVALID",
            Self::IrStale => "IR_STALE",
            Self::Settling => "SETTLING",
            Self::NotArmed => "NOT_ARMED",
            Self::LeaseLapsed => "LEASE_LAPSED",
            Self::RivalPublishers => "RIVAL_PUBLISHERS",
            Self::NotEnabled => "NOT_ENABLED",
            Self::DeviceUnready => "DEVICE_UNREADY",
            Self::Latched => "LATCHED",
            Self::DeviceLost => "DEVICE_LOST",
            Self::Overrun => "OVERRUN",
            Self::EstopStale => "ESTOP_STALE",
            Self::EstopPressed => "ESTOP_PRESSED",
            Self::Stopping => "STOPPING",
        }
    }

    /// What it is and, where somebody can do something about it, what.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NeutralWait => "waits for a zero command",
            Self::RivalPublishers => "more than one node publishes commands",
            Self::CommandInvalid => "the last command was refused",
            Self::CommandStale => "no fresh command",
            Self::FrontBlocked => "the front is blocked",
            Self::BackBlocked => "the back is blocked",
            Self::IrInvalid => "an infra-red sensor sends no measurement",
            Self::IrStale => "an infra-red sensor is silent",
            Self::Settling => "the stop is about to end",
            Self::NotArmed => "waits for enable to change from false to true",
            Self::LeaseLapsed => "the lease of enable lapsed",
            Self::NotEnabled => "not enabled",
            Self::DeviceUnready => "the motor controller is not open yet",
            Self::Latched => "waits for reset",
            Self::EstopStale => "the e-stop is silent",
            Self::EstopPressed => "the e-stop is pressed",
            Self::DeviceLost => "the motor controller is lost",
            Self::Overrun => "nobody watched over the motors for too long",
            Self::Stopping => "the node is ending",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A set of [`Cause`]s. It is written with the most severe first; sets compare by their most severe causes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Causes(u32);

impl Causes {
    /// No cause.
    pub const NONE: Self = Self(0);

    /// With `cause` in it where `is` holds.
    #[must_use]
    pub const fn with(self, cause: Cause, is: bool) -> Self {
        if is { Self(self.0 | 1 << cause as u8) } else { self }
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
        Cause::ALL.into_iter().rev().filter(move |&cause| self.contains(cause))
    }

    /// The most severe cause.
    pub fn worst(self) -> Option<Cause> {
        self.iter().next()
    }
}

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
        for (index, cause) in Cause::ALL.into_iter().enumerate() {
            assert_eq!(cause as usize, index);
        }
        assert!(Cause::ALL.is_sorted());
    }

    #[test]
    fn every_cause_has_a_code_of_its_own_and_a_sentence_of_its_own() {
        for (index, cause) in Cause::ALL.into_iter().enumerate() {
            let code = cause.code();
            assert!(code.len() > 5 && code.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{code}");
            for other in &Cause::ALL[..index] {
                assert!(code != other.code() && cause.as_str() != other.as_str(), "{code}");
            }
        }
        assert_eq!(
            (Cause::EstopPressed.code(), Cause::NeutralWait.code()),
            ("ESTOP_PRESSED", "NEUTRAL_WAIT")
        );
    }

    #[test]
    fn a_cause_that_is_in_it_stays_in_it() {
        let twice = Causes::NONE.with(Cause::Overrun, true).with(Cause::Overrun, true);
        assert!(twice.contains(Cause::Overrun) && !twice.is_empty());
    }

    #[test]
    fn the_most_severe_cause_wins() {
        let mild = Causes::NONE.with(Cause::NeutralWait, true).with(Cause::NotEnabled, true);
        let severe = Causes::NONE.with(Cause::EstopPressed, true);
        assert!(severe > mild && mild > Causes::NONE);
        assert_eq!((mild.worst(), severe.worst()), (Some(Cause::NotEnabled), Some(Cause::EstopPressed)));
        assert_eq!(Causes::NONE.with(Cause::Overrun, false), Causes::NONE);
    }

    #[test]
    fn the_most_severe_cause_is_written_first() {
        let causes = Causes::NONE.with(Cause::CommandStale, true).with(Cause::NotEnabled, true);
        assert_eq!(causes.to_string(), "not enabled, no fresh command");
        assert_eq!(Causes::NONE.to_string(), "no cause");
    }
}
