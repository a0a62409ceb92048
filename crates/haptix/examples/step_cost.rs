//! Prints what a step and a reading of the built-in devices cost: `cargo run --release -p haptix --example step_cost`.
#![allow(clippy::disallowed_methods)] // it measures time, which nothing of the crate does

use std::time::{Duration, Instant};

use haptix::{AnalyticHand, Device, DeviceError, Model, Object, Sensor, Shape, Simulation};
use nalgebra::Vector3;

/// Rounds, and calls per round.
const ROUNDS: usize = 400;
const CALLS: u32 = 250;

/// The median and the 99th percentile of a call \[ns\].
fn measure(mut call: impl FnMut() -> Result<(), DeviceError>) -> Result<[u128; 2], DeviceError> {
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        for _ in 0..CALLS {
            call()?;
        }
        times.push(begin.elapsed().as_nanos() / u128::from(CALLS));
    }
    times.sort_unstable();
    Ok([times[ROUNDS / 2], times[ROUNDS * 99 / 100]])
}

fn main() -> Result<(), Box<dyn core::error::Error>> {
    let mut touching = Simulation::default();
    let shape = Shape::Sphere { center: Vector3::new(-0.05, 0.0, 0.1), radius: 0.04 };
    touching.objects[0] = Some(Object { shape, stiffness: 1000.0, damping: 1.0 });
    for name in ["mpl", "mpl_gazebo", "two_finger"] {
        for (what, simulation) in [("free", Simulation::default()), ("with a ball", touching)] {
            let mut hand = AnalyticHand::new(Model::builtin(name)?, 1);
            hand.simulate(&simulation)?;
            let mut setpoints = hand.constants().start;
            setpoints.ref_pos[..13].fill(0.7);
            hand.command(&setpoints)?;
            let mut sensor = Sensor::default();
            let [p50, p99] = measure(|| hand.step(Duration::from_millis(1)))?;
            let [read50, read99] = measure(|| hand.read(&mut sensor))?;
            println!(
                "{name} {what}: step p50 {p50} ns, p99 {p99} ns; reading p50 {read50} ns, p99 {read99} ns"
            );
        }
    }
    Ok(())
}
