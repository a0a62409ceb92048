//! The measured speed of a joint that catches up with a late trajectory, as opposed to the desired one.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use mechanism::controllers::{Message, Report};
use mechanism::laws::{Gains, Motion, Pid, Point, Trajectory};
use mechanism::robot::{Joint, JointKind};
use mechanism::standard::{Goal, Tolerance, TrajectoryController};
use safety::MessageTime;

use crate::common::{PERIOD, Rig, simulated};

const SPEED: f64 = 0.5;

/// The greatest speed of a joint whose goal of 2 s is `age` old, and that is this far from where it would be.
fn greatest_speed(gains: Gains, age: f64, error: f64) -> f64 {
    let position = SPEED * age + error;
    let (robot, mut plant) = simulated(Joint { position, ..Joint::new("pan", JointKind::Revolute) });
    let mut rig = Rig::of(robot);
    let mut step = |rig: &mut Rig| {
        plant.step(&mut rig.control.robot, PERIOD);
        rig.step();
        plant.joints()[0].velocity.abs()
    };
    for _ in 0..20 {
        step(&mut rig);
    }
    let tolerance = Tolerance { path: 0.3, goal: 0.05, time: Duration::from_secs(5) };
    rig.run("one", TrajectoryController::new([(0, Pid::new(gains))], tolerance));
    step(&mut rig);
    let point = |time: f64| Point {
        time: Duration::from_secs_f64(time),
        positions: vec![SPEED * time],
        ..Point::default()
    };
    let trajectory = Trajectory::new(1, [0.0, 1.0, 2.0].map(point).into()).unwrap();
    let motion = Motion::from(trajectory.late(Duration::from_secs_f64(age)));
    let mut message = Message::Trajectory(Some(Box::new(Motion { goal: Some(1), ..motion })));
    let now = rig.now;
    rig.control.deliver(1, 0, &mut message, MessageTime::new(now, Duration::ZERO), now);
    let (mut most, mut end) = (0.0_f64, None);
    for _ in 0..4000 {
        most = most.max(step(&mut rig));
        rig.control.take_reports(9, |_, _, report| {
            if let Report::GoalEnded(_, goal) = report {
                end = Some(goal);
            }
        });
    }
    assert_eq!(end, Some(Goal::Reached), "{age} {error}");
    most
}

/// Gains that damp well, and some of a damping ratio of 0.56.
#[test]
fn no_joint_is_twice_as_fast_as_its_late_goal_plans() {
    for (p, d) in [(20.0, 3.0), (100.0, 10.0), (50.0, 2.0)] {
        for age in [0.0, 0.4, 0.8, 1.2, 1.6, 1.9] {
            for error in (-7..=7).map(|error| f64::from(error) * 0.04) {
                let gains = Gains { p, i: 0.0, d, i_clamp: 0.0, max_effort: 1e6 };
                let most = greatest_speed(gains, age, error);
                assert!(most < 2.0 * SPEED, "p {p}, d {d}, age {age} s, error {error} rad: {most} rad/s");
            }
        }
    }
}
