//! The limits of a joint hold without a safety controller, whatever commands it: on a robot that has no end stops of its own and obeys
//! any effort, as one on topics may.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use crate::common;

use common::{PERIOD, Rig};
use mechanism::controllers::{Controller, ControllerFailure, Message, Step};
use mechanism::laws::{Gains, Pid};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{Actuator, Joint, JointDynamics, JointKind, JointLimits, SimulatedRobot};
use mechanism::standard::{
    EffortController, PositionController, Tolerance, TrajectoryController, VelocityController,
};
use mechanism::{Description, Robot};
use safety::MessageTime;

const TIMEOUT: Duration = Duration::from_secs(60);
const LIMITS: JointLimits = JointLimits { effort: 20.0, velocity: 5.0, lower: -1.0, upper: 1.0 };
const REDUCTION: f64 = 10.0;

/// A controller of one joint, and what it moves: inertia 0.5 kg m², damping 2 Nms/rad, no limits.
struct Loose {
    rig: Rig,
    plant: SimulatedRobot,
}

impl Loose {
    /// The joint at this position.
    fn new(position: f64, limits: JointLimits, controller: impl Controller + 'static) -> Self {
        let mut joint = Joint::new("pan", JointKind::Revolute);
        (joint.position, joint.is_calibrated) = (position, true);
        let simple = Simple { actuator: 0, joint: 0, reduction: REDUCTION, simulated: None };
        let mut robot =
            Robot::from_parts(vec![joint], vec![Actuator::new("motor")], vec![Transmission::Simple(simple)]);
        let plant = SimulatedRobot::new(&robot, JointDynamics { inertia: 0.5, damping: 2.0 });
        robot.joints_mut()[0].limits = Some(limits);
        let mut loose = Self { rig: Rig::of(robot), plant };
        loose.run(10);
        loose.rig.run("one", controller);
        loose.run(1);
        loose
    }

    fn send(&mut self, value: f64) {
        let (now, mut message) = (self.rig.now, Message::Float(value));
        self.rig.control.deliver(1, 0, &mut message, MessageTime::new(now, Duration::ZERO), now);
    }

    /// The least and the greatest position, and the greatest speed, of so many steps.
    fn run(&mut self, steps: usize) -> [f64; 3] {
        let mut extremes = [f64::INFINITY, f64::NEG_INFINITY, 0.0_f64];
        for _ in 0..steps {
            self.plant.step(&mut self.rig.control.robot, PERIOD);
            self.rig.step();
            let joint = &self.plant.joints()[0];
            extremes[0] = extremes[0].min(joint.position);
            extremes[1] = extremes[1].max(joint.position);
            extremes[2] = extremes[2].max(joint.velocity.abs());
        }
        extremes
    }

    /// The effort that the actuator was commanded last, at the joint.
    fn effort(&self) -> f64 {
        self.rig.control.robot.actuators()[0].command.effort * REDUCTION
    }
}

fn pid(p: f64, i: f64, d: f64) -> Pid {
    Pid::new(Gains { p, i, d, i_clamp: 50.0, max_effort: 1e6 })
}

#[test]
fn the_actuator_gets_no_more_than_the_effort_of_its_joint() {
    let mut loose = Loose::new(0.0, LIMITS, EffortController::new(0, TIMEOUT));
    for (command, expected) in [(1e6, 20.0), (-1e6, -20.0), (3.0, 3.0)] {
        loose.send(command);
        loose.run(1);
        assert!((loose.effort() - expected).abs() < 1e-12, "{command}: {}", loose.effort());
    }
}

#[test]
fn an_effort_that_would_lead_further_out_or_above_the_greatest_speed_is_left_out_and_one_that_leads_back_passes()
 {
    let mut loose = Loose::new(1.01, LIMITS, EffortController::new(0, TIMEOUT));
    loose.send(3.0);
    assert_eq!(loose.run(500), [1.01, 1.01, 0.0]);
    loose.send(-3.0);
    assert!(loose.run(500)[0] < 0.9);
    // 20 Nm for a step are 0.04 rad/s.
    let wide = JointLimits { lower: -1e3, upper: 1e3, velocity: 2.0, ..LIMITS };
    let mut loose = Loose::new(0.0, wide, EffortController::new(0, TIMEOUT));
    loose.send(20.0);
    let [.., fastest] = loose.run(2000);
    assert!(fastest > 2.0 && fastest <= 2.04, "{fastest}");
}

