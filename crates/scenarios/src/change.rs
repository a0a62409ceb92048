use core::fmt;

use crate::Process;

/// Parameters of a node that are set while the vehicle drives, all at once, as text in YAML; without one the entry is deleted.
type Parameters = &'static [(&'static str, &'static str)];

/// A change of parameters while the vehicle drives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Whose parameters.
    pub node: Process,
    /// What they become.
    pub set: Parameters,
    /// What they were.
    pub undo: Parameters,
    /// What must come of it.
    pub effect: Effect,
}

/// What comes of a change of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is refused, and the vehicle drives on.
    Refused,
    /// It acts, and the vehicle drives on.
    DrivesOn,
    /// Who drove is lost: the vehicle brakes, and a zero is asked for.
    Loses,
}

const fn of_hindbrain(set: Parameters) -> Change {
    Change { node: Process::Hindbrain, set, undo: &[], effect: Effect::Refused }
}

const fn of_zones(effect: Effect, set: Parameters, undo: Parameters) -> Change {
    Change { node: Process::Zones, set, undo, effect }
}

const fn of_arbiter(effect: Effect, set: Parameters, undo: Parameters) -> Change {
    Change { node: Process::Arbiter, set, undo, effect }
}

/// Those of hindbrain.
pub(crate) const HINDBRAIN: [Change; 4] = [
    of_hindbrain(&[("accel", "40.0")]),
    of_hindbrain(&[("decel", "300.0")]),
    of_hindbrain(&[("cmd_timeout", "2.0")]),
    of_hindbrain(&[("estop.timeout", "1.0")]),
];

/// Those of the zones: a change of the mode asks for a zero, as its description says.
pub(crate) const ZONES: [Change; 7] = [
    of_zones(Effect::DrivesOn, &[("max_linear", "2.0")], &[("max_linear", "1.0")]),
    of_zones(Effect::DrivesOn, &[("scaling", "multiply")], &[("scaling", "limit")]),
    of_zones(Effect::DrivesOn, &[("keep_direction", "true")], &[("keep_direction", "false")]),
    of_zones(Effect::DrivesOn, &[("rise_time", "0.5")], &[("rise_time", "0.0")]),
    of_zones(
        Effect::DrivesOn,
        &[("scaling_timeout", "0.3"), ("command_timeout", "0.3")],
        &[("scaling_timeout", "0.5"), ("command_timeout", "0.5")],
    ),
    of_zones(Effect::Loses, &[("mode", "passthrough")], &[("mode", "apply")]),
    of_zones(Effect::Loses, &[("mode", "predict")], &[("mode", "apply")]),
];

/// Those of the arbiter, while navigation drives.
pub(crate) const ARBITER: [Change; 6] = [
    // Who drives goes, and comes back.
    of_arbiter(
        Effect::Loses,
        &[("sources.navigation.topic", "")],
        &[
            ("sources.navigation.topic", "cmd_vel_smoothed"),
            ("sources.navigation.type", "twist_stamped"),
            ("sources.navigation.priority", "10"),
        ],
    ),
    // It gets another topic, on which nobody speaks.
    of_arbiter(
        Effect::Loses,
        &[("sources.navigation.topic", "elsewhere")],
        &[("sources.navigation.topic", "cmd_vel_smoothed")],
    ),
    // A lock that nobody opens is there.
    of_arbiter(
        Effect::Loses,
        &[("locks.gate.topic", "gate"), ("locks.gate.priority", "250")],
        &[("locks.gate.topic", "")],
    ),
    of_arbiter(
        Effect::DrivesOn,
        &[("sources.field.topic", "field"), ("sources.field.priority", "60")],
        &[("sources.field.topic", "")],
    ),
    of_arbiter(
        Effect::DrivesOn,
        &[("sources.navigation.priority", "50"), ("sources.dock.priority", "10")],
        &[("sources.navigation.priority", "10"), ("sources.dock.priority", "50")],
    ),
    of_arbiter(
        Effect::DrivesOn,
        &[("sources.navigation.timeout", "0.3")],
        &[("sources.navigation.timeout", "0.5")],
    ),
];

/// `node=... set=name:value,... undo=name:value,... effect=...`
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, set, undo, effect } = self;
        let effect = match effect {
            Effect::Refused => "refused",
            Effect::DrivesOn => "drives_on",
            Effect::Loses => "loses",
        };
        let text = |parameters: Parameters| {
            let texts: Vec<String> =
                parameters.iter().map(|(name, value)| format!("{name}:{value}")).collect();
            texts.join(",")
        };
        write!(f, "node={node} set={} undo={} effect={effect}", text(set), text(undo))
    }
}
