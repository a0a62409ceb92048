//! The meaning of each parameter, contradictions between them, and the values that the profile `seed` fixes.

#![allow(clippy::unwrap_used, clippy::expect_used)] // clippy takes helpers of tests for production code

use crate::common;

use common::{params, text, texts};
use hindbrain::core::{CoreParams, Mapping};
use hindbrain::{CommandType, Driver, DriverKind, FullSpeed, Params, Profile, specification};
use params::Value;

const MS: u64 = 1_000_000;

fn with(name: &str, value: Value) -> Params {
    params(&[(name, value)]).unwrap()
}

/// Checks that a parameter changes only the value that `change` sets.
fn means(name: &str, value: Value, change: impl Fn(&mut Params)) {
    let mut expected = Params::default();
    change(&mut expected);
    assert_ne!(expected, Params::default(), "{name}");
    assert_eq!(with(name, value), expected, "{name}");
}

#[test]
fn every_parameter_sets_its_value() {
    use Value::{Bool, Float};
    means("wheel_speed", Float(2.0), |p| p.full_speed = FullSpeed { linear: 2.0, angular: 8.0 });
    means("track", Float(0.8), |p| p.full_speed.angular = 2.5);
    means("accel", Float(20.5), |p| p.core.slopes.accel = 20_500);
    means("decel", Float(100.0), |p| p.core.slopes.decel = 100_000);
    means("cmd_timeout", Float(0.3), |p| p.core.command_timeout = 300 * MS);
    means("cmd_vel_type", text("twist"), |p| p.command_type = CommandType::Twist);
    means("estop.required", Bool(true), |p| p.core.estop_required = true);
    means("estop.timeout", Float(0.1), |p| p.core.estop_timeout = 100 * MS);
    means("enable.lease", Float(2.0), |p| p.core.lease = 2_000 * MS);
    means("ir.near", Float(0.3), |p| p.infrared.near = 0.3);
    means("ir.far", Float(0.6), |p| p.infrared.far = Some(0.6));
    means("ir.timeout", Float(0.1), |p| p.core.infrared.timeout = 100 * MS);
    for (place, frame) in hindbrain::Sensor::FRAMES.into_iter().enumerate() {
        means("ir.sensors", texts(&[frame]), |p| p.core.infrared.fitted[place] = true);
    }
}

#[test]
fn limits_that_just_fit_are_accepted() {
    assert!(params(&[("decel", Value::Float(20.0))]).is_ok(), "as steep as accel");
    let far = |far| params(&[("ir.near", Value::Float(0.2)), ("ir.far", Value::Float(far))]);
    assert!(far(0.21).is_ok() && far(0.0).is_ok() && far(0.2).is_err(), "some distance must be clear");
}

#[test]
fn seed_fixes_its_values() {
    let seed = with("profile", text("seed"));
    assert_eq!(seed.profile, Profile::Seed);
    let CoreParams { slopes, strict, lease, .. } = seed.core;
    assert_eq!((slopes.accel, slopes.decel, slopes.rest, slopes.tick), (20_000, 20_000, 0, 20 * MS));
    assert_eq!((strict, seed.core.mapping(), lease), (false, Mapping::Seed, 0));
    // The time-outs stay.
    assert_eq!((seed.core.command_timeout, seed.core.estop_timeout), (500 * MS, 250 * MS));
}

#[test]
fn a_value_that_contradicts_seed_is_refused_by_name() {
    use Value::Float;
    let fixed = [
        ("accel", Float(30.0), "30.0", "20.0"),
        ("decel", Float(200.0), "200.0", "20.0"),
        ("enable.lease", Float(1.0), "1.0", "0.0"),
    ];
    for (name, value, shown, is) in fixed {
        let refusal = params(&[("profile", text("seed")), (name, value.clone())]).unwrap_err();
        let sentence = format!("parameter {name} is {shown}, must be left out or {is} where profile is seed");
        assert_eq!(refusal.replace(['"', '\''], ""), sentence, "{name}");
        assert!(params(&[(name, value)]).is_ok(), "strict takes it, its own default too");
    }
}

/// A client that reads the parameters of a running node gets the values in force.
#[test]
fn the_values_that_seed_fixes_are_shown() {
    let set = specification().resolve([("profile".into(), text("seed"))]).unwrap();
    let shown = |name| set.value(name).unwrap().clone();
    assert_eq!(shown("decel"), Value::Float(20.0));
    let refusal = set.change(&[("decel".into(), Value::Float(200.0))]).unwrap_err();
    assert!(refusal.to_string().contains("is read-only and stays 20.0"), "{refusal}");
    // The set contains everything that the profile fixes: reading it as strict would give the same.
    let core = Params::read(&set).unwrap().core;
    assert_eq!((core.slopes.accel, core.slopes.decel), (20_000, 20_000));
}

#[test]
fn a_lease_that_is_too_short_does_not_count_as_off() {
    for (lease, fits) in [(0.0, true), (0.1, true), (0.05, true), (0.04, false), (1e-10, false)] {
        assert_eq!(params(&[("enable.lease", Value::Float(lease))]).is_ok(), fits, "{lease}");
    }
}

