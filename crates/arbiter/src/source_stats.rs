use core::time::Duration;

use safety::Instant;

/// Why a message moved nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A newer one of the same source had been received before.
    Late,
    /// Its stamp had been repeated for longer than the timeout.
    Repeated,
    /// Its stamp was too old.
    TooOld,
    /// Its stamp was from the future.
    FromFuture,
    /// It was not a command.
    Invalid,
    /// It asked for motion where a zero is required first.
    WaitsForZero,
    /// A lock was closed.
    Locked,
    /// A source of higher priority could drive.
    Outranked,
}

/// How often messages were refused, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Refusals([u64; Refused::ALL.len()]);

/// The counts and rates of one source's messages, see [`Arbiter::traffic`](crate::Arbiter::traffic).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Messages within the last full second \[Hz].
    pub rate: u64,
    /// The age of the command in force, by its stamp or its receipt, whichever is older; without one the time since the last
    /// message.
    pub age: Option<Duration>,
    /// Messages.
    pub received: u64,
    /// Commands that were sent.
    pub driven: u64,
    /// Messages that moved nothing.
    pub refused: Refusals,
}

/// Counts one source's messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SourceStats {
    /// The second of the last message, counted from the origin; the messages within it, and within the second before.
    second: u64,
    within: u64,
    before: u64,
    received: u64,
    /// When the last message was received.
    pub(crate) last: Option<Instant>,
    pub(crate) driven: u64,
    pub(crate) refused: Refusals,
}

impl Refused {
    /// All reasons, in the order in which they are checked.
    pub const ALL: [Self; 8] = [
        Self::Late,
        Self::Repeated,
        Self::TooOld,
        Self::FromFuture,
        Self::Invalid,
        Self::WaitsForZero,
        Self::Locked,
        Self::Outranked,
    ];

    /// The name of the reason in `/diagnostics`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Repeated => "repeated",
            Self::TooOld => "too old",
            Self::FromFuture => "from the future",
            Self::Invalid => "invalid",
            Self::WaitsForZero => "before a zero",
            Self::Locked => "locked",
            Self::Outranked => "outranked",
        }
    }
}

impl Refusals {
    /// The count for `reason`.
    pub const fn of(&self, reason: Refused) -> u64 {
        self.0[reason as usize]
    }

    pub(crate) const fn count(&mut self, reason: Refused) {
        self.0[reason as usize] += 1;
    }
}

impl SourceStats {
    pub(crate) fn receive(&mut self, now: Instant) {
        let second = second(now);
        if second != self.second {
            self.before = if second == self.second + 1 { self.within } else { 0 };
            (self.second, self.within) = (second, 0);
        }
        self.within += 1;
        self.received += 1;
        self.last = Some(now);
    }

    pub(crate) fn traffic(&self, now: Instant, age: Option<Duration>) -> Traffic {
        let rate = match second(now).saturating_sub(self.second) {
            0 => self.before,
            1 => self.within,
            _ => 0,
        };
        let age = age.or(self.last.map(|at| now.since(at)));
        Traffic { rate, age, received: self.received, driven: self.driven, refused: self.refused }
    }
}

fn second(now: Instant) -> u64 {
    now.as_nanos() / 1_000_000_000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_full_second() {
        let mut stats = SourceStats::default();
        let rate = |stats: &SourceStats, millis| stats.traffic(Instant::from_millis(millis), None).rate;
        for millis in (0..2_500).step_by(20) {
            stats.receive(Instant::from_millis(millis));
        }
        assert_eq!(rate(&stats, 2_500), 50, "from 1 s to 2 s");
        assert_eq!(rate(&stats, 3_100), 25, "half of the second after that");
        assert_eq!(rate(&stats, 4_000), 0, "and none after that");
        stats.receive(Instant::from_millis(9_000));
        assert_eq!(rate(&stats, 9_999), 0);
        assert_eq!(stats.traffic(Instant::ZERO, None).received, 126);
    }

    #[test]
    fn each_reason_has_its_own_count() {
        let mut refusals = Refusals::default();
        for (index, reason) in Refused::ALL.into_iter().enumerate() {
            assert_eq!(reason as usize, index);
            (0..=index).for_each(|_| refusals.count(reason));
        }
        assert_eq!(Refused::ALL.map(|reason| refusals.of(reason)), [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
