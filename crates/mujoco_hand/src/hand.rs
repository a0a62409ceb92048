use core::time::Duration;

use haptix::{
    AnalyticHand, Constants, Device, DeviceError, MAX, MAX_OBJECTS, Model, Object, Reference, Sensing,
    Sensor, Setpoints, Simulation,
};
use mujoco_rs::prelude::{MjData, MjModel, MjtObjBase};
use safety::Stamp;

use crate::log::log_to_stderr;
use crate::mjcf::{Plan, RIGID, STEP, joint_name, mjcf, object_name};

/// Gains and velocities of which MuJoCo takes at most so much; a servo with more is at the limit of its torque anyway.
const MOST_GAIN: f64 = 1e6;
const MOST_VELOCITY: f64 = 1e3;
/// The part of a link's speed that one contact takes in a step at most; with more the contacts of a link would not come to rest
/// \[1/s\].
const MOST_DAMPING: f64 = 0.2 / STEP;

/// A hand that MuJoCo simulates.
///
/// Motors, couplings, limits and objects are those of the [`AnalyticHand`] of the same model, and mean the same: links have no weight
/// and do not touch each other, an object is a spring with a damper. Unlike there the links are bodies of their own, which move each
/// other and touch objects with their whole length.
///
/// Readings are deterministic: they depend only on the calls, bit for bit.
/// # Source
/// own
pub struct MujocoHand {
    model: Model,
    plan: Plan,
    data: MjData<Box<MjModel>>,
    /// Where the position and the velocity of each motor and of each joint are.
    motors: Vec<Place>,
    joints: Vec<Place>,
    setpoints: Setpoints,
    reference: Reference,
    /// The simulated time.
    time: Duration,
    simulation: Simulation,
    sensing: Sensing,
    /// Readings of the sensors on the base, which never moves.
    base: Sensor,
}

/// Indices of a joint.
#[derive(Clone, Copy, Debug)]
struct Place {
    position: usize,
    velocity: usize,
}

impl MujocoHand {
    /// A hand at rest in its start pose; `seed` is that of its noise.
    /// # Errors
    /// MuJoCo refuses the model, in words.
    pub fn new(model: Model, seed: u64) -> Result<Self, String> {
        let plan = Plan::new(&model);
        let simulation = Simulation::default();
        let data = load(&model, &plan, &simulation.objects)?;
        let motors = plan.motors.iter().map(|name| place(&data, name)).collect::<Result<_, _>>()?;
        let joints = (0..model.joints.len()).map(|index| place(&data, &joint_name(index)));
        let mut hand = Self {
            motors,
            joints: joints.collect::<Result<_, _>>()?,
            setpoints: model.constants.start,
            reference: Reference::at(model.constants.start.ref_pos),
            time: Duration::ZERO,
            simulation,
            sensing: Sensing::new(seed),
            base: Sensor::default(),
            model,
            plan,
            data,
        };
        hand.look_around();
        hand.rest();
        Ok(hand)
    }

    pub(crate) fn data(&self) -> &MjData<Box<MjModel>> {
        &self.data
    }

    /// Gives the servos their targets without passing time.
    pub(crate) fn aim(&mut self) {
        self.servo(0.0);
    }

    /// Puts the hand to rest in its start pose.
    fn rest(&mut self) {
        self.data.reset();
        self.setpoints = self.model.constants.start;
        self.reference = Reference::at(self.setpoints.ref_pos);
        for (place, motor) in self.motors.iter().zip(&self.model.motors) {
            self.data.qpos_mut()[place.position] = motor.start;
        }
        for (place, joint) in self.joints.iter().zip(&self.model.joints) {
            self.data.qpos_mut()[place.position] = joint.coupling.angle(self.model.motors[joint.motor].start);
        }
        self.stick();
        self.servo(0.0);
        self.couple();
        self.data.forward();
    }

