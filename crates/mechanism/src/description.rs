//! A robot's description: links, joints and transmissions of a URDF.

mod error;
mod transmission;
mod tree;
mod warning;
mod xml;

use std::borrow::Cow;

use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};
use roxmltree::{Document, Node};

pub use error::{DescriptionError, Skipped};
pub(crate) use transmission::Kind;
pub use transmission::TransmissionDescription;
pub use warning::UrdfWarning;

use crate::robot::{CalibrationEdges, JointKind, JointLimits, SafetyController};
use xml::{child, number, number_or, numbers, required, text};

/// The links, joints and transmissions of a robot.
///
/// # Source
/// URDF as <http://wiki.ros.org/urdf/XML> describes it. Visuals, collisions and inertias are not read.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The robot's name.
    pub name: String,
    /// The links' names, in the document's order.
    pub links: Vec<String>,
    /// The joints, in the document's order.
    pub joints: Vec<JointDescription>,
    /// The transmissions, in the document's order.
    pub transmissions: Vec<TransmissionDescription>,
    /// Transmissions that were left out, each with its reason.
    pub skipped: Vec<Skipped>,
    /// Parts of the description that are valid but probably a mistake.
    pub warnings: Vec<UrdfWarning>,
}

/// A joint of a description.
#[derive(Clone, Debug, PartialEq)]
pub struct JointDescription {
    /// Its unique name.
    pub name: String,
    /// How it moves; `None` for `fixed`, `floating` and `planar` joints, which no transmission moves.
    pub kind: Option<JointKind>,
    /// The index of its parent link.
    pub parent: usize,
    /// The index of its child link.
    pub child: usize,
    /// The pose of the joint in its parent link \[m\].
    pub origin: Isometry3<f64>,
    /// The axis that it turns about or slides along, in the joint's frame.
    pub axis: Unit<Vector3<f64>>,
    /// `<limit>`
    pub limits: Option<JointLimits>,
    /// `<safety_controller>`
    pub safety: Option<SafetyController>,
    /// `<calibration>`
    pub calibration: CalibrationEdges,
}

/// The ends of the range of an effort, a speed or a gain.
const NOT_NEGATIVE: [f64; 2] = [0.0, f64::MAX];
/// The range of a position or a ratio.
const FINITE: [f64; 2] = [f64::MIN, f64::MAX];

impl Description {
    /// Reads a URDF.
    ///
    /// A transmission that cannot be used is left out with its reason, as in pr2_mechanism. Everything else that is wrong
    /// refuses the whole description.
    /// # Errors
    /// The first thing that is wrong, with its line, name, value and range.
    pub fn parse(urdf: &str) -> Result<Self, DescriptionError> {
        let urdf = &declared(urdf);
        let document = Document::parse(urdf).map_err(|error| DescriptionError::Xml(error.to_string()))?;
        let robot = document.root_element();
        if !robot.has_tag_name("robot") {
            return Err(DescriptionError::NoRobot(robot.tag_name().name().to_owned()));
        }
        let elements = |name: &'static str| robot.children().filter(move |node| node.has_tag_name(name));
        let mut links = Vec::new();
        for link in elements("link") {
            unique(&mut links, "link", required(link, "name")?)?;
        }
        let (mut names, mut joints, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        for node in elements("joint") {
            unique(&mut names, "joint", required(node, "name")?)?;
            let joint = joint(node, &links)?;
            warnings.extend(warning::of_calibration(node, &joint));
            joints.push(joint);
        }
        tree::check(&links, &joints)?;
        let (mut transmissions, mut skipped) = (Vec::new(), Vec::new());
        for node in elements("transmission") {
            match transmission::read(node, &joints, &transmissions) {
                Ok(transmission) => {
                    warnings.extend(warning::warnings(node, &transmission, &transmissions));
                    warnings.extend(warning::of_followers(node, &transmission, &joints));
                    transmissions.push(transmission);
                }
                Err(reason) => {
                    let name = node.attribute("name").unwrap_or_default().to_owned();
                    skipped.push(Skipped { name, line: xml::line(node), reason });
                }
            }
        }
        for (index, (node, joint)) in elements("joint").zip(&joints).enumerate() {
            if transmissions.iter().any(|transmission| transmission.commanded().contains(&index)) {
                warnings.extend(warning::of_limits(node, joint));
            }
        }
        let name = robot.attribute("name").unwrap_or_default().to_owned();
        Ok(Self { name, links, joints, transmissions, skipped, warnings })
    }

    /// The index of the joint `name`.
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|joint| joint.name == name)
    }

    /// The joints that each transmission moves, with their actuators and the reduction: `pan (pan_motor, 50:1)`.
    pub fn moves(&self) -> Vec<String> {
        self.transmissions.iter().map(|transmission| transmission.moves(&self.joints)).collect()
    }

    /// The index of the link `name`.
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|link| link == name)
    }
}

fn unique(names: &mut Vec<String>, what: &'static str, name: &str) -> Result<(), DescriptionError> {
    if names.iter().any(|known| known == name) {
        return Err(DescriptionError::Twice { what, name: name.to_owned() });
    }
    names.push(name.to_owned());
    Ok(())
}

