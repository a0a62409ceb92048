//! The simulated robot, against closed forms.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use mechanism::Robot;
use mechanism::robot::transmission::{Belt, Compensator, Simple, Transmission};
use mechanism::robot::{Actuator, Joint, JointDynamics, JointKind, JointLimits, SimulatedRobot};

const PERIOD: Duration = Duration::from_millis(1);

/// One joint behind a reduction of 10, and its simulation after the first reset.
fn robot(kind: JointKind) -> (Robot, SimulatedRobot) {
    let mut joint = Joint::new("pan", kind);
    joint.limits = Some(JointLimits { effort: 20.0, velocity: 5.0, lower: -1.0, upper: 1.0 });
    let simple = Simple { actuator: 0, joint: 0, reduction: 10.0, simulated: None };
    let mut robot =
        Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![Transmission::Simple(simple)]);
    let mut simulation = SimulatedRobot::new(&robot, JointDynamics { inertia: 0.5, damping: 2.0 });
    // 2 · 1 + 5 steps.
    (0..7).for_each(|_| simulation.step(&mut robot, PERIOD));
    assert!(!robot.is_halted());
    (robot, simulation)
}

fn run(robot: &mut Robot, simulation: &mut SimulatedRobot, effort: f64, steps: usize) {
    for _ in 0..steps {
        robot.read_actuators();
        robot.zero_commands();
        robot.joints_mut()[0].commanded_effort = effort;
        robot.write_actuators();
        simulation.step(robot, PERIOD);
    }
    robot.read_actuators();
}

#[test]
fn the_step_response_is_that_of_a_first_order_system() {
    let (mut robot, mut simulation) = robot(JointKind::Continuous);
    run(&mut robot, &mut simulation, 3.0, 300);
    // v = (u/d)(1 - e^(-t d/J)) with u/d = 1.5, d/J = 4, t = 0.3; x = (u/d)(t - (1 - e^(-1.2))/4).
    let gone = 1.0 - (-1.2_f64).exp();
    let joint = &robot.joints()[0];
    assert!((joint.velocity - 1.5 * gone).abs() < 1e-9, "{}", joint.velocity);
    assert!((joint.position - 1.5 * (0.3 - gone / 4.0)).abs() < 1e-9, "{}", joint.position);
    assert!((joint.measured_effort - 3.0).abs() < 1e-12);
    let state = &robot.actuators()[0].state;
    assert!(
        (state.position - 10.0 * joint.position).abs() < 1e-9
            && (state.last_executed_effort - 0.3).abs() < 1e-12
    );
    assert_eq!(state.sample_time, PERIOD * 307);
}

#[test]
fn an_effort_beyond_the_limit_moves_as_the_limit_does() {
    let (mut one, mut simulation) = robot(JointKind::Continuous);
    run(&mut one, &mut simulation, 1e6, 100);
    let (mut other, mut simulation) = robot(JointKind::Continuous);
    run(&mut other, &mut simulation, 20.0, 100);
    assert_eq!(one.joints()[0].position, other.joints()[0].position);
    assert_eq!(one.joints()[0].measured_effort, 20.0);
}

/// The speed follows the free solution until the limit of 5 rad/s, at t* = -ln(1 - 5 d/u) J/d, or 5 J/u without damping; then it
/// stays, and the effort is what keeps it: 5 d.
#[test]
fn a_joint_is_no_faster_than_its_velocity_limit() {
    for (damping, effort) in [(2.0, 20.0), (2.0, -20.0), (0.0, 20.0), (0.0, -7.0)] {
        let (mut robot, _) = robot(JointKind::Continuous);
        let mut simulation = SimulatedRobot::new(&robot, JointDynamics { inertia: 0.5, damping });
        (0..7).for_each(|_| simulation.step(&mut robot, PERIOD));
        run(&mut robot, &mut simulation, effort, 500);
        let (most, sign) = (effort.abs(), effort.signum());
        // Free of the limit, from rest: x = (u/d)(t - (1 - e^(-t d/J)) J/d), or u t² / 2 J.
        let (at, way) = if damping > 0.0 {
            let at = -(1.0 - 5.0 * damping / most).ln() * 0.5 / damping;
            (at, most / damping * (at - (1.0 - (-at * damping / 0.5).exp()) * 0.5 / damping))
        } else {
            (2.5 / most, most * (2.5 / most) * (2.5 / most))
        };
        let joint = &robot.joints()[0];
        assert!(at < 0.4, "{at}");
        assert!((joint.velocity - sign * 5.0).abs() < 1e-12, "{}", joint.velocity);
        assert!((joint.position - sign * (way + 5.0 * (0.5 - at))).abs() < 1e-9, "{}", joint.position);
        assert!((joint.measured_effort - sign * 5.0 * damping).abs() < 1e-9, "{}", joint.measured_effort);
        // Against the motion the limit is none: v = e + (5 - e) e^(-t d/J) with e = -u/d, or 5 - u t / J.
        run(&mut robot, &mut simulation, -effort, 10);
        let expected = if damping > 0.0 {
            -most / damping + (5.0 + most / damping) * (-0.01 * damping / 0.5).exp()
        } else {
            5.0 - most * 0.01 / 0.5
        };
        let joint = &robot.joints()[0];
        assert!((joint.velocity - sign * expected).abs() < 1e-9, "{}, not {expected}", joint.velocity);
        assert!((joint.measured_effort + effort).abs() < 1e-9);
    }
}

