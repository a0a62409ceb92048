//! Inverses and power of the transmissions, at random.
#![allow(clippy::unwrap_used)]

use mechanism::robot::transmission::{
    Coupled, Gripper, GripperGeometry, Simple, Transmission, Wrist, WristRatios,
};
use mechanism::robot::{Actuator, Joint, JointKind};
use mechanism::{Description, Robot};
use proptest::prelude::*;
use safety::Coupling;

/// A reduction of either sign.
fn ratio() -> impl Strategy<Value = f64> {
    prop_oneof![0.1..200.0, -200.0..-0.1]
}

fn simple() -> impl Strategy<Value = Transmission> {
    let simple =
        |reduction| Transmission::Simple(Simple { actuator: 0, joint: 0, reduction, simulated: None });
    ratio().prop_map(simple)
}

fn wrist() -> impl Strategy<Value = Transmission> {
    let pair = || [ratio(), ratio()];
    (pair(), pair(), [-3.0..3.0, -3.0..3.0]).prop_map(|(actuators, joints, offsets)| {
        let ratios = WristRatios { actuators, joints, offsets };
        Transmission::Wrist(Wrist { actuators: [0, 1], joints: [0, 1], ratios })
    })
}

fn coupled() -> impl Strategy<Value = Transmission> {
    let coupling = |numbers: &[f64]| Coupling::new(numbers).unwrap();
    (ratio(), 0.1..3.0, -3.0..3.0, 0.1..3.0).prop_map(move |(reduction, slope, knee, above)| {
        let first = (0, coupling(&[slope, knee, above]));
        Transmission::Coupled(Box::new(Coupled {
            actuator: 0,
            reduction,
            first,
            followers: vec![(1, coupling(&[0.0, knee, above]))],
        }))
    })
}

/// The sample coefficients of the original's header.
const GRIPPER: GripperGeometry = GripperGeometry {
    reduction: 1.0,
    gear_ratio: 40.095,
    screw_reduction: 0.004,
    a: 0.068_369_8,
    b: 0.043_384_9,
    h: 0.0,
    length: 0.037_552_8,
    radius: 0.0915,
    half_gap: -0.000_191_4,
    theta: 0.062_882_467_620_1,
    phi: 0.518_518_122_146,
};

fn parts() -> (Vec<Actuator>, Vec<Joint>) {
    let joints = ["one", "other"].map(|name| Joint::new(name, JointKind::Revolute));
    (["one", "other"].map(Actuator::new).into(), joints.into())
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * (1.0 + a.abs().max(b.abs()))
}

fn check(
    transmission: &mut Transmission,
    states: [[f64; 3]; 2],
    references: [f64; 2],
    commands: [f64; 2],
) -> Result<(), TestCaseError> {
    let (mut actuators, mut joints) = parts();
    for (joint, reference) in joints.iter_mut().zip(references) {
        joint.reference_position = reference;
    }
    let used = transmission.actuators().len();
    for (actuator, [position, velocity, effort]) in actuators.iter_mut().zip(states).take(used) {
        let state = &mut actuator.state;
        (state.position, state.velocity, state.last_measured_effort) = (position, velocity, effort);
    }
    let before = actuators.clone();
    transmission.actuators_to_joints(&actuators, &mut joints);
    // What the actuators measure and what the joints feel is the same power, but for friction, which none has.
    let power = |parts: &[(f64, f64)]| parts.iter().map(|(effort, speed)| effort * speed).sum::<f64>();
    let of_actuators: Vec<_> =
        actuators.iter().map(|a| (a.state.last_measured_effort, a.state.velocity)).collect();
    let of_joints: Vec<_> = joints.iter().map(|j| (j.measured_effort, j.velocity)).collect();
    let scale: f64 = of_joints.iter().map(|(effort, speed)| (effort * speed).abs()).sum();
    let lost = power(&of_actuators) - power(&of_joints);
    prop_assert!(lost.abs() <= 1e-9 * (1.0 + scale), "{lost}");
    transmission.joints_to_actuators(&joints, &mut actuators);
    for (after, before) in actuators.iter().zip(&before) {
        prop_assert!(near(after.state.position, before.state.position), "{after:?} {before:?}");
        prop_assert!(near(after.state.velocity, before.state.velocity), "{after:?} {before:?}");
        let efforts = (after.state.last_measured_effort, before.state.last_measured_effort);
        prop_assert!(near(efforts.0, efforts.1), "{after:?} {before:?}");
    }
    let commands = &commands[..used];
    for (joint, command) in joints.iter_mut().zip(commands) {
        joint.commanded_effort = *command;
    }
    transmission.efforts_to_actuators(&joints, &mut actuators);
    joints.iter_mut().for_each(|joint| joint.commanded_effort = f64::NAN);
    transmission.efforts_to_joints(&actuators, &mut joints);
    for (joint, command) in joints.iter().zip(commands) {
        prop_assert!(
            (joint.commanded_effort - command).abs() < 1e-6 * (1.0 + command.abs()),
            "{joint:?} {command}"
        );
    }
    Ok(())
}

