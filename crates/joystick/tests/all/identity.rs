//! Which device drives when pads come, go, and come back: a rule on the devices that are connected.

use crate::common;

use common::{Bench, ON, TOGGLE, guarded, wall};
use joystick::{DeviceId, Input, Params, PoseState};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const OLD: DeviceId = DeviceId(1);
const NEW: DeviceId = DeviceId(2);
const SPARE: DeviceId = DeviceId(3);
/// Two GUIDs of one model and of another one.
const GUID: &str = "030000005e0400008e02000010010000";
const OTHER_GUID: &str = "030000004c050000cc09000011810000";

fn plug(bench: &mut Bench, id: DeviceId, guid: &str, serial: &str) {
    plug_held(bench, id, guid, serial, 0, &[]);
}

/// Plugs a pad in whose first axis has the value `ahead` and whose buttons `down` are held.
fn plug_held(bench: &mut Bench, id: DeviceId, guid: &str, serial: &str, ahead: i16, down: &[usize]) {
    bench.give(Input::DeviceConnected {
        id,
        name: "Pad".into(),
        guid: guid.into(),
        serial: serial.into(),
        path: format!("/dev/input/event{}", id.0),
        links: vec![],
        mapping: String::new(),
        axes: vec![ahead, 0],
        buttons: (0..10).map(|button| down.contains(&button)).collect(),
        hats: vec![],
    });
    bench.give(Input::TriggersKnown { id, axes: vec![] });
    bench.batch();
}

fn unplug(bench: &mut Bench, id: DeviceId) {
    bench.disconnect(id);
    bench.batch();
}

fn button(bench: &mut Bench, id: DeviceId, button: usize, pressed: bool) {
    bench.give(Input::ButtonChanged { id, button, pressed });
    bench.batch();
}

fn ahead(bench: &mut Bench, id: DeviceId, value: i16) {
    bench.give(Input::AxisMoved { id, axis: 0, value });
    bench.batch();
}

/// The velocity forward that is published in the next 20 ms.
fn forward(bench: &mut Bench) -> f64 {
    bench.outputs.clear();
    bench.run(20);
    let moves = |state: &PoseState| state.vel.map_or(0.0, |vel| vel[0]);
    bench.desired().iter().map(moves).fold(0.0, f64::max)
}

/// Releases the pad, presses its dead-man and pushes its stick.
fn drives(bench: &mut Bench, id: DeviceId) -> bool {
    ahead(bench, id, 0);
    button(bench, id, ON, false);
    button(bench, id, ON, true);
    ahead(bench, id, i16::MAX);
    forward(bench) > 0.0
}

#[test]
fn a_pad_that_comes_back_beside_its_frozen_device_is_a_loss_and_drives_after_rest_and_a_press() {
    let mut bench = Bench::new(guarded());
    plug(&mut bench, OLD, GUID, "a0:5a");
    assert!(drives(&mut bench, OLD));
    bench.outputs.clear();
    // Its dead-man and its stick are held, as at the loss.
    plug_held(&mut bench, NEW, GUID, "a0:5a", i16::MAX, &[ON]);
    assert_eq!(
        bench.desired().first(),
        Some(&PoseState::lost(wall(bench.millis), true)),
        "the loss is published"
    );
    assert_eq!(bench.machine.controlled_id(), Some(NEW));
    let came_back = "Pad_1 has model and serial number of Pad: it is that device, and Pad counts as lost";
    assert!(bench.reports().iter().any(|report| report.to_string() == came_back), "{:?}", bench.reports());
    assert_eq!(forward(&mut bench), 0.0);
    button(&mut bench, NEW, ON, false);
    button(&mut bench, NEW, ON, true);
    assert_eq!(forward(&mut bench), 0.0, "its stick was not at rest");
    assert!(drives(&mut bench, NEW));
    // The frozen device goes late: that changes nothing.
    let handed_over = bench.reports().len();
    unplug(&mut bench, OLD);
    assert!(forward(&mut bench) > 0.0 && bench.reports().len() <= handed_over + 1);
}

#[test]
fn a_pad_of_the_same_model_with_another_or_without_a_serial_number_takes_nothing_away() {
    for (first, second) in [("1", "2"), ("", ""), ("1", ""), ("", "1")] {
        let mut bench = Bench::new(guarded());
        plug(&mut bench, OLD, GUID, first);
        assert!(drives(&mut bench, OLD));
        plug(&mut bench, NEW, GUID, second);
        button(&mut bench, NEW, ON, true);
        assert!(forward(&mut bench) > 0.0 && bench.machine.controlled_id() == Some(OLD), "{first} {second}");
    }
}

#[test]
fn a_spare_of_the_named_model_drives_after_the_loss_of_the_first_and_after_rest_and_a_press() {
    let mut bench = Bench::new(Params { control_device: GUID.into(), ..guarded() });
    plug(&mut bench, OLD, GUID, "1");
    plug_held(&mut bench, SPARE, GUID, "2", i16::MAX, &[ON]);
    assert!(drives(&mut bench, OLD));
    unplug(&mut bench, OLD);
    assert_eq!(bench.machine.controlled_id(), Some(SPARE));
    assert_eq!(forward(&mut bench), 0.0, "it was held before it drove");
    assert!(drives(&mut bench, SPARE));
    // The first one comes back while the other one drives.
    plug(&mut bench, OLD, GUID, "1");
    button(&mut bench, OLD, ON, true);
    assert!(forward(&mut bench) > 0.0 && bench.machine.controlled_id() == Some(SPARE));
}