#[test]
fn an_end_stop_holds_and_lets_go() {
    let (mut robot, mut simulation) = robot(JointKind::Revolute);
    run(&mut robot, &mut simulation, 20.0, 2000);
    assert_eq!((robot.joints()[0].position, robot.joints()[0].velocity), (1.0, 0.0));
    run(&mut robot, &mut simulation, -20.0, 200);
    assert!(robot.joints()[0].position < 1.0 && robot.joints()[0].velocity < 0.0);
}

#[test]
fn a_halted_or_disabled_motor_applies_nothing() {
    let (mut robot, mut simulation) = robot(JointKind::Continuous);
    run(&mut robot, &mut simulation, 3.0, 300);
    let before = robot.joints()[0].velocity;
    simulation.halt();
    run(&mut robot, &mut simulation, 3.0, 250);
    // It coasts: v e^(-t d/J) with t d/J = 1.
    assert!(robot.is_halted());
    assert!((robot.joints()[0].velocity - before * (-1.0_f64).exp()).abs() < 1e-9);
    simulation.reset();
    run(&mut robot, &mut simulation, 3.0, 6);
    assert!(robot.is_halted());
    run(&mut robot, &mut simulation, 3.0, 1);
    assert!(!robot.is_halted() && robot.actuators()[0].state.is_enabled);
    robot.actuators_mut()[0].command.enable = false;
    simulation.step(&mut robot, PERIOD);
    assert_eq!(robot.actuators()[0].state.last_executed_effort, 0.0);
}

#[test]
fn a_command_that_is_not_finite_moves_nothing() {
    let (mut robot, mut simulation) = robot(JointKind::Continuous);
    for effort in [f64::NAN, f64::INFINITY] {
        robot.actuators_mut()[0].command.effort = effort;
        simulation.step(&mut robot, PERIOD);
        assert_eq!(robot.actuators()[0].state.position, 0.0);
    }
}

#[test]
fn the_zero_offset_moves_the_reported_position_only() {
    let (mut robot, mut simulation) = robot(JointKind::Continuous);
    robot.actuators_mut()[0].state.zero_offset = 4.0;
    simulation.step(&mut robot, PERIOD);
    robot.read_actuators();
    assert_eq!((robot.actuators()[0].state.position, robot.joints()[0].position), (-4.0, -0.4));
}

#[test]
fn a_joint_behind_a_belt_is_found_although_the_belt_stretches() {
    let compensator = Compensator {
        k_belt: 400.0,
        mass_motor: 0.05,
        kd_motor: 2.0,
        lambda_motor: 60.0,
        lambda_joint: 60.0,
        lambda_combined: 5.0,
    };
    let mut joint = Joint::new("pan", JointKind::Revolute);
    joint.limits = Some(JointLimits { effort: 20.0, velocity: 5.0, lower: -1.0, upper: 1.0 });
    let belt = Transmission::Belt(Box::new(Belt::new(0, 0, 10.0, compensator)));
    let mut robot = Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![belt]);
    let mut simulation = SimulatedRobot::new(&robot, JointDynamics { inertia: 0.5, damping: 2.0 });
    run(&mut robot, &mut simulation, 8.0, 10_000);
    // At its end stop of 1 rad the joint holds 8 Nm: the motor is 8 / 400 = 0.02 rad ahead, times 10.
    assert!(
        (robot.actuators()[0].state.position - 10.2).abs() < 1e-6,
        "{}",
        robot.actuators()[0].state.position
    );
    assert!((robot.joints()[0].position - 1.0).abs() < 1e-6, "{}", robot.joints()[0].position);
}
