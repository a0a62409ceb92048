//! The parameters of the node `chair`.
#![allow(clippy::unwrap_used)] // a test's own ground

use chair::{Mode, Params, specification};
use params::Value;
use safety::Velocity;
use zones::{example, published};

fn read(overrides: &[(&str, Value)]) -> Result<Params, String> {
    let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let set = specification().resolve(overrides).map_err(|refusals| refusals[0].to_string())?;
    Params::read(&set).map_err(|refusal| refusal.to_string())
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

fn floats(values: &[f64]) -> Value {
    Value::Floats(values.into())
}

#[test]
fn every_default_passes_its_own_check() {
    for (name, declaration, value) in specification().defaults().iter() {
        assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value));
        assert!(!declaration.text.is_empty(), "{name}");
    }
    assert_eq!(read(&[]).unwrap(), Params::default());
}

#[test]
fn a_chair_that_was_not_measured_has_no_calibration() {
    let params = Params::default();
    assert!((-1..=6).all(|number| params.remote.profiles.of(number).is_none()));
    assert_eq!(params.remote.mode, Mode::Shared);
    // 20 Hz
    assert_eq!(params.remote.period.as_millis(), 50);
}

#[test]
fn the_published_speeds_are_read() {
    let set = specification().resolve(published()).unwrap();
    let params = Params::read(&set).unwrap();
    for (number, full) in [(1, 0.54), (2, 1.07), (3, 1.57), (4, 2.01), (5, 2.77)] {
        let calibration = params.remote.profiles.of(number).unwrap();
        assert_eq!(calibration.velocity(100, 0), Velocity::planar(full, 0.0).unwrap());
        // Left is positive: full throw to the left is negative.
        assert_eq!(calibration.velocity(0, -100), Velocity::planar(0.0, 1.2212).unwrap());
    }
    assert!([0, 6, i32::MIN, i32::MAX].iter().all(|&number| params.remote.profiles.of(number).is_none()));
}

#[test]
fn the_example_file_holds_the_published_speeds() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/luci_profiles.yaml");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path, example()).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), example(), "write it anew with BLESS=1");
}

#[test]
fn all_three_methods_are_read() {
    let params = read(&[
        ("profiles.slow.number", Value::Integer(2)),
        ("profiles.slow.backward", Value::Float(0.5)),
        ("profiles.slow.forward.method", text("piecewise")),
        ("profiles.slow.forward.percents", floats(&[50.0, 100.0])),
        ("profiles.slow.forward.speeds", floats(&[0.2, 1.0])),
        ("profiles.slow.turn.method", text("cubic")),
        ("profiles.slow.turn.cubic", floats(&[0.0, 0.0, 200.0])),
    ])
    .unwrap();
    let calibration = params.remote.profiles.of(2).unwrap();
    // Back at half the speed: 0.2 / 2 at 50 percent.
    assert_eq!(calibration.velocity(-50, 0), Velocity::planar(-0.1, 0.0).unwrap());
    // 200 percent per rad/s: 0.25 rad/s to the left is 50 percent to the left.
    let deflection = calibration.deflection(&Velocity::planar(0.0, 0.25).unwrap());
    assert_eq!((deflection.forward_back, deflection.left_right), (0, -50));
}

