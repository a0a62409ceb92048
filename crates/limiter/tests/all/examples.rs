//! Single paths whose times and velocities can be computed by hand.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use common::{Axis, at, nanos};
use limiter::{Limiter, Limits, Settings, Stop};
use safety::{Instant, Velocity};

const OFF: Settings = Settings {
    min: f64::NEG_INFINITY,
    max: f64::INFINITY,
    acceleration: 0.0,
    deceleration: 0.0,
    emergency: 0.0,
    jerk: 0.0,
    dead_band: 0.0,
};
/// Acceleration, deceleration and jerk of 1.
const ONES: Settings = Settings { acceleration: 1.0, deceleration: 1.0, jerk: 1.0, ..OFF };

/// Expects velocities \[m/s] and accelerations \[m/s²] at times \[s], and rest from the last one on.
#[track_caller]
fn expect(mut axis: Axis, points: &[(f64, f64, f64)]) {
    for &(t, v, a) in points {
        let found = (axis.v(at(t)), axis.a(at(t)));
        assert!(found.0 != 0.0 || found.0.is_sign_positive(), "-0 at {t}");
        assert!((found.0 - v).abs() < 1e-8 && (found.1 - a).abs() < 1e-8, "at {t}: {found:?}, not {v}, {a}");
    }
    let &(end, ..) = points.last().unwrap();
    assert!(axis.limiter.is_settled(), "not settled after {end}");
}

/// Expects changes at these times \[s] and none after them.
#[track_caller]
fn expect_changes(mut axis: Axis, times: &[f64]) {
    for &t in times {
        assert!(!axis.limiter.is_settled());
        let change = axis.limiter.next_change().unwrap();
        assert!((change.as_nanos() as f64 / 1e9 - t).abs() < 2e-9, "{change:?}, not {t}");
        axis.v(change);
    }
    assert_eq!(axis.limiter.next_change(), None);
    assert!(axis.limiter.is_settled());
}

#[test]
fn a_long_path_has_three_phases() {
    let mut axis = Axis::new(ONES);
    axis.aim(at(0.0), 2.0);
    // Jerk 1 for 1 s: v = 1/2, a = 1. Then 1 m/s² up to 2 - 1/2, by symmetry.
    expect(axis, &[(0.5, 0.125, 0.5), (1.0, 0.5, 1.0), (1.5, 1.0, 1.0), (2.0, 1.5, 1.0), (3.0, 2.0, 0.0)]);
    expect_changes(axis, &[1.0, 2.0, 3.0]);
}

#[test]
fn a_short_path_never_reaches_the_limit() {
    let mut axis = Axis::new(Settings { acceleration: 10.0, ..ONES });
    axis.aim(at(0.0), 1.0);
    // Half the distance is t² / 2, so t = 1.
    expect(axis, &[(1.0, 0.5, 1.0), (1.5, 0.875, 0.5), (2.0, 1.0, 0.0)]);
    expect_changes(axis, &[1.0, 2.0]);
}

#[test]
fn without_a_limit_of_the_acceleration_the_jerk_alone_counts() {
    let mut axis = Axis::new(Settings { jerk: 2.0, ..OFF });
    axis.aim(at(0.0), -8.0);
    // Half the distance is J t² / 2 = 4, so t = 2.
    expect(axis, &[(2.0, -4.0, -4.0), (4.0, -8.0, 0.0)]);
}

#[test]
fn the_speed_falls_by_deceleration_and_rises_by_acceleration() {
    let settings = Settings { deceleration: 2.0, acceleration: 1.0, jerk: 2.0, ..OFF };
    let mut axis = Axis::resting_at(2.0, settings, at(1.0));
    axis.aim(at(1.0), -1.0);
    // At zero the acceleration is 1. Up to 2 in 1 s, by 1 m/s; down from 2 to 1 in 0.5 s, by 0.75 m/s; at 2 for the
    // 0.25 m/s between. Beyond zero at 1 for 0.75 m/s, and down to 0 in 0.5 s, by 0.25 m/s.
    expect(
        axis,
        &[
            (2.0, 1.0, -2.0),
            (2.125, 0.75, -2.0),
            (2.625, 0.0, -1.0),
            (3.375, -0.75, -1.0),
            (3.875, -1.0, 0.0),
        ],
    );
    expect_changes(axis, &[2.0, 2.125, 2.625, 3.375, 3.875]);
}

