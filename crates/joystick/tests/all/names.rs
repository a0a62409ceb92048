//! Parameters that give axes and buttons by SDL's names.
#![allow(clippy::unwrap_used)] // the lint's exception for tests does not see helpers

use joystick::{
    DeviceId, Exception, Input, Level, Params, Report, RequestedMappings, VirtualState, specification,
};
use params::Value;

use crate::common::{Bench, PAD, driving};

const OTHER: DeviceId = DeviceId(8);
/// One model through two drivers.
const EVDEV: &str = "g,Pad,leftx:a0,lefty:a1,a:b0,x:b2,rightshoulder:b5";
const HIDAPI: &str = "g,Pad,leftx:a1,lefty:a0~,a:b4,x:b3,rightshoulder:b6";

fn read(given: &[(&str, Value)]) -> Result<Params, String> {
    let given = given.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let set = specification().resolve(given).map_err(|refused| refused[0].to_string())?;
    Params::read(&set).map_err(|refusal| refusal.to_string())
}

fn text(text: &str) -> Value {
    Value::Text(text.into())
}

/// Stick ahead by `lefty`, dead-man `rightshoulder`, and `x` takes over.
fn named() -> Params {
    read(&[
        ("linear.x.axis", text("lefty")),
        ("enable.on", text("rightshoulder")),
        ("enable.toggle", text("x")),
    ])
    .unwrap()
}

fn connect(bench: &mut Bench, id: DeviceId, mapping: &str) {
    bench.give(Input::DeviceConnected {
        id,
        name: "Pad".into(),
        guid: "guid".into(),
        serial: "7".into(),
        path: String::new(),
        links: vec![],
        mapping: mapping.into(),
        axes: vec![0; 2],
        buttons: vec![false; 10],
        hats: vec![],
    });
    bench.batch();
}

fn with(params: Params, mapping: &str) -> Bench {
    let mut bench = Bench::new(params);
    connect(&mut bench, PAD, mapping);
    bench
}

fn velocity(bench: &mut Bench) -> Option<f64> {
    bench.outputs.clear();
    bench.run(200);
    Some(bench.desired().last()?.vel?[0])
}

fn refusals(bench: &Bench) -> Vec<String> {
    let refused =
        |report: &Report| matches!(report, Report::InputsUnnamed { .. }).then(|| report.to_string());
    bench.reports().iter().filter_map(refused).collect()
}

#[test]
fn one_file_drives_with_each_numbering() {
    for (mapping, axis, value, button) in [(EVDEV, 1, 20_000, 5), (HIDAPI, 0, -20_000, 6)] {
        let mut bench = with(named(), mapping);
        bench.axis(axis, value);
        bench.button(button, true);
        bench.batch();
        assert!(velocity(&mut bench).is_some_and(|v| v > 0.1), "{mapping}");
        assert_eq!(refusals(&bench), Vec::<String>::new());
    }
}

#[test]
fn a_name_and_a_number_are_values_of_one_parameter() {
    let axis = |value| read(&[("linear.x.axis", value)]).map(|params| params.mappings.linear[0].axis);
    assert_eq!(axis(Value::Integer(3)), Ok(Some(3)));
    assert!(axis(text("lefty")).is_ok_and(|axis| axis.is_some()));
    let names = "leftx, lefty, rightx, righty, lefttrigger, righttrigger";
    for (value, shown) in [("leftz", "\"leftz\""), ("3", "\"3\""), ("a", "\"a\""), ("LeftX", "\"LeftX\"")] {
        let sentence = format!(
            "parameter 'linear.x.axis' is {shown}, must be a number from -1 to 15 or one of: {names}"
        );
        assert_eq!(axis(text(value)), Err(sentence));
    }
    let sentence = "parameter 'linear.x.axis' is 16, must be from -1 to 15";
    assert_eq!(axis(Value::Integer(16)), Err(sentence.into()));
    let sentence =
        "parameter 'enable.on' is true (boolean), must be of type integer or string; write it in quotes";
    let unquoted = read(&[("enable.on", Value::Bool(true))]).map(drop);
    assert_eq!(unquoted, Err(sentence.into()), "YAML reads y as true");
    let sentence = "parameter 'enable.slow' is \"b\", must be another button than 'enable.on'";
    assert_eq!(read(&[("enable.on", text("b")), ("enable.slow", text("b"))]).map(drop), Err(sentence.into()));
}

