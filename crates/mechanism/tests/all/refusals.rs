//! A trajectory that is refused changes nothing: neither a hold, nor the motion that is followed.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use core::time::Duration;

use mechanism::Robot;
use mechanism::controllers::{Controller, Message, Report, Step};
use mechanism::laws::{Gains, Motion, Pid, Point, Trajectory};
use mechanism::robot::{Joint, JointKind, JointLimits};
use mechanism::standard::{Goal, Quantity, Tolerance, TrajectoryController};
use proptest::prelude::*;
use safety::Instant;

const STEP: Duration = Duration::from_millis(1);
/// The law of a lift whose load of -4 Nm lowers it by 0.1 rad.
const LIFT: Gains = Gains { p: 40.0, i: 0.0, d: 4.0, i_clamp: 0.0, max_effort: 30.0 };

/// A joint of 0.1 kg m² under a load, with a controller.
struct Lift {
    robot: Robot,
    controller: TrajectoryController,
    load: f64,
    now: Instant,
}

impl Lift {
    fn at(position: f64) -> Self {
        let mut joint = Joint::new("lift", JointKind::Revolute);
        (joint.position, joint.is_calibrated) = (position, true);
        let tolerance = Tolerance { path: 0.3, goal: 0.3, time: Duration::ZERO };
        let mut lift = Self {
            robot: Robot::from_parts(vec![joint], Vec::new(), Vec::new()),
            controller: TrajectoryController::new([(0, Pid::new(LIFT))], tolerance),
            load: -4.0,
            now: Instant::from_millis(1000),
        };
        let mut step = Step { now: lift.now, period: STEP, robot: &mut lift.robot };
        lift.controller.starting(&mut step);
        lift
    }

    fn run(&mut self, millis: usize) -> Vec<f64> {
        let step = |_| {
            self.now = self.now + STEP;
            self.robot.zero_commands();
            let mut step = Step { now: self.now, period: STEP, robot: &mut self.robot };
            self.controller.update(&mut step).unwrap();
            let joint = &mut self.robot.joints_mut()[0];
            let acceleration = (joint.commanded_effort + self.load) / 0.1;
            joint.velocity += acceleration * STEP.as_secs_f64();
            joint.position += joint.velocity * STEP.as_secs_f64();
            joint.position
        };
        (0..millis).map(step).collect()
    }

    fn send(&mut self, points: &[(f64, f64)], goal: Option<u64>) {
        let point = |&(seconds, position): &(f64, f64)| Point {
            time: Duration::from_secs_f64(seconds),
            positions: vec![position],
            ..Point::default()
        };
        let trajectory = Trajectory::new(1, points.iter().map(point).collect()).unwrap();
        let motion = Motion { goal, ..Motion::from(trajectory) };
        self.controller.receive(0, &mut Message::Trajectory(Some(Box::new(motion))), self.now);
    }

    fn position(&self) -> f64 {
        self.robot.joints()[0].position
    }
}

#[test]
fn a_stream_of_refused_trajectories_does_not_lower_a_joint_under_a_load() {
    let mut lift = Lift::at(1.0);
    lift.run(3000);
    assert!((lift.position() - 0.9).abs() < 1e-6, "held with the sag of its law: {}", lift.position());
    // One begins elsewhere, one is over at once, one would begin within the tolerance of nothing at all.
    for points in [&[(0.0, 2.5), (1.0, 2.5)][..], &[(0.0, -2.5)], &[(0.0, 9.0), (0.1, 0.9)]] {
        for _ in 0..50 {
            lift.send(points, None);
            lift.run(20);
            assert!(matches!(lift.controller.goal(), Goal::Refused { .. }), "{:?}", lift.controller.goal());
        }
        assert!((lift.position() - 0.9).abs() < 1e-6, "{}", lift.position());
    }
}

#[test]
fn a_joint_that_sags_beyond_its_tolerance_is_not_lowered_by_each_message() {
    let mut lift = Lift::at(1.0);
    lift.load = -16.0; // it sags by 0.4 rad, where 0.3 are allowed
    lift.run(3000);
    let held = lift.position();
    for _ in 0..50 {
        lift.send(&[(1.0, 1.2)], None);
        lift.run(20);
    }
    assert!((lift.position() - held).abs() < 1e-6, "{} to {}", held, lift.position());
}