#[test]
fn a_pad_that_is_gone_for_a_moment_gets_the_vehicle_back_from_a_spare_that_nobody_pressed() {
    for serial in ["1", ""] {
        let mut bench = Bench::new(Params { control_device: GUID.into(), ..guarded() });
        plug(&mut bench, OLD, GUID, serial);
        plug(&mut bench, SPARE, GUID, "");
        assert!(drives(&mut bench, OLD));
        bench.disconnect(OLD);
        plug(&mut bench, NEW, GUID, serial);
        assert_eq!(bench.machine.controlled_id(), Some(NEW), "'{serial}'");
        assert!(drives(&mut bench, NEW));
        unplug(&mut bench, NEW);
        // A press decides between those that were left.
        plug(&mut bench, OLD, GUID, "4");
        assert!(drives(&mut bench, SPARE) || drives(&mut bench, SPARE), "'{serial}'");
        button(&mut bench, OLD, ON, true);
        assert_eq!(bench.machine.controlled_id(), Some(SPARE), "one that is in use keeps the vehicle");
    }
}

#[test]
fn the_former_pad_is_known_after_one_without_a_serial_number_took_its_place() {
    let mut bench = Bench::new(guarded());
    plug(&mut bench, OLD, GUID, "1");
    unplug(&mut bench, OLD);
    plug(&mut bench, SPARE, GUID, "");
    assert_eq!(bench.machine.controlled_id(), Some(SPARE));
    unplug(&mut bench, SPARE);
    plug(&mut bench, OLD, GUID, "1");
    assert_eq!(bench.machine.controlled_id(), Some(OLD));
}

#[test]
fn a_press_shows_which_of_two_devices_of_one_pad_is_frozen() {
    // As after a start of the node: SDL lists the frozen device last.
    let mut bench = Bench::new(guarded());
    plug(&mut bench, NEW, GUID, "1");
    plug_held(&mut bench, OLD, GUID, "1", i16::MAX, &[ON]);
    assert_eq!(bench.machine.controlled_id(), Some(OLD));
    assert!(!drives(&mut bench, NEW), "the press that selects it does not drive");
    assert_eq!(bench.machine.controlled_id(), Some(NEW));
    assert!(drives(&mut bench, NEW));
    // SDL releases a device before it removes it: that is no press.
    button(&mut bench, OLD, ON, false);
    ahead(&mut bench, OLD, 0);
    unplug(&mut bench, OLD);
    assert!(forward(&mut bench) > 0.0 && bench.machine.controlled_id() == Some(NEW));
}

#[test]
fn a_takeover_outlasts_a_pad_that_comes_back_and_waits_for_its_rest() {
    let mut bench = Bench::new(guarded());
    plug(&mut bench, OLD, GUID, "1");
    button(&mut bench, OLD, TOGGLE, true);
    button(&mut bench, OLD, TOGGLE, false);
    ahead(&mut bench, OLD, i16::MAX);
    assert!(forward(&mut bench) > 0.0);
    plug_held(&mut bench, NEW, GUID, "1", i16::MAX, &[]);
    assert!(bench.machine.active() && forward(&mut bench) == 0.0, "as after a replug");
    ahead(&mut bench, NEW, 0);
    ahead(&mut bench, NEW, i16::MAX);
    assert!(forward(&mut bench) > 0.0);
}

#[test]
fn an_exact_name_takes_the_vehicle_from_a_device_that_has_only_the_model() {
    let version = "030000005e0400008e02000014010000";
    for order in [[OLD, NEW], [NEW, OLD]] {
        let mut bench = Bench::new(Params { control_device: GUID.into(), ..guarded() });
        for id in order {
            plug(&mut bench, id, if id == NEW { GUID } else { version }, "");
        }
        assert_eq!(bench.machine.controlled_id(), Some(NEW), "{order:?}");
    }
}

/// A pad of the stories: each has its place in a table.
#[derive(Clone, Copy, Debug)]
struct Pad {
    guid: &'static str,
    serial: &'static str,
}

const fn pad(guid: &'static str, serial: &'static str) -> Pad {
    Pad { guid, serial }
}

/// One pad thrice (two of them frozen), another one of its model, twins without serial numbers, and another model.
const PADS: [Pad; 7] = [
    pad(GUID, "1"),
    pad(GUID, "1"),
    pad(GUID, "1"),
    pad(GUID, "2"),
    pad(GUID, ""),
    pad(GUID, ""),
    pad(OTHER_GUID, "1"),
];

/// An event of the pad of this number.
#[derive(Clone, Copy, Debug)]
enum Act {
    Toggle(u32),
    Press(u32),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    vec(prop_oneof![4 => (0..7_u32).prop_map(Act::Toggle), 1 => (0..7_u32).prop_map(Act::Press)], 0..30)
}

