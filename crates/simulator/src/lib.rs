//! A small deterministic world, the machine behind the node `simulator`: a vehicle with two driven wheels among walls.
//!
//! It receives hindbrain's motor values and returns the outputs of a vehicle's sensors: odometry, a laser scan, LUCI
//! zone scaling, four infra-red ranges and the heartbeat of an e-stop button. There is no noise and no randomness:
//! the same inputs at the same times give the same outputs, byte for byte, regardless of polls in between.
//!
//! * [`parameters`]: the parameters.
//! * [`World`]: the machine; its [`Input`], [`Output`] and the [`Snapshot`] for a display.
//! * `motors`: servo values to wheel speeds; silence and invalid values stop.
//! * `vehicle`: lag, exact arcs, contact with walls.
//! * `scaling`: LUCI's sixteen factors from the walls around.
//! * `sensors`: laser scan and infra-red ranges.
//! * `geometry`: rays, sweeps and sectors against line segments.
//! * `pace`: deadlines without drift and without bursts.
#![forbid(unsafe_code)]

mod geometry;
mod messages;
mod motors;
mod pace;
pub mod parameters;
mod scaling;
mod sensors;
mod vehicle;
mod world;

pub use geometry::{Pose, Segment};
pub use messages::{Input, Odometry, Output, Range, Scan, Snapshot, Wheel};
pub use parameters::{Params, specification};
pub use safety::Level;
pub use world::{Counters, World};
