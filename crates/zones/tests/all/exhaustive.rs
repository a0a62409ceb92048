//! Every stick that a `LuciJoystick` can hold, through the machine: 201 x 201 of them in every mode.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use safety::{Instant, Machine};
use zones::{
    Applied, Boundaries, Channel, Input, Joystick, Mode, Operation, Output, Params, Reason, Scaling, Zone,
    ZoneScaler,
};

/// The zone by slopes instead of angles: each boundary is a line through the centre.
///
/// tan 13.7 = 0.243771, tan 78.45 = 4.893396; 101.55 and 166.3 degrees are those mirrored.
fn zone(forward_back: i32, left_right: i32) -> Zone {
    let (ahead, aside) = (f64::from(forward_back), f64::from(left_right));
    let side = |on_left, on_right| if left_right < 0 { on_left } else { on_right };
    match (ahead.abs() * 0.243_771, ahead.abs() * 4.893_396) {
        _ if (forward_back, left_right) == (0, 0) => Zone::Origin,
        (narrow, _) if aside.abs() <= narrow && forward_back > 0 => Zone::Front,
        (narrow, _) if aside.abs() <= narrow => Zone::Back,
        (_, wide) if aside.abs() > wide => side(Zone::Left, Zone::Right),
        _ if forward_back > 0 => side(Zone::FrontLeft, Zone::FrontRight),
        _ => side(Zone::BackRight, Zone::BackLeft),
    }
}

/// The first field of a zone in `LuciZoneScaling`.
fn first(zone: Zone) -> Option<usize> {
    Some(match zone {
        Zone::Front => 0,
        Zone::FrontRight => 2,
        Zone::FrontLeft => 4,
        Zone::Right => 6,
        Zone::Left => 8,
        Zone::BackRight => 10,
        Zone::BackLeft => 12,
        Zone::Back => 14,
        Zone::Origin => return None,
    })
}

/// All free, all blocked, the front blocked, and factors of no pattern, among them such as rounding could carry over
/// an integer: 0.29 as f32 is 0.28999999, 0.07 is 0.07000000030.
fn scalings() -> [[f32; 16]; 5] {
    let mut front = [1.0; 16];
    front[..6].fill(0.0);
    let odd = [0.29, 0.07, 0.57, 0.58, 1.0, 0.01, 0.005, 0.995, 0.14, 0.28, 0.56, 0.035, 0.1, 0.7, 0.0, 1.0];
    let tiny = f32::from_bits(1);
    let edges = [
        tiny,
        0.999_999_94,
        f32::NAN,
        0.5,
        -0.0,
        1.1,
        0.33,
        0.66,
        0.05,
        1.0,
        1.0,
        0.05,
        0.09,
        0.11,
        0.2,
        -1.0,
    ];
    [[1.0; 16], [0.0; 16], front, odd, edges]
}

fn bench(params: &Params, fields: [f32; 16]) -> ZoneScaler {
    let mut scaler = ZoneScaler::new(params.clone());
    scaler.handle(Instant::ZERO, Input::ScalingReceived(fields));
    while scaler.poll(Instant::ZERO).is_some() {}
    scaler
}

fn result(scaler: &mut ZoneScaler, forward_back: i32, left_right: i32) -> Applied {
    let joystick_zone = zone(forward_back, left_right).number();
    let joystick = Joystick { forward_back, left_right, joystick_zone, input_source: 4 };
    scaler.handle(Instant::ZERO, Input::JoystickReceived(joystick));
    let Some(Output::PublishApplied(applied)) = scaler.poll(Instant::ZERO) else { panic!("it is published") };
    assert_eq!(scaler.poll(Instant::ZERO), None);
    applied
}

fn every_stick(mut check: impl FnMut(i32, i32)) {
    for forward_back in -100..=100 {
        for left_right in -100..=100 {
            check(forward_back, left_right);
        }
    }
}

/// `out` is of `requested`, and neither more than it nor than the limit or the share of it that `factor` leaves.
fn assert_bounded(mode: Mode, requested: i32, factor: f32, out: i32) {
    assert!(out == 0 || out.signum() == requested.signum(), "{out} of {requested}");
    assert!(out.abs() <= requested.abs(), "{out} of {requested}");
    // Both products are exact: an integer up to 100 has 7 bits and an f32 has 24, of the 53 of f64.
    let bound = match mode {
        Mode::Limit => 100.0 * f64::from(factor),
        Mode::Multiply => f64::from(requested.abs()) * f64::from(factor),
    };
    assert!(f64::from(out.abs()) <= bound, "{out} of {requested} by {factor}");
}

#[test]
fn each_part_is_what_the_factor_leaves_rounded_toward_zero() {
    for (mode, fields) in [Mode::Limit, Mode::Multiply].into_iter().flat_map(|m| scalings().map(|f| (m, f))) {
        let mut scaler = bench(&Params { scaling: mode, ..Params::default() }, fields);
        every_stick(|forward_back, left_right| {
            let applied = result(&mut scaler, forward_back, left_right);
            assert_eq!(applied.zone, zone(forward_back, left_right));
            assert_eq!((applied.channel, applied.input_source), (Channel::Joystick, 4));
            let factor = |offset| {
                let field = first(applied.zone).map_or(0.0, |first| fields[first + offset]);
                if (0.0..=1.0).contains(&field) { field } else { 0.0 }
            };
            assert_eq!((applied.forward_back_scaling, applied.left_right_scaling), (factor(0), factor(1)));
            for (requested, factor, out) in
                [(forward_back, factor(0), applied.forward_back), (left_right, factor(1), applied.left_right)]
            {
                assert_bounded(mode, requested, factor, out);
                // And as much as that: the integer below the exact product, or the requested value.
                let share =
                    f64::from(factor) * if mode == Mode::Limit { 100.0 } else { f64::from(requested.abs()) };
                assert_eq!(out.abs(), (share.floor() as i32).min(requested.abs()), "{requested} by {factor}");
            }
        });
        assert_eq!(scaler.counters().other_zones, 0);
        assert_eq!(scaler.counters().joysticks, 40_401);
    }
}