#[test]
fn the_acceleration_beyond_zero_may_be_greater_than_before() {
    let settings = Settings { deceleration: 1.0, acceleration: 2.0, jerk: 2.0, ..OFF };
    let mut axis = Axis::resting_at(-1.0, settings, at(0.0));
    axis.aim(at(0.0), 2.0);
    // The path above, reversed in time and sign.
    expect_changes(axis, &[0.5, 1.25, 1.75, 1.875, 2.875]);
    expect(
        axis,
        &[(0.5, -0.75, 1.0), (1.25, 0.0, 1.0), (1.75, 0.75, 2.0), (1.875, 1.0, 2.0), (2.875, 2.0, 0.0)],
    );
}

#[test]
fn a_target_behind_settle_is_overshot_as_the_jerk_requires() {
    let mut axis = Axis::new(ONES);
    axis.aim(at(0.0), 2.0);
    axis.aim(at(1.0), 0.5);
    // v = 1/2, a = 1: zero acceleration after 1 s at v = 1. Back by 1/2 in 2 sqrt(1/2) s.
    let (middle, end) = (2.0 + 0.5_f64.sqrt(), 2.0 + 2.0_f64.sqrt() + 1e-8);
    expect(axis, &[(1.5, 0.875, 0.5), (2.0, 1.0, 0.0), (middle, 0.75, -(0.5_f64.sqrt())), (end, 0.5, 0.0)]);
}

#[test]
fn without_jerk_a_velocity_is_a_ramp_on_either_side_of_zero() {
    let settings = Settings { deceleration: 4.0, acceleration: 0.5, ..OFF };
    let mut axis = Axis::resting_at(1.0, settings, at(0.0));
    axis.aim(at(0.0), -1.0);
    expect(axis, &[(0.125, 0.5, -4.0), (0.25, 0.0, -0.5), (1.25, -0.5, -0.5), (2.25, -1.0, 0.0)]);
    // With either of them off, that side is a step.
    let mut axis = Axis::resting_at(1.0, Settings { deceleration: 4.0, ..OFF }, at(0.0));
    axis.aim(at(0.0), -1.0);
    expect(axis, &[(0.0, 1.0, -4.0), (0.249_999_999, 4e-9, -4.0), (0.25, -1.0, 0.0)]);
    let mut axis = Axis::resting_at(1.0, Settings { acceleration: 0.5, ..OFF }, at(0.0));
    axis.aim(at(0.0), -1.0);
    expect(axis, &[(0.0, 0.0, -0.5), (2.0, -1.0, 0.0)]);
}

#[test]
fn with_everything_off_each_target_passes_unchanged() {
    let mut axis = Axis::new(OFF);
    for (t, v) in [1.0, -1e308, 5e-324, f64::MAX, f64::MIN, 0.0, -0.1].into_iter().enumerate() {
        let now = nanos(t as u64 / 2);
        axis.aim(now, v);
        assert_eq!(axis.v(now).to_bits(), v.to_bits());
        assert!(axis.limiter.is_settled() && axis.limiter.next_change().is_none());
    }
}

#[test]
fn an_emergency_ignores_the_jerk_and_ends_before_the_next_target() {
    let settings = Settings { emergency: 4.0, ..ONES };
    let mut axis = Axis::resting_at(1.0, settings, at(0.0));
    axis.aim(at(0.0), 10.0);
    // v = 1.5, a = 1 after 1 s; 1.5 / 4 = 0.375 s to zero.
    axis.stop(at(1.0), Stop::Emergency);
    expect(axis, &[(1.0, 1.5, -4.0), (1.25, 0.5, -4.0), (1.375, 0.0, 0.0)]);
    axis.aim(at(1.125), 0.25);
    // From rest at 1.375 s: 2 sqrt(0.25 / 1) = 1 s.
    expect(axis, &[(1.25, 0.5, -4.0), (1.375, 0.0, 0.0), (1.875, 0.125, 0.5), (2.375, 0.25, 0.0)]);
    axis.stop(at(1.25), Stop::Ordinary);
    expect(axis, &[(1.25, 0.5, -4.0), (1.375, 0.0, 0.0)]);
}

#[test]
fn an_emergency_continues_under_other_limits() {
    let settings = Settings { emergency: 4.0, ..ONES };
    let mut axis = Axis::resting_at(-2.0, settings, at(0.0));
    axis.stop(at(0.0), Stop::Emergency);
    axis.configure(at(0.25), Settings { emergency: 2.0, jerk: 0.1, ..ONES });
    // -1 m/s is left for 2 m/s².
    expect(axis, &[(0.25, -1.0, 2.0), (0.5, -0.5, 2.0), (0.75, 0.0, 0.0)]);
}

