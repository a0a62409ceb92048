use core::time::Duration;

use safety::{Clock, Instant, Stamp};

use crate::{Arbiter, SourceType, Verdict};

/// An acknowledgement counts for this time after the person's act \[ms\]: one that a link delivers late would start a robot that nobody
/// looks at any more.
const COUNTS_FOR: i64 = 500;
/// It may be stamped so far ahead \[ms\]: the clocks of two computers differ.
const AHEAD: i64 = 100;
/// One that comes sooner after the last one that counted is none: it is a program that repeats them.
const PAUSE: Duration = Duration::from_secs(1);

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
    /// How long after the last one that counted it came.
    #[error("it came {:.3} s after the last one, must be at least {} s", .0.as_secs_f64(), PAUSE.as_secs())]
    Repeated(Duration),
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
        if result.is_ok() {
            self.acknowledged = Some(self.clock.now());
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

fn judge(clock: &Clock, stamp: Stamp, last: Option<Instant>) -> Result<(), NotAcknowledged> {
    if stamp.is_zero() {
        return Err(NotAcknowledged::NoStamp);
    }
    let wall = clock.wall();
    if wall.is_zero() || wall == Stamp::UNKNOWN {
        return Err(NotAcknowledged::NoTime);
    }
    let age = wall.as_nanos().saturating_sub(stamp.as_nanos()) / 1_000_000;
    let after = last.map_or(PAUSE, |last| clock.now().since(last));
    match age {
        _ if after < PAUSE => Err(NotAcknowledged::Repeated(after)),
        COUNTS_FOR.. => Err(NotAcknowledged::Old(age)),
        _ if age < -AHEAD => Err(NotAcknowledged::Ahead(-age)),
        _ => Ok(()),
    }
}
