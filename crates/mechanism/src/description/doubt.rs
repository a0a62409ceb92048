use core::fmt;

use roxmltree::Node;

use crate::description::xml::{child, line};
use crate::description::{JointDescription, TransmissionDescription};
use crate::robot::JointKind;

/// Something that is used, and hardly meant so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The part: `transmission 'pan'`.
    pub part: String,
    /// The line of its element, from 1.
    pub line: u32,
    /// What it is.
    pub text: String,
}

/// The doubts about `transmission`, which `node` is; `others` come before it.
pub(super) fn doubts(
    node: Node<'_, '_>,
    transmission: &TransmissionDescription,
    others: &[TransmissionDescription],
) -> Vec<Doubt> {
    let mut texts = Vec::new();
    let name = &transmission.name;
    if let Some(other) = others.iter().find(|other| !name.is_empty() && other.name == *name) {
        texts.push(format!("another one has this name, in line {}", other.line));
    }
    let parts: Vec<_> = ["joint", "actuator"].into_iter().filter_map(|tag| child(node, tag).ok()).collect();
    let interfaces = parts.iter().flat_map(|part| part.children());
    let interfaces = interfaces.filter(|node| node.has_tag_name("hardwareInterface"));
    let mut found: Vec<&str> = interfaces.filter_map(|node| node.text()).map(str::trim).collect();
    found.dedup();
    for interface in found {
        if interface.rsplit('/').next() != Some("EffortJointInterface") {
            texts.push(format!(
                "its hardwareInterface is '{interface}', should be EffortJointInterface: it is moved by efforts"
            ));
        }
    }
    let has_reduction = |node: &Node<'_, '_>| child(*node, "mechanicalReduction").is_ok();
    if transmission.is_simple() && !has_reduction(&node) && !parts.iter().any(has_reduction) {
        texts.push("it has no <mechanicalReduction>, which counts as 1".to_owned());
    }
    let doubt = |text| Doubt { part: format!("transmission '{name}'"), line: line(node), text };
    texts.into_iter().map(doubt).collect()
}

/// The doubt about the calibration of `joint`, which `node` is, if there is one.
pub(super) fn of_calibration(node: Node<'_, '_>, joint: &JointDescription) -> Option<Doubt> {
    let edges = joint.calibration;
    let has_both = edges.rising.is_some() && edges.falling.is_some();
    (has_both && joint.kind != Some(JointKind::Continuous)).then(|| Doubt {
        part: format!("joint '{}'", joint.name),
        line: line(node),
        text: "its <calibration> has both edges, and only rising counts: a joint with end stops has one"
            .into(),
    })
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: {}", self.line, self.part, self.text)
    }
}
