use core::time::Duration;

use units::{ActuatorSample, Instant, MessageTime, Stamp, StateSample};

use crate::device::DeviceError;
use crate::hand::sensing::limit;
use crate::model::robot::{RobotModel, RobotMotor};
use crate::setpoints::Setpoints;
use crate::wire::{MAX, Sensor};

/// How far a command may be ahead of where a joint is, as the time that it takes at its greatest speed. When the commands end, the
/// robot comes to rest within it.
pub const LEAD: Duration = Duration::from_millis(250);

/// A robot elsewhere as a hand: its states are the readings, and it is told positions, one step ahead.
///
/// A command is never more than [`LEAD`] ahead of where the robot is, and leaves it the time that this takes: whatever the robot missed
/// before, no joint is asked to be faster than its greatest speed, or than `ref_vel_max` if that is less. `ref_vel` and the gains are
/// not used: a robot that follows positions has its own.
///
/// Nothing is commanded before the first states. States that are as old as the time-out are lost: then there is no answer, and the robot
/// is told nothing, until the next setpoints after they came back.
/// # Real-time
/// No method allocates, locks or blocks, but an error of words.
/// # Source
/// own
#[derive(Clone, Debug)]
pub struct RobotHand {
    model: RobotModel,
    timeout: Duration,
    states: Option<RobotStates>,
    aim: Aim,
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

/// Where a robot is told to be. It is plain data, so it can travel in a ring.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RobotCommand {
    count: usize,
    positions: [f64; MAX],
    /// How long it shall take.
    pub time: Duration,
}

/// What the robot shall do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // a box would allocate on the device's thread
enum Aim {
    Nothing,
    Follow(Setpoints),
    /// At these positions of the joints of its motors \[rad\].
    Hold([f64; MAX]),
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
        states.filter(|states| !states.are_lost(now, timeout)).map(|states| Self::stay(model, states))
    }

    /// The command to stay where these states have the robot that `model` describes.
    fn stay(model: &RobotModel, states: &RobotStates) -> Self {
        let mut positions = [0.0; MAX];
        for (position, motor) in positions.iter_mut().zip(&model.motors) {
            *position = states.joints[motor.joint].position;
        }
        Self { count: model.motors.len(), positions, time: model.period() }
    }

    /// The positions of the joints that are commanded, in the order of the motors \[rad\].
    pub fn positions(&self) -> &[f64] {
        &self.positions[..self.count]
    }
}

impl RobotModel {
    fn period(&self) -> Duration {
        Duration::from_secs_f64(1.0 / f64::from(self.info.update_rate).max(1.0))
    }
}

impl RobotHand {
    /// The robot that `model` describes, whose states count for `timeout`.
    pub fn new(model: RobotModel, timeout: Duration) -> Self {
        Self { model, timeout, states: None, aim: Aim::Nothing, time: Duration::ZERO }
    }

    /// What it consists of.
    pub fn model(&self) -> &RobotModel {
        &self.model
    }

    /// Takes states that came.
    pub fn take(&mut self, states: RobotStates) {
        self.states = Some(states);
    }

