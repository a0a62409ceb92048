//! The way of a command from the stick to the motors as one machine.
//!
//! [`Drive`] composes joystick, arbiter, zones and hindbrain: one call takes a stick event to a motor value. Each stage
//! behaves as it does in a process of its own; what a stage says is also given out, for whoever watches. Between two
//! stages nothing can come in: the arbiter takes the joystick's reference, the zones the arbiter's command and
//! hindbrain the zones', from nobody else.
#![forbid(unsafe_code)]

mod drive;

pub use drive::{Drive, Input, Output, Stages};
