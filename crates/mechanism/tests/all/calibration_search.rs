//! The search of a calibration in the control loop: where it goes, how long, and what it leaves behind when it finds nothing.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::time::Duration;

use common::{PERIOD, Rig, switch};
use mechanism::controllers::{ControllerFailure, Refusal, Step};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{
    Actuator, CalibrationEdges, Joint, JointDynamics, JointKind, JointLimits, SimulatedRobot,
};
use mechanism::{BUILTIN_TYPES, Robot, Setup};
use params::Value;
use safety::Instant;

const REDUCTION: f64 = 10.0;

fn joint(kind: JointKind, rising: Option<f64>, falling: Option<f64>) -> Joint {
    Joint {
        limits: Some(JointLimits { effort: 100.0, velocity: 5.0, lower: -2.0, upper: 2.0 }),
        calibration: CalibrationEdges { rising, falling },
        ..Joint::new("pan", kind)
    }
}

/// A joint on a simulated motor in the control loop.
struct Motor {
    rig: Rig,
    simulation: SimulatedRobot,
}

impl Motor {
    /// A joint that is really where `joint` says.
    fn new(joint: Joint) -> Self {
        let simple = Simple { actuator: 0, joint: 0, reduction: REDUCTION, simulated: None };
        let mut robot =
            Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![Transmission::Simple(simple)]);
        let simulation = SimulatedRobot::new(&robot, JointDynamics { inertia: 0.5, damping: 2.0 });
        robot.note_sensors(&simulation);
        let mut motor = Self { rig: Rig::of(robot), simulation };
        motor.run(10);
        motor
    }

    /// A joint whose calibration was wrong by this, and whose zero and reference are not 0.
    fn calibrated_before(joint: Joint) -> Self {
        let mut motor = Self::new(joint);
        motor.rig.control.robot.joints_mut()[0].is_calibrated = true;
        motor.rig.control.robot.joints_mut()[0].reference_position = 0.25;
        motor.rig.control.robot.actuators_mut()[0].state.zero_offset = 1.0 * REDUCTION;
        motor.run(1);
        assert!((motor.error() - WRONG).abs() < 1e-9, "{}", motor.error());
        motor
    }

    fn setup(&self, kind: &str, parameters: &[(&str, Value)]) -> Result<Setup, String> {
        let name = format!("steersman/{kind}");
        let known = BUILTIN_TYPES.iter().find(|known| known.name == name).unwrap();
        let law = [("pid.p", 20.0), ("pid.i", 20.0), ("pid.i_clamp", 20.0), ("pid.max_effort", 50.0)];
        let law = law.iter().map(|&(name, value)| (name.to_owned(), Value::Float(value)));
        let given = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let joint = ("joint".to_owned(), Value::Text("pan".into()));
        known.create(&self.rig.control.robot, given.chain(law).chain([joint]))
    }

    fn load(&mut self, name: &str, kind: &str, parameters: &[(&str, Value)]) {
        let setup = self.setup(kind, parameters).unwrap();
        self.rig.own.push((name.to_owned(), setup.controller));
        self.rig.load(name).unwrap();
    }

    /// Begins a search at this speed.
    fn search(&mut self, velocity: f64, more: &[(&str, Value)]) {
        let parameters = [&[("velocity", Value::Float(velocity))], more].concat();
        self.load("search", "JointCalibrationController", &parameters);
        self.switch(&["search"], &[], 2).unwrap();
    }

    /// Switches at the end of the next step.
    fn switch(&mut self, start: &[&str], stop: &[&str], strictness: i32) -> Result<(), Refusal> {
        let id = self.rig.request(switch(start, stop, strictness));
        self.step();
        self.rig.answer(id).unwrap()
    }

    fn step(&mut self) {
        self.simulation.step(&mut self.rig.control.robot, PERIOD);
        self.rig.step();
    }

    fn run(&mut self, steps: usize) {
        (0..steps).for_each(|_| self.step());
    }

    /// Runs until the search found the edge, 20 s at most.
    fn finish(&mut self) {
        for _ in 0..20_000 {
            if self.joint().is_calibrated {
                return;
            }
            self.step();
        }
        assert!(self.joint().is_calibrated, "{:?}", self.joint());
    }

    fn joint(&self) -> &Joint {
        &self.rig.control.robot.joints()[0]
    }

    /// The calibration: whether there is one, the zero of the actuator, and the reference of the joint.
    fn calibration(&self) -> (bool, f64, f64) {
        let robot = &self.rig.control.robot;
        let (joint, state) = (&robot.joints()[0], &robot.actuators()[0].state);
        (joint.is_calibrated, state.zero_offset, joint.reference_position)
    }

    /// How far the joint's position is off.
    fn error(&self) -> f64 {
        self.joint().position - self.simulation.joints()[0].position
    }

    fn is_running(&self, name: &str) -> bool {
        self.rig.manager.list().iter().any(|one| one.name == name && one.is_running)
    }

    fn failure(&self) -> Option<ControllerFailure> {
        self.rig.manager.failure("search")
    }
}

