//! Releases, and losses that only look like one.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::{authority, common};

use authority::{FAREWELL, published, unplug};
use common::{Bench, CYCLE, ON, PAD, TOGGLE, guarded, reference, wall};
use joystick::{DeviceId, Input, Params, PoseState};
use safety::Stamp;

#[test]
fn a_pad_pulled_out_just_after_its_buttons_were_released_is_lost() {
    for (gap, is_lost) in [(5, true), (20, true), (200, true), (300, false)] {
        let mut bench = Bench::with_pad(guarded());
        bench.button(ON, true);
        bench.axis(0, i16::MAX);
        bench.run(500);
        bench.button(ON, false);
        bench.batch();
        assert_eq!(bench.last(), PoseState::released(wall(500), true));
        bench.run(gap);
        unplug(&mut bench);
        let at = wall(500 + gap);
        let taken_back = bench.desired().first() == Some(&PoseState::standing(at, true));
        let states = published(&mut bench, FAREWELL);
        let lost = states.iter().take_while(|state| state.vel.is_none()).count();
        assert_eq!((taken_back, lost > 5), (is_lost, is_lost), "{gap} {states:?}");
    }
}

#[test]
fn a_reference_that_is_a_stick_is_released_by_a_zero_without_acceleration_only() {
    let at = |bench: &mut Bench, millis: u64, vel: f64, acc: Option<f64>| {
        bench.run(millis);
        let acc = acc.map(|acc| [acc, 0.0, 0.0]);
        bench.give(Input::ReferenceReceived(PoseState { acc, ..reference(Stamp::ZERO, true, vel) }));
        published(bench, 4 * CYCLE).last().and_then(|state| state.vel)
    };
    // Held still and then silent, it is lost.
    let mut bench = Bench::with_pad(guarded());
    assert_eq!(at(&mut bench, 10, 0.0, Some(0.0)), Some([0.0; 3]));
    bench.run(400);
    let states = published(&mut bench, FAREWELL);
    assert!(states.iter().any(|state| state.vel.is_none()), "{states:?}");
    // Reversed after a loss, it passes zero, and stays out.
    assert_eq!(at(&mut bench, FAREWELL, 0.0, Some(-1.0)), None);
    assert_eq!(at(&mut bench, 10, -0.5, Some(0.0)), None);
    assert_eq!(at(&mut bench, 10, 0.0, Some(0.0)), Some([0.0; 3]));
    assert_eq!(at(&mut bench, 10, -0.5, Some(0.0)), Some([-0.5, 0.0, 0.0]));
}

#[test]
fn a_pad_that_another_one_replaces_at_once_is_lost_although_it_was_latched() {
    let mut bench = Bench::with_pad(Params { control_device: "Pad".into(), ..guarded() });
    bench.press(TOGGLE);
    bench.batch();
    bench.axis(0, i16::MAX);
    bench.run(500);
    bench.outputs.clear();
    bench.disconnect(PAD);
    bench.connect(DeviceId(9), "Pad", "other");
    bench.batch();
    assert!(!bench.machine.active(), "the latch is the other person's");
    assert_eq!(bench.last().vel, None, "{:?}", bench.desired());
}
