//! The joints, transmissions and controllers of a robot, stepped together, as pr2_mechanism does.
#![forbid(unsafe_code)]

mod base;
mod builtin;
mod chain;
pub mod controllers;
pub mod description;
pub mod diagnostics;
pub mod follow;
mod halt_cause;
pub mod laws;
mod node;
mod parameters;
pub mod robot;
mod snapshot;
pub mod standard;
mod waiting;

pub use base::{BaseError, BaseMotors};
pub use builtin::{BUILTIN_TYPES, BuiltinType, Frames, Setup};
pub use chain::{Chain, ChainError};
pub use description::{Description, DescriptionError};
pub use node::{Input, Mechanism, Output};
pub use parameters::{Params, RemoteCommands, RemoteParams, specification};
pub use robot::{Actuator, Joint, Robot};
pub use snapshot::{LOOP_SILENCE, Recorder, SIGNS_OF_LIFE, Snapshot};