    /// Gives each servo its target after `dt` \[s\], and its gains.
    fn servo(&mut self, dt: f64) {
        for (index, motor) in self.model.motors.iter().enumerate() {
            let (position, velocity) = self.reference.advance(index, &self.setpoints, dt);
            let square = motor.gear * motor.gear;
            let gain_pos = (self.setpoints.gain_pos[index] * square).min(MOST_GAIN);
            let gain_vel = (self.setpoints.gain_vel[index] * square).min(MOST_GAIN);
            let velocity = (velocity / motor.gear).clamp(-MOST_VELOCITY, MOST_VELOCITY);
            self.data.ctrl_mut()[index] = gain_pos * position / motor.gear + gain_vel * velocity;
            values(&mut self.data).actuator_biasprm_mut()[index][..3]
                .copy_from_slice(&[0.0, -gain_pos, -gain_vel]);
        }
    }

    /// Ties the joints to where their motors are: each constraint is the piece of the coupling on which the motor is.
    fn couple(&mut self) {
        for (row, follower) in self.plan.followers.iter().enumerate() {
            let joint = self.model.joints[*follower];
            let drive = self.data.qpos()[self.motors[joint.motor].position];
            let slope = joint.coupling.slope(drive);
            tie(&mut self.data, row, [joint.coupling.angle(drive) - slope * drive, slope]);
        }
    }

    /// Holds the motors that are stuck where they are, and releases the others.
    fn stick(&mut self) {
        let (first, mut is_changed) = (self.plan.followers.len(), false);
        for (index, place) in self.motors.iter().enumerate() {
            let (row, is_stuck) = (first + index, self.simulation.faults.stuck_motors[index]);
            if is_stuck && !self.data.eq_active()[row] {
                let at = self.data.qpos()[place.position];
                self.data.qvel_mut()[place.velocity] = 0.0;
                tie(&mut self.data, row, [at, 0.0]);
            }
            is_changed |= is_stuck != self.data.eq_active()[row];
            self.data.eq_active_mut()[row] = is_stuck;
        }
        if is_changed {
            self.data.step1(); // the constraints of the next step
        }
    }

    /// Loads the model anew with the present objects; the hand stays as it is.
    fn replace_objects(&mut self, objects: &[Option<Object>; MAX_OBJECTS]) -> Result<(), String> {
        let mut data = load(&self.model, &self.plan, objects)?;
        data.qpos_mut().copy_from_slice(self.data.qpos());
        data.qvel_mut().copy_from_slice(self.data.qvel());
        data.qacc_warmstart_mut().copy_from_slice(self.data.qacc_warmstart());
        data.eq_active_mut().copy_from_slice(self.data.eq_active());
        for (row, tied) in self.data.model().eq_data().iter().enumerate() {
            tie(&mut data, row, [tied[0], tied[1]]);
        }
        self.data = data;
        Ok(())
    }

    /// Learns what the sensors of the base read: MuJoCo has no sensors on what does not move.
    fn look_around(&mut self) {
        let mut base = AnalyticHand::new(self.model.clone(), 0);
        let objects = self.simulation.objects;
        self.base = Sensor::default();
        // A hand without faults does not fail.
        let _ = base.simulate(&Simulation { objects, ..Simulation::default() });
        let _ = base.read(&mut self.base);
    }

    fn check(&self) -> Result<(), DeviceError> {
        if self.simulation.faults.is_silent {
            return Err(DeviceError::NoAnswer);
        }
        Ok(())
    }

    /// Fails if the simulation has broken down: until a reset of the pose its values mean nothing.
    fn check_values(&self) -> Result<(), DeviceError> {
        // Warnings of bad positions, velocities, accelerations.
        if self.data.warning()[3..6].iter().any(|warning| warning.number > 0) {
            let text = "MuJoCo's simulation has become unstable";
            return Err(DeviceError::Failed(text.into()));
        }
        Ok(())
    }
}

