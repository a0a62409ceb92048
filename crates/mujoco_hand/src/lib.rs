//! A HAPTIX hand that MuJoCo simulates.
//!
//! The model is made of the same description as that of the analytic hand (`mjcf`); no model of other people is used. MuJoCo ends the
//! process on an error, so it belongs into one of its own: the executable `mujoco_hand`, which the node `haptix` starts.
#![deny(unsafe_op_in_unsafe_fn)]

mod bench;
mod hand;
mod log;
mod mjcf;

pub use bench::{Measured, measure};
pub use hand::MujocoHand;
