//! What the tests share.
#![allow(dead_code, clippy::unwrap_used, clippy::panic)] // not every test uses everything

pub mod node;

use std::time::Duration;

use haptix::{AnalyticHand, Command, Device, Limit, MAX, Model, Sensor, Setpoints};

pub const STEP: Duration = Duration::from_millis(1);

/// A hand with the command's semantics in front, without ticks.
pub struct Rig {
    pub hand: AnalyticHand,
    pub setpoints: Setpoints,
}

impl Rig {
    pub fn new(device: &str) -> Self {
        Self::of(Model::builtin(device).unwrap())
    }

    pub fn of(model: Model) -> Self {
        let hand = AnalyticHand::new(model, 1);
        Self { setpoints: hand.constants().start, hand }
    }

    pub fn limits(&self) -> Vec<Limit> {
        self.hand.constants().info.motor_limits().to_vec()
    }

    pub fn command(&mut self, command: &Command) {
        self.setpoints.take(command, &self.limits(), &[false; MAX]).unwrap();
        self.hand.command(&self.setpoints).unwrap();
    }

    /// Commands the position of one motor.
    pub fn turn(&mut self, motor: usize, position: f64) {
        self.setpoints.ref_pos[motor] = position;
        self.hand.command(&self.setpoints).unwrap();
    }

    pub fn run(&mut self, time: f64) {
        for _ in 0..(time / STEP.as_secs_f64()).round() as usize {
            self.hand.step(STEP).unwrap();
        }
    }

    pub fn read(&mut self) -> Sensor {
        let mut sensor = Sensor::default();
        self.hand.read(&mut sensor).unwrap();
        sensor
    }
}

pub fn values(given: &[f32]) -> Option<[f32; MAX]> {
    let mut values = [0.0; MAX];
    values[..given.len()].copy_from_slice(given);
    Some(values)
}

pub fn close(a: f32, b: f64, tolerance: f64) -> bool {
    (f64::from(a) - b).abs() <= tolerance
}
