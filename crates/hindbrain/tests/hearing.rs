//! What counts as heard: several emergency stops at once, measurements that are repeated, messages that waited for a process
//! that was held.

#![allow(clippy::unwrap_used)] // clippy takes helpers of tests for production code

mod common;

use common::{Rig, command, rig};
use hindbrain::{Cause, Input, Sensor, StopState};
use params::Value;
use units::Stamp;

fn released() -> Input {
    Input::EstopReceived(false)
}

/// At full speed, with an emergency stop that says that it is released.
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
    rig.send(Input::EstopsCounted(2));
    assert_eq!((rig.state(), rig.last()), (StopState::Estop, [0, 0]));
    // One is pressed, the other one goes on saying that it is not.
    rig.repeat(&[Input::EstopReceived(true), released(), command(1.0, 0.0)], 500);
    rig.click_reset();
    assert_eq!(rig.state(), StopState::Estop, "whose release it is nobody knows");
    assert!(rig.has(Cause::EstopPressed));
    rig.send(Input::EstopsCounted(1));
    rig.repeat(&[released()], 100);
    assert_eq!(rig.state(), StopState::Estop, "latched");
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos);
}

#[test]
fn seed_only_tells_of_a_second_emergency_stop() {
    let mut rig = driving("seed");
    rig.send(Input::EstopsCounted(2));
    rig.repeat(&[released(), command(1.0, 0.0)], 100);
    assert_eq!(rig.state(), StopState::Ok);
}

#[test]
fn a_measurement_that_is_repeated_keeps_no_sensor_alive() {
    let front = |sec| Input::IrReceived {
        sensor: Sensor::FrontPort,
        distance: Some(9.0),
        stamp: Stamp { sec, nanosec: 0 },
    };
    let mut rig = rig(&[("ir.sensors", Value::Texts(vec!["ir_front_port".into()]))]);
    rig.repeat(&[front(1)], 100);
    rig.repeat(&[front(1), front(2)], 100);
    rig.ready();
    // The first came with a stamp of its own: 500 ms from then on.
    rig.send(front(3));
    rig.repeat(&[front(3), command(1.0, 0.0)], 480);
    assert!(rig.levels()[0] > 0);
    rig.repeat(&[front(3), command(1.0, 0.0)], 100);
    assert_eq!((rig.state(), rig.last()), (StopState::SoftIr, [0, 0]));
    assert!(rig.has(Cause::IrStale) && rig.hindbrain.counters().repeated > 50);
    let mut rig = driving("strict");
    let before = rig.hindbrain.counters().repeated;
    let unstamped = Input::IrReceived { sensor: Sensor::FrontPort, distance: Some(9.0), stamp: Stamp::ZERO };
    rig.repeat(&[unstamped], 100);
    assert_eq!(rig.hindbrain.counters().repeated, before, "without a stamp nobody can tell");
}

#[test]
fn what_waited_for_a_process_that_was_held_is_as_old_as_it_may_be() {
    // 20 ms until it is due, and then nobody calls for so long.
    for (held, state) in [(400, false), (40, true)] {
        let mut rig = driving("strict");
        rig.stall(20 + held);
        rig.send(command(1.0, 0.0));
        // 500 ms less what it may have waited; asked for at 110 ms from now.
        rig.repeat(&[released()], 110);
        assert_eq!(!rig.has(Cause::CommandStale), state, "held for {held} ms");
        rig.repeat(&[released(), command(1.0, 0.0)], 200);
        assert!(!rig.has(Cause::CommandStale), "what comes afterwards is of now");
    }
}

#[test]
fn a_call_that_is_a_tick_late_makes_nothing_older() {
    for (late, counts) in [(0, 500), (15, 500), (20, 500), (21, 479)] {
        let mut rig = driving("strict");
        // The last command was 10 ms ago, so the next tick is in 10 ms.
        rig.stall(10 + late);
        rig.send(command(1.0, 0.0));
        let mut stale_after = 0;
        while !rig.has(Cause::CommandStale) {
            if stale_after % 10 == 0 {
                rig.send(released());
            }
            rig.wait(1);
            stale_after += 1;
        }
        assert_eq!(stale_after, counts, "{late} ms late");
    }
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
    rig.repeat(&[released()], 50);
    rig.click_reset();
    assert_eq!(rig.state(), StopState::SoftRos, "the next click counts");
}
