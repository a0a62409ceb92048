//! The bounds of the desired velocity for any stick, buttons and references.
#![allow(clippy::unwrap_used)] // the lint's exception for tests does not see helpers

use crate::common;

use common::{Bench, PAD, guarded};
use joystick::{Dynamics, Input, Mappings, Output, PoseState};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::{array, option};
use safety::{Instant, Machine, Stamp};

/// An event, some time after the previous one.
#[derive(Clone, Debug)]
enum Event {
    Axis(usize, i16),
    Button(usize, bool),
    /// Velocities, and how much its stamp is ahead of the wall clock [ms]; `None`: no stamp.
    Reference([f64; 3], [f64; 3], Option<i64>),
}

fn event() -> impl Strategy<Value = Event> {
    let speed = prop_oneof![3 => -5.0..5.0, 3 => -2000.0..2000.0, 1 => any::<f64>()];
    let three = || [speed.clone(), speed.clone(), speed.clone()];
    let ahead =
        prop_oneof![3 => (-10..10_i64).prop_map(Some), 2 => (-700..700_i64).prop_map(Some), 1 => Just(None)];
    prop_oneof![
        2 => (0..2_usize, any::<i16>()).prop_map(|(axis, value)| Event::Axis(axis, value)),
        2 => (0..3_usize, any::<bool>()).prop_map(|(button, pressed)| Event::Button(button, pressed)),
        2 => (three(), three(), ahead).prop_map(|(vel, avel, ahead)| Event::Reference(vel, avel, ahead)),
    ]
}

fn wall(nanos: i64) -> Stamp {
    let nanos = 1_000_000_000_000 + nanos;
    Stamp { sec: (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
}

/// Plays the events and returns how many takeovers began with a velocity.
///
/// `speeds` are those of all linear and of all angular coordinates, `max_speed` and `slow_speed` of each.
fn check(
    dynamics: Dynamics,
    speeds: [[Option<f64>; 2]; 2],
    events: &[(u64, Event)],
) -> Result<u64, TestCaseError> {
    let mut params = guarded();
    params.dynamics = dynamics;
    let Mappings { linear, angular, .. } = &mut params.mappings;
    for (mapping, speeds) in
        linear.iter_mut().zip([speeds[0]; 3]).chain(angular.iter_mut().zip([speeds[1]; 3]))
    {
        [mapping.max_speed, mapping.slow_speed] = speeds;
    }
    let most = [dynamics.amax, dynamics.awmax].map(|most| most / dynamics.drag);
    let top = [speeds[0][0].unwrap_or(most[0]), speeds[1][0].unwrap_or(most[1])];
    let mut bench = Bench::with_pad(params);
    bench.begin_reference();
    let mut machine = bench.machine;
    let (mut nanos, mut seeded, mut was_active) = (0, 0, false);
    for (wait, event) in events {
        nanos += wait;
        let now = Instant::from_nanos(nanos);
        machine.handle(now, Input::ClockRead(wall(nanos as i64).into()));
        machine.handle(
            now,
            match event {
                Event::Axis(axis, value) => Input::AxisMoved { id: PAD, axis: *axis, value: *value },
                Event::Button(button, pressed) => {
                    Input::ButtonChanged { id: PAD, button: *button, pressed: *pressed }
                }
                Event::Reference(vel, avel, ahead) => Input::ReferenceReceived(PoseState {
                    stamp: ahead.map_or(Stamp::ZERO, |ahead| wall(nanos as i64 + ahead * 1_000_000)),
                    intrinsic: true,
                    vel: Some(*vel),
                    avel: Some(*avel),
                    ..PoseState::default()
                }),
            },
        );
        machine.handle(now, Input::BatchEnded);
        let active = machine.active();
        while let Some(output) = machine.poll(now) {
            let Output::PublishDesired(state) = output else { continue };
            if !active {
                continue; // the reference, passed on
            }
            let parts = [(state.vel, state.acc, top[0]), (state.avel, state.aacc, top[1])];
            for (velocity, acceleration, most) in parts {
                for v in velocity.unwrap() {
                    prop_assert!(v.abs() <= most * (1.0 + 1e-12), "{v} {dynamics:?}");
                }
                for a in acceleration.unwrap() {
                    // |a - drag v| <= drag * most + drag * most
                    prop_assert!(a.abs() <= 2.0 * dynamics.drag * most * (1.0 + 1e-12), "{a} {dynamics:?}");
                }
            }
            seeded += u64::from(!was_active && state.vel.unwrap() != [0.0; 3]);
            was_active = true;
        }
        was_active &= active;
    }
    Ok(seeded)
}

proptest! {
    #[test]
    fn a_velocity_never_exceeds_the_top_speed(
        drag in 0.1..1000.0, amax in 0.0..1000.0, awmax in 0.0..1000.0, slow in 0.001..1000.0,
        speeds in array::uniform2((option::of(0.001..1000.0), option::of(0.0..1.0))),
        events in vec((0..100_000_000_u64, event()), 1..60),
    ) {
        // A slow speed is a part of the top speed.
        let [linear, angular] = speeds;
        let of = |(max, part): (Option<f64>, Option<f64>), most: f64| {
            [max, part.map(|part| part * max.unwrap_or(most / drag))]
        };
        check(Dynamics { drag, amax, awmax, slow }, [of(linear, amax), of(angular, awmax)], &events)?;
    }
}

#[test]
fn the_property_covers_limited_takeovers() {
    let quick = Event::Reference([900.0, 0.0, 0.0], [0.0; 3], Some(0));
    let events = [(1_000_000, quick), (1_000_000, Event::Button(0, true))];
    assert_eq!(check(Dynamics::default(), [[None; 2]; 2], &events).unwrap(), 1);
    assert_eq!(check(Dynamics::default(), [[Some(0.7), None]; 2], &events).unwrap(), 1);
}
