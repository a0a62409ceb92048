//! Random faults while a source of the arbiter or the stick drives, each with its bound and its recovery: the four stages as one
//! machine.
//!
//! `EPISODES=10000 cargo test -p drive_chain --test all episodes` plays that number, from `EPISODES_SEED` if it is set. An episode that
//! fails is printed with its seed and number; add it to `FAILED`.

#![allow(clippy::unwrap_used)] // a failure has to end the test with its seed

use crate::driven;

use driven::Driven;
use scenarios::{Episode, Fault, Occurrence, Setup, Simulated, Topic, play};

/// Seeds and numbers of episodes that once failed. A new kind of fault changes the random numbers and empties the list.
const FAILED: [(u64, usize); 0] = [];

/// Plays the episodes of all seeds, with a pad or with the virtual stick.
fn plays(is_pad: bool) {
    // A pad has no publisher, and only a chair has a profile.
    let lacks = |one: &Occurrence| match one.fault {
        Fault::SecondPublisher { topic, .. } => matches!(topic, Topic::Stick | Topic::Profile),
        fault => fault == Fault::ProfileUnknown,
    };
    let skips = |episode: &Episode| is_pad && episode.faults.iter().any(lacks);
    let causes = |driven: &Simulated<Driven>| {
        let stages = driven.machine.stages();
        format!("{}; {:?}", stages.hindbrain.causes(), stages.arbiter.active())
    };
    play(&FAILED, Setup::Together, || Driven::simulated(is_pad), skips, causes).unwrap();
}

#[test]
fn every_fault_stops_in_time_and_every_recovery_drives() {
    plays(false);
}

#[test]
fn every_fault_stops_in_time_and_every_recovery_drives_with_a_pad() {
    plays(true);
}