#[test]
fn a_device_without_the_names_does_not_drive_and_another_one_does() {
    let mut bench = with(named(), "");
    assert_eq!(bench.machine.controlled(), None);
    let sentence = "Pad may not drive: linear.x.axis is 'lefty', and SDL has no mapping of this device; enable.on is \
                    'rightshoulder', and SDL has no mapping of this device; enable.toggle is 'x', and SDL has no mapping \
                    of this device; give numbers instead, which `steersman-joystick list --watch` shows";
    assert_eq!(refusals(&bench), [sentence]);
    assert_eq!(bench.machine.health(), (Level::Warn, sentence.into()));
    bench.axis(1, 20_000);
    bench.button(5, true);
    bench.batch();
    assert_eq!(velocity(&mut bench), None);
    assert_eq!(refusals(&bench), Vec::<String>::new(), "it is logged once");
    bench.give(Input::DeviceConnected {
        id: OTHER,
        name: "Other".into(),
        guid: "other".into(),
        serial: String::new(),
        path: String::new(),
        links: vec![],
        mapping: EVDEV.into(),
        axes: vec![0; 2],
        buttons: vec![false; 10],
        hats: vec![],
    });
    bench.batch();
    assert_eq!(bench.machine.controlled(), Some("Other"));
}

#[test]
fn a_mapping_with_more_inputs_than_the_device_has_is_that_of_another_one() {
    // An axis beyond the device's two would be its hat.
    for (mapping, refused) in [
        (
            "g,Pad,lefty:a2,rightshoulder:b5,x:b2",
            "linear.x.axis is 'lefty', which is axis 2, beyond its 2 axes, on this device and no whole axis",
        ),
        (
            "g,Pad,lefty:a1,rightshoulder:b10,x:b2",
            "enable.on is 'rightshoulder', which is button 10, beyond its 10 buttons, on this device and no button",
        ),
    ] {
        let mut bench = with(named(), mapping);
        assert!(refusals(&bench)[0].contains(refused), "{:?}", refusals(&bench));
        bench.button(5, true);
        assert_eq!(velocity(&mut bench), None);
    }
}

#[test]
fn a_takeover_does_not_pass_to_a_device_that_two_hand_overs_in_one_change_selected() {
    let toggled = |axis: &str, device: &str| {
        let device = text(device);
        let axis = if axis == "1" { Value::Integer(1) } else { text(axis) };
        read(&[("linear.x.axis", axis), ("enable.toggle", Value::Integer(2)), ("control_device", device)])
            .unwrap()
    };
    let mut bench = with(toggled("1", "Pad"), "g,Pad,lefty:a1");
    bench.give(Input::DeviceConnected {
        id: OTHER,
        name: "Pad".into(),
        guid: "other".into(),
        serial: "8".into(),
        path: String::new(),
        links: vec![],
        mapping: "h,Pad,righty:a1".into(),
        axes: vec![0; 2],
        buttons: vec![false; 10],
        hats: vec![],
    });
    bench.batch();
    bench.button(2, true);
    bench.button(2, false);
    assert!(bench.machine.active());
    // The first lacks the name, so the other one drives; then nothing does.
    bench.give(Input::ParametersChanged(toggled("righty", "nobody")));
    bench.give(Input::ParametersChanged(toggled("righty", "Pad")));
    bench.run(100);
    assert!(!bench.machine.active(), "nothing of the other device was pressed");
}

#[test]
fn a_device_begins_to_drive_when_the_parameters_give_it_numbers() {
    let mut bench = with(named(), "");
    bench.axis(1, 20_000);
    bench.button(5, true);
    bench.batch();
    let numbers = read(&[("linear.x.axis", Value::Integer(1)), ("enable.on", Value::Integer(5))]).unwrap();
    bench.give(Input::ParametersChanged(numbers));
    assert_eq!(bench.machine.controlled(), Some("Pad"));
    assert!(velocity(&mut bench).is_none_or(|v| v == 0.0), "held since before");
    bench.axis(1, 0);
    bench.button(5, false);
    bench.batch();
    bench.axis(1, 20_000);
    bench.button(5, true);
    bench.batch();
    assert!(velocity(&mut bench).is_some_and(|v| v > 0.1));
    bench.give(Input::ParametersChanged(named()));
    assert_eq!(bench.machine.controlled(), None);
    assert!(velocity(&mut bench).is_none_or(|v| v == 0.0), "it stops");
    assert_eq!(refusals(&bench).len(), 1);
}

