use core::fmt;

/// A joint of `config/urdf/arm.urdf`, in the order of `joint_states`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joint {
    /// Turns the head, counter-clockwise from above.
    Pan,
    /// Lowers the arm.
    Tilt,
}

impl Joint {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Pan, Self::Tilt];

    /// The name in the robot's description.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pan => "pan",
            Self::Tilt => "tilt",
        }
    }

    /// Its soft limits \[rad\], within which the demo commands positions.
    pub const fn soft_limits(self) -> [f64; 2] {
        match self {
            Self::Pan => [-2.857, 2.857],
            Self::Tilt => [-0.3712, 1.29626],
        }
    }
}

/// A controller of `config/arm.yaml`, in the order of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)] // they are the file's
pub enum Controller {
    PanEffort,
    PanPosition,
    TiltPosition,
    PanVelocity,
    ArmTrajectory,
}

/// Quantity that a controller controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // they are what they are
pub enum Quantity {
    Position,
    Velocity,
    Effort,
}

impl Quantity {
    /// Its name and its unit.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Position => ("position", "rad"),
            Self::Velocity => ("velocity", "rad/s"),
            Self::Effort => ("effort", "Nm"),
        }
    }
}

impl Controller {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::PanEffort, Self::PanPosition, Self::TiltPosition, Self::PanVelocity, Self::ArmTrajectory];

    /// Its name, the quantity that it controls, and the joints that it moves.
    const fn row(self) -> (&'static str, Quantity, &'static [Joint]) {
        match self {
            Self::PanEffort => ("pan_effort", Quantity::Effort, &[Joint::Pan]),
            Self::PanPosition => ("pan_position", Quantity::Position, &[Joint::Pan]),
            Self::TiltPosition => ("tilt_position", Quantity::Position, &[Joint::Tilt]),
            Self::PanVelocity => ("pan_velocity", Quantity::Velocity, &[Joint::Pan]),
            Self::ArmTrajectory => ("arm_trajectory", Quantity::Position, &Joint::ALL),
        }
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// The controller of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|controller| controller.name() == name)
    }

    /// Quantity that it controls.
    pub const fn quantity(self) -> Quantity {
        self.row().1
    }

    /// Whether it moves `joint`.
    pub fn moves(self, joint: Joint) -> bool {
        self.row().2.contains(&joint)
    }

    /// Whether both move the same joint.
    pub fn conflicts(self, other: Self) -> bool {
        self != other && Joint::ALL.into_iter().any(|joint| self.moves(joint) && other.moves(joint))
    }
}

impl fmt::Display for Controller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The measured state of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointState {
    /// In rad.
    pub position: f64,
    /// In rad/s.
    pub velocity: f64,
    /// In Nm.
    pub effort: f64,
}

impl JointState {
    /// The value of a quantity.
    pub const fn of(self, quantity: Quantity) -> f64 {
        match quantity {
            Quantity::Position => self.position,
            Quantity::Velocity => self.velocity,
            Quantity::Effort => self.effort,
        }
    }
}

/// A controller as the node lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Whether it runs.
    pub is_running: bool,
}

/// Whether `controller` runs by this list.
pub fn runs(list: &[Listed], controller: Controller) -> bool {
    list.iter().any(|listed| listed.is_running && listed.name == controller.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/arm.yaml"));
    const URDF: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/urdf/arm.urdf"));

    #[test]
    fn the_controllers_are_those_of_the_file() {
        for controller in Controller::ALL {
            assert_eq!(Controller::named(controller.name()), Some(controller));
            assert!(CONFIG.contains(&format!("\n    {controller}:\n      type: ")), "{controller}");
        }
        assert_eq!(CONFIG.matches("type: steersman/").count(), Controller::ALL.len());
    }

    #[test]
    fn the_limits_are_those_of_the_description() {
        for joint in Joint::ALL {
            let [lower, upper] = joint.soft_limits();
            let limits = format!("soft_lower_limit=\"{lower}\" soft_upper_limit=\"{upper}\"");
            let (_, after) = URDF.split_once(&format!("<joint name=\"{}\" type", joint.name())).unwrap();
            let (own, _) = after.split_once("</joint>").unwrap();
            assert!(own.contains(&limits), "{limits}");
        }
    }

    #[test]
    fn controllers_of_one_joint_conflict() {
        assert!(Controller::PanEffort.conflicts(Controller::PanVelocity));
        assert!(Controller::ArmTrajectory.conflicts(Controller::TiltPosition));
        assert!(!Controller::PanPosition.conflicts(Controller::TiltPosition));
        assert!(!Controller::PanPosition.conflicts(Controller::PanPosition));
    }
}
