//! Random faults around a driving vehicle, with what must come of each.
//!
//! One generator for three worlds: the stop machine alone, the whole drive, and the nodes over DDS, each of which knows how to
//! bring a [`Fault`] about. An [`Episode`] is one of them: the vehicle drives at full speed, the fault begins, and within
//! [`Fault::bound`] the motors are at stop, and stay there, although full speed is asked for all the time, during the fault and after
//! its end, until a person did what [`Fault::clears`] says. Then it drives again.
//!
//! The numbers are those of `docs/safety.md` for default parameters; nothing here knows the machines.
#![forbid(unsafe_code)]

mod episode;
mod fault;
mod world;

pub use episode::{Dice, Episode};
pub use fault::{Clears, Fault, Second, Topic};
pub use world::{Message, Reading, Vehicle, World};
