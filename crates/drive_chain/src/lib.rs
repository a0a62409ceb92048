//! The path of a command from the stick to the motors as one machine.
//!
//! [`Drive`] composes joystick, arbiter, zones and hindbrain: one call turns a stick event into a motor value. Each stage
//! behaves as it does in a process of its own, and its outputs are also returned for publication. No other publisher can
//! intervene between two stages: the arbiter receives the joystick's reference, the zones the arbiter's command and
//! hindbrain the zones' command from each other only.
#![forbid(unsafe_code)]

mod drive;
mod mismatch;

pub use drive::{Drive, Input, Output, Stages};
