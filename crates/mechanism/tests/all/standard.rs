//! The standard controllers on a simulated joint: inertia 0.5 kg m², damping 2 Nms/rad, end stops at ±1 rad.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use mechanism::Robot;
use mechanism::controllers::{ControlLoop, Controller, ControllerFailure, Message, Report, Step};
use mechanism::laws::{Bounds, Gains, JointTolerances, Motion, Pid, Point, Trajectory};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{Actuator, Joint, JointDynamics, JointKind, JointLimits, SimulatedRobot};
use mechanism::standard::{
    EffortController, Goal, PositionController, Quantity, Tolerance, TrajectoryController,
    VelocityController, Violation,
};
use safety::Instant;

const PERIOD: Duration = Duration::from_millis(1);
const TIMEOUT: Duration = Duration::from_millis(100);

/// One controller on one joint; it is called as the control loop does.
struct Rig<C> {
    control: ControlLoop,
    simulation: SimulatedRobot,
    controller: C,
    now: Instant,
}

impl<C: Controller> Rig<C> {
    fn new(kind: JointKind, controller: C) -> Self {
        let mut joint = Joint::new("pan", kind);
        joint.limits = Some(JointLimits { effort: 100.0, velocity: 5.0, lower: -1.0, upper: 1.0 });
        joint.is_calibrated = true;
        let simple = Simple { actuator: 0, joint: 0, reduction: 10.0, simulated: None };
        let robot =
            Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![Transmission::Simple(simple)]);
        let simulation = SimulatedRobot::new(&robot, JointDynamics { inertia: 0.5, damping: 2.0 });
        let mut rig =
            Self { control: ControlLoop::new(robot), simulation, controller, now: Instant::from_millis(1) };
        (0..7).for_each(|_| rig.simulation.step(&mut rig.control.robot, PERIOD));
        rig
    }

    fn start(&mut self) -> Result<(), ControllerFailure> {
        let robot = &mut self.control.robot;
        robot.read_actuators();
        self.controller.can_start(robot)?;
        self.controller.starting(&mut Step { now: self.now, period: PERIOD, robot });
        Ok(())
    }

    fn started(kind: JointKind, controller: C) -> Self {
        let mut rig = Self::new(kind, controller);
        rig.start().unwrap();
        rig
    }

    fn send(&mut self, value: f64) {
        self.controller.receive(0, &mut Message::Float(value), self.now);
    }

    fn stop(&mut self) {
        self.controller.receive(0, &mut Message::Stop, self.now);
    }

    fn run(&mut self, millis: usize) {
        for _ in 0..millis {
            self.now = self.now + PERIOD;
            let robot = &mut self.control.robot;
            robot.read_actuators();
            robot.zero_commands();
            self.controller.update(&mut Step { now: self.now, period: PERIOD, robot }).unwrap();
            robot.write_actuators();
            self.simulation.step(robot, PERIOD);
        }
    }

    fn joint(&self) -> &Joint {
        &self.control.robot.joints()[0]
    }
}

fn pid(p: f64, i: f64, d: f64) -> Pid {
    Pid::new(Gains { p, i, d, i_clamp: 50.0, max_effort: 100.0 })
}

#[test]
fn an_effort_passes_until_the_command_is_too_old() {
    let mut rig = Rig::started(JointKind::Continuous, EffortController::new(0, TIMEOUT));
    rig.send(3.0);
    rig.run(99);
    assert_eq!(rig.joint().commanded_effort, 3.0, "99 ms are not too old");
    rig.run(1);
    assert_eq!(rig.joint().commanded_effort, 0.0);
}

#[test]
fn a_command_from_before_the_start_or_one_that_is_not_finite_moves_nothing() {
    let mut rig = Rig::new(JointKind::Continuous, EffortController::new(0, TIMEOUT));
    rig.send(3.0);
    rig.start().unwrap();
    rig.run(1);
    assert_eq!(rig.joint().commanded_effort, 0.0);
    rig.send(2.0);
    for bad in [f64::NAN, f64::INFINITY] {
        rig.send(bad);
        rig.run(1);
        assert_eq!(rig.joint().commanded_effort, 2.0, "the one before stays, and expires");
    }
    rig.run(100);
    assert_eq!(rig.joint().commanded_effort, 0.0);
}

