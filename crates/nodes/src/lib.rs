//! Steersman's nodes: one thin module for each, and [`steersman`], which runs them together.
//!
//! A node module passes messages to its machine and the machine's outputs to topics; it decides nothing, except in
//! `hindbrain/watch.rs`, where a supervising thread replaces motion by a stop. Each has `Topics` (what it publishes), `subscribe`
//! (its subscriptions) and `run` (the node as a process), so the composed process uses the same parts.
#![forbid(unsafe_code)]

pub mod chair;
pub mod command_topic;
pub mod executables;
pub mod haptix;
pub mod hindbrain;
pub mod joystick;
pub mod luci_chair;
pub mod luci_topics;
pub mod marker_publisher;
pub mod markers;
pub mod mechanism;
pub mod messages;
pub mod simulator;
pub mod start;
pub mod steersman;
pub mod surround;
pub mod switch_relay;
pub mod velocity_arbiter;
pub mod why;
pub mod zone_scaler;
