//! The specification of the node's parameters.

use joystick::{JoyParams, Params, Shape, specification};
use params::Value;

#[test]
fn the_defaults_of_the_specification_are_those_of_params() {
    assert_eq!(Params::read(&specification().defaults()), Ok(Params::default()));
}

#[test]
fn a_default_passes_its_own_check() {
    for (name, declaration, value) in specification().defaults().iter() {
        assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
        assert!(!declaration.text.is_empty(), "{name} has a description");
    }
}

#[test]
fn every_parameter_reaches_its_field() {
    let name = |n: &str| n.to_owned();
    let set = specification()
        .resolve([
            (name("rate"), Value::Integer(100)),
            (name("control_device"), Value::Text("pad".into())),
            (name("virtual_device"), Value::Text("virtual".into())),
            (name("intrinsic"), Value::Bool(false)),
            (name("drag"), Value::Float(1.0)),
            (name("amax"), Value::Float(2.0)),
            (name("awmax"), Value::Float(3.0)),
            (name("slow"), Value::Float(5.0)),
            (name("linear.x.axis"), Value::Integer(1)),
            (name("linear.y.min"), Value::Integer(-30000)),
            (name("linear.y.center"), Value::Integer(-100)),
            (name("linear.y.max"), Value::Integer(31000)),
            (name("linear.y.invert"), Value::Bool(true)),
            (name("linear.y.dead_zone"), Value::Float(0.1)),
            (name("linear.y.curve"), Value::Float(2.0)),
            (name("joy.dead_zone"), Value::Float(0.2)),
            (name("joy.autorepeat_rate"), Value::Float(30.0)),
            (name("joy.coalesce_interval"), Value::Float(0.5)),
            (name("linear.y.axis"), Value::Integer(2)),
            (name("linear.z.axis"), Value::Integer(3)),
            (name("linear.z.scale"), Value::Float(-1.0)),
            (name("angular.x.axis"), Value::Integer(4)),
            (name("angular.x.offset"), Value::Float(0.5)),
            (name("angular.y.axis"), Value::Integer(5)),
            (name("angular.z.axis"), Value::Integer(0)),
            (name("enable.on"), Value::Integer(6)),
            (name("enable.slow"), Value::Integer(7)),
            (name("enable.toggle"), Value::Integer(8)),
            (name("coords.intrinsic"), Value::Integer(9)),
            (name("coords.world"), Value::Integer(10)),
            (name("coords.toggle"), Value::Integer(11)),
        ])
        .unwrap();
    let params = Params::read(&set).unwrap();
    assert_eq!((params.rate, params.intrinsic), (100, false));
    assert_eq!((params.control_device.as_str(), params.virtual_device.as_str()), ("pad", "virtual"));
    let d = params.dynamics;
    assert_eq!([d.drag, d.amax, d.awmax, d.slow], [1.0, 2.0, 3.0, 5.0]);
    let m = params.mappings;
    assert_eq!(m.linear.map(|a| a.axis), [Some(1), Some(2), Some(3)]);
    assert_eq!(m.angular.map(|a| a.axis), [Some(4), Some(5), Some(0)]);
    let shape = Shape { min: -30000, center: -100, max: 31000, invert: true, dead_zone: 0.1, curve: 2.0 };
    assert_eq!([m.linear[0].shape, m.linear[1].shape, m.angular[0].shape], [Shape::RAW, shape, Shape::RAW]);
    let joy = JoyParams { dead_zone: 0.2, autorepeat_rate: 30.0, coalesce_interval: 0.5 };
    assert_eq!(params.joy, joy);
    assert_eq!((m.linear[2].scale, m.angular[0].offset), (-1.0, 0.5));
    assert_eq!([m.enable.on, m.enable.slow, m.enable.toggle], [Some(6), Some(7), Some(8)]);
    assert_eq!([m.coords.intrinsic, m.coords.world, m.coords.toggle], [Some(9), Some(10), Some(11)]);
}

#[test]
fn values_out_of_range_are_refused() {
    let refused = |name: &str, value| specification().resolve([(name.to_owned(), value)]).is_err();
    for bad in [f64::NAN, f64::INFINITY, -1.0, 1000.1] {
        for name in ["drag", "amax", "awmax", "slow"] {
            assert!(refused(name, Value::Float(bad)), "{name} {bad}");
        }
    }
    assert!(refused("slow", Value::Float(0.0)));
    assert!(refused("rate", Value::Integer(0)) && refused("rate", Value::Integer(1001)));
    assert!(refused("linear.x.axis", Value::Integer(16)) && refused("enable.on", Value::Integer(-2)));
    assert!(refused("angular.z.scale", Value::Float(10.1)));
    assert!(refused("linear.x.offset", Value::Float(f64::NAN)));
}

#[test]
fn a_button_has_one_function() {
    let read = |first: &str, second: &str, button| {
        let values = [first, second].map(|name| (name.to_owned(), Value::Integer(button)));
        let set = specification().resolve(values).unwrap();
        Params::read(&set).map(|_| ()).map_err(|refusal| refusal.to_string())
    };
    let sentence = "parameter 'enable.toggle' is 5, must be another button than 'enable.on'";
    assert_eq!(read("enable.on", "enable.toggle", 5), Err(sentence.into()));
    let sentence = "parameter 'coords.world' is 0, must be another button than 'coords.intrinsic'";
    assert_eq!(read("coords.intrinsic", "coords.world", 0), Err(sentence.into()));
    assert_eq!(read("enable.on", "enable.slow", -1), Ok(()), "unused buttons may be equal");
    assert_eq!(read("enable.on", "coords.world", 5), Ok(()));
}

#[test]
fn a_centre_lies_between_its_ends() {
    let read = |min, center, max| {
        let names = [("angular.y.min", min), ("angular.y.center", center), ("angular.y.max", max)];
        let set =
            specification().resolve(names.map(|(name, value)| (name.to_owned(), Value::Integer(value))));
        Params::read(&set.unwrap()).map_err(|refusal| refusal.to_string())
    };
    for (min, center, max) in [(-32768, -32768, 32767), (0, 1, 1), (5, 6, 7)] {
        assert!(read(min, center, max).is_ok(), "{min} {center} {max}");
    }
    for (min, center, max) in [(0, -1, 1), (0, 2, 1), (3, 3, 3), (1, 0, -1)] {
        assert!(read(min, center, max).is_err(), "{min} {center} {max}");
    }
    let text = "parameter 'angular.y.center' is 2, must lie from 'angular.y.min' (0) to 'angular.y.max' (1), which \
                must be greater";
    assert_eq!(read(0, 2, 1), Err(text.into()));
}

#[test]
fn a_pad_elsewhere_has_no_names() {
    let read = |changes: &[(&str, &str)]| {
        let changes = changes.iter().map(|(name, value)| ((*name).to_owned(), Value::Text((*value).into())));
        Params::read(&specification().resolve(changes).unwrap())
    };
    for (name, value) in [("enable.on", "righttrigger"), ("linear.x.axis", "lefty"), ("coords.toggle", "a")] {
        let refusal = read(&[("joy_input", "pad"), (name, value)]).unwrap_err().to_string();
        let rule = "must be a number, since a sensor_msgs/Joy has no names for the inputs of 'joy_input'";
        assert!(refusal.contains(name) && refusal.contains(value) && refusal.ends_with(rule), "{refusal}");
        assert!(read(&[("joy_input", "pad"), ("control_device", "Pad"), (name, value)]).is_ok());
        assert!(read(&[(name, value)]).is_ok());
    }
}