#[test]
fn an_emergency_without_a_limit_is_at_once() {
    let mut axis = Axis::resting_at(-3.0, ONES, at(0.0));
    axis.stop(at(0.0), Stop::Emergency);
    expect(axis, &[(0.0, 0.0, 0.0)]);
}

#[test]
fn an_emergency_at_zero_removes_the_acceleration() {
    let settings = Settings { emergency: 4.0, ..ONES };
    let mut axis = Axis::resting_at(0.5, settings, at(0.0));
    axis.aim(at(0.0), -0.5);
    // Halfway after 1 s, with an acceleration of -1.
    assert_eq!((axis.v(at(1.0)), axis.a(at(1.0))), (0.0, -1.0));
    axis.stop(at(1.0), Stop::Emergency);
    expect(axis, &[(1.0, 0.0, 0.0)]);
}

#[test]
fn a_safety_stop_is_zero_in_the_same_instant() {
    let mut axis = Axis::resting_at(2.0, ONES, at(0.0));
    axis.aim(at(0.0), 9.0);
    axis.stop(at(1.0), Stop::AtOnce);
    expect(axis, &[(1.0, 0.0, 0.0)]);
    // The target is discarded; with the same target again the axis starts from rest.
    axis.configure(at(2.0), Settings { jerk: 2.0, ..ONES });
    expect(axis, &[(9.0, 0.0, 0.0)]);
    axis.aim(at(9.0), 1.0);
    assert!(axis.v(at(9.1)) < 0.02);
}

#[test]
fn a_lower_jerk_does_not_drive_a_braking_axis_through_zero() {
    let mut axis = Axis::resting_at(2.0, ONES, at(0.0));
    axis.aim(at(0.0), 0.0);
    // After 2 s: v = 0.5, a = -1, just enough to stop. With a jerk of 0.01 it would stop at 0.5 - 1 / 0.02 = -49.5.
    axis.configure(at(2.0), Settings { jerk: 0.01, ..ONES });
    // The acceleration is reduced to sqrt(2 * 0.01 * 0.5) = 0.1, for 10 s.
    expect(axis, &[(2.0, 0.5, -0.1), (7.0, 0.125, -0.05), (12.000_01, 0.0, 0.0)]);
}

#[test]
fn a_lower_limit_of_the_acceleration_is_in_force_at_once() {
    let mut axis = Axis::new(ONES);
    axis.aim(at(0.0), 10.0);
    axis.configure(at(2.0), Settings { acceleration: 0.5, ..ONES });
    expect(axis, &[(2.0, 1.5, 0.5), (4.0, 2.5, 0.5), (19.5, 10.0, 0.0)]);
    // Before zero it is limited by the deceleration, and by what can fall to the acceleration limit at zero.
    let mut axis = Axis::resting_at(-2.0, ONES, at(0.0));
    axis.aim(at(0.0), 9.0);
    assert_eq!((axis.v(at(2.0)), axis.a(at(2.0))), (-0.5, 1.0));
    let mut slow = axis;
    slow.configure(at(2.0), Settings { deceleration: 0.25, ..ONES });
    assert_eq!(slow.a(at(2.0)), 0.25);
    // A quarter before zero: sqrt(0.1² + 2 * 0.25) can fall to 0.1 at zero.
    assert_eq!(axis.v(at(2.25)), -0.25);
    axis.configure(at(2.25), Settings { acceleration: 0.1, ..ONES });
    assert!((axis.a(at(2.25)) - 0.51_f64.sqrt()).abs() < 1e-15, "{}", axis.a(at(2.25)));
}

#[test]
fn a_lower_limit_of_the_velocity_is_not_passed() {
    let mut axis = Axis::new(ONES);
    axis.aim(at(0.0), 10.0);
    // At 1.5 and rising by 1: 0.125 m/s are left, for which sqrt(2 * 0.125) = 0.5 is just enough.
    let mut near = axis;
    near.configure(at(2.0), Settings { max: 1.625, ..ONES });
    expect(near, &[(2.0, 1.5, 0.5), (2.5, 1.625, 0.0)]);
    // Beyond it the velocity may not rise, and the return takes 2 * sqrt(0.25) = 1 s.
    axis.configure(at(2.0), Settings { max: 1.25, ..ONES });
    expect(axis, &[(2.0, 1.5, 0.0), (2.5, 1.375, -0.5), (3.0, 1.25, 0.0)]);
    // The setpoint is still 10.
    axis.configure(at(5.0), ONES);
    assert_eq!(axis.v(at(60.0)), 10.0);
}

