//! The built-in devices against the facts of the HAPTIX models, and what is refused in a description.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{Rig, make};
use haptix::{BUILTIN, Limit, MAX, Model};

const JOINTS: [(&str, f32, f32); 22] = [
    ("wristy", -1.57, 1.57),
    ("wristx", -0.261, 0.785),
    ("wristz", -1.04, 1.04),
    ("thumb0", 0.0, 2.07),
    ("thumb1", 0.0, 1.03),
    ("thumb2", 0.0, 1.03),
    ("thumb3", -0.819, 1.28),
    ("index0", -0.345, 0.0),
    ("index1", -0.785, 1.57),
    ("index2", 0.0, 1.72),
    ("index3", 0.0, 1.38),
    ("middle1", -0.785, 1.57),
    ("middle2", 0.0, 1.73),
    ("middle3", 0.0, 1.38),
    ("ring0", 0.0, 0.345),
    ("ring1", -0.785, 1.57),
    ("ring2", 0.0, 1.72),
    ("ring3", 0.0, 1.38),
    ("pinky0", 0.0, 0.345),
    ("pinky1", -0.785, 1.57),
    ("pinky2", 0.0, 1.72),
    ("pinky3", 0.0, 1.38),
];

/// Name, gear, and the limits at the shaft; those of the fingers' flexion are where the last joint of each stops.
const MOTORS: [(&str, f32, f32, f32); 13] = [
    ("wristy", 180.0, -282.6, 282.6),
    ("wristx", 180.0, -46.98, 141.3),
    ("wristz", 180.0, -187.2, 187.2),
    ("thumb0", 352.0, 0.0, 728.64),
    ("thumb1", 352.0, 0.0, 362.56),
    ("thumb2", 352.0, 0.0, 362.56),
    ("thumb3", 352.0, -288.288, 450.56),
    ("index0", 352.0, -121.44, 0.0),
    ("index1", 393.0, -308.505, 1091.361),
    ("middle1", 393.0, -308.505, 1096.47),
    ("ring1", 393.0, -308.505, 1091.361),
    ("pinky0", 352.0, 0.0, 121.44),
    ("pinky1", 393.0, -308.505, 1091.361),
];

#[test]
fn the_mpl_has_13_motors_22_joints_19_contacts_and_5_inertial_units_in_their_order() {
    for name in ["mpl", "mpl_gazebo"] {
        let model = Model::builtin(name).unwrap();
        let (info, description) = (&model.constants.info, &model.constants.description);
        let counts = (info.motor_count, info.joint_count, info.contact_sensor_count, info.imu_count);
        assert_eq!(counts, (13, 22, 19, 5));
        assert_eq!(description.joint_names, JOINTS.map(|(name, ..)| name));
        assert_eq!(description.motor_names, MOTORS.map(|(name, ..)| name));
        let mut contacts: Vec<String> =
            ["palm_thumb", "palm_pinky", "palm_side", "palm_back"].map(String::from).into();
        for finger in ["thumb", "index", "middle", "ring", "pinky"] {
            contacts.extend(["proximal", "medial", "distal"].map(|part| format!("{finger}_{part}")));
        }
        assert_eq!(description.contact_names, contacts);
        assert_eq!(description.imu_names, ["thumb", "index", "middle", "ring", "pinky"]);
        assert_eq!(
            description.imu_frames,
            ["thumb", "index", "middle", "ring", "pinky"].map(|n| format!("{n}_imu"))
        );
        for (limit, (name, minimum, maximum)) in info.joint_limits().iter().zip(JOINTS) {
            assert_eq!(*limit, Limit { minimum, maximum }, "{name}");
        }
        assert_eq!(info.joint_limit[22..], [Limit::default(); MAX - 22]);
        assert_eq!(info.motor_limit[13..], [Limit::default(); MAX - 13]);
    }
}

#[test]
fn the_motors_of_the_mpl_are_joints_and_those_of_the_gazebo_hand_shafts() {
    let (joints, shafts) = (Model::builtin("mpl").unwrap(), Model::builtin("mpl_gazebo").unwrap());
    assert_eq!(joints.constants.description.gear_ratio, [1.0; 13]);
    assert_eq!(shafts.constants.description.gear_ratio, MOTORS.map(|(_, gear, ..)| gear));
    assert_eq!((joints.constants.info.update_rate, shafts.constants.info.update_rate), (100.0, 50.0));
    let near = |a: f32, b: f32| (a - b).abs() <= 1e-4 * b.abs();
    for (index, (name, _, minimum, maximum)) in MOTORS.into_iter().enumerate() {
        let limit = shafts.constants.info.motor_limit[index];
        assert!(near(limit.minimum, minimum) && near(limit.maximum, maximum), "{name}: {limit:?}");
        let (joint, gear) = (joints.constants.info.motor_limit[index], MOTORS[index].1);
        assert!(
            near(joint.minimum * gear, minimum) && near(joint.maximum * gear, maximum),
            "{name}: {joint:?}"
        );
    }
}