/// A load or a wrong zero may have brought the joint there, and nobody commands it.
#[test]
fn a_controller_that_starts_beyond_an_end_stop_holds_the_joint_where_it_is() {
    let tolerance = Tolerance { path: 0.1, goal: 0.1, time: Duration::ZERO };
    for position in [1.6, -1.6] {
        let law = pid(50.0, 0.0, 5.0);
        let controllers: [Box<dyn FnOnce() -> Loose>; 2] = [
            Box::new(|| Loose::new(position, LIMITS, PositionController::new(0, law))),
            Box::new(|| Loose::new(position, LIMITS, TrajectoryController::new([(0, law)], tolerance))),
        ];
        for controller in controllers {
            let [lowest, highest, _] = controller().run(3000);
            assert!(
                (lowest - position).abs() < 1e-9 && (highest - position).abs() < 1e-9,
                "{lowest} {highest}"
            );
        }
        let mut loose = Loose::new(position, LIMITS, PositionController::new(0, law));
        loose.send(0.5);
        loose.run(3000);
        assert!((loose.plant.joints()[0].position - 0.5).abs() < 0.01, "a command leads back");
        loose.send(2.0);
        let [_, highest, _] = loose.run(3000);
        assert!(
            (loose.plant.joints()[0].position - 1.0).abs() < 0.01 && highest < 1.05,
            "and not out: {highest}"
        );
    }
}

#[test]
fn a_velocity_is_slowed_before_an_end_stop_and_is_no_faster_than_the_greatest() {
    for (command, sign) in [(100.0, 1.0), (-100.0, -1.0)] {
        let mut loose = Loose::new(0.0, LIMITS, VelocityController::new(0, pid(50.0, 0.0, 0.0), TIMEOUT));
        loose.send(command);
        let [lowest, highest, fastest] = loose.run(3000);
        assert!(
            lowest >= -1.0 && highest <= 1.0 && (1.0..=5.04).contains(&fastest),
            "{lowest} {highest} {fastest}"
        );
        assert!(sign * loose.plant.joints()[0].position > 0.95);
    }
    // Beyond it no speed leads on, and nothing moves by itself.
    let mut loose = Loose::new(1.5, LIMITS, VelocityController::new(0, pid(50.0, 0.0, 0.0), TIMEOUT));
    loose.send(1.0);
    assert_eq!(loose.run(500), [1.5, 1.5, 0.0]);
    loose.send(-1.0);
    assert!(loose.run(500)[0] < 1.2);
}

/// It writes an effort to the joint with this index.
struct Writes(usize);

impl Controller for Writes {
    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        step.robot.joints_mut()[self.0].commanded_effort = 1.0;
        Ok(())
    }
}

const FINGER: &str = r#"<robot name="finger"><link name="a"/><link name="b"/><link name="c"/>
  <joint name="one" type="continuous"><parent link="a"/><child link="b"/></joint>
  <joint name="two" type="continuous"><parent link="b"/><child link="c"/></joint>
  <transmission name="t" type="steersman/CoupledTransmission"><actuator name="m"/><joint name="one" coupling="1"/>
    <joint name="two" coupling="0.5"/><mechanicalReduction>1</mechanicalReduction></transmission></robot>"#;

#[test]
fn a_controller_that_commands_a_joint_that_follows_another_is_stopped_alone_and_says_so() {
    let mut rig = Rig::of(Robot::new(&Description::parse(FINGER).unwrap()));
    rig.run("good", Writes(0));
    rig.run("lost", Writes(1));
    rig.step();
    assert_eq!(rig.list(), ["good running", "lost stopped"]);
    assert_eq!(
        rig.manager.failure("lost").map(|failure| failure.0),
        Some("it commands a joint that follows another one")
    );
    let joints = rig.control.robot.joints();
    assert_eq!((joints[0].commanded_effort, joints[1].commanded_effort), (1.0, 0.0));
}
