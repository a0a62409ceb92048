//! When the actuator's thread does what.

use std::time::Duration;

/// The times that the actuator's thread keeps.
///
/// Any value is allowed; an interval below one millisecond counts as one, so that the thread cannot spin.
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
    /// Silence 150 ms, repeat 50 ms, check 100 ms, reopen 1 s.
    /// # Source
    /// Own: three missed levels at 20 Hz are silence; a device's watchdog of 200 ms survives two lost repetitions.
    fn default() -> Self {
        Timing {
            silence: Duration::from_millis(150),
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