#[test]
fn a_velocity_is_reached_and_braked_when_the_command_is_lost() {
    let mut rig =
        Rig::started(JointKind::Continuous, VelocityController::new(0, pid(10.0, 40.0, 0.0), TIMEOUT));
    for _ in 0..40 {
        rig.send(1.5);
        rig.run(50);
    }
    assert!((rig.joint().velocity - 1.5).abs() < 1e-3, "{}", rig.joint().velocity);
    // The integral term carries the damping of 2 · 1.5.
    assert!((rig.joint().commanded_effort - 3.0).abs() < 1e-2, "{}", rig.joint().commanded_effort);
    rig.run(2500);
    assert!(rig.joint().velocity.abs() < 1e-2, "{}", rig.joint().velocity);
}

#[test]
fn a_position_is_held_from_the_start_reached_and_held_again() {
    let mut rig = Rig::started(JointKind::Revolute, PositionController::new(0, pid(80.0, 40.0, 10.0)));
    rig.run(500);
    assert!(rig.joint().position.abs() < 1e-9, "it holds where it was");
    rig.send(0.5);
    rig.run(15_000); // the integral term has a time constant of p / i = 2 s
    assert!((rig.joint().position - 0.5).abs() < 1e-3, "{}", rig.joint().position);
    // Silence holds.
    rig.run(60_000);
    assert!((rig.joint().position - 0.5).abs() < 1e-4, "{}", rig.joint().position);
    // No further than the end stop: only what the integral term gathered on the way pushes, not 80 · 39.
    rig.send(40.0);
    rig.run(30_000);
    assert!(
        (rig.joint().position - 1.0).abs() < 1e-3 && rig.joint().commanded_effort.abs() < 5.0,
        "{:?}",
        rig.joint()
    );
}

#[test]
fn a_continuous_joint_turns_the_shorter_way() {
    let mut rig = Rig::started(JointKind::Continuous, PositionController::new(0, pid(80.0, 0.0, 10.0)));
    rig.send(6.0); // 0.28 rad backwards
    rig.run(5000);
    assert!((rig.joint().position - (6.0 - std::f64::consts::TAU)).abs() < 1e-3, "{}", rig.joint().position);
}

#[test]
fn a_stop_ends_what_was_commanded() {
    let mut rig = Rig::started(JointKind::Continuous, EffortController::new(0, TIMEOUT));
    rig.send(3.0);
    rig.stop();
    rig.run(1);
    assert_eq!(rig.joint().commanded_effort, 0.0);
    let mut rig =
        Rig::started(JointKind::Continuous, VelocityController::new(0, pid(10.0, 40.0, 0.0), TIMEOUT * 50));
    rig.send(1.5);
    rig.run(1000);
    rig.stop();
    rig.run(2500);
    assert!(rig.joint().velocity.abs() < 1e-2, "{}", rig.joint().velocity);
    let mut rig = Rig::started(JointKind::Revolute, PositionController::new(0, pid(80.0, 0.0, 20.0)));
    rig.send(0.9);
    rig.run(250);
    let before = rig.joint().position;
    assert!((0.3..0.7).contains(&before), "it is on its way: {before}");
    rig.stop();
    rig.run(5000);
    let held = rig.joint().position;
    assert!((before..before + 0.1).contains(&held), "{before}, {held}");
    // Where nothing is commanded there is nothing to end: a joint that sags is not held lower each time.
    rig.control.robot.actuators_mut()[0].state.position -= 0.5;
    rig.stop();
    rig.run(5000);
    assert!((rig.joint().position - held).abs() < 1e-3, "{held}, {}", rig.joint().position);
}

