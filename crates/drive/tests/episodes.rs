//! Random faults while a source of the arbiter or the stick drives, each with its bound and its way back: the four stages as one
//! machine.
//!
//! `EPISODES=10000 cargo test -p drive --test episodes` plays as many, also from `EPISODES_SEED` if there is one; a seed that
//! fails is printed, and belongs into `SEEDS`.

#![allow(clippy::unwrap_used, clippy::panic)] // what fails has to end the test with its seed

mod driven;

use driven::Driven;
use scenarios::{Dice, Fault, Setup, Topic, World};

/// Seeds that once failed are played every time.
const SEEDS: [u64; 1] = [1];

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Plays the episodes of all seeds, with a pad or with the virtual stick.
fn play(is_pad: bool) {
    let episodes = number("EPISODES").unwrap_or(400) as usize;
    for seed in SEEDS.into_iter().chain(number("EPISODES_SEED")) {
        let mut world = World::new(Driven::new(is_pad), Setup::Together);
        world.start().unwrap();
        for (number, episode) in Dice::new(seed, Setup::Together).take(episodes).enumerate() {
            // A pad has no publisher.
            if is_pad && matches!(episode.fault, Fault::SecondPublisher { topic: Topic::Stick, .. }) {
                continue;
            }
            if let Err(what) = world.play(&episode) {
                let stages = world.vehicle().machine.stages();
                let (causes, active) = (stages.hindbrain.causes(), stages.arbiter.active());
                panic!("seed {seed}, episode {number} ({episode}): {what}; {causes}; {active:?}");
            }
        }
    }
}

#[test]
fn every_fault_stops_in_time_and_every_recovery_drives() {
    play(false);
}

#[test]
fn so_it_is_with_a_pad_that_is_read() {
    play(true);
}
