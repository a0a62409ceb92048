use params::tree::{Wrong, read};
use safety::Measures;

use crate::device::Constants;
use crate::model::fields::{Fields, wrong};
use crate::model::parts::{find, grasps, interval, limit, named};
use crate::robot::LEAST_RATE;
use crate::setpoints::Setpoints;
use crate::wire::{Description, Limit, MAX, RobotInfo};

/// Model of a robot elsewhere, as a hand: its joints by their names, and the motors that are commanded through them.
///
/// The format is explained in `devices/robot.yaml`.
/// # Source
/// own
#[derive(Clone, Debug, PartialEq)]
pub struct RobotModel {
    /// Constant properties of the hand.
    pub constants: Constants,
    pub(crate) motors: Vec<RobotMotor>,
    /// The joints of the robot that do not belong to it.
    pub others: Vec<String>,
    /// Quantities that it measures besides positions.
    pub measures: Measures,
}

/// A motor, which is a joint that the robot is commanded to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RobotMotor {
    pub joint: usize,
    /// Turns of the motor for one turn of its joint, above 0.
    pub gear: f64,
    /// The greatest speed of the joint \[rad/s\], above 0.
    pub velocity: f64,
}

/// Quantities that a robot may measure; it must measure positions.
const MEASURES: [&str; 3] = ["position", "velocity", "effort"];

impl RobotModel {
    /// Reads a description.
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn parse(text: &str) -> Result<Self, Wrong> {
        let node = read(text)?;
        let known =
            ["model", "update_rate", "measures", "joints", "motors", "others", "grasp_motors", "grasps"];
        let top = Fields::new("", &node, &known)?;
        let (mut joint_names, mut ranges, mut joint_limit) =
            (Vec::new(), Vec::new(), [Limit::default(); MAX]);
        for (index, (name, path, node)) in named(&top, "joints")?.into_iter().enumerate() {
            let range = interval(&Fields::new(&path, node, &["limit"])?, "limit")?;
            joint_limit[index] = limit(range, 1.0);
            joint_names.push(name.to_owned());
            ranges.push(range);
        }
        let (mut motor_names, mut motors, mut motor_limit) =
            (Vec::new(), Vec::new(), [Limit::default(); MAX]);
        for (index, (name, path, node)) in named(&top, "motors")?.into_iter().enumerate() {
            let fields = Fields::new(&path, node, &["joint", "gear", "velocity"])?;
            let joint = find(&fields.text("joint")?, &joint_names)
                .map_err(|hint| fields.wrong("joint", format_args!("must be a joint: {hint}")))?;
            if motors.iter().any(|motor: &RobotMotor| motor.joint == joint) {
                let name = &joint_names[joint];
                return Err(fields.wrong("joint", format_args!("is '{name}', which another motor has")));
            }
            let gear = fields.float("gear", 1e-3..=1e5, "", Some(1.0))?;
            let velocity = fields.float("velocity", 1e-3..=100.0, "rad/s", None)?;
            motors.push(RobotMotor { joint, gear, velocity });
            motor_limit[index] = limit(ranges[joint], gear);
            motor_names.push(name.to_owned());
        }
        if motors.is_empty() {
            return Err(wrong(node.line, "'motors' is missing: nothing could be commanded"));
        }
        let gears: Vec<f64> = motors.iter().map(|motor| motor.gear).collect();
        let info = RobotInfo {
            motor_count: motors.len(),
            joint_count: joint_names.len(),
            motor_limit,
            joint_limit,
            update_rate: top.float("update_rate", LEAST_RATE..=1000.0, "Hz", None)? as f32,
            ..RobotInfo::default()
        };
        let others = top.texts_or("others", &[])?;
        if let Some(name) = others.iter().find(|name| joint_names.contains(name)) {
            return Err(top.wrong("others", format_args!("has '{name}', which is in 'joints'")));
        }
        let measures = top.texts_or("measures", &MEASURES[..2])?;
        if let Some(name) = measures.iter().find(|name| !MEASURES.contains(&name.as_str())) {
            return Err(
                top.wrong("measures", format_args!("has '{name}', must be of {}", MEASURES.join(", ")))
            );
        }
        let has = |what: &str| measures.iter().any(|name| name == what);
        if !has("position") {
            return Err(
                top.wrong("measures", "must have 'position': a hold needs to know where the robot is")
            );
        }
        let constants = Constants {
            grasps: grasps(&top, &motor_names, &gears)?,
            // Where it starts is known with its first states; its gains are its own.
            start: Setpoints::new(motors.len(), [0.0; MAX], [0.0; MAX], [0.0; MAX]),
            description: Description {
                model_name: top.text("model")?,
                gear_ratio: gears.iter().map(|gear| *gear as f32).collect(),
                motor_names,
                joint_names,
                ..Description::default()
            },
            info,
        };
        Ok(Self {
            constants,
            measures: Measures { velocity: has("velocity"), effort: Some(has("effort")) },
            motors,
            others,
        })
    }

