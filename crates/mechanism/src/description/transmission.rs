use roxmltree::Node;
use safety::{Coupling, MAX_KNEES};

use crate::description::xml::{child, describe, line, not_in, number, number_or, parse, required, text};
use crate::description::{DescriptionError, JointDescription};
use crate::robot::transmission::{Compensator, GripperGeometry, WristRatios};

/// A transmission of a description, with the names of its actuators and joints.
#[derive(Clone, Debug, PartialEq)]
pub struct TransmissionDescription {
    /// Its name, or nothing.
    pub name: String,
    /// The line of its element, from 1.
    pub line: u32,
    /// The actuators' names.
    pub actuators: Vec<String>,
    /// The joints' indices in the description, in the order in which they are reported.
    pub joints: Vec<usize>,
    /// The type, and its measures.
    pub(crate) kind: Kind,
}

/// The type of a transmission, and its measures.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Kind {
    Simple { reduction: f64, offset: f64, simulated_reduction: Option<f64> },
    Wrist(WristRatios),
    Belt { reduction: f64, compensator: Compensator },
    Gripper { fingers: usize, geometry: Box<GripperGeometry> },
    Coupled { reduction: f64, couplings: Vec<Coupling> },
}

impl TransmissionDescription {
    /// Whether it is one actuator and one joint.
    pub(super) fn is_simple(&self) -> bool {
        matches!(self.kind, Kind::Simple { .. })
    }

    /// The indices of the joints that controllers move; the others follow them.
    pub(super) fn commanded(&self) -> &[usize] {
        let count = if matches!(self.kind, Kind::Wrist(_)) { 2 } else { 1 };
        self.joints.get(..count).unwrap_or(&self.joints)
    }

    /// The joints that its actuators move, with these, their reduction and offset.
    pub(super) fn moves(&self, joints: &[JointDescription]) -> String {
        let names = self.commanded().iter().filter_map(|&index| joints.get(index));
        let names: Vec<&str> = names.map(|joint| joint.name.as_str()).collect();
        let ratio = self.kind.reduction().map_or(String::new(), |reduction| format!(", {reduction}:1"));
        let offset = self.kind.offset();
        let offset = if offset == 0.0 { String::new() } else { format!(", offset {offset}") };
        format!("{} ({}{ratio}{offset})", names.join(" and "), self.actuators.join(" and "))
    }
}

impl Kind {
    fn reduction(&self) -> Option<f64> {
        match *self {
            Self::Simple { reduction, .. } | Self::Belt { reduction, .. } => Some(reduction),
            Self::Coupled { reduction, .. } => Some(reduction),
            Self::Gripper { .. } | Self::Wrist(_) => None,
        }
    }

    /// Where the first joint is while its actuator is at 0 and nothing has calibrated it. A wrist adds its own.
    pub(crate) fn offset(&self) -> f64 {
        if let Self::Simple { offset, .. } = *self { offset } else { 0.0 }
    }
}

/// Any finite number; reductions must not be 0 as well.
const FINITE: [f64; 2] = [f64::MIN, f64::MAX];

/// Reads a transmission, whose actuators and joints no other one may use.
pub(super) fn read(
    node: Node<'_, '_>,
    joints: &[JointDescription],
    others: &[TransmissionDescription],
) -> Result<TransmissionDescription, String> {
    let of_child = || child(node, "type").ok().and_then(|child| child.text()).map(str::trim);
    let found = text(node, "type").or_else(of_child).unwrap_or_default();
    let read = match found {
        "pr2_mechanism_model/SimpleTransmission" | "transmission_interface/SimpleTransmission" => simple,
        "pr2_mechanism_model/WristTransmission" => wrist,
        "pr2_mechanism_model/PR2GripperTransmission" => gripper,
        "pr2_mechanism_model/PR2BeltCompensatorTransmission" => belt,
        "steersman/CoupledTransmission" => coupled,
        _ => {
            return Err(format!(
                "its type is '{found}', must be pr2_mechanism_model/SimpleTransmission, WristTransmission, \
                 PR2GripperTransmission or PR2BeltCompensatorTransmission, transmission_interface/SimpleTransmission or \
                 steersman/CoupledTransmission"
            ));
        }
    };
    let parts = read(node).map_err(|error| error.to_string())?;
    if let Some(part) = unread(node, &parts.kind) {
        return Err(format!("{part} is not read and may change how the joint moves"));
    }
    let mut indices: Vec<usize> = Vec::new();
    for name in parts.joints {
        let Some(index) = joints.iter().position(|joint| joint.name == name) else {
            return Err(format!("joint '{name}' is not in the description"));
        };
        if joints[index].kind.is_none() {
            return Err(format!(
                "joint '{name}' is fixed, floating or planar, must be revolute, continuous or prismatic"
            ));
        }
        if indices.contains(&index) || others.iter().any(|other| other.joints.contains(&index)) {
            return Err(format!("joint '{name}' is moved by a transmission already"));
        }
        indices.push(index);
    }
    for (number, name) in parts.actuators.iter().enumerate() {
        if parts.actuators[..number].contains(name)
            || others.iter().any(|other| other.actuators.contains(name))
        {
            return Err(format!("actuator '{name}' is used by a transmission already"));
        }
    }
    let name = node.attribute("name").unwrap_or_default().to_owned();
    let line = line(node);
    Ok(TransmissionDescription { name, line, actuators: parts.actuators, joints: indices, kind: parts.kind })
}

