//! The controllers of vehicles and of joint states, against closed forms.
#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, TAU};
use std::time::Duration;

use mechanism::Robot;
use mechanism::controllers::{Controller, ControllerFailure, Message, Odometry, OutputKind, Report, Step};
use mechanism::laws::{Gains, Pid};
use mechanism::robot::{Joint, JointKind, JointLimits};
use mechanism::standard::{DiffDrive, DiffDriveController, JointStateController};
use nalgebra::Matrix3;
use safety::{Clock, Command, Instant, Stamp, Velocity};

const PERIOD: Duration = Duration::from_millis(1);
const TIMEOUT: Duration = Duration::from_millis(500);

/// Joints of these names that tests set by hand.
fn bare(names: &[&str]) -> Robot {
    let joints = names.iter().map(|name| Joint::new(*name, JointKind::Continuous)).collect();
    Robot::from_parts(joints, Vec::new(), Vec::new())
}

fn proportional() -> Pid {
    Pid::new(Gains { p: 1.0, i: 0.0, d: 0.0, i_clamp: 0.0, max_effort: 1e6 })
}

fn reports(controller: &mut impl Controller) -> Vec<(usize, Report)> {
    std::iter::from_fn(|| controller.report()).collect()
}

/// A vehicle of wheel radius 0.1 m and separation 0.5 m, two wheels on each side.
struct Vehicle {
    robot: Robot,
    controller: DiffDriveController,
    now: Instant,
}

const SETTINGS: DiffDrive = DiffDrive {
    separation: 0.5,
    radius: 0.1,
    max_linear: 1.0,
    max_angular: 2.0,
    timeout: TIMEOUT,
    publish_rate: 50.0,
    has_transform: true,
};

impl Vehicle {
    fn new() -> Self {
        let robot = bare(&["front left", "rear left", "front right", "rear right"]);
        let controller = DiffDriveController::new(&[0, 1], &[2, 3], proportional(), SETTINGS);
        let mut vehicle = Self { robot, controller, now: Instant::from_millis(1) };
        let (now, robot) = (vehicle.now, &mut vehicle.robot);
        vehicle.controller.starting(&mut Step { now, period: PERIOD, robot });
        vehicle
    }

    fn send(&mut self, forward: f64, turn: f64) {
        let mut clock = Clock::default();
        clock.pass_to(self.now, None);
        let command = Command::new(Velocity::planar(forward, turn).unwrap(), Stamp::ZERO);
        self.controller.receive(0, &mut Message::Velocity(command, clock), self.now);
    }

    /// One step in which the left and the right wheels turn by so much; returns the efforts of a left and a right wheel.
    fn step(&mut self, left: f64, right: f64) -> (f64, f64) {
        self.now = self.now + PERIOD;
        self.robot.zero_commands();
        for (joint, way) in self.robot.joints_mut().iter_mut().zip([left, left, right, right]) {
            joint.position += way;
            joint.velocity = way / PERIOD.as_secs_f64();
        }
        let (now, robot) = (self.now, &mut self.robot);
        self.controller.update(&mut Step { now, period: PERIOD, robot }).unwrap();
        let efforts: Vec<f64> = self.robot.joints().iter().map(|joint| joint.commanded_effort).collect();
        assert_eq!((efforts[0], efforts[2]), (efforts[1], efforts[3]));
        (efforts[0], efforts[2])
    }

    fn odometry(&mut self) -> Odometry {
        let mut last = None;
        for _ in 0..25 {
            self.step(0.0, 0.0);
            for (_, report) in reports(&mut self.controller) {
                last = if let Report::Odometry(odometry) = report { Some(odometry) } else { None };
            }
        }
        last.unwrap()
    }
}

fn near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

#[test]
fn the_speed_of_the_wheels_is_that_of_the_kinematics() {
    let mut vehicle = Vehicle::new();
    vehicle.send(0.0, 0.0);
    vehicle.send(0.5, 0.8);
    // (0.5 ∓ 0.8 · 0.25) / 0.1 = 3 and 7 rad/s; the effort is that, since the wheels stand.
    let (left, right) = vehicle.step(0.0, 0.0);
    assert!(near(left, 3.0) && near(right, 7.0), "{left} {right}");
}

