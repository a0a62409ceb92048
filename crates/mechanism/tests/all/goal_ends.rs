//! Each goal ends: by its own cancellation, by a violation while its end is awaited, or when nobody took the reports for a while.
#![allow(clippy::unwrap_used)] // helpers of tests

use core::iter;
use core::time::Duration;

use mechanism::Robot;
use mechanism::controllers::{Controller, Message, Report, Step};
use mechanism::laws::{Gains, GoalId, Motion, Pid, Point, Trajectory};
use mechanism::robot::{Joint, JointKind};
use mechanism::standard::{Goal, Tolerance, TrajectoryController};
use safety::Instant;

const STEP: Duration = Duration::from_millis(1);
const GAINS: Gains = Gains { p: 40.0, i: 0.0, d: 4.0, i_clamp: 0.0, max_effort: 30.0 };

/// A joint that moves as nothing but the test says.
struct Rig {
    robot: Robot,
    controller: TrajectoryController,
    now: Instant,
}

impl Rig {
    fn new() -> Self {
        let mut joint = Joint::new("pan", JointKind::Revolute);
        joint.is_calibrated = true;
        let tolerance = Tolerance { path: 0.3, goal: 0.02, time: Duration::MAX };
        let mut rig = Self {
            robot: Robot::from_parts(vec![joint], Vec::new(), Vec::new()),
            controller: TrajectoryController::new([(0, Pid::new(GAINS))], tolerance),
            now: Instant::from_millis(1000),
        };
        rig.controller.starting(&mut Step { now: rig.now, period: STEP, robot: &mut rig.robot });
        rig
    }

    fn run(&mut self, millis: usize) {
        for _ in 0..millis {
            self.now = self.now + STEP;
            self.robot.zero_commands();
            let mut step = Step { now: self.now, period: STEP, robot: &mut self.robot };
            self.controller.update(&mut step).unwrap();
        }
    }

    /// Sends a goal of 0.1 rad in 0.1 s, which the joint never reaches; one that is `far` is refused.
    fn send(&mut self, id: GoalId, is_far: bool) {
        let point = |time, position| Point { time, positions: vec![position], ..Point::default() };
        let position = if is_far { 2.0 } else { 0.1 };
        let first = if is_far { Duration::ZERO } else { Duration::from_millis(50) };
        let points = vec![point(first, position), point(Duration::from_millis(100), position)];
        let motion = Motion { goal: Some(id), ..Motion::from(Trajectory::new(1, points).unwrap()) };
        self.receive(Message::Trajectory(Some(Box::new(motion))));
    }

    fn receive(&mut self, mut message: Message) {
        self.controller.receive(0, &mut message, self.now);
    }

    fn reports(&mut self) -> Vec<Report> {
        let all = iter::from_fn(|| self.controller.report()).map(|(_, report)| report);
        all.filter(|report| !matches!(report, Report::Tracking { .. })).collect()
    }
}

#[test]
fn a_cancel_ends_the_goal_that_it_names_and_no_other() {
    let mut rig = Rig::new();
    rig.send(1, false);
    rig.run(10);
    rig.receive(Message::Cancel(2));
    rig.run(10);
    assert_eq!((rig.controller.goal(), rig.reports()), (Goal::Active, vec![]));
    // The next one is already there, and goes on.
    rig.send(2, false);
    rig.receive(Message::Cancel(1));
    rig.run(1);
    assert_eq!(rig.reports(), [Report::GoalEnded(1, Goal::Stopped)]);
    assert_eq!(rig.controller.goal(), Goal::Active);
    // One that came and is not begun.
    rig.send(3, false);
    rig.receive(Message::Cancel(3));
    rig.run(1);
    assert_eq!(rig.reports(), [Report::GoalEnded(3, Goal::Stopped)]);
    rig.receive(Message::Cancel(2));
    rig.run(1);
    assert_eq!(rig.reports(), [Report::GoalEnded(2, Goal::Stopped)]);
}

#[test]
fn the_path_tolerance_is_judged_while_the_end_is_awaited() {
    let mut rig = Rig::new();
    rig.send(1, false);
    rig.run(2000);
    assert_eq!(rig.controller.goal(), Goal::Active, "it waits for its end without a limit");
    rig.robot.joints_mut()[0].position = -0.25;
    rig.run(1);
    assert!(matches!(rig.reports()[..], [Report::GoalEnded(1, Goal::PathViolated(_))]));
    assert_eq!(rig.robot.joints()[0].commanded_effort, 0.0, "it is held where it is");
    // Without power it sinks on, and what brings that back is not to be a lunge.
    rig.robot.joints_mut()[0].position = -1.5;
    rig.run(1001);
    assert_eq!(rig.robot.joints()[0].commanded_effort, 0.0);
    assert!(matches!(rig.reports()[..], [Report::MotionFailed(Goal::Displaced(_))]));
}

#[test]
fn ends_that_nobody_takes_in_time_leave_no_goal_open() {
    let mut rig = Rig::new();
    rig.send(1, false);
    rig.run(10);
    for id in 2..5 {
        rig.send(id, true); // refused
        rig.run(1);
    }
    let [Report::GoalEnded(4, Goal::Refused { .. }), rest] = rig.reports()[..] else { unreachable!() };
    assert_eq!(rest, Report::GoalsReplaced { goal: Some(1), until: 4 }, "2 and 3 are not open");
    for id in 5..8 {
        rig.send(id, false);
        rig.run(1);
        rig.receive(Message::Stop);
        rig.run(1);
    }
    let [Report::GoalEnded(7, Goal::Stopped), rest] = rig.reports()[..] else { unreachable!() };
    assert_eq!(rest, Report::GoalsReplaced { goal: None, until: 7 });
}
