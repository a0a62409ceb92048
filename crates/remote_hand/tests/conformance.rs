//! A hand in a process of its own does what every hand must do.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use haptix::Device;

fn make(description: &str, seed: u64) -> Box<dyn Device> {
    // A busy machine may let the other process wait.
    Box::new(common::start(description, seed, Duration::from_secs(20)).unwrap())
}

hand_conformance::conformance!(make);

#[test]
fn serving() {
    common::serve_if_started_for_it();
}
