//! The analytic hand does what every hand must do.
#![allow(clippy::unwrap_used)]

use haptix::{AnalyticHand, Device, Model};

fn make(description: &str, seed: u64) -> Box<dyn Device> {
    let model = Model::parse(description).unwrap();
    Box::new(AnalyticHand::new(model, seed))
}

hand_conformance::conformance!(make);