#[test]
fn a_device_whose_names_changed_at_a_replug_is_mapped_anew() {
    for (mapping, is_kept) in [(EVDEV, true), (HIDAPI, false)] {
        let mut bench = with(named(), EVDEV);
        bench.press(2); // x takes over
        bench.axis(1, 20_000);
        bench.batch();
        assert!(velocity(&mut bench).is_some_and(|v| v > 0.1));
        bench.disconnect(PAD);
        bench.batch();
        assert!(bench.machine.active(), "a takeover outlasts its device");
        bench.give(Input::DeviceConnected {
            id: PAD,
            name: "Pad".into(),
            guid: "guid".into(),
            serial: "7".into(),
            path: String::new(),
            links: vec![],
            mapping: mapping.into(),
            axes: vec![20_000, 20_000],
            buttons: vec![false; 10],
            hats: vec![],
        });
        bench.batch();
        assert_eq!(bench.machine.active(), is_kept, "{mapping}: its button has another number");
        assert!(velocity(&mut bench).is_none_or(|v| v == 0.0), "{mapping}: it is deflected");
        bench.run(2000);
        // At rest once, then deflected: without the takeover it needs its button.
        bench.axis(0, 0);
        bench.axis(1, 0);
        bench.batch();
        bench.axis(1, 20_000);
        bench.batch();
        assert_eq!(velocity(&mut bench).is_some_and(|v| v > 0.1), is_kept, "{mapping}");
    }
}

#[test]
fn before_a_device_came_a_named_dead_man_button_is_no_missing_one() {
    let mut bench = Bench::new(named());
    bench.run(100);
    assert!(!bench.machine.active());
    assert!(!bench.reports().contains(&Report::AlwaysActive) && !bench.reports().contains(&Report::Unmapped));
}

#[test]
fn the_services_answer_with_numbers_once_a_device_has_them_and_keep_names() {
    let mut bench = Bench::new(named());
    let what = "'lefty' (linear.x.axis) has no number until a device drives".to_owned();
    assert_eq!(bench.machine.numbered_mappings(), Err(Exception::Value { what }));
    connect(&mut bench, PAD, EVDEV);
    let asked = bench.machine.numbered_mappings().unwrap();
    assert_eq!((asked.linear[0].axis, asked.enable), (1, [5, -1, 2]));
    let names =
        |changes: &[(String, Value)]| changes.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    let written_back = names(&asked.changes(bench.machine.mappings()));
    assert!(!written_back.iter().any(|name| ["linear.x.axis", "enable.on"].contains(&name.as_str())));
    let other = RequestedMappings { enable: [4, -1, 2], ..asked };
    let changed = names(&other.changes(bench.machine.mappings()));
    assert!(changed.contains(&"enable.on".to_owned()) && !changed.contains(&"enable.toggle".to_owned()));
    // Unused is reported in any case: before a device came, -1 is in force for the wire already.
    let unused = RequestedMappings { enable: [-1, -1, -1], ..asked };
    for bench in [bench, Bench::new(named())] {
        let changed = names(&unused.changes(bench.machine.mappings()));
        assert!(changed.contains(&"enable.on".to_owned()), "{changed:?}");
    }
}

#[test]
fn the_virtual_device_has_the_names_of_an_xbox_pad() {
    let mut bench = Bench::new(Params { virtual_device: "script".into(), ..named() });
    let moved = |bench: &mut Bench, axes: &[i16], down| {
        let mut buttons = vec![false; 11];
        buttons[5] = down;
        bench.give(Input::VirtualDeviceMoved(Ok(VirtualState {
            axes: axes.to_vec(),
            buttons,
            ..VirtualState::default()
        })));
        bench.batch();
    };
    moved(&mut bench, &[0, 0], false);
    moved(&mut bench, &[0, 20_000], true);
    assert!(velocity(&mut bench).is_some_and(|v| v > 0.1), "{:?}", refusals(&bench));
}

#[test]
fn the_user_is_shown_the_name_of_the_button() {
    let bench = with(named(), EVDEV);
    let how = bench.machine.health().1;
    let ways = "hold rightshoulder, button 5 (enable.on) or press x, button 2 (enable.toggle) to drive";
    assert!(how.contains(ways), "{how}");
}

/// An Xbox pad, whose triggers are axes, and whose right one is the dead-man switch.
pub(crate) fn with_trigger(parameter: &str) -> Bench {
    let changes = [("linear.x.axis", "lefty"), (parameter, "righttrigger")];
    let changes = changes.map(|(name, value)| (name.to_owned(), Value::Text(value.to_owned())));
    let params = Params::read(&specification().resolve(changes).unwrap()).unwrap();
    let mut bench = Bench::new(Params { dynamics: driving().dynamics, ..params });
    connect_xbox(&mut bench, i16::MIN);
    bench
}

