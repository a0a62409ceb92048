use crate::{Fault, Process};

/// Parameters of a node, set at once, as text in YAML; an empty text deletes the entry.
pub type Parameters = &'static [(&'static str, &'static str)];

/// A change of parameters while the vehicle drives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The node.
    pub node: Process,
    /// The new values.
    pub set: Parameters,
    /// The old values.
    pub undo: Parameters,
    /// The required effect.
    pub effect: Effect,
}

/// The effect of a change of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It is refused, and the vehicle drives on.
    Refused,
    /// It takes effect, and the vehicle drives on.
    DrivesOn,
    /// The vehicle drives on at half speed.
    Slows,
    /// The driving source is lost: the vehicle brakes, and a zero command is needed.
    Loses,
    /// The stick counts as released: the button has to be pressed again.
    LetsGo,
    /// The stick has no effect until it has returned to rest.
    Rests,
}

/// The effect of a change, the new values and the old ones.
type Row = (Effect, Parameters, Parameters);

/// The changes of `table`, which are of one node.
pub(crate) fn changes(node: Process, table: &[Row]) -> impl Iterator<Item = Fault> {
    table.iter().map(move |&(effect, set, undo)| Fault::ParameterSet(Change { node, set, undo, effect }))
}

/// The changes of hindbrain's parameters: all that may change at run time.
pub(crate) const HINDBRAIN: &[Row] = &[
    (Effect::Refused, &[("accel", "40.0")], &[]),
    (Effect::Refused, &[("decel", "300.0")], &[]),
    (Effect::Refused, &[("cmd_timeout", "2.0")], &[]),
    (Effect::Refused, &[("estop.timeout", "1.0")], &[]),
    (Effect::Refused, &[("enable.lease", "0.1")], &[]),
    (Effect::Refused, &[("ir.near", "2.0")], &[]),
    (Effect::Refused, &[("ir.far", "0.5")], &[]),
    (Effect::Refused, &[("ir.timeout", "0.05")], &[]),
];

/// The changes of the zones' parameters: a change of the mode needs a zero command, as its description says.
pub(crate) const ZONES: &[Row] = &[
    (Effect::DrivesOn, &[("max_linear", "2.0")], &[("max_linear", "1.0")]),
    (Effect::DrivesOn, &[("scaling", "multiply")], &[("scaling", "limit")]),
    (Effect::DrivesOn, &[("keep_direction", "true")], &[("keep_direction", "false")]),
    (Effect::DrivesOn, &[("rise_time", "0.5")], &[("rise_time", "0.0")]),
    (
        Effect::DrivesOn,
        &[("scaling_timeout", "0.3"), ("command_timeout", "0.3")],
        &[("scaling_timeout", "0.5"), ("command_timeout", "0.5")],
    ),
    (Effect::Loses, &[("mode", "passthrough")], &[("mode", "apply")]),
    (Effect::Loses, &[("mode", "predict")], &[("mode", "apply")]),
];

/// The changes of the arbiter's limits, for any driver.
pub(crate) const LIMITS: &[Row] = &[
    (Effect::Slows, &[("limits.linear.x.max", "0.5")], &[("limits.linear.x.max", "1000000.0")]),
    (
        Effect::DrivesOn,
        &[("limits.linear.x.acceleration", "1.0")],
        &[("limits.linear.x.acceleration", "0.0")],
    ),
    (
        Effect::DrivesOn,
        &[("limits.linear.x.deceleration", "2.0"), ("limits.linear.x.emergency", "4.0")],
        &[("limits.linear.x.deceleration", "0.0"), ("limits.linear.x.emergency", "0.0")],
    ),
    (Effect::DrivesOn, &[("limits.linear.x.jerk", "5.0")], &[("limits.linear.x.jerk", "0.0")]),
    (
        Effect::DrivesOn,
        &[("limits.angular.z.min", "-0.1"), ("limits.angular.z.max", "0.1")],
        &[("limits.angular.z.min", "-1000000.0"), ("limits.angular.z.max", "1000000.0")],
    ),
];

/// The changes of the arbiter's sources and locks, while navigation drives.
pub(crate) const ARBITER: &[Row] = &[
    // The driving source is removed and added again.
    (
        Effect::Loses,
        &[("sources.navigation.topic", "")],
        &[
            ("sources.navigation.topic", "cmd_vel_smoothed"),
            ("sources.navigation.type", "twist_stamped"),
            ("sources.navigation.priority", "10"),
        ],
    ),
    // Its topic changes to one without a publisher.
    (
        Effect::Loses,
        &[("sources.navigation.topic", "elsewhere")],
        &[("sources.navigation.topic", "cmd_vel_smoothed")],
    ),
    // A lock without a publisher is added.
    (
        Effect::Loses,
        &[("locks.gate.topic", "gate"), ("locks.gate.priority", "250")],
        &[("locks.gate.topic", "")],
    ),
    (
        Effect::DrivesOn,
        &[("sources.field.topic", "field"), ("sources.field.priority", "60")],
        &[("sources.field.topic", "")],
    ),
    (
        Effect::DrivesOn,
        &[("sources.navigation.priority", "50"), ("sources.dock.priority", "10")],
        &[("sources.navigation.priority", "10"), ("sources.dock.priority", "50")],
    ),
    (Effect::DrivesOn, &[("sources.navigation.timeout", "0.3")], &[("sources.navigation.timeout", "0.5")]),
];

/// The changes of the joystick's parameters, while the stick drives; they do not affect a reference.
pub(crate) const JOYSTICK: &[Row] = &[
    (Effect::DrivesOn, &[("drag", "5.0")], &[("drag", "10.0")]),
    (Effect::DrivesOn, &[("slow", "2.0"), ("awmax", "5.0")], &[("slow", "4.0"), ("awmax", "10.0")]),
    (
        Effect::DrivesOn,
        &[("linear.x.dead_zone", "0.2"), ("linear.x.curve", "2.0"), ("joy.dead_zone", "0.2")],
        &[("linear.x.dead_zone", "0.0"), ("linear.x.curve", "1.0"), ("joy.dead_zone", "0.05")],
    ),
    (Effect::Slows, &[("amax", "5.0")], &[("amax", "10.0")]),
    (Effect::Slows, &[("linear.x.scale", "-0.5")], &[("linear.x.scale", "-1.0")]),
    (Effect::Rests, &[("linear.x.axis", "2")], &[("linear.x.axis", "1")]),
    (Effect::LetsGo, &[("enable.on", "4")], &[("enable.on", "5")]),
];

impl Change {
    /// Whether it changes a limit of the arbiter.
    pub(crate) fn is_of_limits(&self) -> bool {
        self.set.iter().any(|(name, _)| name.starts_with("limits."))
    }

    /// Whether it shortens a time-out, so late messages are dropped.
    pub(crate) fn is_of_time(&self) -> bool {
        self.set.iter().any(|(name, _)| name.ends_with("timeout"))
    }
}