#[test]
fn a_position_needs_a_calibrated_joint_with_a_finite_position() {
    let mut rig = Rig::new(JointKind::Revolute, PositionController::new(0, pid(1.0, 0.0, 0.0)));
    rig.control.robot.joints_mut()[0].is_calibrated = false;
    assert_eq!(rig.start(), Err(ControllerFailure("its joint is not calibrated")));
    rig.control.robot.joints_mut()[0].is_calibrated = true;
    rig.control.robot.actuators_mut()[0].state.position = f64::NAN;
    assert_eq!(rig.start(), Err(ControllerFailure("the position of its joint is not finite")));
    let mut rig = Rig::new(JointKind::Revolute, PositionController::new(7, pid(1.0, 0.0, 0.0)));
    assert_eq!(rig.start(), Err(ControllerFailure("its joint does not exist")));
}

const LOOSE: Tolerance = Tolerance { path: 0.05, goal: 0.01, time: Duration::from_secs(1) };

fn follower(tolerance: Tolerance) -> TrajectoryController {
    TrajectoryController::new([(0, pid(400.0, 200.0, 40.0))], tolerance)
}

/// Points of time \[s\], position and velocity.
fn trajectory(points: &[[f64; 3]]) -> Message {
    let point = |&[time, position, velocity]: &[f64; 3]| Point {
        time: Duration::from_secs_f64(time),
        positions: vec![position],
        velocities: vec![velocity],
        ..Point::default()
    };
    let trajectory = Trajectory::new(1, points.iter().map(point).collect()).unwrap();
    Message::Trajectory(Some(Box::new(trajectory.into())))
}

#[test]
fn a_trajectory_is_followed_within_its_tolerance_and_its_end_is_held() {
    let mut rig = Rig::started(JointKind::Revolute, follower(LOOSE));
    let now = rig.now;
    rig.controller.receive(0, &mut trajectory(&[[1.0, 0.6, 0.0], [2.0, 0.2, 0.0]]), now);
    rig.run(500);
    // Half way of 0.6 (3 t² - 2 t³).
    assert!(
        (rig.joint().position - 0.3).abs() < 0.02 && rig.controller.goal() == Goal::Active,
        "{:?}",
        rig.joint()
    );
    rig.run(2000);
    assert_eq!(rig.controller.goal(), Goal::Reached);
    rig.run(2000);
    assert!((rig.joint().position - 0.2).abs() < 1e-3, "{}", rig.joint().position);
}

#[test]
fn a_trajectory_that_cannot_be_followed_ends_where_the_joint_is() {
    let mut rig = Rig::started(JointKind::Revolute, follower(LOOSE));
    let now = rig.now;
    // Beyond the end stop at 1 rad, which it reaches after a third of a second.
    rig.controller.receive(0, &mut trajectory(&[[1.0, 3.0, 3.0]]), now);
    rig.run(1000);
    let Goal::PathViolated(violation) = rig.controller.goal() else { panic!("{:?}", rig.controller.goal()) };
    assert_eq!((violation.joint, violation.quantity, violation.tolerance), (0, Quantity::Position, 0.05));
    assert!((0.05..0.06).contains(&violation.error), "{violation:?}");
    rig.run(1000);
    assert!((rig.joint().position - 1.0).abs() < 1e-2 && rig.joint().velocity.abs() < 1e-3);
}

#[test]
fn a_motion_that_is_over_at_once_does_not_jump_beyond_its_path_tolerance() {
    let mut rig = Rig::started(JointKind::Revolute, follower(Tolerance { goal: f64::INFINITY, ..LOOSE }));
    let now = rig.now;
    rig.controller.receive(0, &mut trajectory(&[[0.0, 0.5, 0.0]]), now);
    rig.run(1);
    let Goal::Refused { violation, .. } = rig.controller.goal() else {
        panic!("{:?}", rig.controller.goal())
    };
    assert_eq!((violation.error, violation.tolerance), (0.5, 0.05));
    rig.run(500);
    assert!(rig.joint().position.abs() < 1e-9, "{}", rig.joint().position);
}