#[test]
fn a_velocity_beyond_a_limit_keeps_its_curve() {
    for (forward, turn, expected) in
        [(2.0, 1.0, (1.0, 0.5)), (0.5, 4.0, (0.25, 2.0)), (-4.0, 4.0, (-1.0, 1.0))]
    {
        let mut vehicle = Vehicle::new();
        vehicle.send(0.0, 0.0);
        vehicle.send(forward, turn);
        let (left, right) = vehicle.step(0.0, 0.0);
        let (linear, angular) = ((left + right) * 0.05, (right - left) * 0.1 / 0.5);
        assert!(near(linear, expected.0) && near(angular, expected.1), "{linear} {angular}");
    }
}

/// 3 and 7 rad/s where one wheel at the right has a limit of 3.5 are halved; one that may not turn stops the vehicle.
#[test]
fn a_velocity_beyond_the_limit_of_a_wheel_keeps_its_curve() {
    for (limit, expected) in [(3.5, (1.5, 3.5)), (7.0, (3.0, 7.0)), (0.0, (0.0, 0.0))] {
        let mut vehicle = Vehicle::new();
        let limits = JointLimits { effort: 100.0, velocity: limit, ..JointLimits::default() };
        vehicle.robot.joints_mut()[3].limits = Some(limits);
        vehicle.send(0.0, 0.0);
        vehicle.send(0.5, 0.8);
        let (left, right) = vehicle.step(0.0, 0.0);
        assert!(near(left, expected.0) && near(right, expected.1), "{limit}: {left} {right}");
    }
}

#[test]
fn motion_begins_with_a_zero_and_ends_with_the_command() {
    let mut vehicle = Vehicle::new();
    vehicle.send(0.5, 0.0);
    assert_eq!(vehicle.step(0.0, 0.0), (0.0, 0.0), "no zero came first");
    vehicle.send(0.0, 0.0);
    vehicle.send(0.5, 0.0);
    assert_eq!(vehicle.step(0.0, 0.0), (5.0, 5.0));
    vehicle.now = vehicle.now + TIMEOUT;
    assert_eq!(vehicle.step(0.001, 0.001), (-1.0, -1.0), "the wheels are braked");
    vehicle.send(0.5, 0.0);
    assert_eq!(vehicle.step(0.0, 0.0), (0.0, 0.0), "it was lost in motion");
    vehicle.send(0.0, 0.0);
    vehicle.send(0.5, 0.0);
    assert_eq!(vehicle.step(0.0, 0.0), (5.0, 5.0));
    // A start forgets what was commanded.
    let (now, robot) = (vehicle.now, &mut vehicle.robot);
    vehicle.controller.starting(&mut Step { now, period: PERIOD, robot });
    assert_eq!(vehicle.step(0.0, 0.0), (0.0, 0.0));
}

/// A neutral command counts as zero and moves nothing.
#[test]
fn a_neutral_velocity_moves_nothing() {
    let mut vehicle = Vehicle::new();
    for _ in 0..20 {
        vehicle.send(0.0199, 0.0499);
        assert_eq!(vehicle.step(0.0, 0.0), (0.0, 0.0));
    }
    vehicle.send(0.5, 0.0);
    assert_eq!(vehicle.step(0.0, 0.0), (5.0, 5.0));
    vehicle.send(0.0199, 0.0499);
    assert_eq!(vehicle.step(0.001, 0.001), (-1.0, -1.0), "the wheels are braked");
    assert_eq!(vehicle.step(0.000_19, -0.000_19), (0.0, 0.0), "they stand");
}

/// Wheels with a motor of torque, 15 % of the greatest effort as friction, and an integral.
struct Rolling {
    vehicle: Vehicle,
    is_blocked: bool,
}

impl Rolling {
    const INERTIA: f64 = 0.5;
    const FRICTION: f64 = 1.5;

    fn new() -> Self {
        let mut vehicle = Vehicle::new();
        let pid = Pid::new(Gains { p: 0.5, i: 3.0, d: 0.0, i_clamp: 10.0, max_effort: 10.0 });
        vehicle.controller = DiffDriveController::new(&[0, 1], &[2, 3], pid, SETTINGS);
        let (now, robot) = (vehicle.now, &mut vehicle.robot);
        vehicle.controller.starting(&mut Step { now, period: PERIOD, robot });
        Self { vehicle, is_blocked: false }
    }

