//! A stick that starts to drive commands nothing before it was at rest, and inherits no takeover.

use crate::authority::published;
use crate::common;

use common::{Bench, CYCLE, ON, PAD, TOGGLE, WORLD, driving, guarded, reference, wall};
use joystick::{DeflectedAxis, DeviceId, Input, Level, Params, PoseState, Report};

const OTHER: DeviceId = DeviceId(8);
const FULL: [i16; 2] = [i16::MAX, 0];

/// Connects a pad with these two axes and held buttons.
pub(crate) fn plug(
    bench: &mut Bench,
    id: DeviceId,
    name: &str,
    serial: &str,
    axes: [i16; 2],
    held: &[usize],
) {
    let (guid, path, links) = ("guid".into(), format!("/dev/{}", id.0), vec![]);
    let buttons = (0..10).map(|button| held.contains(&button)).collect();
    let (name, serial, axes) = (name.into(), serial.into(), axes.into());
    bench.give(Input::DeviceConnected {
        id,
        name,
        guid,
        serial,
        path,
        links,
        mapping: String::new(),
        axes,
        buttons,
        hats: vec![],
    });
    bench.batch();
}

pub(crate) fn axis(bench: &mut Bench, id: DeviceId, axis: usize, value: i16) {
    bench.give(Input::AxisMoved { id, axis, value });
    bench.batch();
}

pub(crate) fn button(bench: &mut Bench, id: DeviceId, button: usize, pressed: bool) {
    bench.give(Input::ButtonChanged { id, button, pressed });
    bench.batch();
}

fn named(control_device: &str, params: Params) -> Params {
    Params { control_device: control_device.into(), ..params }
}

/// The forward velocity after half a second, of full stick 10/3 * (1 - exp(-1.5)) = 2.59 m/s.
fn forward(bench: &mut Bench) -> f64 {
    bench.run(500);
    bench.forward()
}

fn waits(bench: &Bench) -> bool {
    bench.machine.report().contains(&("waits for the stick at rest", "true".into()))
}

