use core::time::Duration;

use safety::Instant;
use safety::freshness::AHEAD;

use crate::laws::{NamedPointsError, Trajectory};

/// Trajectories that follow each other with less time between them are a stream.
const PAUSE: Duration = Duration::from_millis(500);

/// The trajectories of one topic: tells a stream from a computer whose clock is ahead from one trajectory that is to begin later.
///
/// In such a stream each trajectory would brake and hold the joints until its stamp. So none but the first may begin more than 0.1 s
/// later, and after one that did no more than half of that, until a pause of 0.5 s: a stream near the bound does not fall into pieces.
/// # Source
/// own.
#[derive(Clone, Copy, Debug, Default)]
pub struct AheadStream {
    last: Option<Instant>,
    is_ahead: bool,
}

impl AheadStream {
    /// Takes a trajectory that came `now`.
    /// # Errors
    /// It is of a stream, and begins too late.
    pub fn check(&mut self, new: Trajectory, now: Instant) -> Result<Trajectory, NamedPointsError> {
        let follows = self.last.replace(now).is_some_and(|last| now.since(last) < PAUSE);
        let (by, most) = (new.delay(), if follows && self.is_ahead { AHEAD / 2 } else { AHEAD });
        self.is_ahead = by > most;
        if follows && self.is_ahead { Err(NamedPointsError::Ahead { by, most: AHEAD }) } else { Ok(new) }
    }
}
