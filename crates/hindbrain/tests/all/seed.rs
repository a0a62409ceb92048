//! The profile `seed`: the original's states, ramp and mapping, with its time-outs closed.

use crate::common;

use common::{Rig, command, ir, not_finite, publishers, rig, text, texts};
use hindbrain::{Cause, Input, Level, Sensor, SoleTopic, StopState};
use params::Value;

const FULL_AHEAD: fn() -> Input = || command(1.0, 0.0);

fn seed(changes: &[(&str, Value)]) -> Rig {
    // In the original both parts of a command are parts of full speed.
    rig(&[&[("profile", text("seed")), ("track", Value::Float(2.0))], changes].concat())
}

#[test]
fn the_estop_follows_its_level() {
    let mut rig = seed(&[]);
    rig.full_speed();
    rig.send(Input::EstopReceived(true));
    assert_eq!((rig.last(), rig.state()), ([0, 0], StopState::Estop));
    rig.repeat(&[FULL_AHEAD()], 1_000);
    assert_eq!((rig.state(), rig.levels()), (StopState::Estop, [0, 0]), "it stops until its release");
    assert!(!rig.has(Cause::EstopLatched));
    rig.send(Input::EstopReceived(false));
    assert_eq!((rig.state(), rig.levels()), (StopState::Ok, [0, 0]), "no reset");
    rig.repeat(&[Input::EstopReceived(false), FULL_AHEAD()], 500);
    assert_eq!(rig.levels(), [9, 9], "no new enable, no zero first: 490 ms at one count in 50");
}

#[test]
fn enable_follows_its_level_and_starts_from_zero() {
    let mut rig = seed(&[]);
    assert_eq!(rig.state(), StopState::SoftRos);
    rig.send(FULL_AHEAD());
    rig.send(Input::EnableReceived(true));
    assert_eq!(rig.state(), StopState::Ok, "at once");
    rig.wait(400);
    assert_eq!(rig.levels(), [0, 0], "a command to a stopped vehicle is discarded");
    rig.repeat(&[FULL_AHEAD()], 1_000);
    assert!(rig.levels()[0] > 0);
    rig.send(Input::EnableReceived(false));
    assert_eq!((rig.last(), rig.state()), ([0, 0], StopState::SoftRos));
}

#[test]
fn an_enable_from_before_an_estop_still_counts() {
    let mut rig = seed(&[]);
    rig.send(Input::EstopReceived(true));
    rig.send(Input::EnableReceived(true));
    rig.send(Input::EstopReceived(false));
    assert_eq!(rig.state(), StopState::Ok);
    assert!(!rig.has(Cause::NotArmed));
}

#[test]
fn the_level_changes_by_one_count_in_50_ms_both_ways() {
    let mut rig = seed(&[]);
    rig.ready();
    for hundredth in 0..=330 {
        rig.send(FULL_AHEAD());
        assert_eq!(rig.levels(), [hundredth / 5; 2], "after {hundredth}0 ms");
        rig.wait(10);
    }
    assert_eq!(rig.levels(), [66, 66], "66 counts in 3.3 s");
    for hundredth in 0..=330 {
        rig.send(command(0.0, 0.0));
        // The first 10 ms are those after the last command ahead.
        assert_eq!(rig.levels(), [66 - (hundredth + 1).min(330) / 5; 2], "after {hundredth}0 ms");
        rig.wait(10);
    }
}

#[test]
fn the_sign_changes_without_a_rest() {
    let mut rig = seed(&[]);
    rig.ready();
    rig.repeat(&[FULL_AHEAD()], 110);
    assert_eq!(rig.levels(), [2, 2]);
    let mut levels = Vec::new();
    for _ in 0..21 {
        rig.send(command(-1.0, 0.0));
        levels.push(rig.levels()[0]);
        rig.wait(10);
    }
    // 50 ms for every count, including zero.
    let mut runs: Vec<(i16, usize)> = Vec::new();
    for level in levels {
        match runs.last_mut() {
            Some((last, times)) if *last == level => *times += 1,
            _ => runs.push((level, 1)),
        }
    }
    assert_eq!(runs[1..4], [(1, 5), (0, 5), (-1, 5)]);
}

#[test]
fn the_mapping_matches_the_original() {
    let reach = |forward, turn| {
        let mut rig = seed(&[]);
        rig.ready();
        rig.repeat(&[command(forward, turn)], 4_000);
        rig.levels()
    };
    // A positive turn slows starboard: 66 * (0.5 * 0.75 + 0.005) = 25.08.
    assert_eq!(reach(0.5, 0.25), [33, 25]);
    assert_eq!(reach(0.5, -0.25), [25, 33]);
    assert_eq!(reach(0.0, 1.0), [0, 0], "no turn in place");
    assert_eq!(reach(-0.5, 0.25), [-33, -33], "no turn in reverse");
    // Each part is limited by itself: 66 * (1 * 0.5 + 0.005) = 33.33.
    assert_eq!(reach(2.0, 0.5), [66, 33]);
}

