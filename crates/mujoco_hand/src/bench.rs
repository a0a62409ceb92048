use core::time::Duration;
use std::time::Instant;

use haptix::{Device, MAX, Model, Object, Sensor, Shape, Simulation};
use mujoco_rs::prelude::{MjData, MjModel};
use nalgebra::Vector3;

use crate::MujocoHand;

/// Rounds, and calls per round; ours and MuJoCo's own take turns, so both see the same machine.
const ROUNDS: usize = 300;
const CALLS: usize = 20;

/// Durations of a step of 1 ms and of a reading \[ns\], median and 99th percentile of the rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measured {
    /// [`MujocoHand`]'s step: servos, couplings, MuJoCo's step.
    pub step: [u128; 2],
    /// `mj_step` alone, of the same model in the same motion.
    pub bare: [u128; 2],
    /// [`MujocoHand`]'s reading.
    pub read: [u128; 2],
}

/// Measures a step of the built-in device `name` while all its motors move up and down, with a ball before the fingers if `is_touching`.
/// # Errors
/// MuJoCo refuses the model.
pub fn measure(name: &str, is_touching: bool) -> Result<Measured, String> {
    let model = Model::builtin(name).map_err(|error| error.to_string())?;
    let mut hand = MujocoHand::new(model, 1)?;
    let mut simulation = Simulation::default();
    if is_touching {
        let shape = Shape::Sphere { center: Vector3::new(-0.05, 0.0, 0.1), radius: 0.04 };
        simulation.objects[0] = Some(Object { shape, stiffness: 1000.0, damping: 1.0 });
    }
    let failed = |error: haptix::DeviceError| error.to_string();
    hand.simulate(&simulation).map_err(failed)?;
    let mut bare = hand.bare()?;
    let mut setpoints = hand.constants().start;
    let mut sensor = Sensor::default();
    let (mut steps, mut bares, mut reads) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        setpoints.ref_pos = [if round % 10 < 5 { 0.6 } else { 0.0 }; MAX];
        hand.command(&setpoints).map_err(failed)?;
        hand.copy_to(&mut bare);
        let begin = now();
        for _ in 0..CALLS {
            hand.step(Duration::from_millis(1)).map_err(failed)?;
        }
        let middle = now();
        for _ in 0..CALLS {
            bare.step();
        }
        let end = now();
        hand.read(&mut sensor).map_err(failed)?;
        reads.push(end.elapsed().as_nanos());
        steps.push((middle - begin).as_nanos() / CALLS as u128);
        bares.push((end - middle).as_nanos() / CALLS as u128);
    }
    Ok(Measured { step: percentiles(steps), bare: percentiles(bares), read: percentiles(reads) })
}

#[allow(clippy::disallowed_methods)] // it measures time, which nothing else of the crate does
fn now() -> Instant {
    Instant::now()
}

fn percentiles(mut times: Vec<u128>) -> [u128; 2] {
    times.sort_unstable();
    [times[times.len() / 2], times[times.len() * 99 / 100]]
}

impl MujocoHand {
    /// The data of MuJoCo alone, of the same model.
    fn bare(&self) -> Result<MjData<Box<MjModel>>, String> {
        let model = self.data().model().clone();
        MjData::try_new(Box::new(model)).map_err(|error| error.to_string())
    }

    /// Brings `bare` to where this hand is, with the servos' targets.
    fn copy_to(&mut self, bare: &mut MjData<Box<MjModel>>) {
        self.aim();
        bare.model_opt_mut().timestep = self.data().model_opt().timestep;
        let _ = self.data().copy_to(bare); // the models are the same
        bare.ctrl_mut().copy_from_slice(self.data().ctrl());
    }
}