#[test]
fn a_halt_of_the_motors_ends_the_motion() {
    let mut rig = Rig::started(JointKind::Continuous, follower(LOOSE));
    let now = rig.now;
    rig.controller.receive(0, &mut trajectory(&[[1.0, 1.0, 0.0]]), now);
    rig.run(300);
    rig.simulation.halt();
    rig.run(2);
    assert_eq!(rig.controller.goal(), Goal::Halted);
    rig.run(200);
    rig.simulation.reset();
    rig.run(20_000);
    let held = rig.joint().position;
    rig.run(1000);
    assert!((rig.joint().position - held).abs() < 1e-4 && held < 0.5, "{held}");
}

#[test]
fn a_goal_that_is_not_reached_in_time_is_missed() {
    // A weak law without an integral, which the joint's end stop does not let reach the goal.
    let wide = Tolerance { path: f64::INFINITY, goal: 1e-9, time: Duration::from_millis(200) };
    let controller = TrajectoryController::new([(0, pid(5.0, 0.0, 1.0))], wide);
    let mut rig = Rig::started(JointKind::Revolute, controller);
    let now = rig.now;
    rig.controller.receive(0, &mut trajectory(&[[0.3, 0.9, 0.0]]), now);
    rig.run(500);
    assert_eq!(rig.controller.goal(), Goal::Active, "the time after the end is not over");
    rig.run(2);
    assert!(matches!(rig.controller.goal(), Goal::GoalMissed(Violation { joint: 0, .. })));
}

/// A motion to 0.6 rad in a second that fulfils goal 5, with these tolerances.
fn goal(tolerances: JointTolerances, goal_time: Option<Duration>) -> Message {
    let point = Point {
        time: Duration::from_secs(1),
        positions: vec![0.6],
        velocities: vec![0.0],
        ..Point::default()
    };
    let trajectory = Trajectory::new(1, vec![point]).unwrap();
    let motion = Motion { trajectory, goal: Some(5), tolerances: vec![tolerances], goal_time };
    Message::Trajectory(Some(Box::new(motion)))
}

/// Runs for `steps` and returns what the controller says.
fn reported(rig: &mut Rig<TrajectoryController>, steps: usize) -> Vec<Report> {
    let mut reports = Vec::new();
    for _ in 0..steps {
        rig.run(1);
        reports.extend(core::iter::from_fn(|| rig.controller.report()).map(|(_, report)| report));
    }
    reports
}

#[test]
fn a_goal_is_reported_twenty_times_a_second_and_at_its_end() {
    let mut rig = Rig::started(JointKind::Revolute, follower(LOOSE));
    let now = rig.now;
    rig.controller.receive(0, &mut goal(JointTolerances::default(), None), now);
    let reports = reported(&mut rig, 1500);
    let (ends, tracked): (Vec<&Report>, Vec<&Report>) =
        reports.iter().partition(|report| matches!(report, Report::GoalEnded(..)));
    assert_eq!(ends, [&Report::GoalEnded(5, Goal::Reached)]);
    assert!((19..=21).contains(&tracked.len()), "{}", tracked.len());
    for report in tracked {
        let Report::Tracking { index: 0, desired, actual, error } = *report else { panic!("{report:?}") };
        assert!((desired[0] - actual[0] - error).abs() < 1e-12 && error.abs() < 0.05, "{report:?}");
    }
    // A trajectory without a goal is followed in silence.
    let now = rig.now;
    rig.controller.receive(0, &mut trajectory(&[[0.5, 0.2, 0.0]]), now);
    assert_eq!(reported(&mut rig, 1000), []);
}

