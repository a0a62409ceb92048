//! MuJoCo's hand does what every hand must do.
#![allow(clippy::unwrap_used)]

use haptix::{Device, Model};
use mujoco_hand::MujocoHand;

fn make(description: &str, seed: u64) -> Box<dyn Device> {
    let model = Model::parse(description).unwrap();
    Box::new(MujocoHand::new(model, seed).unwrap())
}

hand_conformance::conformance!(make);