/// The error of a calibration from before: 0.25 of the reference, and 10 at the actuator.
const WRONG: f64 = 0.25 - 1.0;
const BEFORE: (bool, f64, f64) = (true, 1.0 * REDUCTION, 0.25);
const FORCED: (&str, Value) = ("force_calibration", Value::Bool(true));

/// A controller of positions starts, and holds the joint where it is.
fn assert_holds(motor: &mut Motor) {
    let place = motor.simulation.joints()[0].position;
    motor.load("hold", "JointPositionController", &[("pid.d", Value::Float(5.0))]);
    motor.switch(&["hold"], &[], 2).unwrap();
    motor.run(100);
    let moved = motor.simulation.joints()[0].position - place;
    assert!(motor.is_running("hold") && moved.abs() < 0.05, "it moved by {moved}");
}

#[test]
fn a_search_that_times_out_leaves_the_calibration_from_before() {
    // The edge lies beyond the end stop.
    let mut motor = Motor::calibrated_before(joint(JointKind::Revolute, Some(3.0), None));
    motor.search(0.5, &[FORCED, ("timeout", Value::Float(5.0))]);
    motor.run(4990);
    assert!(!motor.joint().is_calibrated && motor.is_running("search"));
    motor.run(20);
    assert_eq!(motor.failure().unwrap().0, "the calibration sensor did not change in time");
    assert_eq!(motor.calibration(), BEFORE);
    assert!((motor.error() - WRONG).abs() < 1e-9);
    assert_holds(&mut motor);
}

#[test]
fn a_search_that_a_halt_ends_leaves_the_calibration_from_before() {
    let mut motor = Motor::calibrated_before(joint(JointKind::Revolute, Some(0.4), None));
    motor.search(0.5, &[FORCED]);
    motor.run(100);
    assert!(!motor.joint().is_calibrated);
    motor.simulation.halt();
    motor.run(1);
    assert_eq!(motor.failure().unwrap().0, "the motors are halted");
    assert_eq!(motor.calibration(), BEFORE);
    assert!((motor.error() - WRONG).abs() < 1e-9);
    motor.simulation.reset();
    motor.run(10);
    assert_holds(&mut motor);
}

/// Whenever it is stopped the joint is where it was calibrated to be before, or where the edge says: never in between.
#[test]
fn a_search_that_is_stopped_in_any_step_leaves_the_calibration_from_before_or_a_new_one() {
    let edge = joint(JointKind::Revolute, Some(0.4), None);
    let mut motor = Motor::calibrated_before(edge.clone());
    motor.search(0.5, &[FORCED]);
    motor.run(1);
    let steps = (1..20_000).find(|_| {
        motor.step();
        motor.joint().is_calibrated
    });
    let steps = steps.unwrap();
    let (mut old, mut new) = (0, 0);
    for steps in (1..steps - 5).step_by(97).chain(steps - 5..steps + 5) {
        let mut motor = Motor::calibrated_before(edge.clone());
        motor.load("hold", "JointPositionController", &[("pid.d", Value::Float(5.0))]);
        motor.search(0.5, &[FORCED]);
        motor.run(steps);
        // By best effort the holder starts in the very step of the stop.
        let place = motor.simulation.joints()[0].position;
        motor.switch(&["hold"], &["search"], 1).unwrap();
        motor.run(1);
        let error = motor.error();
        if motor.calibration() == BEFORE && (error - WRONG).abs() < 1e-9 {
            old += 1;
        } else {
            assert!(motor.joint().is_calibrated && error.abs() < 1e-3, "{steps}: {error}");
            new += 1;
        }
        motor.run(500);
        let moved = motor.simulation.joints()[0].position - place;
        assert!(motor.is_running("hold") && moved.abs() < 0.1, "{steps}: it moved by {moved}");
    }
    assert!(old >= 5 && new >= 4, "{old} {new}");
}

/// The edge is found in the step before, and the position that this step has read counts from there.
#[test]
fn a_halt_in_the_step_after_the_edge_was_found_ends_no_search() {
    let mut motor = Motor::calibrated_before(joint(JointKind::Revolute, Some(0.4), None));
    motor.search(0.5, &[FORCED]);
    for _ in 0..20_000 {
        if motor.calibration().1 != BEFORE.1 {
            break;
        }
        motor.step();
    }
    assert!(!motor.joint().is_calibrated);
    motor.simulation.halt();
    motor.run(1);
    assert!(motor.joint().is_calibrated && motor.is_running("search") && motor.error().abs() < 1e-3);
}

