//! The end of a halt of the motors moves nothing by itself, whatever stream of commands ran on through it.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use mechanism::controllers::{Controller, Message, Report};
use mechanism::laws::{Gains, Motion, Pid, Point, Trajectory};
use mechanism::robot::{Joint, JointKind, SimulatedRobot};
use mechanism::standard::{
    EffortController, Goal, Gripper, GripperController, PositionController, Tolerance, TrajectoryController,
    VelocityController,
};
use safety::{MessageTime, PublisherCount};

use crate::common::{PERIOD, Rig, simulated};

const TIMEOUT: Duration = Duration::from_millis(500);

/// A joint at 0 with a controller.
struct Arm {
    rig: Rig,
    plant: SimulatedRobot,
    reports: Vec<Report>,
}

impl Arm {
    fn new(controller: impl Controller + 'static) -> Self {
        let (robot, plant) = simulated(Joint::new("pan", JointKind::Revolute));
        let mut arm = Self { rig: Rig::of(robot), plant, reports: Vec::new() };
        arm.run(20, None);
        arm.rig.run("one", controller);
        arm
    }

    /// Steps, with a message each 20 ms. Returns the greatest distance from the begin.
    fn run(&mut self, steps: usize, message: Option<&Message>) -> f64 {
        let begin = self.plant.joints()[0].position;
        let mut most = 0.0_f64;
        for step in 0..steps {
            if let Some(message) = message.filter(|_| step % 20 == 0) {
                self.send(message);
            }
            self.plant.step(&mut self.rig.control.robot, PERIOD);
            self.rig.step();
            self.rig.control.take_reports(9, |_, _, report| self.reports.push(report));
            most = most.max((self.plant.joints()[0].position - begin).abs());
        }
        most
    }

    fn send(&mut self, message: &Message) {
        let (now, mut message) = (self.rig.now, message.clone());
        self.rig.control.deliver(1, 0, &mut message, MessageTime::new(now, Duration::ZERO), now);
    }

    fn halt(&mut self) {
        self.plant.halt();
        self.run(10, None);
    }

    fn waits(&mut self) -> Vec<bool> {
        let waits = self.reports.drain(..).filter_map(|report| match report {
            Report::StreamWaits { waits, .. } => Some(waits),
            _ => None,
        });
        waits.collect()
    }
}

fn law() -> Pid {
    Pid::new(Gains { p: 20.0, i: 0.0, d: 3.0, i_clamp: 0.0, max_effort: 1e6 })
}

fn pi() -> Pid {
    Pid::new(Gains { p: 2.0, i: 0.0, d: 0.0, i_clamp: 0.0, max_effort: 1e6 })
}

fn trajectory(position: f64, goal: Option<u64>) -> Message {
    let point = Point { time: Duration::from_millis(200), positions: vec![position], ..Point::default() };
    let trajectory = Trajectory::new(1, vec![point]).unwrap();
    Message::Trajectory(Some(Box::new(Motion { goal, ..Motion::from(trajectory) })))
}

/// Each kind of controller that is commanded, with a command of motion, and one of rest at 0.
fn kinds() -> Vec<(Arm, Message, Message)> {
    let wide = Tolerance { path: f64::INFINITY, goal: f64::INFINITY, time: Duration::ZERO };
    let settings = Gripper { tolerance: 0.01, stall_velocity: 1e-3, stall_time: Duration::from_secs(1) };
    let (motion, rest) = (Message::Float(1.5), Message::Float(0.0));
    vec![
        (Arm::new(PositionController::new(0, law())), motion.clone(), Message::Float(0.04)),
        (
            Arm::new(GripperController::new(PositionController::new(0, law()), settings)),
            motion.clone(),
            rest.clone(),
        ),
        (Arm::new(VelocityController::new(0, pi(), TIMEOUT)), motion.clone(), rest.clone()),
        (Arm::new(EffortController::new(0, TIMEOUT)), motion, rest),
        (
            Arm::new(TrajectoryController::new([(0, law())], wide)),
            trajectory(1.5, None),
            trajectory(0.0, None),
        ),
    ]
}

#[test]
fn a_stream_that_runs_on_through_a_halt_moves_nothing_at_its_end() {
    for (number, (mut arm, motion, _)) in kinds().into_iter().enumerate() {
        arm.halt();
        arm.run(300, Some(&motion));
        arm.plant.reset();
        assert!(arm.run(2000, Some(&motion)) < 1e-6, "{number}");
        assert_eq!(arm.waits(), [true], "{number}");
        for pause in [480, 3000] {
            arm.run(pause, None);
            assert!(arm.run(400, Some(&motion)) < 1e-6, "{number}: its link drops out for a moment");
        }
        assert_eq!(arm.waits(), [], "{number}");
    }
}

