//! The controllers with a law, sample by sample, against the exact sampled solution of the closed loop.
//!
//! The plant is inertia · dv/dt = u - damping · v with constant u over a step. The reference computes it by the matrix exponential
//! and the closed loop by powers of a matrix, with no code of the controllers or the simulation.
#![allow(clippy::unwrap_used)]

use std::f64::consts::{PI, TAU};
use std::time::Duration;

use mechanism::Robot;
use mechanism::controllers::{ControlLoop, Controller, Message, Report, Step};
use mechanism::laws::{Gains, Pid, Point, Trajectory};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{
    Actuator, CalibrationEdges, Joint, JointDynamics, JointKind, JointLimits, SimulatedRobot,
};
use mechanism::standard::{
    Calibration, CalibrationController, Gripper, GripperController, PositionController, Tolerance,
    TrajectoryController, VelocityController,
};
use nalgebra::{DMatrix, DVector, Matrix3};
use safety::Instant;

const PERIOD: Duration = Duration::from_millis(1);
const DT: f64 = 1e-3;
/// A first-order system for the speed, and a pure inertia.
const PLANTS: [JointDynamics; 2] =
    [JointDynamics { inertia: 0.5, damping: 2.0 }, JointDynamics { inertia: 0.2, damping: 0.0 }];
const LAW: Gains = Gains { p: 80.0, i: 60.0, d: 10.0, i_clamp: 1e6, max_effort: f64::INFINITY };

/// A joint that a controller moves as the control loop does.
struct Loop<C> {
    control: ControlLoop,
    plant: SimulatedRobot,
    controller: C,
    now: Instant,
}

impl<C: Controller> Loop<C> {
    fn new(joint: Joint, plant: JointDynamics, controller: C) -> Self {
        let simple = Simple { actuator: 0, joint: 0, reduction: 4.0, simulated: None };
        let robot =
            Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![Transmission::Simple(simple)]);
        let plant = SimulatedRobot::new(&robot, plant);
        let mut this = Self { control: ControlLoop::new(robot), plant, controller, now: Instant::ZERO };
        // Its motor is enabled.
        (0..7).for_each(|_| this.plant.step(&mut this.control.robot, PERIOD));
        let (now, robot) = (this.now, &mut this.control.robot);
        robot.read_actuators();
        this.controller.starting(&mut Step { now, period: PERIOD, robot });
        this
    }

    fn receive(&mut self, mut message: Message) {
        self.controller.receive(0, &mut message, self.now);
    }

    /// One step: what the controller saw, position and velocity, and the effort that it answered with.
    fn step(&mut self) -> [f64; 3] {
        let (now, robot) = (self.now, &mut self.control.robot);
        robot.read_actuators();
        robot.zero_commands();
        self.controller.update(&mut Step { now, period: PERIOD, robot }).unwrap();
        robot.write_actuators();
        self.plant.step(robot, PERIOD);
        self.now = self.now + PERIOD;
        let joint = &self.control.robot.joints()[0];
        [joint.position, joint.velocity, joint.commanded_effort]
    }

    fn words(&mut self) -> Vec<&'static str> {
        let report = |report| if let Report::Word(word) = report { word } else { "no word" };
        std::iter::from_fn(|| self.controller.report()).map(|(_, reported)| report(reported)).collect()
    }
}

fn joint(kind: JointKind) -> Joint {
    Joint { is_calibrated: true, ..Joint::new("joint", kind) }
}

fn pid(gains: Gains) -> Pid {
    Pid::new(gains)
}

/// \[position, velocity\] after a step is `a` times that before and `b` times the effort.
fn sampled(plant: JointDynamics) -> (DMatrix<f64>, DVector<f64>) {
    let JointDynamics { inertia, damping } = plant;
    let rates = Matrix3::new(0.0, 1.0, 0.0, 0.0, -damping / inertia, 1.0 / inertia, 0.0, 0.0, 0.0);
    let exponential = (rates * DT).exp();
    (
        DMatrix::from_fn(2, 2, |row, column| exponential[(row, column)]),
        DVector::from_fn(2, |row, _| exponential[(row, 2)]),
    )
}

/// The closed loop on the state \[position, velocity, integral before the step, 1, step's number\]: one step is a
/// multiplication with the matrix, and the effort of a step is the row times the state.
///
/// effort = p · error + d · rate + integral + i · error · dt, error = command + slope · number - position (or - velocity).
struct Linear {
    matrix: DMatrix<f64>,
    effort: DVector<f64>,
}

