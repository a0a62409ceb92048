//! A trigger as a button: after a loss it has to be seen up, and a press of it is a sign of a person.

use crate::common;
use crate::names::{connect_as, pull, with_trigger};

use common::{Bench, PAD, driving};
use joystick::{DeviceId, Input, Params, Report, specification};
use params::Value;

fn lose_reading(bench: &mut Bench) {
    bench.give(Input::ReadingLost);
    bench.batch();
    assert!(bench.reports().contains(&Report::ReadingLost(true)));
}

#[test]
fn a_held_trigger_that_trembles_after_a_hang_is_not_pressed() {
    let mut bench = with_trigger("enable.on");
    pull(&mut bench, 30_000);
    assert!(bench.machine.active());
    lose_reading(&mut bench);
    pull(&mut bench, 29_900); // an event that was queued, before everything is read again
    bench.give(Input::DevicesPolled);
    let axes = vec![0, 0, i16::MIN, 0, 0, 29_900];
    bench.give(Input::DeviceRead { id: PAD, axes, buttons: vec![false; 11], hats: Vec::new() });
    bench.batch();
    bench.run(200);
    assert!(!bench.machine.active(), "{:?}", bench.machine.health());
    pull(&mut bench, i16::MIN);
    pull(&mut bench, i16::MAX);
    assert!(bench.machine.active());
    // Nor does it take over.
    let mut bench = with_trigger("enable.toggle");
    [30_000, i16::MIN, 30_000].into_iter().for_each(|trigger| pull(&mut bench, trigger));
    assert!(!bench.machine.active(), "it began and ended the takeover");
    lose_reading(&mut bench);
    pull(&mut bench, 29_900);
    assert!(!bench.machine.active());
}

#[test]
fn a_press_of_a_trigger_keeps_its_place_as_one_of_a_button_does() {
    let changes = [("linear.x.axis", "lefty"), ("enable.on", "righttrigger"), ("control_device", "0300")];
    let changes = changes.map(|(name, value)| (name.to_owned(), Value::Text(value.to_owned())));
    let params = Params::read(&specification().resolve(changes).unwrap()).unwrap();
    let mut bench = Bench::new(Params { dynamics: driving().dynamics, ..params });
    let [first, other, again] = [1, 2, 3].map(DeviceId);
    connect_as(&mut bench, first, "A", i16::MIN);
    connect_as(&mut bench, other, "B", i16::MIN);
    let press = |bench: &mut Bench, id| {
        bench.give(Input::AxisMoved { id, axis: 5, value: i16::MAX });
        bench.batch();
    };
    press(&mut bench, first);
    bench.disconnect(first);
    bench.batch();
    assert_eq!(bench.machine.controlled_id(), Some(other));
    press(&mut bench, other);
    bench.run(100);
    connect_as(&mut bench, again, "A", i16::MIN);
    assert_eq!(
        bench.machine.controlled_id(),
        Some(other),
        "its trigger was pressed before the lost one came back"
    );
    assert!(bench.machine.active());
}
