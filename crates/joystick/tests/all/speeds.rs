//! Top speeds and slow speeds of the coordinates, in place of accelerations.
#![allow(clippy::unwrap_used)] // the lint's exception for tests does not see helpers

use crate::common;

use common::{Bench, ON, SLOW, TOGGLE, guarded, reference, wall};
use joystick::{Input, Params, PoseState, dynamics_changes, specification};
use params::Value;

/// A base's usual speeds, forward and turning of different ratio.
fn speeds() -> Params {
    let mut params = guarded();
    let [x, turn] = [&mut params.mappings.linear[0], &mut params.mappings.angular[2]];
    (x.max_speed, x.slow_speed) = (Some(0.7), Some(0.3));
    (turn.max_speed, turn.slow_speed) = (Some(1.5), Some(1.0));
    params
}

/// Forward and turning velocity.
fn velocity(state: PoseState) -> [f64; 2] {
    [state.vel.unwrap()[0], state.avel.unwrap()[2]]
}

fn is_near(velocity: [f64; 2], [forward, turn]: [f64; 2]) -> bool {
    (velocity[0] - forward).abs() < 1e-9 && (velocity[1] - turn).abs() < 1e-9
}

#[test]
fn each_mode_settles_at_its_speed_for_each_coordinate() {
    let only_max = |params: &mut Params| params.mappings.linear[0].slow_speed = None;
    let only_slow = |params: &mut Params| params.mappings.linear[0].max_speed = None;
    let full = 10.0 / 3.0; // amax / drag, where max_speed is not set; slow is 4
    type Change<'a> = &'a dyn Fn(&mut Params);
    let table: [(Change, [f64; 3]); 3] = [
        (&|_| {}, [0.7, 0.3, 0.3]),
        (&only_max, [0.7, 0.7 / 2.0, 0.7 / 4.0]),
        (&only_slow, [full, 0.3, 0.3]),
    ];
    for (change, forward) in table {
        let mut params = speeds();
        change(&mut params);
        let turn = [1.5, 1.0, 1.0];
        for (at, (on, slow)) in [(true, false), (true, true), (false, true)].into_iter().enumerate() {
            for sign in [1.0, -1.0] {
                let mut bench = Bench::with_pad(params.clone());
                bench.button(ON, on);
                bench.button(SLOW, slow);
                let count = if sign > 0.0 { i16::MAX } else { i16::MIN };
                bench.axis(0, count);
                bench.axis(1, count);
                bench.run(20_000);
                let last = velocity(bench.last());
                assert!(is_near(last, [sign * forward[at], sign * turn[at]]), "{on} {slow}: {last:?}");
            }
        }
    }
    let mut bench = Bench::with_pad(speeds());
    bench.press(TOGGLE);
    bench.axis(0, i16::MAX / 2 + 1);
    bench.run(20_000);
    // 16384 / 32767 of the speed
    assert!(is_near(velocity(bench.last()), [0.7 * 16_384.0 / 32_767.0, 0.0]), "{:?}", bench.last());
}

#[test]
fn the_speed_is_reached_with_the_time_constant_of_the_drag() {
    let mut bench = Bench::with_pad(speeds());
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(5); // the first zero
    bench.run(1000);
    // 0.7 * (1 - exp(-3)) = 0.7 * 0.950213 = 0.665149
    assert!((bench.forward() - 0.665_149).abs() < 1e-6, "{}", bench.forward());
    // 0.7 * 3 - 3 * 0.665149 = 0.104553
    assert!((bench.last().acc.unwrap()[0] - 0.104_553).abs() < 1e-5);
}

#[test]
fn a_takeover_begins_with_the_reference_up_to_the_speed_in_force() {
    // buttons, velocity of the reference => velocity at the moment of the takeover
    for (buttons, velocity, expected) in [
        (&[ON][..], 0.65, 0.65),
        (&[ON], 0.7, 0.7),
        (&[ON], 2.0, 0.7),
        (&[ON], -2.0, -0.7),
        (&[SLOW], 0.25, 0.25),
        (&[SLOW], 0.65, 0.3),
        (&[SLOW, ON], 0.65, 0.3),
    ] {
        let mut bench = Bench::with_pad(speeds());
        bench.begin_reference();
        bench.give(Input::ReferenceReceived(reference(wall(0), true, velocity)));
        for &button in buttons {
            bench.button(button, true);
        }
        bench.batch();
        assert_eq!(bench.forward(), expected, "{buttons:?} {velocity}");
        assert_eq!(bench.machine.counters().seeds_limited, u64::from(velocity != expected));
        bench.axis(0, if velocity > 0.0 { i16::MAX } else { i16::MIN });
        for _ in 0..1000 {
            let before = bench.forward();
            bench.run(5);
            // No more than the acceleration at rest: 0.7 * 3 * 0.005
            assert!((bench.forward() - before).abs() < 0.0106, "{buttons:?} {velocity}");
            assert!(bench.forward().abs() <= 0.7 * (1.0 + 1e-12), "{buttons:?} {velocity}");
        }
    }
}

#[test]
fn a_held_stick_follows_a_speed_without_a_jump() {
    let mut bench = Bench::with_pad(speeds());
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(20_000);
    for speed in [0.4, 2.0] {
        let mut params = speeds();
        params.mappings.linear[0].max_speed = Some(speed);
        let before = bench.forward();
        bench.give(Input::ParametersChanged(params));
        bench.run(5);
        assert!((bench.forward() - before).abs() < 3.0 * 1.6 * 0.005 + 1e-9, "{}", bench.forward());
        bench.run(20_000);
        assert!((bench.forward() - speed).abs() < 1e-9);
    }
}

