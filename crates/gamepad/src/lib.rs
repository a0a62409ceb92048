//! Joysticks through SDL2, with hot-plug, and virtual joysticks for machines that have none.
//!
//! [`Gamepads`] owns one thread that owns SDL. All events of the devices go to one closure, the sink, as an
//! [`Event`]: raw values in SDL's numbering, not scaled, and only repetitions filtered. A [`VirtualPad`] takes the
//! same path through SDL as a real device, so a test or a demonstration without hardware runs the same code. In the
//! other direction, [`Gamepads::rumble`] and similar calls reach the device from any thread without waiting.
//!
//! Deliberately absent: dead zones, conversion of names to topics, named button layouts, clocks, ROS.
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
mod pending_devices;
mod sdl;
mod sdl_thread;
mod serial;
mod virtual_pad;
mod watch;

pub use details::{Battery, Capabilities, Details, Driver};
pub use error::Error;
pub use event::{Event, Feature, Hat};
pub use gamepads::{Gamepads, sdl_version};
pub use virtual_pad::{Feedback, VirtualDevice, VirtualFeedback, VirtualPad, VirtualState};
