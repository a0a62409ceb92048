//! Reasons that no walk of [`super::operator`] reaches, since its vehicle has other parameters or does not end.
//!
//! Those of a chair are in `chair/tests/all/explain.rs`; the silence of a gate or a stage, and motors that nobody obeys, need several
//! processes: `tests/ros/chain/test_why.py`.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use drive_chain::Input;
use params::Value;
use safety::{Command, Velocity};
use why::{Moves, choose};

use crate::common::{Bench, DEAD_MAN, STOP, arbiter_params, drive_by, read};

const HALF: Duration = Duration::from_millis(500);

/// A bench whose hindbrain has these parameters.
fn bench(hindbrain: &[(&str, Value)]) -> Bench {
    Bench::with(drive_by(arbiter_params(&[]), hindbrain))
}

/// One that drives ahead as far as it is let.
fn driven(hindbrain: &[(&str, Value)], forward: f64) -> Bench {
    let mut bench = bench(hindbrain);
    bench.plug();
    bench.enable(true);
    bench.stick(0.0, 0.0, true);
    bench.pass(HALF);
    bench.stick(forward, 0.0, true);
    bench.pass(HALF);
    bench
}

fn says(bench: &Bench) -> String {
    let reason = choose(&bench.drive.explain());
    assert_eq!(Moves::of(&reason) == Moves::Yes, bench.last() != (STOP, STOP), "{}", reason.sentence());
    reason.sentence()
}

#[track_caller]
fn after(mut bench: Bench, input: Input, sentence: &str) {
    bench.send([input]);
    bench.pass(HALF);
    assert_eq!(choose(&bench.drive.explain()).sentence(), sentence);
}

fn zones(changes: &[(&str, Value)]) -> Input {
    let params = read(zones::specification(), zones::Params::read, changes);
    Input::Zones(zones::Input::ParametersChanged(params))
}

fn joystick(changes: &[(&str, Value)]) -> Input {
    let params = read(joystick::specification(), joystick::Params::read, changes);
    Input::Joystick(joystick::Input::ParametersChanged(params))
}

#[test]
fn a_node_that_ends_is_started_again() {
    let quick = [("accel", Value::Float(200.0))];
    let arbiter = Input::Arbiter(arbiter::Input::Stopping);
    after(driven(&quick, 1.0), arbiter, "velocity_arbiter is ending. Start it again.");
    let zones = Input::Zones(zones::Input::Stopping);
    after(driven(&quick, 1.0), zones, "zone_scaler is ending. Start it again.");
    let gate = Input::Hindbrain(hindbrain::Input::Stopping);
    after(driven(&quick, 1.0), gate, "hindbrain is ending. Start it again.");
}

#[test]
fn a_vehicle_that_moves_as_asked_has_no_reasons() {
    let moves = driven(&[("accel", Value::Float(200.0))], 1.0);
    assert_eq!(says(&moves), "It moves as joystick asks. Let go to stop.");
    for stage in moves.drive.explain() {
        assert_eq!(stage.findings.iter().next(), None, "{}", stage.name);
    }
}

#[test]
fn what_a_pad_lacks_is_named() {
    let button = || Value::Integer(DEAD_MAN as i64);
    let axis = || ("linear.x.axis", Value::Integer(1));
    let plugged = || {
        let mut bench = driven(&[], 0.0);
        bench.stick(0.0, 0.0, false);
        bench
    };
    after(
        plugged(),
        joystick(&[axis(), ("enable.toggle", button())]),
        "Nobody drives: the stick is switched off. Press button 5 of Stick.",
    );
    after(
        plugged(),
        joystick(&[("enable.on", button())]),
        "Nobody drives: no axis of Stick is mapped. Set linear.x.axis.",
    );
    after(
        plugged(),
        joystick(&[axis(), ("enable.on", Value::Integer(15))]),
        "Nobody drives: Stick lacks inputs that are mapped. Correct the mapping.",
    );
}

