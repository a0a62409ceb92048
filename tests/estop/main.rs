//! hindbrain and a neighbour that obeys its emergency stop, walked together: it ends by a reset alone, whatever dies, starts or is lost.
//!
//! | file | idea |
//! |---|---|
//! | `world` | hindbrain's machine and the neighbour, the e-stop, the link and the graph between them |
//! | `neighbours` | the arm, which is its judge, and the hand, which is the machine of its node under a stream of commands |
//! | `oracle` | what the rules' text requires of both, without a line of either |
#![allow(clippy::unwrap_used, clippy::panic)]

mod neighbours;
mod oracle;
mod world;

use std::time::Duration;

use hindbrain::STATE_PERIOD;
use safety::VehicleMonitor;

use neighbours::{Arm, Hand, Neighbour};
use world::{Act, World};

/// Beginnings of all sorts: from each of them every order of two or three acts is tried.
fn beginnings() -> [Vec<Act>; 7] {
    use Act::*;
    // The first message of an e-stop is an emergency stop.
    let reset = [ResetUp, ResetDown, ResetUp];
    let drives = [
        &[Wait(2000), Release, Wait(600)],
        &reset[..],
        &[Wait(100), Enable(false), Enable(true), Drive(false), Wait(600), Wait(600)],
    ]
    .concat();
    let after = |more: &[Act]| [&drives[..], more].concat();
    [
        vec![],
        after(&[]),
        after(&[Press, Wait(100)]),
        after(&[Press, Release, Wait(100)]),
        after(&[Press, Release, Terminate, Start, Wait(600)]),
        after(&[Press, Release, Kill, Wait(2000), Start, Wait(600)]),
        after(&[Press, Release, ResetDown, ResetUp]),
    ]
}

/// The number in an environment variable.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

fn play(world: &mut World<impl Neighbour>, acts: &[Act]) -> Result<(), String> {
    acts.iter().try_for_each(|&act| world.act(act))
}

/// Tries every order of `depth` acts, each with half a second after it.
fn walk<N: Neighbour>(world: &World<N>, done: &mut Vec<Act>, depth: u64, count: &mut u64) {
    for &act in Act::ALL {
        let mut next = world.clone();
        done.push(act);
        *count += 1;
        let result = next.act(act);
        assert!(result.is_ok(), "{}\nafter {done:?}", result.unwrap_err());
        if depth > 1 {
            walk(&next, done, depth - 1, count);
        } else {
            let result = next.act(Act::Wait(600));
            assert!(result.is_ok(), "{}\nafter {done:?} and 0.6 s", result.unwrap_err());
        }
        done.pop();
    }
}

/// Tries every order of `depth` acts, or of `ESTOP_ACTS`, after each of the beginnings.
fn walk_all<N: Neighbour>(depth: u64) {
    let (depth, mut count) = (number("ESTOP_ACTS", depth), 0);
    for (index, mut done) in beginnings().into_iter().enumerate() {
        let mut world = World::<N>::new();
        play(&mut world, &done).unwrap_or_else(|wrong| panic!("{wrong}\nin {done:?}"));
        assert!(
            index != 1 || world.clone().neighbour_moves(),
            "it stands after {done:?}: {:?}",
            world.neighbour_halt()
        );
        walk(&world, &mut done, depth, &mut count);
    }
    println!("{count} orders");
}

#[test]
fn no_order_of_three_events_ends_an_emergency_stop_without_a_reset() {
    walk_all::<Arm>(3);
}

/// Three take a minute.
#[test]
fn no_order_of_two_events_moves_a_hand_under_commands_before_a_reset() {
    walk_all::<Hand>(2);
}

#[test]
fn no_random_order_ends_an_emergency_stop_without_a_reset() {
    walk_at_random::<Arm>(5_000);
}

#[test]
fn no_random_order_moves_a_hand_under_commands_before_a_reset() {
    walk_at_random::<Hand>(2_000);
}

/// `ESTOP_WALKS` random orders, each of forty parts, from the seed `ESTOP_SEED` on.
fn walk_at_random<N: Neighbour>(walks: u64) {
    let (first, walks) = (number("ESTOP_SEED", 1), number("ESTOP_WALKS", walks));
    let (mut seen, mut refused) = ([0; 2], 0);
    for seed in first..first + walks {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut world = World::<N>::new();
        let beginnings = beginnings();
        let mut acts = beginnings[random.usize(..beginnings.len())].clone();
        // What brings motion is rare among all that prevents it.
        let likely: [&[Act]; 6] = [
            &[Act::Wait(600)],
            &[Act::Start, Act::Release, Act::ResetUp, Act::ResetDown, Act::ResetUp],
            &[Act::ResetUp, Act::ResetDown, Act::ResetUp],
            &[Act::ResetMotors],
            &[Act::Wait(600), Act::ResetMotors],
            &[Act::Start, Act::Restore],
        ];
        for _ in 0..40 {
            if random.bool() {
                acts.push(Act::ALL[random.usize(..Act::ALL.len())]);
            } else {
                acts.extend(likely[random.usize(..likely.len())]);
            }
        }
        for (index, &act) in acts.iter().enumerate() {
            let result = world.act(act);
            assert!(result.is_ok(), "{}\nseed {seed}: after {:?}", result.unwrap_err(), &acts[..=index]);
        }
        seen = [seen[0] + world.oracle.ended[0], seen[1] + world.oracle.ended[1]];
        refused += world.oracle.refused;
    }
    println!("{} emergency stops ended by hindbrain's reset, {} halts by the neighbour's", seen[0], seen[1]);
    assert!(seen.iter().all(|&count| count * 10 > walks), "both resets are tried: {seen:?}");
    println!("{refused} resets of the neighbour waited while it was held");
    assert!(refused > 0, "a reset that waited is tried where another one would be obeyed");
}

#[test]
fn the_judge_agrees_with_how_often_hindbrain_repeats_its_state() {
    assert!(VehicleMonitor::CONFIRMED_AFTER < STATE_PERIOD, "the first repetition confirms");
    let two_late = STATE_PERIOD * 2 + Duration::from_millis(400);
    assert!(two_late < VehicleMonitor::TIMEOUT, "a message may be lost, and the next one late");
}

/// In the profile `seed` nothing is latched: the arm follows a while after the button.
#[test]
fn in_the_seed_the_arm_is_released_with_the_button() {
    let mut world = World::<Arm>::of_seed();
    play(&mut world, &[Act::Release, Act::Wait(600), Act::Wait(600)]).unwrap();
    assert!(world.neighbour.halt().is_none());
    play(&mut world, &[Act::Press]).unwrap();
    assert!(world.neighbour.halt().is_some());
    play(&mut world, &[Act::Release]).unwrap();
    assert!(world.neighbour.halt().is_some());
    play(&mut world, &[Act::Wait(600)]).unwrap();
    assert!(world.neighbour.halt().is_none());
}
