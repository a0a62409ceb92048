//! H11 of `crates/hindbrain/tests/all/holes.rs`, a hole in the original's arbiter: without a message, or without further messages, it
//! drove the motors in reverse at full speed.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use std::time::Duration;

use common::{Bench, STOP};
use drive_chain::Input;
use hindbrain::StopState;
use safety::Velocity;

/// From the last command on: 0.5 s until it is stale, 66 counts at 200 counts/s, and a tick at either end.
const BOUND: Duration = Duration::from_millis(500 + 330 + 2 * 20);

/// Enabled and without a cause of a stop: only the command decides.
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
fn h11_before_the_first_message_of_a_source_no_motor_moves() {
    let mut bench = enabled();
    bench.pass(Duration::from_secs(60));
    assert_eq!(bench.drive.stages().hindbrain.state(), StopState::Ok);
    assert!(bench.motors.len() > 60 * 49, "{} motor values in a minute", bench.motors.len());
    assert!(bench.motors.iter().all(|(_, motors)| (motors.port, motors.starboard) == (STOP, STOP)));
}

#[test]
fn h11_when_all_sources_are_stale_the_motors_stop_and_never_reverse() {
    for (forward, full) in [(1.0, 24), (-1.0, 156)] {
        let mut bench = enabled();
        let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
        ask(&mut bench, navigation, 0.0);
        for _ in 0..20 {
            ask(&mut bench, navigation, forward);
            bench.pass(Duration::from_millis(50));
        }
        assert_eq!(bench.last(), (full, full), "it moves on command");
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

/// The motor values after two seconds of navigation's `forward` [m/s], with these parameters of the arbiter.
fn motors_after(forward: f64, arbiter: &[(&str, params::Value)]) -> (i16, i16) {
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
fn an_implausible_command_is_refused() {
    assert_eq!((motors_after(1.0, &[]), motors_after(1e6, &[])), ((24, 24), (STOP, STOP)));
}

/// The command is limited before hindbrain receives it, see `docs/safety.md`.
#[test]
fn with_a_limit_an_implausible_command_drives_within_the_limit() {
    let limit = [("limits.linear.x.max", params::Value::Float(0.5))];
    assert_ne!(motors_after(1.0, &limit), (STOP, STOP));
    assert_eq!(motors_after(1e6, &limit), motors_after(1.0, &limit));
}
