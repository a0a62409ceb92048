//! Actuators, joints, safety limits, transmissions and calibration by numbers worked out from their equations.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::f64::consts::{PI, TAU};

use common::Rig;
use mechanism::robot::transmission::{Simple, Transmission, Wrist, WristRatios};
use mechanism::robot::{
    Actuator, CalibrationEdges, Joint, JointKind, JointLimits, SafetyController, SimulatedSensor,
};
use mechanism::{Description, Robot};

const STRICT: i32 = 2;

#[test]
fn an_actuator_begins_disabled_without_effort_and_with_a_state_of_zeros() {
    let actuator = Actuator::new("motor");
    assert_eq!((actuator.command.enable, actuator.command.effort), (false, 0.0));
    let state = &actuator.state;
    assert_eq!((state.device_id, state.encoder_count, state.encoder_errors), (0, 0, 0));
    assert!(state.sample_time.is_zero());
    let numbers = [
        state.encoder_velocity,
        state.position,
        state.velocity,
        state.zero_offset,
        state.last_commanded_current,
        state.last_commanded_effort,
        state.last_executed_current,
        state.last_executed_effort,
        state.last_measured_current,
        state.last_measured_effort,
        state.motor_voltage,
    ];
    assert_eq!(numbers, [0.0; 11]);
    assert!(!state.calibration_reading && !state.is_enabled && !state.is_halted);
    assert_eq!((state.last_calibration_rising_edge, state.last_calibration_falling_edge), (None, None));
}

#[test]
fn a_joint_begins_at_zero_uncalibrated_and_without_a_reference() {
    let joint = Joint::new("pan", JointKind::Revolute);
    assert_eq!([joint.position, joint.velocity, joint.measured_effort, joint.commanded_effort], [0.0; 4]);
    assert_eq!((joint.is_calibrated, joint.reference_position), (false, 0.0));
}

#[test]
fn actuators_are_those_of_the_transmissions_sorted_by_name() {
    let description = Description::parse(&two_joints("", "")).unwrap();
    let robot = Robot::new(&description);
    let names: Vec<_> = robot.actuators().iter().map(|actuator| actuator.name.as_str()).collect();
    assert_eq!(names, ["pan_motor", "tilt_motor"]);
}

#[test]
fn the_joint_of_a_stopped_controller_gets_no_effort_and_a_later_controller_sees_an_earlier_one() {
    let mut rig = Rig::with(&["a", "b"]);
    rig.switch(&["a", "b"], &[], STRICT).unwrap();
    rig.behaviour("a").set(|plan| plan.effort = Some(4.0));
    rig.step();
    assert_eq!(rig.control.robot.joints()[0].commanded_effort, 4.0);
    rig.behaviour("b").set(|plan| plan.effort = Some(1.0));
    rig.step();
    assert_eq!(rig.control.robot.joints()[0].commanded_effort, 1.0, "the last writer");
    rig.switch(&[], &["b"], STRICT).unwrap();
    rig.step();
    assert_eq!(rig.control.robot.joints()[0].commanded_effort, 4.0, "a alone");
    rig.switch(&[], &["a"], STRICT).unwrap();
    rig.step();
    assert_eq!(rig.control.robot.joints()[0].commanded_effort, 0.0);
}

/// The tilt joint of a camera head: effort 15, velocity 5, k_position 100, k_velocity 1.5, soft limits -0.3712 and 1.29626.
fn tilt(position: f64, velocity: f64) -> Joint {
    let mut joint = Joint::new("tilt", JointKind::Revolute);
    joint.limits = Some(JointLimits { effort: 15.0, velocity: 5.0, lower: -0.4712, upper: 1.39626 });
    joint.safety = Some(SafetyController {
        k_position: 100.0,
        k_velocity: 1.5,
        soft_lower_limit: -0.3712,
        soft_upper_limit: 1.29626,
    });
    (joint.position, joint.velocity, joint.is_calibrated) = (position, velocity, true);
    joint
}

fn limited(mut joint: Joint, command: f64) -> f64 {
    joint.commanded_effort = command;
    joint.enforce_limits();
    joint.commanded_effort
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-9, "{found}, not {expected}");
}

/// k_velocity · velocity = 7.5 is less than the effort of 15: full effort is not to be had at rest. At 5 rad/s against the
/// direction of the effort it is: 1.5 · (5 + 5) = 15.
#[test]
fn tilt_has_half_of_its_effort_at_rest() {
    near(limited(tilt(0.4, 0.0), 15.0), 7.5);
    near(limited(tilt(0.4, 0.0), -15.0), -7.5);
    near(limited(tilt(0.4, -5.0), 15.0), 15.0);
    near(limited(tilt(0.4, -9.0), 100.0), 15.0);
}

