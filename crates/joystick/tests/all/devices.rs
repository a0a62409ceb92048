//! Devices and their published states: batches, hats, limits, unplugging, and the choice of the device that drives.

use crate::common;

use common::{Bench, ON, PAD, TOGGLE, driving, guarded, reference, wall};
use joystick::{
    DeflectedAxis, DeviceId, DeviceState, Hat, Input, JoyState, Level, Output, Params, PoseState, Report,
};

const OTHER: DeviceId = DeviceId(8);
const THIRD: DeviceId = DeviceId(9);

fn named(control_device: &str) -> Params {
    Params { control_device: control_device.into(), ..driving() }
}

#[test]
fn a_new_device_opens_its_port_and_publishes_its_rest_state() {
    let mut bench = Bench::new(driving());
    bench.drain();
    bench.outputs.clear();
    bench.millis = 3;
    bench.give(Input::DeviceConnected {
        id: PAD,
        name: "Xbox 360 Controller".into(),
        guid: "03".into(),
        serial: String::new(),
        path: String::new(),
        links: vec![],
        mapping: String::new(),
        axes: vec![0, -32768],
        buttons: vec![true],
        hats: vec![Hat { down: true, ..Hat::default() }],
    });
    bench.batch();
    let name = "Xbox_360_Controller".to_owned();
    let state = DeviceState { stamp: wall(3), buttons: vec![true], axes: vec![0, -32768, 32767, 0] };
    let joy = JoyState { stamp: wall(3), axes: vec![0.0, 1.0, 0.0, -1.0], buttons: vec![1] };
    assert!(matches!(bench.outputs[0], Output::PublishDesired(_)), "the desired state is published first");
    assert_eq!(
        bench.outputs[1..],
        [
            Output::Report(Report::Connected {
                name: name.clone(),
                sdl_name: "Xbox 360 Controller".into(),
                guid: "03".into(),
                serial: String::new(),
                path: String::new(),
                links: vec![],
                axes: 4,
                buttons: 1
            }),
            Output::Report(Report::Controlled { name: Some(name.clone()) }),
            Output::Report(Report::Active(true)),
            // Axis 1 is mapped and at its end.
            Output::Report(Report::WaitsForRest(Some(DeflectedAxis {
                coordinate: "angular.z",
                axis: 1,
                percent: 100
            }))),
            Output::OpenDevice { name: name.clone() },
            Output::PublishDevice { name, state },
            Output::PublishConnected(true),
            Output::PublishJoy(joy),
        ]
    );
}

#[test]
fn each_dirty_device_is_published_once_with_the_stamp_of_the_batch() {
    let mut bench = Bench::with_pad(driving());
    bench.connect(OTHER, "Pad", "guid");
    bench.batch();
    bench.outputs.clear();
    bench.millis = 7;
    bench.axis(0, 1);
    bench.axis(0, 2);
    bench.axis(1, 3);
    bench.batch();
    let devices = bench.devices();
    assert_eq!(devices.len(), 1);
    assert_eq!(
        (devices[0].0.as_str(), devices[0].1.stamp, &devices[0].1.axes[..]),
        ("Pad", wall(7), &[2, 3][..])
    );
    // The other device is published alone; the filter need not run.
    bench.outputs.clear();
    bench.give(Input::AxisMoved { id: OTHER, axis: 0, value: 5 });
    bench.batch();
    assert_eq!((bench.devices()[0].0.as_str(), bench.desired().len(), bench.joys().len()), ("Pad_1", 0, 0));
    bench.outputs.clear();
    bench.batch();
    assert_eq!(bench.outputs, [], "an empty batch publishes nothing");
}

#[test]
fn buttons_of_another_device_have_no_effect() {
    let mut bench = Bench::with_pad(guarded());
    bench.connect(OTHER, "Other", "B");
    for button in [ON, TOGGLE, common::WORLD] {
        bench.give(Input::ButtonChanged { id: OTHER, button, pressed: true });
    }
    bench.batch();
    assert!(!bench.machine.active() && bench.machine.intrinsic());
}

