//! Which joints the types of controllers accept.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use mechanism::robot::{Hardware, JointDynamics, SimulatedRobot};
use mechanism::{BUILTIN_TYPES, Description, Robot};
use params::Value;
use safety::Instant;

/// Joints of each kind of transmission, all with a calibration.
const URDF: &str = r#"<robot name="all"><link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/>
  <link name="f"/><link name="g"/><link name="h"/><link name="i"/><link name="j"/>
  <joint name="pan" type="revolute"><parent link="a"/><child link="b"/><limit effort="1" velocity="1" lower="-1" upper="1"/>
    <calibration rising="0.1"/></joint>
  <joint name="turn" type="continuous"><parent link="b"/><child link="c"/><calibration falling="0.1"/></joint>
  <joint name="lift" type="continuous"><parent link="c"/><child link="d"/><calibration rising="0.1"/></joint>
  <joint name="flex" type="revolute"><parent link="d"/><child link="e"/><limit effort="10" velocity="3" lower="-1" upper="1"/>
    <calibration rising="0.1"/></joint>
  <joint name="roll" type="continuous"><parent link="e"/><child link="f"/><calibration rising="0.1"/></joint>
  <joint name="gap" type="prismatic"><parent link="f"/><child link="g"/><limit effort="1000" velocity="0.2"/>
    <calibration rising="0.1"/></joint>
  <joint name="finger" type="revolute"><parent link="f"/><child link="h"/><limit effort="0" velocity="1"/>
    <calibration rising="0.1"/></joint>
  <joint name="bare" type="continuous"><parent link="f"/><child link="i"/></joint>
  <joint name="loose" type="continuous"><parent link="f"/><child link="j"/><calibration rising="0.1"/></joint>
  <transmission type="pr2_mechanism_model/SimpleTransmission" name="pan_trans">
    <actuator name="pan_motor"/><joint name="pan"/><mechanicalReduction>2</mechanicalReduction></transmission>
  <transmission type="pr2_mechanism_model/SimpleTransmission" name="turn_trans">
    <actuator name="turn_motor"/><joint name="turn"/><mechanicalReduction>2</mechanicalReduction></transmission>
  <transmission type="pr2_mechanism_model/SimpleTransmission" name="bare_trans">
    <actuator name="bare_motor"/><joint name="bare"/><mechanicalReduction>2</mechanicalReduction></transmission>
  <transmission name="belt" type="pr2_mechanism_model/PR2BeltCompensatorTransmission">
    <actuator name="lift_motor"/><joint name="lift"/><mechanicalReduction>24.7</mechanicalReduction>
    <compensator k_belt="4000" mass_motor="0.05" kd_motor="15" lambda_motor="60" lambda_joint="60" lambda_combined="0"/>
  </transmission>
  <transmission type="pr2_mechanism_model/WristTransmission" name="wrist">
    <rightActuator name="r_motor" mechanicalReduction="-75.25"/><leftActuator name="l_motor" mechanicalReduction="-75.25"/>
    <flexJoint name="flex" mechanicalReduction="-1"/><rollJoint name="roll" mechanicalReduction="-1"/></transmission>
  <transmission type="pr2_mechanism_model/PR2GripperTransmission" name="gripper"><actuator name="gripper_motor"/>
    <gap_joint name="gap" L0="0.0375528" a="0.0683698" b="0.0433849" gear_ratio="40.095" h="0.0" mechanical_reduction="1.0"
      phi0="0.518518122146" r="0.0915" screw_reduction="0.004" t0="-0.0001914" theta0="0.0628824676201"/>
    <passive_joint name="finger"/></transmission></robot>"#;

/// A robot whose hardware reads all calibration sensors.
fn robot() -> Robot {
    let description = Description::parse(URDF).unwrap();
    assert_eq!(description.skipped, []);
    let mut robot = Robot::new(&description);
    let simulation = SimulatedRobot::new(&robot, JointDynamics::default());
    robot.note_sensors(&simulation);
    robot
}