/// 0.02 rad before the upper limit the speed may be 100 · 0.02 = 2; at 1 rad/s the effort may be 1.5 · (2 - 1) = 1.5.
#[test]
fn tilt_is_slowed_before_its_soft_limits() {
    near(limited(tilt(1.27626, 1.0), 10.0), 1.5);
    near(limited(tilt(-0.3512, -1.0), -10.0), -1.5);
    // Faster than 2 rad/s there: -1.5 · (3 - 2) brakes, without a controller.
    near(limited(tilt(1.27626, 3.0), 0.0), -1.5);
}

/// Far beyond a limit the speed back is 5 at most, so that the effort back is 7.5 at rest. None comes by itself, and none leads on.
#[test]
fn far_beyond_a_soft_limit_an_effort_may_lead_back_alone() {
    for (command, expected) in [(-15.0, -7.5), (0.0, 0.0), (15.0, 0.0)] {
        near(limited(tilt(2.0, 0.0), command), expected);
        near(limited(tilt(-1.0, 0.0), -command), -expected);
    }
}

/// Between the soft and the hard limit only the soft one counts: 0.05 rad beyond it no effort leads on.
#[test]
fn the_end_stops_themselves_limit_nothing() {
    near(limited(tilt(1.34626, 0.0), 15.0), 0.0);
    let mut joint = tilt(1.2, 0.0);
    joint.limits = joint.limits.map(|limits| JointLimits { lower: 0.0, upper: 0.5, ..limits });
    // 0.09626 rad before the soft limit the speed is that of the limit: 1.5 · 5.
    near(limited(joint, 15.0), 7.5);
}

#[test]
fn a_prismatic_joint_is_limited_as_a_revolute_one() {
    let mut joint = tilt(1.30626, 0.0);
    joint.kind = JointKind::Prismatic;
    // 0.01 beyond the upper limit.
    near(limited(joint.clone(), 5.0), 0.0);
    near(limited(joint, -5.0), -5.0);
}

/// An uncalibrated and a continuous joint have limits of speed and effort, at whatever position.
#[test]
fn without_a_known_position_speed_and_effort_are_limited() {
    let (mut uncalibrated, mut continuous) = (tilt(50.0, 4.0), tilt(50.0, 4.0));
    uncalibrated.is_calibrated = false;
    continuous.kind = JointKind::Continuous;
    for joint in [uncalibrated, continuous] {
        near(limited(joint.clone(), 10.0), 1.5); // 1.5 · (5 - 4)
        near(limited(joint, -100.0), -13.5); // -1.5 · (4 + 5)
    }
}

/// Two joints `pan` and `tilt` with simple transmissions, and what else is given.
fn two_joints(transmission: &str, type_attribute: &str) -> String {
    let type_attribute = if type_attribute.is_empty() {
        r#"type="pr2_mechanism_model/SimpleTransmission""#
    } else {
        type_attribute
    };
    format!(
        r#"<robot name="two"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="pan" type="continuous"><parent link="a"/><child link="b"/></joint>
        <joint name="tilt" type="continuous"><parent link="b"/><child link="c"/></joint>
        <transmission name="one" {type_attribute}><actuator name="pan_motor"/><joint name="pan"/>
          <mechanicalReduction>2</mechanicalReduction></transmission>
        <transmission name="other"><type>pr2_mechanism_model/SimpleTransmission</type>
          <actuator name="tilt_motor"><mechanicalReduction>-3</mechanicalReduction></actuator><joint name="tilt"/></transmission>
        {transmission}</robot>"#
    )
}

fn names(urdf: &str) -> (Vec<String>, Vec<String>) {
    let description = Description::parse(urdf).unwrap();
    let joints = Robot::new(&description).joints().iter().map(|joint| joint.name.clone()).collect();
    (joints, description.skipped.into_iter().map(|skipped| skipped.name).collect())
}

/// The type is an attribute or an element, the reduction is below the transmission or the actuator.
#[test]
fn type_and_reduction_are_read_from_both_of_their_places() {
    let mut robot = Robot::new(&Description::parse(&two_joints("", "")).unwrap());
    robot.actuators_mut().iter_mut().for_each(|actuator| actuator.state.position = 6.0);
    robot.read_actuators();
    let positions: Vec<f64> = robot.joints().iter().map(|joint| joint.position).collect();
    assert_eq!(positions, [3.0, -2.0]);
}

