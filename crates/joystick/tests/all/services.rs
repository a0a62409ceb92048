//! Requests of services: names, frame, mappings, log.

use crate::common;

use common::{Bench, PAD, WORLD, driving, guarded, reference, wall};
use joystick::{
    AxisMapping, DeviceId, Exception, Input, LogRow, Mappings, Output, Params, RequestedAxis,
    RequestedMappings, Shape, dynamics_changes, frame_change, specification,
};
use params::Value;

const OTHER: DeviceId = DeviceId(8);

/// `Pad` and `Pad_1`; the first drives.
fn two_pads() -> Bench {
    let mut bench = Bench::with_pad(driving());
    bench.connect(OTHER, "Pad", "guid");
    bench.batch();
    bench.outputs.clear();
    bench
}

fn rename(bench: &mut Bench, name: &str, newname: &str) -> Result<(), Exception> {
    if let Some(input) = bench.machine.rename(name, newname)? {
        bench.give(input);
        bench.drain();
    }
    Ok(())
}

#[test]
fn a_rename_has_one_of_five_results() {
    let sdl = |what: &str| Err(Exception::Sdl { what: what.into() });
    let table = [
        ("Pad_1", "Front", Ok(()), ["Pad", "Front"]),
        ("Pad_1", "front left!", Ok(()), ["Pad", "front_left"]),
        ("Pad_1", "8BitDo", Ok(()), ["Pad", "js_8BitDo"]),
        ("Pad_1", "Pad_1", Ok(()), ["Pad", "Pad_1"]),
        ("Pad_1", "Pad 1", Ok(()), ["Pad", "Pad_1"]),
        ("Pad_1", "ABCDEFGHIJKLMNOPQRSTUVWXYZ123456", Ok(()), ["Pad", "ABCDEFGHIJKLMNOPQRSTUVWXYZ12345"]),
        ("Pad_1", "Pad", sdl("name in use: 'Pad'"), ["Pad", "Pad_1"]),
        ("Pad_1", "-Pad-", sdl("name in use: 'Pad'"), ["Pad", "Pad_1"]),
        ("Pad_1", "", sdl("name '' has no letter and no digit of ASCII"), ["Pad", "Pad_1"]),
        ("Pad_1", "__", sdl("name '__' has no letter and no digit of ASCII"), ["Pad", "Pad_1"]),
        ("Pad_2", "Front", Err(Exception::NoEntry), ["Pad", "Pad_1"]),
        ("pad_1", "Front", Err(Exception::NoEntry), ["Pad", "Pad_1"]),
        ("", "Front", Err(Exception::NoEntry), ["Pad", "Pad_1"]),
    ];
    for (name, newname, end, list) in table {
        let mut bench = two_pads();
        assert_eq!(rename(&mut bench, name, newname), end, "{name} {newname}");
        assert_eq!(bench.machine.device_list(), list, "{name} {newname}");
    }
}

#[test]
fn a_renamed_device_keeps_its_state_on_its_new_topic() {
    let mut bench = two_pads();
    bench.millis = 20;
    bench.axis(0, 77);
    bench.batch();
    let (_, state) = bench.devices().remove(0);
    bench.outputs.clear();
    bench.millis = 24;
    rename(&mut bench, "Pad", "Front").unwrap();
    assert_eq!((state.stamp, state.axes[0]), (wall(20), 77));
    assert_eq!(
        bench.outputs,
        [
            Output::OpenDevice { name: "Front".into() },
            Output::PublishDevice { name: "Front".into(), state },
            Output::CloseDevice { name: "Pad".into() },
        ]
    );
    assert_eq!(bench.machine.controlled(), Some("Front"), "it continues to drive");
    bench.run(5);
    bench.axis(0, 78);
    bench.batch();
    assert_eq!(bench.devices().last().unwrap().0, "Front");
}

#[test]
fn a_rename_does_not_outlive_the_device() {
    let mut bench = two_pads();
    rename(&mut bench, "Pad_1", "Front").unwrap();
    bench.disconnect(OTHER);
    bench.connect(OTHER, "Pad", "guid");
    bench.batch();
    assert_eq!(bench.machine.device_list(), ["Pad", "Pad_1"]);
}

