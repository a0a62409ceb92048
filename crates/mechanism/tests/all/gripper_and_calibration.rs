//! The controllers of grippers and of calibration, on a simulated motor.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use mechanism::Robot;
use mechanism::controllers::{ControlLoop, Controller, ControllerFailure, Message, Report, Step};
use mechanism::laws::{Gains, Pid};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{
    Actuator, CalibrationEdges, Joint, JointDynamics, JointKind, JointLimits, SimulatedRobot,
};
use mechanism::standard::{
    Calibration, CalibrationController, Gripper, GripperController, LOW_STEPS, PositionController,
};
use safety::Instant;

const PERIOD: Duration = Duration::from_millis(1);

fn reports(controller: &mut impl Controller) -> Vec<(usize, Report)> {
    std::iter::from_fn(|| controller.report()).collect()
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
        (0..7).for_each(|_| motor.simulation.step(&mut motor.control.robot, PERIOD));
        motor.control.robot.read_actuators();
        motor
    }

    fn start(&mut self) -> Result<(), ControllerFailure> {
        let (now, robot) = (self.now, &mut self.control.robot);
        robot.read_actuators();
        self.controller.can_start(robot)?;
        self.controller.starting(&mut Step { now, period: PERIOD, robot });
        Ok(())
    }

    fn step(&mut self) -> Result<Vec<Report>, ControllerFailure> {
        self.now = self.now + PERIOD;
        let (now, robot) = (self.now, &mut self.control.robot);
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
        let mut reported = Vec::new();
        for _ in 0..steps {
            reported.extend(self.step()?);
        }
        Ok(reported)
    }

    fn joint(&self) -> &Joint {
        &self.control.robot.joints()[0]
    }
}

fn slide() -> Joint {
    let mut joint = Joint::new("gap", JointKind::Prismatic);
    joint.limits = Some(JointLimits { effort: 100.0, velocity: 5.0, lower: 0.0, upper: 0.1 });
    joint.is_calibrated = true;
    joint
}

fn gripper(joint: Joint) -> Motor<GripperController> {
    let pid = Pid::new(Gains { p: 400.0, i: 0.0, d: 40.0, i_clamp: 0.0, max_effort: 5.0 });
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
    motor.control.robot.joints_mut()[0].limits =
        Some(JointLimits { effort: 100.0, velocity: 5.0, lower: 0.0, upper: 0.1 });
    motor.start().unwrap();
    motor.step().unwrap();
    motor.controller.receive(0, &mut Message::Float(0.08), motor.now);
    let reported = motor.run(3000).unwrap();
    assert_eq!(reported, [Report::Word("moving"), Report::Word("stalled")]);
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
    let pid = Pid::new(Gains { p: 20.0, i: 20.0, d: 0.0, i_clamp: 20.0, max_effort: 50.0 });
    let mut joint = Joint::new("pan", JointKind::Revolute);
    joint.limits = Some(JointLimits { effort: 100.0, velocity: 5.0, lower: -2.0, upper: 2.0 });
    joint.calibration = CalibrationEdges { rising: edges.0, falling: edges.1 };
    joint.reference_position = -0.7; // the offset of its transmission
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
            let reported = motor.run(12_000).unwrap();
            assert!(motor.joint().is_calibrated, "{position}");
            let truth = motor.simulation.joints()[0].position;
            // The edge lies within the way of a step, 0.5 mm at 0.5 rad/s.
            let error = motor.joint().position - truth;
            assert!(error.abs() < 1e-3, "{position}: {error}");
            assert!(
                reported.len() > 3 && reported.iter().all(|report| *report == Report::Event),
                "{}",
                reported.len()
            );
            assert!(motor.joint().velocity.abs() < 0.01, "it stands");
        }
    }
}

#[test]
fn a_calibrated_joint_is_calibrated_again_only_by_force() {
    let mut motor = calibration((Some(0.4), None), 0.0, CALIBRATION);
    motor.control.robot.joints_mut()[0].is_calibrated = true;
    motor.start().unwrap();
    let reported = motor.run(1200).unwrap();
    assert!(motor.joint().is_calibrated && motor.joint().position.abs() < 1e-9);
    assert_eq!(reported, [Report::Event; 2]);
    motor.controller = CalibrationController::new(
        0,
        0,
        Pid::new(Gains { p: 20.0, i: 0.0, d: 0.0, i_clamp: 0.0, max_effort: 50.0 }),
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
    motor.simulation.step(&mut motor.control.robot, PERIOD);
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
    motor.control.robot.joints_mut()[0].is_calibrated = false;
    assert_eq!(motor.step(), Err(ControllerFailure("its joint is no longer calibrated")));
}

#[test]
fn a_gripper_holds_no_object_while_its_motor_is_halted() {
    let mut motor = gripper(slide());
    motor.start().unwrap();
    motor.step().unwrap();
    motor.controller.receive(0, &mut Message::Float(0.08), motor.now);
    motor.simulation.halt();
    let reported = motor.run(3000).unwrap();
    assert_eq!(reported.last(), Some(&Report::Word("halted")), "{reported:?}");
    assert!(!reported.contains(&Report::Word("stalled")));
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
