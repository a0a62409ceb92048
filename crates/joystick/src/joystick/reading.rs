use core::time::Duration;

use units::Instant;

/// If the devices are not looked at for so long, nobody knows where the sticks are.
const SILENCE: Duration = Duration::from_millis(250);

/// Whether somebody looks at the devices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// When they were looked at last; `None` before the first look and since that was lost.
    looked: Option<Instant>,
    is_lost: bool,
}

impl Reading {
    /// The devices were looked at; whether that had been lost.
    pub(super) fn look(&mut self, now: Instant) -> bool {
        self.looked = Some(now);
        core::mem::take(&mut self.is_lost)
    }

    /// Lets time pass; whether the reading was lost by it.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let is_lost = self.looked.is_some_and(|at| now.since(at) >= SILENCE);
        if is_lost {
            self.lose();
        }
        is_lost
    }

    /// Nobody looks any more.
    pub(super) fn lose(&mut self) {
        (self.looked, self.is_lost) = (None, true);
    }

    /// Whether nobody looks any more.
    pub(super) fn is_lost(self) -> bool {
        self.is_lost
    }

    /// When it is lost if nobody looks.
    pub(super) fn deadline(self) -> Option<Instant> {
        self.looked.map(|at| at + SILENCE)
    }
}