/// Creates a `JointCalibrationController` for this joint; the error says why its type refuses the joint.
fn calibration_of(joint: &str) -> Result<(), String> {
    calibration_on(&robot(), joint)
}

fn calibration_on(robot: &Robot, joint: &str) -> Result<(), String> {
    let known =
        BUILTIN_TYPES.iter().find(|known| known.name == "steersman/JointCalibrationController").unwrap();
    let parameters = [("joint", Value::Text(joint.into())), ("velocity", Value::Float(0.2))];
    known.create(robot, parameters.map(|(name, value)| (name.to_owned(), value))).map(drop)
}

/// In a wrist the zero of an actuator moves two joints, in a belt the filters follow it later, and the gap of a gripper is not
/// proportional to it.
#[test]
fn only_a_joint_of_a_simple_transmission_is_calibrated() {
    for joint in ["pan", "turn"] {
        assert_eq!(calibration_of(joint), Ok(()));
    }
    for joint in ["flex", "roll", "gap", "lift"] {
        let expected = format!(
            "parameter 'joint' is '{joint}', must be a joint of a simple transmission: in others a new zero of the actuator does \
             not move this joint alone, at once and by as much"
        );
        assert_eq!(calibration_of(joint), Err(expected));
    }
    let refused = calibration_of("finger").unwrap_err();
    assert_eq!(
        refused,
        "parameter 'joint' is 'finger', must be a joint that an actuator moves: it follows 'gap'"
    );
}

#[test]
fn a_joint_that_has_no_calibration_or_is_not_there_is_refused() {
    let expected = "parameter 'joint' is 'bare', must be a joint with <calibration> in the URDF";
    assert_eq!(calibration_of("bare"), Err(expected.to_owned()));
    for joint in ["loose", "nobody", ""] {
        let refused = calibration_of(joint).unwrap_err();
        assert!(refused.starts_with(&format!("parameter 'joint' is '{joint}', must be ")), "{refused}");
    }
}

/// Hardware that says nothing of sensors has none: a search would press the joint against its end stop.
#[test]
fn a_joint_whose_hardware_reads_no_calibration_sensor_is_refused() {
    struct Blind;
    impl Hardware for Blind {
        fn read(&mut self, _: &mut Robot, _: Instant, _: Duration) {}
        fn write(&mut self, _: &Robot) {}
        fn halt(&mut self) {}
        fn reset(&mut self) {}
    }
    let expected = "parameter 'joint' is 'pan', must be a joint with a calibration sensor: the hardware reads none for its actuator \
                    'pan_motor', and a search would press the joint against its end stop; use the joint without a calibration, by \
                    the positions that the hardware reports";
    let description = Description::parse(URDF).unwrap();
    let mut blind = robot();
    blind.note_sensors(&Blind);
    for robot in [Robot::new(&description), blind] {
        assert_eq!(calibration_on(&robot, "pan"), Err(expected.to_owned()));
    }
}

/// A simulation has the sensors that the description places.
#[test]
fn a_simulation_says_which_actuators_have_a_calibration_sensor() {
    let robot = robot();
    let without = robot.actuators().iter().filter(|actuator| !actuator.has_calibration_sensor);
    assert_eq!(without.map(|actuator| actuator.name.as_str()).collect::<Vec<_>>(), ["bare_motor"]);
}

/// Warnings about a controller of the type `name` with these parameters.
fn warnings(name: &str, parameters: &[(&str, Value)]) -> Vec<String> {
    let robot = robot();
    let known = BUILTIN_TYPES.iter().find(|known| known.name == format!("steersman/{name}")).unwrap();
    let parameters = parameters.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    known.create(&robot, parameters).unwrap().warnings
}