    /// Lets time pass, with a command each 50 ms if there is one. Returns the efforts and the speeds of the left side then.
    fn run(&mut self, millis: usize, forward: Option<f64>) -> (f64, f64) {
        for number in 0..millis {
            if let Some(forward) = forward.filter(|_| number % 50 == 0) {
                self.vehicle.send(forward, 0.0);
            }
            let speed = self.vehicle.robot.joints()[0].velocity;
            let way = speed * PERIOD.as_secs_f64();
            let effort = self.vehicle.step(way, way).0;
            let push = effort - speed.signum() * if speed == 0.0 { 0.0 } else { Self::FRICTION };
            let sticks = speed == 0.0 && effort.abs() <= Self::FRICTION || self.is_blocked;
            let next = if sticks { 0.0 } else { speed + push / Self::INERTIA * PERIOD.as_secs_f64() };
            let next = if next * speed < 0.0 { 0.0 } else { next };
            self.vehicle.robot.joints_mut().iter_mut().for_each(|joint| joint.velocity = next);
        }
        let joint = &self.vehicle.robot.joints()[0];
        (joint.commanded_effort, joint.velocity)
    }
}

#[test]
fn wheels_that_could_not_turn_are_pushed_no_longer_than_motion_is_asked_for() {
    for end in [None, Some(0.0)] {
        let mut rolling = Rolling::new();
        rolling.is_blocked = true;
        rolling.run(100, Some(0.0));
        assert!(rolling.run(3000, Some(0.3)).0 > 9.9, "all that it may");
        // The command counts for half a second.
        assert_eq!(rolling.run(if end.is_none() { 501 } else { 51 }, end), (0.0, 0.0), "{end:?}");
        rolling.is_blocked = false;
        assert_eq!(rolling.run(2000, end), (0.0, 0.0), "{end:?}, and the wheels are free");
    }
}

#[test]
fn wheels_that_could_not_turn_do_not_push_on_where_less_or_the_reverse_is_asked_for() {
    for (forward, most) in [(-0.05, 0.0), (-0.15, 0.0), (0.03, 0.5)] {
        let mut rolling = Rolling::new();
        rolling.run(100, Some(0.0));
        rolling.is_blocked = true;
        assert!(rolling.run(3000, Some(0.3)).0 > 9.9, "all that it may");
        for _ in 0..20 {
            let (effort, _) = rolling.run(5, Some(forward));
            assert!(effort <= most, "{effort} at {forward}");
        }
    }
}

#[test]
fn the_wheel_about_which_the_vehicle_turns_does_not_push_on() {
    let mut rolling = Rolling::new();
    rolling.run(100, Some(0.0));
    rolling.is_blocked = true;
    rolling.run(3000, Some(0.3));
    let vehicle = &mut rolling.vehicle;
    vehicle.send(-0.1, -0.4); // left: -0.1 + 0.4 · 0.25 = 0
    let (left, right) = vehicle.step(0.0, 0.0);
    assert!(left == 0.0 && right < 0.0, "{left} {right}");
}

#[test]
fn a_wheel_that_no_effort_brakes_fails_the_controller() {
    let mut rolling = Rolling::new();
    rolling.run(100, Some(0.0));
    // Its speed has the wrong sign, or is made up.
    let Rolling { vehicle, .. } = &mut rolling;
    let failed = (0..5000).find_map(|millis| {
        vehicle.now = vehicle.now + PERIOD;
        vehicle.robot.zero_commands();
        vehicle.robot.joints_mut().iter_mut().for_each(|joint| joint.velocity = 3.0);
        let (now, robot) = (vehicle.now, &mut vehicle.robot);
        vehicle.controller.update(&mut Step { now, period: PERIOD, robot }).err().map(|error| (millis, error))
    });
    let (millis, error) = failed.unwrap();
    // 10 Nm are 1.5 by p, and 8.5 after 8.5 / (3 · 3) s.
    assert!((1900..2000).contains(&millis), "{millis}");
    assert_eq!(error, ControllerFailure("a wheel turns on although it is braked with all its effort"));
}

#[test]
fn a_base_that_was_braked_to_a_stop_gets_no_effort() {
    for speed in [0.5, -0.5] {
        let mut rolling = Rolling::new();
        rolling.run(100, Some(0.0));
        let (effort, driven) = rolling.run(6000, Some(speed));
        assert!((driven * 0.1 - speed).abs() < 0.05 && effort * speed > 0.0, "{effort} {driven}");
        // Friction alone would take 5 / (1.5 / 0.5) = 1.7 s.
        assert_eq!(rolling.run(1000, Some(0.0)), (0.0, 0.0), "{speed}");
    }
}

