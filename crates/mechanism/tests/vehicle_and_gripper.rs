//! The controllers of vehicles, grippers, states and calibration, against closed forms.
#![allow(clippy::unwrap_used)]

use std::f64::consts::{FRAC_PI_2, TAU};
use std::time::Duration;

use mechanism::Robot;
use mechanism::controllers::{
    ControlLoop, Controller, ControllerFailure, Message, Odometry, OutputKind, Report, Step,
};
use mechanism::laws::{Gains, Pid};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{
    Actuator, CalibrationEdges, Joint, JointDynamics, JointKind, JointLimits, SimulatedRobot,
};
use mechanism::standard::{
    Calibration, CalibrationController, DiffDrive, DiffDriveController, Gripper, GripperController,
    JointStateController, LOW_STEPS, PositionController,
};
use units::{Clock, Command, Instant, Stamp, Velocity};

const PERIOD: Duration = Duration::from_millis(1);
const TIMEOUT: Duration = Duration::from_millis(500);

/// Joints of these names that tests set by hand.
fn bare(names: &[&str]) -> Robot {
    let joints = names.iter().map(|name| Joint::new(*name, JointKind::Continuous)).collect();
    Robot::from_parts(joints, Vec::new(), Vec::new())
}

fn proportional() -> Pid {
    Pid::new(Gains { p: 1.0, i: 0.0, d: 0.0, i_most: 0.0, most: 1e6 }).unwrap()
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
        vehicle.controller.starting(&mut Step { now, period: PERIOD, robot }).unwrap();
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
    vehicle.controller.starting(&mut Step { now, period: PERIOD, robot }).unwrap();
    assert_eq!(vehicle.step(0.0, 0.0), (0.0, 0.0));
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
    let mut said = [0; 2];
    for _ in 0..1001 {
        vehicle.step(0.0, 0.0);
        for (output, _) in reports(&mut vehicle.controller) {
            said[output] += 1;
        }
    }
    assert!(said.iter().all(|count| (49..=50).contains(count)), "{said:?}");
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
        let said = reports(&mut controller);
        if !said.is_empty() {
            let state = |index, position| (0, Report::Joint { index, position, velocity: 2.0, effort: 3.0 });
            assert_eq!(said, [state(0, f64::from(step) + 2000.0), state(1, f64::from(step))]);
            messages += 1;
        }
    }
    assert_eq!(messages, 9, "later than 10 ms, 20 ms ... 90 ms");
}

/// A joint on a simulated motor, with inertia 0.5 and damping 2, that a controller moves as the control loop does.
struct Motor<C> {
    control: ControlLoop,
    simulation: SimulatedRobot,
    controller: C,
    now: Instant,
    /// Where the encoder begins \[rad at the motor\].
    offset: f64,
}

impl<C: Controller> Motor<C> {
    fn new(joint: Joint, position: f64, controller: C) -> Self {
        let simple = Simple { actuator: 0, joint: 0, reduction: 10.0, simulated: None };
        let robot =
            Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![Transmission::Simple(simple)]);
        let mut placed = robot.clone();
        placed.joints_mut()[0].position = position;
        let simulation = SimulatedRobot::new(&placed, JointDynamics { inertia: 0.5, damping: 2.0 });
        let mut motor = Self {
            control: ControlLoop::new(robot),
            simulation,
            controller,
            now: Instant::ZERO,
            offset: 0.0,
        };
        (0..7).for_each(|_| motor.simulation.step(motor.control.robot_mut(), PERIOD));
        motor.control.robot_mut().read_actuators();
        motor
    }

    fn start(&mut self) -> Result<(), ControllerFailure> {
        let (now, robot) = (self.now, self.control.robot_mut());
        robot.read_actuators();
        self.controller.starting(&mut Step { now, period: PERIOD, robot })
    }

    fn step(&mut self) -> Result<Vec<Report>, ControllerFailure> {
        self.now = self.now + PERIOD;
        let (now, robot) = (self.now, self.control.robot_mut());
        let edges = |robot: &Robot| {
            let state = robot.actuators()[0].state;
            [state.last_calibration_rising_edge, state.last_calibration_falling_edge]
        };
        let before = edges(robot);
        self.simulation.step(robot, PERIOD);
        let [rising, falling] = edges(robot).map(|edge| edge.map(|edge| edge + self.offset));
        let after = edges(robot);
        let state = &mut robot.actuators_mut()[0].state;
        state.position += self.offset;
        if after[0] != before[0] {
            state.last_calibration_rising_edge = rising;
        }
        if after[1] != before[1] {
            state.last_calibration_falling_edge = falling;
        }
        robot.read_actuators();
        robot.zero_commands();
        self.controller.update(&mut Step { now, period: PERIOD, robot })?;
        robot.enforce_limits();
        robot.write_actuators();
        Ok(reports(&mut self.controller).into_iter().map(|(_, report)| report).collect())
    }

    fn run(&mut self, steps: usize) -> Result<Vec<Report>, ControllerFailure> {
        let mut said = Vec::new();
        for _ in 0..steps {
            said.extend(self.step()?);
        }
        Ok(said)
    }

    fn joint(&self) -> &Joint {
        &self.control.robot().joints()[0]
    }
}