#[test]
fn every_joint_of_the_mpl_comes_to_both_of_its_ends() {
    for name in ["mpl", "mpl_gazebo"] {
        let mut rig = common::rig(name);
        for (end, is_upper) in [("lower", false), ("upper", true)] {
            // Far beyond the limits, which clamp it.
            let far = if is_upper { 1e6 } else { -1e6 };
            rig.command(&haptix::Command { ref_pos: Some([far; MAX]), ..haptix::Command::default() });
            rig.run(2.0);
            let sensor = rig.read();
            for (index, (joint, minimum, maximum)) in JOINTS.into_iter().enumerate() {
                let (position, expected) =
                    (sensor.joint_pos[index], if is_upper { maximum } else { minimum });
                assert!((position - expected).abs() < 2e-3, "{name}: {end} end of {joint}: {position}");
            }
        }
    }
}

/// Grasps have the shape of their names. The original's close the middle and ring fingers by 2.06 rad in the American pinch; in the
/// British one the middle finger pinches, too, and the ring finger is extended; the tray has the thumb across a flat hand.
#[test]
fn pinches_and_the_tray_have_the_shape_of_their_names() {
    let rig = common::rig("mpl");
    let grasps = &rig.device.constants().grasps;
    let closed = |name: &str| {
        let mut all = [0.0; MAX];
        let value = haptix::GraspValue { name: name.into(), value: 1.0 };
        for (motor, position) in grasps.positions(&[value]).unwrap() {
            all[motor] = position;
        }
        all
    };
    let american = closed("FinePinch(American)");
    assert!([9, 10, 12].iter().all(|&finger| american[finger] > american[8] + 0.4), "{american:?}");
    let british = closed("FinePinch(British)");
    assert!(british[8] > 0.9 && british[9] > 0.9 && british[10] < 0.0 && british[12] <= 0.0, "{british:?}");
    let tray = closed("Palmar(Tray)");
    assert!(tray[3] > 1.5 && tray[4] > 1.0 && [8, 9, 10, 12].iter().all(|&f| tray[f] < 0.3), "{tray:?}");
}

#[test]
fn the_mpl_has_the_grasps_of_the_original() {
    let rig = common::rig("mpl");
    let names = [
        "2Pinch",
        "Cylindrical",
        "Spherical",
        "ThreeFingerPinch",
        "FinePinch(American)",
        "FinePinch(British)",
        "Palmar(Tray)",
        "Hook",
    ];
    let grasps = &rig.device.constants().grasps;
    assert_eq!(grasps.names().collect::<Vec<_>>(), names);
    // The wrist stays free.
    let motors: Vec<usize> = (0..MAX).filter(|motor| grasps.motors()[*motor]).collect();
    assert_eq!(motors, (3..13).collect::<Vec<_>>());
    // Way-points lie within the limits, or would never be reached.
    for name in names {
        for value in [0.0, 0.5, 1.0] {
            for (motor, position) in
                grasps.positions(&[haptix::GraspValue { name: name.into(), value }]).unwrap()
            {
                let limit = rig.limits()[motor];
                let range = f64::from(limit.minimum) - 1e-6..=f64::from(limit.maximum) + 1e-6;
                assert!(range.contains(&position), "{name}: motor {motor} at {position}");
            }
        }
    }
}

#[test]
fn a_device_may_change_what_it_is_based_on() {
    let text = "based_on: mpl\nmodel: Mine\nmotors:\n  wristy: {gear: 10, start: 0.5}\nimus:\n  back: {link: wristz, \
        frame: back, position: [0, 0, 0], x: [1, 0, 0], z: [0, 0, 1]}\n";
    let model = Model::parse(text).unwrap();
    assert_eq!(model.constants.description.model_name, "Mine");
    assert_eq!(model.constants.description.gear_ratio[..2], [10.0, 1.0]);
    assert_eq!(model.constants.info.motor_limit[0], Limit { minimum: -15.7, maximum: 15.7 });
    assert_eq!(model.constants.description.imu_names[5], "back");
    assert_eq!(Rig::of(&make, text).read().motor_pos[0], 5.0);
}

/// The error for the two fingers with `from` replaced by `to`.
fn error(from: &str, to: &str) -> String {
    let text = BUILTIN.iter().find(|(name, _)| *name == "two_finger").unwrap().1;
    assert!(text.contains(from), "{from}");
    Model::parse(&text.replacen(from, to, 1)).unwrap_err().to_string()
}