#[test]
fn a_hat_drives_like_an_axis() {
    let mut params = driving();
    params.mappings.linear[0].axis = Some(2); // after two axes: the hat's vertical half
    params.mappings.linear[0].scale = -1.0;
    let mut bench = Bench::new(params);
    bench.give(Input::DeviceConnected {
        id: PAD,
        name: "Pad".into(),
        guid: String::new(),
        serial: String::new(),
        path: String::new(),
        links: vec![],
        mapping: String::new(),
        axes: vec![0, 0],
        buttons: vec![],
        hats: vec![Hat::default()],
    });
    bench.batch();
    bench.hat(Hat { up: true, ..Hat::default() });
    bench.run(100);
    assert!(bench.forward() > 0.0);
}

#[test]
fn events_beyond_the_limits_are_dropped_and_counted() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(2, 1);
    bench.button(10, true);
    bench.hat(Hat::default());
    bench.axis(usize::MAX, 1);
    bench.give(Input::AxisMoved { id: OTHER, axis: 0, value: 1 });
    bench.disconnect(OTHER);
    bench.batch();
    assert_eq!(bench.outputs, []);
    let counters = bench.machine.counters();
    assert_eq!((counters.beyond_limits, counters.unknown_device), (4, 2));
}

#[test]
fn a_lost_device_is_published_released_and_the_motion_is_lost() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.button(4, true);
    bench.run(1000);
    bench.batch();
    bench.outputs.clear();
    bench.disconnect(PAD);
    bench.batch();
    let released = DeviceState { stamp: wall(1000), buttons: vec![false; 10], axes: vec![0, 0] };
    assert_eq!(
        bench.outputs,
        [
            Output::PublishDesired(PoseState::lost(wall(1000), true)),
            Output::Report(Report::Disconnected { name: "Pad".into() }),
            Output::Report(Report::Controlled { name: None }),
            Output::Report(Report::Active(false)),
            Output::PublishDevice { name: "Pad".into(), state: released },
            Output::CloseDevice { name: "Pad".into() },
            Output::PublishJoy(JoyState { stamp: wall(1000), axes: vec![0.0; 2], buttons: vec![0; 10] }),
            Output::PublishConnected(false),
        ]
    );
    bench.run(95);
    bench.outputs.clear();
    bench.run(100);
    assert!(bench.desired().iter().all(|s| s.vel == Some([0.0; 3]) && s.acc.is_none()));
    assert_eq!(bench.machine.health().0, Level::Warn);
}

#[test]
fn after_the_loss_of_the_dead_man_a_reference_that_asked_for_zero_is_passed_on() {
    let mut bench = Bench::with_pad(guarded());
    bench.button(ON, true);
    bench.axis(0, i16::MAX);
    bench.run(100);
    bench.give(Input::ReferenceReceived(reference(wall(100), false, 0.5)));
    bench.disconnect(PAD);
    bench.batch();
    assert_eq!(bench.last(), PoseState::lost(wall(100), true), "the loss comes first");
    for _ in 0..10 {
        bench.run(100);
        bench.begin_reference();
        bench.give(Input::ReferenceReceived(reference(wall(bench.millis), false, 0.5)));
    }
    bench.drain();
    assert_eq!(bench.last(), reference(wall(1100), false, 0.5), "after a second");
}

#[test]
fn a_takeover_whose_device_is_lost_stands_still_and_keeps_authority() {
    let mut params = guarded();
    params.dynamics.drag = 0.0; // nothing else slows it
    let mut bench = Bench::with_pad(params);
    bench.press(TOGGLE);
    bench.axis(0, i16::MAX);
    bench.run(1000);
    assert!(bench.forward() > 9.0);
    bench.begin_reference();
    bench.give(Input::ReferenceReceived(reference(wall(1000), true, 0.5)));
    bench.disconnect(PAD);
    bench.batch();
    assert_eq!(bench.last(), PoseState::standing(wall(1000), true));
    assert!(bench.machine.active());
}