#[test]
fn a_kept_direction_stays_within_the_smaller_factor_and_one_percent_of_its_line() {
    for (mode, fields) in [Mode::Limit, Mode::Multiply].into_iter().flat_map(|m| scalings().map(|f| (m, f))) {
        let params = Params { scaling: mode, keep_direction: true, ..Params::default() };
        let mut scaler = bench(&params, fields);
        every_stick(|forward_back, left_right| {
            let applied = result(&mut scaler, forward_back, left_right);
            let own = Scaling::from_fields(&fields).0.of(applied.zone);
            if applied.zone.is_ahead() && own.forward_back.get() < 0.1 {
                return; // a way out is given back, see `way_out.rs`
            }
            let own = own.smaller();
            let factor = own.forward_back.get() as f32;
            assert_eq!((applied.forward_back_scaling, applied.left_right_scaling), (factor, factor));
            assert_bounded(mode, forward_back, factor, applied.forward_back);
            assert_bounded(mode, left_right, factor, applied.left_right);
            // The longer part is at most 1 short of its bound, and the other at most 1 short of its share of that.
            let longer = forward_back.abs().max(left_right.abs());
            let full = if mode == Mode::Limit { 100 } else { longer };
            let bound = (f64::from(full) * f64::from(factor)).min(f64::from(longer));
            let ratio = bound / f64::from(longer.max(1));
            for (requested, out) in [(forward_back, applied.forward_back), (left_right, applied.left_right)] {
                let share = f64::from(requested.abs()) * ratio;
                assert!(share - f64::from(out.abs()) < 1.000_001, "{out} of {share}");
                assert!(f64::from(out.abs()) <= share + 1e-9, "{out} of {share}");
            }
        });
    }
}

#[test]
fn no_option_leaves_more_than_the_factors_of_the_own_zone() {
    for (mode, fields) in [Mode::Limit, Mode::Multiply].into_iter().flat_map(|m| scalings().map(|f| (m, f))) {
        for options in 0..4 {
            let boundaries =
                Boundaries { hysteresis: f64::from(options & 1) * 10.0, ..Boundaries::default() };
            let keep_direction = options & 2 != 0;
            let params = Params { scaling: mode, boundaries, keep_direction, ..Params::default() };
            let mut scaler = bench(&params, fields);
            let scaling = Scaling::from_fields(&fields).0;
            every_stick(|forward_back, left_right| {
                let applied = result(&mut scaler, forward_back, left_right);
                let own = scaling.of(zone(forward_back, left_right));
                assert_bounded(mode, forward_back, own.forward_back.get() as f32, applied.forward_back);
                assert_bounded(mode, left_right, own.left_right.get() as f32, applied.left_right);
                assert_bounded(mode, forward_back, applied.forward_back_scaling, applied.forward_back);
                assert_bounded(mode, left_right, applied.left_right_scaling, applied.left_right);
            });
        }
    }
}

#[test]
fn nothing_is_left_of_any_stick_without_a_scaling() {
    let stale = Instant::from_millis(500);
    let outdated = |params: &Params| {
        let mut scaler = bench(params, [1.0; 16]);
        for ms in (100..=500).step_by(100) {
            while scaler.poll(Instant::from_millis(ms)).is_some() {}
        }
        scaler
    };
    for options in 0..4 {
        let boundaries = Boundaries { hysteresis: f64::from(options & 1) * 10.0, ..Boundaries::default() };
        let keep_direction = options & 2 != 0;
        let params = Params { boundaries, keep_direction, ..Params::default() };
        for (mut scaler, now, reason) in [
            (ZoneScaler::new(params.clone()), Instant::ZERO, Reason::ScalingMissing),
            (outdated(&params), stale, Reason::ScalingStale),
        ] {
            every_stick(|forward_back, left_right| {
                let joystick = Joystick { forward_back, left_right, joystick_zone: 8, input_source: 4 };
                scaler.handle(now, Input::JoystickReceived(joystick));
                while scaler.poll(now).is_some() {}
                let applied = scaler.applied_to_joystick().unwrap();
                assert_eq!((applied.forward_back, applied.left_right, applied.reason), (0, 0, reason));
            });
        }
    }
}

#[test]
fn what_is_passed_through_is_every_stick_itself() {
    let mut scaler = bench(&Params { operation: Operation::Passthrough, ..Params::default() }, [0.0; 16]);
    every_stick(|forward_back, left_right| {
        let applied = result(&mut scaler, forward_back, left_right);
        assert_eq!((applied.forward_back, applied.left_right), (forward_back, left_right));
        assert_eq!((applied.zone, applied.reason), (zone(forward_back, left_right), Reason::PassedThrough));
    });
}
