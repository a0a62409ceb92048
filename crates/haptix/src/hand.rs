//! The analytic hand: motors, coupled joints, contacts and inertial units in closed form.

pub(crate) mod contacts;
pub(crate) mod kinematics;
pub(crate) mod sensing;
pub(crate) mod servo;

use core::time::Duration;

use nalgebra::Vector3;
use safety::Stamp;

use crate::device::{Constants, Device, DeviceError};
use crate::hand::contacts::{Contacts, Posture};
use crate::hand::kinematics::{Angle, Link, measure, motion, pose};
use crate::hand::sensing::Sensing;
use crate::hand::servo::{Demand, Response, State};
use crate::model::{Model, Motor};
use crate::setpoints::{Reference, Setpoints};
use crate::simulation::Simulation;
use crate::wire::{MAX, Sensor};

/// The gravity that an accelerometer at rest shows \[m/s²\].
pub const GRAVITY: f64 = 9.81;

/// Longer steps are divided.
const LONGEST_STEP: Duration = Duration::from_millis(1);

/// A simulated hand that a [`Model`] describes.
///
/// Each motor is a mass with damping and a servo, within the torque and the limits of the motor; joints follow the motors through
/// continuous, piecewise linear couplings; what the contact sensors touch pushes back; inertial units move with their links. Links
/// have no weight, and motors affect each other only through objects.
///
/// As a [`Device`] its servos follow setpoints. [`drive`](Self::drive) leaves them out: then it is a hand of bare motors, for a
/// controller elsewhere.
///
/// Readings are deterministic: they depend only on the calls, bit for bit.
/// # Real-time
/// `step` and `read` allocate nothing.
/// # Source
/// own; topology, limits, couplings and units of the devices after HAPTIX, see the crate's README.
#[derive(Clone, Debug)]
pub struct AnalyticHand {
    model: Model,
    setpoints: Setpoints,
    reference: Reference,
    /// The simulated time.
    time: Duration,
    states: [State; MAX],
    angles: [Angle; MAX],
    drives: [(usize, f64); MAX],
    links: Box<[Link]>,
    contacts: Contacts,
    simulation: Simulation,
    sensing: Sensing,
}

/// State of a motor, at its shaft.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotorState {
    /// \[rad\]
    pub position: f64,
    /// \[rad/s\]
    pub velocity: f64,
    /// The torque that it applies \[N·m\].
    pub torque: f64,
}

impl AnalyticHand {
    /// A hand at rest in its start pose; `seed` is that of its noise.
    pub fn new(model: Model, seed: u64) -> Self {
        let mut hand = Self {
            setpoints: model.constants.start,
            reference: Reference::at(model.constants.start.ref_pos),
            time: Duration::ZERO,
            states: [State::default(); MAX],
            angles: [Angle::default(); MAX],
            drives: [(0, 0.0); MAX],
            links: vec![Link::base(); model.joints.len()].into_boxed_slice(),
            contacts: Contacts::new(model.pads.len()),
            simulation: Simulation::default(),
            sensing: Sensing::new(seed),
            model,
        };
        hand.rest();
        hand
    }

    /// Puts the hand to rest in its start pose.
    fn rest(&mut self) {
        self.setpoints = self.model.constants.start;
        self.reference = Reference::at(self.model.constants.start.ref_pos);
        for (state, motor) in self.states.iter_mut().zip(&self.model.motors) {
            *state = State { position: motor.start, ..State::default() };
        }
        self.contacts.clear();
        self.follow();
    }

    /// Moves the joints to where the motors have them.
    fn follow(&mut self) {
        for (index, joint) in self.model.joints.iter().enumerate().take(MAX) {
            let state = &self.states[joint.motor];
            let slope = joint.coupling.slope(state.position);
            self.drives[index] = (joint.motor, slope);
            self.angles[index] = Angle {
                position: joint.coupling.angle(state.position),
                velocity: slope * state.velocity,
                acceleration: slope * state.acceleration,
            };
        }
    }

