//! A button that was down before it counted holds the vehicle at zero: nothing else drives while a person holds it.

use crate::common;
use crate::rest::{axis, button, lose_reading, plug, read_again};

use common::{Bench, ON, PAD, TOGGLE, guarded, reference, wall};
use joystick::{DeviceId, EnableButtons, Input, Level, PoseState, Report};

/// The reference asks for 0.3 m/s, and the devices are read.
fn pass(bench: &mut Bench, millis: u64) {
    for _ in 0..millis / 20 {
        bench.give(Input::ReferenceReceived(reference(wall(bench.millis), true, 0.3)));
        bench.run(20);
    }
}

fn stands(state: &PoseState) -> bool {
    state.vel == Some([0.0; 3]) && state.acc == Some([0.0; 3])
}

fn passes(bench: &mut Bench) -> bool {
    bench.outputs.clear();
    pass(bench, 600);
    bench.desired().last().is_some_and(|state| state.vel.is_some_and(|vel| vel[0] == 0.3))
}

/// A bench whose reference is passed on.
fn passing() -> Bench {
    let mut bench = Bench::new(guarded());
    bench.begin_reference();
    assert!(passes(&mut bench));
    bench
}

#[test]
fn a_pad_that_connects_with_its_button_held_holds_the_vehicle_until_the_release() {
    for held in [ON, TOGGLE] {
        let mut bench = passing();
        plug(&mut bench, PAD, "Pad", "", [0; 2], &[held]);
        bench.outputs.clear();
        pass(&mut bench, 3000);
        axis(&mut bench, PAD, 0, i16::MAX); // and pulls
        pass(&mut bench, 3000);
        assert!(!bench.desired().is_empty() && bench.desired().iter().all(stands), "{:?}", bench.last());
        assert!(!bench.machine.active());
        let (level, text) = bench.machine.health();
        let start = "the stick does not drive, and holds the vehicle at zero until its button counts as released; hold button";
        assert!(
            level == Level::Warn && text.starts_with(start) && text.contains("(release it first)"),
            "{text}"
        );
        let stage = why::Explain::explain(&bench.machine);
        let sentence = why::choose(&[stage]).sentence().to_string();
        assert!(sentence.ends_with("was down too early. Release it, then press it."), "{sentence}");
        button(&mut bench, PAD, held, false);
        assert!(passes(&mut bench), "released: {:?}", bench.last());
    }
}

#[test]
fn the_log_says_so_once() {
    let mut bench = passing();
    plug(&mut bench, PAD, "Pad", "", [0; 2], &[ON]);
    pass(&mut bench, 1000);
    assert_eq!(bench.reports().iter().filter(|report| **report == Report::Holds).count(), 1);
}

#[test]
fn a_pad_that_is_lost_while_it_holds_is_a_loss() {
    let mut bench = passing();
    plug(&mut bench, PAD, "Pad", "", [0; 2], &[ON]);
    pass(&mut bench, 500);
    bench.disconnect(PAD);
    bench.batch();
    assert_eq!(bench.last().vel, None);
    assert!(!passes(&mut bench), "the reference has to ask for zero first");
}

#[test]
fn a_pad_that_comes_back_in_motion_with_its_button_held_is_lost_before_it_holds() {
    let mut bench = passing();
    plug(&mut bench, PAD, "Pad", "7", [0; 2], &[]);
    button(&mut bench, PAD, ON, true);
    axis(&mut bench, PAD, 0, i16::MAX);
    pass(&mut bench, 500);
    bench.outputs.clear();
    let again = DeviceId(8);
    plug(&mut bench, again, "Pad", "7", [i16::MAX, 0], &[ON]);
    pass(&mut bench, 80);
    assert!(
        bench.desired().len() > 3 && bench.desired().iter().all(|state| state.vel.is_none()),
        "{:?}",
        bench.desired()
    );
    pass(&mut bench, 500);
    assert!(stands(&bench.last()));
    button(&mut bench, again, ON, false);
    assert!(!passes(&mut bench), "the reference has to ask for zero first");
}

#[test]
fn a_button_held_while_sdl_hangs_or_while_it_is_mapped_holds_the_vehicle() {
    let mut bench = passing();
    plug(&mut bench, PAD, "Pad", "", [0; 2], &[]);
    button(&mut bench, PAD, ON, true);
    lose_reading(&mut bench);
    assert_eq!(bench.last().vel, None, "a loss");
    bench.run(1500);
    read_again(&mut bench, [0; 2], &[ON]);
    bench.begin_reference();
    bench.run(20);
    assert!(stands(&bench.last()), "{:?}", bench.last());
    button(&mut bench, PAD, ON, false);
    button(&mut bench, PAD, 9, true);
    let mut other = guarded();
    other.mappings.enable = EnableButtons { on: Some(9), ..EnableButtons::default() };
    bench.give(Input::ParametersChanged(other));
    bench.run(100);
    assert!(stands(&bench.last()), "{:?}", bench.last());
}