#[test]
fn a_stop_ends_the_command_and_a_zero_has_to_come() {
    let mut vehicle = Vehicle::new();
    vehicle.send(0.0, 0.0);
    vehicle.send(0.5, 0.0);
    vehicle.controller.receive(0, &mut Message::Stop, vehicle.now);
    assert_eq!(vehicle.step(0.0, 0.0), (0.0, 0.0));
    vehicle.send(0.5, 0.0);
    assert_eq!(vehicle.step(0.0, 0.0), (0.0, 0.0));
}

/// Motion without a zero before it is reported when it begins, and its end too.
#[test]
fn motion_that_waits_for_a_zero_is_said() {
    let mut vehicle = Vehicle::new();
    let reported = |vehicle: &mut Vehicle| {
        vehicle.step(0.0, 0.0);
        let is_odometry = |(_, report): &(usize, Report)| matches!(report, Report::Odometry(_));
        let others = reports(&mut vehicle.controller).into_iter().filter(|one| !is_odometry(one));
        others.map(|(_, report)| report).collect::<Vec<_>>()
    };
    let waits = |waits| [Report::WaitsForZero { input: "cmd_vel", waits }];
    assert_eq!(reported(&mut vehicle), [], "silence waits for nothing");
    vehicle.send(0.5, 0.0);
    assert_eq!(reported(&mut vehicle), waits(true));
    vehicle.send(0.5, 0.0);
    assert_eq!(reported(&mut vehicle), [], "once");
    vehicle.send(0.0, 0.0);
    vehicle.send(0.5, 0.0);
    assert_eq!(reported(&mut vehicle), waits(false));
    vehicle.now = vehicle.now + TIMEOUT;
    assert_eq!(reported(&mut vehicle), [], "it was lost, and nobody asks for motion");
}

#[test]
fn the_odometry_of_an_arc_is_the_circle_it_drives() {
    // A quarter of a circle with radius 1 m: the sides drive 0.75 and 1.25 times π/2 m.
    let mut vehicle = Vehicle::new();
    let steps = 777;
    vehicle.step(0.0, 0.0);
    for _ in 0..steps {
        let way = FRAC_PI_2 / f64::from(steps) / 0.1;
        vehicle.step(0.75 * way, 1.25 * way);
    }
    let Odometry { x, y, heading, linear, angular } = vehicle.odometry();
    assert!(near(x, 1.0) && near(y, 1.0) && near(heading, FRAC_PI_2), "{x} {y} {heading}");
    assert_eq!((linear, angular), (0.0, 0.0), "it stands");
}

/// Each odometry that is reported while the vehicle drives circles of radius 1.5 m, forwards and backwards, to the left and to the right.
#[test]
fn each_odometry_on_a_circle_lies_on_it_at_its_angle() {
    const RADIUS: f64 = 1.5;
    for (forward, turn) in [(0.6, 0.4), (0.6, -0.4), (-0.6, -0.4), (-0.6, 0.4)] {
        let mut vehicle = Vehicle::new();
        // A first step only sets the positions.
        vehicle.step(0.0, 0.0);
        let (left, right) = ((forward - turn * 0.25) / 0.1, (forward + turn * 0.25) / 0.1);
        let center = if forward * turn > 0.0 { RADIUS } else { -RADIUS };
        let mut reported = 0;
        for step in 1..=20_000_u32 {
            vehicle.step(left * 1e-3, right * 1e-3);
            for (_, report) in reports(&mut vehicle.controller) {
                let Report::Odometry(Odometry { x, y, heading, linear, angular }) = report else {
                    panic!("{report:?}")
                };
                let angle = turn * 1e-3 * f64::from(step);
                let (east, north) = (center * angle.sin(), center * (1.0 - angle.cos()));
                assert!(near(x, east) && near(y, north) && near(heading, angle), "{step}: {x} {y} {heading}");
                assert!(near(linear, forward) && near(angular, turn), "{step}: {linear} {angular}");
                reported += 1;
            }
        }
        // More than a turn, at 50 Hz on two outputs.
        assert!(reported >= 2 * 995, "{reported}");
    }
}

