//! A trigger as a button: after a loss it has to be seen up.

use crate::common;
use crate::names::{pull, with_trigger};

use common::{Bench, PAD};
use joystick::{Input, Report};

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
