//! Which messages count: several emergency stops at once, repeated measurements, messages that were queued while the process
//! was suspended.

#![allow(clippy::unwrap_used)] // clippy takes helpers of tests for production code

mod common;

use std::time::Duration;

use common::{Rig, command, publishers, rig};
use hindbrain::{Cause, Input, Sensor, SoleTopic, StopState};
use params::Value;
use units::{Instant, Level, Machine, Stamp};

fn released() -> Input {
    Input::EstopReceived(false)
}

/// Driving, with an emergency stop that publishes released.
fn driving(profile: &str) -> Rig {
    let mut rig = rig(&[("profile", Value::Text(profile.into()))]);
    rig.send(released());
    if profile == "seed" {
        rig.send(Input::EnableReceived(true));
        rig.wait(20);
    } else {
        rig.ready();
    }
    rig.repeat(&[released(), command(1.0, 0.0)], 1_000);
    assert!(rig.levels()[0] > 0);
    rig
}

#[test]
fn h4_a_second_emergency_stop_hides_none() {
    let mut rig = driving("strict");
    rig.send(publishers(SoleTopic::Estop, 2, 0));
    assert_eq!((rig.state(), rig.last()), (StopState::Estop, [0, 0]));
    // One is pressed, the other one keeps publishing released.
    rig.repeat(&[Input::EstopReceived(true), released(), command(1.0, 0.0)], 500);
    rig.click_reset();
    assert_eq!(rig.state(), StopState::Estop, "the released one may be the other one");
    assert!(rig.has(Cause::EstopConflict));
    rig.send(publishers(SoleTopic::Estop, 1, 0));
    rig.repeat(&[released()], 100);
    assert_eq!(rig.state(), StopState::Estop, "latched");
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
}

#[test]
fn under_seed_a_second_emergency_stop_stops_while_it_is_there() {
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
    for (fitting, others) in [(1, 0), (0, 1)] {
        let mut rig = rig(&[]);
        rig.ready();
        rig.send(publishers(SoleTopic::Estop, 0, 0));
        rig.repeat(&[command(1.0, 0.0)], 1_000);
        assert_eq!(rig.state(), StopState::Ok, "it has no publisher");
        rig.send(publishers(SoleTopic::Estop, fitting, others));
        rig.repeat(&[command(1.0, 0.0), publishers(SoleTopic::Estop, fitting, others)], 240);
        assert!(!rig.has(Cause::EstopStale), "it may still come");
        rig.repeat(&[command(1.0, 0.0)], 20);
        assert_eq!((rig.state(), rig.last(), rig.has(Cause::EstopStale)), (StopState::Estop, [0, 0], true));
        rig.click_reset();
        assert_eq!(rig.state(), StopState::Estop, "it is still there");
        rig.send(publishers(SoleTopic::Estop, 0, 0));
        assert!(!rig.has(Cause::EstopStale), "it is gone");
        rig.click_reset();
        assert_eq!(rig.state(), StopState::SoftRos);
    }
}

#[test]
fn a_publisher_of_an_emergency_stop_has_its_time_for_the_first_message() {
    let mut rig = rig(&[]);
    rig.ready();
    rig.send(publishers(SoleTopic::Estop, 1, 0));
    rig.repeat(&[command(1.0, 0.0)], 240);
    rig.repeat(&[released(), command(1.0, 0.0)], 500);
    assert_eq!(rig.state(), StopState::Ok);
    rig.send(publishers(SoleTopic::Estop, 0, 0));
    rig.repeat(&[command(1.0, 0.0)], 260);
    assert!(rig.has(Cause::EstopStale), "one that was received is missed, publisher or not");
}

/// The machine was called in time by others; the thread that reads the switches was held.
#[test]
fn what_waited_for_a_thread_that_was_held_is_as_old_as_it_may_be() {
    for (away, starts) in [(24, true), (99, true), (100, false), (1_000, false)] {
        let mut rig = rig(&[]);
        rig.wait(1_000);
        let since = Instant::from_nanos(rig.now.as_nanos() - away * 1_000_000);
        rig.hindbrain.read_again(rig.now, since, since + Duration::from_millis(5));
        rig.send(Input::EnableReceived(true));
        rig.send(command(0.0, 0.0));
        assert_eq!(rig.state() == StopState::Ok, starts, "away for {away} ms");
    }
}