#[test]
fn a_search_that_is_begun_again_still_knows_the_calibration_from_before() {
    let mut motor = Motor::calibrated_before(joint(JointKind::Revolute, Some(1.5), None));
    motor.search(0.5, &[FORCED]);
    motor.run(100);
    motor.switch(&["search"], &[], 2).unwrap();
    motor.run(100);
    assert!(!motor.joint().is_calibrated);
    motor.switch(&["search"], &["search"], 2).unwrap();
    motor.run(100);
    assert!(!motor.joint().is_calibrated);
    motor.switch(&[], &["search"], 2).unwrap();
    assert_eq!(motor.calibration(), BEFORE);
    motor.switch(&["search"], &[], 2).unwrap();
    motor.run(1);
    assert!(!motor.joint().is_calibrated, "what is forced is still to be done");
    motor.finish();
    assert!(motor.error().abs() < 1e-3);
    motor.switch(&[], &["search"], 2).unwrap();
    motor.switch(&[], &["search"], 2).unwrap();
    motor.run(1);
    assert!(motor.joint().is_calibrated && motor.error().abs() < 1e-3, "the new one stays");
}

#[test]
fn a_joint_that_was_not_calibrated_before_stays_so_after_a_search_that_fails() {
    let mut motor = Motor::new(joint(JointKind::Revolute, Some(3.0), None));
    motor.search(0.5, &[("timeout", Value::Float(1.0))]);
    motor.run(1100);
    assert_eq!(motor.failure().unwrap().0, "the calibration sensor did not change in time");
    assert_eq!(motor.calibration(), (false, 0.0, 0.0));
}

/// Two searches of one joint: the second one began when the joint was not calibrated, and takes nothing from what the first leaves.
#[test]
fn of_two_searches_the_calibration_from_before_both_is_left_in_whatever_order_they_stop() {
    for order in [["search", "late"], ["late", "search"]] {
        let mut motor = Motor::calibrated_before(joint(JointKind::Revolute, Some(1.5), None));
        motor.load("late", "JointCalibrationController", &[("velocity", Value::Float(0.1)), FORCED]);
        motor.search(0.5, &[FORCED]);
        motor.run(1);
        motor.switch(&["late"], &[], 2).unwrap();
        motor.run(100);
        assert!(!motor.joint().is_calibrated);
        motor.switch(&[], &order, 2).unwrap();
        assert_eq!(motor.calibration(), BEFORE, "{order:?}");
    }
}

/// After a hold the period of a step is capped, and the time goes on.
#[test]
fn the_time_out_of_a_search_is_of_the_clock_whatever_the_periods_of_the_steps_are() {
    let motor = Motor::new(joint(JointKind::Revolute, Some(3.0), None));
    let parameters = [("velocity", Value::Float(0.5)), ("timeout", Value::Float(1.0))];
    let mut controller = motor.setup("JointCalibrationController", &parameters).unwrap().controller;
    let mut robot = motor.rig.control.robot.clone();
    let now = |number: u64| Instant::from_millis(5000 + 154 * number);
    let period = Duration::from_millis(10);
    controller.starting(&mut Step { now: now(0), period, robot: &mut robot });
    let failed = (1..1000).find(|&number| {
        let mut step = Step { now: now(number), period, robot: &mut robot };
        controller.update(&mut step).is_err()
    });
    // 6 · 154 ms are 924 ms, and 7 · 154 ms 1078 ms.
    assert_eq!(failed, Some(7));
}

/// A single edge says where the sensor reads high: above a rising one, below a falling one. The sign of `velocity` would lead away.
#[test]
fn a_single_edge_gives_the_direction_of_the_search_and_velocity_its_speed() {
    for kind in [JointKind::Revolute, JointKind::Continuous] {
        for (rising, falling) in [(Some(0.4), None), (None, Some(-0.3))] {
            for velocity in [0.5, -0.5] {
                let mut motor = Motor::new(joint(kind, rising, falling));
                motor.search(velocity, &[]);
                motor.run(50);
                let speed = motor.joint().velocity;
                assert!(speed * if rising.is_some() { 1.0 } else { -1.0 } > 0.1, "{speed}");
                motor.finish();
                let error = motor.error();
                assert!(error.abs() < 1e-3, "{kind:?} {rising:?} {falling:?} {velocity}: {error}");
            }
        }
    }
}

#[test]
fn a_continuous_joint_with_both_edges_is_searched_in_the_direction_of_velocity() {
    for velocity in [0.5, -0.5] {
        let mut motor = Motor::new(joint(JointKind::Continuous, Some(0.4), Some(-0.3)));
        motor.search(velocity, &[]);
        motor.run(2000);
        assert!(motor.joint().is_calibrated && motor.error().abs() < 1e-3, "{velocity}: {}", motor.error());
        // It stands beyond the edge that it met: the sensor reads high from 0.4 over the turn to -0.3.
        assert!(motor.joint().position * velocity > 0.1, "{velocity}: {}", motor.joint().position);
    }
}

/// The description warns that only the rising one counts.
#[test]
fn of_both_edges_of_a_joint_with_end_stops_the_search_takes_the_rising_one() {
    for velocity in [0.5, -0.5] {
        let mut motor = Motor::new(joint(JointKind::Revolute, Some(0.4), Some(-0.3)));
        motor.search(velocity, &[]);
        motor.finish();
        assert!(motor.error().abs() < 1e-3, "{velocity}: {}", motor.error());
    }
}
