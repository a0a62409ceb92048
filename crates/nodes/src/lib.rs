//! Steersman's nodes: one thin module for each, and [`steersman`], which runs them together.
//!
//! A node module brings messages to its machine and the machine's outputs to topics; it decides nothing. Each has
//! `Topics` (what it publishes), `subscribe` (what it takes from the graph) and `run` (the node as a process), so that
//! the composed process is made of the same parts.
#![forbid(unsafe_code)]

pub mod chair;
pub mod command_topic;
pub mod hindbrain;
pub mod interface;
pub mod joystick;
pub mod messages;
pub mod simulator;
pub mod start;
pub mod steersman;
pub mod surround;
pub mod velocity_arbiter;
pub mod zone_scaler;
