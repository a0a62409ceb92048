//! The events that the actuator reports.

use crate::driver::Watchdog;
use crate::error::Error;

/// An event of the device, reported on the actuator's thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The device is open and has been sent stop. It moves with the next level that is given.
    Ready {
        /// Description of the device for people.
        description: String,
        /// The state of the device's own stop on silence.
        watchdog: Watchdog,
    },
    /// The device cannot be used, or its state is not known. Reported once, until the next [`Event::Ready`],
    /// and again if another device has taken its place.
    ///
    /// Also reported when the last stop of a closing actuator failed.
    Lost(Error),
    /// No level was given for [`Timing::silence`](crate::Timing::silence). The device has been sent stop, and receives nothing else
    /// until a stop is given.
    Silent,
    /// The device turned its motors and received no levels for [`Timing::gap`](crate::Timing::gap), so it may have stopped by itself. It
    /// has been sent stop, and receives nothing else until a stop is given.
    Interrupted,
    /// A stop was given after [`Event::Silent`] or [`Event::Interrupted`] and sent to the device. It moves with the next level that is given.
    Fed,
    /// A driver's call does not return, and the state of the motors is not known. [`Actuator::hangs`] returns it, since the
    /// thread itself cannot report it.
    ///
    /// [`Actuator::hangs`]: crate::Actuator::hangs
    Hangs,
    /// The call returned and the device is still [`Event::Ready`]. A device that was lost meanwhile is only [`Event::Lost`].
    HangsNoLonger,
}
