//! What a step and a reading of the analytic hand cost, beside the least that has to be computed.
//!
//! A step is 1 ms with all motors in motion, a reading one of all sensors, without a thread and without DDS; each time is the mean of
//! `CALLS` calls. The floor is measured in turns with it: for each motor an implicit step of its servo with both limits, for each joint
//! the angle and the speed of its coupling; no inertial units and no objects. Allocations are those of all steps and readings together.

use core::fmt;
use std::hint::black_box;
use std::time::Duration;

use haptix::{AnalyticHand, Device, DeviceError, Model, Object, Sensor, Shape, Simulation};
use ros::{Error, clock};

use crate::distribution::Distribution;

/// How many times there are, each the mean of so many calls, since one takes hardly longer than the clock.
const SAMPLES: usize = 2000;
const CALLS: u32 = 50;
const REHEARSED: usize = 50;
/// The goal for a step \[µs\].
const GOAL: f64 = 2.0;
const STEP: Duration = Duration::from_millis(1);
const CASES: [(&str, bool); 4] =
    [("mpl", false), ("mpl", true), ("mpl_gazebo", false), ("two_finger", false)];
/// All motors go to and fro between these \[rad\], so no servo rests.
const PLACES: [f64; 2] = [0.1, 0.7];
/// For how many steps they go one way.
const WAY: usize = 4;

/// The figures; shown as a table in Markdown.
pub struct Report(Vec<Row>);

struct Row {
    name: &'static str,
    is_touching: bool,
    step: Distribution,
    floor: Distribution,
    read: Distribution,
    /// Of all steps and readings together.
    allocations: usize,
}

/// Measures each hand, and its floor in turns.
/// # Errors
/// A built-in hand is broken.
pub fn measure() -> Result<Report, Error> {
    eprintln!("bench: hand: steps");
    let rows: Result<Vec<Row>, Error> =
        CASES.iter().map(|&(name, is_touching)| row(name, is_touching)).collect();
    rows.map(Report)
}

fn row(name: &'static str, is_touching: bool) -> Result<Row, Error> {
    let broken = |error: &dyn fmt::Display| Error::Start(format!("the hand '{name}': {error}"));
    let failed = |error: DeviceError| broken(&error);
    let model = Model::builtin(name).map_err(|error| broken(&error))?;
    let mut floor = Floor::new(model.constants().info.motor_count, model.constants().info.joint_count);
    let mut hand = AnalyticHand::new(model, 1);
    let mut simulation = Simulation::default();
    if is_touching {
        let shape = Shape::Sphere { center: [-0.05, 0.0, 0.1].into(), radius: 0.04 };
        simulation.objects[0] = Some(Object { shape, stiffness: 1000.0, damping: 1.0 });
    }
    hand.simulate(&simulation).map_err(failed)?;
    let mut setpoints = hand.constants().start;
    let mut sensor = Sensor::default();
    let room = || Vec::with_capacity(SAMPLES);
    let (mut steps, mut floors, mut reads, mut allocations) = (room(), room(), room(), 0);
    for number in 0..SAMPLES + REHEARSED {
        setpoints.ref_pos.fill(PLACES[number / WAY % 2]);
        hand.command(&setpoints).map_err(failed)?;
        let before = allocations::count();
        let step = timed(|| hand.step(STEP)).map_err(failed)?;
        let read = timed(|| hand.read(black_box(&mut sensor))).map_err(failed)?;
        let allocated = allocations::count() - before;
        let least = timed(|| {
            floor.step(setpoints.ref_pos[0]);
            Ok(())
        });
        if number >= REHEARSED {
            steps.push(step);
            reads.push(read);
            floors.push(least.map_err(failed)?);
            allocations += allocated;
        }
    }
    let none = || Error::Start("nothing was measured".into());
    let of = |times| Distribution::new(times).ok_or_else(none);
    Ok(Row { name, is_touching, step: of(steps)?, floor: of(floors)?, read: of(reads)?, allocations })
}

/// The mean time of a call.
fn timed(mut call: impl FnMut() -> Result<(), DeviceError>) -> Result<Duration, DeviceError> {
    let began = clock::now();
    for _ in 0..CALLS {
        call()?;
    }
    Ok(clock::now().since(began) / CALLS)
}

/// What any program has to do for a hand that touches nothing: each motor an implicit step of its servo, each joint its coupling.
struct Floor {
    /// Position and velocity.
    motors: Vec<[f64; 2]>,
    joints: Vec<[f64; 2]>,
}

impl Floor {
    fn new(motors: usize, joints: usize) -> Self {
        Self { motors: vec![[0.0; 2]; motors], joints: vec![[0.0; 2]; joints] }
    }

    fn step(&mut self, target: f64) {
        let (mass, damping, gain_pos, gain_vel, torque, dt) = black_box((1e-3, 0.04, 5.0, 0.14, 1.3, 1e-3));
        for motor in &mut self.motors {
            let [position, velocity] = *motor;
            let (push, spring) = (mass * velocity, gain_pos * (target - position));
            let resisting = mass + dt * damping;
            let free = (push + dt * spring) / (resisting + dt * (gain_vel + dt * gain_pos));
            let wanted = spring - (gain_vel + dt * gain_pos) * free;
            let velocity =
                if wanted.abs() <= torque { free } else { (push + dt * torque.copysign(wanted)) / resisting };
            *motor = black_box([(position + dt * velocity).clamp(-1.5, 1.5), velocity]);
        }
        for (joint, motor) in self.joints.iter_mut().zip(self.motors.iter().cycle()) {
            *joint = black_box(motor.map(|part| 0.8 * part));
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| analytic hand | step, p50 [µs] | p99 [µs] | goal, p50 [µs] | floor, p50 [µs] | p50 to floor | reading, p50 [µs] \
             | reading, p99 [µs] | allocations |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|"
        )?;
        for Row { name, is_touching, step, floor, read, allocations } in &self.0 {
            let micros = |times: &Distribution, share| times.quantile(share).as_secs_f64() * 1e6;
            let (p50, p99, least) = (micros(step, 0.5), micros(step, 0.99), micros(floor, 0.5));
            let reached = if p50 <= GOAL { "reached" } else { "not reached" };
            let with = if *is_touching { ", a ball in it" } else { "" };
            writeln!(
                f,
                "| `{name}`{with} | {p50:.2} | {p99:.2} | {GOAL} {reached} | {least:.2} | {:.1} | {:.2} | {:.2} | {allocations} |",
                p50 / least,
                micros(read, 0.5),
                micros(read, 0.99),
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_floor_is_a_servo_that_arrives() {
        let mut floor = Floor::new(13, 22);
        (0..2000).for_each(|_| floor.step(0.5));
        assert!(
            floor.motors.iter().all(|[position, speed]| (position - 0.5).abs() < 1e-3 && speed.abs() < 1e-3)
        );
        assert!(floor.joints.iter().all(|[angle, _]| (angle - 0.4).abs() < 1e-3), "0.8 of the motor");
    }
}
