//! URDF texts, right and wrong.
#![allow(clippy::unwrap_used)]

use mechanism::{Description, DescriptionError, Robot};

/// A robot with a simple transmission, whose joint, limit and transmission can be replaced.
fn arm(joint: &str, limit: &str, transmission: &str) -> String {
    format!(
        r#"<robot name="arm">
  <link name="base"/>
  <link name="head"/>
  <joint name="pan" {joint}>
    <parent link="base"/>
    <child link="head"/>
    {limit}
  </joint>
  {transmission}
</robot>"#
    )
}

const REVOLUTE: &str = r#"type="revolute""#;
const LIMIT: &str = r#"<limit effort="2.645" velocity="6" lower="-2.9" upper="2.9"/>"#;
const SIMPLE: &str = r#"<transmission type="pr2_mechanism_model/SimpleTransmission" name="pan_trans">
    <actuator name="pan_motor"/>
    <joint name="pan"/>
    <mechanicalReduction>-36.0</mechanicalReduction>
  </transmission>"#;

fn refused(urdf: &str) -> String {
    Description::parse(urdf).unwrap_err().to_string()
}

/// The reasons for which the transmissions of `transmission` are left out.
fn skipped(transmission: &str) -> Vec<String> {
    let description = Description::parse(&arm(REVOLUTE, LIMIT, transmission)).unwrap();
    description.skipped.into_iter().map(|skipped| skipped.reason).collect()
}

#[test]
fn a_simple_transmission_moves_its_joint() {
    let description = Description::parse(&arm(REVOLUTE, LIMIT, SIMPLE)).unwrap();
    assert_eq!((description.name.as_str(), description.skipped.len()), ("arm", 0));
    let mut robot = Robot::new(&description);
    assert_eq!(robot.joints()[0].limits.unwrap().effort, 2.645);
    robot.actuators_mut()[0].state.position = 72.0;
    robot.read_actuators();
    assert_eq!(robot.joints()[0].position, -2.0, "72 / -36");
    robot.joints_mut()[0].commanded_effort = 1.8;
    robot.write_actuators();
    assert_eq!(robot.actuators()[0].command.effort, -0.05, "1.8 / -36");
}

#[test]
fn soft_limits_calibration_origin_and_axis_are_read() {
    let more = r#"<limit effort="1" velocity="2"/>
    <safety_controller k_velocity="1.5" k_position="100" soft_lower_limit="-1" soft_upper_limit="1"/>
    <calibration rising="0.25"/><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><axis xyz="0 0 2"/>"#;
    let description = Description::parse(&arm(REVOLUTE, more, "")).unwrap();
    let joint = &description.joints[0];
    let safety = joint.safety.unwrap();
    assert_eq!((safety.k_velocity, safety.k_position, safety.soft_upper_limit), (1.5, 100.0, 1.0));
    assert_eq!((joint.calibration.rising, joint.calibration.falling), (Some(0.25), None));
    assert_eq!((joint.axis.x, joint.axis.z), (0.0, 1.0));
    // Turned by 90 degrees about z, the joint's x axis is the parent's y axis.
    let x = joint.origin * nalgebra::Point3::new(1.0, 0.0, 0.0);
    assert!((x - nalgebra::Point3::new(1.0, 3.0, 3.0)).norm() < 1e-12, "{x}");
}

