//! Which messages count: several emergency stops at once, repeated measurements, messages that were queued while the process
//! was suspended.

#![allow(clippy::unwrap_used)] // clippy takes helpers of tests for production code

use crate::common;

use std::time::Duration;

use common::{Rig, command, publishers, rig};
use hindbrain::{Cause, Input, Sensor, SoleTopic, StopState};
use params::Value;
use safety::{Instant, Level, Machine, Stamp};

fn released() -> Input {
    Input::EstopReceived(false)
}

/// Driving, with an emergency stop that publishes released.
fn driving(profile: &str) -> Rig {
    let mut rig = rig(&[("profile", Value::Text(profile.into()))]);
    if profile == "seed" {
        rig.send(released());
        rig.send(Input::EnableReceived(true));
        rig.wait(20);
    } else {
        rig.first_estop();
        rig.ready();
    }
    rig.repeat(&[released(), command(1.0, 0.0)], 1_000);
    assert!(rig.levels()[0] > 0);
    rig
}

#[test]
fn h4_a_second_emergency_stop_does_not_hide_the_first() {
    let mut rig = driving("strict");
    rig.send(publishers(SoleTopic::Estop, 2, 0));
    assert_eq!((rig.state(), rig.last()), (StopState::Estop, [0, 0]));
    // One is pressed, the other one still publishes released.
    rig.repeat(&[Input::EstopReceived(true), released(), command(1.0, 0.0)], 500);
    rig.click_reset();
    assert_eq!(rig.state(), StopState::Estop, "the release may be from the other one");
    assert!(rig.has(Cause::EstopConflict));
    rig.send(publishers(SoleTopic::Estop, 1, 0));
    rig.repeat(&[released()], 100);
    assert_eq!(rig.state(), StopState::Estop, "latched");
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
}

#[test]
fn under_seed_a_second_emergency_stop_stops_while_it_exists() {
    let mut rig = driving("seed");
    rig.send(publishers(SoleTopic::Estop, 2, 0));
    rig.repeat(&[released(), command(1.0, 0.0)], 100);
    assert_eq!((rig.state(), rig.last()), (StopState::Estop, [0, 0]));
    rig.send(publishers(SoleTopic::Estop, 1, 0));
    assert_eq!(rig.state(), StopState::Ok);
}

/// A button that publishes only when it is pressed, or that cannot be received, does not count as released.
#[test]
fn an_emergency_stop_that_has_a_publisher_must_be_received() {
    for (compatible, incompatible) in [(1, 0), (0, 1)] {
        let mut rig = rig(&[]);
        rig.ready();
        rig.send(publishers(SoleTopic::Estop, 0, 0));
        rig.repeat(&[command(1.0, 0.0)], 1_000);
        assert_eq!(rig.state(), StopState::Ok, "it has no publisher");
        rig.send(publishers(SoleTopic::Estop, compatible, incompatible));
        assert_eq!((rig.state(), rig.last(), rig.has(Cause::EstopStale)), (StopState::Estop, [0, 0], true));
        rig.click_reset();
        assert_eq!(rig.state(), StopState::Estop, "its publisher still exists");
        rig.send(publishers(SoleTopic::Estop, 0, 0));
        assert!(!rig.has(Cause::EstopStale), "its publisher ended");
        rig.click_reset();
        assert_eq!(rig.state(), StopState::SoftRos);
    }
}

#[test]
fn an_emergency_stop_that_was_received_times_out_without_a_publisher_too() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(publishers(SoleTopic::Estop, 1, 0));
    assert_eq!(rig.state(), StopState::Estop, "it may be pressed");
    rig.first_estop();
    rig.ready();
    rig.repeat(&[released(), command(1.0, 0.0)], 500);
    assert_eq!(rig.state(), StopState::Ok);
    rig.send(publishers(SoleTopic::Estop, 0, 0));
    rig.repeat(&[command(1.0, 0.0)], 260);
    assert!(
        rig.has(Cause::EstopStale),
        "an emergency stop that was received times out without a publisher too"
    );
}