fn state() -> impl Strategy<Value = [f64; 3]> {
    [-50.0..50.0, -50.0..50.0, -50.0..50.0]
}

proptest! {
    #[test]
    fn a_simple_transmission_has_its_inverse_and_loses_no_power(
        mut transmission in simple(), states in [state(), state()], references in [-3.0..3.0, -3.0..3.0],
        commands in [-50.0..50.0, -50.0..50.0],
    ) {
        check(&mut transmission, states, references, commands)?;
    }

    #[test]
    fn a_wrist_has_its_inverse_and_loses_no_power(
        mut transmission in wrist(), states in [state(), state()], references in [-3.0..3.0, -3.0..3.0],
        commands in [-50.0..50.0, -50.0..50.0],
    ) {
        check(&mut transmission, states, references, commands)?;
    }

    #[test]
    fn a_coupled_transmission_has_its_inverse_and_loses_no_power(
        mut transmission in coupled(), states in [state(), state()], references in [-3.0..3.0, -3.0..3.0],
        commands in [-50.0..50.0, -50.0..50.0],
    ) {
        check(&mut transmission, states, references, commands)?;
    }

    /// From just open to nearly wide open: at the ends the model's roots are cut.
    #[test]
    fn a_gripper_has_its_inverse_and_loses_no_power(
        turns in 1.0..250.0, velocity in -50.0..50.0, effort in -1.0..1.0, command in -50.0..50.0,
    ) {
        let gripper = Gripper { actuator: 0, gap: 0, fingers: vec![], simulated: vec![], geometry: GRIPPER };
        let position = turns * std::f64::consts::TAU;
        let states = [[position, velocity, effort], [0.0; 3]];
        check(&mut Transmission::Gripper(Box::new(gripper)), states, [0.0; 2], [command, 0.0])?;
    }
}

/// At 200π rad of the motor a radian of it is 6.44241e-5 m of the gap, so that 100 N at the gap are 6.44241e-3 Nm at the motor.
#[test]
fn the_effort_of_a_gripper_is_that_of_its_lever() {
    let mut gripper = Transmission::Gripper(Box::new(Gripper {
        actuator: 0,
        gap: 0,
        fingers: Vec::new(),
        simulated: Vec::new(),
        geometry: GRIPPER,
    }));
    let (mut actuators, mut joints) = parts();
    actuators[0].state.position = 200.0 * std::f64::consts::PI;
    gripper.actuators_to_joints(&actuators, &mut joints);
    joints[0].commanded_effort = 100.0;
    gripper.efforts_to_actuators(&joints, &mut actuators);
    assert!((actuators[0].command.effort - 6.442_41e-3).abs() < 1e-8, "{}", actuators[0].command.effort);
    assert!(actuators[0].command.enable);
}

