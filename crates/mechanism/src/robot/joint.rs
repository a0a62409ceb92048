use core::fmt;

use crate::robot::limits::{EffortInterval, SpeedInterval};
use crate::robot::statistics::JointStatistics;

/// A joint as controllers see it: they read its state and write [`commanded_effort`](Joint::commanded_effort).
///
/// # Source
/// `pr2_mechanism_model` 1.8.21, `JointState`.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its unique name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The limits of the description, if it has any.
    pub limits: Option<JointLimits>,
    /// The safety controller of the description, if it has one.
    pub safety: Option<SafetyController>,
    /// The positions at which the calibration sensor changes \[rad or m\].
    pub calibration: CalibrationEdges,
    /// \[rad or m\]
    pub position: f64,
    /// \[rad/s or m/s\]
    pub velocity: f64,
    /// The effort that the actuators measured \[Nm or N\].
    pub measured_effort: f64,
    /// The effort that controllers command \[Nm or N\]. It is zero at the start of each step; the last writer decides.
    pub commanded_effort: f64,
    /// Whether the position is absolute.
    pub is_calibrated: bool,
    /// The position at which the actuators' position is zero \[rad or m\]: the offset of a simple transmission, until a calibration.
    pub reference_position: f64,
    /// Extremes and counts since the start or since the last report.
    pub statistics: JointStatistics,
}

/// How a joint moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// It turns between two limits.
    Revolute,
    /// It turns without limits.
    Continuous,
    /// It slides between two limits.
    Prismatic,
}

/// The limits of a joint: `<limit>` of a URDF.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointLimits {
    /// The maximum effort \[Nm or N\], 0 or more.
    pub effort: f64,
    /// The maximum speed \[rad/s or m/s\], 0 or more.
    pub velocity: f64,
    /// The lower end stop \[rad or m\].
    pub lower: f64,
    /// The upper end stop \[rad or m\].
    pub upper: f64,
}

/// The soft limits of a joint: `<safety_controller>` of a URDF.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SafetyController {
    /// The slope of the admitted speed before a soft limit \[1/s\], 0 or more.
    pub k_position: f64,
    /// The slope of the admitted effort before the admitted speed \[Nms/rad or Ns/m\], 0 or more.
    pub k_velocity: f64,
    /// \[rad or m\]
    pub soft_lower_limit: f64,
    /// \[rad or m\]
    pub soft_upper_limit: f64,
}

/// The positions of a joint at which its calibration sensor changes: `<calibration>` of a URDF.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CalibrationEdges {
    /// Where the sensor changes to high as the position grows \[rad or m\].
    pub rising: Option<f64>,
    /// Where the sensor changes to low as the position grows \[rad or m\].
    pub falling: Option<f64>,
}

impl CalibrationEdges {
    /// The rising edge, or the falling one if there is no other.
    pub fn first(&self) -> Option<f64> {
        self.rising.or(self.falling)
    }
}

impl Joint {
    /// A joint at zero without limits.
    pub fn new(name: impl Into<String>, kind: JointKind) -> Self {
        Self {
            name: name.into(),
            kind,
            limits: None,
            safety: None,
            calibration: CalibrationEdges::default(),
            position: 0.0,
            velocity: 0.0,
            measured_effort: 0.0,
            commanded_effort: 0.0,
            is_calibrated: false,
            reference_position: 0.0,
            statistics: JointStatistics::default(),
        }
    }

    /// The end stops \[rad or m\]: `lower` and `upper`, if it is not continuous and they are not the same number, as where a
    /// description states neither.
    pub fn end_stops(&self) -> Option<[f64; 2]> {
        let limits =
            self.limits.filter(|limits| self.kind != JointKind::Continuous && limits.lower < limits.upper);
        limits.map(|limits| [limits.lower, limits.upper])
    }

    /// The lowest and the highest position that it can be asked for \[rad or m\]: its end stops, within the soft limits where a
    /// safety controller acts on them; `None` without end stops. Soft limits that lie all beyond an end stop do not count.
    pub fn range(&self) -> Option<[f64; 2]> {
        let [lowest, highest] = self.end_stops()?;
        let soft = self
            .safety
            .filter(|safety| safety.k_position > 0.0 && safety.soft_lower_limit < safety.soft_upper_limit);
        let soft = soft.map(|soft| [soft.soft_lower_limit.max(lowest), soft.soft_upper_limit.min(highest)]);
        Some(soft.filter(|[lower, upper]| lower < upper).unwrap_or([lowest, highest]))
    }

