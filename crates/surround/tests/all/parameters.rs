//! The parameters and their rules.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{params, text};
use params::Value;
use surround::{Distances, Kind, Params, specification};
use zones::{Boundaries, Zone};

fn refused(overrides: &[(&str, Value)]) -> String {
    params(overrides).unwrap_err()
}

#[test]
fn defaults_are_one_scanner_all_around() {
    let params = params(&[]).unwrap();
    assert_eq!(params, Params::default());
    let [scanner] = params.sensors.as_slice() else { panic!("one preset") };
    assert_eq!((scanner.topic.as_str(), scanner.kind, scanner.own_body), ("scan", Kind::Scan, false));
    assert_eq!(params.boundaries, Boundaries::default());
    assert_eq!(params.distances_of(Zone::Left), Distances { stop: 0.05, slow: 0.5 });
    assert!(!params.uncovered_is_free && !params.uses_velocity);
}

#[test]
fn every_default_passes_its_own_check() {
    for (name, declaration, value) in specification().defaults().iter() {
        assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
        assert!(!declaration.text.is_empty(), "{name}");
    }
}

#[test]
fn each_zone_has_its_own_distances() {
    for (zone, name) in Zone::AROUND.into_iter().zip([
        "front",
        "front_left",
        "front_right",
        "left",
        "right",
        "back_left",
        "back_right",
        "back",
    ]) {
        let (stop, slow) = (format!("{name}.stop"), format!("{name}.slow"));
        let params = params(&[(&stop, Value::Float(0.011)), (&slow, Value::Float(2.9))]).unwrap();
        assert_eq!(params.distances_of(zone), Distances { stop: 0.011, slow: 2.9 });
        let others = Zone::AROUND.into_iter().filter(|&other| params.distances_of(other).slow == 2.9);
        assert_eq!(others.count(), 1);
    }
}

#[test]
fn what_contradicts_itself_is_refused() {
    let number = Value::Float;
    assert_eq!(
        refused(&[("left.stop", number(0.5))]),
        "parameter 'left.slow' is 0.5, must be greater than 'left.stop', which is 0.5"
    );
    assert_eq!(
        refused(&[("reach", number(1.4))]),
        "parameter 'front.slow' is 1.5, must not be greater than 'reach', which is 1.4 m"
    );
    assert!(refused(&[("collision_time.stop", number(3.0))]).contains("collision_time.slow"));
    assert!(refused(&[("boundaries.front", number(80.0))]).contains("'boundaries.front_side' is 78.45"));
    assert!(refused(&[("footprint.left", number(0.0))]).contains("must be from 0.05 to 5.0 m"));
}

#[test]
fn a_sensor_makes_sense() {
    let number = Value::Float;
    let a = ("sensors.a.topic", text("a"));
    assert_eq!(
        refused(&[("sensors.a.x", number(1.0))]),
        "parameter 'sensors.a.topic' is \"\", must name a topic"
    );
    assert!(refused(&[("sensors.a.topic", text("2a"))]).contains("ROS topic name"));
    assert!(
        refused(&[a.clone(), ("sensors.b.topic", text("a"))])
            .ends_with("must differ from the topic of sensor 'a'")
    );
    assert_eq!(
        refused(&[a.clone(), ("sensors.a.height_min", number(2.0))]),
        "parameter 'sensors.a.height_max' is 2.0, must be greater than height_min, which is 2.0 m"
    );
    assert!(
        refused(&[a.clone(), ("sensors.a.covers_to", number(-180.0))])
            .contains("must differ from covers_from")
    );
    assert!(
        refused(&[a.clone(), ("sensors.a.timeout", number(0.0))]).contains("must be from 0.01 to 10.0 s")
    );
    assert!(
        refused(&[a.clone(), ("sensors.a.least_points", Value::Integer(0))])
            .contains("must be from 1 to 1000000")
    );
    assert!(params(&[a, ("sensors.b.topic", text("~/b"))]).is_ok());
}

#[test]
fn the_vehicle_is_fixed_at_start_and_distances_are_not() {
    let set = specification().defaults();
    let change = |name: &str, value: f64| set.change(&[(name.to_owned(), Value::Float(value))]);
    for name in ["front.stop", "back_left.slow", "collision_time.slow", "sensors.scanner.timeout"] {
        assert!(change(name, 0.9).is_ok(), "{name}");
    }
    for name in ["footprint.front", "reach", "max_linear", "sensors.scanner.x", "sensors.scanner.covers_to"] {
        assert!(change(name, 0.9).is_err(), "{name}");
    }
}