#[test]
fn what_is_wrong_in_a_description_is_named_with_its_line() {
    for (from, to, expected) in [
        ("torque: 1.0", "torque: -1.0", "line 16: 'motors.left.torque' is -1, must be from 0 to 10000 N·m"),
        ("torque: 1.0", "torque: .nan", "line 16: 'motors.left.torque' is NaN, must be from 0 to 10000 N·m"),
        ("torque: 1.0", "torque: much", "line 16: 'motors.left.torque' is \"much\", must be numbers"),
        (
            "torque: 1.0",
            "torqeu: 1.0",
            "line 16: 'motors.left.torqeu' does not exist; did you mean 'torque'?",
        ),
        ("    torque: 1.0\n", "", "line 14: 'motors.left.torque' is missing"),
        (
            "limit: [0, 1.57]\n",
            "limit: [0, 1, 2]\n",
            "line 15: 'motors.left.limit' has 3 numbers, must have 2",
        ),
        (
            "limit: [0, 1.57]\n",
            "limit: [1, 0]\n",
            "line 15: 'motors.left.limit' is [1, 0] rad, must have the smaller one first",
        ),
        (
            "limit: [0, 1.57]\n",
            "limit: [0, 1.9]\n",
            "line 21: 'motors.left.drives.left_proximal' turns the joint to 1.9 rad at 1.9 rad, must be from 0 to 1.57 rad",
        ),
        (
            "left_distal: [0.5]",
            "left_distal: [0.5, 0.1]",
            "line 21: 'motors.left.drives.left_distal' must be a slope, then angle and slope of up to 4 knees in ascending order",
        ),
        (
            "left_distal: [0.5]",
            "left_distal: [1.2, 0.75, -1]",
            "line 21: 'motors.left.drives.left_distal' turns the joint to 0.8999999999999999 rad at 0.75 rad, must be from 0 to",
        ),
        (
            "left_distal: [0.5]",
            "lef_distal: [0.5]",
            "line 21: 'motors.left.drives.lef_distal': 'lef_distal' does not exist; did you mean 'left_distal'?",
        ),
        (", left_distal: [0.5]", "", "line 7: 'joints' has 'left_distal', which no motor drives"),
        (
            "right_proximal: [1]",
            "left_proximal: [1]",
            "line 29: 'motors.right.drives.left_proximal': another motor drives this joint",
        ),
        (
            "parent: left_proximal",
            "parent: right_distal",
            "line 9: 'joints.left_distal.parent' must be 'base' or a joint above: 'right_distal' does not exist; known are: \
                left_proximal",
        ),
        (
            "axis: [1, 0, 0]",
            "axis: [0, 0, 0]",
            "line 8: 'joints.left_proximal.axis' has no length, must be a direction",
        ),
        ("x: [1, 0, 0]", "x: [0, 0, 1]", "line 39: 'imus.palm.x' must be at a right angle to 'z'"),
        ("update_rate: 100.0", "update_rate: 1", "line 4: 'update_rate' is 1, must be from 2 to 1000 Hz"),
        ("model: Two fingers", "model: [a]", "line 3: 'model' must be a text"),
        (
            "grasp_motors: [left, right]",
            "grasp_motors: [left, lift]",
            "line 43: 'grasp_motors' must be names of motors: 'lift' does not exist",
        ),
        ("    0: [0, 0]", "    0: [0]", "line 46: 'grasps.Pinch.0' has 1 numbers, must have 2"),
        ("    0: [0, 0]", "    no: [0, 0]", "line 46: 'grasps.Pinch.no' must be a level from 0 to 1"),
        (
            "    0: [0, 0]",
            "    0.5: [0, 0]",
            "line 45: 'grasps.Pinch' must have levels in ascending order, the first 0 and the last 1",
        ),
    ] {
        let found = error(from, to);
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
    for (text, expected) in [
        ("", "line 1: the document is empty"),
        ("[1, 2]", "line 1: a device must be a mapping of names"),
        ("\nbased_on: mlp", "line 2: 'based_on' is 'mlp', must be one of: mpl, mpl_gazebo, two_finger"),
        (
            "based_on: mpl_gazebo",
            "line 1: 'based_on' is 'mpl_gazebo', which is itself based on another device",
        ),
        (
            "# mine\nbased_on: mpl\nmotors: {wristy: {limit: [-3, 3]}}",
            "line 2: 'motors.wristy.drives.wristy' turns the joint",
        ),
    ] {
        let found = Model::parse(text).unwrap_err().to_string();
        assert!(found.starts_with(expected), "{found}\n{expected}");
    }
    let unknown = Model::builtin("luke").unwrap_err().to_string();
    assert!(unknown.contains("built in are: mpl, mpl_gazebo, two_finger"), "{unknown}");
}

#[test]
fn more_than_32_of_a_kind_are_refused() {
    let many: String =
        (0..30).map(|n| format!("  pad{n}: {{link: base, position: [0, 0, 0], radius: 0}}\n")).collect();
    let text = format!("based_on: two_finger\ncontacts:\n{many}");
    let found = Model::parse(&text).unwrap_err().to_string();
    assert_eq!(found, "line 1: 'contacts' has 35 entries, must have at most 32");
}
