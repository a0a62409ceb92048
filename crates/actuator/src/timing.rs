//! The intervals of the actuator's thread.

use std::time::Duration;

/// The intervals of the actuator's thread.
///
/// A device in use has the defaults; other values are for tests. Every value is allowed. An interval below one millisecond
/// counts as one, so the thread cannot spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Time-out of the levels: without [`drive`](crate::Actuator::drive) for this time the device receives stop.
    pub silence: Duration,
    /// The longest time between two levels that the device accepted while it turned its motors: after it the device may have
    /// stopped by itself, and receives only stop until a stop is given. It is less than the device's own watchdog.
    pub gap: Duration,
    /// The longest interval between two levels that are sent, which resets the device's own watchdog.
    pub repeat: Duration,
    /// The interval between two checks of the device.
    pub check: Duration,
    /// The time after which a device that was lost, or could not be opened, is opened again.
    pub reopen: Duration,
}

impl Default for Timing {
    /// Silence 250 ms, gap 180 ms, repeat 50 ms, check 100 ms, reopen 1 s.
    /// # Source
    /// Own: twelve missed levels at 50 Hz are silence. Between two levels that a device accepted there is at most a repeat, a
    /// check that is not answered and a pause: 140 ms, less than the gap, and that is less than the shortest watchdog of 200 ms.
    fn default() -> Self {
        Timing {
            silence: Duration::from_millis(250),
            gap: Duration::from_millis(180),
            repeat: Duration::from_millis(50),
            check: Duration::from_millis(100),
            reopen: Duration::from_secs(1),
        }
    }
}

impl Timing {
    /// These intervals, none so short that the thread cannot sleep.
    pub(crate) fn bounded(self) -> Timing {
        let least = Duration::from_millis(1);
        Timing {
            silence: self.silence,
            gap: self.gap,
            repeat: self.repeat.max(least),
            check: self.check.max(least),
            reopen: self.reopen.max(least),
        }
    }
}