fn slide() -> Joint {
    let mut joint = Joint::new("gap", JointKind::Prismatic);
    joint.limits = Some(JointLimits { effort: 100.0, velocity: 5.0, lower: 0.0, upper: 0.1 });
    joint.is_calibrated = true;
    joint
}

fn gripper(joint: Joint) -> Motor<GripperController> {
    let pid = Pid::new(Gains { p: 400.0, i: 0.0, d: 40.0, i_most: 0.0, most: 5.0 }).unwrap();
    let settings =
        Gripper { tolerance: 0.002, stall_velocity: 0.001, stall_time: Duration::from_millis(300) };
    Motor::new(joint, 0.0, GripperController::new(PositionController::new(0, pid), settings))
}

#[test]
fn a_gripper_says_when_it_moves_and_when_it_has_arrived() {
    let mut motor = gripper(slide());
    motor.start().unwrap();
    assert_eq!(motor.run(10).unwrap(), [Report::Word("holding")]);
    motor.controller.receive(0, &mut Message::Float(0.08), motor.now);
    assert_eq!(motor.run(3000).unwrap(), [Report::Word("moving"), Report::Word("reached")]);
    assert!((motor.joint().position - 0.08).abs() <= 0.002);
}

#[test]
fn a_gripper_that_meets_an_object_is_stalled_and_keeps_its_force() {
    let mut joint = slide();
    // The object: the joint cannot pass 0.05, of which the controller knows nothing.
    joint.limits = Some(JointLimits { effort: 100.0, velocity: 5.0, lower: 0.0, upper: 0.05 });
    let mut motor = gripper(joint);
    motor.control.robot_mut().joints_mut()[0].limits =
        Some(JointLimits { effort: 100.0, velocity: 5.0, lower: 0.0, upper: 0.1 });
    motor.start().unwrap();
    motor.step().unwrap();
    motor.controller.receive(0, &mut Message::Float(0.08), motor.now);
    let said = motor.run(3000).unwrap();
    assert_eq!(said, [Report::Word("moving"), Report::Word("stalled")]);
    assert_eq!(motor.joint().commanded_effort, 5.0, "the greatest effort of the law");
    // It opens again.
    motor.controller.receive(0, &mut Message::Float(0.0), motor.now);
    assert_eq!(motor.run(3000).unwrap(), [Report::Word("moving"), Report::Word("reached")]);
}

#[test]
fn a_gripper_does_not_start_without_an_absolute_position() {
    let mut motor = gripper(Joint { is_calibrated: false, ..slide() });
    assert_eq!(motor.start(), Err(ControllerFailure("its joint is not calibrated")));
}

const CALIBRATION: Calibration =
    Calibration { velocity: 0.5, is_forced: false, timeout: Duration::from_secs(20) };

fn calibration(
    edges: (Option<f64>, Option<f64>),
    position: f64,
    settings: Calibration,
) -> Motor<CalibrationController> {
    let pid = Pid::new(Gains { p: 20.0, i: 20.0, d: 0.0, i_most: 20.0, most: 50.0 }).unwrap();
    let mut joint = Joint::new("pan", JointKind::Revolute);
    joint.limits = Some(JointLimits { effort: 100.0, velocity: 5.0, lower: -2.0, upper: 2.0 });
    joint.calibration = CalibrationEdges { rising: edges.0, falling: edges.1 };
    Motor::new(joint, position, CalibrationController::new(0, 0, pid, settings))
}

#[test]
fn calibration_finds_the_absolute_position_from_both_sides_of_the_edge() {
    // The encoder is wrong by 12.3 rad, which are 1.23 rad at the joint.
    for (edges, velocity) in [((Some(0.4), None), 0.5), ((None, Some(-0.3)), -0.5)] {
        for position in [-1.2, -0.5, 0.6, 1.1] {
            let mut motor = calibration(edges, position, Calibration { velocity, ..CALIBRATION });
            motor.offset = 12.3;
            motor.start().unwrap();
            assert!(!motor.joint().is_calibrated);
            let said = motor.run(12_000).unwrap();
            assert!(motor.joint().is_calibrated, "{position}");
            let truth = motor.simulation.joints()[0].position;
            // The edge lies within the way of a step, 0.5 mm at 0.5 rad/s.
            let error = motor.joint().position - truth;
            assert!(error.abs() < 1e-3, "{position}: {error}");
            assert!(said.len() > 3 && said.iter().all(|report| *report == Report::Event), "{}", said.len());
            assert!(motor.joint().velocity.abs() < 0.01, "it stands");
        }
    }
}