#[test]
fn a_joint_without_limits_has_none_instead_of_zeros() {
    let description = Description::parse(&arm(r#"type="continuous""#, "", SIMPLE)).unwrap();
    assert_eq!(description.joints[0].limits, None);
}

#[test]
fn joints_are_in_the_order_of_their_transmissions_and_actuators_by_name() {
    let urdf = r#"<robot name="two"><link name="a"/><link name="b"/><link name="c"/>
      <joint name="first" type="continuous"><parent link="a"/><child link="b"/></joint>
      <joint name="second" type="continuous"><parent link="b"/><child link="c"/></joint>
      <transmission><type>transmission_interface/SimpleTransmission</type>
        <joint name="second"><hardwareInterface>x</hardwareInterface></joint>
        <actuator name="z_motor"><mechanicalReduction>2</mechanicalReduction></actuator></transmission>
      <transmission><type>transmission_interface/SimpleTransmission</type>
        <joint name="first"/><actuator name="a_motor"/></transmission></robot>"#;
    let robot = Robot::new(&Description::parse(urdf).unwrap());
    let names: Vec<_> = robot.joints().iter().map(|joint| joint.name.as_str()).collect();
    assert_eq!(names, ["second", "first"]);
    let names: Vec<_> = robot.actuators().iter().map(|actuator| actuator.name.as_str()).collect();
    assert_eq!(names, ["a_motor", "z_motor"]);
}

#[test]
fn the_samples_of_wrist_and_gripper_are_read() {
    let urdf = r#"<robot name="pr2"><link name="arm"/><link name="flex"/><link name="roll"/><link name="gap"/>
      <link name="l"/><link name="r"/><link name="screw"/><link name="slider"/>
      <joint name="flex_joint" type="revolute"><parent link="arm"/><child link="flex"/><limit effort="10" velocity="3"/></joint>
      <joint name="roll_joint" type="continuous"><parent link="flex"/><child link="roll"/></joint>
      <joint name="gap_joint" type="prismatic"><parent link="roll"/><child link="gap"/><limit effort="1000" velocity="0.2"/></joint>
      <joint name="l_finger" type="revolute"><parent link="roll"/><child link="l"/><limit effort="0" velocity="1"/></joint>
      <joint name="r_finger" type="revolute"><parent link="roll"/><child link="r"/><limit effort="0" velocity="1"/></joint>
      <joint name="screw_joint" type="continuous"><parent link="roll"/><child link="screw"/></joint>
      <joint name="slider_joint" type="prismatic"><parent link="roll"/><child link="slider"/><limit effort="0" velocity="1"/></joint>
      <transmission type="pr2_mechanism_model/WristTransmission" name="wrist">
        <rightActuator name="r_motor" mechanicalReduction="-75.25"/><leftActuator name="l_motor" mechanicalReduction="-75.25"/>
        <flexJoint name="flex_joint" mechanicalReduction="-1"/><rollJoint name="roll_joint" mechanicalReduction="-1" offset="0.5"/>
      </transmission>
      <transmission type="pr2_mechanism_model/PR2GripperTransmission" name="gripper">
        <actuator name="gripper_motor"/>
        <gap_joint name="gap_joint" L0="0.0375528" a="0.0683698" b="0.0433849" gear_ratio="40.095" h="0.0"
          mechanical_reduction="1.0" phi0="0.518518122146" r="0.0915" screw_reduction="0.004" t0="-0.0001914"
          theta0="0.0628824676201"/>
        <passive_joint name="l_finger"/><passive_joint name="r_finger"/>
        <simulated_actuated_joint name="screw_joint" passive_actuated_joint="slider_joint" simulated_reduction="3141.6"/>
      </transmission></robot>"#;
    let description = Description::parse(urdf).unwrap();
    assert_eq!(description.skipped, []);
    let mut robot = Robot::new(&description);
    let names: Vec<_> = robot.joints().iter().map(|joint| joint.name.as_str()).collect();
    let expected =
        ["flex_joint", "roll_joint", "gap_joint", "l_finger", "r_finger", "screw_joint", "slider_joint"];
    assert_eq!(names, expected);
    // Actuators by name: gripper, left, right. The vector of the specification, and x0 = 1, x1 = 0.
    robot.actuators_mut()[0].state.position = 200.0 * std::f64::consts::PI;
    robot.actuators_mut()[2].state.position = -75.25;
    robot.read_actuators();
    let positions: Vec<_> = robot.joints().iter().map(|joint| joint.position).collect();
    // flex = (1 - 0) / (2 · -1), roll = (-1 - 0) / (2 · -1) + 0.5
    assert_eq!(positions[..2], [-0.5, 1.0]);
    assert!((positions[2] - 0.043_061_541_7).abs() < 1e-9 && positions[3] == positions[4]);
    assert_eq!(positions[5..], [0.0, 0.0]);
}

#[test]
fn a_belt_is_read_and_each_of_its_measures_is_needed() {
    let belt = r#"<transmission type="pr2_mechanism_model/PR2BeltCompensatorTransmission" name="belt">
    <actuator name="pan_motor"/><joint name="pan"/><mechanicalReduction>24.7</mechanicalReduction>
    <compensator k_belt="4000" mass_motor="0.05" kd_motor="15" lambda_motor="60" lambda_joint="60" lambda_combined="0"/>
    </transmission>"#;
    assert_eq!(skipped(belt), Vec::<String>::new());
    for name in ["k_belt", "mass_motor", "kd_motor", "lambda_motor", "lambda_joint", "lambda_combined"] {
        let missing = skipped(&belt.replace(name, "other"));
        assert_eq!(missing, [format!("line 11: <compensator> of transmission 'belt' has no {name}")]);
    }
    assert_eq!(
        skipped(&belt.replace(r#"lambda_joint="60""#, r#"lambda_joint="0""#)),
        [
            "line 11: lambda_joint of <compensator> of transmission 'belt' is '0', must be 0.000000001 to 1000000000"
        ]
    );
}

#[test]
fn a_transmission_that_cannot_be_used_is_left_out_with_its_reason() {
    assert_eq!(skipped(SIMPLE), Vec::<String>::new());
    let cases = [
        (
            SIMPLE.replace("joint name=\"pan\"", "joint name=\"tilt\""),
            "joint 'tilt' is not in the description",
        ),
        (
            SIMPLE.replace("-36.0", "0"),
            "line 9: mechanicalReduction of transmission 'pan_trans' is '0', must be a finite number other than 0",
        ),
        (
            SIMPLE.replace("-36.0", "NaN"),
            "line 9: mechanicalReduction of transmission 'pan_trans' is 'NaN', must be a finite number",
        ),
        (
            SIMPLE.replace("<mechanicalReduction>-36.0</mechanicalReduction>", ""),
            "line 9: transmission 'pan_trans' has no mechanicalReduction",
        ),
        (
            SIMPLE.replace("<actuator name=\"pan_motor\"/>", ""),
            "line 9: transmission 'pan_trans' has no actuator",
        ),
        (
            SIMPLE.replace("Simple", "Strange"),
            "its type is 'pr2_mechanism_model/StrangeTransmission', must be",
        ),
        (SIMPLE.replace("pr2_mechanism_model/", ""), "its type is 'SimpleTransmission', must be"),
        (format!("{SIMPLE}{SIMPLE}"), "joint 'pan' is moved by a transmission already"),
    ];
    for (transmission, reason) in cases {
        let found = skipped(&transmission);
        assert!(found.len() == 1 && found[0].starts_with(reason), "{found:?} is not {reason}");
    }
    let fixed = arm(r#"type="fixed""#, "", SIMPLE);
    let found = Description::parse(&fixed).unwrap().skipped;
    assert!(found[0].reason.starts_with("joint 'pan' is fixed"), "{found:?}");
    let shown = found[0].to_string();
    assert!(shown.starts_with("line 9: transmission 'pan_trans' is left out: "), "{shown}");
}

const COUPLED: &str = r#"<transmission type="steersman/CoupledTransmission" name="pan_trans">
      <actuator name="pan_motor"/><mechanicalReduction>4</mechanicalReduction>
      <joint name="pan" coupling="1 0.1745 0.8333"/></transmission>"#;

#[test]
fn a_coupled_transmission_must_tell_where_its_motor_is() {
    assert_eq!(skipped(COUPLED), Vec::<String>::new());
    let element =
        |value: &str| format!("line 11: coupling of joint 'pan' is '{value}', must be a slope, then");
    let with = |coupling: &str| COUPLED.replace("1 0.1745 0.8333", coupling);
    let cases = [
        (with("0 0.384 0.7"), element("0 0.384 0.7")),
        (with("1 0.384 -0.7"), element("1 0.384 -0.7")),
        (with("1 0.384"), element("1 0.384")),
        (with("1 x 2"), element("1 x 2")),
        (with("NaN"), element("NaN")),
        (with(""), "line 11: joint 'pan' has no coupling".to_owned()),
        (
            COUPLED.replace(">4<", ">0<"),
            "line 9: mechanicalReduction of transmission 'pan_trans' is '0', must be a finite number other than 0".to_owned(),
        ),
        (
            COUPLED.replace(r#"<joint name="pan" coupling="1 0.1745 0.8333"/>"#, ""),
            "line 9: transmission 'pan_trans' has no joint".to_owned(),
        ),
    ];
    for (transmission, reason) in cases {
        let found = skipped(&transmission);
        assert!(found.len() == 1 && found[0].starts_with(&reason), "{found:?} is not {reason}");
    }
}

#[test]
fn a_wrong_description_is_refused_with_line_name_value_and_range() {
    assert!(matches!(Description::parse("<robot").unwrap_err(), DescriptionError::Xml(_)));
    assert!(matches!(Description::parse("").unwrap_err(), DescriptionError::Xml(_)));
    assert_eq!(refused("<sdf/>"), "the root element is <sdf>, must be <robot>");
    let limited = |limit: &str| refused(&arm(REVOLUTE, limit, ""));
    assert_eq!(
        limited(r#"<limit effort="-1" velocity="6"/>"#),
        "line 7: effort of <limit> of joint 'pan' is '-1', must be a finite number of 0 or more"
    );
    assert_eq!(
        limited(r#"<limit effort="1" velocity="nan"/>"#),
        "line 7: velocity of <limit> of joint 'pan' is 'nan', must be a finite number of 0 or more"
    );
    assert_eq!(limited(r#"<limit effort="1"/>"#), "line 7: <limit> of joint 'pan' has no velocity");
    assert_eq!(
        limited(r#"<limit effort="1" velocity="1" lower="2" upper="1"/>"#),
        "line 7: upper of <limit> of joint 'pan' is '1', must be lower, 2, or more"
    );
    assert_eq!(limited(""), "line 4: joint 'pan' has no <limit>");
    assert_eq!(
        limited(&format!(r#"{LIMIT}<axis xyz="0 0"/>"#)),
        "line 7: xyz of <axis> of joint 'pan' is '0 0', must be three finite numbers"
    );
    assert_eq!(
        limited(&format!(r#"{LIMIT}<axis xyz="0 0 0"/>"#)),
        "the axis of joint 'pan' is zero, must have a direction"
    );
    assert_eq!(
        refused(&arm(r#"type="bent""#, LIMIT, "")),
        "the type of joint 'pan' is 'bent', must be revolute, continuous, prismatic, fixed, floating or planar"
    );
    assert_eq!(
        refused(&arm(REVOLUTE, LIMIT, "").replace("parent link=\"base\"", "parent link=\"foot\"")),
        "the parent of joint 'pan' is 'foot', must be a link of this description"
    );
    assert_eq!(
        refused(&arm(REVOLUTE, LIMIT, r#"<link name="head"/>"#)),
        "two links have the name 'head', each must have its own"
    );
}

#[test]
fn the_links_must_be_one_tree() {
    assert_eq!(
        refused(&arm(REVOLUTE, LIMIT, r#"<link name="island"/>"#)),
        "the links 'base', 'island' have no parent, must be one link: all others hang on it"
    );
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            r#"<joint name="{name}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>"#
        )
    };
    assert_eq!(
        refused(&arm(REVOLUTE, LIMIT, &joint("again", "base", "head"))),
        "link 'head' is the child of the joints 'pan' and 'again', must be that of one"
    );
    assert_eq!(
        refused(&arm(REVOLUTE, LIMIT, &joint("back", "head", "base"))),
        "the links 'base', 'head' do not hang on a root: they are in a loop, or below one"
    );
    let island =
        format!(r#"<link name="a"/><link name="b"/>{}{}"#, joint("ab", "a", "b"), joint("ba", "b", "a"));
    assert_eq!(
        refused(&arm(REVOLUTE, LIMIT, &island)),
        "the links 'a', 'b' do not hang on a root: they are in a loop, or below one"
    );
    assert_eq!(refused(r#"<robot name="nothing"/>"#), "the description has no link, must have one");
}

#[test]
fn what_is_used_and_hardly_meant_is_a_doubt_with_its_line() {
    let urdf = r#"<robot name="two"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
      <joint name="first" type="continuous"><parent link="a"/><child link="b"/></joint>
      <joint name="second" type="continuous"><parent link="b"/><child link="c"/><calibration rising="1" falling="2"/></joint>
      <joint name="third" type="revolute"><parent link="c"/><child link="d"/><limit effort="1" velocity="1"/>
        <calibration rising="0.1" falling="0.3"/></joint>
      <transmission name="t"><type>transmission_interface/SimpleTransmission</type>
        <joint name="second"><hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface></joint>
        <actuator name="z_motor"><mechanicalReduction>2</mechanicalReduction></actuator><offset>-0.85</offset></transmission>
      <transmission name="t"><type>transmission_interface/SimpleTransmission</type>
        <joint name="first"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface></joint>
        <actuator name="a_motor"/></transmission></robot>"#;
    let description = Description::parse(urdf).unwrap();
    let warnings: Vec<String> = description.warnings.iter().map(ToString::to_string).collect();
    let expected = [
        "line 4: joint 'third': its <calibration> has both edges, and only rising counts: a joint with end stops has one",
        "line 6: transmission 't': its hardwareInterface is 'hardware_interface/PositionJointInterface', should be \
         EffortJointInterface: it is moved by efforts",
        "line 9: transmission 't': another one has this name, in line 6",
        "line 9: transmission 't': it has no <mechanicalReduction>, which counts as 1",
    ];
    assert_eq!(warnings, expected);
    assert_eq!(description.moves(), ["second (z_motor, 2:1, offset -0.85)", "first (a_motor, 1:1)"]);
    // Neither has a safety controller.
    assert_eq!(Robot::new(&description).unguarded_joints(), ["second", "first"]);
}

/// The warnings about a joint of this kind, with these limits and soft limits.
fn limit_doubts(kind: &str, elements: &str) -> Vec<String> {
    let description = Description::parse(&arm(&format!("type=\"{kind}\""), elements, SIMPLE)).unwrap();
    description.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn a_joint_that_no_controller_can_move_is_a_doubt_by_name_and_value() {
    const SOFT: &str = r#"<safety_controller k_position="100" k_velocity="1.5" soft_lower_limit="-1" soft_upper_limit="1"/>"#;
    let soft = |from: &str, to: &str| SOFT.replace(from, to);
    let limit = |from: &str, to: &str| LIMIT.replace(from, to);
    let dead = |cause: &str| vec![format!("line 4: joint 'pan': no controller can move it: {cause}")];
    let of_soft = "of its <safety_controller> is 0";
    for (kind, limit, soft, cause) in [
        ("revolute", limit("2.645", "0"), SOFT.to_owned(), "effort of its <limit> is 0".to_owned()),
        ("revolute", limit("2.645", "0"), String::new(), "effort of its <limit> is 0".to_owned()),
        ("continuous", limit("2.645", "0.0"), String::new(), "effort of its <limit> is 0".to_owned()),
        ("prismatic", limit("\"6\"", "\"0\""), String::new(), "velocity of its <limit> is 0".to_owned()),
        ("revolute", limit("\"6\"", "\"0\""), SOFT.to_owned(), "velocity of its <limit> is 0".to_owned()),
        ("revolute", LIMIT.to_owned(), soft("1.5", "0.0"), format!("k_velocity {of_soft}")),
        ("continuous", LIMIT.to_owned(), soft("1.5", "0.0"), format!("k_velocity {of_soft}")),
        ("revolute", LIMIT.to_owned(), soft("100", "0"), format!("k_position {of_soft}")),
        ("revolute", LIMIT.to_owned(), soft("k_position=\"100\"", ""), format!("k_position {of_soft}")),
        (
            "revolute",
            LIMIT.to_owned(),
            r#"<safety_controller k_velocity="0"/>"#.to_owned(),
            format!("k_velocity {of_soft}, k_position {of_soft}"),
        ),
        (
            "revolute",
            LIMIT.to_owned(),
            r#"<safety_controller k_position="100" k_velocity="1.5"/>"#.to_owned(),
            "effort 2.645, velocity 6, lower -2.9, upper 2.9; k_position 100, k_velocity 1.5, soft_lower_limit 0, soft_upper_limit 0"
                .to_owned(),
        ),
        (
            "revolute",
            LIMIT.to_owned(),
            soft("\"-1\"", "\"3\"").replace("\"1\"", "\"4\""),
            "effort 2.645, velocity 6, lower -2.9, upper 2.9; k_position 100, k_velocity 1.5, soft_lower_limit 3, soft_upper_limit 4"
                .to_owned(),
        ),
    ] {
        assert_eq!(limit_doubts(kind, &(limit + &soft)), dead(&cause));
    }
    // A continuous joint has no position that a slope could count from.
    assert_eq!(limit_doubts("continuous", &(LIMIT.to_owned() + &soft("100", "0"))), Vec::<String>::new());
    // 1e-6 · 6 Nm at rest.
    assert_eq!(
        limit_doubts("revolute", &(LIMIT.to_owned() + &soft("1.5", "1e-6"))),
        [
            "line 4: joint 'pan': its limits leave it 0.000006 Nm at rest, less than 1 % of its effort: effort 2.645, velocity 6, lower \
             -2.9, upper 2.9; k_position 100, k_velocity 0.000001, soft_lower_limit -1, soft_upper_limit 1"
        ]
    );
}

#[test]
fn a_limit_without_an_effect_is_a_doubt() {
    let text = |kind: &str, elements: &str| limit_doubts(kind, elements).concat();
    assert_eq!(
        text("revolute", r#"<limit effort="1" velocity="2"/>"#),
        "line 4: joint 'pan': lower and upper of its <limit> are both 0, which is no range: its position is not limited"
    );
    let soft =
        r#"<safety_controller k_position="10" k_velocity="1" soft_lower_limit="-3" soft_upper_limit="2"/>"#;
    assert_eq!(
        text("revolute", &(LIMIT.to_owned() + soft)),
        "line 4: joint 'pan': its soft_lower_limit is -3, beyond its lower limit -2.9: nothing slows it before that"
    );
    assert_eq!(
        text("revolute", &format!("{}{soft}", r#"<limit effort="1" velocity="2"/>"#)),
        "",
        "soft limits are enough"
    );
    assert_eq!(
        text("continuous", soft),
        "line 4: joint 'pan': its <safety_controller> has no effect: it has no <limit>"
    );
}

/// Nothing commands them.
#[test]
fn the_limits_of_joints_that_follow_or_have_no_transmission_are_no_doubts() {
    let none = arm(REVOLUTE, r#"<limit effort="0" velocity="0"/>"#, "");
    assert_eq!(Description::parse(&none).unwrap().warnings, []);
    for name in ["arm", "base", "mpl"] {
        let path = format!("{}/../../config/urdf/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
        let urdf = std::fs::read_to_string(path).unwrap();
        assert_eq!(Description::parse(&urdf).unwrap().warnings, [], "{name}");
    }
}

#[test]
fn a_transmission_of_a_joint_that_cannot_move_is_left_out_with_its_reason() {
    for kind in ["fixed", "floating", "planar"] {
        let description = Description::parse(&arm(&format!("type=\"{kind}\""), "", SIMPLE)).unwrap();
        assert_eq!((description.skipped.len(), description.transmissions.len()), (1, 0), "{kind}");
        let reason = &description.skipped[0].reason;
        assert!(reason.contains("joint 'pan' is fixed, floating or planar"), "{reason}");
    }
}

#[test]
fn a_description_without_doubts_has_none() {
    let description = Description::parse(&arm(r#"type="continuous""#, "", SIMPLE)).unwrap();
    assert_eq!(description.warnings, []);
}

#[test]
fn what_cannot_matter_does_not_refuse_a_description() {
    let child = |kind: &str, elements: &str| {
        let link = r#"<link name="tool"/><joint name="tool" "#;
        let ends = r#"<parent link="head"/><child link="tool"/>"#;
        arm(REVOLUTE, LIMIT, &format!("{SIMPLE}{link} {kind}>{ends}{elements}</joint>"))
    };
    let axis = r#"<axis xyz="0 0 0"/>"#;
    for kind in ["fixed", "floating"] {
        for elements in
            [axis, r#"<limit lower="0" upper="0"/>"#, r#"<limit effort="none"/><safety_controller/>"#]
        {
            let description = Description::parse(&child(&format!(r#"type="{kind}""#), elements)).unwrap();
            assert_eq!((description.joints[1].kind, description.joints[1].limits), (None, None));
        }
    }
    let mimic = r#"<mimic joint="pan"/><limit lower="0" upper="0.04"/>"#;
    let description = Description::parse(&child(r#"type="prismatic""#, mimic)).unwrap();
    assert_eq!(description.joints[1].limits.unwrap().upper, 0.04);
    // A joint that moves needs both.
    assert!(refused(&child(r#"type="prismatic""#, r#"<limit lower="0" upper="0.04"/>"#)).contains("effort"));
    assert!(
        refused(&child(r#"type="revolute""#, &format!("{LIMIT}{axis}"))).contains("the axis of joint 'tool'")
    );
}

#[test]
fn an_infinite_effort_is_no_limit() {
    let endless = LIMIT.replace("2.645", "inf");
    let description = Description::parse(&arm(REVOLUTE, &endless, SIMPLE)).unwrap();
    let mut joint = Robot::new(&description).joints()[0].clone();
    (joint.commanded_effort, joint.is_calibrated) = (1e9, true);
    joint.enforce_limits();
    assert_eq!((joint.commanded_effort, description.warnings.len()), (1e9, 0));
    (joint.commanded_effort, joint.position) = (1e9, 3.0);
    joint.enforce_limits();
    assert_eq!(joint.commanded_effort, 0.0, "its end stop holds");
    assert!(refused(&arm(REVOLUTE, &LIMIT.replace("2.645", "-inf"), SIMPLE)).contains("effort"));
}

#[test]
fn empty_lines_before_the_declaration_are_read_over_and_lines_keep_their_numbers() {
    let declared = |text: &str| format!("\n \n<?xml version='1.0'\n?>{}", text);
    assert!(Description::parse(&declared(&arm(REVOLUTE, LIMIT, SIMPLE))).is_ok());
    let wrong = arm(REVOLUTE, &LIMIT.replace("2.645", "much"), SIMPLE);
    assert!(refused(&wrong).starts_with("line 7:"), "{}", refused(&wrong));
    assert!(refused(&declared(&wrong)).starts_with("line 10:"), "{}", refused(&declared(&wrong)));
}
