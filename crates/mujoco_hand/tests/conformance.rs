//! MuJoCo's hand does what every hand must do.

use haptix::{Device, Model};
use mujoco_hand::MujocoHand;

fn make(description: &str, seed: u64) -> Box<dyn Device> {
    let model = Model::parse(description).expect("a description");
    Box::new(MujocoHand::new(model, seed).expect("MuJoCo takes it"))
}

hand_conformance::conformance!(make);
