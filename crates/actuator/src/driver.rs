//! One opened device.

use std::time::Duration;

use crate::error::Error;

/// One opened device with two motors, port and starboard.
///
/// Every call is one exchange with the device: the caller repeats it if the answer is missing, and sends newer levels
/// first. A call returns in bounded time, also when the device does not answer or does not accept the bytes, because
/// the calling thread may have to send a stop. Dropping closes the device. The constructor may have stopped the device
/// already; the actuator calls [`stop`](Driver::stop) first nevertheless.
pub trait Driver: Send {
    /// Sets the levels of the motors: port and starboard, -66 to 66, forward positive; a level out of range is full.
    /// # Errors
    /// The device cannot be reached or does not confirm what it can confirm.
    fn drive(&mut self, levels: [i16; 2]) -> Result<(), Error>;

    /// Checks that the device still drives: one that was reset since, by a short loss of power, does not.
    ///
    /// * `sides`: the directions of the motors, of which one is not 0: 1 forward, -1 in reverse, 0 at stop or not known yet
    /// # Errors
    /// As for [`check`](Driver::check), or it does not drive.
    fn confirm(&mut self, _sides: [i16; 2]) -> Result<(), Error> {
        Ok(())
    }

    /// Checks that the device answers and reports no error.
    /// # Errors
    /// It does not answer, answers wrongly, or reports an error.
    fn check(&mut self) -> Result<(), Error>;

    /// Stops both motors in the most reliable way that the device has.
    /// # Errors
    /// As for [`drive`](Driver::drive).
    fn stop(&mut self) -> Result<(), Error> {
        self.drive([0, 0])
    }

    /// Whether an exchange whose answer was missing or wrong may be repeated without harm.
    fn may_repeat(&self) -> bool {
        false
    }

    /// The model and the version that the device answered, equal at each opening; empty if it has no such answer.
    fn model(&self) -> &str {
        ""
    }

    /// Description for people: device, model, version.
    fn description(&self) -> String;

    /// The state of the device's own stop on silence.
    fn watchdog(&self) -> Watchdog {
        Watchdog::Absent
    }
}

/// The state of a device's own stop on silence, the only stop that remains when this process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watchdog {
    /// The device has confirmed this time-out.
    Set(Duration),
    /// Its time-out was observed after about this time without a command.
    Seen(Duration),
    /// No time-out was observed within this time without a command: it has to be set up by hand.
    NotSeen(Duration),
    /// The device has none: another device has to stop the motors when this process dies.
    Absent,
}
