use roxmltree::Node;
use safety::Coupling;

use crate::description::transmission::Kind;
use crate::description::xml::{child, line};
use crate::description::{JointDescription, TransmissionDescription};
use crate::robot::{Joint, JointKind, JointLimits, SafetyController, joint_of, strength};

/// A part of the description that is valid but probably a mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {part}: {text}")]
pub struct UrdfWarning {
    /// The part: `transmission 'pan'`.
    pub part: String,
    /// The line of its element, from 1.
    pub line: u32,
    /// The probable mistake, in words.
    pub text: String,
}

/// The warnings about `transmission`, which `node` is; `others` come before it.
pub(super) fn warnings(
    node: Node<'_, '_>,
    transmission: &TransmissionDescription,
    others: &[TransmissionDescription],
) -> Vec<UrdfWarning> {
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
    let warning = |text| UrdfWarning { part: format!("transmission '{name}'"), line: line(node), text };
    texts.into_iter().map(warning).collect()
}

/// The warning about the calibration of `joint`, which `node` is, if there is one.
pub(super) fn of_calibration(node: Node<'_, '_>, joint: &JointDescription) -> Option<UrdfWarning> {
    let edges = joint.calibration;
    let has_both = edges.rising.is_some() && edges.falling.is_some();
    (has_both && joint.kind != Some(JointKind::Continuous)).then(|| UrdfWarning {
        part: format!("joint '{}'", joint.name),
        line: line(node),
        text: "its <calibration> has both edges, and only rising counts: a joint with end stops has one"
            .into(),
    })
}

/// A joint that has less than this part of its effort at rest hardly moves.
const LEAST_STRENGTH: f64 = 0.01;

/// The warnings about the limits of `joint`, which `node` is and controllers can move: no controller can, or a limit has no effect.
pub(super) fn of_limits(node: Node<'_, '_>, joint: &JointDescription) -> Vec<UrdfWarning> {
    let texts = joint_of(joint).map_or_else(Vec::new, |joint| limit_texts(&joint));
    let warning = |text| UrdfWarning { part: format!("joint '{}'", joint.name), line: line(node), text };
    texts.into_iter().map(warning).collect()
}

/// The warnings about the limits of joints that follow the first one of `transmission`, which `node` is: that one's limits let them go
/// beyond their own, and nothing else holds them.
pub(super) fn of_followers(
    node: Node<'_, '_>,
    transmission: &TransmissionDescription,
    joints: &[JointDescription],
) -> Vec<UrdfWarning> {
    let Kind::Coupled { couplings, .. } = &transmission.kind else { return Vec::new() };
    let mut coupled = transmission.joints.iter().filter_map(|index| joints.get(*index)).zip(couplings);
    let Some((leader, leading)) = coupled.next() else { return Vec::new() };
    let led = leader.limits.filter(|limits| limits.lower < limits.upper);
    let [from, to] = led.map_or([f64::NEG_INFINITY, f64::INFINITY], |limits| {
        let [one, other] = [limits.lower, limits.upper].map(|angle| leading.drive(angle));
        [one.min(other), one.max(other)]
    });
    let speed = leader.limits.map_or(f64::INFINITY, |limits| limits.velocity);
    let warning = |(joint, coupling): (&JointDescription, &Coupling)| {
        let limits = joint.limits?;
        let knees = coupling.knees().iter().chain(leading.knees()).map(|(knee, _)| *knee);
        let drives: Vec<f64> = knees.filter(|knee| (from..=to).contains(knee)).chain([from, to]).collect();
        let places = drives.iter().map(|drive| coupling.angle(*drive));
        let reach = places.fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], place| {
            [least.min(place), most.max(place)]
        });
        let fastest = speed * coupling.steepest() / leading.steepest();
        let is_beyond = |value: f64, end: f64| value > end + 1e-6 * end.abs().max(1.0);
        let has_range = joint.kind != Some(JointKind::Continuous) && limits.lower < limits.upper;
        let mut beyond = Vec::new();
        if has_range && (is_beyond(reach[1], limits.upper) || is_beyond(-reach[0], -limits.lower)) {
            let [least, most] = reach;
            beyond.push(format!("{least:.4} to {most:.4}, beyond {} to {}", limits.lower, limits.upper));
        }
        if is_beyond(fastest, limits.velocity) {
            beyond.push(format!("the speed {fastest:.4}, beyond {}", limits.velocity));
        }
        let text = format!(
            "joint '{}' follows '{}', whose limits let it reach {}: nothing else holds it",
            joint.name,
            leader.name,
            beyond.join(", and ")
        );
        let part = format!("transmission '{}'", transmission.name);
        (!beyond.is_empty()).then_some(UrdfWarning { part, line: line(node), text })
    };
    coupled.filter_map(warning).collect()
}