impl Linear {
    fn new(plant: JointDynamics, gains: Gains, controls_speed: bool, command: f64, slope: f64) -> Self {
        let measured = usize::from(controls_speed);
        let mut error = DVector::zeros(5);
        (error[measured], error[3], error[4]) = (-1.0, command, slope);
        let mut effort = &error * (gains.p + gains.i * DT);
        effort[2] += 1.0;
        if !controls_speed {
            effort[1] -= gains.d;
        }
        let (a, b) = sampled(plant);
        let mut matrix = DMatrix::identity(5, 5);
        matrix.view_mut((0, 0), (2, 2)).copy_from(&a);
        matrix.view_mut((0, 0), (2, 5)).zip_apply(&(&b * effort.transpose()), |entry, more| *entry += more);
        matrix.row_mut(2).zip_apply(&(&error * gains.i * DT).transpose(), |entry, more| *entry += more);
        matrix[(4, 3)] += 1.0;
        Self { matrix, effort }
    }

    /// Position, velocity and effort in the step `number` after one with the state `from`: a power of the matrix.
    fn at(&self, number: u32, from: [f64; 3]) -> [f64; 3] {
        let from = DVector::from_column_slice(&[from[0], from[1], from[2], 1.0, 0.0]);
        let state = self.matrix.pow(number) * from;
        [state[0], state[1], self.effort.dot(&state)]
    }
}

fn assert_near(found: [f64; 3], expected: [f64; 3], context: impl std::fmt::Debug) {
    // Relative to the greatest efforts, which are about 100.
    let are_near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-9);
    assert!(are_near, "{context:?}: {found:?}, must be {expected:?}");
}

#[test]
fn a_joint_follows_a_position_as_the_sampled_solution_does() {
    for plant in PLANTS {
        for command in [0.7, -0.3] {
            let mut joint =
                Loop::new(joint(JointKind::Revolute), plant, PositionController::new(0, pid(LAW)));
            joint.receive(Message::Float(command));
            let linear = Linear::new(plant, LAW, false, command, 0.0);
            for number in 0..4000 {
                assert_near(joint.step(), linear.at(number, [0.0; 3]), (plant, command, number));
            }
        }
    }
}

#[test]
fn a_command_in_motion_goes_on_from_the_state_and_the_integral_of_the_one_before() {
    let plant = PLANTS[0];
    let mut joint = Loop::new(joint(JointKind::Prismatic), plant, PositionController::new(0, pid(LAW)));
    let mut from = [0.0; 3];
    for command in [0.4, -0.2, 0.1] {
        joint.receive(Message::Float(command));
        let linear = Linear::new(plant, LAW, false, command, 0.0);
        for number in 0..150 {
            assert_near(joint.step(), linear.at(number, from), (command, number));
        }
        let state =
            linear.matrix.pow(150) * DVector::from_column_slice(&[from[0], from[1], from[2], 1.0, 0.0]);
        from = [state[0], state[1], state[2]];
    }
}

#[test]
fn a_joint_gets_to_a_speed_as_the_sampled_solution_does() {
    let gains = Gains { p: 6.0, i: 40.0, ..LAW };
    for plant in PLANTS {
        let controller = VelocityController::new(0, pid(gains), Duration::from_secs(60));
        let mut joint = Loop::new(joint(JointKind::Continuous), plant, controller);
        joint.receive(Message::Float(1.5));
        let linear = Linear::new(plant, gains, true, 1.5, 0.0);
        for number in 0..3000 {
            assert_near(joint.step(), linear.at(number, [0.0; 3]), (plant, number));
        }
    }
}

/// A joint that carries a load of 1 Nm is commanded to 0.3 rad/s, is stopped by an obstacle for 2 s, and then not commanded any more.
#[test]
fn after_a_command_a_stopped_joint_is_pushed_by_no_more_than_its_load() {
    let gains = Gains { p: 2.0, i: 10.0, d: 0.0, i_clamp: 5.0, max_effort: f64::INFINITY };
    let mut controller = VelocityController::new(0, pid(gains), Duration::from_millis(200));
    let mut robot = Robot::from_parts(vec![joint(JointKind::Continuous)], Vec::new(), Vec::new());
    let mut now = Instant::ZERO;
    controller.starting(&mut Step { now, period: PERIOD, robot: &mut robot });
    let mut run = |millis: usize, command: Option<f64>, is_blocked: bool| {
        let mut effort = 0.0;
        for _ in 0..millis {
            if let Some(command) = command {
                controller.receive(0, &mut Message::Float(command), now);
            }
            robot.zero_commands();
            controller.update(&mut Step { now, period: PERIOD, robot: &mut robot }).unwrap();
            let joint = &mut robot.joints_mut()[0];
            effort = joint.commanded_effort;
            joint.velocity = if is_blocked { 0.0 } else { joint.velocity + (effort - 1.0) / 0.2 * DT };
            now = now + PERIOD;
        }
        (effort, robot.joints()[0].velocity)
    };
    let (effort, speed) = run(3000, Some(0.3), false);
    assert!((effort - 1.0).abs() < 0.01 && (speed - 0.3).abs() < 0.01, "{effort} {speed}");
    assert!(run(2000, Some(0.3), true).0 > 5.0);
    let (effort, _) = run(300, None, true);
    assert!((effort - 1.0).abs() < 0.05, "{effort}");
    let (effort, speed) = run(2000, None, false);
    assert!((effort - 1.0).abs() < 0.01 && speed.abs() < 0.01, "{effort} {speed}");
}

