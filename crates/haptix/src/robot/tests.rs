use super::*;

const TIMEOUT: Duration = Duration::from_millis(100);

struct Rig {
    hand: RobotHand,
    now: Instant,
}

impl Rig {
    fn new() -> Self {
        let model = RobotModel::parse(include_str!("../../devices/robot.yaml")).unwrap();
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
        let mut setpoints = self.hand.model().constants.start;
        setpoints.ref_pos[..2].copy_from_slice(&positions);
        setpoints
    }

    fn hold(&mut self) -> Result<RobotCommand, DeviceError> {
        self.hand.hold(self.now)
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
    assert_eq!(rig.hold(), Err(DeviceError::NoAnswer));
    rig.states(10, [0.1, 0.2, 0.3]);
    assert_eq!(rig.command(), None, "what came before does not count");
    assert_eq!(rig.hold().unwrap().positions(), [0.1, 0.3]);
    assert_eq!(rig.command(), None, "a hold is sent once");
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
    assert_eq!(last(&rig), Some(vec![0.1 + 0.5 * 0.099, 0.3 + 0.5 * 0.099]), "where it is now");
    rig.pass(1);
    assert_eq!(last(&rig), None);
}

#[test]
fn a_reading_has_joints_and_motors_in_their_orders() {
    let mut rig = Rig::new();
    let model =
        include_str!("../../devices/robot.yaml").replacen("velocity: 2.0", "velocity: 2.0, gear: 10", 1);
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
    // 2 rad/s · (0.25 - 0.02) s = 0.46 rad ahead of 0.1; the other one has its way of 0.01 rad in the same time.
    let near = |found: Option<(Vec<f64>, f64)>, left: f64, right: f64, time: f64| {
        let (positions, taken) = found.unwrap();
        let is_near = |(found, expected): (&f64, f64)| (found - expected).abs() < 1e-9;
        assert!(
            positions.iter().zip([left, right]).all(is_near) && is_near((&taken, time)),
            "{positions:?} {taken}"
        );
    };
    near(rig.command(), 0.56, 0.31, 0.25);
    rig.states(10, [0.795, 0.0, 0.31]);
    // 0.005 rad at 2 rad/s, and the way of the command.
    near(rig.command(), 0.8, 0.31, 0.0225);
    let mut slow = rig.setpoints([0.0, 0.31]);
    slow.ref_vel_max[0] = 0.4;
    rig.hand.follow(rig.now, &slow).unwrap();
    near(rig.command(), 0.795 - 0.4 * 0.23, 0.31, 0.25);
    // The older the states are, the nearer it is.
    rig.pass(50);
    near(rig.command(), 0.795 - 0.4 * 0.18, 0.31, 0.25);
}

#[test]
fn a_joint_beyond_its_range_is_not_driven_back_to_its_end() {
    let mut rig = Rig::new();
    rig.states(10, [1.5, 0.0, -0.1]);
    rig.follow([0.8_f32.into(), 0.0]).unwrap();
    assert_eq!(rig.command().unwrap().0, [1.5, -0.1]);
    assert_eq!(rig.hold().unwrap().positions(), [1.5, -0.1]);
    rig.follow([0.7, 0.1]).unwrap();
    let (positions, _) = rig.command().unwrap();
    assert!(positions[0] < 1.5 && positions[1] > -0.1, "a command for within it is obeyed");
}

/// Numbers from 0 to 1, the same in each run.
fn random() -> impl FnMut() -> f64 {
    let mut state = 1_u64;
    move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[test]
fn nothing_that_is_told_asks_for_more_than_the_greatest_speed_however_old_the_states_are() {
    let mut random = random();
    let model = RobotModel::parse(include_str!("../../devices/robot.yaml")).unwrap();
    for _ in 0..20_000 {
        let timeout = Duration::from_secs(10);
        let mut rig = Rig::new();
        let rate = 4.0 + 996.0 * random();
        rig.hand = RobotHand::new(model.clone().with_update_rate(rate), timeout);
        let cap = if random() < 0.5 { 0.0 } else { 0.01 + 3.0 * random() };
        let most = if cap > 0.0 { 2.0_f64.min(cap) } else { 2.0 };
        // The last states are up to the time-out old, and often young; since then it went on at any speed up to the greatest one.
        let age = (timeout.as_millis() as f64 - 1.0) * random().powi(4);
        let is_measured = random() < 0.5;
        let speed = most * (2.0 * random() - 1.0);
        let measured = 0.8 * random();
        let joint = ActuatorSample {
            position: measured,
            velocity: if is_measured { speed } else { 0.0 },
            effort: None,
        };
        let actuators = vec![joint; 3];
        rig.hand.take(RobotStates::new(&StateSample {
            time: MessageTime::new(rig.now, Duration::ZERO),
            actuators,
        }));
        rig.pass(age as u64);
        let travel = 0.02 * random();
        let present = measured + speed * (age.trunc() / 1000.0 + travel);
        let mut setpoints = rig.setpoints([0.8 * random(), 0.8 * random()]);
        setpoints.ref_vel_max = [cap; MAX];
        rig.hand.follow(rig.now, &setpoints).unwrap();
        let follow = rig.hand.command(rig.now).unwrap();
        let hold = rig.hand.hold(rig.now).unwrap();
        let last = RobotCommand::last(&model, rig.hand.states.as_ref(), rig.now, timeout).unwrap();
        for (what, command, most) in [("follow", follow, most), ("hold", hold, 2.0), ("last", last, 2.0)] {
            let time = command.time.as_secs_f64();
            for position in command.positions() {
                let asked = (position - present).abs() / time;
                assert!(asked <= most + 1e-6, "{what}: {asked} of {most}, age {age}, time {time}");
            }
            let is_young = age < 100.0;
            assert!(!is_young || time <= 0.25 + 1e-9, "{what}: {time}");
        }
    }
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
    rig.states(10, [0.1, 0.0, 0.3]);
    assert_eq!(rig.command(), None, "states that are back move nothing");
    assert_eq!(
        rig.hand.read(rig.now, &mut Sensor::default()),
        Err(DeviceError::NoAnswer),
        "the loss is reported once"
    );
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
    for _ in 0..200 {
        let (positions, time) = rig.command().unwrap();
        // For a period it goes as a trajectory controller does.
        let speed = (positions[0] - position) / time;
        fastest = fastest.max(speed.abs());
        position += speed * 0.02;
        rig.states(20, [position, 0.0, 0.0]);
    }
    assert!((position - 0.8).abs() < 1e-6 && fastest <= 2.0 + 1e-9, "{position} {fastest}");
}
