//! Random faults around a driving vehicle, with the required course of each.
//!
//! One generator for three test beds: the stop machine alone, the whole drive, and the nodes over DDS, each of which can cause
//! a [`Fault`]. [`Episodes`] are generated for a [`Setup`]: hindbrain alone, or the chain from the stick to the motors, in one
//! process or in four, which has hindbrain's faults and its own. In an [`Episode`] the vehicle drives at full speed and the
//! fault begins. Its [`Course`] has the time within which the motors are at stop; they stay there although full speed is commanded
//! all the time, during the fault and after its end, until a person has done the recovery steps of its row. Or it states that the
//! vehicle drives on. Then the vehicle drives again.
//!
//! The numbers are those of `docs/safety.md` for default parameters; this crate does not depend on the machines.
#![forbid(unsafe_code)]

mod change;
mod course;
mod episode;
mod episodes;
mod fault;
mod kinds;
mod message;
mod plan;
mod play;
mod setup;
mod simulated;
mod streams;
mod vehicle;
mod world;

pub use change::{Change, Effect, Parameters};
pub use course::{Course, Motion, Needs};
pub use episode::{Episode, Occurrence};
pub use episodes::Episodes;
pub use fault::Fault;
pub use message::{Hand, Message, Publishers, Reading};
pub use play::play;
pub use setup::{
    DeviceFault, Driver, Ending, Nonsense, Payload, PrioritySource, Process, Second, Setup, Topic,
};
pub use simulated::{Adapter, Input, Simulated};
pub use vehicle::{Seen, Vehicle};
pub use world::World;
