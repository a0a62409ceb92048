//! Joysticks through SDL2, with hot-plug, and virtual joysticks for machines that have none.
//!
//! [`Gamepads`] owns one thread that owns SDL. Whatever a device does reaches one closure, the sink, as an [`Event`]:
//! raw values in SDL's numbering, nothing scaled, nothing filtered but repetitions. A [`VirtualPad`] goes the same
//! way through SDL as a real device does, so a test or a demonstration without hardware exercises the same code. The
//! other way round, [`Gamepads::rumble`] and its like reach the device from any thread, without waiting for it.
//!
//! Deliberately absent: dead zones, names made fit for topics, named button layouts, clocks, ROS.
//!
//! ```no_run
//! # fn main() -> Result<(), gamepad::Error> {
//! let (events, received) = std::sync::mpsc::channel();
//! let gamepads = gamepad::Gamepads::start(move |event| drop(events.send(event)))?;
//! for event in received {
//!     println!("{event:?}");
//! }
//! # drop(gamepads); Ok(()) }
//! ```
//!
//! Needs SDL 2.24 or later at run time (virtual joysticks with a name).

mod details;
mod device;
mod devices;
mod error;
mod event;
mod gamepads;
mod inbox;
mod links;
mod newcomers;
mod sdl;
mod sdl_thread;
mod sensor;
mod serial;
mod virtual_pad;
mod watch;

pub use details::{Battery, Capabilities, Details, Driver};
pub use error::Error;
pub use event::{Event, Feature, Hat};
pub use gamepads::{Gamepads, sdl_version};
pub use virtual_pad::{Feedback, VirtualDevice, VirtualFeedback, VirtualPad, VirtualState};