/// Wheels that turn as they like: the pose is the product of the exponentials of all twists.
#[test]
fn the_odometry_of_any_ways_is_the_product_of_the_exponentials_of_their_twists() {
    let mut random = fastrand::Rng::with_seed(14);
    let mut vehicle = Vehicle::new();
    vehicle.step(0.0, 0.0);
    let (mut pose, mut heading, mut reported) = (Matrix3::identity(), 0.0, 0);
    for step in 0..5000 {
        let (left, right) = (random.f64() - 0.5, random.f64() - 0.3);
        vehicle.step(left, right);
        let (way, turn) = ((left + right) * 0.05, (right - left) * 0.1 / 0.5);
        pose *= Matrix3::new(0.0, -turn, way, turn, 0.0, 0.0, 0.0, 0.0, 0.0).exp();
        heading += turn;
        for (_, report) in reports(&mut vehicle.controller) {
            let Report::Odometry(found) = report else { panic!("{report:?}") };
            let are_near =
                near(found.x, pose[(0, 2)]) && near(found.y, pose[(1, 2)]) && near(found.heading, heading);
            assert!(are_near, "{step}: {found:?}, must be {pose} {heading}");
            reported += 1;
        }
    }
    assert!(reported > 400 && pose[(0, 2)].hypot(pose[(1, 2)]) > 1.0, "{reported} {pose}");
}

#[test]
fn the_odometry_turns_on_the_spot_and_counts_its_turns() {
    let mut vehicle = Vehicle::new();
    vehicle.step(0.0, 0.0);
    for _ in 0..1000 {
        // Three turns: each side drives 3 · π · 0.5 m.
        vehicle.step(-3.0 * TAU * 0.25 / 0.1 / 1000.0, 3.0 * TAU * 0.25 / 0.1 / 1000.0);
    }
    let Odometry { x, y, heading, .. } = vehicle.odometry();
    assert!(near(x, 0.0) && near(y, 0.0) && near(heading, 3.0 * TAU), "{x} {y} {heading}");
}

#[test]
fn a_wheel_whose_state_is_not_finite_stops_the_vehicle() {
    for (position, velocity) in [(f64::NAN, 0.0), (0.0, f64::INFINITY)] {
        let mut vehicle = Vehicle::new();
        vehicle.step(0.0, 0.0);
        let joint = &mut vehicle.robot.joints_mut()[1];
        (joint.position, joint.velocity) = (position, velocity);
        let mut step = Step { now: vehicle.now, period: PERIOD, robot: &mut vehicle.robot };
        let failure = vehicle.controller.update(&mut step).unwrap_err();
        assert_eq!(failure, ControllerFailure("the state of a wheel is not finite"));
    }
}

#[test]
fn a_position_that_jumps_moves_no_odometry() {
    let mut vehicle = Vehicle::new();
    vehicle.step(0.0, 0.0);
    for jump in [100.0, 0.0] {
        vehicle.step(jump, jump);
        for joint in vehicle.robot.joints_mut() {
            (joint.position, joint.velocity) = (0.0, 0.0);
        }
    }
    let Odometry { x, y, heading, .. } = vehicle.odometry();
    assert_eq!((x, y, heading), (0.0, 0.0, 0.0));
}

#[test]
fn the_odometry_is_said_at_its_rate_on_both_outputs() {
    let mut vehicle = Vehicle::new();
    let kinds: Vec<_> = vehicle.controller.outputs().iter().map(|output| output.kind).collect();
    assert_eq!(kinds, [OutputKind::Odometry, OutputKind::Transform]);
    let mut reported = [0; 2];
    for _ in 0..1001 {
        vehicle.step(0.0, 0.0);
        for (output, _) in reports(&mut vehicle.controller) {
            reported[output] += 1;
        }
    }
    assert!(reported.iter().all(|count| (49..=50).contains(count)), "{reported:?}");
}

#[test]
fn the_states_of_joints_are_those_of_one_step_at_the_rate() {
    let mut robot = bare(&["a", "b", "c"]);
    let mut controller = JointStateController::new(vec![2, 0], 100.0);
    let mut messages = 0;
    for step in 0..101_u32 {
        let now = Instant::from_millis(u64::from(step));
        for (index, joint) in robot.joints_mut().iter_mut().enumerate() {
            joint.position = f64::from(step) + index as f64 * 1000.0;
            (joint.velocity, joint.measured_effort) = (2.0, 3.0);
        }
        let robot = &mut robot;
        controller.update(&mut Step { now, period: PERIOD, robot }).unwrap();
        let reported = reports(&mut controller);
        if !reported.is_empty() {
            let state = |index, position| (0, Report::Joint { index, position, velocity: 2.0, effort: 3.0 });
            assert_eq!(reported, [state(0, f64::from(step) + 2000.0), state(1, f64::from(step))]);
            messages += 1;
        }
    }
    assert_eq!(messages, 9, "later than 10 ms, 20 ms ... 90 ms");
}
