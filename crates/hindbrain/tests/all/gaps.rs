//! Motor values that were interrupted: the motor controllers may have stopped by themselves, and start again from a zero only.

use crate::common;

use common::{Rig, command, ir, rig, text, texts};
use hindbrain::{Cause, GAP_LIMIT, Input, Level, OVERRUN_LIMIT, Sensor, StopState, TICK};

const FULL_AHEAD: fn() -> Input = || command(1.0, 0.0);

/// Every motor controller stops by itself after this time without a value \[ms\].
const MOTORS_WAIT: u64 = 250;

/// Full speed ahead, then `late` ms in which the machine is not called.
fn held(late: u64) -> Rig {
    let mut rig = rig(&[]);
    rig.full_speed();
    rig.send(FULL_AHEAD());
    rig.stall(late);
    rig
}

#[test]
fn a_gap_that_motors_may_have_noticed_stops_until_a_zero() {
    for late in [201, 240, MOTORS_WAIT, 251, 350, 450, 500] {
        for calls_first in [true, false] {
            let mut rig = held(late);
            if calls_first {
                rig.drain();
            }
            rig.send(FULL_AHEAD());
            assert_eq!(rig.last(), [0, 0], "{late} ms: the first values after it");
            let before = rig.drives.len();
            rig.repeat(&[FULL_AHEAD()], 1_000);
            assert!(rig.drives[before..].iter().all(|(_, motors)| motors.are_stopped()), "{late} ms");
            assert_eq!(rig.state(), StopState::Ok, "no fault");
            assert!(rig.has(Cause::NeutralWait));
            rig.send(command(0.0, 0.0));
            rig.repeat(&[FULL_AHEAD()], 4_000);
            assert_eq!(rig.levels(), [66, 66], "{late} ms: a zero is all that it needs");
        }
    }
}

#[test]
fn a_gap_that_no_motor_notices_changes_nothing() {
    for late in [20, 100, 199, 200] {
        let mut rig = held(late);
        rig.send(FULL_AHEAD());
        assert_eq!((rig.state(), rig.last()), (StopState::Ok, [66, 66]), "{late} ms");
    }
}

#[test]
fn the_limit_leaves_the_motors_time_for_the_way() {
    // A value is two ticks on its way at most, so 0.2 s are noticed as 0.24 s.
    let way = 2 * TICK.as_millis() as u64;
    assert!(GAP_LIMIT.as_millis() as u64 + way < MOTORS_WAIT && GAP_LIMIT < OVERRUN_LIMIT);
}

#[test]
fn a_gap_counts_from_the_last_values_and_not_from_the_last_call() {
    let mut rig = rig(&[("ir.sensors", texts(&["ir_back_port"]))]);
    let clear = || ir(Sensor::BackPort, 1.0);
    rig.repeat(&[clear()], 600);
    rig.ready();
    for _ in 0..400 {
        rig.send(clear());
        rig.send(FULL_AHEAD());
        rig.wait(10);
    }
    assert_eq!(rig.levels(), [66, 66]);
    rig.wait(9); // 19 ms after the last values
    let drives = rig.drives.len();
    rig.send(clear());
    assert_eq!(rig.drives.len(), drives, "a reading that changes nothing sends nothing");
    rig.stall(190);
    rig.send(FULL_AHEAD());
    assert_eq!(rig.last(), [0, 0], "209 ms after the last values, 190 ms after the last call");
}

#[test]
fn a_gap_is_reported_with_its_cause_and_counted() {
    let mut rig = held(300);
    rig.drain();
    assert_eq!((rig.state(), rig.has(Cause::MotorGap)), (StopState::SoftRos, true));
    assert_eq!(rig.hindbrain.health(), (Level::Warn, "SSTOP.ROS: the motor values were interrupted".into()));
    assert_eq!(rig.details.last().unwrap().since_cause, Some(Cause::MotorGap));
    rig.wait(20);
    assert_eq!((rig.state(), rig.hindbrain.counters().gaps), (StopState::Ok, 1), "it lasts for its snapshot");
}

#[test]
fn a_gap_while_nothing_may_move_is_none() {
    let mut rig = rig(&[]);
    rig.stall(300);
    rig.drain();
    assert!(!rig.has(Cause::MotorGap));
    rig.wait(50); // messages of a hold are not recent
    rig.ready();
    rig.stall(300);
    rig.send(FULL_AHEAD());
    assert!(rig.has(Cause::MotorGap), "it would move at the next command");
    rig.repeat(&[FULL_AHEAD()], 500);
    assert_eq!(rig.levels(), [0, 0]);
}

#[test]
fn motors_that_stopped_by_themselves_wait_for_a_zero() {
    let mut rig = held(0);
    rig.send(Input::Interrupted);
    assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]));
    rig.repeat(&[FULL_AHEAD()], 1_000);
    assert_eq!(rig.levels(), [0, 0]);
    rig.send(command(0.0, 0.0));
    rig.repeat(&[FULL_AHEAD()], 100);
    assert!(rig.levels()[0] > 0);
}

#[test]
fn the_seed_begins_from_zero_by_its_ramp_after_a_gap() {
    let mut rig = rig(&[("profile", text("seed"))]);
    rig.full_speed();
    rig.stall(300);
    rig.send(FULL_AHEAD());
    assert_eq!((rig.state(), rig.last()), (StopState::SoftRos, [0, 0]));
    let before = rig.drives.len();
    rig.repeat(&[FULL_AHEAD()], 1_000);
    // 20 counts/s: a count takes 50 ms, for which both motors receive stop.
    let stops = rig.drives[before..].iter().take_while(|(_, motors)| motors.are_stopped()).count();
    assert!(stops >= 2 && (19..=20).contains(&rig.levels()[0]), "{stops} {:?}", rig.levels());
}
