//! Motion that is no longer commanded ends as quickly as the vehicle brakes, although the new motion begins slowly: with
//! hindbrain's default slopes, `decel` is ten times `accel`.

#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use std::time::Duration;

use common::{Bench, arbiter_params, drive_by};
use drive_chain::Input;
use safety::{Instant, Velocity};

/// The time from full speed of both wheels to zero, 66 counts at 200 counts/s, and half of it for a wheel that then reverses; a
/// tick at either end, and one in which a wheel rests at zero.
const FADING: Duration = Duration::from_millis(2 * 330 + 3 * 20);

/// The forward part and the turn part of the motor values since `from`, of full speed, with their times.
fn parts(bench: &Bench, from: Instant) -> impl Iterator<Item = (Duration, f64, f64)> + '_ {
    bench.motors.iter().filter(move |(at, _)| *at >= from).map(move |(at, motors)| {
        let [port, starboard] = motors.levels().map(|level| f64::from(level) / 66.0);
        (at.since(from), (starboard + port) / 2.0, (starboard - port) / 2.0)
    })
}

fn bench() -> Bench {
    let mut bench = Bench::with(drive_by(arbiter_params(&[]), &[]));
    bench.plug();
    bench.enable(true);
    bench.stick(0.0, 0.0, true);
    bench.pass(Duration::from_millis(500));
    bench
}

/// Navigation's command for this time, ten times a second.
fn navigate(bench: &mut Bench, forward: f64, turn: f64, millis: u64) {
    for _ in 0..millis / 100 {
        let source = bench.drive.stages().arbiter.source_index("navigation").unwrap();
        let velocity = Ok(Velocity::planar(forward, turn).unwrap());
        let stamp = bench.stamp();
        bench.send([Input::Arbiter(arbiter::Input::command(source, velocity, stamp))]);
        bench.pass(Duration::from_millis(100));
    }
}

#[test]
fn a_zone_that_closes_ends_the_forward_motion_of_a_curve() {
    for turn in [0.3, 0.5, 1.0, -1.0] {
        let mut bench = bench();
        bench.stick(1.0, turn, true);
        bench.pass(Duration::from_millis(6000));
        // The zone ahead removes the forward part and keeps the turn.
        let mut factors = [1.0_f32; 16];
        [0, 2, 4].into_iter().for_each(|at| factors[at] = 0.0);
        bench.scaling = Some(factors);
        let at = bench.now;
        bench.pass(Duration::from_millis(5000));
        for (after, forward, _) in parts(&bench, at) {
            assert!(after < FADING || forward.abs() < 0.02, "turn {turn}: forward {forward} after {after:?}");
        }
        assert!(parts(&bench, at).last().unwrap().2.abs() > 0.2, "the turn continues");
    }
}

#[test]
fn after_full_speed_a_turn_in_place_loses_its_forward_part_in_time() {
    let mut bench = Bench::with(drive_by(arbiter_params(&[]), &[]));
    bench.enable(true);
    navigate(&mut bench, 0.0, 0.0, 1000);
    navigate(&mut bench, 1.0, 0.0, 6000);
    let at = bench.now;
    navigate(&mut bench, 0.0, 1.0, 6000);
    for (after, forward, turn) in parts(&bench, at) {
        assert!(after < FADING || forward.abs() < 0.02, "forward {forward} after {after:?}");
        assert!(turn >= 0.0, "{turn}");
    }
    assert!(parts(&bench, at).last().unwrap().2 > 0.98);
}

#[test]
fn after_a_turn_straight_motion_loses_its_turn_in_time() {
    let mut bench = Bench::with(drive_by(arbiter_params(&[]), &[]));
    bench.enable(true);
    navigate(&mut bench, 0.0, 0.0, 1000);
    for before in [(0.0, 1.0), (0.5, -0.5)] {
        navigate(&mut bench, before.0, before.1, 6000);
        let at = bench.now;
        navigate(&mut bench, 1.0, 0.0, 6000);
        for (after, forward, turn) in parts(&bench, at) {
            assert!(after < FADING || turn.abs() < 0.02, "turn {turn} after {after:?}");
            assert!(forward >= 0.0, "{forward}");
        }
    }
}

#[test]
fn a_curve_has_the_commanded_proportion_from_its_first_count() {
    let mut bench = bench();
    // The zone ahead is closed, the one ahead to the left open.
    let mut factors = [1.0_f32; 16];
    [0, 1].into_iter().for_each(|at| factors[at] = 0.0);
    bench.scaling = Some(factors);
    bench.pass(Duration::from_millis(500));
    let at = bench.now;
    bench.stick(1.0, 0.5, true);
    bench.pass(Duration::from_millis(4000));
    let (_, forward, turn) = parts(&bench, at).last().unwrap();
    assert!(forward > 0.3 && turn > 0.15, "it drives: {forward}, {turn}");
    let wanted = turn / forward;
    for (after, forward, turn) in parts(&bench, at).filter(|(_, forward, _)| *forward > 0.05) {
        // Within a count of either wheel.
        let error = (turn - wanted * forward).abs() * 66.0;
        assert!(error <= 1.5, "after {after:?}: {forward}, {turn}");
    }
}