/// Loads the model among `objects`.
fn load(
    model: &Model,
    plan: &Plan,
    objects: &[Option<Object>; MAX_OBJECTS],
) -> Result<MjData<Box<MjModel>>, String> {
    log_to_stderr();
    let loaded = MjModel::from_xml_string(&mjcf(model, plan, objects)?);
    let mut loaded = loaded.map_err(|error| format!("MuJoCo refuses the hand: {error}"))?;
    let mut surfaces = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        if let Some(object) = object {
            surfaces.push((index(&loaded, MjtObjBase::mjOBJ_GEOM, &object_name(number))?, *object));
        }
    }
    // A contact's force is (k·depth + b·rate) / ((1 - d)·A), where d is its rigid part and A MuJoCo's estimate of the inverse mass
    // of the link: k and b must be the object's stiffness and damping times (1 - d)·A. MuJoCo has its own order of pairs.
    for pair in 0..loaded.pair_solref().len() {
        let geoms = [loaded.pair_geom1()[pair], loaded.pair_geom2()[pair]].map(|geom| geom as usize);
        let Some((surface, object)) = surfaces.iter().find(|(surface, _)| geoms.contains(surface)) else {
            continue;
        };
        let skin = if geoms[0] == *surface { geoms[1] } else { geoms[0] };
        let link = loaded.geom_bodyid()[skin] as usize;
        let scale = (1.0 - RIGID) * loaded.body_invweight0()[link][0];
        let stiffness = (object.stiffness * scale).max(1e-9); // 0 would be another format
        let damping = (object.damping * scale).min(MOST_DAMPING);
        loaded.pair_solref_mut()[pair] = [-stiffness, -damping];
    }
    MjData::try_new(Box::new(loaded)).map_err(|error| format!("MuJoCo refuses the hand: {error}"))
}

fn index(model: &MjModel, kind: MjtObjBase, name: &str) -> Result<usize, String> {
    model.name_to_id(kind, name).ok_or_else(|| format!("MuJoCo's model has no '{name}'"))
}

fn place(data: &MjData<Box<MjModel>>, name: &str) -> Result<Place, String> {
    let joint = index(data.model(), MjtObjBase::mjOBJ_JOINT, name)?;
    let of = |addresses: &[i32]| usize::try_from(addresses[joint]).map_err(|error| error.to_string());
    Ok(Place { position: of(data.model().jnt_qposadr())?, velocity: of(data.model().jnt_dofadr())? })
}

/// The model, of which only numbers may be changed.
fn values(data: &mut MjData<Box<MjModel>>) -> &mut MjModel {
    // SAFETY: the callers change the coefficients of servos and constraints, and no size, index or address.
    #[allow(unsafe_code)]
    unsafe {
        data.model_mut()
    }
}

/// Sets an equality constraint: joint = constant + slope · other joint.
fn tie(data: &mut MjData<Box<MjModel>>, row: usize, [constant, slope]: [f64; 2]) {
    // SAFETY: `eq_data` of a constraint between joints holds the coefficients of a polynomial; any number is one.
    #[allow(unsafe_code)]
    let rows = unsafe { values(data).eq_data_mut() };
    rows[row][..2].copy_from_slice(&[constant, slope]);
}

