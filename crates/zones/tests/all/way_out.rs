//! An obstacle in front leaves a way out: turning in place and reversing, with all options.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use std::time::Duration;

use proptest::prelude::*;
use safety::{Instant, Machine};
use zones::{Applied, Boundaries, Input, Joystick, Mode, Params, Scaling, Stick, Zone, ZoneScaler};

/// An obstacle that only fills the front: the three zones ahead have these factors, the rest is free by `rest`.
fn front(ahead: f32, rest: f32) -> [f32; 16] {
    let mut fields = [rest; 16];
    fields[..6].fill(ahead); // front, front right, front left
    fields
}

fn result(scaler: &mut ZoneScaler, ms: u64, forward_back: i32, left_right: i32) -> Applied {
    let now = Instant::from_millis(ms);
    let joystick = Joystick { forward_back, left_right, joystick_zone: 8, input_source: 4 };
    scaler.handle(now, Input::JoystickReceived(joystick));
    while scaler.poll(now).is_some() {}
    *scaler.applied_to_joystick().unwrap()
}

fn with(params: &Params, fields: [f32; 16]) -> ZoneScaler {
    let mut scaler = ZoneScaler::new(params.clone());
    scaler.handle(Instant::ZERO, Input::ScalingReceived(fields));
    scaler
}

fn options() -> impl Iterator<Item = Params> {
    let modes = [Mode::Limit, Mode::Multiply];
    modes.into_iter().flat_map(|scaling| (0..4).map(move |options| (scaling, options))).map(
        |(scaling, options)| Params {
            scaling,
            keep_direction: options & 1 != 0,
            boundaries: Boundaries { hysteresis: f64::from(options & 2) * 5.0, ..Boundaries::default() },
            ..Params::default()
        },
    )
}

#[test]
fn every_stick_that_reverses_or_turns_in_place_is_left_what_its_zone_leaves() {
    for params in options() {
        let mut scaler = with(&params, front(0.0, 0.5));
        let mut free = 0;
        for forward_back in -100..=100i32 {
            for left_right in -100..=100i32 {
                // Coming from the blocked front right, which hysteresis would hold.
                result(&mut scaler, 0, 30, 100);
                let applied = result(&mut scaler, 0, forward_back, left_right);
                let moves = applied.forward_back != 0 || applied.left_right != 0;
                if applied.zone.is_ahead() || applied.zone == Zone::Origin {
                    assert!(!moves, "the factors ahead are 0");
                    continue;
                }
                free += 1;
                // By a half: 1 rounds to 0 when multiplied, 2 leaves 1.
                let longer = forward_back.abs().max(left_right.abs());
                assert!(moves || longer < 2, "{forward_back} {left_right} by {params:?}");
                assert_eq!(applied.forward_back_scaling.min(applied.left_right_scaling), 0.5);
                assert_ne!(applied.limited_by, Some(Zone::FrontRight));
            }
        }
        // Of 40401: 2 · 2066 beside, 2 · 7837 and 2460 behind.
        assert_eq!(free, 22_266);
    }
}

#[test]
fn a_stick_ahead_turns_in_place_before_a_blocked_front_even_with_its_direction_kept() {
    // The front blocks forward only. 100 ahead and 20 to the right is in front: atan2(20, 100) = 11.3 degrees.
    let mut fields = [1.0; 16];
    fields[0] = 0.0;
    for keep_direction in [false, true] {
        let params = Params { keep_direction, ..Params::default() };
        let applied = result(&mut with(&params, fields), 0, 100, 20);
        assert_eq!((applied.zone, applied.forward_back, applied.left_right), (Zone::Front, 0, 20));
        assert_eq!((applied.forward_back_scaling, applied.left_right_scaling), (0.0, 1.0));
    }
    // With the right (fields 6 and 7) limited to 10 percent, so is the turn; to the left it is free.
    fields[7] = 0.1;
    let params = Params { keep_direction: true, ..Params::default() };
    assert_eq!(result(&mut with(&params, fields), 0, 100, 20).left_right, 10);
    assert_eq!(result(&mut with(&params, fields), 0, 100, -20).left_right, -20);
    // With the front's own turn (field 1) at 0 nothing is given back.
    fields[1] = 0.0;
    assert_eq!(result(&mut with(&params, fields), 0, 100, -20).left_right, 0);
}

#[test]
fn a_stick_that_reverses_with_its_direction_kept_is_not_given_back_what_the_rear_blocks() {
    // Back right, fields 10 and 11, blocks reversing; what is blocked there is not ahead.
    let mut fields = [1.0; 16];
    fields[10] = 0.0;
    let params = Params { keep_direction: true, ..Params::default() };
    let applied = result(&mut with(&params, fields), 0, -60, -60);
    assert_eq!((applied.zone, applied.forward_back, applied.left_right), (Zone::BackRight, 0, 0));
}

#[test]
fn a_slow_rise_delays_no_way_out_that_was_free() {
    let rise_time = Duration::from_secs(10);
    let mut scaler = with(&Params { rise_time, ..Params::default() }, front(1.0, 1.0));
    for at in (100..=10_000).step_by(100) {
        scaler.handle(Instant::from_millis(at), Input::ScalingReceived(front(1.0, 1.0)));
        while scaler.poll(Instant::from_millis(at)).is_some() {}
    }
    assert_eq!(result(&mut scaler, 10_000, 100, 0).forward_back, 100);
    scaler.handle(Instant::from_millis(10_010), Input::ScalingReceived(front(0.0, 1.0)));
    assert_eq!(result(&mut scaler, 10_010, 100, 0).forward_back, 0, "falling is at once");
    assert_eq!(result(&mut scaler, 10_010, -100, 0).forward_back, -100);
    assert_eq!(result(&mut scaler, 10_010, 0, 100).left_right, 100);
}

proptest! {
    #[test]
    fn a_way_out_gives_back_no_more_than_the_own_zone_leaves(
        fields in prop::array::uniform16(prop_oneof![Just(0.0f32), 0.0..0.15f32, 0.0..=1.0f32]),
        trace in prop::collection::vec((-100..=100i32, -100..=100i32), 1..30),
        keep_direction in any::<bool>(), multiply in any::<bool>(), hysteresis in 0.0..10.0,
    ) {
        let boundaries = Boundaries { hysteresis, ..Boundaries::default() };
        let scaling = if multiply { Mode::Multiply } else { Mode::Limit };
        let on = Params { scaling, keep_direction, boundaries, ..Params::default() };
        let plain = Params { keep_direction: false, scaling, ..Params::default() };
        let (mut on, mut plain) = (with(&on, fields), with(&plain, fields));
        for (forward_back, left_right) in trace {
            let [on, plain] = [&mut on, &mut plain].map(|s| result(s, 0, forward_back, left_right));
            // No option at all leaves what the own zone's factors leave: the upper bound.
            prop_assert!(on.forward_back.abs() <= plain.forward_back.abs());
            prop_assert!(on.left_right.abs() <= plain.left_right.abs());
            let stick = Stick { forward_back: forward_back.into(), left_right: left_right.into() };
            let own = Scaling::from_fields(&fields).0.of(boundaries.classify(stick));
            prop_assert!(f64::from(on.left_right_scaling) <= own.left_right.get());
        }
    }
}