#[test]
fn a_goal_that_is_refused_ends_alone_and_the_one_before_it_is_reached() {
    let mut lift = Lift::at(1.0);
    lift.run(3000);
    lift.send(&[(1.0, 1.5)], Some(7));
    lift.run(300);
    lift.send(&[(0.0, 2.5), (1.0, 2.6)], Some(8));
    lift.run(1);
    lift.send(&[(0.0, -2.5), (1.0, 2.6)], None);
    lift.run(1200);
    let reports: Vec<Report> = core::iter::from_fn(|| lift.controller.report()).map(|(_, one)| one).collect();
    let ended: Vec<(u64, Goal)> = reports
        .iter()
        .filter_map(|one| if let Report::GoalEnded(id, goal) = one { Some((*id, *goal)) } else { None })
        .collect();
    assert!(matches!(ended[..], [(7, Goal::Reached), (8, Goal::Refused { .. })]), "{reports:?}");
    assert!(!reports.iter().any(|one| matches!(one, Report::GoalsReplaced { .. })), "{reports:?}");
    assert!((lift.position() - 1.4).abs() < 0.01, "{}", lift.position());
}

#[test]
fn a_goal_that_is_followed_replaces_those_before_it() {
    let mut lift = Lift::at(1.0);
    lift.run(3000);
    lift.send(&[(1.0, 1.5)], Some(7));
    lift.run(300);
    lift.send(&[(1.0, 1.3)], Some(8)); // the next one comes before it is decided
    lift.send(&[(1.0, 1.2)], Some(9));
    lift.run(1);
    let mut reports = core::iter::from_fn(|| lift.controller.report()).map(|(_, one)| one);
    let replaced = Report::GoalsReplaced { goal: Some(9), until: 9 };
    assert!(reports.any(|one| one == replaced));
}

proptest! {
    /// After a refusal every position is, bit for bit, what it is without that message.
    #[test]
    fn a_refused_trajectory_changes_no_bit_of_the_motion(
        begin in prop_oneof![-9.0..-1.0, 3.0..9.0],
        length in 0.0..2.0,
        after in 1..1500_usize,
        has_motion in any::<bool>(),
        has_goal in any::<bool>(),
    ) {
        let motion = |is_disturbed| {
            let mut lift = Lift::at(1.0);
            if has_motion {
                lift.send(&[(1.0, 1.4)], None);
            }
            lift.run(after);
            if is_disturbed {
                lift.send(&[(0.0, begin), (length + 0.001, 1.0)], has_goal.then_some(3));
            }
            lift.run(500)
        };
        prop_assert_eq!(motion(false), motion(true));
    }
}

#[test]
fn a_first_point_that_is_due_too_soon_is_refused_and_a_near_one_is_reached_at_the_limit() {
    let limits = JointLimits { effort: 30.0, velocity: 1.0, lower: -3.0, upper: 3.0 };
    let mut lift = Lift::at(0.0);
    lift.load = 0.0;
    lift.robot.joints_mut()[0].limits = Some(limits);
    lift.send(&[(0.2, 2.0)], None);
    lift.run(1);
    let Goal::Refused { violation, .. } = lift.controller.goal() else {
        panic!("{:?}", lift.controller.goal())
    };
    assert_eq!((violation.quantity, violation.error, violation.tolerance), (Quantity::Speed, 10.0, 1.0));
    // Within the tolerance: as of a stream that the joint lags behind.
    lift.send(&[(0.02, 0.25)], None);
    let way = lift.run(1000);
    let fastest = way.windows(2).map(|pair| (pair[1] - pair[0]) / 1e-3).fold(0.0, f64::max);
    assert!(
        lift.controller.goal() == Goal::Reached && fastest < 1.2,
        "{fastest}: {:?}",
        lift.controller.goal()
    );
}

#[test]
fn a_trajectory_that_begins_later_brakes_the_motion_before_it() {
    let mut lift = Lift::at(0.0);
    lift.load = 0.0;
    lift.send(&[(2.0, 2.4)], None);
    lift.run(1000);
    let point = Point { time: Duration::from_secs(1), positions: vec![2.0], ..Point::default() };
    let later = Trajectory::new(1, vec![point]).unwrap().later(Duration::from_millis(1500));
    let motion = Motion::from(later);
    lift.controller.receive(0, &mut Message::Trajectory(Some(Box::new(motion))), lift.now);
    let way = lift.run(500);
    let speeds: Vec<f64> = way.windows(2).map(|pair| (pair[1] - pair[0]) / 1e-3).collect();
    // A desired speed of 1.2 rad/s that falls by 16 · 1.2 rad/s²; the law is as stiff as 40 Nm/rad and 4 Nms/rad.
    let steepest = speeds.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
    assert!(speeds[0] > 1.1 && steepest < 0.03, "{} {steepest}", speeds[0]);
    lift.run(2500);
    assert!(lift.controller.goal() == Goal::Reached && (lift.position() - 2.0).abs() < 0.01);
}