#[test]
fn a_name_whose_topic_is_still_to_be_closed_is_in_use() {
    let mut bench = two_pads();
    bench.disconnect(PAD);
    assert!(bench.machine.rename("Pad_1", "Pad").is_err());
    bench.batch();
    assert_eq!(rename(&mut bench, "Pad_1", "Pad"), Ok(()));
}

#[test]
fn an_unchecked_illegal_rename_has_no_effect() {
    let mut bench = two_pads();
    for name in ["Pad", "not legal", ""] {
        bench.give(Input::DeviceRenamed { id: OTHER, name: name.into() });
    }
    bench.give(Input::DeviceRenamed { id: DeviceId(99), name: "Front".into() });
    bench.drain();
    assert_eq!((bench.outputs.len(), bench.machine.device_list()), (0, vec!["Pad".into(), "Pad_1".into()]));
    assert_eq!((bench.machine.counters().bad_names, bench.machine.counters().unknown_device), (3, 1));
}

#[test]
fn a_device_that_gets_the_awaited_name_drives() {
    let mut bench = Bench::new(Params { control_device: "Front".into(), ..driving() });
    bench.connect(PAD, "Pad", "guid");
    bench.batch();
    assert_eq!(bench.machine.controlled(), None);
    rename(&mut bench, "Pad", "Front").unwrap();
    assert_eq!((bench.machine.controlled(), bench.connections()), (Some("Front"), vec![false, true]));
}

#[test]
fn a_requested_frame_applies_whatever_the_buttons_selected() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(WORLD);
    bench.batch();
    assert!(!bench.machine.intrinsic());
    bench.give(Input::ParametersChanged(guarded()));
    assert!(!bench.machine.intrinsic(), "the parameter has that value already");
    bench.give(Input::FrameSelected(true));
    assert!(bench.machine.intrinsic());
}

#[test]
fn a_parameter_that_followed_a_button_can_be_set_back() {
    let mut bench = Bench::with_pad(guarded());
    bench.press(WORLD);
    bench.batch();
    bench.give(Input::FrameParameterUpdated(false));
    assert!(!bench.machine.intrinsic(), "this is not a request");
    bench.give(Input::ParametersChanged(guarded()));
    assert!(bench.machine.intrinsic());
}

fn asked() -> RequestedMappings {
    let axis = |axis, offset, scale| RequestedAxis { axis, offset, scale };
    RequestedMappings {
        linear: [axis(0, 0.0, -1.0), axis(1, 0.5, 2.0), axis(2, 1.0, 0.5)],
        angular: [axis(15, -1.0, 1.0), axis(-1, 0.0, 1.0), axis(4, 0.0, 0.25)],
        enable: [0, 1, -1],
        coords: [15, -1, 3],
    }
}

#[test]
fn requested_mappings_are_put_in_force() {
    let set = specification().defaults().change(&asked().changes(&Mappings::default())).unwrap();
    let params = Params::read(&set).unwrap();
    assert_eq!(RequestedMappings::from(&params.mappings), asked());
    let mut bench = Bench::new(driving());
    bench.give(Input::ParametersChanged(params));
    assert_eq!(RequestedMappings::from(bench.machine.mappings()), asked());
}

#[test]
fn another_axis_does_not_inherit_the_calibration() {
    let trigger = Shape { min: -32768, center: -32768, max: 32767, invert: true, dead_zone: 0.2, curve: 2.0 };
    let mut before = Mappings::default();
    before.linear[0] = AxisMapping { axis: Some(2), shape: trigger, ..AxisMapping::default() };
    before.linear[1] = AxisMapping { axis: Some(1), shape: trigger, ..AxisMapping::default() };
    let names = ["axis", "min", "center", "max", "invert", "dead_zone", "curve"];
    let shape_of = |coordinate: &str, mapping: &AxisMapping| {
        let Shape { min, center, max, invert, dead_zone, curve } = mapping.shape;
        let counts = [min, center, max].map(|counts| Value::Integer(counts.into()));
        let [min, center, max] = counts;
        let axis = Value::Integer(mapping.axis.map_or(-1, |axis| axis as i64));
        let values =
            [axis, min, center, max, Value::Bool(invert), Value::Float(dead_zone), Value::Float(curve)];
        names.into_iter().map(move |name| format!("{coordinate}.{name}")).zip(values).collect::<Vec<_>>()
    };
    let set = specification().defaults();
    let set = set.change(&shape_of("linear.x", &before.linear[0])).unwrap();
    let set = set.change(&shape_of("linear.y", &before.linear[1])).unwrap();
    assert_eq!(Params::read(&set).unwrap().mappings, before);
    let mut asked = RequestedMappings::from(&before);
    (asked.linear[0].axis, asked.linear[1].scale) = (0, 0.5);
    let after = Params::read(&set.change(&asked.changes(&before)).unwrap()).unwrap().mappings;
    // A centred stick, read with the trigger's ends, would command half speed.
    assert_eq!(after.linear[0].shape, Shape { dead_zone: 0.2, ..Shape::RAW });
    assert_eq!(after.linear[1].shape, trigger, "the same axis keeps its own");
}

