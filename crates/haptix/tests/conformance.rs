//! The analytic hand does what every hand must do.

use haptix::{AnalyticHand, Device, Model};

fn make(description: &str, seed: u64) -> Box<dyn Device> {
    let model = Model::parse(description).expect("a description");
    Box::new(AnalyticHand::new(model, seed))
}

hand_conformance::conformance!(make);
