use core::mem::take;
use core::time::Duration;

use safety::{ActuatorSample, Instant, MessageTime, Stamp, StateSample};

use crate::device::DeviceError;
use crate::hand::sensing::limit;
use crate::model::robot::{RobotModel, RobotMotor};
use crate::setpoints::Setpoints;
use crate::wire::{MAX, Sensor};

/// How long a command of a robot with young states takes at most, and a hold at least. When the commands end, the robot comes to rest
/// within it.
const LEAD: Duration = Duration::from_millis(250);
/// How long a command may be on its way to the robot, which moves on meanwhile.
const TRANSPORT: Duration = Duration::from_millis(20);
/// The least update rate \[Hz\]: within a period at it the last command ends.
pub(crate) const LEAST_RATE: f64 = 4.0;

/// Makes a robot on other topics a hand: its states become readings, and each tick commands positions one step ahead.
///
/// Let v be a joint's greatest speed, or `ref_vel_max` if that is less, p where the last states have it, and a their age with
/// 20 ms for the command's way. A command for q takes at least |q - p| / v + a. Meanwhile the joint went v·a at most, so it is asked for
/// v at most, in either direction; the same holds for each speed above v that it may have had before. Commands are so near that this
/// takes 0.25 s at most. States older than that move nothing.
///
/// A hold is where the joint is now by its measured speed, within its range, and takes at least 0.25 s. A joint beyond its range is not
/// driven back to its end by a command for that end: none of the client's may have asked for it. `ref_vel` and the gains are not used: a
/// robot that follows positions has its own.
///
/// Nothing is commanded before the first states. States that are as old as the time-out are lost: then there is no answer, and the robot
/// is sent nothing until they are back. It follows again with the next setpoints after that.
/// # Real-time
/// No method allocates, locks or blocks.
/// # Source
/// own
#[derive(Clone, Debug)]
pub struct RobotHand {
    model: RobotModel,
    timeout: Duration,
    states: Option<RobotStates>,
    aim: Aim,
    /// Whether the states were lost after the last reading, so that the next one must say so.
    is_lost: bool,
    time: Duration,
}

/// The way to a robot elsewhere and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RobotTopics {
    /// The topic of its states.
    pub states: String,
    /// The topic of its commands.
    pub commands: String,
    /// How long its states count.
    pub timeout: Duration,
}

/// The states of a robot's joints, in the order of its description. It is plain data, so it can travel in a ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotStates {
    time: MessageTime,
    joints: [ActuatorSample; MAX],
}

/// The positions that a robot is commanded. It is plain data, so it can travel in a ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotCommand {
    count: usize,
    positions: [f64; MAX],
    /// How long it shall take.
    pub time: Duration,
}

/// Aim of the robot's motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a box would allocate on the device's thread
enum Aim {
    Nothing,
    Follow(Setpoints),
    /// The hold was commanded.
    Hold,
}

impl RobotStates {
    /// The states of a message; joints beyond [`MAX`] are left out.
    pub fn new(sample: &StateSample) -> Self {
        let mut joints = [ActuatorSample::default(); MAX];
        for (to, from) in joints.iter_mut().zip(&sample.actuators) {
            *to = *from;
        }
        Self { time: sample.time, joints }
    }

    /// Whether they are `timeout` old.
    fn are_lost(&self, now: Instant, timeout: Duration) -> bool {
        self.time.is_expired(now, timeout)
    }
}

impl RobotCommand {
    /// The last command of the robot that `model` describes: to stay where the last states have it, unless they are awaited or lost.
    pub fn last(
        model: &RobotModel,
        states: Option<&RobotStates>,
        now: Instant,
        timeout: Duration,
    ) -> Option<Self> {
        let states = states.filter(|states| !states.are_lost(now, timeout))?;
        Some(Self::stay(model, states, now))
    }

    /// The command to stay where the robot that `model` describes is now by these states.
    fn stay(model: &RobotModel, states: &RobotStates, now: Instant) -> Self {
        let age = states.time.age(now).as_secs_f64();
        let mut command = Self { count: model.motors.len(), positions: [0.0; MAX], time: LEAD };
        for (position, motor) in command.positions.iter_mut().zip(&model.motors) {
            let ActuatorSample { position: measured, velocity, .. } = states.joints[motor.joint];
            let fastest = motor.velocity;
            let limit = &model.constants.info.joint_limit[motor.joint];
            let now_at = measured + velocity.clamp(-fastest, fastest) * age;
            *position =
                now_at.min(measured.max(limit.maximum.into())).max(measured.min(limit.minimum.into()));
            command.time = command.time.max(time(*position - measured, fastest, age));
        }
        command
    }

    /// The positions of the joints that are commanded, in the order of the motors \[rad\].
    pub fn positions(&self) -> &[f64] {
        &self.positions[..self.count]
    }
}

/// How long a way \[rad\] from where states of this age \[s\] have a joint must take for it not to be asked for more than `fastest` \[rad/s\].
fn time(way: f64, fastest: f64, age: f64) -> Duration {
    let time = Duration::try_from_secs_f64(way.abs() / fastest + age);
    time.unwrap_or(Duration::MAX).saturating_add(TRANSPORT)
}

