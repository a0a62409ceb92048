//! Parameters of two stages that are each valid and do not fit.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::read;
use drive_chain::Stages;
use params::Value;

type Overrides<'a> = &'a [(&'a str, Value)];

/// The sentences for these parameters of the stages.
fn mismatches(
    joystick: Overrides,
    arbiter: Overrides,
    zones: Overrides,
    hindbrain: Overrides,
) -> Vec<String> {
    let stages = Stages {
        joystick: joystick::Joystick::new(read(joystick::specification(), joystick::Params::read, joystick)),
        arbiter: arbiter::Arbiter::new(read(arbiter::specification(), arbiter::Params::read, arbiter)),
        zones: zones::ZoneScaler::new(read(zones::specification(), zones::Params::read, zones)),
        hindbrain: hindbrain::Hindbrain::new(read(
            hindbrain::specification(),
            hindbrain::Params::read,
            hindbrain,
        )),
    };
    stages.mismatches()
}

#[test]
fn defaults_fit() {
    assert_eq!(mismatches(&[], &[], &[], &[]), [""; 0]);
}

#[test]
fn a_source_that_may_be_silent_for_longer_than_a_later_stage_allows() {
    let slow = [
        ("sources.navigation.topic", Value::Text("nav".into())),
        ("sources.navigation.timeout", Value::Float(1.0)),
    ];
    assert_eq!(
        mismatches(&[], &slow, &[], &[]),
        [
            "sources.navigation.timeout is 1.0 s, longer than zone_scaler's command_timeout, 0.5 s: a command that comes \
             later than that is lost, and its source has to send a zero"
        ]
    );
    let patient = [("command_timeout", Value::Float(1.0))];
    let [sentence] = mismatches(&[], &slow, &patient, &[]).try_into().unwrap();
    assert!(sentence.contains("longer than hindbrain's cmd_timeout, 0.5 s"), "{sentence}");
    assert_eq!(mismatches(&[], &slow, &patient, &[("cmd_timeout", Value::Float(1.0))]), [""; 0]);
}

#[test]
fn a_top_speed_beyond_that_of_the_wheels() {
    let fast = [("max_linear", Value::Float(3.0)), ("max_angular", Value::Float(5.0))];
    assert_eq!(
        mismatches(&[], &[], &fast, &[]),
        [
            "zone_scaler's max_linear is 3.0 m/s, more than hindbrain's wheel_speed, 1.0 m/s: the vehicle does not reach it",
            "zone_scaler's max_angular is 5.0 rad/s, more than hindbrain's 2 * wheel_speed / track, 4.0 rad/s: the vehicle \
             does not reach it"
        ]
    );
    let wheels = [("wheel_speed", Value::Float(3.0)), ("track", Value::Float(1.2))];
    assert_eq!(mismatches(&[], &[], &fast, &wheels), [""; 0]);
    let predict = [fast.as_slice(), &[("mode", Value::Text("predict".into()))]].concat();
    assert_eq!(mismatches(&[], &[], &predict, &[]), [""; 0], "nothing is commanded");
    let profile = [
        ("profiles.drive.number", Value::Integer(1)),
        ("profiles.drive.forward.full_throw", Value::Float(1.0)),
        ("profiles.drive.turn.full_throw", Value::Float(1.0)),
    ];
    let chair = [fast.as_slice(), &profile].concat();
    assert_eq!(mismatches(&[], &[], &chair, &[]), [""; 0], "a chair has its own full speed");
}

#[test]
fn a_stick_whose_full_throw_is_beyond_the_top_speed() {
    let slow = [("max_linear", Value::Float(0.5))];
    let axis = ("linear.x.axis", Value::Integer(1));
    assert_eq!(
        mismatches(std::slice::from_ref(&axis), &[], &slow, &[]),
        [
            "joystick's amax / drag is 1.0 m/s, more than zone_scaler's max_linear, 0.5 m/s: after the stick is centred the \
             top speed stays for a while"
        ]
    );
    assert_eq!(mismatches(&[axis, ("amax", Value::Float(1.5))], &[], &slow, &[]), [""; 0]);
    let axis = ("linear.x.axis", Value::Integer(1));
    assert_eq!(
        mismatches(&[axis.clone(), ("linear.x.max_speed", Value::Float(0.6))], &[], &slow, &[]),
        ["joystick's max_speed is 0.6 m/s, more than zone_scaler's max_linear, 0.5 m/s: after the stick is \
             centred the top speed stays for a while"]
    );
    assert_eq!(mismatches(&[axis, ("linear.x.max_speed", Value::Float(0.5))], &[], &slow, &[]), [""; 0]);
    assert_eq!(mismatches(&[], &[], &slow, &[]), [""; 0], "no axis is mapped");
    let turns = [("angular.z.axis", Value::Integer(0)), ("awmax", Value::Float(6.0))];
    let [sentence] = mismatches(&turns, &[], &[], &[]).try_into().unwrap();
    assert!(
        sentence
            .starts_with("joystick's awmax / drag is 2.0 rad/s, more than zone_scaler's max_angular, 1.0")
    );
}