    /// The states, unless they are lost or awaited; then it also forgets what it was told.
    fn present(&mut self, now: Instant) -> Result<RobotStates, DeviceError> {
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
    /// The states are awaited or lost.
    pub fn read(&mut self, now: Instant, sensor: &mut Sensor) -> Result<(), DeviceError> {
        let states = self.present(now)?;
        let taken = self.time.saturating_sub(states.time.age(now));
        sensor.time_stamp =
            Stamp { sec: i32::try_from(taken.as_secs()).unwrap_or(i32::MAX), nanosec: taken.subsec_nanos() };
        for (index, joint) in states.joints.iter().enumerate().take(self.model.info.joint_count) {
            sensor.joint_pos[index] = joint.position as f32;
            sensor.joint_vel[index] = joint.velocity as f32;
        }
        for (index, &RobotMotor { joint, gear, .. }) in self.model.motors.iter().enumerate().take(MAX) {
            let joint = &states.joints[joint];
            sensor.motor_pos[index] = (joint.position * gear) as f32;
            sensor.motor_vel[index] = (joint.velocity * gear) as f32;
            sensor.motor_torque[index] = (joint.effort.unwrap_or_default() / gear) as f32;
        }
        limit(sensor, &self.model.info);
        Ok(())
    }

    /// Follows these setpoints.
    /// # Errors
    /// The states are awaited or lost.
    pub fn follow(&mut self, now: Instant, setpoints: &Setpoints) -> Result<(), DeviceError> {
        self.present(now)?;
        self.aim = Aim::Follow(*setpoints);
        Ok(())
    }

    /// Stays where it is; returns the command for it, which is not repeated.
    /// # Errors
    /// The states are awaited or lost.
    pub fn hold(&mut self, now: Instant) -> Result<RobotCommand, DeviceError> {
        let states = self.present(now)?;
        let command = RobotCommand::stay(&self.model, &states);
        self.aim = Aim::Hold(command.positions);
        Ok(command)
    }

    /// Lets time pass.
    pub fn pass(&mut self, dt: Duration) {
        self.time = self.time.saturating_add(dt);
    }

    /// The command for the period that begins now, if the robot follows setpoints.
    pub fn command(&mut self, now: Instant) -> Option<RobotCommand> {
        let states = self.present(now).ok()?;
        let Aim::Follow(setpoints) = &self.aim else { return None };
        let mut command = RobotCommand::stay(&self.model, &states);
        let mut time = command.time.as_secs_f64();
        for (index, (position, motor)) in command.positions.iter_mut().zip(&self.model.motors).enumerate() {
            let cap = setpoints.ref_vel_max[index] / motor.gear;
            let fastest = if cap > 0.0 { motor.velocity.min(cap) } else { motor.velocity };
            let most = fastest * LEAD.as_secs_f64();
            let way = (setpoints.ref_pos[index] / motor.gear - *position).clamp(-most, most);
            *position += way;
            time = time.max(way.abs() / fastest);
        }
        command.time = Duration::from_secs_f64(time);
        Some(command)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(100);

    struct Rig {
        hand: RobotHand,
        now: Instant,
    }

    impl Rig {
        fn new() -> Self {
            let model = RobotModel::parse(include_str!("../devices/robot.yaml")).unwrap();
            Self { hand: RobotHand::new(model, TIMEOUT), now: Instant::from_millis(10_000) }
        }

        /// States with these positions of the three joints come, after `millis`.
        fn states(&mut self, millis: u64, positions: [f64; 3]) {
            self.pass(millis);
            let joint = |position| ActuatorSample { position, velocity: 0.5, effort: Some(0.25) };
            let actuators = positions.map(joint).to_vec();
            self.hand.take(RobotStates::new(&StateSample {
                time: MessageTime::new(self.now, Duration::ZERO),
                actuators,
            }));
        }

        fn pass(&mut self, millis: u64) {
            let dt = Duration::from_millis(millis);
            self.now = self.now + dt;
            self.hand.pass(dt);
        }

        /// The positions and the time [s] of the next command.
        fn command(&mut self) -> Option<(Vec<f64>, f64)> {
            let command = self.hand.command(self.now)?;
            Some((command.positions().to_vec(), command.time.as_secs_f64()))
        }

        fn setpoints(&self, positions: [f64; 2]) -> Setpoints {
            let mut setpoints = self.hand.model().start;
            setpoints.ref_pos[..2].copy_from_slice(&positions);
            setpoints
        }

        fn follow(&mut self, positions: [f64; 2]) -> Result<(), DeviceError> {
            self.hand.follow(self.now, &self.setpoints(positions))
        }
    }

    #[test]
    fn nothing_is_commanded_before_the_first_states() {
        let mut rig = Rig::new();
        assert_eq!(rig.hand.read(rig.now, &mut Sensor::default()), Err(DeviceError::NoAnswer));
        assert_eq!(rig.follow([0.5, 0.5]), Err(DeviceError::NoAnswer));
        assert_eq!(rig.hand.hold(rig.now), Err(DeviceError::NoAnswer));
        rig.states(10, [0.1, 0.2, 0.3]);
        assert_eq!(rig.command(), None, "what came before does not count");
        assert_eq!(rig.hand.hold(rig.now).unwrap().positions(), [0.1, 0.3]);
        assert_eq!(rig.command(), None, "a hold is told once");
    }

    #[test]
    fn the_last_command_is_where_the_robot_is_if_that_is_known() {
        let mut rig = Rig::new();
        let last = |rig: &Rig| {
            let command = RobotCommand::last(rig.hand.model(), rig.hand.states.as_ref(), rig.now, TIMEOUT);
            command.map(|command| command.positions().to_vec())
        };
        assert_eq!(last(&rig), None);
        rig.states(10, [0.1, 0.2, 0.3]);
        rig.pass(99);
        assert_eq!(last(&rig), Some(vec![0.1, 0.3]));
        rig.pass(1);
        assert_eq!(last(&rig), None);
    }

    #[test]
    fn a_reading_has_joints_and_motors_in_their_orders() {
        let mut rig = Rig::new();
        let model =
            include_str!("../devices/robot.yaml").replacen("velocity: 2.0", "velocity: 2.0, gear: 10", 1);
        rig.hand = RobotHand::new(RobotModel::parse(&model).unwrap(), TIMEOUT);
        rig.states(1500, [0.1, 0.2, 0.9]);
        rig.pass(20);
        let mut sensor = Sensor::default();
        rig.hand.read(rig.now, &mut sensor).unwrap();
        assert_eq!(sensor.time_stamp, Stamp { sec: 1, nanosec: 500_000_000 });
        assert_eq!(sensor.motor_pos[..3], [1.0, 0.8, 0.0], "within the limits");
        assert_eq!(sensor.motor_vel[..3], [5.0, 0.5, 0.0]);
        assert_eq!(sensor.motor_torque[..3], [0.025, 0.25, 0.0]);
        assert_eq!(sensor.joint_pos[..4], [0.1, 0.2, 0.8, 0.0]);
        assert_eq!(sensor.joint_vel[..4], [0.5, 0.5, 0.5, 0.0]);
        assert_eq!((sensor.contact, sensor.imu_orientation), ([0.0; MAX], [[0.0; 4]; MAX]));
    }

    #[test]
    fn a_command_is_one_step_ahead_and_asks_for_no_more_than_the_greatest_speed() {
        let mut rig = Rig::new();
        rig.states(10, [0.1, 0.0, 0.3]);
        rig.follow([0.8, 0.31]).unwrap();
        // 2 rad/s · 0.25 s = 0.5 rad ahead of 0.1; the other one has its way of 0.01 rad in the same time.
        assert_eq!(rig.command(), Some((vec![0.6, 0.31], 0.25)));
        rig.states(10, [0.795, 0.0, 0.31]);
        // 0.005 rad at 2 rad/s take less than a period of 20 ms.
        let (positions, time) = rig.command().unwrap();
        assert!((positions[0] - 0.8).abs() < 1e-12 && (time - 0.02).abs() < 1e-9, "{positions:?} {time}");
        let mut slow = rig.setpoints([0.0, 0.31]);
        slow.ref_vel_max[0] = 0.4;
        rig.hand.follow(rig.now, &slow).unwrap();
        let (positions, time) = rig.command().unwrap();
        assert!((positions[0] - 0.695).abs() < 1e-12 && (time - 0.25).abs() < 1e-9, "{positions:?} {time}");
    }

    #[test]
    fn lost_states_end_the_motion_until_the_next_setpoints() {
        let mut rig = Rig::new();
        rig.states(10, [0.1, 0.0, 0.3]);
        rig.follow([0.8, 0.8]).unwrap();
        rig.pass(99);
        assert!(rig.command().is_some());
        rig.pass(1);
        assert_eq!(rig.command(), None, "the time-out itself is too late");
        assert_eq!(rig.hand.read(rig.now, &mut Sensor::default()), Err(DeviceError::NoAnswer));
        rig.states(10, [0.1, 0.0, 0.3]);
        assert_eq!(rig.command(), None, "states that are back move nothing");
        assert_eq!(rig.hand.read(rig.now, &mut Sensor::default()), Ok(()));
        rig.follow([0.8, 0.8]).unwrap();
        assert!(rig.command().is_some());
    }

    #[test]
    fn a_robot_that_follows_the_commands_reaches_its_setpoint_below_its_greatest_speed() {
        let mut rig = Rig::new();
        let (mut position, mut fastest) = (0.0_f64, 0.0_f64);
        rig.states(10, [0.0; 3]);
        rig.follow([0.8, 0.0]).unwrap();
        for _ in 0..100 {
            let (positions, time) = rig.command().unwrap();
            // For a period it goes as a trajectory controller does.
            let speed = (positions[0] - position) / time;
            fastest = fastest.max(speed.abs());
            position += speed * 0.02;
            rig.states(20, [position, 0.0, 0.0]);
        }
        assert!((position - 0.8).abs() < 1e-6 && fastest <= 2.0 + 1e-9, "{position} {fastest}");
    }
}
