use safety::{Instant, PublisherCount, Stamp};

use crate::{LockState, Params};

/// Why a source drives or does not. If several reasons hold the greatest one is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Its commands are sent.
    Drives,
    /// Its next message drives; earlier messages have no effect.
    Waits,
    /// A source of higher priority drives or waits.
    Outranked {
        /// Index of that source.
        by: usize,
    },
    /// It asks for motion, and a zero is required first.
    WaitsForZero(ZeroCause),
    /// A lock of higher priority is closed, silent or in conflict.
    Locked {
        /// Index of the lock, of the one with the highest priority if there are several.
        by: usize,
    },
    /// No message was received yet.
    NeverReceived,
    /// No new message was received in time: within its timeout, or before the stamp of its last command was too old.
    TimedOut,
    /// Its last message was too old when it was received, by its stamp or because it can have been queued for that long.
    TooOld,
    /// The stamp of its last message lay further ahead than clocks may differ.
    FromFuture,
    /// Its last message was not a command.
    Invalid,
    /// It has more than one publisher, or their number is not known.
    Conflict,
    /// The node's life cycle is in another state than active; no source drives.
    Inactive,
    /// The node is stopping; no source drives any more.
    Stopping,
}

/// Why a source has to send a zero before it drives, so nothing drives off by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum ZeroCause {
    /// It was lost while it asked for motion.
    Lost,
    /// Another source was lost before its release, or a lock was; or parameters let another source drive.
    OtherLost,
    /// It had more than one publisher.
    Conflict,
    /// Its motion begins with one: it may have been publishing already when the arbiter started or when the source was added, or it was
    /// silent and is of a [kind](crate::SourceType) that sends zero at rest.
    #[default]
    Begins,
}

/// The source that drives, and why the others do not.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Active {
    /// Index of the source that drives.
    pub source: Option<usize>,
    /// Time at which it began to drive, or at which the last one ended.
    pub since: Instant,
    /// Time of `since` by the wall clock; zero if the wall clock was not known.
    pub stamp: Stamp,
    /// One verdict for each source, in the order of [`Params::sources`].
    pub verdicts: Vec<Verdict>,
    /// The publishers of each source, in the same order.
    pub publishers: Vec<PublisherCount>,
    /// The state of each lock, in the order of [`Params::locks`].
    pub locks: Vec<LockState>,
}

impl Verdict {
    /// The verdict as text, with the names from `params`.
    pub fn explain(self, params: &Params) -> String {
        let text = match self {
            Self::Drives => "drives",
            Self::Waits => "waits for its next message",
            Self::Outranked { by } => {
                let source = params.sources.get(by).map_or("?", |source| &source.name);
                return format!("outranked by {source}");
            }
            Self::Locked { by } => {
                let lock = params.locks.get(by).map_or("?", |lock| &lock.name);
                return format!("locked by {lock}");
            }
            Self::NeverReceived => "never received",
            Self::TimedOut => "timed out",
            Self::WaitsForZero(ZeroCause::Lost) => "waits for a zero: it was lost while it asked for motion",
            Self::WaitsForZero(ZeroCause::OtherLost) => {
                "waits for a zero: another source, or a lock, was lost"
            }
            Self::WaitsForZero(ZeroCause::Conflict) => "waits for a zero: its publishers were in conflict",
            Self::WaitsForZero(ZeroCause::Begins) => "waits for a zero, with which its motion begins",
            Self::TooOld => "sent a command that is too old",
            Self::FromFuture => "sent a command from the future",
            Self::Invalid => "sent no valid command",
            Self::Conflict => "in conflict",
            Self::Inactive => "stopped, the node is not active",
            Self::Stopping => "stopped, the node is stopping",
        };
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_names_the_source_or_lock_that_prevails() {
        let params = Params::default();
        assert_eq!(Verdict::Outranked { by: 0 }.explain(&params), "outranked by joystick");
        assert_eq!(Verdict::Locked { by: 9 }.explain(&params), "locked by ?");
    }

    #[test]
    fn a_fault_of_a_source_outranks_the_effect_of_others() {
        let by = 0;
        assert!(Verdict::Drives < Verdict::Waits && Verdict::Waits < Verdict::Outranked { by });
        assert!(
            Verdict::Outranked { by: 9 } < Verdict::Locked { by }
                && Verdict::Locked { by: 9 } < Verdict::TimedOut
        );
        assert!(Verdict::Outranked { by } < Verdict::WaitsForZero(ZeroCause::Lost));
        assert!(Verdict::WaitsForZero(ZeroCause::Begins) < Verdict::Locked { by });
        assert!(Verdict::TimedOut < Verdict::TooOld && Verdict::TooOld < Verdict::FromFuture);
        assert!(Verdict::FromFuture < Verdict::Invalid && Verdict::Invalid < Verdict::Inactive);
    }
}