fn read(values: &[(&str, f64)]) -> Result<Params, String> {
    let values = values.iter().map(|&(name, value)| (name.to_owned(), Value::Float(value)));
    let set = specification().resolve(values).map_err(|refusals| format!("{}", refusals[0]))?;
    Params::read(&set).map_err(|refusal| refusal.to_string())
}

#[test]
fn every_speed_reaches_its_coordinate() {
    let names = ["linear.x", "linear.y", "linear.z", "angular.x", "angular.y", "angular.z"];
    for (at, name) in names.into_iter().enumerate() {
        let (max, slow) = (format!("{name}.max_speed"), format!("{name}.slow_speed"));
        let params = read(&[(&max, 2.5), (&slow, 2.5)]).unwrap();
        let all: Vec<_> = params.mappings.linear.iter().chain(&params.mappings.angular).collect();
        for (other, mapping) in all.into_iter().enumerate() {
            let expected = (at == other).then_some(2.5);
            assert_eq!([mapping.max_speed, mapping.slow_speed], [expected; 2], "{name}, {other}");
        }
    }
    let whole = specification().resolve([("linear.x.max_speed".to_owned(), Value::Integer(2))]).unwrap();
    assert_eq!(Params::read(&whole).unwrap().mappings.linear[0].max_speed, Some(2.0));
    let unset = whole.change(&[("linear.x.max_speed".to_owned(), Value::Text(String::new()))]).unwrap();
    assert_eq!(Params::read(&unset), Ok(Params::default()));
}

#[test]
fn impossible_speeds_are_refused() {
    for (name, unit) in [("linear.y.max_speed", "m/s"), ("angular.z.slow_speed", "rad/s")] {
        for (bad, quoted) in [
            (0.0, "0.0"),
            (-0.7, "-0.7"),
            (-1.0, "-1.0"),
            (1000.1, "1000.1"),
            (f64::NAN, ".nan"),
            (f64::INFINITY, ".inf"),
        ] {
            let sentence =
                format!("parameter '{name}' is {quoted}, must be from 0.001 to 1000.0 {unit}, or ''");
            assert_eq!(read(&[(name, bad)]), Err(sentence));
        }
        let text = specification().resolve([(name.to_owned(), Value::Text("fast".into()))]);
        assert!(text.unwrap_err()[0].to_string().contains(&format!("must be from 0.001 to 1000.0 {unit}")));
        let flag = specification().resolve([(name.to_owned(), Value::Bool(true))]);
        assert!(flag.unwrap_err()[0].to_string().ends_with("must be of type double or empty string"));
    }
    let (max, slow) = ("linear.x.max_speed", "linear.x.slow_speed");
    for (values, sentence) in [
        (
            &[(max, 0.5), (slow, 0.6)][..],
            "parameter 'linear.x.slow_speed' is 0.6, must be from 0.001 to 0.5 m/s, the top speed, or ''",
        ),
        (
            &[("amax", 3.0), ("drag", 6.0), (slow, 0.6)],
            "parameter 'linear.x.slow_speed' is 0.6, must be from 0.001 to 0.5 m/s, the top speed, or ''",
        ),
        (
            &[("awmax", 3.0), ("drag", 6.0), ("angular.x.slow_speed", 0.6)],
            "parameter 'angular.x.slow_speed' is 0.6, must be from 0.001 to 0.5 rad/s, the top speed, or ''",
        ),
        (
            &[("drag", 0.0), (max, 0.5)],
            "parameter 'linear.x.max_speed' is 0.5, must be '' while 'drag' is 0.0 1/s",
        ),
        (
            &[("drag", 0.0), ("angular.z.slow_speed", 0.5)],
            "parameter 'angular.z.slow_speed' is 0.5, must be '' while 'drag' is 0.0 1/s",
        ),
    ] {
        assert_eq!(read(values), Err(sentence.to_owned()));
    }
    assert!(read(&[("amax", 0.0), (slow, 0.001)]).is_err(), "the top speed is 0");
    assert!(read(&[(max, 0.5), (slow, 0.5)]).is_ok() && read(&[("drag", 0.0)]).is_ok());
    assert!(read(&[("amax", 0.0), (max, 0.5)]).is_ok(), "amax does not matter");
}

#[test]
fn set_state_params_keeps_the_rules_of_speeds() {
    let changed = |speeds: &[(&str, f64)], drag, amax| {
        let values = speeds.iter().map(|&(name, value)| (name.to_owned(), Value::Float(value)));
        let set = specification().resolve(values).unwrap();
        let set = set.change(&dynamics_changes(drag, amax, 3.0, 4.0)).unwrap();
        Params::read(&set).map(|params| params.dynamics.drag).map_err(|refusal| refusal.to_string())
    };
    let slow = [("linear.x.slow_speed", 0.9)];
    assert_eq!(changed(&slow, 2.0, 2.0), Ok(2.0));
    let sentence =
        "parameter 'linear.x.slow_speed' is 0.9, must be from 0.001 to 0.5 m/s, the top speed, or ''";
    assert_eq!(changed(&slow, 2.0, 1.0), Err(sentence.into()));
    let both = [("linear.x.max_speed", 1.0), ("linear.x.slow_speed", 0.9)];
    assert_eq!(changed(&both, 2.0, 1.0), Ok(2.0), "the top speed stays");
    let sentence = "parameter 'linear.x.max_speed' is 1.0, must be '' while 'drag' is 0.0 1/s";
    assert_eq!(changed(&both, 0.0, 1.0), Err(sentence.into()));
}