#[test]
fn an_offset_does_not_drive_without_a_device() {
    let mut params = driving();
    params.mappings.linear[0].offset = 1.0;
    params.mappings.linear[0].scale = 0.5;
    let mut bench = Bench::new(params.clone());
    bench.run(1000);
    assert_eq!(bench.desired(), []);
    // The same with a device that is lost during a takeover.
    params.mappings.enable.toggle = Some(TOGGLE);
    let mut bench = Bench::with_pad(params);
    bench.press(TOGGLE);
    bench.batch();
    bench.disconnect(PAD);
    bench.batch();
    bench.run(1000);
    assert_eq!(bench.forward(), 0.0);
}

#[test]
fn a_replug_in_one_batch_takes_the_same_name() {
    let mut bench = Bench::with_pad(driving());
    bench.disconnect(PAD);
    bench.connect(OTHER, "Pad", "guid");
    bench.batch();
    let ports: Vec<_> = bench
        .outputs
        .iter()
        .filter_map(|o| match o {
            Output::OpenDevice { name } => Some(("open", name.as_str())),
            Output::CloseDevice { name } => Some(("close", name.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(ports, [("close", "Pad"), ("open", "Pad")]);
    assert_eq!(bench.joys().len(), 2, "released, then the new one");
    assert_eq!(bench.machine.controlled(), Some("Pad"));
}

#[test]
fn a_duplicate_id_stops_the_motion_of_the_first_device() {
    let mut bench = Bench::with_pad(driving());
    bench.axis(0, i16::MAX);
    bench.run(1000);
    bench.connect(PAD, "Pad", "guid");
    bench.batch();
    assert_eq!((bench.forward(), bench.machine.counters().duplicate_device), (0.0, 1));
}

#[test]
fn the_first_to_connect_drives_and_only_its_model_after_it() {
    let mut bench = Bench::new(driving());
    bench.connect(PAD, "Pad", "model A");
    bench.connect(OTHER, "Other", "model B");
    assert_eq!(bench.machine.controlled(), Some("Pad"));
    bench.disconnect(PAD);
    assert_eq!(bench.machine.controlled(), None, "an unplug never hands the vehicle to another stick");
    bench.connect(THIRD, "Third", "model B");
    assert_eq!(bench.machine.controlled(), None);
    assert!(bench.machine.health().1.contains("model A"));
    bench.connect(PAD, "Renamed Pad", "model A");
    assert_eq!(bench.machine.controlled(), Some("Renamed_Pad"));
}

#[test]
fn a_robot_that_never_had_a_device_misses_none() {
    let text = "no device is connected; nothing is claimed";
    let mut bench = Bench::new(driving());
    assert_eq!(bench.machine.health(), (Level::Ok, text.into()));
    bench.connect(PAD, "Pad", "guid");
    bench.batch();
    bench.disconnect(PAD);
    bench.batch();
    assert_eq!(bench.machine.health().0, Level::Warn, "it was lost");
    assert_eq!(Bench::new(named("Pad")).machine.health().0, Level::Warn, "it is named");
}

#[test]
fn a_named_device_drives_even_if_another_connects_first() {
    let mut bench = Bench::new(named("My Pad!"));
    bench.connect(OTHER, "Other", "B");
    assert_eq!(bench.machine.controlled(), None);
    bench.connect(PAD, "My Pad!", "A");
    assert_eq!(bench.machine.controlled(), Some("My_Pad"));
}

#[test]
fn a_throttle_with_the_same_port_name_does_not_drive() {
    let [stick, throttle] = ["Stick", "Throttle"].map(|part| format!("Saitek Pro Flight X-55 Rhino {part}"));
    for name in [stick.as_str(), "03001111381000000522000000010000", "0300000038100000052200001a010000"] {
        let mut bench = Bench::new(named(name));
        bench.connect(OTHER, &throttle, "0300222238100000a522000000010000");
        assert_eq!(bench.machine.controlled(), None, "{name}");
        bench.connect(PAD, &stick, "03001111381000000522000000010000");
        assert_eq!(bench.machine.controlled_id(), Some(PAD), "{name}");
    }
}

#[test]
fn a_mapped_axis_or_button_that_the_pad_lacks_is_a_warning() {
    let mut params = guarded();
    params.mappings.linear[0].axis = Some(4);
    params.mappings.enable.on = Some(12);
    let mut bench = Bench::with_pad(guarded());
    bench.give(Input::ParametersChanged(params.clone()));
    bench.batch();
    let missing: Vec<_> =
        bench.reports().into_iter().filter(|r| matches!(r, Report::MissingInputs { .. })).collect();
    let parameters = vec![("linear.x.axis".into(), 4), ("enable.on".into(), 12)];
    assert_eq!(missing, [Report::MissingInputs { name: "Pad".into(), parameters }]);
    let text = "Pad lacks mapped inputs, which command nothing: linear.x.axis 4, enable.on 12";
    assert_eq!(bench.machine.health(), (Level::Warn, text.into()));
    bench.outputs.clear();
    params.dynamics.amax = 1.0;
    bench.give(Input::ParametersChanged(params));
    bench.drain();
    assert_eq!(bench.reports(), [], "once");
}

#[test]
fn naming_another_device_stops_the_motion_of_the_first() {
    let mut bench = Bench::with_pad(driving());
    bench.connect(OTHER, "Other", "B");
    bench.axis(0, i16::MAX);
    bench.run(1000);
    bench.outputs.clear();
    bench.give(Input::ParametersChanged(named("Pad")));
    bench.drain();
    assert_eq!(bench.outputs, [], "selecting the driving device by its name has no effect");
    bench.run(5);
    assert!(bench.forward() > 3.0);
    bench.outputs.clear();
    bench.give(Input::ParametersChanged(named("Other")));
    bench.drain();
    assert_eq!(bench.machine.controlled(), Some("Other"));
    assert_eq!(bench.joys().len(), 2, "the first is released, then the second");
    bench.run(5);
    assert_eq!(bench.forward(), 0.0);
    // A name that no device has: none drives. No name: the first drives.
    bench.give(Input::ParametersChanged(named("Nobody")));
    assert_eq!(bench.machine.controlled(), None);
    bench.give(Input::ParametersChanged(driving()));
    assert_eq!(bench.machine.controlled(), Some("Pad"));
}

#[test]
fn a_device_replaced_as_the_driver_keeps_its_published_state() {
    let mut bench = Bench::with_pad(driving());
    bench.give(Input::DeviceConnected {
        id: OTHER,
        name: "Other".into(),
        guid: "B".into(),
        serial: "7".into(),
        path: String::new(),
        links: vec![],
        mapping: String::new(),
        axes: vec![0; 5],
        buttons: vec![false; 3],
        hats: vec![],
    });
    bench.batch();
    bench.outputs.clear();
    bench.give(Input::ParametersChanged(named("7")));
    bench.run(100);
    let shapes: Vec<_> = bench.joys().iter().map(|joy| (joy.axes.len(), joy.buttons.len())).collect();
    assert_eq!(shapes[..2], [(2, 10), (5, 3)]);
    assert!(shapes[2..].iter().all(|shape| *shape == (5, 3)));
    assert!(bench.connections().is_empty(), "a device was connected all the time");
    // The driving device stays if the new selection allows it.
    bench.give(Input::ParametersChanged(named("")));
    assert_eq!(bench.machine.controlled(), Some("Other"));
}

#[test]
fn stamps_advance_between_readings_of_the_clock() {
    let mut bench = Bench::with_pad(driving());
    bench.millis = 4;
    bench.axis(0, 1);
    bench.give(Input::BatchEnded);
    bench.drain();
    assert_eq!((bench.devices()[0].1.stamp, bench.last().stamp), (wall(4), wall(4)));
}
