//! Chains of joints: a planar arm of two links of 1 m and a slide, and a second branch.
#![allow(clippy::unwrap_used)]

use std::f64::consts::FRAC_PI_2;

use mechanism::{Chain, ChainError, Description, Robot};
use nalgebra::{Matrix6xX, Vector3};
use proptest::prelude::*;

fn arm() -> (Description, Robot) {
    let joint = |name: &str, kind: &str, parent: &str, child: &str, xyz: &str, axis: &str| {
        format!(
            r#"<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/><origin xyz="{xyz}"/>
            <axis xyz="{axis}"/><limit effort="1" velocity="1"/></joint>"#
        )
    };
    let move_it = |joint: &str| {
        format!(
            r#"<transmission><type>transmission_interface/SimpleTransmission</type><joint name="{joint}"/>
            <actuator name="{joint}_motor"/></transmission>"#
        )
    };
    let links = ["base", "upper", "lower", "hand", "slide", "eye", "spare"]
        .map(|name| format!(r#"<link name="{name}"/>"#));
    let urdf = format!(
        r#"<robot name="arm">{}{}{}{}{}{}{}{}{}{}</robot>"#,
        links.concat(),
        joint("shoulder", "revolute", "base", "upper", "0 0 0", "0 0 1"),
        joint("elbow", "revolute", "upper", "lower", "1 0 0", "0 0 1"),
        joint("wrist", "fixed", "lower", "hand", "1 0 0", "1 0 0"),
        joint("extension", "prismatic", "hand", "slide", "0 0 0", "1 0 0"),
        joint("neck", "continuous", "base", "eye", "0 0 2", "0 1 0"),
        joint("loose", "revolute", "eye", "spare", "0 0 0", "0 0 1"),
        ["shoulder", "elbow"].map(move_it).concat(),
        ["extension"].map(move_it).concat(),
        ["neck"].map(move_it).concat(),
    );
    let description = Description::parse(&urdf).unwrap();
    assert!(description.skipped.is_empty(), "{:?}", description.skipped);
    let robot = Robot::new(&description);
    (description, robot)
}

fn at(robot: &mut Robot, positions: &[(&str, f64)]) {
    for (name, position) in positions {
        let index = robot.joint(name).unwrap();
        robot.joints_mut()[index].position = *position;
    }
}

#[test]
fn the_tip_of_a_planar_arm_is_where_trigonometry_puts_it() {
    let (description, mut robot) = arm();
    let chain = Chain::new(&description, &robot, "base", "slide").unwrap();
    // Up by 90 degrees, then back by 90: (0, 1) + (1 + 0.5, 0).
    at(&mut robot, &[("shoulder", FRAC_PI_2), ("elbow", -FRAC_PI_2), ("extension", 0.5)]);
    let tip = chain.pose(&robot).translation.vector;
    assert!((tip - Vector3::new(1.5, 1.0, 0.0)).norm() < 1e-12, "{tip}");
    let names: Vec<_> = chain.joints().map(|index| robot.joints()[index].name.clone()).collect();
    assert_eq!(names, ["shoulder", "elbow", "extension"], "the wrist is fixed");
}

#[test]
fn the_way_back_is_the_inverse() {
    let (description, mut robot) = arm();
    at(&mut robot, &[("shoulder", 0.3), ("elbow", 0.7), ("extension", 0.2), ("neck", -0.4)]);
    let pose = |root, tip| Chain::new(&description, &robot, root, tip).unwrap().pose(&robot);
    for (root, tip) in [("base", "slide"), ("eye", "hand"), ("upper", "eye")] {
        let there_and_back = pose(root, tip) * pose(tip, root);
        assert!(there_and_back.translation.vector.norm() < 1e-12 && there_and_back.rotation.angle() < 1e-7);
    }
    // Over the base: from the eye, 2 m above it and turned by -0.4 about y, down to it, and on.
    let over = pose("eye", "base") * pose("base", "hand");
    assert!((over.translation.vector - pose("eye", "hand").translation.vector).norm() < 1e-12);
}

#[test]
fn between_a_link_and_itself_is_nothing() {
    let (description, robot) = arm();
    let chain = Chain::new(&description, &robot, "hand", "hand").unwrap();
    assert_eq!((chain.joints().count(), chain.is_calibrated(&robot)), (0, true));
    assert_eq!(chain.pose(&robot), nalgebra::Isometry3::identity());
}

#[test]
fn an_unknown_link_and_a_joint_that_nothing_moves_are_refused() {
    let (description, robot) = arm();
    let error = |root, tip| Chain::new(&description, &robot, root, tip).unwrap_err();
    assert_eq!(error("base", "foot"), ChainError::Link("foot".into()));
    assert_eq!(error("spare", "base"), ChainError::Joint("loose".into()));
    assert_eq!(
        error("spare", "base").to_string(),
        "joint 'loose' lies between the links, and no transmission moves it"
    );
}

#[test]
fn it_is_calibrated_when_all_its_joints_are_and_adds_efforts_to_them() {
    let (description, mut robot) = arm();
    let chain = Chain::new(&description, &robot, "base", "hand").unwrap();
    for (name, expected) in [("shoulder", false), ("elbow", true)] {
        let index = robot.joint(name).unwrap();
        robot.joints_mut()[index].is_calibrated = true;
        assert_eq!(chain.is_calibrated(&robot), expected);
    }
    chain.add_efforts(&mut robot, &[1.0, 2.0]);
    chain.add_efforts(&mut robot, &[0.5, 0.5]);
    let efforts: Vec<f64> = chain.joints().map(|index| robot.joints()[index].commanded_effort).collect();
    assert_eq!(efforts, [1.5, 2.5]);
}

proptest! {
    /// Each column is the difference quotient of the pose, in both directions of the way.
    #[test]
    fn the_jacobian_is_the_derivative_of_the_pose(positions in proptest::collection::vec(-2.0..2.0, 4), way in 0..3_usize) {
        const STEP: f64 = 1e-6;
        let (description, mut robot) = arm();
        let names = ["shoulder", "elbow", "extension", "neck"];
        let of: Vec<_> = names.into_iter().zip(positions).collect();
        at(&mut robot, &of);
        let (root, tip) = [("base", "slide"), ("slide", "base"), ("slide", "eye")][way];
        let chain = Chain::new(&description, &robot, root, tip).unwrap();
        let mut jacobian = Matrix6xX::zeros(0);
        chain.jacobian(&robot, &mut jacobian);
        for (column, joint) in chain.joints().collect::<Vec<_>>().into_iter().enumerate() {
            let mut pose = |by: f64| {
                robot.joints_mut()[joint].position += by;
                let pose = chain.pose(&robot);
                robot.joints_mut()[joint].position -= by;
                pose
            };
            let (after, before) = (pose(STEP), pose(-STEP));
            let linear = (after.translation.vector - before.translation.vector) / (2.0 * STEP);
            let angular = (after.rotation * before.rotation.inverse()).scaled_axis() / (2.0 * STEP);
            let found = jacobian.column(column);
            prop_assert!((found.fixed_rows::<3>(0) - linear).norm() < 1e-7, "{found} {linear}");
            prop_assert!((found.fixed_rows::<3>(3) - angular).norm() < 1e-7, "{found} {angular}");
        }
    }
}