/// The machine was called in time by others; the thread that reads the switches was held.
#[test]
fn a_message_queued_for_a_held_thread_is_assumed_maximally_old() {
    for (away, starts) in [(24, true), (99, true), (100, false), (1_000, false)] {
        let mut rig = rig(&[]);
        rig.wait(1_000);
        let since = Instant::from_nanos(rig.now.as_nanos() - away * 1_000_000);
        rig.hindbrain.read_again(rig.now, since, since + Duration::from_millis(5));
        rig.send(Input::EnableReceived(true));
        rig.send(command(0.0, 0.0));
        assert_eq!(rig.state() == StopState::Ok, starts, "held for {away} ms");
    }
}

#[test]
fn a_repeated_measurement_does_not_keep_a_sensor_alive() {
    let front = |sec| Input::IrReceived {
        sensor: Sensor::FrontPort,
        distance: Some(9.0),
        stamp: Stamp { sec, nanosec: 0 },
    };
    let mut rig = rig(&[("ir.sensors", Value::Texts(vec!["ir_front_port".into()]))]);
    rig.repeat(&[front(1)], 300);
    rig.repeat(&[front(2)], 300);
    rig.ready();
    // The first had its own stamp: 500 ms from then on.
    rig.send(front(3));
    rig.repeat(&[front(3), command(1.0, 0.0)], 480);
    assert!(rig.levels()[0] > 0);
    rig.repeat(&[front(3), command(1.0, 0.0)], 100);
    assert_eq!((rig.state(), rig.last()), (StopState::SoftIr, [0, 0]));
    assert!(rig.has(Cause::IrStale) && rig.hindbrain.counters().repeated > 5);
    let mut rig = driving("strict");
    let before = rig.hindbrain.counters().repeated;
    let unstamped = Input::IrReceived { sensor: Sensor::FrontPort, distance: Some(9.0), stamp: Stamp::ZERO };
    rig.repeat(&[unstamped], 100);
    assert_eq!(rig.hindbrain.counters().repeated, before, "without a stamp a repetition cannot be detected");
}

#[test]
fn a_message_queued_for_a_held_process_is_assumed_maximally_old() {
    // 20 ms until it is due, and then no call for `held` ms.
    for (held, state) in [(400, false), (40, true)] {
        let mut rig = Rig::new(common::params(&[]).unwrap());
        rig.ready();
        rig.repeat(&[command(1.0, 0.0)], 1_000);
        rig.stall(20 + held);
        rig.send(command(1.0, 0.0));
        // 500 ms less its possible queueing time; checked 110 ms from now.
        rig.wait(110);
        assert_eq!(!rig.has(Cause::CommandStale), state, "held for {held} ms");
        rig.repeat(&[command(1.0, 0.0)], 200);
        assert!(!rig.has(Cause::CommandStale), "later messages are fresh");
        assert_eq!(rig.has(Cause::NeutralWait), !state, "a lost command requires a zero");
    }
}

#[test]
fn a_call_that_is_a_tick_late_makes_no_message_older() {
    // With a hold of 21 ms a message may have been received at any time since the last call, 41 ms ago.
    for (late, counts) in [(0, 500), (15, 500), (20, 500), (21, 459)] {
        let mut rig = Rig::new(common::params(&[]).unwrap());
        rig.ready();
        rig.repeat(&[command(1.0, 0.0)], 1_000);
        // The last command was 10 ms ago, so the next tick is in 10 ms.
        rig.stall(10 + late);
        rig.send(command(1.0, 0.0));
        let mut stale_after = 0;
        while !rig.has(Cause::CommandStale) {
            rig.wait(1);
            stale_after += 1;
        }
        assert_eq!(stale_after, counts, "{late} ms late");
    }
}

#[test]
fn a_queued_estop_message_is_assumed_maximally_old() {
    let mut rig = driving("strict");
    rig.stall(10 + 100);
    rig.send(released());
    // Read 120 ms after the last call: 250 ms less that.
    rig.wait(129);
    assert_eq!(rig.state(), StopState::Ok);
    rig.wait(1);
    assert_eq!(rig.state(), StopState::Estop);
}

#[test]
fn a_reset_queued_for_a_held_process_has_no_effect() {
    let mut rig = driving("strict");
    rig.stall(300);
    // The queued messages are read at once, in no known order: two clicks, and a short press.
    for input in [Input::EstopReceived(true), released()] {
        rig.send(input);
    }
    rig.click_reset();
    rig.click_reset();
    assert_eq!((rig.state(), rig.last()), (StopState::Estop, [0, 0]));
    rig.repeat(&[released()], 60);
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos, "the next click counts");
}

