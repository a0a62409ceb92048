//! Random faults around a driving vehicle, with what must come of each.
//!
//! One generator for three worlds: the stop machine alone, the whole drive, and the nodes over DDS, each of which knows how to
//! bring a [`Fault`] about. [`Dice`] are thrown for a [`Setup`]: hindbrain alone, or the chain from the stick to the motors, in one
//! process or in four, which has hindbrain's faults and its own. An [`Episode`] is one of them: the vehicle drives at full speed, the
//! fault begins, and its [`Course`] says within which time the motors are at stop, and that they stay there, although full speed is
//! asked for all the time, during the fault and after its end, until a person did what the way back of its row says; or that it drives on. Then it
//! drives again.
//!
//! The numbers are those of `docs/safety.md` for default parameters; nothing here knows the machines.
#![forbid(unsafe_code)]

mod change;
mod course;
mod dice;
mod episode;
mod fault;
mod kinds;
mod message;
mod plan;
mod play;
mod setup;
mod streams;
mod vehicle;
mod world;

pub use change::{Change, Effect, Parameters};
pub use course::{Course, Motion, Needs};
pub use dice::Dice;
pub use episode::{Episode, Occurrence};
pub use fault::Fault;
pub use message::{Hand, Message, Publishers, Reading};
pub use play::play;
pub use setup::{Driver, Ending, Lack, Nonsense, Process, Rival, Says, Second, Setup, Topic};
pub use vehicle::{Inbox, Seen, Vehicle};
pub use world::World;
