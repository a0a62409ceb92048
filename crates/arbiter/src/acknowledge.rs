use safety::{Clock, Stamp};

use crate::{Arbiter, SourceType, Verdict};

/// An acknowledgement counts for this time after the person's act \[ms\]: one that a link delivers late would start a robot that nobody
/// looks at any more.
const COUNTS_FOR: i64 = 500;
/// It may be stamped so far ahead \[ms\]: the clocks of two computers differ.
const AHEAD: i64 = 100;

/// The reason why an acknowledgement changed nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAcknowledged {
    /// It has no stamp, so it may be late.
    #[error("it has no stamp")]
    NoStamp,
    /// The clock of stamps was not read, or is not reliable.
    #[error("the time is not known")]
    NoTime,
    /// Its age \[ms\].
    #[error("it is {0} ms old, must be younger than {COUNTS_FOR} ms")]
    Old(i64),
    /// How far it is ahead \[ms\].
    #[error("it is stamped {0} ms ahead of this clock, must be at most {AHEAD} ms")]
    Ahead(i64),
    /// It is the last one again.
    #[error("it is the last one again")]
    Repeated,
    /// No source could be acknowledged.
    #[error("no source that sends commands waits only for a zero")]
    NothingWaits,
}

impl Arbiter {
    /// Why the last acknowledgement changed nothing; `None` if it did, or there was none.
    pub fn not_acknowledged(&self) -> Option<NotAcknowledged> {
        self.not_acknowledged
    }

    /// A person takes the place of the zeros that sources have to send: of each that sends commands now and waits for nothing else. Not
    /// of a stick, which a person lets go.
    pub(crate) fn acknowledge(&mut self, stamp: Stamp) {
        let mut result = judge(&self.clock, stamp, self.acknowledged);
        self.acknowledged = stamp;
        if result.is_ok() {
            result = Err(NotAcknowledged::NothingWaits);
            let sources = self.params.sources.iter().zip(&mut self.sources).zip(&self.active.verdicts);
            for ((source, monitor), verdict) in sources {
                if matches!(verdict, Verdict::WaitsForZero(_)) && source.kind != SourceType::PoseState {
                    monitor.acknowledge(self.clock.now());
                    result = Ok(());
                }
            }
        }
        self.not_acknowledged = result.err();
    }
}

fn judge(clock: &Clock, stamp: Stamp, last: Stamp) -> Result<(), NotAcknowledged> {
    if stamp.is_zero() {
        return Err(NotAcknowledged::NoStamp);
    }
    let wall = clock.wall();
    if wall.is_zero() || wall == Stamp::UNKNOWN {
        return Err(NotAcknowledged::NoTime);
    }
    let age = wall.as_nanos().saturating_sub(stamp.as_nanos()) / 1_000_000;
    match age {
        _ if stamp == last => Err(NotAcknowledged::Repeated),
        COUNTS_FOR.. => Err(NotAcknowledged::Old(age)),
        _ if age < -AHEAD => Err(NotAcknowledged::Ahead(-age)),
        _ => Ok(()),
    }
}