impl Device for MujocoHand {
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
        for ((position, place), motor) in position.iter_mut().zip(&self.motors).zip(&self.model.motors) {
            *position = self.data.qpos()[place.position] * motor.gear;
        }
        self.setpoints = self.constants().start.held_at(position, gain.clamp(0.0, 1.0));
        Ok(())
    }

    fn step(&mut self, dt: Duration) -> Result<(), DeviceError> {
        self.check()?;
        self.check_values()?;
        self.time = self.time.saturating_add(dt);
        let dt = dt.as_secs_f64();
        if dt == 0.0 {
            return Ok(());
        }
        let count = (dt / STEP - 1e-9).ceil().max(1.0);
        let short = dt / count;
        self.data.model_opt_mut().timestep = short;
        for _ in 0..count as usize {
            self.servo(short);
            // The second half of MuJoCo's step first: the first half of the next one then brings all that is read up to date.
            self.data.step2();
            self.couple();
            self.data.step1();
        }
        self.check_values()
    }

    fn read(&mut self, sensor: &mut Sensor) -> Result<(), DeviceError> {
        self.check()?;
        self.check_values()?;
        sensor.time_stamp = Stamp::of(self.time);
        let (positions, velocities) = (self.data.qpos(), self.data.qvel());
        for (index, (place, motor)) in self.motors.iter().zip(&self.model.motors).enumerate() {
            sensor.motor_pos[index] = (positions[place.position] * motor.gear) as f32;
            sensor.motor_vel[index] = (velocities[place.velocity] * motor.gear) as f32;
            sensor.motor_torque[index] = (self.data.actuator_force()[index] / motor.gear) as f32;
        }
        for (index, place) in self.joints.iter().enumerate() {
            sensor.joint_pos[index] = positions[place.position] as f32;
            sensor.joint_vel[index] = velocities[place.velocity] as f32;
        }
        let mut values = self.data.sensordata().iter().map(|value| *value as f32);
        let mut next = || values.next().unwrap_or(0.0);
        for (index, pad) in self.model.pads.iter().enumerate() {
            sensor.contact[index] = if pad.mount.link.is_some() { next() } else { self.base.contact[index] };
        }
        for (index, imu) in self.model.imus.iter().enumerate() {
            if imu.mount.link.is_some() {
                sensor.imu_linear_acc[index] = [next(), next(), next()];
                sensor.imu_angular_vel[index] = [next(), next(), next()];
            } else {
                sensor.imu_linear_acc[index] = self.base.imu_linear_acc[index];
                sensor.imu_angular_vel[index] = self.base.imu_angular_vel[index];
            }
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
        let is_new = simulation.objects != self.simulation.objects;
        if is_new {
            self.replace_objects(&simulation.objects).map_err(DeviceError::Failed)?;
        }
        self.simulation = *simulation;
        self.stick();
        if is_new {
            self.look_around();
            self.servo(0.0);
            self.data.forward();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use haptix::Shape;
    use nalgebra::Vector3;

    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    fn hand(name: &str) -> MujocoHand {
        MujocoHand::new(Model::builtin(name).unwrap(), 1).unwrap()
    }

    #[test]
    fn a_simulation_that_breaks_down_is_a_failure_until_the_pose_is_reset() {
        let mut hand = hand("two_finger");
        hand.step(MILLISECOND).unwrap();
        hand.data.qvel_mut()[0] = 1e20;
        let error = hand.step(MILLISECOND).unwrap_err();
        assert!(error.to_string().contains("has become unstable"), "{error}");
        let mut sensor = Sensor::default();
        assert_eq!(hand.step(MILLISECOND), Err(error.clone()));
        assert_eq!(hand.read(&mut sensor), Err(error.clone()));
        hand.reset(false).unwrap();
        assert_eq!(hand.read(&mut sensor), Err(error));
        assert_eq!(sensor, Sensor::default());
        hand.reset(true).unwrap();
        hand.step(MILLISECOND).unwrap();
        hand.read(&mut sensor).unwrap();
        assert_eq!(sensor.motor_pos, [0.0; MAX]);
    }

    #[test]
    fn an_object_that_mujoco_cannot_have_is_refused_and_the_others_stay() {
        let mut hand = hand("two_finger");
        let mut simulation = Simulation::default();
        let shape = Shape::Plane { point: Vector3::new(0.0, 0.0, 0.058), normal: -Vector3::z() };
        simulation.objects[3] = Some(Object { shape, stiffness: 500.0, damping: 0.0 });
        hand.simulate(&simulation).unwrap();
        let mut more = simulation;
        let shape = Shape::Stop { contact: 1, angle: 0.5 };
        more.objects[0] = Some(Object { shape, stiffness: 500.0, damping: 0.0 });
        let error = hand.simulate(&more).unwrap_err();
        assert_eq!(
            error.to_string(),
            "an object of shape stop is not possible in MuJoCo: use sphere or plane"
        );
        let mut sensor = Sensor::default();
        hand.read(&mut sensor).unwrap();
        assert_eq!(sensor.contact[0], 1.0);
    }

    #[test]
    fn ranges_and_torques_of_nothing_are_possible() {
        let text = "based_on: two_finger\nmotors:\n  left: {limit: [0, 0], torque: 0}\n  right: {damping: 0, gain_pos: 0}\n";
        let mut hand = MujocoHand::new(Model::parse(text).unwrap(), 1).unwrap();
        let mut setpoints = hand.constants().start;
        setpoints.ref_pos[0] = 1.0;
        hand.command(&setpoints).unwrap();
        for _ in 0..100 {
            hand.step(MILLISECOND).unwrap();
        }
        let mut sensor = Sensor::default();
        hand.read(&mut sensor).unwrap();
        assert!(
            sensor.motor_pos[0] == 0.0 && sensor.motor_pos[1].abs() < 1e-9,
            "{:?}",
            &sensor.motor_pos[..2]
        );
    }
}