fn limit_texts(joint: &Joint) -> Vec<String> {
    let Some(limits) = joint.limits else {
        let text = "its <safety_controller> has no effect: it has no <limit>";
        return joint.safety.iter().map(|_| text.to_owned()).collect();
    };
    let strength = strength(joint);
    let has_positions = joint.kind != JointKind::Continuous;
    if strength <= 0.0 {
        return vec![format!("no controller can move it: {}", cause(joint, limits))];
    }
    let mut texts = Vec::new();
    if strength < LEAST_STRENGTH * limits.effort {
        let unit = if joint.kind == JointKind::Prismatic { "N" } else { "Nm" };
        let values = values(limits, joint.safety);
        texts.push(format!(
            "its limits leave it {strength} {unit} at rest, less than 1 % of its effort: {values}"
        ));
    }
    let JointLimits { lower, upper, .. } = limits;
    match joint.safety.filter(|_| has_positions) {
        Some(soft) => {
            let ends = joint.end_stops();
            if let Some([_, upper]) = ends.filter(|ends| soft.soft_upper_limit > ends[1]) {
                let soft = soft.soft_upper_limit;
                texts.push(format!("its soft_upper_limit is {soft}, beyond its upper limit {upper}: nothing slows it before that"));
            }
            if let Some([lower, _]) = ends.filter(|ends| soft.soft_lower_limit < ends[0]) {
                let soft = soft.soft_lower_limit;
                texts.push(format!("its soft_lower_limit is {soft}, beyond its lower limit {lower}: nothing slows it before that"));
            }
        }
        None if has_positions && lower == upper => texts.push(format!(
            "lower and upper of its <limit> are both {lower}, which is no range: its position is not limited"
        )),
        None => {}
    }
    texts
}

/// Why the limits admit no effort.
fn cause(joint: &Joint, limits: JointLimits) -> String {
    let safety = joint.safety.map(|safety| {
        let slope = (joint.kind != JointKind::Continuous).then_some(("k_position", safety.k_position));
        [Some(("k_velocity", safety.k_velocity)), slope]
    });
    let limit = [Some(("effort", limits.effort)), Some(("velocity", limits.velocity))];
    let zeros = |element: &str, named: &[Option<(&str, f64)>]| -> Vec<String> {
        let zeros = named.iter().flatten().filter(|(_, value)| *value == 0.0);
        zeros.map(|(name, _)| format!("{name} of its <{element}> is 0")).collect()
    };
    let of_safety = safety.map_or_else(Vec::new, |named| zeros("safety_controller", &named));
    let zeros = [zeros("limit", &limit), of_safety].concat();
    if zeros.is_empty() { values(limits, joint.safety) } else { zeros.join(", ") }
}

/// All that the law of the limits has.
fn values(limits: JointLimits, safety: Option<SafetyController>) -> String {
    let JointLimits { effort, velocity, lower, upper } = limits;
    let limit = format!("effort {effort}, velocity {velocity}, lower {lower}, upper {upper}");
    let soft = |safety: SafetyController| {
        let SafetyController { k_position, k_velocity, soft_lower_limit, soft_upper_limit } = safety;
        format!(
            "; k_position {k_position}, k_velocity {k_velocity}, soft_lower_limit {soft_lower_limit}, soft_upper_limit {soft_upper_limit}"
        )
    };
    limit + &safety.map(soft).unwrap_or_default()
}