/// A broken transmission costs its own joint, and the robot is there all the same: with the other joint, or with none.
#[test]
fn a_broken_transmission_leaves_the_robot_and_the_other_joints() {
    let broken = |more: &str| names(&two_joints(more, ""));
    let all = vec!["pan".to_owned(), "tilt".to_owned()];
    for element in [
        r#"<transmission name="bad" type="pr2_mechanism_model/SimpleTransmission"><joint name="pan"/></transmission>"#,
        r#"<transmission name="bad" type="pr2_mechanism_model/SimpleTransmission"><actuator name="m"/><joint name="nobody"/><mechanicalReduction>1</mechanicalReduction></transmission>"#,
        r#"<transmission name="bad" type="pr2_mechanism_model/Juggler"/>"#,
        r#"<transmission name="bad" type="SimpleTransmission"/>"#,
        r#"<transmission name="bad"/>"#,
    ] {
        assert_eq!(broken(element), (all.clone(), vec!["bad".to_owned()]), "{element}");
    }
    let unknown = r#"type="pr2_mechanism_model/Nothing""#;
    assert_eq!(names(&two_joints("", unknown)), (vec!["tilt".to_owned()], vec!["one".to_owned()]));
    let none =
        two_joints("", unknown).replace("<type>pr2_mechanism_model/SimpleTransmission", "<type>other/Thing");
    assert_eq!(names(&none), (vec![], vec!["one".to_owned(), "other".to_owned()]));
}

/// A reduction of 4 with a simulated joint behind a screw of 0.5: 3 Nm at the motor are 3 · 4 / 0.5 = 24 for the simulated joint,
/// and nothing for the other.
#[test]
fn a_simulated_joint_gets_the_effort_of_a_simulation() {
    let simple = Simple { actuator: 0, joint: 0, reduction: 4.0, simulated: Some((1, 0.5)) };
    let mut transmission = Transmission::Simple(simple);
    let mut actuators = vec![Actuator::new("motor")];
    let mut joints = ["real", "simulated"].map(|name| Joint::new(name, JointKind::Continuous));
    actuators[0].command.effort = 3.0;
    transmission.efforts_to_joints(&actuators, &mut joints);
    assert_eq!([joints[0].commanded_effort, joints[1].commanded_effort], [0.0, 24.0]);
    joints[1].position = 7.0;
    transmission.actuators_to_joints(&actuators, &mut joints);
    assert_eq!(
        (joints[1].position, joints[1].is_calibrated),
        (0.0, true),
        "it is reported as known and at rest"
    );
}

/// Ratios A = (-3, 4), J = (2, 5), offsets (0.1, -0.2), references (1, 2); motors at (6, 8), speeds (3, -4), efforts (2, -1).
#[test]
fn a_wrist_computes_positions_speeds_and_efforts() {
    let ratios = WristRatios { actuators: [-3.0, 4.0], joints: [2.0, 5.0], offsets: [0.1, -0.2] };
    let mut wrist = Transmission::Wrist(Wrist { actuators: [0, 1], joints: [0, 1], ratios });
    let mut actuators: Vec<Actuator> = ["right", "left"].map(Actuator::new).into();
    let mut joints: Vec<Joint> = ["flex", "roll"].map(|name| Joint::new(name, JointKind::Continuous)).into();
    for (actuator, (position, velocity, effort)) in
        actuators.iter_mut().zip([(6.0, 3.0, 2.0), (8.0, -4.0, -1.0)])
    {
        let state = &mut actuator.state;
        (state.position, state.velocity, state.last_measured_effort) = (position, velocity, effort);
    }
    (joints[0].reference_position, joints[1].reference_position) = (1.0, 2.0);
    wrist.actuators_to_joints(&actuators, &mut joints);
    // x = 6/-3 = -2 and 8/4 = 2: flex (-2 - 2)/4 + 1 + 0.1 = 0.1, roll (2 - 2)/10 + 2 - 0.2 = 1.8.
    near(joints[0].position, 0.1);
    near(joints[1].position, 1.8);
    // Speeds -1 and -1: flex 0, roll (1 + 1)/10 = 0.2.
    near(joints[0].velocity, 0.0);
    near(joints[1].velocity, 0.2);
    // Efforts: flex 2 (2 · -3 - -1 · 4) = -4, roll 5 (-2 · -3 - -1 · 4) = 50.
    near(joints[0].measured_effort, -4.0);
    near(joints[1].measured_effort, 50.0);
    (joints[0].commanded_effort, joints[1].commanded_effort) = (6.0, 10.0);
    wrist.efforts_to_actuators(&joints, &mut actuators);
    // (6/2 - 10/5) / (2 · -3) = -1/6 and (-6/2 - 10/5) / (2 · 4) = -5/8.
    near(actuators[0].command.effort, -1.0 / 6.0);
    near(actuators[1].command.effort, -0.625);
    assert!(actuators.iter().all(|actuator| actuator.command.enable));
}