#[test]
fn a_calibrated_joint_is_calibrated_again_only_by_force() {
    let mut motor = calibration((Some(0.4), None), 0.0, CALIBRATION);
    motor.control.robot_mut().joints_mut()[0].is_calibrated = true;
    motor.start().unwrap();
    let said = motor.run(1200).unwrap();
    assert!(motor.joint().is_calibrated && motor.joint().position.abs() < 1e-9);
    assert_eq!(said, [Report::Event; 2]);
    motor.controller = CalibrationController::new(
        0,
        0,
        Pid::new(Gains { p: 20.0, i: 0.0, d: 0.0, i_most: 0.0, most: 50.0 }).unwrap(),
        Calibration { is_forced: true, ..CALIBRATION },
    );
    motor.start().unwrap();
    assert!(!motor.joint().is_calibrated);
}

#[test]
fn the_restart_after_a_halt_calibrates_no_joint_again() {
    let mut motor = calibration((Some(0.4), None), 0.0, Calibration { is_forced: true, ..CALIBRATION });
    motor.start().unwrap();
    motor.run(3000).unwrap();
    assert!(motor.joint().is_calibrated);
    motor.start().unwrap();
    assert!(motor.joint().is_calibrated, "a restart is no request to move to the sensor");
}

#[test]
fn a_search_ends_with_a_halt_and_does_not_begin_in_one() {
    let mut motor = calibration((Some(0.4), None), 0.0, CALIBRATION);
    motor.start().unwrap();
    motor.run(50).unwrap();
    motor.simulation.halt();
    motor.simulation.step(motor.control.robot_mut(), PERIOD);
    assert_eq!(motor.step(), Err(ControllerFailure("the motors are halted")));
    assert_eq!(motor.start(), Err(ControllerFailure("the motors are halted")));
    assert!(!motor.joint().is_calibrated);
}

#[test]
fn the_limits_use_a_position_only_after_it_counts_from_the_edge() {
    // Soft limits from 1 on; the encoder reads 1.23 rad too much.
    let mut motor = calibration((Some(0.4), None), 0.3, CALIBRATION);
    motor.offset = 12.3;
    motor.start().unwrap();
    let mut before = motor.joint().position;
    for _ in 0..12_000 {
        motor.step().unwrap();
        if motor.joint().is_calibrated {
            break;
        }
        before = motor.joint().position;
    }
    assert!(motor.joint().is_calibrated);
    // In the step that calibrates the joint, it is at its absolute position, 0.4; before it was at 1.63.
    assert!((motor.joint().position - 0.4).abs() < 0.01, "{} after {before}", motor.joint().position);
}

#[test]
fn a_position_is_not_held_in_a_frame_that_is_no_longer_known() {
    let mut motor = gripper(slide());
    motor.start().unwrap();
    motor.step().unwrap();
    motor.control.robot_mut().joints_mut()[0].is_calibrated = false;
    assert_eq!(motor.step(), Err(ControllerFailure("its joint is no longer calibrated")));
}

#[test]
fn a_gripper_holds_no_object_while_its_motor_is_halted() {
    let mut motor = gripper(slide());
    motor.start().unwrap();
    motor.step().unwrap();
    motor.controller.receive(0, &mut Message::Float(0.08), motor.now);
    motor.simulation.halt();
    let said = motor.run(3000).unwrap();
    assert_eq!(said.last(), Some(&Report::Word("halted")), "{said:?}");
    assert!(!said.contains(&Report::Word("stalled")));
}

#[test]
fn calibration_fails_when_the_sensor_never_changes() {
    // Beyond the end stop.
    let mut motor = calibration((Some(3.0), None), 0.0, CALIBRATION);
    motor.start().unwrap();
    let failure = motor.run(25_000).unwrap_err();
    assert_eq!(failure, ControllerFailure("the calibration sensor did not change in time"));
    assert!(!motor.joint().is_calibrated);
}

#[test]
fn a_joint_on_the_sensor_leaves_it_by_some_steps_first() {
    let mut motor = calibration((Some(0.4), None), 0.41, CALIBRATION);
    motor.start().unwrap();
    let mut lowest = f64::INFINITY;
    for _ in 0..3000 {
        motor.step().unwrap();
        lowest = lowest.min(motor.simulation.joints()[0].position);
    }
    // 200 steps at 0.5 rad/s are 0.1 rad.
    assert!(f64::from(LOW_STEPS) * 0.5e-3 * 0.7 < 0.4 - lowest, "{lowest}");
    assert!(motor.joint().is_calibrated);
}