#[test]
fn a_measurement_that_is_repeated_keeps_no_sensor_alive() {
    let front = |sec| Input::IrReceived {
        sensor: Sensor::FrontPort,
        distance: Some(9.0),
        stamp: Stamp { sec, nanosec: 0 },
    };
    let mut rig = rig(&[("ir.sensors", Value::Texts(vec!["ir_front_port".into()]))]);
    rig.repeat(&[front(1)], 300);
    rig.repeat(&[front(2)], 300);
    rig.ready();
    // The first came with a stamp of its own: 500 ms from then on.
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
fn what_waited_for_a_process_that_was_held_is_as_old_as_it_may_be() {
    // 20 ms until it is due, and then no call for `held` ms.
    for (held, state) in [(400, false), (40, true)] {
        let mut rig = Rig::new(common::params(&[]).unwrap());
        rig.ready();
        rig.repeat(&[command(1.0, 0.0)], 1_000);
        rig.stall(20 + held);
        rig.send(command(1.0, 0.0));
        // 500 ms less the time that it may have waited; checked 110 ms from now.
        rig.wait(110);
        assert_eq!(!rig.has(Cause::CommandStale), state, "held for {held} ms");
        rig.repeat(&[command(1.0, 0.0)], 200);
        assert!(!rig.has(Cause::CommandStale), "later messages are fresh");
        assert_eq!(rig.has(Cause::NeutralWait), !state, "a command that was lost asks for a zero");
    }
}

#[test]
fn a_call_that_is_a_tick_late_makes_nothing_older() {
    // Held by 21 ms, a message may have come at any time since the last call, 41 ms ago.
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
fn an_estop_message_that_waited_is_as_old_as_it_may_be() {
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
fn a_reset_that_waited_for_a_held_process_undoes_nothing() {
    let mut rig = driving("strict");
    rig.stall(300);
    // What came meanwhile is read in one go, in no known order: two clicks, and a short press.
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
fn a_press_that_is_repeated_after_a_hold_is_no_letting_go() {
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
    assert_eq!(rig.state(), StopState::Estop, "and that press does not count any more");
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
}

#[test]
fn an_enable_that_waited_for_a_held_process_arms_nothing() {
    let mut rig = rig(&[]);
    rig.stall(300);
    rig.send(Input::EnableReceived(true));
    rig.repeat(&[command(0.0, 0.0)], 100);
    assert!(rig.has(Cause::NotArmed));
    rig.send(Input::EnableReceived(false));
    rig.ready();
}

#[test]
fn a_false_of_either_publisher_stops_and_the_others_true_is_no_rise() {
    let mut rig = rig(&[]);
    rig.full_speed();
    // One switch repeats true; a second one appears, publishes false, and disappears.
    rig.send(publishers(SoleTopic::Enable, 2, 0));
    assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]), "two switches are a stop");
    rig.send(Input::EnableReceived(false));
    rig.repeat(&[Input::EnableReceived(true), command(0.0, 0.0), command(1.0, 0.0)], 300);
    rig.send(publishers(SoleTopic::Enable, 1, 0));
    rig.repeat(&[Input::EnableReceived(true), command(0.0, 0.0), command(1.0, 0.0)], 1_000);
    assert_eq!((rig.state(), rig.levels()), (StopState::SoftRos, [0, 0]));
    assert!(rig.has(Cause::NotArmed));
    // The one that is left switches off and on.
    rig.send(Input::EnableReceived(false));
    rig.ready();
}

#[test]
fn a_switch_that_does_not_fit_is_a_stop() {
    for (fitting, others) in [(0, 1), (1, 1), (2, 0)] {
        let mut rig = rig(&[]);
        rig.full_speed();
        rig.send(publishers(SoleTopic::Enable, fitting, others));
        assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]));
        assert!(rig.has(Cause::EnableConflict));
        rig.send(publishers(SoleTopic::Enable, 1, 0));
        assert!(rig.has(Cause::NotArmed), "its level from before is no rise");
    }
}

/// One publisher sends that the button is down, the other one that it is not.
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
    // Nor one that began before the other one is gone, or the conflict was there.
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
    assert_eq!(rig.state(), StopState::Estop, "a conflict was there meanwhile");
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
