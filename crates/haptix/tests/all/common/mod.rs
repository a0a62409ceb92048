//! Helpers that the tests share.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

pub mod node;

pub use hand_conformance::{Rig, STEP};
use haptix::{AnalyticHand, Device, MAX, Model};

/// The analytic hand of a description.
pub fn make(description: &str, seed: u64) -> Box<dyn Device> {
    Box::new(AnalyticHand::new(Model::parse(description).unwrap(), seed))
}

/// The analytic hand of a built-in device, with the meaning of commands in front.
pub fn rig(device: &str) -> Rig {
    Rig::new(&make, device)
}

pub fn values(given: &[f32]) -> Option<[f32; MAX]> {
    let mut values = [0.0; MAX];
    values[..given.len()].copy_from_slice(given);
    Some(values)
}

pub fn close(a: f32, b: f64, tolerance: f64) -> bool {
    (f64::from(a) - b).abs() <= tolerance
}