    /// The speed nearest to `speed` at which it may be moved where it is \[rad/s or m/s\]: within its limit of speed, lower before the
    /// limits of its position, and 0 beyond them; any without limits. What is not a number stays so.
    pub fn admitted_speed(&self, speed: f64) -> f64 {
        SpeedInterval::of(self).map_or(speed, |speeds| speeds.clamp(speed))
    }

    /// `effort` within ± its limit of effort \[Nm or N\]; any without limits. What is not a number stays so.
    pub fn admitted_effort(&self, effort: f64) -> f64 {
        let limits = self.limits.filter(|limits| effort.abs() > limits.effort);
        limits.map_or(effort, |limits| limits.effort.copysign(effort))
    }

    /// Takes the state of `other`, the same joint elsewhere, without its name.
    /// # Real-time
    /// It allocates nothing.
    pub(crate) fn copy_state(&mut self, other: &Self) {
        self.position = other.position;
        self.velocity = other.velocity;
        self.measured_effort = other.measured_effort;
        self.commanded_effort = other.commanded_effort;
        self.is_calibrated = other.is_calibrated;
        self.reference_position = other.reference_position;
        self.statistics = other.statistics;
    }

    /// Replaces a commanded effort that is not finite by zero, counts it, and returns whether it did.
    ///
    /// # Source
    /// own: in pr2_mechanism NaN passes through to the motor.
    pub fn drop_invalid_command(&mut self) -> bool {
        let is_invalid = !self.commanded_effort.is_finite();
        if is_invalid {
            self.commanded_effort = 0.0;
            self.statistics.invalid_commands = self.statistics.invalid_commands.saturating_add(1);
        }
        is_invalid
    }

    /// Limits the commanded effort to what its limits admit, whatever moves it and whatever hardware it has. A safety
    /// controller brakes without any controller; nothing here moves a joint that rests.
    ///
    /// A command that is not finite counts as zero. A state that is not finite admits no effort at all.
    pub fn enforce_limits(&mut self) {
        self.drop_invalid_command();
        let admitted = EffortInterval::of(self).clamp(self.commanded_effort);
        if admitted != self.commanded_effort {
            self.statistics.has_violated_limits = true;
        }
        self.commanded_effort = admitted;
    }
}

impl JointKind {
    /// The unit of its position.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Revolute | Self::Continuous => "rad",
            Self::Prismatic => "m",
        }
    }
}

impl fmt::Display for JointKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Revolute => "revolute",
            Self::Continuous => "continuous",
            Self::Prismatic => "prismatic",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_that_of_the_end_stops_within_the_soft_limits_that_act() {
        let mut joint = Joint::new("pan", JointKind::Revolute);
        assert_eq!(joint.range(), None);
        joint.limits = Some(JointLimits { lower: -1.0, upper: 2.0, ..JointLimits::default() });
        assert_eq!(joint.range(), Some([-1.0, 2.0]));
        let soft = |k_position, soft_lower_limit, soft_upper_limit| {
            Some(SafetyController { k_position, k_velocity: 1.0, soft_lower_limit, soft_upper_limit })
        };
        joint.safety = soft(10.0, -0.5, 1.5);
        assert_eq!(joint.range(), Some([-0.5, 1.5]));
        joint.safety = soft(10.0, -3.0, 1.5);
        assert_eq!(joint.range(), Some([-1.0, 1.5]), "no soft limit is beyond an end stop");
        joint.safety = soft(0.0, -0.5, 1.5);
        assert_eq!(joint.range(), Some([-1.0, 2.0]), "it only damps");
        joint.safety = soft(10.0, 3.0, 4.0);
        assert_eq!(joint.range(), Some([-1.0, 2.0]), "the end stops hold all the same");
        joint.kind = JointKind::Continuous;
        assert_eq!(joint.range(), None);
    }
}
