//! What the actuator tells.

use crate::driver::Watchdog;
use crate::error::Error;

/// What happened to the device, told on the actuator's own thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The device is open and has been told to stop. It turns with the next level that is given.
    Ready {
        /// What was opened, for a person.
        description: String,
        /// What is known of the device's own stop on silence.
        watchdog: Watchdog,
    },
    /// The device cannot be used, or what it does is not known. Events once; the next of it is [`Event::Ready`].
    ///
    /// Also when the last stop of a closing actuator failed.
    Lost(Error),
    /// Nobody has given a level for [`Timing::silence`](crate::Timing::silence); the device has been told to stop, and gets nothing
    /// else until a stop is given.
    Silent,
    /// A stop was given after [`Event::Silent`], and the device has it: it turns with the next level that is given.
    Fed,
    /// A call of the driver does not come back, and what the motors do is not known. From [`Actuator::hangs`], since the thread
    /// itself cannot say so.
    ///
    /// [`Actuator::hangs`]: crate::Actuator::hangs
    Hangs,
    /// It came back, and the device is as [`Event::Ready`] said. A device that is lost by then is [`Event::Lost`] only.
    HangsNoLonger,
}