#[test]
fn a_joint_that_follows_beyond_its_own_limits_is_a_doubt() {
    let follower = |limit: &str| {
        let joint = |name: &str, limit: &str| {
            format!(
                r#"<link name="{name}"/><joint name="{name}" type="revolute"><parent link="root"/><child link="{name}"/>{limit}</joint>"#
            )
        };
        let near = joint("near", r#"<limit effort="1" velocity="2" lower="-3" upper="3"/>"#);
        let text = format!(
            r#"<robot name="r"><link name="root"/>{near}{}<transmission name="finger">
            <type>steersman/CoupledTransmission</type><actuator name="motor"/><joint name="near" coupling="1"/>
            <joint name="far" coupling="0.5"/><mechanicalReduction>4</mechanicalReduction></transmission></robot>"#,
            joint("far", limit)
        );
        let warnings = Description::parse(&text).unwrap().warnings;
        warnings.into_iter().map(|warning| warning.text).collect::<Vec<_>>()
    };
    assert_eq!(
        follower(r#"<limit effort="1" velocity="0.2" lower="-2" upper="0.3"/>"#),
        [
            "joint 'far' follows 'near', whose limits let it reach -1.5000 to 1.5000, beyond -2 to 0.3, and the speed 1.0000, beyond 0.2: \
          nothing else holds it"
        ]
    );
    assert_eq!(
        follower(r#"<limit effort="0" velocity="1" lower="-1.5" upper="1.5"/>"#),
        Vec::<String>::new()
    );
}

/// position = actuator position / reduction + offset, as in ros_control, until a calibration finds where the joint is.
#[test]
fn an_offset_is_added_to_the_position_and_what_is_not_read_leaves_the_transmission_out() {
    let with = |joint: &str, actuator: &str| {
        let urdf = format!(
            r#"<robot name="r"><link name="a"/><link name="b"/><joint name="pan" type="continuous"><parent link="a"/><child link="b"/></joint>
            <transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="pan">{joint}</joint>
            <actuator name="m"><mechanicalReduction>-2</mechanicalReduction>{actuator}</actuator></transmission></robot>"#
        );
        Description::parse(&urdf).unwrap()
    };
    let mut robot =
        Robot::new(&with("<offset> 1.559 </offset>", "<pulsesPerRevolution>3</pulsesPerRevolution>"));
    robot.actuators_mut()[0].state.position = 3.118;
    robot.read_actuators();
    assert_eq!(robot.joints()[0].position, 0.0, "3.118 / -2 + 1.559");
    robot.joints_mut()[0].position = 1.0;
    robot.simulate_actuators();
    assert!((robot.actuators()[0].state.position - 1.118).abs() < 1e-12, "(1 - 1.559) · -2");
    for (joint, actuator, reason) in [
        ("<offset>inf</offset>", "", "offset of transmission 't' is 'inf', must be a finite number"),
        ("<offset/>", "", "offset of transmission 't' is '', must be a finite number"),
        ("<offset>1</offset>", "<offset>1</offset>", "<offset> of actuator 'm' is not read"),
        ("<offset>1</offset><offset>2</offset>", "", "<offset> of joint 'pan' is not read"),
        ("<mechanicalReduction>3</mechanicalReduction>", "", "<mechanicalReduction> of joint 'pan'"),
        ("<mechanical_reduction>-2</mechanical_reduction>", "", "<mechanical_reduction> of"),
        ("", r#"<param name="k">7</param>"#, "param 'k' is not read and may change how the joint moves"),
        ("", r#"</actuator><actuator name="two">"#, "actuator 'two' is not read"),
        (r#"</joint><joint name="pan" offset="1">"#, "", "offset of joint 'pan' is not read"),
    ] {
        let skipped = with(joint, actuator).skipped;
        assert!(skipped.len() == 1 && skipped[0].reason.contains(reason), "{joint} {actuator}: {skipped:?}");
    }
}