#[test]
fn what_the_zones_lack_is_named() {
    let quick = [("accel", Value::Float(200.0))];
    let predict = zones(&[("mode", Value::Text("predict".into()))]);
    after(driven(&quick, 1.0), predict, "zone_scaler only predicts and commands nothing. Set another mode.");
    let profiles = zones::published();
    let profiles: Vec<_> = profiles.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let described = read(zones::specification(), zones::Params::read, &profiles);
    after(
        driven(&quick, 1.0),
        Input::Zones(zones::Input::ParametersChanged(described)),
        "The chair's profile is not known to zone_scaler. Describe it, or select another on the chair.",
    );
    let mut slow = driven(&quick, 0.0);
    slow.send([zones(&[("max_linear", Value::Float(0.5))])]);
    slow.pass(HALF);
    slow.stick(1.0, 0.0, true);
    slow.pass(HALF);
    let sentence = "It moves at the top speed of zone_scaler, which is less than asked for. Raise max_linear or max_angular to be faster.";
    assert_eq!(says(&slow), sentence);
}

/// Navigation commands `velocity` [m/s].
fn navigate(bench: &mut Bench, velocity: [f64; 3]) {
    let source = bench.drive.stages().arbiter.source_index("navigation").unwrap();
    let command = Ok(Command::new(Velocity::new(velocity, [0.0; 3]).unwrap(), bench.stamp()));
    bench.send([Input::Arbiter(arbiter::Input::CommandReceived { source, command })]);
    bench.pass(Duration::from_millis(50));
}

#[test]
fn a_program_is_named_whose_command_no_stage_takes() {
    let mut bench = bench(&[("accel", Value::Float(200.0))]);
    bench.enable(true);
    let mut after = |mode: &str, velocity| {
        bench.send([zones(&[("mode", Value::Text(mode.into()))])]);
        (0..10).for_each(|_| navigate(&mut bench, [0.0; 3]));
        navigate(&mut bench, velocity);
        says(&bench)
    };
    let sentence = "navigation has a part that no zone judges. Send forward and turn only, after a zero.";
    assert_eq!(after("apply", [0.3, 0.3, 0.0]), sentence);
    let sentence = "navigation sends no valid command. Correct it, and let it send a zero.";
    assert_eq!(after("apply", [1e300, 0.0, 0.0]), sentence);
    let sentence =
        "navigation asks for linear.y, which two driven sides cannot do. Send linear.x and angular.z.";
    assert_eq!(after("passthrough", [0.0, 0.3, 0.0]), sentence);
}

#[test]
fn a_source_has_the_turn_from_its_next_command_on() {
    let mut bench = driven(&[], 0.0);
    bench.unplug();
    (0..10).for_each(|_| navigate(&mut bench, [0.0; 3]));
    let sentence = "navigation has the turn from its next command on. Let it send one.";
    let found = (0..100).any(|_| {
        navigate(&mut bench, [0.3, 0.0, 0.0]);
        says(&bench) == sentence
    });
    assert!(found, "{}", says(&bench));
}

#[test]
fn the_motors_have_sentences_of_their_own() {
    let float = Value::Float;
    let slow = driven(&[("accel", float(200.0)), ("wheel_speed", float(10.0))], 0.1);
    assert_eq!(says(&slow), "joystick asks for less than the motors can do. Push further.");
    let serial =
        [("driver.kind", Value::Text("pololu".into())), ("driver.device", Value::Text("/dev/x".into()))];
    let unready = "The motor controller is not open yet. Connect it, and check driver.device.";
    assert_eq!(says(&driven(&serial, 1.0)), unready);
    let mut lapsed = driven(&[("enable.lease", float(0.3))], 0.0);
    lapsed.pass(HALF);
    let sentence =
        "hind/enable is no longer repeated. Let its publisher repeat it, and switch it off and on.";
    assert_eq!(says(&lapsed), sentence);
    let mut gap = driven(&[("accel", float(200.0))], 1.0);
    gap.send([Input::Hindbrain(hindbrain::Input::Interrupted)]);
    let sentence = "The motor values were interrupted. Let the stick go once.";
    assert_eq!(choose(&gap.drive.explain()).sentence(), sentence);
}

/// A way that is blocked explains nothing about another one, and must not take the sentence from the reason.
#[test]
fn a_slow_start_and_a_slow_command_are_named_although_another_way_is_blocked() {
    let ir = ("ir.sensors", Value::Texts(vec!["ir_front_port".into()]));
    let starts = driven(&[("accel", Value::Float(1.0)), ir.clone()], -0.5);
    assert_eq!(says(&starts), "The motors start slowly. Wait, or raise hindbrain.accel.");
    let slow = driven(&[("wheel_speed", Value::Float(10.0)), ir], -0.1);
    assert_eq!(says(&slow), "joystick asks for less than the motors can do. Push further.");
}