fn connect_xbox(bench: &mut Bench, right_trigger: i16) {
    connect_as(bench, PAD, "", right_trigger);
}

/// Connects such a pad with this serial number.
pub(crate) fn connect_as(bench: &mut Bench, id: DeviceId, serial: &str, right_trigger: i16) {
    bench.give(Input::DeviceConnected {
        id,
        name: "Xbox".into(),
        guid: "0300".into(),
        serial: serial.into(),
        path: String::new(),
        links: Vec::new(),
        mapping: "0300,Xbox,leftx:a0,lefty:a1,lefttrigger:a2,righttrigger:a5,a:b0,b:b1".into(),
        axes: vec![0, 0, i16::MIN, 0, 0, right_trigger],
        buttons: vec![false; 11],
        hats: Vec::new(),
    });
    bench.give(Input::TriggersKnown { id, axes: vec![2, 5] });
    bench.batch();
}

pub(crate) fn pull(bench: &mut Bench, trigger: i16) {
    bench.give(Input::AxisMoved { id: PAD, axis: 5, value: trigger });
    bench.batch();
}

#[test]
fn a_trigger_is_a_dead_man_switch() {
    let mut bench = with_trigger("enable.on");
    assert!(
        bench.machine.health().1.contains("hold righttrigger, axis 5 (enable.on) to drive"),
        "{:?}",
        bench.machine.health()
    );
    for (value, is_active) in [
        (0, false),
        (16_383, false),
        (16_384, true),
        (9_000, true),
        (8_192, true),
        (8_191, false),
        (16_000, false),
        (i16::MAX, true),
        (i16::MIN, false),
    ] {
        pull(&mut bench, value);
        assert_eq!(bench.machine.active(), is_active, "{value}");
    }
    pull(&mut bench, i16::MAX);
    bench.give(Input::AxisMoved { id: PAD, axis: 1, value: i16::MAX });
    bench.batch();
    bench.run(200);
    assert!(bench.forward() > 0.1);
    pull(&mut bench, 0);
    bench.run(20);
    assert_eq!(bench.forward(), 0.0, "released");
    assert!(
        !bench
            .reports()
            .iter()
            .any(|report| matches!(report, Report::MissingInputs { .. } | Report::InputsUnnamed { .. }))
    );
}

#[test]
fn a_trigger_that_is_held_when_its_pad_comes_back_has_to_be_released() {
    let mut bench = with_trigger("enable.on");
    pull(&mut bench, i16::MAX);
    assert!(bench.machine.active());
    bench.give(Input::DeviceDisconnected { id: PAD });
    bench.batch();
    connect_xbox(&mut bench, i16::MAX);
    assert!(!bench.machine.active(), "held at the connection");
    assert!(bench.machine.health().1.contains("release it first"), "{:?}", bench.machine.health());
    pull(&mut bench, i16::MAX - 1);
    assert!(!bench.machine.active());
    pull(&mut bench, i16::MIN);
    pull(&mut bench, i16::MAX);
    assert!(bench.machine.active());
    // A driver that has 0 before the first event.
    bench.give(Input::DeviceDisconnected { id: PAD });
    bench.batch();
    connect_xbox(&mut bench, 0);
    pull(&mut bench, i16::MAX);
    assert!(!bench.machine.active(), "held at the connection, and seen with the first event");
    pull(&mut bench, i16::MIN);
    pull(&mut bench, i16::MAX);
    assert!(bench.machine.active());
    // The devices are not read for a while, in which it stays held.
    bench.give(Input::ReadingLost);
    bench.batch();
    bench.give(Input::DevicesPolled);
    let axes = vec![0, 0, i16::MIN, 0, 0, i16::MAX];
    bench.give(Input::DeviceRead { id: PAD, axes, buttons: vec![false; 11], hats: Vec::new() });
    bench.batch();
    assert!(!bench.machine.active(), "read again");
    pull(&mut bench, i16::MIN);
    pull(&mut bench, i16::MAX);
    assert!(bench.machine.active());
}

#[test]
fn a_trigger_toggles() {
    let mut bench = with_trigger("enable.toggle");
    for (value, is_active) in [(i16::MAX, true), (i16::MIN, true), (i16::MAX, false), (i16::MIN, false)] {
        pull(&mut bench, value);
        assert_eq!(bench.machine.active(), is_active, "{value}");
    }
}
