use fastrand::Rng;

use crate::simulation::{Faults, MAX_DELAY, Noise, Simulation};
use crate::wire::{Description, MAX, RobotInfo, Sensor};

/// The way of a reading from a simulated hand to who reads it: noise, dead sensors, limits, delay.
/// # Source
/// own
#[derive(Clone, Debug)]
pub struct Sensing {
    seed: u64,
    random: Rng,
    /// The latest readings, a ring.
    history: Box<[Sensor]>,
    /// The number of readings so far.
    count: usize,
}

impl Sensing {
    /// `seed` is that of the noise.
    pub fn new(seed: u64) -> Self {
        let history = vec![Sensor::default(); MAX_DELAY + 1].into_boxed_slice();
        Self { seed, random: Rng::with_seed(seed), history, count: 0 }
    }

    /// Begins anew: the same noise, and nothing from before is read.
    pub fn reset(&mut self) {
        (self.random, self.count) = (Rng::with_seed(self.seed), 0);
    }

    /// Makes of what the hand senses in this tick what is read: positions stay within their limits.
    /// # Real-time
    /// It allocates nothing.
    pub fn pass(
        &mut self,
        sensor: &mut Sensor,
        simulation: &Simulation,
        info: &RobotInfo,
        description: &Description,
    ) {
        self.disturb(sensor, &simulation.noise, info, &description.gear_ratio);
        silence(sensor, &simulation.faults);
        limit(sensor, info);
        self.delay(sensor, simulation.delay);
    }

    /// Adds `noise` to `sensor`, in units of the wire.
    fn disturb(&mut self, sensor: &mut Sensor, noise: &Noise, info: &RobotInfo, gears: &[f32]) {
        if *noise == Noise::default() {
            return;
        }
        for (motor, gear) in gears.iter().enumerate().take(MAX) {
            self.add(&mut sensor.motor_pos[motor], noise.position * f64::from(*gear));
            self.add(&mut sensor.motor_vel[motor], noise.velocity * f64::from(*gear));
            self.add(&mut sensor.motor_torque[motor], noise.torque / f64::from(*gear));
        }
        for joint in 0..info.joint_count.min(MAX) {
            self.add(&mut sensor.joint_pos[joint], noise.position);
            self.add(&mut sensor.joint_vel[joint], noise.velocity);
        }
        for force in sensor.contact.iter_mut().take(info.contact_sensor_count) {
            self.add(force, noise.contact);
            *force = force.max(0.0);
        }
        for unit in 0..info.imu_count.min(MAX) {
            sensor.imu_linear_acc[unit].iter_mut().for_each(|part| self.add(part, noise.acceleration));
            sensor.imu_angular_vel[unit].iter_mut().for_each(|part| self.add(part, noise.angular_velocity));
        }
    }

    fn add(&mut self, value: &mut f32, deviation: f64) {
        if deviation > 0.0 {
            // Box and Muller's method; 1 - [0, 1) is never 0.
            let length = (-2.0 * (1.0 - self.random.f64()).ln()).sqrt();
            let turn = core::f64::consts::TAU * self.random.f64();
            *value = (f64::from(*value) + deviation * length * turn.cos()) as f32;
        }
    }

    /// The reading of `delay` ticks ago, or the first one; `sensor` is that of this tick.
    fn delay(&mut self, sensor: &mut Sensor, delay: usize) {
        let length = self.history.len();
        if let Some(place) = self.history.get_mut(self.count % length) {
            *place = *sensor;
        }
        let back = delay.min(MAX_DELAY).min(self.count);
        if let Some(past) = self.history.get((self.count - back) % length) {
            *sensor = *past;
        }
        self.count += 1;
    }
}

/// Sets what dead sensors read to 0.
fn silence(sensor: &mut Sensor, faults: &Faults) {
    for index in 0..MAX {
        if faults.dead_motors[index] {
            sensor.motor_pos[index] = 0.0;
            sensor.motor_vel[index] = 0.0;
            sensor.motor_torque[index] = 0.0;
        }
        if faults.dead_joints[index] {
            sensor.joint_pos[index] = 0.0;
            sensor.joint_vel[index] = 0.0;
        }
        if faults.dead_contacts[index] {
            sensor.contact[index] = 0.0;
        }
        if faults.dead_imus[index] {
            sensor.imu_linear_acc[index] = [0.0; 3];
            sensor.imu_angular_vel[index] = [0.0; 3];
            sensor.imu_orientation[index] = [0.0; 4];
        }
    }
}

/// Clamps positions to their limits.
pub(crate) fn limit(sensor: &mut Sensor, info: &RobotInfo) {
    for (position, limit) in sensor.motor_pos.iter_mut().zip(info.motor_limits()) {
        *position = position.min(limit.maximum).max(limit.minimum);
    }
    for (position, limit) in sensor.joint_pos.iter_mut().zip(info.joint_limits()) {
        *position = position.min(limit.maximum).max(limit.minimum);
    }
}
