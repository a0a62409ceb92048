//! A position that is far away is approached slowly, and one that is near is followed at once.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use mechanism::controllers::{Beyond, Message, Report};
use mechanism::laws::{Gains, Pid};
use mechanism::robot::{Joint, JointKind, JointLimits, SafetyController, SimulatedRobot};
use mechanism::standard::PositionController;
use safety::MessageTime;

use crate::common::{PERIOD, Rig, simulated};

struct Arm {
    rig: Rig,
    plant: SimulatedRobot,
    reports: Vec<Report>,
}

impl Arm {
    fn new(kind: JointKind, speed: Option<Option<f64>>) -> Self {
        let limits = JointLimits { effort: 5.0, velocity: 6.0, lower: -2.0, upper: 2.0 };
        Self::of(Joint { limits: Some(limits), ..Joint::new("pan", kind) }, speed)
    }

    /// One that rests there, with soft limits of 2 rad.
    fn at_rest(position: f64) -> Self {
        let limits = JointLimits { effort: 5.0, velocity: 6.0, lower: -3.0, upper: 3.0 };
        let (soft_lower_limit, soft_upper_limit) = (-2.0, 2.0);
        let soft =
            SafetyController { k_position: 100.0, k_velocity: 1.5, soft_lower_limit, soft_upper_limit };
        let (limits, safety) = (Some(limits), Some(soft));
        Self::of(
            Joint { position, limits, safety, ..Joint::new("pan", JointKind::Revolute) },
            Some(Some(0.5)),
        )
    }

    fn of(joint: Joint, speed: Option<Option<f64>>) -> Self {
        let (robot, plant) = simulated(joint);
        let mut arm = Self { rig: Rig::of(robot), plant, reports: Vec::new() };
        arm.rig.now = arm.rig.now + Duration::from_secs(60);
        arm.run(20);
        let law = Pid::new(Gains { p: 20.0, i: 0.0, d: 3.0, i_clamp: 0.0, max_effort: 1e6 });
        let controller = PositionController::new(0, law);
        match speed {
            Some(speed) => arm.rig.run("one", controller.approaching(speed)),
            None => arm.rig.run("one", controller),
        }
        arm.run(1);
        arm
    }

    fn at(&self) -> f64 {
        self.plant.joints()[0].position
    }

    /// The greatest speed in so many steps.
    fn run(&mut self, steps: usize) -> f64 {
        let mut most = 0.0_f64;
        for _ in 0..steps {
            self.plant.step(&mut self.rig.control.robot, PERIOD);
            self.rig.step();
            self.rig.control.take_reports(9, |_, _, report| self.reports.push(report));
            most = most.max(self.plant.joints()[0].velocity.abs());
        }
        most
    }

    /// Commands this position, and runs.
    fn go(&mut self, position: f64, steps: usize) -> f64 {
        let (now, mut message) = (self.rig.now, Message::Float(position));
        self.rig.control.deliver(1, 0, &mut message, MessageTime::new(now, Duration::ZERO), now);
        self.run(steps)
    }
}

#[test]
fn a_far_command_is_approached_at_a_bounded_speed_and_reached() {
    let mut arm = Arm::new(JointKind::Revolute, Some(Some(0.5)));
    for position in [1.5, -1.5, 1.0] {
        let far = (position - arm.at()).abs();
        let most = arm.go(position, 600).max(arm.go(position, (far / 0.5 * 1000.0) as usize + 1000));
        assert!((0.4..0.6).contains(&most), "{most}");
        assert!((arm.at() - position).abs() < 0.01, "{}", arm.at());
    }
    let mut arm = Arm::new(JointKind::Revolute, None);
    assert!(arm.go(1.5, 500) > 2.0, "unbounded");
    // The joint is no faster than its limit of speed.
    assert!(Arm::new(JointKind::Revolute, Some(Some(100.0))).go(1.5, 500) < 6.5);
}

#[test]
fn a_stream_that_is_near_is_followed_as_fast_as_it_goes() {
    let mut arm = Arm::new(JointKind::Revolute, Some(Some(0.5)));
    let mut most = 0.0_f64;
    for step in 1..=30 {
        most = most.max(arm.go(0.05 * f64::from(step), 20));
    }
    assert!(most > 2.0 && (arm.at() - 1.5).abs() < 0.5, "2.5 rad/s: {most} {}", arm.at());
    // Where it jumps, it is reached slowly, also while it goes on.
    arm.go(1.5, 1000);
    let mut most = 0.0_f64;
    for step in 1..=30 {
        most = most.max(arm.go(-0.5 + 0.01 * f64::from(step), 20));
    }
    assert!(most < 0.6, "{most}");
}