/// A part that is not read and may change the motion: one with a number, a ratio or an offset, or one joint or actuator too many.
fn unread(node: Node<'_, '_>, kind: &Kind) -> Option<String> {
    const MEASURES: [&str; 3] = ["mechanicalReduction", "mechanical_reduction", "offset"];
    let unread = |element: Node<'_, '_>| {
        let (tag, parent) = (element.tag_name().name(), element.parent_element()?);
        let number = element.text().and_then(|text| text.trim().parse::<f64>().ok());
        let is_read = match tag {
            "motorTorqueConstant" | "pulsesPerRevolution" => true,
            "joint" if matches!(kind, Kind::Coupled { .. }) => true,
            "joint" | "actuator" => {
                child(parent, "joint") == Ok(element) || child(parent, "actuator") == Ok(element)
            }
            "mechanicalReduction" => number == kind.reduction(),
            "offset" if parent.has_tag_name("actuator") => number == Some(0.0),
            "offset" => number == Some(kind.offset()),
            _ => number.is_none() && !MEASURES.contains(&tag),
        };
        let has_measures = matches!(tag, "transmission" | "joint" | "actuator");
        let mut attributes = element.attributes().map(|one| one.name());
        let attribute = attributes.find(|name| has_measures && MEASURES.contains(name));
        let attribute = attribute.map(|name| format!("{name} of {}", describe(element)));
        attribute.or_else(|| (!is_read).then(|| describe(element)))
    };
    node.descendants().filter(Node::is_element).find_map(unread)
}

struct Parts {
    actuators: Vec<String>,
    joints: Vec<String>,
    kind: Kind,
}

fn name(node: Node<'_, '_>, tag: &'static str) -> Result<String, DescriptionError> {
    Ok(required(child(node, tag)?, "name")?.to_owned())
}

fn names(node: Node<'_, '_>, tag: &'static str) -> Result<Vec<String>, DescriptionError> {
    let elements = node.children().filter(|child| child.has_tag_name(tag));
    elements.map(|element| Ok(required(element, "name")?.to_owned())).collect()
}

/// A number that divides.
fn divisor(node: Node<'_, '_>, attribute: &'static str, found: &str) -> Result<f64, DescriptionError> {
    let number = parse(node, attribute, found, FINITE)?;
    if number != 0.0 {
        Ok(number)
    } else {
        Err(not_in(node, attribute, found, "a finite number other than 0"))
    }
}

fn reduction(node: Node<'_, '_>, attribute: &'static str) -> Result<f64, DescriptionError> {
    divisor(node, attribute, required(node, attribute)?)
}

/// The reduction of a transmission, the text of `element`.
fn ratio(node: Node<'_, '_>, element: Node<'_, '_>) -> Result<f64, DescriptionError> {
    divisor(node, "mechanicalReduction", element.text().unwrap_or_default())
}

fn simple(node: Node<'_, '_>) -> Result<Parts, DescriptionError> {
    let (mut joints, actuator) = (vec![name(node, "joint")?], child(node, "actuator")?);
    // Older descriptions have it under the transmission, newer ones under the actuator or the joint.
    let places = [actuator, child(node, "joint")?, node];
    let element = |tag| places.into_iter().find_map(|place| child(place, tag).ok());
    let offset = element("offset")
        .map_or(Ok(0.0), |element| parse(node, "offset", element.text().unwrap_or_default(), FINITE))?;
    let reduction = match element("mechanicalReduction") {
        // ros2_control writes the type as an element and has this default; pr2_mechanism has none.
        None if text(node, "type").is_none() => 1.0,
        found => ratio(node, found.map_or_else(|| child(node, "mechanicalReduction"), Ok)?)?,
    };
    let simulated = child(node, "simulated_actuated_joint").ok();
    joints.extend(simulated.map(|joint| required(joint, "name").map(str::to_owned)).transpose()?);
    let simulated_reduction =
        simulated.map(|joint| self::reduction(joint, "simulated_reduction")).transpose()?;
    let kind = Kind::Simple { reduction, offset, simulated_reduction };
    Ok(Parts { actuators: vec![required(actuator, "name")?.to_owned()], joints, kind })
}