#[test]
fn a_stream_that_was_silent_through_the_halt_moves_nothing_when_it_returns() {
    for (number, (mut arm, motion, rest)) in kinds().into_iter().enumerate() {
        arm.run(300, Some(&rest));
        arm.run(1000, None);
        arm.halt();
        arm.plant.reset();
        arm.run(1000, None);
        assert!(arm.run(400, Some(&motion)) < 0.05, "{number}");
        assert_eq!(arm.waits(), [true], "{number}");
        arm.rig.switch(&["one"], &["one"], 2).unwrap();
        assert!(arm.run(400, Some(&motion)) > 0.1, "{number}: it was started anew");
    }
}

#[test]
fn a_stream_that_asks_for_rest_counts_again() {
    for (number, (mut arm, motion, rest)) in kinds().into_iter().enumerate() {
        arm.halt();
        arm.run(300, Some(&motion));
        arm.plant.reset();
        assert!(arm.run(300, Some(&motion)) < 1e-6, "{number}");
        assert!(arm.run(100, Some(&rest)) < 0.05, "{number}");
        assert!(arm.run(400, Some(&motion)) > 0.1, "{number}");
    }
}

#[test]
fn a_stream_of_two_publishers_moves_nothing_nor_does_the_one_that_stays() {
    for (number, (mut arm, motion, rest)) in kinds().into_iter().enumerate() {
        arm.run(300, Some(&rest));
        let count = |arm: &mut Arm, count| arm.send(&Message::Counted(PublisherCount::of(count)));
        count(&mut arm, 1);
        assert!(arm.run(100, Some(&rest)) < 0.05, "{number}");
        count(&mut arm, 2);
        assert!(arm.run(200, Some(&motion)) < 0.05, "{number}: two");
        count(&mut arm, 1);
        assert!(
            arm.run(100, Some(&motion)) < 1e-3,
            "{number}: what came before this count may be of the one that left"
        );
        count(&mut arm, 1);
        assert_eq!(arm.waits(), [], "{number}");
        assert!(arm.run(400, Some(&motion)) < 1e-3, "{number}: the one that stays");
        arm.run(600, None);
        assert!(arm.run(400, Some(&motion)) < 1e-3, "{number}: a pause is no act of a person");
        assert_eq!(arm.waits(), [true], "{number}");
        assert!(arm.run(100, Some(&rest)) < 0.05, "{number}");
        assert!(arm.run(400, Some(&motion)) > 0.1, "{number}: it began anew");
    }
}

#[test]
fn two_publishers_stop_what_was_commanded_before_any_further_message() {
    let mut arm = Arm::new(PositionController::new(0, law()));
    arm.send(&Message::Float(1.5));
    assert!(arm.run(300, None) > 0.1);
    arm.send(&Message::Counted(PublisherCount::of(2)));
    arm.run(300, None);
    assert!(arm.run(1000, None) < 0.01 && arm.plant.joints()[0].position < 1.4);
}

#[test]
fn a_new_command_after_the_release_counts_at_once() {
    for (number, (mut arm, motion, _)) in kinds().into_iter().enumerate() {
        arm.send(&motion);
        arm.run(600, None);
        arm.halt();
        arm.run(600, None);
        arm.plant.reset();
        arm.run(20, None);
        let held = arm.plant.joints()[0].position;
        arm.send(&motion);
        arm.run(400, None);
        let now = arm.plant.joints()[0].position;
        assert!((now - held).abs() > 1e-3 || (now - 1.5).abs() < 0.05, "{number}: {held} to {now}");
    }
}

#[test]
fn a_goal_that_is_repeated_through_a_halt_ends_without_a_motion() {
    let wide = Tolerance { path: f64::INFINITY, goal: f64::INFINITY, time: Duration::ZERO };
    let mut arm = Arm::new(TrajectoryController::new([(0, law())], wide));
    arm.halt();
    arm.run(100, Some(&trajectory(1.5, Some(7))));
    arm.plant.reset();
    arm.run(20, None);
    arm.reports.clear();
    assert!(arm.run(100, Some(&trajectory(1.5, Some(8)))) < 1e-6);
    let is_end = |report: &Report| matches!(report, Report::GoalEnded(8, Goal::Stopped));
    assert!(arm.reports.iter().any(is_end), "{:?}", arm.reports);
    arm.run(500, None);
    arm.send(&trajectory(1.5, Some(9)));
    assert!(arm.run(400, None) > 0.1, "a goal is an act of its own");
}