    fn posture(&self) -> Posture<'_> {
        let count = self.model.frames.len();
        Posture {
            joints: &self.model.frames,
            angles: &self.angles[..count],
            links: &self.links,
            drives: &self.drives[..count],
        }
    }

    /// Advances by `dt` with these torques of the motors alone \[N·m\]: no servo acts, and a motor without torque turns freely, against
    /// its damping. A torque beyond that of the motor is the motor's; one that is not finite is 0.
    pub fn drive(&mut self, torques: &[f64; MAX], dt: Duration) {
        self.pass(dt, |_, _, motor, index, _| {
            let torque = if torques[index].is_finite() { torques[index] } else { 0.0 };
            Demand { torque: torque * motor.gear, ..Demand::default() }
        });
    }

    /// State of the motor `index`; all 0 if there is none.
    pub fn motor(&self, index: usize) -> MotorState {
        let Some((motor, state)) = self.model.motors.get(index).zip(self.states.get(index)) else {
            return MotorState::default();
        };
        MotorState {
            position: state.position * motor.gear,
            velocity: state.velocity * motor.gear,
            torque: state.torque / motor.gear,
        }
    }

    /// Lets time pass as `demand` says for each motor, in steps of 1 ms at most: what a hand does on an object is then the same at every
    /// step rate.
    fn pass(
        &mut self,
        time: Duration,
        mut demand: impl FnMut(&mut Reference, &Setpoints, &Motor, usize, f64) -> Demand,
    ) {
        self.time = self.time.saturating_add(time);
        let count = time.as_nanos().div_ceil(LONGEST_STEP.as_nanos());
        let dt = time.as_secs_f64() / count as f64;
        for _ in 0..count {
            self.advance(dt, &mut demand);
        }
    }

    /// Moves motors and joints by `dt` \[s\], above 0.
    fn advance(
        &mut self,
        dt: f64,
        mut demand: impl FnMut(&mut Reference, &Setpoints, &Motor, usize, f64) -> Demand,
    ) {
        let mut demands = [Demand::default(); MAX];
        for (index, (to, motor)) in demands.iter_mut().zip(&self.model.motors).enumerate() {
            *to = demand(&mut self.reference, &self.setpoints, motor, index, dt);
        }
        // A motor that is stuck answers no load.
        let mut responses = [Response::default(); MAX];
        let motors = self.model.motors.iter().zip(self.simulation.faults.stuck_motors);
        for (index, (motor, _)) in motors.enumerate().filter(|(_, (_, is_stuck))| !is_stuck) {
            responses[index] = motor.plant.response(&self.states[index], &demands[index], dt);
        }
        let loads = if self.is_touchable() { self.loads(&mut responses, dt) } else { [0.0; MAX] };
        for (index, (motor, state)) in self.model.motors.iter().zip(&mut self.states).enumerate() {
            let demand = &demands[index];
            if self.simulation.faults.stuck_motors[index] {
                motor.plant.stick(state, demand, dt);
            } else {
                motor.plant.advance(state, demand, &responses[index], loads[index], dt);
            }
        }
        self.follow();
    }

    /// The torques of the objects on the motors in a step \[N·m\]. A motor that they load ends its step at a knee of its couplings, where
    /// their levers jump: it can rest there, between two steps that would push it back and forth.
    fn loads(&mut self, responses: &mut [Response; MAX], dt: f64) -> [f64; MAX] {
        pose(&self.model.frames, &self.angles, &mut self.links);
        let loads = self.solve(responses, dt);
        let mut is_bent = false;
        for (joint, drive) in self.model.joints.iter().zip(&mut self.drives) {
            let (from, response) = (self.states[joint.motor].position, &mut responses[joint.motor]);
            if loads[joint.motor] == 0.0 {
                continue;
            }
            let to = from + dt * response.velocity(loads[joint.motor]);
            for &(knee, _) in joint.coupling.knees() {
                let is_upward = from < knee && to > knee;
                let is_downward = from >= knee && to < knee;
                // At the knee itself the slope of `drive` is the one above: there it gets the one below, and cannot rise.
                let is_left = from == knee && is_downward;
                if is_left {
                    drive.1 = joint.coupling.slope(knee.next_down());
                }
                if is_upward || is_downward {
                    response.end_at(knee, is_upward || is_left, from, dt);
                    is_bent = true;
                }
            }
        }
        if is_bent { self.solve(responses, dt) } else { loads }
    }

    fn solve(&mut self, responses: &[Response; MAX], dt: f64) -> [f64; MAX] {
        let Self { model, angles, links, drives, contacts, simulation, .. } = self;
        let count = model.frames.len();
        let posture = Posture {
            joints: &model.frames,
            angles: &angles[..count],
            links: &*links,
            drives: &drives[..count],
        };
        contacts.find(&posture, &model.pads, &simulation.objects, responses);
        contacts.solve(dt, responses)
    }

    fn is_touchable(&self) -> bool {
        self.simulation.objects.iter().any(Option::is_some)
    }

    fn check(&self) -> Result<(), DeviceError> {
        if self.simulation.faults.is_silent { Err(DeviceError::NoAnswer) } else { Ok(()) }
    }
}

