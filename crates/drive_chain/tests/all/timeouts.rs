//! The shortest time-outs of commands: each is longer than the interval of the previous stage's zeros.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use crate::common;

use std::time::Duration;

use common::{Bench, STOP, arbiter_params, drive_by};
use drive_chain::Input;
use params::Value;
use safety::{SHORTEST_COMMAND_TIMEOUT, Velocity};

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn zones_by(timeout: f64) -> Option<zones::Params> {
    let set = zones::specification().resolve([("command_timeout".to_owned(), Value::Float(timeout))]).ok()?;
    zones::Params::read(&set).ok()
}

fn hindbrain_by(timeout: f64) -> Option<hindbrain::Params> {
    let set = hindbrain::specification().resolve([("cmd_timeout".to_owned(), Value::Float(timeout))]).ok()?;
    hindbrain::Params::read(&set).ok()
}

/// Whether navigation, which is silent for a while and begins with motion, drives.
fn drives(bench: &mut Bench, phase: u64) -> bool {
    let navigation = bench.drive.stages().arbiter.source_index("navigation").unwrap();
    bench.enable(true);
    bench.pass(ms(6_000 + 7 * phase));
    for _ in 0..30 {
        let (velocity, stamp) = (Ok(Velocity::planar(0.5, 0.0).unwrap()), bench.stamp());
        bench.send([Input::Arbiter(arbiter::Input::command(navigation, velocity, stamp))]);
        bench.pass(ms(33));
    }
    bench.last() != (STOP, STOP)
}

#[test]
fn with_the_shortest_time_outs_a_source_drives_whenever_it_begins() {
    for phase in 0..20 {
        let timeout = ("cmd_timeout", Value::Float(SHORTEST_COMMAND_TIMEOUT));
        let mut bench =
            Bench::with(drive_by(arbiter_params(&[]), &[("accel", Value::Float(200.0)), timeout]));
        let zones = zones_by(SHORTEST_COMMAND_TIMEOUT).unwrap();
        bench.send([Input::Zones(zones::Input::ParametersChanged(zones))]);
        assert!(drives(&mut bench, phase), "phase {phase}");
    }
}

#[test]
fn a_time_out_that_would_refuse_motion_at_random_is_refused() {
    for (timeout, is_taken) in [(SHORTEST_COMMAND_TIMEOUT, true), (0.149, false), (0.1, false), (0.05, false)]
    {
        assert_eq!((zones_by(timeout).is_some(), hindbrain_by(timeout).is_some()), (is_taken, is_taken));
    }
}