fn wrist(node: Node<'_, '_>) -> Result<Parts, DescriptionError> {
    let tags = (["rightActuator", "leftActuator"], ["flexJoint", "rollJoint"]);
    let ratio = |tag| reduction(child(node, tag)?, "mechanicalReduction");
    let offset = |tag| number_or(child(node, tag)?, "offset", FINITE, 0.0);
    let (actuators, joints) = tags;
    let ratios = WristRatios {
        actuators: [ratio(actuators[0])?, ratio(actuators[1])?],
        joints: [ratio(joints[0])?, ratio(joints[1])?],
        offsets: [offset(joints[0])?, offset(joints[1])?],
    };
    let names = |[one, other]: [&'static str; 2]| Ok(vec![name(node, one)?, name(node, other)?]);
    Ok(Parts { actuators: names(actuators)?, joints: names(joints)?, kind: Kind::Wrist(ratios) })
}

fn belt(node: Node<'_, '_>) -> Result<Parts, DescriptionError> {
    const NOT_NEGATIVE: [f64; 2] = [0.0, f64::MAX];
    const POSITIVE: [f64; 2] = [1e-9, 1e9];
    let (element, belt) = (child(node, "mechanicalReduction")?, child(node, "compensator")?);
    let compensator = Compensator {
        k_belt: number(belt, "k_belt", NOT_NEGATIVE)?,
        mass_motor: number(belt, "mass_motor", NOT_NEGATIVE)?,
        kd_motor: number(belt, "kd_motor", NOT_NEGATIVE)?,
        lambda_motor: number(belt, "lambda_motor", NOT_NEGATIVE)?,
        lambda_joint: number(belt, "lambda_joint", POSITIVE)?,
        lambda_combined: number(belt, "lambda_combined", NOT_NEGATIVE)?,
    };
    let kind = Kind::Belt { reduction: ratio(node, element)?, compensator };
    Ok(Parts { actuators: vec![name(node, "actuator")?], joints: vec![name(node, "joint")?], kind })
}

fn gripper(node: Node<'_, '_>) -> Result<Parts, DescriptionError> {
    const LENGTH: [f64; 2] = [1e-6, 1e6];
    let gap = child(node, "gap_joint")?;
    let any = |attribute| number(gap, attribute, FINITE);
    let length = |attribute| number(gap, attribute, LENGTH);
    let geometry = GripperGeometry {
        reduction: reduction(gap, "mechanical_reduction")?,
        gear_ratio: reduction(gap, "gear_ratio")?,
        screw_reduction: reduction(gap, "screw_reduction")?,
        a: length("a")?,
        b: length("b")?,
        h: any("h")?,
        length: any("L0")?,
        radius: length("r")?,
        half_gap: any("t0")?,
        theta: any("theta0")?,
        phi: any("phi0")?,
    };
    let (mut joints, fingers) = (vec![required(gap, "name")?.to_owned()], names(node, "passive_joint")?);
    let kind = Kind::Gripper { fingers: fingers.len(), geometry: Box::new(geometry) };
    joints.extend(fingers);
    for simulated in node.children().filter(|child| child.has_tag_name("simulated_actuated_joint")) {
        joints.push(required(simulated, "name")?.to_owned());
        joints.extend(text(simulated, "passive_actuated_joint").map(str::to_owned));
    }
    Ok(Parts { actuators: vec![name(node, "actuator")?], joints, kind })
}

/// A motor and the joints of its finger: the first is moved, the others follow.
fn coupled(node: Node<'_, '_>) -> Result<Parts, DescriptionError> {
    let reduction = ratio(node, child(node, "mechanicalReduction")?)?;
    let (mut joints, mut couplings) = (Vec::new(), Vec::new());
    for joint in node.children().filter(|child| child.has_tag_name("joint")) {
        joints.push(required(joint, "name")?.to_owned());
        let found = required(joint, "coupling")?;
        let numbers: Result<Vec<f64>, _> = found.split_whitespace().map(str::parse).collect();
        let coupling = numbers.ok().and_then(|numbers| Coupling::new(&numbers));
        // Only the first one determines where the motor is.
        let is_usable = |coupling: &Coupling| !couplings.is_empty() || coupling.is_invertible();
        let rule = if couplings.is_empty() { ", all slopes of one sign and none of them 0" } else { "" };
        let range =
            || format!("a slope, then angle and slope of up to {MAX_KNEES} knees in ascending order{rule}");
        let coupling = coupling.filter(is_usable);
        couplings.push(coupling.ok_or_else(|| not_in(joint, "coupling", found, range()))?);
    }
    if joints.is_empty() {
        child(node, "joint")?;
    }
    let kind = Kind::Coupled { reduction, couplings };
    Ok(Parts { actuators: vec![name(node, "actuator")?], joints, kind })
}