/// A profile with every figure that has to be given.
fn complete() -> [(&'static str, Value); 3] {
    [
        ("profiles.a.number", Value::Integer(1)),
        ("profiles.a.forward.full_throw", Value::Float(2.0)),
        ("profiles.a.turn.full_throw", Value::Float(1.0)),
    ]
}

#[test]
fn no_figure_of_a_profile_is_invented() {
    assert!(read(&complete()).is_ok());
    for (missing, sentence) in [
        (0, "parameter 'profiles.a.number' is 0, must be given, from 1 to 5"),
        (1, "parameter 'profiles.a.forward.full_throw' is 0.0, must be given, from 0.1 to 20.0 m/s"),
        (2, "parameter 'profiles.a.turn.full_throw' is 0.0, must be given, from 0.1 to 20.0 rad/s"),
    ] {
        let given = complete().into_iter().enumerate().filter(|&(index, _)| index != missing);
        let given: Vec<_> = given.map(|(_, given)| given).collect();
        assert_eq!(read(&given).unwrap_err(), sentence);
        let (name, value) = &complete()[missing];
        let zero = if let Value::Integer(_) = value { Value::Integer(0) } else { Value::Float(0.0) };
        assert_eq!(
            read(&[given, vec![(*name, zero)]].concat()).unwrap_err(),
            sentence,
            "as good as not given"
        );
    }
    // Less than the range says is no speed either.
    let slow = [complete().as_slice(), &[("profiles.a.forward.full_throw", Value::Float(0.009))]].concat();
    assert!(read(&slow).unwrap_err().ends_with("is 0.009, must be given, from 0.1 to 20.0 m/s"));
}

#[test]
fn a_calibration_stays_while_the_node_runs() {
    let set = specification().resolve(complete().map(|(name, value)| (name.to_owned(), value))).unwrap();
    for (name, value) in [
        ("profiles.a.forward.full_throw", Value::Float(0.5)),
        ("profiles.a.number", Value::Integer(2)),
        ("profiles.b.number", Value::Integer(2)),
    ] {
        assert!(set.change(&[(name.to_owned(), value)]).is_err(), "{name}: the stick would jump");
    }
}

#[test]
fn no_profile_is_so_slow_that_all_of_it_is_a_zero() {
    let piecewise = [
        ("profiles.a.forward.method", text("piecewise")),
        ("profiles.a.forward.percents", floats(&[100.0])),
        ("profiles.a.forward.speeds", floats(&[0.02])),
    ];
    let cubic =
        [("profiles.a.turn.method", text("cubic")), ("profiles.a.turn.cubic", floats(&[0.0, 0.0, 2000.0]))];
    for (slow, sentence) in [
        (
            &piecewise[..],
            "parameter 'profiles.a.forward.speeds' is [0.02], must give a speed at full throw from 0.1 to 20.0, not 0.02",
        ),
        (
            &cubic,
            "parameter 'profiles.a.turn.cubic' is [0.0, 0.0, 2000.0], must give a speed at full throw from 0.1 to 20.0, \
             not 0.05",
        ),
    ] {
        assert_eq!(read(&[complete().as_slice(), slow].concat()).unwrap_err(), sentence);
    }
}

#[test]
fn another_method_needs_no_full_throw() {
    let cubic = |axis: &'static str| {
        let (method, cubic) = match axis {
            "forward" => ("profiles.a.forward.method", "profiles.a.forward.cubic"),
            _ => ("profiles.a.turn.method", "profiles.a.turn.cubic"),
        };
        [(method, text("cubic")), (cubic, floats(&[0.0, 0.0, 200.0]))]
    };
    let number = ("profiles.a.number", Value::Integer(1));
    let given = [cubic("forward").as_slice(), &cubic("turn"), &[number]].concat();
    assert!(read(&given).is_ok());
}

#[test]
fn a_calibration_that_does_not_grow_is_refused_by_name() {
    let read = |overrides: &[(&str, Value)]| read(&[complete().as_slice(), overrides].concat());
    let forward = ("profiles.a.forward.method", text("piecewise"));
    assert_eq!(
        read(&[
            forward.clone(),
            ("profiles.a.forward.percents", floats(&[50.0, 100.0])),
            ("profiles.a.forward.speeds", floats(&[1.0, 0.5])),
        ])
        .unwrap_err(),
        "parameter 'profiles.a.forward.speeds' is [1.0, 0.5], must grow from entry to entry, from above 0; entry 1 is \
         0.5 after 1"
    );
    assert_eq!(
        read(&[forward]).unwrap_err(),
        "parameter 'profiles.a.forward.percents' is [], must have as many entries as 'speeds', at least 1; has 0, not 0"
    );
    assert_eq!(
        read(&[
            ("profiles.a.turn.method", text("cubic")),
            ("profiles.a.turn.cubic", floats(&[-1.0, 0.0, 27.0]))
        ])
        .unwrap_err(),
        "parameter 'profiles.a.turn.cubic' is [-1.0, 0.0, 27.0], must grow all the way from 0 to 100 percent; it turns at \
         a speed of 3.000 with 54.0 percent"
    );
    assert!(
        read(&[("profiles.a.turn.method", text("cubic"))]).unwrap_err().contains("must be three numbers")
    );
    assert_eq!(
        read(&[("profiles.a.forward.full_throw", Value::Float(-1.0))]).unwrap_err(),
        "parameter 'profiles.a.forward.full_throw' is -1.0, must be from 0.0 to 20.0 m/s"
    );
}

#[test]
fn two_calibrations_for_one_profile_are_refused() {
    let three = ["a", "b"].map(|name| {
        let full = |axis: &str| (format!("profiles.{name}.{axis}.full_throw"), Value::Float(1.0));
        [(format!("profiles.{name}.number"), Value::Integer(3)), full("forward"), full("turn")]
    });
    let set = specification().resolve(three.into_iter().flatten()).unwrap();
    let error = Params::read(&set).unwrap_err().to_string();
    assert_eq!(
        error,
        "parameter 'profiles.b.number' is 3, must be 1 to 5 and differ from that of every other profile"
    );
}

#[test]
fn a_gap_in_which_the_encoders_may_turn_too_far_is_refused() {
    // Half a turn is 1.0373 / 2.38462 / 2 = 0.21750 m, which takes 0.0725 s at 3 m/s.
    let error = read(&[("odometry.max_gap", Value::Float(0.073))]).unwrap_err();
    assert!(error.contains("must be less than 0.0725 s"), "{error}");
    assert!(read(&[("odometry.max_gap", Value::Float(0.072))]).is_ok());
}

#[test]
fn the_mode_is_chosen_at_the_start() {
    let set = specification().defaults();
    assert!(set.change(&[("mode".to_owned(), text("auto"))]).is_err());
    assert_eq!(read(&[("mode", text("auto"))]).unwrap().remote.mode, Mode::Auto);
}
