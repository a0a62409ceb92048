//! The description of an analytic hand, read from YAML.

mod fields;
mod parts;
pub(crate) mod robot;

use nalgebra::{Unit, Vector3};
use params::tree::{Node, Tree, Wrong, read};
use safety::Coupling;

use crate::device::Constants;
use crate::hand::contacts::Pad;
use crate::hand::kinematics::{ImuMount, JointFrame};
use crate::hand::servo::Plant;
use crate::model::fields::wrong;

/// The built-in devices: name and description. They are examples of the format, too.
pub const BUILTIN: [(&str, &str); 3] = [
    ("mpl", include_str!("../devices/mpl.yaml")),
    ("mpl_gazebo", include_str!("../devices/mpl_gazebo.yaml")),
    ("two_finger", include_str!("../devices/two_finger.yaml")),
];

/// Model of an [`AnalyticHand`](crate::AnalyticHand): its description is checked, so nothing about it can be wrong later.
///
/// The format is explained in `devices/mpl.yaml`. A description may be based on a built-in one and then only contains what differs.
/// # Source
/// own
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive] // made by `parse`, which checks it
pub struct Model {
    /// Constant properties of the hand.
    pub constants: Constants,
    /// Its motors in their order.
    pub motors: Vec<Motor>,
    /// Motor and coupling of each joint, in their order.
    pub joints: Vec<Joint>,
    /// Where the joints are, in their order.
    pub frames: Vec<JointFrame>,
    /// Its contact sensors in their order.
    pub pads: Vec<Pad>,
    /// Its inertial units in their order.
    pub imus: Vec<ImuMount>,
    /// Upward direction in the frame of the base.
    pub up: Unit<Vector3<f64>>,
}

/// A motor with its gear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motor {
    /// Turns of the motor for one turn of its joint, above 0.
    pub gear: f64,
    /// Properties of the motor and its load, at the joint side of the gear.
    pub plant: Plant,
    /// Where it starts, at the joint side of the gear \[rad\].
    pub start: f64,
}

/// A joint and the motor that moves it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joint {
    /// Index of the motor.
    pub motor: usize,
    /// The joint's angle by the motor's, at the joint side of the gear.
    pub coupling: Coupling,
}

impl Model {
    /// Reads a description.
    /// # Errors
    /// The first thing that is wrong, with its line.
    pub fn parse(text: &str) -> Result<Self, Wrong> {
        let node = read(text)?;
        let Some((name, line)) = base_of(&node) else { return parts::model(&node) };
        let Some((_, base)) = BUILTIN.iter().find(|(known, _)| *known == name) else {
            let known: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).collect();
            return Err(wrong(line, format!("'based_on' is '{name}', must be one of: {}", known.join(", "))));
        };
        let mut base = read(base)?;
        if base_of(&base).is_some() {
            return Err(wrong(
                line,
                format!("'based_on' is '{name}', which is itself based on another device"),
            ));
        }
        set_lines(&mut base, line);
        overlay(&mut base, node);
        parts::model(&base)
    }

    /// A built-in device.
    /// # Errors
    /// There is none of this name; the text lists those that exist.
    pub fn builtin(name: &str) -> Result<Self, Wrong> {
        let names = BUILTIN.map(|(name, _)| name);
        match BUILTIN.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Self::parse(text),
            None => {
                Err(wrong(1, format!("device '{name}' does not exist; built in are: {}", names.join(", "))))
            }
        }
    }

    /// Returns the model with this update rate \[Hz\], above 0.
    #[must_use]
    pub fn with_update_rate(mut self, update_rate: f64) -> Self {
        self.constants.info.update_rate = update_rate as f32;
        self
    }
}

/// The device that `node` is based on, and the line that says so.
fn base_of(node: &Node) -> Option<(&str, usize)> {
    let Tree::Mapping(entries) = &node.what else { return None };
    let (_, value) = entries.iter().find(|(key, _)| key == "based_on")?;
    match &value.what {
        Tree::Scalar { text, .. } => Some((text, value.line)),
        _ => Some(("", value.line)),
    }
}

/// Errors in a base that the description causes point at the line that names the base.
fn set_lines(node: &mut Node, line: usize) {
    node.line = line;
    match &mut node.what {
        Tree::Scalar { .. } => {}
        Tree::Sequence(items) => items.iter_mut().for_each(|item| set_lines(item, line)),
        Tree::Mapping(entries) => entries.iter_mut().for_each(|(_, node)| set_lines(node, line)),
    }
}

/// Puts `over` over `base`: mappings are merged, everything else is replaced.
fn overlay(base: &mut Node, over: Node) {
    match (&mut base.what, over.what) {
        (Tree::Mapping(entries), Tree::Mapping(others)) => {
            for (key, other) in others {
                match entries.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, known)) => overlay(known, other),
                    None if key == "based_on" => {}
                    None => entries.push((key, other)),
                }
            }
        }
        (_, what) => *base = Node { line: over.line, what },
    }
}
