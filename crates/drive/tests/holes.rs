//! The hole of the original that lay before hindbrain, H11 of `crates/hindbrain/README.md`: an arbiter that had received no
//! message, or received none any more, drove the motors back at full speed.
#![allow(clippy::unwrap_used)] // a test's own ground

mod common;

use std::time::Duration;

use common::{Bench, STOP};
use drive::Input;
use hindbrain::StopState;
use units::Velocity;

/// From the last command on: 0.5 s until it is stale, 66 counts at 200 counts/s, and a tick at either end.
const BOUND: Duration = Duration::from_millis(500 + 330 + 2 * 20);

/// Enabled and with no cause against motion: only the command decides.
fn enabled() -> Bench {
    let mut bench = Bench::new();
    bench.enable(true);
    bench.pass(Duration::from_millis(100));
    assert_eq!(bench.drive.stages().hindbrain.state(), StopState::Ok);
    bench
}

/// `source` asks for `forward` [m/s] now.
fn ask(bench: &mut Bench, source: usize, forward: f64) {
    let velocity = Ok(Velocity::planar(forward, 0.0).unwrap());
    let stamp = bench.stamp();
    bench.send([Input::Arbiter(arbiter::Input::command(source, velocity, stamp))]);
}

#[test]
fn h11_without_a_source_that_was_ever_received_no_motor_moves() {
    let mut bench = enabled();
    bench.pass(Duration::from_secs(60));
    assert_eq!(bench.drive.stages().hindbrain.state(), StopState::Ok);
    assert!(bench.motors.len() > 60 * 49, "{} motor values in a minute", bench.motors.len());
    assert!(bench.motors.iter().all(|(_, motors)| (motors.port, motors.starboard) == (STOP, STOP)));
}

#[test]
fn h11_when_all_sources_are_stale_the_motors_stop_and_never_turn_round() {
    for (forward, full) in [(1.0, 24), (-1.0, 156)] {
        let mut bench = enabled();
        let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
        ask(&mut bench, navigation, 0.0);
        for _ in 0..20 {
            ask(&mut bench, navigation, forward);
            bench.pass(Duration::from_millis(50));
        }
        assert_eq!(bench.last(), (full, full), "it moves when it is asked to");
        let silent = bench.now;
        bench.pass(Duration::from_secs(60));
        assert_eq!(bench.drive.stages().hindbrain.state(), StopState::Ok, "nothing else stopped it");
        let way = STOP.min(full)..=STOP.max(full);
        for (at, motors) in &bench.motors {
            let values = [motors.port, motors.starboard];
            assert!(values.iter().all(|value| way.contains(value)), "{motors:?} on the way {way:?}");
            assert!(
                *at <= silent + BOUND || values == [STOP, STOP],
                "{motors:?} {:?} after",
                at.since(silent)
            );
        }
    }
}

/// What navigation's `forward` [m/s] of two seconds comes to, with these parameters of the arbiter.
fn comes_to(forward: f64, arbiter: &[(&str, params::Value)]) -> (i16, i16) {
    let mut bench = Bench::with(common::drive_with(arbiter));
    bench.enable(true);
    bench.pass(Duration::from_millis(100));
    assert_eq!(bench.drive.stages().hindbrain.state(), StopState::Ok);
    let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
    ask(&mut bench, navigation, 0.0);
    for _ in 0..40 {
        ask(&mut bench, navigation, forward);
        bench.pass(Duration::from_millis(50));
    }
    bench.last()
}

#[test]
fn a_command_beyond_all_reason_is_none() {
    assert_eq!((comes_to(1.0, &[]), comes_to(1e6, &[])), ((24, 24), (STOP, STOP)));
}

/// The command is limited before hindbrain receives it, as `docs/safety.md` says.
#[test]
fn with_a_limit_what_is_beyond_all_reason_drives_within_the_limit() {
    let limit = [("limits.linear.x.max", params::Value::Float(0.5))];
    assert_ne!(comes_to(1.0, &limit), (STOP, STOP));
    assert_eq!(comes_to(1e6, &limit), comes_to(1.0, &limit));
}