    /// Returns the model with this update rate \[Hz\], above 0.
    #[must_use]
    pub fn with_update_rate(mut self, update_rate: f64) -> Self {
        self.constants.info.update_rate = update_rate as f32;
        self
    }

    /// The names of the joints that are commanded, in the order of the motors.
    pub fn commanded(&self) -> impl Iterator<Item = &str> {
        self.motors
            .iter()
            .filter_map(|motor| self.constants.description.joint_names.get(motor.joint))
            .map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = include_str!("../../devices/robot.yaml");

    fn refused(from: &str, to: &str) -> String {
        assert!(TEXT.contains(from), "{from}");
        RobotModel::parse(&TEXT.replacen(from, to, 1)).unwrap_err().to_string()
    }

    #[test]
    fn the_example_has_its_motors_at_the_ends_of_their_joints() {
        let model = RobotModel::parse(TEXT).unwrap();
        assert_eq!(model.commanded().collect::<Vec<_>>(), ["left_knuckle_joint", "right_knuckle_joint"]);
        let (info, description) = (&model.constants.info, &model.constants.description);
        assert_eq!((info.motor_count, info.joint_count, info.imu_count), (2, 3, 0));
        assert_eq!(description.motor_names, ["left", "right"]);
        assert_eq!(info.motor_limit[0], Limit { minimum: 0.0, maximum: 0.8 });
        assert_eq!(model.others, ["elbow_joint"]);
        assert_eq!(model.measures, Measures { velocity: true, effort: Some(false) });
        let geared = TEXT.replacen("velocity: 2.0", "velocity: 2.0, gear: 10", 1);
        assert_eq!(RobotModel::parse(&geared).unwrap().constants.info.motor_limit[0].maximum, 8.0);
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (from, to, expected) in [
            (
                "joint: left_knuckle_joint",
                "joint: left_nuckle_joint",
                "'motors.left.joint' must be a joint: 'left_nuckle_joint' does not exist; did you mean",
            ),
            (
                "joint: right_knuckle_joint",
                "joint: left_knuckle_joint",
                "'motors.right.joint' is 'left_knuckle_joint', which another motor has",
            ),
            ("velocity: 2.0", "velocity: 0", "'motors.left.velocity' is 0, must be from 0.001 to 100 rad/s"),
            ("update_rate: 50.0", "update_rate: 2.0", "'update_rate' is 2, must be from 4 to 1000 Hz"),
            (", velocity: 2.0", "", "'motors.left.velocity' is missing"),
            ("velocity: 2.0", "velocity: 2.0, torque: 1", "'motors.left.torque' does not exist"),
            ("limit: [0, 0.8]", "limit: [1, 0.8]", "limit' is [1, 0.8] rad, must have the smaller one first"),
            (
                "[position, velocity]",
                "[position, torque]",
                "'measures' has 'torque', must be of position, velocity, effort",
            ),
            ("[position, velocity]", "[velocity]", "'measures' must have 'position'"),
            (
                "others: [elbow_joint]",
                "others: [left_tip_joint]",
                "'others' has 'left_tip_joint', which is in 'joints'",
            ),
        ] {
            let found = refused(from, to);
            assert!(found.contains(expected) && found.contains("line "), "{found} is not {expected}");
        }
    }
}