impl RobotMotor {
    /// The greatest speed of its joint \[rad/s\] with the cap of motor `index` in `setpoints`.
    fn fastest(&self, index: usize, setpoints: &Setpoints) -> f64 {
        let cap = setpoints.ref_vel_max[index] / self.gear;
        if cap > 0.0 { self.velocity.min(cap) } else { self.velocity }
    }
}

impl RobotModel {
    fn period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / f64::from(self.constants.info.update_rate))
    }
}

impl RobotHand {
    /// The robot that `model` describes, whose states count for `timeout`.
    pub fn new(model: RobotModel, timeout: Duration) -> Self {
        Self { model, timeout, states: None, aim: Aim::Nothing, is_lost: false, time: Duration::ZERO }
    }

    /// Model of the robot.
    pub fn model(&self) -> &RobotModel {
        &self.model
    }

    /// Takes states that came.
    pub fn take(&mut self, states: RobotStates) {
        self.states = Some(states);
    }

    /// The states, unless they are lost or awaited; then it also forgets its commands.
    fn fresh_states(&mut self, now: Instant) -> Result<RobotStates, DeviceError> {
        match self.states.filter(|states| !states.are_lost(now, self.timeout)) {
            Some(states) => Ok(states),
            None => {
                self.aim = Aim::Nothing;
                Err(DeviceError::NoAnswer)
            }
        }
    }

    /// Writes the present reading to `sensor`, which is all zero.
    /// # Errors
    /// The states are awaited or lost, or were lost since the last reading while it followed.
    pub fn read(&mut self, now: Instant, sensor: &mut Sensor) -> Result<(), DeviceError> {
        if take(&mut self.is_lost) {
            return Err(DeviceError::NoAnswer);
        }
        let states = self.fresh_states(now)?;
        sensor.time_stamp = Stamp::of(self.time.saturating_sub(states.time.age(now)));
        for (index, joint) in states.joints.iter().enumerate().take(self.model.constants.info.joint_count) {
            sensor.joint_pos[index] = joint.position as f32;
            sensor.joint_vel[index] = joint.velocity as f32;
        }
        for (index, &RobotMotor { joint, gear, .. }) in self.model.motors.iter().enumerate().take(MAX) {
            let joint = &states.joints[joint];
            sensor.motor_pos[index] = (joint.position * gear) as f32;
            sensor.motor_vel[index] = (joint.velocity * gear) as f32;
            sensor.motor_torque[index] = (joint.effort.unwrap_or_default() / gear) as f32;
        }
        limit(sensor, &self.model.constants.info);
        Ok(())
    }

    /// Follows these setpoints.
    /// # Errors
    /// The states are awaited or lost.
    pub fn follow(&mut self, now: Instant, setpoints: &Setpoints) -> Result<(), DeviceError> {
        self.fresh_states(now)?;
        self.aim = Aim::Follow(*setpoints);
        Ok(())
    }

    /// Stays where it is; returns the command for it, which is not repeated.
    /// # Errors
    /// The states are awaited or lost.
    pub fn hold(&mut self, now: Instant) -> Result<RobotCommand, DeviceError> {
        let states = self.fresh_states(now)?;
        self.aim = Aim::Hold;
        Ok(RobotCommand::stay(&self.model, &states, now))
    }

    /// Lets time pass.
    pub fn pass(&mut self, dt: Duration) {
        self.time = self.time.saturating_add(dt);
    }

    /// The command for the period that begins now, if the robot follows setpoints.
    pub fn command(&mut self, now: Instant) -> Option<RobotCommand> {
        let is_following = matches!(self.aim, Aim::Follow(_));
        let Ok(states) = self.fresh_states(now) else {
            self.is_lost |= is_following;
            return None;
        };
        let Aim::Follow(setpoints) = &self.aim else { return None };
        let age = states.time.age(now).as_secs_f64();
        let reach = (LEAD.saturating_sub(TRANSPORT).as_secs_f64() - age).max(0.0);
        let model = &self.model;
        let mut command =
            RobotCommand { count: model.motors.len(), positions: [0.0; MAX], time: model.period() };
        for (index, (position, motor)) in command.positions.iter_mut().zip(&model.motors).enumerate() {
            let measured = states.joints[motor.joint].position;
            let (fastest, limit) =
                (motor.fastest(index, setpoints), &model.constants.info.motor_limit[index]);
            let (target, turned) = (setpoints.ref_pos[index], measured * motor.gear);
            let is_beyond = target >= f64::from(limit.maximum) && turned > target
                || target <= f64::from(limit.minimum) && turned < target;
            let most = fastest * reach;
            let way = if is_beyond { 0.0 } else { (target / motor.gear - measured).clamp(-most, most) };
            *position = measured + way;
            command.time = command.time.max(time(way, fastest, age));
        }
        Some(command)
    }
}

#[cfg(test)]
mod tests;