impl Device for AnalyticHand {
    fn constants(&self) -> &Constants {
        &self.model.constants
    }

    fn command(&mut self, setpoints: &Setpoints) -> Result<(), DeviceError> {
        self.check()?;
        self.setpoints = *setpoints;
        Ok(())
    }

    fn hold(&mut self, gain: f64) -> Result<(), DeviceError> {
        self.check()?;
        let mut position = [0.0; MAX];
        for (position, (state, motor)) in position.iter_mut().zip(self.states.iter().zip(&self.model.motors))
        {
            *position = state.position * motor.gear;
        }
        self.setpoints = self.constants().start.held_at(position, gain.clamp(0.0, 1.0));
        Ok(())
    }

    fn step(&mut self, dt: Duration) -> Result<(), DeviceError> {
        self.check()?;
        self.pass(dt, |reference, setpoints, motor, index, dt| {
            let (position, velocity) = reference.advance(index, setpoints, dt);
            let (gear, square) = (motor.gear, motor.gear * motor.gear);
            Demand {
                position: position / gear,
                velocity: velocity / gear,
                gain_pos: setpoints.gain_pos[index] * square,
                gain_vel: setpoints.gain_vel[index] * square,
                torque: 0.0,
            }
        });
        Ok(())
    }

    fn read(&mut self, sensor: &mut Sensor) -> Result<(), DeviceError> {
        self.check()?;
        sensor.time_stamp = Stamp::of(self.time);
        for index in 0..self.model.motors.len().min(MAX) {
            let MotorState { position, velocity, torque } = self.motor(index);
            sensor.motor_pos[index] = position as f32;
            sensor.motor_vel[index] = velocity as f32;
            sensor.motor_torque[index] = torque as f32;
        }
        for (index, angle) in self.angles.iter().enumerate().take(self.model.joints.len()) {
            sensor.joint_pos[index] = angle.position as f32;
            sensor.joint_vel[index] = angle.velocity as f32;
        }
        pose(&self.model.frames, &self.angles, &mut self.links);
        if self.is_touchable() {
            for (index, pad) in self.model.pads.iter().enumerate().take(MAX) {
                let force = self.contacts.force(&self.posture(), index, pad, &self.simulation.objects);
                sensor.contact[index] = force as f32;
            }
        }
        motion(&self.model.frames, &self.angles, &mut self.links);
        let gravity = self.model.up.into_inner() * -GRAVITY;
        for (index, imu) in self.model.imus.iter().enumerate().take(MAX) {
            let part = |v: Vector3<f64>| [v.x as f32, v.y as f32, v.z as f32];
            [sensor.imu_linear_acc[index], sensor.imu_angular_vel[index]] =
                measure(imu, &self.links, gravity).map(part);
            sensor.imu_orientation[index] = [1.0, 0.0, 0.0, 0.0];
        }
        self.sensing.pass(
            sensor,
            &self.simulation,
            &self.model.constants.info,
            &self.model.constants.description,
        );
        Ok(())
    }

    fn reset(&mut self, reset_limb_pose: bool) -> Result<(), DeviceError> {
        self.check()?;
        if reset_limb_pose {
            self.rest();
            self.sensing.reset();
        }
        Ok(())
    }

    fn simulate(&mut self, simulation: &Simulation) -> Result<(), DeviceError> {
        let pairs = self.simulation.objects.iter().zip(&simulation.objects).enumerate();
        for (object, _) in pairs.filter(|(_, (old, new))| old != new) {
            self.contacts.forget(object);
        }
        self.simulation = *simulation;
        Ok(())
    }
}