#[test]
fn a_press_repeated_after_a_hold_is_not_a_release() {
    let mut rig = driving("strict");
    rig.send(Input::EstopReceived(true));
    rig.send(released());
    rig.send(Input::ResetReceived(true));
    rig.stall(160);
    rig.send(released());
    rig.send(Input::ResetReceived(true));
    assert_eq!(rig.state(), StopState::Estop, "the button is still down");
    rig.repeat(&[released()], 60);
    rig.send(Input::ResetReceived(false));
    assert_eq!(rig.state(), StopState::Estop, "that press no longer counts");
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
}

#[test]
fn an_enable_queued_for_a_held_process_does_not_arm() {
    let mut rig = rig(&[]);
    rig.stall(300);
    rig.send(Input::EnableReceived(true));
    rig.repeat(&[command(0.0, 0.0)], 100);
    assert!(rig.has(Cause::NotArmed));
    rig.send(Input::EnableReceived(false));
    rig.ready();
}

#[test]
fn a_false_of_either_publisher_stops_and_the_others_true_is_not_a_rise() {
    let mut rig = rig(&[]);
    rig.full_speed();
    // One switch repeats true; a second one appears, publishes false, and disappears.
    rig.send(publishers(SoleTopic::Enable, 2, 0));
    assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]), "two switches stop");
    rig.send(Input::EnableReceived(false));
    rig.repeat(&[Input::EnableReceived(true), command(0.0, 0.0), command(1.0, 0.0)], 300);
    rig.send(publishers(SoleTopic::Enable, 1, 0));
    rig.repeat(&[Input::EnableReceived(true), command(0.0, 0.0), command(1.0, 0.0)], 1_000);
    assert_eq!((rig.state(), rig.levels()), (StopState::SoftRos, [0, 0]));
    assert!(rig.has(Cause::NotArmed));
    // The remaining one switches off and on.
    rig.send(Input::EnableReceived(false));
    rig.ready();
}

#[test]
fn an_incompatible_switch_stops() {
    for (compatible, incompatible) in [(0, 1), (1, 1), (2, 0)] {
        let mut rig = rig(&[]);
        rig.full_speed();
        rig.send(publishers(SoleTopic::Enable, compatible, incompatible));
        assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]));
        assert!(rig.has(Cause::EnableConflict));
        rig.send(publishers(SoleTopic::Enable, 1, 0));
        assert!(rig.has(Cause::NotArmed), "its earlier level is not a rise");
    }
}

/// One publisher sends true, the other one false.
#[test]
fn a_jammed_reset_button_does_not_reset_by_anothers_false() {
    let mut rig = rig(&[]);
    rig.send(Input::ResetReceived(true));
    rig.send(Input::EstopReceived(true));
    rig.send(publishers(SoleTopic::Reset, 2, 0));
    assert!(rig.has(Cause::ResetConflict));
    for _ in 0..20 {
        rig.send(Input::EstopReceived(false));
        rig.click_reset();
        rig.wait(100);
    }
    assert_eq!(rig.state(), StopState::Estop, "no press counts");
    // Neither does a press that began before the end of the conflict.
    rig.send(Input::ResetReceived(true));
    rig.send(publishers(SoleTopic::Reset, 1, 0));
    assert!(!rig.has(Cause::ResetConflict));
    rig.send(Input::ResetReceived(true));
    rig.send(Input::ResetReceived(false));
    assert_eq!(rig.state(), StopState::Estop, "it was down before");
    rig.send(Input::ResetReceived(true));
    rig.send(publishers(SoleTopic::Reset, 1, 1));
    rig.send(publishers(SoleTopic::Reset, 1, 0));
    rig.send(Input::ResetReceived(false));
    assert_eq!(rig.state(), StopState::Estop, "there was a conflict meanwhile");
    rig.send(Input::EstopReceived(false));
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
}

#[test]
fn a_second_publisher_of_reset_is_an_error_that_stops_nothing() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(publishers(SoleTopic::Reset, 2, 0));
    assert_eq!((rig.state(), rig.hindbrain.health().0), (StopState::Ok, Level::Error));
    rig.repeat(&[command(1.0, 0.0)], 200);
    assert!(rig.levels()[0] > 0);
}