#[test]
fn a_latched_takeover_waits_for_a_stick_that_returns_deflected() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(TOGGLE);
    axis(&mut bench, PAD, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
    bench.disconnect(PAD);
    bench.batch();
    plug(&mut bench, OTHER, "Pad", "", FULL, &[]);
    assert!(bench.machine.active() && waits(&bench), "authority stays");
    assert_eq!(bench.machine.health().0, Level::Warn);
    assert_eq!(forward(&mut bench), 0.0);
    axis(&mut bench, OTHER, 0, -i16::MAX); // through the centre, but not at rest there
    assert_eq!(forward(&mut bench), 0.0);
    assert!(bench.desired().iter().rev().take(10).all(|s| s.acc == Some([0.0; 3])));
    axis(&mut bench, OTHER, 0, 3000);
    assert!(!waits(&bench));
    axis(&mut bench, OTHER, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
    let reports: Vec<_> = bench
        .reports()
        .into_iter()
        .filter(|r| matches!(r, Report::WaitsForRest(_) | Report::AtRest))
        .collect();
    let deflected_axis = DeflectedAxis { coordinate: "linear.x", axis: 0, percent: 100 };
    assert_eq!(reports, [Report::WaitsForRest(Some(deflected_axis)), Report::AtRest]);
}

#[test]
fn a_pad_that_connects_deflected_waits_without_any_button_too() {
    let mut bench = Bench::new(driving());
    plug(&mut bench, PAD, "Pad", "", [0, i16::MIN], &[]);
    assert_eq!(forward(&mut bench), 0.0);
    axis(&mut bench, PAD, 0, i16::MAX);
    assert_eq!(forward(&mut bench), 0.0, "the other axis is still deflected");
    axis(&mut bench, PAD, 1, 0);
    assert_eq!(forward(&mut bench), 0.0, "both at rest together");
    axis(&mut bench, PAD, 0, 0);
    axis(&mut bench, PAD, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
    bench.give(Input::ParametersChanged(named("Pad", driving())));
    assert!(forward(&mut bench) > 2.5, "the stick was at rest before");
}

#[test]
fn a_batch_of_events_is_one_state() {
    let mut bench = Bench::new(driving());
    bench.connect(PAD, "Pad", "guid");
    bench.axis(0, i16::MAX);
    bench.batch();
    assert!(waits(&bench));
    assert_eq!(forward(&mut bench), 0.0);
}

#[test]
fn a_pad_that_connects_at_rest_causes_no_report() {
    let mut bench = Bench::new(driving());
    plug(&mut bench, PAD, "Pad", "", [3000, -3000], &[]);
    assert!(!waits(&bench));
    assert!(!bench.reports().iter().any(|report| matches!(report, Report::WaitsForRest(_))));
    bench.run(2 * CYCLE);
    assert!(bench.last().acc.unwrap()[0] > 0.0);
}

#[test]
fn another_device_inherits_no_takeover() {
    for serial in ["two", ""] {
        let mut bench = Bench::new(guarded());
        plug(&mut bench, PAD, "A", serial, [0; 2], &[]);
        plug(&mut bench, OTHER, "B", "", [0; 2], &[]);
        button(&mut bench, PAD, TOGGLE, true);
        button(&mut bench, PAD, TOGGLE, false);
        assert!(bench.machine.active());
        bench.begin_reference();
        bench.give(Input::ReferenceReceived(reference(wall(0), true, 0.5)));
        bench.give(Input::ParametersChanged(named("B", guarded())));
        bench.batch();
        assert!(!bench.machine.active(), "another of the same model too: '{serial}'");
        assert_eq!(bench.last(), PoseState::lost(wall(0), true), "the user did not release it");
    }
}

#[test]
fn the_same_device_keeps_its_takeover_while_it_waits_for_rest() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(TOGGLE);
    axis(&mut bench, PAD, 0, i16::MAX);
    bench.give(Input::ParametersChanged(named("Nobody", guarded())));
    assert_eq!(forward(&mut bench), 0.0);
    bench.give(Input::ParametersChanged(named("Pad", guarded())));
    assert!(bench.machine.active(), "authority is kept");
    assert_eq!(forward(&mut bench), 0.0, "the stick has not been at rest");
    axis(&mut bench, PAD, 0, 0);
    axis(&mut bench, PAD, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
}

#[test]
fn a_replaced_device_of_another_model_inherits_nothing() {
    let mut bench = Bench::new(named("Pad", guarded()));
    bench.connect(PAD, "Pad", "model A");
    bench.batch();
    bench.press(TOGGLE);
    bench.disconnect(PAD);
    bench.batch();
    assert!(bench.machine.active());
    bench.connect(OTHER, "Pad", "model B");
    bench.batch();
    assert_eq!((bench.machine.controlled(), bench.machine.active()), (Some("Pad"), false));
}

#[test]
fn a_dead_man_held_at_a_handover_has_to_be_pressed_again() {
    type Way = (&'static str, fn(&mut Bench));
    let ways: [Way; 2] = [
        ("", |bench| bench.give(Input::ParametersChanged(named("B", guarded())))),
        ("New", |bench| bench.give(Input::DeviceRenamed { id: OTHER, name: "New".into() })),
    ];
    for (control_device, hand_over) in ways {
        let mut bench = Bench::new(named(control_device, guarded()));
        plug(&mut bench, PAD, "A", "1", [0; 2], &[]);
        plug(&mut bench, OTHER, "B", "2", [0; 2], &[]);
        button(&mut bench, OTHER, ON, true);
        hand_over(&mut bench);
        bench.batch();
        assert!(bench.machine.controlled_id() == Some(OTHER) && !bench.machine.active(), "{control_device}");
        button(&mut bench, OTHER, ON, false);
        button(&mut bench, OTHER, ON, true);
        axis(&mut bench, OTHER, 0, i16::MAX);
        assert!(forward(&mut bench) > 2.5, "{control_device}");
    }
}

#[test]
fn a_stick_held_at_a_handover_waits_and_a_takeover_meanwhile_begins_with_zero() {
    let mut params = guarded();
    params.dynamics.drag = 0.0; // the initial velocity would not decay
    let mut bench = Bench::new(params.clone());
    plug(&mut bench, PAD, "A", "1", [0; 2], &[]);
    plug(&mut bench, OTHER, "B", "2", [0; 2], &[]);
    axis(&mut bench, OTHER, 0, i16::MAX);
    bench.give(Input::ParametersChanged(named("B", params)));
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(0), true, 1.5)));
    button(&mut bench, OTHER, ON, true);
    assert!(bench.machine.active());
    assert_eq!((bench.forward(), bench.machine.counters().seeds_refused), (0.0, 1));
    assert_eq!(forward(&mut bench), 0.0);
    axis(&mut bench, OTHER, 0, 0);
    axis(&mut bench, OTHER, 0, i16::MAX);
    assert!((forward(&mut bench) - 5.0).abs() < 1e-9, "10 m/s^2 for half a second");
}