/// Control devices that fit none, one, or several of the pads.
fn names() -> impl Strategy<Value = &'static str> {
    select(vec!["", GUID, OTHER_GUID, "1", "2", "/dev/input/event4", "Pad", "Nobody"])
}

struct Story {
    bench: Bench,
    present: Vec<u32>,
    name: &'static str,
    /// The first device that drove: the only one for which an empty name waits.
    first: Option<Pad>,
}

impl Story {
    fn new(name: &'static str) -> Self {
        let params = Params { control_device: name.into(), ..guarded() };
        Self { bench: Bench::new(params), present: vec![], name, first: None }
    }

    fn toggle(&mut self, number: u32, held: bool) {
        let id = DeviceId(number);
        if let Some(index) = self.present.iter().position(|&one| one == number) {
            self.present.remove(index);
            unplug(&mut self.bench, id);
        } else {
            let Pad { guid, serial } = PADS[number as usize];
            self.present.push(number);
            let (value, down): (i16, &[usize]) = if held { (i16::MAX, &[ON]) } else { (0, &[]) };
            plug_held(&mut self.bench, id, guid, serial, value, down);
        }
        if self.name.is_empty() {
            let driver = self.driver();
            self.first = self.first.or(driver.map(|number| PADS[number as usize]));
        }
    }

    fn driver(&self) -> Option<u32> {
        self.bench.machine.controlled_id().map(|id| id.0)
    }

    /// Whether the name, or the first device, allows the pad; what is the same pad is allowed together.
    fn is_allowed(&self, number: u32) -> bool {
        let Pad { guid, serial } = PADS[number as usize];
        match self.name {
            "" => self
                .first
                .is_none_or(|first| first.guid == guid && (serial.is_empty() || serial == first.serial)),
            "Pad" => true,
            "/dev/input/event4" => number == 4,
            name => name == guid || name == serial,
        }
    }

    fn allowed(&self) -> Vec<u32> {
        self.present.iter().copied().filter(|&number| self.is_allowed(number)).collect()
    }
}

proptest! {
    #[test]
    fn whenever_a_pad_may_drive_one_drives_whatever_came_before(name in names(), acts in acts()) {
        let mut story = Story::new(name);
        for act in acts {
            match act {
                Act::Toggle(number) => story.toggle(number, false),
                Act::Press(number) if story.present.contains(&number) => {
                    button(&mut story.bench, DeviceId(number), ON, true);
                    button(&mut story.bench, DeviceId(number), ON, false);
                }
                Act::Press(_) => {}
            }
            let (driver, allowed) = (story.driver(), story.allowed());
            prop_assert_eq!(driver.is_some(), !allowed.is_empty(), "{:?} of {:?}", driver, allowed);
            prop_assert!(driver.is_none_or(|driver| allowed.contains(&driver)), "{:?} of {:?}", driver, allowed);
        }
    }

    /// Connections, disconnections and presses of others end in the driver that the present set alone has.
    #[test]
    fn the_driver_is_a_function_of_the_present_pads(
        name in select(vec![GUID, OTHER_GUID, "2", "/dev/input/event4"]),
        acts in acts(),
        present in subsequence(vec![0, 3, 4, 6], 0..=4).prop_shuffle(),
    ) {
        let mut story = Story::new(name);
        for act in acts {
            if let Act::Toggle(number) = act {
                story.toggle(number, false);
            }
        }
        for number in 0..7 {
            if story.present.contains(&number) != present.contains(&number) {
                story.toggle(number, false);
            }
        }
        let mut fresh = Story::new(name);
        present.iter().for_each(|&number| fresh.toggle(number, false));
        // Only between equal matches does the past decide: the GUID is that of three pads.
        let equals = fresh.allowed();
        prop_assert_eq!(story.driver().is_some(), fresh.driver().is_some());
        prop_assert!(equals.len() > 1 || story.driver() == fresh.driver());
        prop_assert!(story.driver().is_none_or(|driver| equals.contains(&driver)));
    }

    /// The pad that a person holds, the last to connect of all that are the same, drives after rest and presses.
    #[test]
    fn the_live_pad_always_gets_to_drive_and_nothing_before_it_was_at_rest(acts in acts(), last in 0..3_u32) {
        let mut story = Story::new("1");
        for act in acts {
            if let Act::Toggle(number) = act && number < 3 {
                story.toggle(number, true);
                prop_assert_eq!(forward(&mut story.bench), 0.0, "it was held when it came");
            }
        }
        if !story.present.contains(&last) {
            story.toggle(last, true);
            prop_assert_eq!(story.driver(), Some(last), "the last one is the pad");
            prop_assert!(drives(&mut story.bench, DeviceId(last)), "after rest and one press");
        } else {
            let _ = drives(&mut story.bench, DeviceId(last)); // its press may only show that it lives
            prop_assert!(drives(&mut story.bench, DeviceId(last)));
        }
        prop_assert_eq!(story.driver(), Some(last));
    }
}
