//! Drives a real motor controller with two motor levels, and stops it when no levels are given.
//!
//! * [`Actuator`] owns one thread, `actuator`; no other thread uses the device. [`Actuator::drive`] passes it the newest
//!   levels and never waits for the device. The thread reports an [`Event`] when something happens.
//! * [`Driver`] is one opened device. The two drivers are [`pololu`] and [`roboclaw`]; both devices stop by themselves when
//!   this computer dies. [`Settings`] selects the device and its line.
//! * [`Port`] opens only the device that was opened first, also where it comes back at another port.
//! * [`Timing`] sets the time-out of the levels and how often a level is repeated and the device is checked.
//! * [`Error`] names the device, the action that failed and the finding.
//! * [`level`] converts a level, -66 to 66 and forward positive, to a servo pulse or a duty.
//!
//! Invariants:
//!
//! 1. After every opening the device receives only stop until a level has been given **after** that opening: no old level
//!    survives a lost line.
//! 2. When [`Actuator::drive`] is not called for [`Timing::silence`], the device receives stop, and nothing else until a stop
//!    was given: a caller that was suspended does not continue with its old levels.
//! 3. A stop waits for one exchange with the device at most: the newest levels are sent before a retry and before a check.
//! 4. Every failure of a driver, also a panic, ends in a last attempt to stop, a closed device and [`Event::Lost`].
//! 5. A device that is not the one of the first opening is never driven.
//!
//! Deliberately absent: ramps, ROS, a safety function. A killed process stops nothing: the device has to stop by itself when
//! its line falls silent, and an emergency stop has to cut the power in hardware. The pages of [`pololu`] and [`roboclaw`]
//! describe each device and its set-up.
#![forbid(unsafe_code)]

mod actuator;
mod driver;
mod error;
pub mod level;
mod line;
pub mod pololu;
mod port;
pub mod roboclaw;
mod settings;
mod shared;
mod thread;

pub use actuator::{Actuator, CLOSE_LIMIT, Event, Timing};
pub use driver::{Driver, Watchdog};
pub use error::Error;
pub use line::{ANSWER_LIMIT, WRITE_LIMIT};
pub use port::Port;
pub use settings::{Kind, NotStarted, OutOfRange, Settings};