/// A loss of the reading, then the pad is read with these values.
pub(crate) fn read_again(bench: &mut Bench, axes: [i16; 2], held: &[usize]) {
    let buttons = (0..10).map(|button| held.contains(&button)).collect();
    bench.give(Input::DeviceRead { id: PAD, axes: axes.into(), buttons, hats: vec![] });
    bench.batch();
}

pub(crate) fn lose_reading(bench: &mut Bench) {
    bench.give(Input::ReadingLost);
    bench.batch();
}

#[test]
fn an_unread_device_counts_as_released_and_its_takeover_waits_until_it_is_read_at_rest() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(TOGGLE);
    axis(&mut bench, PAD, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
    lose_reading(&mut bench);
    assert_eq!(bench.forward(), 0.0, "at once");
    assert_eq!(bench.joys().last().map(|joy| joy.axes.clone()), Some(vec![0.0; 2]));
    assert!(bench.machine.active() && waits(&bench), "authority stays");
    assert_eq!(forward(&mut bench), 0.0);
    axis(&mut bench, PAD, 1, 0);
    assert!(waits(&bench), "the position of the other axis is unknown");
    read_again(&mut bench, FULL, &[]);
    assert_eq!(forward(&mut bench), 0.0, "it was deflected the whole time");
    axis(&mut bench, PAD, 0, 30_000);
    assert_eq!(forward(&mut bench), 0.0, "and still is");
    axis(&mut bench, PAD, 0, 0);
    axis(&mut bench, PAD, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
}

#[test]
fn a_stick_released_while_unread_commands_again_once_it_is_read() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(TOGGLE);
    axis(&mut bench, PAD, 0, i16::MAX);
    lose_reading(&mut bench);
    read_again(&mut bench, [0; 2], &[]);
    assert!(!waits(&bench));
    axis(&mut bench, PAD, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
}

#[test]
fn a_button_held_while_unread_has_to_be_pressed_again() {
    let mut bench = Bench::with_pad(guarded());
    bench.button(ON, true);
    bench.batch();
    assert!(bench.machine.active());
    lose_reading(&mut bench);
    assert!(!bench.machine.active());
    read_again(&mut bench, [0; 2], &[ON]);
    assert!(!bench.machine.active(), "it is down, but its press was not received");
    button(&mut bench, PAD, ON, false);
    button(&mut bench, PAD, ON, true);
    assert!(bench.machine.active());
    // Pressed after SDL continued and before everything was delivered: this is a press.
    lose_reading(&mut bench);
    button(&mut bench, PAD, ON, true);
    read_again(&mut bench, [0; 2], &[ON]);
    assert!(bench.machine.active());
    // Its release in between is not received.
    lose_reading(&mut bench);
    button(&mut bench, PAD, ON, true);
    read_again(&mut bench, [0; 2], &[]);
    assert!(!bench.machine.active());
}

#[test]
fn a_held_stick_that_would_command_something_else_waits() {
    let second = |params: &mut Params| params.mappings.linear[0].axis = Some(1);
    let back = |params: &mut Params| params.mappings.linear[0].scale = -1.0;
    let turned = |params: &mut Params| params.mappings.angular[2] = params.mappings.linear[0];
    let buttons = |params: &mut Params| params.mappings.enable.on = Some(ON);
    let none = |params: &mut Params| params.mappings.enable = Default::default();
    type Change = fn(&mut Params);
    let changes: [(&str, Params, Change); 5] = [
        ("another axis", driving(), second),
        ("the other direction", driving(), back),
        ("another direction too", driving(), turned),
        ("other buttons", driving(), buttons),
        ("no buttons", guarded(), none),
    ];
    for (what, mut params, change) in changes {
        let mut bench = Bench::with_pad(params.clone());
        axis(&mut bench, PAD, 0, 20_000);
        axis(&mut bench, PAD, 1, -20_000);
        bench.run(100);
        change(&mut params);
        bench.give(Input::ParametersChanged(params));
        button(&mut bench, PAD, ON, true);
        assert!(bench.machine.active() && waits(&bench), "{what}");
        assert_eq!(forward(&mut bench), 0.0, "{what}");
        axis(&mut bench, PAD, 0, 0);
        axis(&mut bench, PAD, 1, 0);
        assert!(!waits(&bench), "{what}");
    }
}

#[test]
fn an_untouched_axis_off_rest_waits_whatever_noise_the_previous_axis_had() {
    // The left trigger rests at its end and is mapped without an offset.
    type Change = fn(&mut Params);
    let changes: [(&str, Change); 3] = [
        ("axis", |params| params.mappings.linear[0].axis = Some(1)),
        ("offset", |params| params.mappings.linear[0].offset = -1.0),
        ("center", |params| params.mappings.linear[0].shape.center = 20_000),
    ];
    for ((what, change), noise) in changes.into_iter().flat_map(|c| [-500, 0, 500].map(|noise| (c, noise))) {
        let mut params = guarded();
        params.mappings.angular = Default::default();
        let mut bench = Bench::new(params.clone());
        plug(&mut bench, PAD, "Pad", "", [noise, i16::MIN], &[]);
        button(&mut bench, PAD, ON, true);
        bench.run(100);
        assert!(bench.machine.active() && !waits(&bench));
        change(&mut params);
        bench.give(Input::ParametersChanged(params));
        assert!(waits(&bench), "another {what}, {noise}");
        assert_eq!(forward(&mut bench), 0.0, "another {what}, {noise}");
    }
}

#[test]
fn another_axis_with_the_same_deflection_waits_too() {
    let mut params = driving();
    let mut bench = Bench::with_pad(params.clone());
    axis(&mut bench, PAD, 0, 20_000);
    axis(&mut bench, PAD, 1, 20_000);
    bench.run(100);
    params.mappings.linear[0].axis = Some(1);
    bench.give(Input::ParametersChanged(params));
    assert_eq!(forward(&mut bench), 0.0);
}

#[test]
fn a_second_pad_of_the_same_model_inherits_no_takeover() {
    let mut bench = Bench::new(guarded());
    plug(&mut bench, PAD, "A", "", [0; 2], &[]);
    plug(&mut bench, OTHER, "B", "", [0; 2], &[]);
    button(&mut bench, PAD, TOGGLE, true);
    button(&mut bench, PAD, TOGGLE, false);
    assert!(bench.machine.active());
    bench.disconnect(PAD);
    bench.batch();
    assert_eq!((bench.machine.controlled(), bench.machine.active()), (Some("B"), false));
    assert_eq!(bench.last(), PoseState::lost(wall(0), true), "the user did not release it");
}

#[test]
fn a_held_stick_continues_if_only_the_magnitude_changes() {
    let mut params = driving();
    let mut bench = Bench::with_pad(params.clone());
    axis(&mut bench, PAD, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
    params.mappings.linear[0].scale = 0.5;
    params.dynamics.amax = 8.0;
    bench.give(Input::ParametersChanged(params));
    assert!(!waits(&bench));
    assert!(bench.machine.active() && forward(&mut bench) > 1.3);
}

#[test]
fn after_a_change_of_frame_a_held_stick_waits_and_one_at_rest_continues() {
    type Change = (&'static str, fn(&mut Bench));
    let changes: [Change; 4] = [
        ("parameter", |bench| bench.give(Input::ParametersChanged(Params { intrinsic: false, ..guarded() }))),
        ("service", |bench| bench.give(Input::FrameSelected(false))),
        ("button", |bench| {
            bench.press(WORLD);
            bench.batch();
        }),
        ("button, before its batch ends", |bench| bench.press(WORLD)),
    ];
    for ((what, change), value) in changes.into_iter().flat_map(|c| [(c, i16::MAX), (c, 3000)]) {
        let mut bench = Bench::with_pad(guarded());
        button(&mut bench, PAD, ON, true);
        axis(&mut bench, PAD, 0, value);
        assert!(forward(&mut bench) > 0.2);
        change(&mut bench);
        bench.run(CYCLE);
        bench.batch();
        assert!(!bench.last().intrinsic && waits(&bench) == (value == i16::MAX), "{what}, {value}");
        assert_eq!(forward(&mut bench) > 0.2, value == 3000, "{what}, {value}");
        axis(&mut bench, PAD, 0, 0);
        axis(&mut bench, PAD, 0, i16::MAX);
        assert!(forward(&mut bench) > 2.5, "{what}, {value}");
    }
}

#[test]
fn a_held_stick_without_motion_waits_when_parameters_would_cause_motion() {
    type Change = (&'static str, fn(&mut Params));
    let nothing: [Change; 6] = [
        ("max_speed", |params| params.mappings.linear[0].max_speed = Some(0.01)),
        ("slow_speed", |params| params.mappings.linear[0].slow_speed = Some(0.01)),
        ("amax", |params| params.dynamics.amax = 0.01),
        ("drag", |params| params.dynamics.drag = 1000.0),
        ("slow", |params| (params.dynamics.slow, params.mappings.enable.slow) = (1000.0, Some(ON))),
        ("scale", |params| params.mappings.linear[0].scale = 0.001),
    ];
    for (what, lessen) in nothing {
        let mut more = guarded();
        (more.mappings.enable.on, more.mappings.enable.slow, more.dynamics.slow) = (None, Some(ON), 1.0);
        let mut less = more.clone();
        lessen(&mut less);
        let mut bench = Bench::with_pad(less.clone());
        button(&mut bench, PAD, ON, true);
        axis(&mut bench, PAD, 0, i16::MAX);
        assert!(forward(&mut bench).abs() < 0.02 && !waits(&bench), "{what}");
        bench.give(Input::ParametersChanged(less.clone()));
        assert!(!waits(&bench), "{what}: nothing changes");
        bench.give(Input::ParametersChanged(more));
        assert!(bench.machine.active() && waits(&bench), "{what}");
        assert_eq!(forward(&mut bench), 0.0, "{what}");
        axis(&mut bench, PAD, 0, 0);
        axis(&mut bench, PAD, 0, i16::MAX);
        assert!(forward(&mut bench) > 2.5, "{what}");
        bench.give(Input::ParametersChanged(less));
        assert!(!waits(&bench), "{what}: it drives on with less");
    }
}

#[test]
fn a_dead_man_held_while_buttons_change_has_to_be_pressed_again() {
    let mut bench = Bench::with_pad(guarded());
    button(&mut bench, PAD, 9, true);
    let mut params = guarded();
    params.mappings.enable.on = Some(9);
    bench.give(Input::ParametersChanged(params));
    assert!(!bench.machine.active(), "it was pressed before it had a function");
    button(&mut bench, PAD, 9, false);
    button(&mut bench, PAD, 9, true);
    assert!(bench.machine.active());
}

#[test]
fn a_trigger_at_its_end_is_at_rest() {
    let mut params = driving();
    params.mappings.linear[0].offset = 1.0;
    params.mappings.linear[0].scale = 0.5;
    for (at_plug, driven) in [(i16::MIN, true), (0, false)] {
        let mut bench = Bench::new(params.clone());
        plug(&mut bench, PAD, "Pad", "", [at_plug, 0], &[]);
        axis(&mut bench, PAD, 0, i16::MAX);
        assert_eq!(forward(&mut bench) > 2.5, driven, "plugged in at {at_plug}");
    }
}

#[test]
fn a_stick_without_a_dead_man_waits_for_rest_after_an_activation() {
    let mut bench = Bench::with_pad(driving());
    axis(&mut bench, PAD, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
    bench.give(Input::ActivityChanged(false));
    bench.run(500);
    bench.give(Input::ActivityChanged(true));
    assert_eq!(forward(&mut bench), 0.0);
    assert!(waits(&bench));
    axis(&mut bench, PAD, 0, 0);
    axis(&mut bench, PAD, 0, i16::MAX);
    assert!(forward(&mut bench) > 2.5);
}

#[test]
fn a_reference_that_ran_on_through_an_activation_begins_with_a_zero() {
    let mut bench = Bench::with_pad(guarded());
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(0), true, 0.5)));
    assert_eq!(published(&mut bench, CYCLE), [reference(wall(0), true, 0.5)]);
    let rests = |states: &[PoseState]| states.iter().all(|state| state.vel != Some([0.5, 0.0, 0.0]));
    for is_active in [false, true] {
        bench.give(Input::ActivityChanged(is_active));
        for _ in 0..10 {
            bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.5)));
            assert!(rests(&published(&mut bench, 100)));
        }
    }
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.0)));
    bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.5)));
    assert!(!rests(&published(&mut bench, 100)));
}