/// Without an integral the closed loop is a geometric series: v = v∞ (1 - rⁿ), r = a - b p, v∞ = b p command / (1 - r).
#[test]
fn a_speed_without_an_integral_is_a_geometric_series_and_its_time_out_another() {
    let JointDynamics { inertia, damping } = PLANTS[0];
    let timeout = Duration::from_millis(200);
    let gains = Gains { p: 6.0, i: 0.0, ..LAW };
    let a = (-damping / inertia * DT).exp();
    let b = (1.0 - a) / damping;
    let ratio = a - b * 6.0;
    let end = b * 6.0 * 1.5 / (1.0 - ratio);
    let controller = VelocityController::new(0, pid(gains), timeout);
    let mut joint = Loop::new(joint(JointKind::Continuous), PLANTS[0], controller);
    joint.receive(Message::Float(1.5));
    for number in 0..1000 {
        let [_, velocity, effort] = joint.step();
        // 200 ms after the command it counts no more.
        let (expected, command) = if number < 200 {
            (end * (1.0 - ratio.powi(number)), 1.5)
        } else {
            (end * (1.0 - ratio.powi(200)) * ratio.powi(number - 200), 0.0)
        };
        assert!((velocity - expected).abs() < 1e-11, "{number}: {velocity}, must be {expected}");
        assert!((effort - 6.0 * (command - expected)).abs() < 1e-10, "{number}: {effort}");
    }
}

/// The command turns on and on, and is given as a robot's planner does: within half a turn of zero. The joint follows the
/// sampled solution for a command that grows without end, through five turns in each direction.
#[test]
fn a_continuous_joint_follows_a_command_through_its_turns_without_a_jump() {
    for slope in [3.0e-3 * TAU, -3.0e-3 * TAU] {
        let mut joint =
            Loop::new(joint(JointKind::Continuous), PLANTS[0], PositionController::new(0, pid(LAW)));
        let linear = Linear::new(PLANTS[0], LAW, false, 0.0, slope);
        let mut wraps = 0;
        let mut before = 0.0;
        for number in 0..1700 {
            let command = slope * f64::from(number);
            let within = command.sin().atan2(command.cos());
            wraps += u32::from((within - before).abs() > PI);
            before = within;
            joint.receive(Message::Float(within));
            assert_near(joint.step(), linear.at(number, [0.0; 3]), (slope, number));
        }
        assert_eq!(wraps, 5);
    }
}

/// While the effort is at its limit the plant has a constant effort and the integral stays zero; from the first step on in which
/// the law is within the limit, the loop is linear. Both have their own solution.
#[test]
fn a_position_that_saturates_is_reached_without_a_wound_up_integral() {
    const MOST: f64 = 2.0;
    let gains = Gains { p: 20.0, i: 30.0, d: 8.0, i_clamp: 1e6, max_effort: MOST };
    for plant in PLANTS {
        let mut joint = Loop::new(joint(JointKind::Revolute), plant, PositionController::new(0, pid(gains)));
        joint.receive(Message::Float(1.0));
        let (a, b) = sampled(plant);
        let (mut state, mut saturated) = (DVector::zeros(2), 0);
        while gains.p * (1.0 - state[0]) - gains.d * state[1] + gains.i * (1.0 - state[0]) * DT > MOST {
            assert_near(joint.step(), [state[0], state[1], MOST], (plant, saturated));
            state = &a * state + &b * MOST;
            saturated += 1;
        }
        assert!(saturated > 100, "{plant:?}: the case is about a limit, {saturated} steps");
        let linear = Linear::new(plant, gains, false, 1.0, 0.0);
        let from = [state[0], state[1], 0.0];
        for number in 0..3000 {
            let expected = linear.at(number, from);
            assert!(expected[2].abs() <= MOST, "{plant:?}: the reference saturates again in step {number}");
            assert_near(joint.step(), expected, (plant, saturated, number));
        }
    }
}