#[test]
fn a_prismatic_joint_is_led_sooner_and_a_continuous_one_the_shorter_way() {
    let mut arm = Arm::new(JointKind::Prismatic, Some(Some(0.1)));
    assert!(arm.go(0.06, 1000) < 0.15 && (arm.at() - 0.06).abs() < 0.01);
    let mut arm = Arm::new(JointKind::Continuous, Some(Some(0.5)));
    assert!(arm.go(core::f64::consts::TAU - 1.0, 2500) < 0.6);
    assert!((arm.at() + 1.0).abs() < 0.01, "{}", arm.at());
}

/// A joint rests beyond its range, as limits that only brake leave it.
#[test]
fn a_joint_beyond_its_range_rests_where_it_is_and_is_led_back_slowly_by_another_command() {
    for (place, rests) in [(2.15, [2.15, 2.11, 2.19]), (-2.18, [-2.18, -2.14, -2.22])] {
        for rest in rests {
            let mut arm = Arm::at_rest(place);
            arm.plant.halt();
            arm.go(1.0, 20);
            arm.go(1.0, 20);
            arm.plant.reset();
            arm.run(20);
            assert!(arm.go(1.0, 100) < 1e-6, "{place}: a stream from before the release");
            assert!(
                arm.go(rest, 1000) < 1e-3 && (arm.at() - place).abs() < 1e-3,
                "{place}, {rest}: {}",
                arm.at()
            );
            let wanted = 1.9 * place.signum();
            let most = (0..50).map(|_| arm.go(wanted, 20)).fold(0.0, f64::max);
            assert!((0.3..0.6).contains(&most), "{place}, {rest}: back at {most} rad/s");
            assert!((arm.at() - wanted).abs() < 0.01, "{place}, {rest}: {}", arm.at());
        }
    }
}

#[test]
fn without_a_speed_a_joint_that_slides_is_slower_in_its_unit() {
    for (kind, range) in [(JointKind::Revolute, 0.4..0.6), (JointKind::Prismatic, 0.08..0.12)] {
        let most = Arm::new(kind, Some(None)).go(1.5, 1500);
        assert!(range.contains(&most), "{kind:?}: {most}");
    }
}

#[test]
fn an_approach_of_a_stream_stops_with_it_and_one_of_a_single_command_goes_on() {
    let mut arm = Arm::new(JointKind::Revolute, Some(Some(0.5)));
    for _ in 0..50 {
        arm.go(1.5, 20);
    }
    arm.run(460);
    assert!(arm.at() > 0.6, "a gap is no end: {}", arm.at());
    arm.run(540);
    let stopped = arm.at();
    assert!(arm.run(3000) < 0.01 && arm.at() < 0.9 && (arm.at() - stopped).abs() < 0.01, "{}", arm.at());
    assert_eq!(arm.reports, [Report::ApproachLost]);
    arm.go(1.5, 3000);
    assert!(
        arm.at() < stopped + 0.3 && arm.reports.len() == 2,
        "one that passes a bad link is of the stream: {}",
        arm.at()
    );
    let mut arm = Arm::new(JointKind::Revolute, Some(Some(0.5)));
    arm.go(1.5, 5000);
    assert!((arm.at() - 1.5).abs() < 0.01, "a single one is an order to go there: {}", arm.at());
    // The last command of a stream that is followed is held.
    for step in 1..=30 {
        arm.go(1.5 - 0.05 * f64::from(step), 20);
    }
    arm.run(2000);
    assert!(arm.at().abs() < 0.01 && arm.reports.is_empty(), "{}", arm.at());
}

#[test]
fn a_command_beyond_the_range_is_reported_and_not_with_each_message() {
    let mut arm = Arm::new(JointKind::Revolute, Some(Some(0.5)));
    arm.go(2.0, 100);
    assert_eq!(arm.reports, []);
    for _ in 0..250 {
        arm.go(7.0, 20);
    }
    let report = Report::CommandBeyond(Beyond { joint: 0, command: 7.0, range: [-2.0, 2.0], unit: "rad" });
    assert_eq!(arm.reports, [report]);
    arm.run(20_000);
    assert_eq!(arm.reports.len(), 1, "it is held, and no message came");
    arm.go(-7.0, 20);
    assert_eq!(arm.reports.len(), 2);
}