/// In a wrist the sensor of flex is read by the left actuator and that of roll by the right one.
#[test]
fn the_calibration_sensors_of_a_wrist_are_crossed() {
    let ratios = WristRatios { actuators: [1.0, 1.0], joints: [1.0, 1.0], offsets: [0.0, 0.0] };
    let wrist = Transmission::Wrist(Wrist { actuators: [0, 1], joints: [0, 1], ratios });
    let joints = ["flex", "roll"].map(|name| Joint::new(name, JointKind::Continuous)).into();
    let robot = Robot::from_parts(joints, ["right", "left"].map(Actuator::new).into(), vec![wrist]);
    let mut sensors = robot.calibration_sensors();
    sensors.sort_unstable();
    assert_eq!(sensors, [(0, 1), (1, 0)], "(actuator, joint)");
}

/// The readings of a sensor at these positions, with the actuator at ten times the joint's, and the edges afterwards.
fn sensed(
    kind: JointKind,
    rising: Option<f64>,
    falling: Option<f64>,
    positions: &[f64],
) -> (Vec<bool>, [Option<f64>; 2]) {
    let mut joint = Joint::new("pan", kind);
    joint.calibration = CalibrationEdges { rising, falling };
    let (mut sensor, mut actuator) = (SimulatedSensor::default(), Actuator::new("motor"));
    let mut readings = Vec::new();
    for position in positions {
        (joint.position, actuator.state.position) = (*position, 10.0 * position);
        sensor.read(&joint, &mut actuator);
        readings.push(actuator.state.calibration_reading);
    }
    let state = &actuator.state;
    (readings, [state.last_calibration_rising_edge, state.last_calibration_falling_edge])
}

/// Up through a rising edge and down again: low to high while x grows, and high to low while it does not, are both rising; the
/// edge is the motor's position of the call before. A falling edge is the other way round. Edges that were seen stay.
#[test]
fn the_edge_of_a_sensor_is_the_position_of_the_call_before_it_and_stays() {
    let (readings, edges) = sensed(JointKind::Revolute, Some(0.0), None, &[-0.2, -0.1, 0.1, 0.3, -0.4, -0.5]);
    assert_eq!(readings, [false, false, true, true, false, false]);
    assert_eq!(edges, [Some(3.0), None], "first -1, then 3");
    let (readings, edges) = sensed(JointKind::Revolute, None, Some(0.0), &[-0.2, 0.1, 0.2, -0.3]);
    assert_eq!(readings, [true, false, false, true]);
    assert_eq!(edges, [None, Some(2.0)]);
    // The first call only records, even in the middle of the high range.
    assert_eq!(sensed(JointKind::Revolute, Some(0.0), None, &[0.5, 0.6]).1, [None, None]);
}

/// A continuous joint with a rising edge at 3 and a falling one at -3: high from 3 over π = -π to -3. The direction is that of the
/// position as it is counted, beyond a turn.
#[test]
fn a_continuous_sensor_reads_over_the_turn_and_its_edges_by_the_direction() {
    let at = [2.9, 3.1, TAU - 2.9, TAU - 3.1, 2.5];
    let (readings, edges) = sensed(JointKind::Continuous, Some(3.0), Some(-3.0), &at);
    assert_eq!(readings, [false, true, false, true, false]);
    // Low to high at 3.1 while x grows: rising, 29. High to low while x grows: falling, 31. Low to high while x falls: falling,
    // 10 (2π - 2.9). High to low while x falls: rising, 10 (2π - 3.1).
    assert!(
        (edges[0].unwrap() - 10.0 * (TAU - 3.1)).abs() < 1e-9
            && (edges[1].unwrap() - 10.0 * (TAU - 2.9)).abs() < 1e-9
    );
    // A missing edge is half a turn away, at 1 + π - 2π = 1 - π: high from 1 to π and on to 1 - π.
    let (readings, _) =
        sensed(JointKind::Continuous, Some(1.0), None, &[0.9, 1.1, 3.1, 1.0 - PI - 0.1, 1.0 - PI + 0.1]);
    assert_eq!(readings, [false, true, true, true, false]);
}