#[test]
fn switching_the_jerk_limit_removes_the_acceleration() {
    let mut axis = Axis::new(ONES);
    axis.aim(at(0.0), 10.0);
    axis.configure(at(2.0), Settings { jerk: 0.0, ..ONES });
    // A ramp at once: 8.5 s remain.
    expect(axis, &[(2.0, 1.5, 1.0), (10.5, 10.0, 0.0)]);
    axis.aim(at(11.0), 0.0);
    axis.configure(at(12.0), ONES);
    expect(axis, &[(12.0, 9.0, 0.0), (13.0, 8.5, -1.0), (22.0, 0.0, 0.0)]);
}

#[test]
fn a_target_in_the_dead_band_is_zero_and_is_reached() {
    let mut axis = Axis::new(Settings { dead_band: 0.1, ..ONES });
    axis.aim(at(0.0), 0.25);
    assert_eq!(axis.v(at(5.0)), 0.25);
    axis.aim(at(5.0), 0.099);
    assert_eq!(axis.v(at(9.0)), 0.0);
    assert!(axis.limiter.is_settled());
}

#[test]
fn an_axis_retargeted_at_once_ends_to_the_bit_where_its_mirror_image_does() {
    let ends = [1.0, -1.0].map(|sign| {
        let mut axis = Axis::new(Settings { jerk: 0.141_945_275_654_107_84, ..OFF });
        axis.aim(at(0.0), sign * -0.782_709_315_519_687_5);
        axis.aim(at(2.502_823_944), 0.0);
        axis.aim(at(2.502_823_944), sign * -0.782_709_315_519_687_5);
        (sign * axis.v(at(2.502_823_944)), sign * axis.v(at(3.5)), sign * axis.a(at(3.5)))
    });
    assert_eq!(ends[0], ends[1]);
}

#[test]
fn an_earlier_instant_counts_as_the_latest() {
    let mut axis = Axis::new(ONES);
    axis.aim(at(10.0), 2.0);
    assert_eq!(axis.v(at(11.0)), 0.5);
    assert_eq!(axis.v(at(3.0)), 0.5);
    axis.aim(at(10.5), 0.0);
    assert_eq!((axis.v(at(0.0)), axis.a(at(10.9))), (0.5, 1.0));
    axis.stop(at(1.0), Stop::Emergency);
    axis.configure(at(2.0), OFF);
    assert_eq!(axis.v(at(11.0)), 0.0);
}

#[test]
fn each_axis_has_its_own_limits() {
    let limits = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        .map(|acceleration| Limits::new(&Settings { acceleration, ..OFF }).unwrap());
    let mut limiter = Limiter::new(limits);
    limiter.aim(Instant::ZERO, Velocity::new([10.0, -10.0, 10.0], [-10.0, 10.0, -10.0]).unwrap());
    let half = limiter.velocity(at(0.5));
    assert_eq!((half.linear(), half.angular()), ([0.5, -1.0, 1.5], [-2.0, 2.5, -3.0]));
    assert_eq!(limiter.acceleration(at(0.5)), ([1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]));
    // 10 / 6 s, then 10 / 5 s, and 10 / 1 s is the last.
    assert_eq!(limiter.next_change(), Some(nanos(1_666_666_667)));
    limiter.velocity(at(1.7));
    assert_eq!(limiter.next_change(), Some(at(2.0)));
    limiter.velocity(at(9.0));
    assert!(!limiter.is_settled());
    limiter.velocity(at(10.0));
    assert!(limiter.is_settled());
}

#[test]
fn a_path_longer_than_the_range_of_time_does_not_overflow() {
    let mut axis = Axis::new(Settings { acceleration: 1e-6, deceleration: 1e-6, jerk: 1e-6, ..OFF });
    axis.aim(at(0.0), f64::MIN);
    let end = nanos(u64::MAX);
    // 1e-6 m/s² for 1.8e10 s, less half of the first second.
    assert!((axis.v(end) + (18_446_744_073.7 - 0.5) * 1e-6).abs() < 1e-6, "{}", axis.v(end));
    assert!(!axis.limiter.is_settled());
    assert_eq!(axis.limiter.next_change(), Some(end));
    let mut axis = Axis::resting_at(f64::MIN, Settings { jerk: 1e6, ..OFF }, at(0.0));
    axis.aim(at(0.0), f64::MAX);
    assert_eq!(axis.v(at(1.0)), f64::MIN);
    assert_eq!(axis.a(at(1.0)), 1e6);
}
