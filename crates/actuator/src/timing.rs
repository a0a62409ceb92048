//! When the actuator's thread does what.

use std::time::Duration;

/// The times that the actuator's thread keeps.
///
/// Those of a device in use are the defaults; others are for tests. Any value is allowed; an interval below one millisecond counts as one, so that the thread cannot spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// After so long without [`drive`](crate::Actuator::drive) the device gets stop by itself.
    pub silence: Duration,
    /// A level is sent again at least so often, so that the device's own watchdog stays fed.
    pub repeat: Duration,
    /// So often the device is asked whether it is there and well.
    pub check: Duration,
    /// So long after it was lost, or could not be opened, a device is opened again.
    pub reopen: Duration,
}

impl Default for Timing {
    /// Silence 250 ms, repeat 50 ms, check 100 ms, reopen 1 s.
    /// # Source
    /// Own: twelve missed levels at 50 Hz are silence; between two levels that a device has taken lies at most a repeat, a check
    /// that is not answered and a pause, 140 ms, less than the shortest watchdog of 200 ms.
    fn default() -> Self {
        Timing {
            silence: Duration::from_millis(250),
            repeat: Duration::from_millis(50),
            check: Duration::from_millis(100),
            reopen: Duration::from_secs(1),
        }
    }
}

impl Timing {
    /// The same with intervals that leave the thread time to sleep.
    pub(crate) fn bounded(self) -> Timing {
        let least = Duration::from_millis(1);
        Timing {
            silence: self.silence,
            repeat: self.repeat.max(least),
            check: self.check.max(least),
            reopen: self.reopen.max(least),
        }
    }
}
