//! Nothing is allocated between a stick event and its motor value.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use allocations::{Counting, count};
use std::time::Duration;

use common::{Bench, DEAD_MAN, STICK, drive_with};
use drive_chain::{Input, Output};
use joystick::Input::{AxisMoved, BatchEnded, ButtonChanged};
use params::Value;
use safety::Machine;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Sends `inputs` and returns the first output, which is a motor value, and the number of allocations for it.
fn allocations(bench: &mut Bench, inputs: &[joystick::Input]) -> usize {
    let now = bench.now;
    let clock = [Input::ClockRead(bench.stamp().into())];
    let inputs: Vec<Input> = clock.into_iter().chain(inputs.iter().cloned().map(Input::Joystick)).collect();
    let before = count();
    for input in inputs {
        bench.drive.handle(now, input);
    }
    let first = bench.drive.poll(now);
    // The list of inputs is only freed here, and `dealloc` is not counted.
    let allocated = count() - before;
    assert!(matches!(first, Some(Output::Hindbrain(hindbrain::Output::Drive(_)))), "{first:?}");
    while bench.drive.poll(now).is_some() {}
    allocated
}

fn moves(mut bench: Bench) -> usize {
    bench.full_ahead();
    let mut allocated = 0;
    for round in 0..200 {
        bench.pass(Duration::from_millis(7));
        let value = -32767 + 100 * round;
        let moved = AxisMoved { id: STICK, axis: 1, value };
        allocated += allocations(&mut bench, &[moved, BatchEnded]);
    }
    allocated
}

#[test]
fn a_stick_event_is_a_motor_value_without_an_allocation() {
    assert_eq!(moves(Bench::new()), 0);
    std::hint::black_box(Box::new(1u8));
    assert!(count() > 0, "the allocator counts");
}

#[test]
fn a_stick_event_allocates_three_messages_for_observers_at_most() {
    let mut bench = Bench::new();
    bench.full_ahead();
    let mut allocated = 0;
    for round in 0..200 {
        bench.pass(Duration::from_millis(7));
        let moved = AxisMoved { id: STICK, axis: 1, value: -32767 + 100 * round };
        let inputs =
            [Input::ClockRead(bench.stamp().into()), Input::Joystick(moved), Input::Joystick(BatchEnded)];
        let before = count();
        inputs.into_iter().for_each(|input| bench.drive.handle(bench.now, input));
        while bench.drive.poll(bench.now).is_some() {}
        allocated += count() - before;
    }
    assert!(allocated > 0 && allocated <= 3 * 200, "{allocated} in 200 events");
}

#[test]
fn with_limits_a_stick_event_is_a_motor_value_without_an_allocation_too() {
    let limits = [
        ("limits.linear.x.acceleration", Value::Float(2.0)),
        ("limits.linear.x.deceleration", Value::Float(2.0)),
        ("limits.linear.x.jerk", Value::Float(10.0)),
    ];
    assert_eq!(moves(Bench::with(drive_with(&limits))), 0);
}

#[test]
fn a_released_dead_man_stops_without_an_allocation() {
    let mut bench = Bench::new();
    bench.full_ahead();
    let released = ButtonChanged { id: STICK, button: DEAD_MAN, pressed: false };
    assert_eq!(allocations(&mut bench, &[released, BatchEnded]), 0);
}

#[test]
fn why_it_stands_or_moves_is_read_without_an_allocation() {
    let mut bench = Bench::new();
    for round in 0..20 {
        match round {
            0 => bench.plug(),
            5 => bench.stick(1.0, 0.0, true),
            10 => bench.enable(true),
            15 => bench.scaling = Some([0.0; 16]),
            _ => {}
        }
        bench.pass(Duration::from_millis(100));
        let before = count();
        let reason = std::hint::black_box(why::choose(&bench.drive.explain()));
        assert_eq!(count() - before, 0, "{reason:?}");
    }
}

#[test]
fn a_takeover_is_reported_after_the_motor_value() {
    let mut bench = Bench::new();
    bench.full_ahead();
    bench.stick(0.0, 0.0, false);
    bench.pass(Duration::from_millis(1000));
    let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
    for forward in [0.0, 0.5] {
        let velocity = Ok(safety::Velocity::planar(forward, 0.0).unwrap());
        let stamp = bench.stamp();
        bench.send([Input::Arbiter(arbiter::Input::command(navigation, velocity, stamp))]);
    }
    assert_eq!(bench.drive.stages().arbiter.active().source, Some(navigation));
    bench.pass(Duration::from_millis(20));
    let pressed = ButtonChanged { id: STICK, button: DEAD_MAN, pressed: true };
    assert_eq!(allocations(&mut bench, &[pressed, BatchEnded]), 0);
    assert_ne!(bench.drive.stages().arbiter.active().source, Some(navigation));
}