/// The law as a sum over history: which of the errors count is decided by the direction in which each would push.
struct Reference {
    gains: Gains,
    counted: Vec<f64>,
}

impl Reference {
    fn effort(&mut self, error: f64, rate: f64) -> f64 {
        let Gains { p, i, d, i_clamp, max_effort: most } = self.gains;
        let held = self.counted.last().copied().unwrap_or(0.0);
        let next = (held + i * error * DT).max(-i_clamp).min(i_clamp);
        let free = p * error + d * rate + next;
        let pushes_out = (free > most && next > held) || (free < -most && next < held);
        self.counted.push(if pushes_out { held } else { next });
        (p * error + d * rate + self.counted.last().unwrap()).max(-most).min(most)
    }
}

#[test]
fn the_integral_counts_an_error_unless_it_pushes_further_out_or_the_term_is_full() {
    let mut random = fastrand::Rng::with_seed(14);
    let mut uniform = move |most: f64| (random.f64() * 2.0 - 1.0) * most;
    let (mut at_limit, mut full, mut refused) = (0, 0, 0);
    for _ in 0..40 {
        let gains = Gains {
            p: uniform(10.0).abs(),
            i: uniform(400.0).abs(),
            d: uniform(2.0).abs(),
            i_clamp: uniform(4.0).abs(),
            max_effort: 1.0 + uniform(6.0).abs(),
        };
        let mut reference = Reference { gains, counted: Vec::new() };
        let mut robot = Robot::from_parts(vec![joint(JointKind::Revolute)], Vec::new(), Vec::new());
        let mut controller = PositionController::new(0, pid(gains));
        let now = Instant::ZERO;
        controller.starting(&mut Step { now, period: PERIOD, robot: &mut robot });
        let command = uniform(1.0);
        controller.receive(0, &mut Message::Float(command), now);
        for number in 0..500 {
            robot.zero_commands();
            let joint = &mut robot.joints_mut()[0];
            // A joint that swings, so that the integral winds and unwinds.
            let phase = f64::from(number) * 0.02;
            (joint.position, joint.velocity) = (command + phase.sin() + uniform(0.1), uniform(0.5));
            let (error, rate) = (command - joint.position, -joint.velocity);
            controller.update(&mut Step { now, period: PERIOD, robot: &mut robot }).unwrap();
            let (found, expected) = (robot.joints()[0].commanded_effort, reference.effort(error, rate));
            assert!((found - expected).abs() < 1e-12, "{gains:?} {number}: {found}, must be {expected}");
            at_limit += u32::from(found.abs() == gains.max_effort);
            let [.., before, last] = reference.counted[..] else { continue };
            full += u32::from(last.abs() == gains.i_clamp);
            refused += u32::from(before == last && last.abs() < gains.i_clamp);
        }
    }
    assert!(at_limit > 500 && full > 500 && refused > 500, "{at_limit} {full} {refused}");
}

/// A trajectory of one cubic: the desired position and velocity of each step follow from the polynomial, the joint from the
/// recurrence of plant and law.
#[test]
fn a_cubic_is_followed_as_the_recurrence_of_plant_and_law_says() {
    let tolerance = Tolerance { path: f64::INFINITY, goal: f64::INFINITY, time: Duration::from_secs(60) };
    for plant in PLANTS {
        let controller = TrajectoryController::new([(0, pid(LAW))], tolerance);
        let mut joint = Loop::new(joint(JointKind::Revolute), plant, controller);
        let point = Point {
            time: Duration::from_secs(2),
            positions: vec![0.8],
            velocities: vec![0.0],
            ..Point::default()
        };
        joint.receive(Message::Trajectory(Some(Box::new(Trajectory::new(1, vec![point]).unwrap().into()))));
        let (a, b) = sampled(plant);
        let (mut state, mut integral) = (DVector::zeros(2), 0.0);
        for number in 0..3000 {
            // From rest to rest in 2 s: 0.8 (3 s² - 2 s³), s = t / 2.
            let s = (f64::from(number) * DT / 2.0).min(1.0);
            let (desired, rate) = (0.8 * s * s * (3.0 - 2.0 * s), 0.8 * 3.0 * s * (1.0 - s));
            let error = desired - state[0];
            integral += LAW.i * error * DT;
            let effort = LAW.p * error + LAW.d * (rate - state[1]) + integral;
            assert_near(joint.step(), [state[0], state[1], effort], (plant, number));
            state = &a * state + &b * effort;
        }
    }
}

