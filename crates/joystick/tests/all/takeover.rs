//! Takeovers: the buttons, the initial velocity, the frame.

use crate::common;

use common::{Bench, CYCLE, FLIP, INTRINSIC, ON, PAD, TOGGLE, WORLD, guarded, reference, wall};
use joystick::{Dynamics, Input, Params, PoseState, Report};
use safety::Stamp;

#[test]
fn a_takeover_begins_with_the_velocity_of_the_reference() {
    // stamp, frame, velocity, wait [ms] => velocity at the moment of the takeover
    let nan = f64::NAN;
    let table = [
        (wall(0), true, 1.5, 0, 1.5),
        (wall(0), true, 1.5, 495, 1.5),
        (wall(0), true, 1.5, 500, 0.0), // aged after its receipt
        (Stamp { sec: 999, ..wall(0) }, true, 1.5, 0, 0.0), // old at its receipt
        (Stamp { sec: 9999, ..wall(0) }, true, 1.5, 0, 0.0), // from the future
        (wall(100), true, 1.5, 0, 1.5), // its clock is slightly ahead
        (wall(100), true, 1.5, 500, 0.0), // which does not make it fresher
        (Stamp::ZERO, true, 1.5, 0, 1.5), // no stamp: its receipt counts
        (wall(0), false, 1.5, 0, 0.0),  // another frame
        (wall(0), true, nan, 0, 0.0),
        (wall(0), true, 1e300, 0, 0.0),
        (wall(0), true, 3.4, 0, 10.0 / 3.0), // faster than amax / drag
        (wall(0), true, -900.0, 0, -10.0 / 3.0),
    ];
    for (stamp, intrinsic, velocity, wait, expected) in table {
        let mut bench = Bench::with_pad(guarded());
        bench.begin_reference();
        bench.give(Input::ReferenceReceived(reference(stamp, intrinsic, velocity)));
        bench.run(wait);
        bench.button(ON, true);
        bench.batch();
        assert_eq!(bench.forward(), expected, "{stamp:?} {intrinsic} {velocity} {wait}");
        let counters = bench.machine.counters();
        let limited = expected != 0.0 && expected != velocity;
        assert_eq!(counters.seeds_limited, u64::from(limited));
        // If the reference does not count, the zero before it may.
        assert!(counters.seeds_refused <= u64::from(expected == 0.0));
    }
}

#[test]
fn a_takeover_is_bounded_axis_by_axis_by_what_the_stick_can_reach() {
    // amax, awmax, drag => linear, angular bound
    for (amax, awmax, drag, linear, angular) in [
        (2.0, 6.0, 4.0, 0.5, 1.5),
        (0.0, 1.0, 1.0, 0.0, 1.0),
        (10.0, 10.0, 0.0, 700.0, 700.0),
        (0.0, 1.0, 0.0, 0.0, 700.0),
    ] {
        let mut params = guarded();
        params.dynamics = Dynamics { amax, awmax, drag, slow: 4.0 };
        let mut bench = Bench::with_pad(params);
        let (vel, avel) = (Some([700.0, 0.25, -700.0]), Some([-700.0, 700.0, 0.75]));
        let state = PoseState { stamp: wall(0), intrinsic: true, vel, avel, ..PoseState::default() };
        bench.begin_reference();
        bench.give(Input::ReferenceReceived(state));
        bench.button(ON, true);
        bench.batch();
        let last = bench.last();
        assert_eq!(last.vel, Some([linear, 0.25_f64.min(linear), -linear]), "{amax} {awmax} {drag}");
        assert_eq!(last.avel, Some([-angular, angular, 0.75]), "{amax} {awmax} {drag}");
    }
}

#[test]
fn a_takeover_does_not_depend_on_the_previous_one() {
    let mut bench = Bench::with_pad(guarded());
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(1000);
    bench.button(ON, false);
    bench.batch();
    bench.button(ON, true);
    bench.batch();
    assert_eq!(bench.forward(), 0.0);
}

#[test]
fn the_toggle_counts_presses_not_samples() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(TOGGLE);
    assert!(bench.machine.active());
    bench.press(TOGGLE);
    assert!(!bench.machine.active());
    bench.press(TOGGLE);
    bench.press(TOGGLE);
    bench.press(TOGGLE);
    assert!(bench.machine.active(), "an odd number within one cycle");
}

/// A pad connects with all inputs held.
fn all_held() -> Input {
    let (name, guid, axes) = ("Pad".into(), "guid".into(), vec![i16::MAX; 2]);
    let (serial, path, links) = Default::default();
    Input::DeviceConnected {
        id: PAD,
        name,
        guid,
        serial,
        path,
        links,
        mapping: String::new(),
        axes,
        buttons: vec![true; 10],
        hats: vec![],
    }
}

#[test]
fn a_button_held_when_it_gets_its_function_is_no_press() {
    let mut unmapped = guarded();
    unmapped.mappings.enable.toggle = None;
    let mut bench = Bench::with_pad(unmapped);
    bench.button(TOGGLE, true);
    bench.give(Input::ParametersChanged(guarded()));
    bench.run(CYCLE);
    assert!(!bench.machine.active());
    // and a button that is held at the connection
    let mut bench = Bench::new(guarded());
    bench.give(all_held());
    bench.button(TOGGLE, true);
    bench.batch();
    assert!(!bench.machine.active());
}

#[test]
fn a_dead_man_held_at_the_connection_has_to_be_released_first() {
    let mut bench = Bench::new(guarded());
    bench.give(all_held());
    bench.button(ON, true); // a repetition is no press
    bench.axis(0, 30_000);
    bench.run(CYCLE);
    assert!(!bench.machine.active());
    bench.button(ON, false);
    bench.button(ON, true);
    assert!(bench.machine.active());
}

#[test]
fn another_toggle_button_ends_the_takeover() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(TOGGLE);
    let mut other = guarded();
    other.dynamics.amax = 5.0;
    bench.give(Input::ParametersChanged(other.clone()));
    assert!(bench.machine.active(), "other parameters do not end it");
    other.mappings.enable.toggle = Some(9);
    bench.give(Input::ParametersChanged(other));
    assert!(!bench.machine.active());
}

#[test]
fn another_frame_stops_the_motion() {
    for press in [WORLD, FLIP] {
        let mut bench = Bench::with_pad(guarded());
        bench.button(ON, true);
        bench.axis(0, i16::MAX);
        bench.run(1000);
        bench.press(press);
        bench.batch();
        assert_eq!((bench.last().intrinsic, bench.forward()), (false, 0.0));
        assert!(!bench.machine.intrinsic());
        assert!(bench.reports().contains(&Report::Intrinsic(false)));
    }
    let mut bench = Bench::with_pad(guarded());
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(1000);
    bench.press(INTRINSIC); // the frame that it has
    bench.press(FLIP);
    bench.press(FLIP);
    bench.batch();
    assert!(bench.last().intrinsic && bench.forward() > 3.0);
}

#[test]
fn frame_buttons_act_while_inactive() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(WORLD);
    bench.batch();
    assert!(!bench.machine.intrinsic());
}

#[test]
fn the_frame_parameter_acts_when_it_changes() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(WORLD);
    bench.batch();
    bench.give(Input::ParametersChanged(guarded()));
    assert!(!bench.machine.intrinsic(), "the parameter did not change, the button's choice stays");
    bench.give(Input::ParametersChanged(Params { intrinsic: false, ..guarded() }));
    bench.give(Input::ParametersChanged(guarded()));
    assert!(bench.machine.intrinsic());
}