fn joint(node: Node<'_, '_>, links: &[String]) -> Result<JointDescription, DescriptionError> {
    let name = required(node, "name")?.to_owned();
    let link = |tag: &'static str| {
        let link = required(child(node, tag)?, "link")?;
        let index = links.iter().position(|known| known == link);
        index.ok_or_else(|| DescriptionError::UnknownLink { joint: name.clone(), tag, link: link.to_owned() })
    };
    let (parent, child_link) = (link("parent")?, link("child")?);
    let kind = match required(node, "type")? {
        "revolute" => Some(JointKind::Revolute),
        "continuous" => Some(JointKind::Continuous),
        "prismatic" => Some(JointKind::Prismatic),
        "fixed" | "floating" | "planar" => None,
        other => return Err(DescriptionError::JointType { joint: name, found: other.to_owned() }),
    };
    let optional = |tag| node.children().find(move |child: &Node<'_, '_>| child.has_tag_name(tag));
    // A joint that nothing moves has neither an axis nor limits, whatever its elements say.
    let is_moved = kind.is_some();
    let is_follower = optional("mimic").is_some();
    let limits = optional("limit").filter(|_| is_moved).map(|node| limits(node, is_follower)).transpose()?;
    if limits.is_none() && matches!(kind, Some(JointKind::Revolute | JointKind::Prismatic)) {
        return Err(DescriptionError::Missing {
            element: format!("joint '{name}'"),
            what: "<limit>",
            line: xml::line(node),
        });
    }
    let axis = optional("axis")
        .filter(|_| is_moved)
        .map(|axis| numbers(axis, "xyz", [1.0, 0.0, 0.0]))
        .transpose()?
        .unwrap_or([1.0, 0.0, 0.0]);
    let axis =
        Unit::try_new(Vector3::from(axis), 1e-6).ok_or(DescriptionError::Axis { joint: name.clone() })?;
    Ok(JointDescription {
        parent,
        child: child_link,
        kind,
        axis,
        origin: optional("origin").map(pose).transpose()?.unwrap_or_default(),
        limits,
        safety: optional("safety_controller").filter(|_| is_moved).map(safety).transpose()?,
        calibration: optional("calibration").map(calibration).transpose()?.unwrap_or_default(),
        name,
    })
}

/// The document, whose declaration may follow empty lines as a template leaves them: XML wants it first. Lines keep their numbers.
fn declared(urdf: &str) -> Cow<'_, str> {
    let text = urdf.trim_start();
    match text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>")) {
        Some((declaration, rest)) if text.len() < urdf.len() => {
            let lines = |text: &str| "\n".repeat(text.matches('\n').count());
            let before = &urdf[..urdf.len() - text.len()];
            Cow::Owned(lines(before) + &lines(declaration) + rest)
        }
        _ => Cow::Borrowed(urdf),
    }
}

/// The limits of a joint. One that follows another needs no effort and no velocity, since nothing commands it.
fn limits(node: Node<'_, '_>, is_follower: bool) -> Result<JointLimits, DescriptionError> {
    let most = |name| match text(node, name) {
        None if is_follower => Ok(0.0),
        Some("inf" | "+inf" | "Inf" | "INF" | "infinity") => Ok(f64::INFINITY),
        _ => number(node, name, NOT_NEGATIVE),
    };
    let limits = JointLimits {
        effort: most("effort")?,
        velocity: most("velocity")?,
        lower: number_or(node, "lower", FINITE, 0.0)?,
        upper: number_or(node, "upper", FINITE, 0.0)?,
    };
    ordered(node, ["lower", "upper"], [limits.lower, limits.upper])?;
    Ok(limits)
}

fn safety(node: Node<'_, '_>) -> Result<SafetyController, DescriptionError> {
    let safety = SafetyController {
        k_position: number_or(node, "k_position", NOT_NEGATIVE, 0.0)?,
        k_velocity: number(node, "k_velocity", NOT_NEGATIVE)?,
        soft_lower_limit: number_or(node, "soft_lower_limit", FINITE, 0.0)?,
        soft_upper_limit: number_or(node, "soft_upper_limit", FINITE, 0.0)?,
    };
    ordered(
        node,
        ["soft_lower_limit", "soft_upper_limit"],
        [safety.soft_lower_limit, safety.soft_upper_limit],
    )?;
    Ok(safety)
}

fn calibration(node: Node<'_, '_>) -> Result<CalibrationEdges, DescriptionError> {
    let edge = |name| node.attribute(name).map(|_| number(node, name, FINITE)).transpose();
    Ok(CalibrationEdges { rising: edge("rising")?, falling: edge("falling")? })
}

fn pose(node: Node<'_, '_>) -> Result<Isometry3<f64>, DescriptionError> {
    let [x, y, z] = numbers(node, "xyz", [0.0; 3])?;
    let [roll, pitch, yaw] = numbers(node, "rpy", [0.0; 3])?;
    let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
    Ok(Isometry3::from_parts(Translation3::new(x, y, z), rotation))
}

fn ordered(
    node: Node<'_, '_>,
    [low, high]: [&'static str; 2],
    [from, to]: [f64; 2],
) -> Result<(), DescriptionError> {
    if from <= to {
        return Ok(());
    }
    Err(xml::not_in(node, high, text(node, high).unwrap_or("0"), format!("{low}, {from}, or more")))
}