#[test]
fn any_blocked_sensor_stops_everything_until_it_clears() {
    let mut rig = seed(&[("ir.sensors", texts(&["ir_front_port", "ir_back_port"]))]);
    let around = |front, input| vec![ir(Sensor::FrontPort, front), ir(Sensor::BackPort, 1.0), input];
    rig.repeat(&around(1.0, FULL_AHEAD()), 510);
    rig.send(Input::EnableReceived(true));
    rig.repeat(&around(1.0, FULL_AHEAD()), 300);
    assert!(rig.levels()[0] > 0);
    rig.repeat(&around(0.1, FULL_AHEAD()), 60);
    assert_eq!((rig.state(), rig.levels()), (StopState::SoftIr, [0, 0]));
    rig.repeat(&around(0.1, command(-1.0, 0.0)), 500);
    assert_eq!((rig.state(), rig.levels()), (StopState::SoftIr, [0, 0]), "the direction does not count");
    rig.send(Input::EnableReceived(false));
    assert_eq!(rig.state(), StopState::SoftBoth);
    rig.send(Input::EnableReceived(true));
    rig.repeat(&around(1.0, FULL_AHEAD()), 800);
    assert_eq!(rig.state(), StopState::Ok);
    assert!(rig.levels()[0] > 0);
}

#[test]
fn a_fault_ends_with_its_cause() {
    let mut rig = seed(&[]);
    rig.full_speed();
    rig.stall(501);
    rig.send(FULL_AHEAD());
    assert_eq!((rig.state(), rig.last()), (StopState::Fault, [0, 0]));
    assert!(rig.has(Cause::Overrun) && !rig.has(Cause::FaultLatched));
    rig.wait(20);
    assert_eq!((rig.state(), rig.levels()), (StopState::Ok, [0, 0]), "from zero");
    assert!(!rig.has(Cause::Overrun));
}

#[test]
fn a_conflict_stops_while_it_lasts() {
    let mut rig = seed(&[]);
    rig.full_speed();
    rig.send(publishers(SoleTopic::Command, 2, 0));
    assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]));
    assert_eq!(rig.hindbrain.health().0, Level::Error);
    rig.send(publishers(SoleTopic::Command, 1, 0));
    assert_eq!(rig.state(), StopState::Ok);
}

#[test]
fn h1_silence_stops_the_motors() {
    let mut rig = seed(&[]);
    rig.full_speed();
    // The last command was received 10 ms ago; it counts for 500 ms. Then the level falls as slowly as it rose.
    rig.wait(480);
    assert_eq!(rig.levels(), [66, 66]);
    rig.wait(3_320);
    assert_eq!((rig.levels(), rig.last()), ([0, 0], [0, 0]));
    assert!(rig.has(Cause::CommandStale));
}

#[test]
fn h2_a_command_that_is_not_finite_moves_nothing_and_does_not_keep_the_last_one_alive() {
    let mut rig = seed(&[]);
    rig.ready();
    rig.repeat(&[not_finite()], 1_000);
    assert_eq!((rig.levels(), rig.hindbrain.counters().invalid), ([0, 0], 100));
    rig.repeat(&[FULL_AHEAD()], 500);
    assert!(rig.levels()[0] > 0);
    // At most 20 counts: 500 ms until it is stale, then 50 ms each.
    rig.repeat(&[not_finite()], 1_500);
    assert_eq!(rig.levels(), [0, 0]);
    // The original decoded these as full speed.
    for odd in [1e-40, -1e-60, 1e-300, 3.5e38, 1e308] {
        rig.repeat(&[command(odd, odd)], 200);
        assert_eq!(rig.levels(), [0, 0], "{odd:e}");
    }
}

#[test]
fn h4_a_silent_estop_counts_as_pressed() {
    let mut rig = seed(&[]);
    rig.send(Input::EstopReceived(false));
    rig.ready();
    rig.repeat(&[FULL_AHEAD()], 220);
    assert_eq!(rig.state(), StopState::Ok);
    rig.wait(10);
    assert_eq!((rig.state(), rig.last()), (StopState::Estop, [0, 0]), "after exactly 250 ms");
    assert!(rig.has(Cause::EstopStale));
    rig.send(Input::EstopReceived(false));
    assert_eq!(rig.state(), StopState::Ok);
}

#[test]
fn h4_a_required_estop_that_was_never_received_counts_as_pressed() {
    let mut rig = seed(&[("estop.required", Value::Bool(true))]);
    rig.send(Input::EnableReceived(true));
    rig.repeat(&[FULL_AHEAD()], 500);
    assert_eq!((rig.state(), rig.levels()), (StopState::Estop, [0, 0]));
}

#[test]
fn h7_one_snapshot_gives_one_state_and_its_causes() {
    let mut rig = seed(&[("ir.sensors", texts(&["ir_front_port"]))]);
    rig.send(Input::EnableReceived(true));
    rig.repeat(&[ir(Sensor::FrontPort, 1.0)], 510);
    let mut texts: Vec<&str> = rig.states.iter().map(|(_, state)| state.as_str()).collect();
    texts.dedup();
    assert_eq!(texts, ["SSTOP.BOTH", "SSTOP.IR", "OK"], "no SSTOP.UNK");
}

#[test]
fn h13_h14_motor_values_are_sent_at_a_fixed_rate_and_the_state_on_change_and_twice_a_second() {
    let mut rig = seed(&[]);
    rig.drives.clear();
    rig.wait(2_000);
    assert_eq!((rig.drives.len(), rig.states.len()), (100, 1 + 4));
}

#[test]
fn h16_a_restarted_machine_waits_for_enable() {
    let mut rig = seed(&[]);
    rig.repeat(&[FULL_AHEAD()], 1_000);
    assert_eq!((rig.state(), rig.levels()), (StopState::SoftRos, [0, 0]));
}
