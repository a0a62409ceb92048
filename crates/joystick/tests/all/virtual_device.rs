//! The device of `~/virtual_device`: it connects with its first state and disconnects after a silence.

use crate::common;

use common::{Bench, ON, driving, guarded, wall};
use joystick::{Input, Output, Params, Report, VirtualSource, VirtualState};
use safety::Stamp;

fn named(params: Params) -> Params {
    Params { virtual_device: "Hand".into(), ..params }
}

fn held(axes: &[i16], buttons: &[usize]) -> VirtualState {
    let buttons = (0..11).map(|button| buttons.contains(&button)).collect();
    VirtualState { stamp: Stamp::ZERO, axes: axes.into(), buttons }
}

fn hold(bench: &mut Bench, state: VirtualState) {
    bench.give(Input::ClockRead(wall(bench.millis).into()));
    bench.give(Input::VirtualDeviceMoved(Ok(state)));
    bench.drain();
}

#[test]
fn it_connects_at_rest_drives_and_disconnects_when_it_is_silent() {
    let mut bench = Bench::new(named(driving()));
    hold(&mut bench, held(&[], &[3]));
    assert_eq!(bench.machine.device_list(), ["Hand"]);
    for _ in 0..50 {
        hold(&mut bench, held(&[i16::MAX], &[]));
        bench.run(10);
    }
    assert!(bench.forward() > 2.5);
    bench.run(485);
    assert!(bench.forward() > 2.5, "495 ms after the last state");
    bench.run(5);
    assert_eq!((bench.last().vel, bench.machine.device_list()), (None, vec![]));
    assert!(bench.reports().contains(&Report::VirtualSilent(VirtualSource::Component)));
}

#[test]
fn an_empty_state_disconnects_it() {
    let mut bench = Bench::new(named(driving()));
    hold(&mut bench, held(&[0; 6], &[]));
    hold(&mut bench, VirtualState::default());
    assert_eq!(bench.machine.device_list(), Vec::<String>::new());
    bench.run(1000);
    assert!(!bench.reports().contains(&Report::VirtualSilent(VirtualSource::Component)), "it was not silent");
}

#[test]
fn inputs_held_at_its_connection_are_not_at_rest_and_no_press() {
    let mut bench = Bench::new(named(guarded()));
    hold(&mut bench, held(&[i16::MAX], &[ON]));
    assert!(!bench.machine.active(), "its dead-man is held at the connection");
    hold(&mut bench, held(&[i16::MAX], &[]));
    hold(&mut bench, held(&[i16::MAX], &[ON]));
    assert!(bench.machine.active());
    bench.run(400);
    assert_eq!(bench.forward(), 0.0, "and its stick");
}

#[test]
fn its_hat_moves_in_the_order_of_a_device_s_port() {
    let mut bench = Bench::new(named(driving()));
    hold(&mut bench, held(&[0; 6], &[]));
    bench.outputs.clear();
    // Vertical half first: up and right.
    hold(&mut bench, held(&[0, 0, 0, 0, 0, 0, -32768, 32767], &[]));
    assert_eq!(bench.devices().last().unwrap().1.axes[6..], [-32768, 32767]);
    hold(&mut bench, held(&[0; 6], &[]));
    assert_eq!(bench.devices().last().unwrap().1.axes[6..], [0, 0]);
}

#[test]
fn a_state_with_too_many_inputs_is_refused_reported_once_and_does_not_keep_it_connected() {
    let mut bench = Bench::new(named(driving()));
    hold(&mut bench, held(&[0; 6], &[]));
    let mut too_many = held(&[i16::MAX; 9], &[]);
    too_many.buttons.push(true);
    for _ in 0..60 {
        hold(&mut bench, too_many.clone());
        bench.run(10);
    }
    let reports: Vec<_> =
        bench.reports().into_iter().filter(|report| report.to_string().contains("virtual_")).collect();
    assert_eq!(
        reports,
        [
            Report::VirtualTooBig { source: VirtualSource::Component, axes: 9, buttons: 12 },
            Report::VirtualSilent(VirtualSource::Component)
        ]
    );
    assert!(
        reports[0].to_string().ends_with("must have at most 8 (six, and a hat as two) and 11"),
        "{}",
        reports[0]
    );
}

#[test]
fn states_with_old_or_repeated_stamps_do_not_keep_it_connected() {
    let mut bench = Bench::new(named(driving()));
    bench.run(10_000);
    let stamped = |millis| VirtualState { stamp: wall(millis), ..held(&[i16::MAX], &[]) };
    hold(&mut bench, stamped(9_500));
    assert_eq!(
        (bench.machine.device_list().len(), bench.reports().last()),
        (0, Some(&Report::VirtualStale(VirtualSource::Component)))
    );
    for _ in 0..60 {
        hold(&mut bench, stamped(10_000));
        bench.run(10);
    }
    assert_eq!(bench.machine.device_list().len(), 0);
}

#[test]
fn without_a_name_it_is_refused() {
    let mut bench = Bench::new(driving());
    hold(&mut bench, held(&[0; 6], &[]));
    hold(&mut bench, held(&[0; 6], &[]));
    let unnamed = |output: &&Output| **output == Output::Report(Report::VirtualUnnamed);
    assert_eq!(bench.outputs.iter().filter(unnamed).count(), 1);
    assert_eq!(bench.machine.device_list().len(), 0);
}

#[test]
fn it_can_be_moved_while_sdl_hangs() {
    let mut bench = Bench::new(named(driving()));
    bench.give(Input::DevicesPolled);
    hold(&mut bench, held(&[0; 6], &[]));
    for _ in 0..50 {
        hold(&mut bench, held(&[i16::MAX], &[]));
        bench.run(10);
    }
    assert!(bench.reports().contains(&Report::ReadingLost(true)));
    assert!(bench.forward() > 2.5 && !bench.machine.needs_reading());
}