#[test]
fn the_tolerances_of_a_goal_take_the_place_of_the_controllers() {
    let ended = |tolerance, tolerances, goal_time| {
        let mut rig = Rig::started(JointKind::Revolute, follower(tolerance));
        let now = rig.now;
        rig.controller.receive(0, &mut goal(tolerances, goal_time), now);
        reported(&mut rig, 1500).into_iter().find_map(|report| match report {
            Report::GoalEnded(5, goal) => Some(goal),
            _ => None,
        })
    };
    let bounds = |position: f64| Bounds { position: Some(position), velocity: None };
    let impossible = Tolerance { path: 1e-9, goal: 1e-12, time: Duration::ZERO };
    let any = bounds(f64::INFINITY);
    let refused = ended(impossible, JointTolerances::default(), None);
    assert!(matches!(refused, Some(Goal::PathViolated(_) | Goal::Refused { .. })), "{refused:?}");
    let free = JointTolerances { path: any, goal: any };
    assert_eq!(ended(impossible, free, None), Some(Goal::Reached));
    let no_path = JointTolerances { path: any, ..JointTolerances::default() };
    assert!(matches!(ended(impossible, no_path, None), Some(Goal::GoalMissed(_))));
    assert_eq!(ended(impossible, no_path, Some(Duration::MAX)), None, "it waits for any time");
    let slow = Bounds { position: None, velocity: Some(0.001) };
    let Some(Goal::Refused { violation, .. }) =
        ended(LOOSE, JointTolerances { path: slow, ..JointTolerances::default() }, None)
    else {
        panic!("the velocity is not judged");
    };
    assert_eq!((violation.quantity, violation.tolerance), (Quantity::Velocity, 0.001));
}

#[test]
fn a_goal_that_is_cancelled_is_held_where_the_joint_is() {
    let mut rig = Rig::started(JointKind::Revolute, follower(LOOSE));
    let now = rig.now;
    rig.controller.receive(0, &mut goal(JointTolerances::default(), None), now);
    rig.run(500);
    let (before, now) = (rig.joint().position, rig.now);
    rig.controller.receive(0, &mut Message::Stop, now);
    rig.run(1);
    assert_eq!(rig.controller.goal(), Goal::Stopped);
    rig.run(2000);
    assert!((rig.joint().position - before).abs() < 0.01, "{before}, {}", rig.joint().position);
    // A motion that follows in the same step is not cancelled.
    let now = rig.now;
    rig.controller.receive(0, &mut Message::Stop, now);
    rig.controller.receive(0, &mut trajectory(&[[1.0, 0.5, 0.0]]), now);
    rig.run(2000);
    assert_eq!(rig.controller.goal(), Goal::Reached);
}

/// A planner states the angles of a continuous joint within half a turn; the joint stands a turn further.
#[test]
fn a_continuous_joint_takes_the_shorter_way_to_the_first_point() {
    for points in [&[[1.0, -0.283, 0.0], [2.0, 0.1, 0.0]][..], &[[0.0, -0.283, 0.0], [2.0, 0.1, 0.0]]] {
        let wide = Tolerance { path: f64::INFINITY, ..LOOSE };
        let mut rig = Rig::started(JointKind::Continuous, follower(wide));
        let now = rig.now;
        rig.controller.receive(0, &mut trajectory(&[[6.0, 6.0, 0.0]]), now);
        rig.run(1); // from 0 to 6 is backwards by 0.283
        rig.run(7000);
        let before = rig.joint().position;
        assert!((before - (6.0 - std::f64::consts::TAU)).abs() < 1e-2, "{before}");
        let now = rig.now;
        // A turn further than it is.
        let turned: Vec<[f64; 3]> = points
            .iter()
            .map(|[time, position, speed]| [*time, position + std::f64::consts::TAU, *speed])
            .collect();
        rig.controller.receive(0, &mut trajectory(&turned), now);
        for _ in 0..2500 {
            rig.run(1);
            assert!(rig.joint().velocity.abs() < 1.0, "it turns round: {}", rig.joint().velocity);
        }
        assert!((rig.joint().position - 0.1).abs() < 0.02, "{}", rig.joint().position);
        assert_eq!(rig.controller.goal(), Goal::Reached);
    }
}

#[test]
fn a_start_ends_a_goal() {
    let mut rig = Rig::started(JointKind::Revolute, follower(LOOSE));
    let now = rig.now;
    rig.controller.receive(0, &mut goal(JointTolerances::default(), None), now);
    rig.run(100);
    let _ = reported(&mut rig, 1);
    rig.start().unwrap();
    assert_eq!(reported(&mut rig, 500), [Report::GoalEnded(5, Goal::None)]);
    rig.start().unwrap();
    assert_eq!(reported(&mut rig, 500), [], "it ends once");
}