#[test]
fn a_sensor_is_fitted_once() {
    let refusal =
        params(&[("ir.sensors", texts(&["ir_back_port", "ir_front_port", "ir_back_port"]))]).unwrap_err();
    assert!(refusal.ends_with("must not name a sensor twice"), "{refusal}");
}

#[test]
fn seed_accepts_parameters_that_it_does_not_fix() {
    for (name, value) in [
        ("wheel_speed", Value::Float(2.0)),
        ("cmd_timeout", Value::Float(0.2)),
        ("estop.required", Value::Bool(true)),
        ("estop.timeout", Value::Float(0.1)),
        ("ir.sensors", texts(&["ir_front_port"])),
        ("ir.timeout", Value::Float(0.1)),
        // The fixed value itself is accepted.
        ("accel", Value::Float(20.0)),
    ] {
        let seed = params(&[("profile", text("seed")), (name, value.clone())]).unwrap();
        let expected = CoreParams { ..with(name, value).core }.seed();
        assert_eq!(seed.core, expected, "{name}");
    }
}

fn driver(changes: &[(&str, Value)]) -> Result<Driver, String> {
    let changes = changes.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let set = specification().resolve(changes).map_err(|refusals| refusals[0].to_string())?;
    Driver::read(&set).map(|driver| driver.expect("a driver")).map_err(|refusal| refusal.to_string())
}

#[test]
fn without_a_driver_no_device_is_required() {
    let none = params(&[("driver.device", text("/dev/ttyUSB0"))]).unwrap();
    assert!(!none.core.device_required);
}

#[test]
fn a_driver_has_the_values_of_its_parameters() {
    let changes = [("driver.kind", text("pololu")), ("driver.device", text("/dev/ttyACM0"))];
    let plain = Driver {
        kind: DriverKind::Pololu,
        device: "/dev/ttyACM0".into(),
        baud: 115_200,
        address: 0x80,
        channels: [0, 1],
        invert: [false, false],
    };
    assert!(params(&changes).unwrap().core.device_required);
    assert_eq!(driver(&changes).as_ref(), Ok(&plain));
    let means = |name: &str, value: Value, change: &dyn Fn(&mut Driver)| {
        let mut expected = plain.clone();
        change(&mut expected);
        assert_ne!(expected, plain);
        assert_eq!(driver(&[&changes[..], &[(name, value)]].concat()).unwrap(), expected, "{name}");
    };
    means("driver.baud", Value::Integer(9_600), &|d| d.baud = 9_600);
    means("driver.address", Value::Integer(0x83), &|d| d.address = 0x83);
    means("driver.channels", Value::Integers(vec![5, 2]), &|d| d.channels = [5, 2]);
    means("driver.invert_port", Value::Bool(true), &|d| d.invert[0] = true);
    means("driver.invert_starboard", Value::Bool(true), &|d| d.invert[1] = true);
    // A RoboClaw counts its channels from one.
    means("driver.kind", text("roboclaw"), &|d| (d.kind, d.channels) = (DriverKind::RoboClaw, [1, 2]));
}

#[test]
fn an_invalid_driver_is_refused() {
    let refusal = driver(&[("driver.kind", text("roboclaw"))]).unwrap_err();
    assert!(
        refusal.contains("driver.device") && refusal.contains("must name a device for driver 'roboclaw'")
    );
    for channels in [vec![3, 3], vec![1], vec![1, 2, 3]] {
        let changes = [
            ("driver.kind", text("pololu")),
            ("driver.device", text("/dev/ttyACM0")),
            ("driver.channels", Value::Integers(channels.clone())),
        ];
        let refusal = driver(&changes).unwrap_err();
        assert!(refusal.contains("driver.channels"), "{channels:?}: {refusal}");
    }
}

#[test]
fn parameters_that_contradict_each_other_are_refused() {
    assert_eq!(
        params(&[("decel", Value::Float(30.0)), ("accel", Value::Float(40.0))]).unwrap_err(),
        "parameter 'decel' is 30.0, must be no less than accel, 40.0 counts/s"
    );
    assert_eq!(
        params(&[("accel", Value::Float(5.0)), ("decel", Value::Float(19.0))]).unwrap_err(),
        "parameter 'decel' is 19.0, must be from 20.0 to 6600.0 counts/s"
    );
    assert_eq!(
        params(&[("ir.far", Value::Float(0.1))]).unwrap_err(),
        "parameter 'ir.far' is 0.1, must be 0 or more than ir.near, 0.2 m"
    );
    assert!(params(&[("ir.sensors", texts(&["ir_top"]))]).is_err());
    assert!(params(&[("cmd_timeout", Value::Float(0.0))]).is_err(), "the watchdog cannot be switched off");
    assert!(
        params(&[("ir.near", Value::Float(0.0))]).is_err(),
        "the near side of a sensor cannot be switched off"
    );
    assert_eq!(params(&[]).unwrap(), Params::default());
    assert_eq!(Params::default().core, CoreParams::default());
    for (name, declaration, value) in specification().defaults().iter() {
        assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
    }
}
