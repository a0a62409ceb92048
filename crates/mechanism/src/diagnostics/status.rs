use safety::Level;

use crate::Joint;
use crate::robot::JointLimits;

/// A warning about a running controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Concern {
    /// Summary in a few words.
    pub(crate) message: &'static str,
    /// Key and value of the status: the joint or the input that it is about.
    pub(crate) value: (&'static str, String),
}

/// A status of `/diagnostics`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// `Joint (pan)`, `Controller (pan_position)`; on the wire after the node's name.
    pub name: String,
    /// How bad it is.
    pub level: Level,
    /// Summary in a few words.
    pub message: &'static str,
    /// Keys and values, in the original's order.
    pub values: Vec<(&'static str, String)>,
}

impl Status {
    /// With further values, which the original does not have.
    pub(super) fn with<const N: usize>(mut self, values: [(&'static str, String); N]) -> Self {
        self.values.extend(values);
        self
    }

    /// With the limits of `joint`, and the running controllers of `moved` that move it.
    pub(super) fn with_limits(self, joint: &Joint, moved: &[(String, String)]) -> Self {
        let unit = joint.kind.unit();
        let ends = joint
            .end_stops()
            .map(|[lower, upper]| format!("{lower} to {upper} {unit}, "))
            .unwrap_or_default();
        let effort = if unit == "m" { "N" } else { "Nm" };
        let limits =
            |limits: JointLimits| format!("{ends}{} {unit}/s, {} {effort}", limits.velocity, limits.effort);
        let movers =
            moved.iter().filter(|(name, _)| *name == joint.name).map(|(_, controller)| controller.as_str());
        let movers: Vec<&str> = movers.collect();
        let limits = joint.limits.map_or_else(|| "none".to_owned(), limits);
        self.with([("Limits", limits), ("Commanded By", movers.join(", "))])
    }

    /// With the concerns of a running controller: the first one is its message, unless something worse is.
    pub(super) fn with_concerns<'a>(mut self, concerns: impl Iterator<Item = &'a Concern>) -> Self {
        for Concern { message, value } in concerns {
            if self.level == Level::Ok {
                (self.level, self.message) = (Level::Warn, *message);
            }
            self.values.push(value.clone());
        }
        self
    }
}