#[test]
fn a_law_without_effect_is_warned_of_by_its_parameters() {
    let pan = ("joint", Value::Text("pan".into()));
    let float = |name, value| (name, Value::Float(value));
    let of = |parameters: &[(&'static str, Value)]| {
        warnings("JointPositionController", &[std::slice::from_ref(&pan), parameters].concat())
    };
    assert_eq!(of(&[]), ["parameters 'pid.p', 'pid.i' and 'pid.d' are 0: no effort will ever come"]);
    let clamp = "parameter 'pid.i_clamp' is 0: 'pid.i' 2 has no effect";
    assert_eq!(of(&[float("pid.p", 1.0), float("pid.i", 2.0)]), [clamp]);
    let most = "parameter 'pid.max_effort' is 0: no effort will ever come";
    assert_eq!(of(&[float("pid.p", 1.0), float("pid.max_effort", 0.0)]), [most]);
    assert_eq!(of(&[float("pid.p", 1.0), float("pid.i", 2.0), float("pid.i_clamp", 0.1)]), [""; 0]);
    assert_eq!(warnings("JointEffortController", std::slice::from_ref(&pan)), [""; 0], "it has no law");
    let expected = "parameters 'pid.p' and 'pid.i' are 0: no effort will ever come";
    assert_eq!(warnings("JointVelocityController", &[pan]), [expected]);
}

/// A measured velocity has no clean derivative.
#[test]
fn a_derivative_gain_of_a_law_of_velocities_is_refused() {
    let robot = robot();
    let text = |name: &str, value: &str| (name.to_owned(), Value::Text(value.into()));
    let wheels = |side: &str, joint: &str| (format!("{side}_wheel_names"), Value::Texts(vec![joint.into()]));
    let speed = ("velocity".to_owned(), Value::Float(0.5));
    let vehicle = vec![wheels("left", "turn"), wheels("right", "bare")];
    for (name, parameters) in [
        ("JointVelocityController", vec![text("joint", "pan")]),
        ("JointCalibrationController", vec![text("joint", "pan"), speed]),
        ("DiffDriveController", vehicle),
    ] {
        let known = BUILTIN_TYPES.iter().find(|known| known.name == format!("steersman/{name}")).unwrap();
        assert!(known.create(&robot, parameters.clone()).is_ok(), "{name}");
        let derivative = ("pid.d".to_owned(), Value::Float(0.1));
        let refused = known.create(&robot, parameters.into_iter().chain([derivative])).err();
        let refused = refused.unwrap_or_default();
        assert!(refused.starts_with("parameter 'pid.d' does not exist"), "{name}: {refused}");
    }
}

#[test]
fn a_velocity_of_a_calibration_whose_sign_leads_away_from_the_edge_is_warned_of() {
    let of = |joint: &str, velocity| {
        let law = ("pid.p", Value::Float(1.0));
        let parameters = [("joint", Value::Text(joint.into())), ("velocity", Value::Float(velocity)), law];
        warnings("JointCalibrationController", &parameters)
    };
    let expected = "parameter 'velocity' is -0.5 rad/s or m/s: joint 'pan' is searched upwards all the same, since its edge is a \
                    rising one";
    assert_eq!(of("pan", -0.5), [expected]);
    // Of `turn`, which has a falling edge, the original takes a positive velocity.
    for (joint, velocity) in [("pan", 0.5), ("turn", 0.5), ("turn", -0.5)] {
        assert_eq!(of(joint, velocity), [""; 0]);
    }
}

#[test]
fn a_trajectory_controller_is_warned_of_each_joints_law_and_of_a_goal_without_a_tolerance() {
    let joints = ("joints", Value::Texts(vec!["pan".into(), "turn".into()]));
    let parameters = [joints.clone(), ("pid.p", Value::Floats(vec![1.0, 0.0]))];
    let law = "parameters 'pid.p', 'pid.i' and 'pid.d' of joint 'turn' are 0: no effort will ever come";
    let goal = "parameter 'goal_tolerance' is 0: a goal without its own tolerance ends as reached wherever the joints are";
    assert_eq!(warnings("JointTrajectoryController", &parameters), [law, goal]);
    let parameters =
        [joints, ("pid.p", Value::Floats(vec![1.0, 1.0])), ("goal_tolerance", Value::Float(0.1))];
    assert_eq!(warnings("JointTrajectoryController", &parameters), [""; 0]);
}
