//! A stick that is held while parameters change its meaning: the resulting zero is not the user's, and no motion follows it.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use crate::common;

use std::time::Duration;

use common::{Bench, DEAD_MAN, STOP};
use drive_chain::Input;
use params::Value;

/// The joystick's parameters of all these tests, with `changed` ones: full stick is 1 m/s and 1 rad/s.
fn set(bench: &mut Bench, changed: &[(&str, Value)]) {
    let (int, float) = (Value::Integer, Value::Float);
    let all = [
        ("drag", float(3.0)),
        ("amax", float(3.0)),
        ("awmax", float(3.0)),
        ("linear.x.axis", int(1)),
        ("linear.x.scale", float(-1.0)),
        ("angular.z.axis", int(0)),
        ("angular.z.scale", float(-1.0)),
        ("enable.on", int(DEAD_MAN as i64)),
    ];
    let is_other = |name: &str| changed.iter().all(|(changed, _)| *changed != name);
    let all = all.iter().filter(|(name, _)| is_other(name)).chain(changed);
    let all = all.map(|(name, value)| ((*name).to_owned(), value.clone()));
    let set = joystick::specification().resolve(all).unwrap();
    let params = joystick::Params::read(&set).unwrap();
    bench.send([Input::Joystick(joystick::Input::ParametersChanged(params))]);
}

/// Whether the motors were at stop all along for 3 s.
fn stands(bench: &mut Bench) -> bool {
    common::stands(bench, |_| {})
}

/// Full ahead with the parameters of these tests.
fn ahead() -> Bench {
    let mut bench = Bench::new();
    set(&mut bench, &[]);
    bench.full_ahead();
    bench
}

/// As [`ahead`], after an e-stop that has ended except for the zero that hindbrain waits for.
fn held_through_an_estop() -> Bench {
    let mut bench = ahead();
    bench.estop_and_back();
    assert!(stands(&mut bench) && bench.drive.stages().hindbrain.state() == hindbrain::StopState::Ok);
    bench
}

/// Whether the stick drives after it was released and deflected again.
fn drives_after_rest(bench: &mut Bench) -> bool {
    bench.stick(0.0, 0.0, true);
    let rests = stands(bench);
    bench.stick(1.0, 0.0, true);
    rests && !stands(bench)
}

#[test]
fn a_frame_changed_by_a_button_and_back_starts_no_held_stick() {
    for mut bench in [ahead(), held_through_an_estop()] {
        set(&mut bench, &[("intrinsic", Value::Bool(false))]);
        stands(&mut bench); // the motors brake
        assert!(stands(&mut bench), "the attitude in the world frame is not known");
        set(&mut bench, &[]);
        assert!(stands(&mut bench), "the stick was not released");
        assert!(drives_after_rest(&mut bench));
    }
}

#[test]
fn a_frame_changed_by_a_service_and_back_starts_no_held_stick() {
    for between in [0, 50] {
        let mut bench = held_through_an_estop();
        for intrinsic in [false, true] {
            bench.send([Input::Joystick(joystick::Input::FrameSelected(intrinsic))]);
            bench.pass(Duration::from_millis(between));
        }
        assert!(stands(&mut bench), "the stick was not released");
        assert!(drives_after_rest(&mut bench));
    }
}

#[test]
fn an_acceleration_changed_to_zero_and_back_starts_no_held_stick() {
    for (name, less) in [("amax", 0.05), ("drag", 1000.0), ("linear.x.scale", -0.005)] {
        let mut bench = held_through_an_estop();
        set(&mut bench, &[(name, Value::Float(less))]);
        assert!(stands(&mut bench), "{name}: within a zero");
        set(&mut bench, &[]);
        assert!(stands(&mut bench), "{name}: the stick was not released");
        assert!(drives_after_rest(&mut bench), "{name}");
    }
}

#[test]
fn a_stick_that_drives_continues_with_another_acceleration() {
    let mut bench = ahead();
    let full = bench.last();
    set(&mut bench, &[("amax", Value::Float(1.5))]);
    stands(&mut bench);
    assert!(bench.last().0 < STOP && bench.last().0 > full.0, "slower: {:?}", bench.last());
    set(&mut bench, &[]);
    stands(&mut bench);
    assert_eq!(bench.last(), full);
}