#[test]
fn any_negative_number_is_unused() {
    let mut negative = asked();
    negative.linear[0].axis = i16::MIN;
    negative.enable[0] = -2;
    let set = specification().defaults().change(&negative.changes(&Mappings::default())).unwrap();
    let read = RequestedMappings::from(&Params::read(&set).unwrap().mappings);
    assert_eq!((read.linear[0].axis, read.enable[0]), (-1, -1));
}

#[test]
fn a_request_out_of_range_is_refused_as_a_whole_with_name_value_and_range() {
    let refused = |change: fn(&mut RequestedMappings)| {
        let mut asked = asked();
        change(&mut asked);
        specification().defaults().change(&asked.changes(&Mappings::default())).unwrap_err().to_string()
    };
    assert_eq!(
        refused(|a| a.angular[2].axis = 16),
        "parameter 'angular.z.axis' is 16, must be from -1 to 15"
    );
    assert_eq!(
        refused(|a| a.coords[2] = i16::MAX),
        "parameter 'coords.toggle' is 32767, must be from -1 to 15"
    );
    assert_eq!(
        refused(|a| a.linear[1].scale = f64::NAN),
        "parameter 'linear.y.scale' is .nan, must be from -10.0 to 10.0"
    );
    let dynamics = |drag, slow| specification().defaults().change(&dynamics_changes(drag, 1.0, 1.0, slow));
    assert_eq!(
        dynamics(-1.0, 4.0).unwrap_err().to_string(),
        "parameter 'drag' is -1.0, must be from 0.0 to 1000.0 1/s"
    );
    assert!(
        dynamics(1.0, 0.0).is_err() && dynamics(f64::INFINITY, 1.0).is_err() && dynamics(1.0, 1.0).is_ok()
    );
    assert!(specification().defaults().change(&[frame_change(false)]).is_ok());
}

fn rows(bench: &Bench) -> Vec<LogRow> {
    bench.outputs.iter().filter_map(|o| if let Output::LogRow(row) = o { Some(*row) } else { None }).collect()
}

#[test]
fn a_log_has_a_row_for_each_cycle_and_none_for_a_batch() {
    let mut bench = Bench::with_pad(guarded());
    bench.run(20);
    assert_eq!(rows(&bench), [], "not switched on");
    bench.give(Input::LogSwitched(true));
    bench.run(5);
    let nothing = LogRow { stamp: wall(25), intrinsic: true, ..LogRow::default() };
    assert_eq!(rows(&bench), [nothing], "no reference yet: the cycle's own stamp, and nothing");
    bench.outputs.clear();
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(1), false, 0.5)));
    bench.run(5);
    let passed =
        LogRow { stamp: wall(1), vel: Some([0.5, 0.0, 0.0]), avel: Some([0.0; 3]), ..LogRow::default() };
    assert_eq!(rows(&bench), [passed], "the reference's own stamp and frame");
    bench.outputs.clear();
    bench.button(common::ON, true);
    bench.batch();
    assert_eq!(rows(&bench), [], "a batch is not a cycle");
    bench.run(10);
    assert_eq!(rows(&bench).len(), 2);
    let last = bench.last();
    let driven = LogRow {
        skipped: 0,
        stamp: wall(40),
        intrinsic: true,
        active: true,
        vel: last.vel,
        avel: last.avel,
        acc: last.acc,
        aacc: last.aacc,
    };
    assert_eq!(rows(&bench)[1], driven);
    bench.outputs.clear();
    bench.give(Input::LogSwitched(false));
    bench.run(20);
    assert_eq!(rows(&bench), []);
}
