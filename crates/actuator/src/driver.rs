//! One opened device.

use std::time::Duration;

use crate::error::Error;

/// One opened device with two motors, port and starboard.
///
/// Every call is one exchange with the device and no more: whoever calls asks again where an answer was missing, and looks for
/// newer levels before. It returns in bounded time, also when the device does not answer or does not take what is written: the thread
/// that calls it has a stop to send. A device is closed by dropping it. It may have been stopped by its maker already; the
/// actuator calls [`stop`](Driver::stop) first all the same.
pub trait Driver: Send {
    /// Makes the motors turn so: port and starboard, -66 to 66, forward positive, beyond that full.
    /// # Errors
    /// The device cannot be reached or does not confirm what it can confirm.
    fn drive(&mut self, levels: [i16; 2]) -> Result<(), Error>;

    /// Asks the device whether it is there and well.
    /// # Errors
    /// It does not answer, answers wrongly, or reports an error of its own.
    fn check(&mut self) -> Result<(), Error>;

    /// Stops both motors, in the surest way that the device has.
    /// # Errors
    /// As for [`drive`](Driver::drive).
    fn stop(&mut self) -> Result<(), Error> {
        self.drive([0, 0])
    }

    /// Whether an exchange whose answer was missing or wrong may be repeated without harm.
    fn may_repeat(&self) -> bool {
        false
    }

    /// What was opened, for a person: device, model, version.
    fn description(&self) -> String;

    /// What is known of the device's own stop on silence.
    fn watchdog(&self) -> Watchdog {
        Watchdog::Absent
    }
}

/// What is known of a device's own stop on silence, which is all that is left when this process dies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watchdog {
    /// The device has confirmed this time-out.
    Set(Duration),
    /// It was left without a command for about this long, and its time-out was seen to strike.
    Seen(Duration),
    /// It was left without a command for this long, and nothing happened: it has to be set up by hand.
    NotSeen(Duration),
    /// The device has none: something else has to stop the motors when this process dies.
    Absent,
}
