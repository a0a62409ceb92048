//! Two motor levels on a real motor controller, and a stop of its own when nobody gives any.
//!
//! * [`Actuator`] owns one thread, `actuator`, which alone touches the device. [`Actuator::drive`] hands it the newest
//!   levels and never waits for the device; what happens comes back as an [`Event`].
//! * [`Driver`] is one opened device. [`pololu`] and [`roboclaw`] are the two that there are, both of which stop by
//!   themselves when this computer dies; [`Settings`] says which one and where.
//! * [`Timing`] says when silence stops, how often a level is repeated, how often the device is asked how it is.
//! * [`Error`] says what went wrong with which device, what was tried and what was found.
//! * [`level`] turns a level, -66 to 66 and forward positive, into a servo pulse or a duty.
//!
//! What stays true whatever happens:
//!
//! 1. The first thing that a device gets after every opening is stop, and nothing but stop until a level has been given
//!    **after** that opening: no old level survives a lost line.
//! 2. When nobody calls [`Actuator::drive`] for [`Timing::silence`], the device gets stop, and goes on getting it until a stop was
//!    given: whoever was held does not go on with the levels of before.
//! 3. A stop waits for one exchange with the device at most: before a missing answer is asked for again, and before the device
//!    is asked how it is, the newest levels go out.
//! 4. Whatever a driver does wrong, panic included, ends in a last try to stop, a closed device and [`Event::Lost`].
//!
//! Deliberately absent: ramps, ROS, a safety function. All of this ends with the process: a killed process stops nothing, so
//! the device has to stop by itself when its line falls silent, and an emergency stop has to cut the power in hardware. The
//! pages of [`pololu`] and [`roboclaw`] say what each device can do there and what has to be set up for it.
#![forbid(unsafe_code)]

mod actuator;
mod claim;
mod driver;
mod event;
pub mod level;
mod line;
pub mod pololu;
mod pulse;
pub mod roboclaw;
mod settings;
mod shared;
mod thread;
mod timing;
mod error;

pub use actuator::{Actuator, CLOSE_LIMIT};
pub use driver::{Driver, Watchdog};
pub use event::Event;
pub use line::{ANSWER_LIMIT, WRITE_LIMIT};
pub use settings::{Kind, NotStarted, OutOfRange, Settings};
pub use timing::Timing;
pub use error::Error;
