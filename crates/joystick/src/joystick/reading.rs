use core::time::Duration;

use safety::Instant;

/// After this time without a poll of the devices their state is unknown.
const TIMEOUT: Duration = Duration::from_millis(250);

/// Monitors whether the devices are polled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// When they were last polled; `None` before the first poll and after a loss.
    last_read: Option<Instant>,
    is_lost: bool,
}

impl Reading {
    /// Records a poll of the devices and returns whether the reading had been lost.
    pub(super) fn record(&mut self, now: Instant) -> bool {
        self.last_read = Some(now);
        core::mem::take(&mut self.is_lost)
    }

    /// Advances the time and returns whether the reading was lost just now.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let is_lost = self.last_read.is_some_and(|at| now.since(at) >= TIMEOUT);
        if is_lost {
            self.lose();
        }
        is_lost
    }

    /// The devices are no longer polled.
    pub(super) fn lose(&mut self) {
        (self.last_read, self.is_lost) = (None, true);
    }

    /// Whether the devices are no longer polled.
    pub(super) fn is_lost(self) -> bool {
        self.is_lost
    }

    /// When the reading is lost without another poll.
    pub(super) fn deadline(self) -> Option<Instant> {
        self.last_read.map(|at| at + TIMEOUT)
    }
}
