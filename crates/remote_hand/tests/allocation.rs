//! Nothing on the device's thread allocates.
#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use allocations::{Counting, count};
use haptix::{Device, Noise, Sensor, Simulation};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn serving() {
    common::serve_if_started_for_it();
}

#[test]
fn a_remote_hand_allocates_nothing_whatever_is_done_with_it() {
    let mut hand = common::two_finger(Duration::from_secs(20));
    let mut setpoints = hand.constants().start;
    let mut simulation =
        Simulation { noise: Noise { position: 0.1, ..Noise::default() }, ..Simulation::default() };
    let before = count();
    for step in 0..500 {
        setpoints.ref_pos[step % 2] = 0.5;
        hand.command(&setpoints).unwrap();
        hand.step(Duration::from_millis(1)).unwrap();
        hand.read(&mut Sensor::default()).unwrap();
        match step {
            100 => hand.simulate(&simulation).unwrap(),
            200 => hand.hold(0.5).unwrap(),
            300 => hand.reset(true).unwrap(),
            400 => {
                simulation.faults.is_silent = true;
                hand.simulate(&simulation).unwrap();
                assert!(hand.read(&mut Sensor::default()).is_err());
                simulation.faults.is_silent = false;
                hand.simulate(&simulation).unwrap();
            }
            _ => {}
        }
    }
    assert_eq!(count(), before);
}