#[test]
fn a_new_trajectory_goes_on_from_where_the_old_one_was() {
    let mut rig = Rig::started(JointKind::Revolute, follower(LOOSE));
    let now = rig.now;
    rig.controller.receive(0, &mut trajectory(&[[1.0, 0.8, 0.0]]), now);
    rig.run(500);
    let (before, now) = (rig.joint().velocity, rig.now);
    // 0.8 · 1.5 rad/s in the middle.
    assert!((before - 1.2).abs() < 0.1, "{before}");
    rig.controller.receive(0, &mut trajectory(&[[1.0, 0.0, 0.0]]), now);
    rig.run(1);
    assert!((rig.joint().velocity - before).abs() < 0.05, "no jump: {}", rig.joint().velocity);
    rig.run(2500);
    assert!(rig.joint().position.abs() < 1e-3 && rig.controller.goal() == Goal::Reached);
    let (mut message, now) = (trajectory(&[[1.0, 0.5, 0.0]]), rig.now);
    rig.controller.receive(0, &mut message, now);
    assert_eq!(message, trajectory(&[[1.0, 0.8, 0.0]]), "the old one goes back, to be freed outside");
}

#[test]
fn a_trajectory_of_other_joints_or_from_before_the_start_moves_nothing() {
    let mut rig = Rig::new(JointKind::Revolute, follower(LOOSE));
    let now = rig.now;
    rig.controller.receive(0, &mut trajectory(&[[1.0, 0.8, 0.0]]), now);
    rig.start().unwrap();
    let two = Trajectory::new(2, vec![Point { positions: vec![0.5, 0.5], ..Point::default() }]).unwrap();
    rig.controller.receive(0, &mut Message::Trajectory(Some(Box::new(two.into()))), now);
    rig.controller.receive(0, &mut Message::Float(0.5), now);
    rig.run(500);
    assert!(rig.joint().position.abs() < 1e-9 && rig.controller.goal() == Goal::None);
}

#[test]
fn the_efforts_of_points_are_added_until_a_halt() {
    let controller =
        TrajectoryController::new([(0, pid(0.0, 0.0, 0.0))], Tolerance { path: f64::INFINITY, ..LOOSE });
    let mut rig = Rig::started(JointKind::Continuous, controller);
    let sent = |efforts: &[f64]| {
        let point = |index: usize| Point {
            time: Duration::from_secs(index as u64 + 1),
            positions: vec![0.0],
            efforts: efforts.get(index).copied().into_iter().collect(),
            ..Point::default()
        };
        let trajectory = Trajectory::new(1, vec![point(0), point(1)]).unwrap();
        Message::Trajectory(Some(Box::new(trajectory.into())))
    };
    let effort_after = |rig: &mut Rig<TrajectoryController>, millis| {
        rig.run(millis);
        (rig.joint().commanded_effort * 1e3).round() / 1e3
    };
    let now = rig.now;
    rig.controller.receive(0, &mut sent(&[1.0, 3.0]), now);
    assert_eq!([500, 1000].map(|millis| effort_after(&mut rig, millis)), [0.5, 2.0]);
    assert_eq!([500, 2000].map(|millis| effort_after(&mut rig, millis)), [3.0, 3.0], "the last one is kept");
    let now = rig.now;
    rig.controller.receive(0, &mut sent(&[]), now);
    assert_eq!([125, 200].map(|millis| effort_after(&mut rig, millis)), [1.5, 0.0], "another one has none");
    let now = rig.now;
    rig.controller.receive(0, &mut sent(&[2.0, 2.0]), now);
    assert_eq!(effort_after(&mut rig, 500), 1.0);
    let now = rig.now;
    rig.controller.receive(0, &mut Message::Stop, now);
    assert_eq!(effort_after(&mut rig, 2), 0.0, "a motion that was stopped does not push on");
    let now = rig.now;
    rig.controller.receive(0, &mut sent(&[2.0, 2.0]), now);
    assert_eq!(effort_after(&mut rig, 500), 1.0);
    rig.simulation.halt();
    assert_eq!(effort_after(&mut rig, 2), 0.0);
}