/// A gripper closes on an object that stops it: it moves under the greatest effort of its law until it is there, stands, and says
/// so when the time of a stall has passed to the millisecond.
#[test]
fn a_gripper_reaches_an_object_and_reports_the_stall_in_the_steps_of_the_solution() {
    const OBJECT: f64 = 0.05;
    let gains = Gains { p: 400.0, i: 0.0, d: 4.0, i_clamp: 0.0, max_effort: 1.0 };
    let mut part = joint(JointKind::Prismatic);
    part.limits = Some(JointLimits { effort: 100.0, velocity: 5.0, lower: 0.0, upper: OBJECT });
    let settings = Gripper { tolerance: 0.002, stall_velocity: 1e-6, stall_time: Duration::from_millis(300) };
    let controller = GripperController::new(PositionController::new(0, pid(gains)), settings);
    let mut gripper = Loop::new(part, PLANTS[0], controller);
    gripper.control.robot.joints_mut()[0].limits =
        Some(JointLimits { effort: 100.0, velocity: 5.0, lower: 0.0, upper: 0.1 });
    gripper.receive(Message::Float(0.1));
    assert_eq!(gripper.step(), [0.0, 0.0, 1.0]);
    assert_eq!(gripper.words(), ["moving"]);
    let JointDynamics { inertia, damping } = PLANTS[0];
    // From rest with a constant effort: v = u/d (1 - e), x = u/d (t - (1 - e) J/d), with e = exp(-d t / J).
    let free = |number: u32| {
        let time = f64::from(number) * DT;
        let gone = -(-damping / inertia * time).exp_m1();
        [(time - gone * inertia / damping) / damping, gone / damping]
    };
    let mut number = 1;
    while free(number)[0] < OBJECT {
        let [position, velocity] = free(number);
        assert_near(gripper.step(), [position, velocity, 1.0], number);
        number += 1;
    }
    assert_eq!(gripper.words(), [""; 0], "it still moves");
    for held in 0..300 {
        assert_near(gripper.step(), [OBJECT, 0.0, 1.0], held);
        assert_eq!(gripper.words(), [""; 0], "{held} ms");
    }
    assert_near(gripper.step(), [OBJECT, 0.0, 1.0], "300 ms");
    assert_eq!(gripper.words(), ["stalled"]);
}

/// The search is a motion at a speed, whose solution says in which step the sensor reads high, and where the edge is noted.
#[test]
fn a_calibration_finds_the_edge_in_the_step_and_at_the_place_of_the_solution() {
    const EDGE: f64 = 0.1;
    let gains = Gains { p: 6.0, i: 40.0, ..LAW };
    for plant in PLANTS {
        let part = Joint {
            calibration: CalibrationEdges { rising: Some(EDGE), falling: None },
            ..Joint::new("joint", JointKind::Revolute)
        };
        let settings = Calibration { velocity: 0.5, is_forced: false, timeout: Duration::from_secs(20) };
        let mut joint = Loop::new(part, plant, CalibrationController::new(0, 0, pid(gains), settings));
        let linear = Linear::new(plant, gains, true, 0.5, 0.0);
        let at = |number| linear.at(number, [0.0; 3]);
        let high = (0..).find(|&number| at(number)[0] > EDGE).unwrap();
        // The sensor reads low at the beginning, so that the search begins in the first step.
        for number in 0..high {
            assert_near(joint.step(), at(number), (plant, number));
            assert!(!joint.control.robot.joints()[0].is_calibrated);
        }
        // It is found: the law begins anew, to stand. In the next step the position counts from the edge.
        let [position, velocity, _] = at(high);
        let effort = -(gains.p + gains.i * DT) * velocity;
        assert_near(joint.step(), [position, velocity, effort], (plant, high));
        let (a, b) = sampled(plant);
        let next = &a * DVector::from_column_slice(&[position, velocity]) + &b * effort;
        let noted = at(high - 1)[0];
        let [position, velocity, _] = joint.step();
        assert!(joint.control.robot.joints()[0].is_calibrated);
        assert!((position - (next[0] - noted + EDGE)).abs() < 1e-9, "{plant:?}: {position}");
        assert!((velocity - next[1]).abs() < 1e-9, "{plant:?}: {velocity}");
    }
}
