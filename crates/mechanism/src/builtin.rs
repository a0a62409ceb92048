mod several;
mod single;

use params::{Parameter, Set, Specification, Value};

use crate::Robot;
use crate::controllers::Controller;
use crate::laws::Gains;
use crate::standard::{Calibration, DiffDrive, Gripper};

/// A type of controller that this program has itself.
#[derive(Clone, Copy, Debug)]
pub struct BuiltinType {
    /// Its name: `steersman/JointPositionController`.
    pub name: &'static str,
    /// Its parameters.
    pub specification: fn() -> Specification,
    create: fn(&Robot, &Set) -> Result<Setup, String>,
}

/// A controller as its type makes it.
pub struct Setup {
    /// The controller.
    pub controller: Box<dyn Controller>,
    /// Its joints, in the order of its trajectories and of the states that it publishes.
    pub joints: Vec<String>,
    /// The frames of its odometry.
    pub frames: Frames,
    /// The joints that it moves, as far as that is known.
    pub moves: Vec<String>,
    /// Warnings for the log: parameter values that are allowed but probably a mistake.
    pub warnings: Vec<String>,
}

/// The frames of a vehicle's odometry.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// Where it began.
    pub odometry: String,
    /// The vehicle.
    pub base: String,
}

impl Setup {
    /// A controller that takes no trajectories, publishes no joint states and no odometry, and of which nothing else is known.
    pub fn of(controller: Box<dyn Controller>) -> Self {
        let (joints, frames, moves, warnings) = Default::default();
        Self { controller, joints, frames, moves, warnings }
    }

    /// A controller that moves `joints`.
    fn new(controller: impl Controller + 'static, joints: Vec<String>) -> Self {
        Self { moves: joints.clone(), joints, ..Self::of(Box::new(controller)) }
    }

    /// With the warnings of its law, whose gains are the parameters `named`.
    fn with_law(mut self, gains: Gains, named: &str) -> Self {
        self.warnings.extend(gains_warnings(gains, named, ""));
        self
    }
}

impl BuiltinType {
    /// A controller of this type for `robot`, with its `parameters` by their names without the controller's.
    /// # Errors
    /// The first parameter that is wrong: its name without the controller's, its value and its range.
    pub fn create(
        &self,
        robot: &Robot,
        parameters: impl IntoIterator<Item = (String, Value)>,
    ) -> Result<Setup, String> {
        let set = (self.specification)().resolve(parameters);
        let set = set.map_err(|refusals| refusals.first().map_or_else(String::new, ToString::to_string))?;
        (self.create)(robot, &set)
    }
}

/// All types that this program has, sorted by name.
pub const BUILTIN_TYPES: [BuiltinType; 8] = [
    BuiltinType {
        name: "steersman/DiffDriveController",
        specification: || {
            let text = "Drives a vehicle with wheels at its left and its right, and publishes its odometry.";
            let specification = Specification::new("steersman/DiffDriveController", text);
            specification
                .with_all(several::WheelParams::declarations())
                .with_all(DiffDrive::declarations())
                .with_all(VelocityLaw::declarations())
        },
        create: several::diff_drive,
    },
    BuiltinType {
        name: "steersman/GripperController",
        specification: || {
            let text = "Moves a gripper and reports whether it reached its position or holds something.";
            let specification = Specification::new("steersman/GripperController", text);
            specification
                .with_all(single::PositionParams::declarations())
                .with_all(Gripper::declarations())
                .with_all(PositionLaw::declarations())
        },
        create: single::gripper,
    },
    BuiltinType {
        name: "steersman/JointCalibrationController",
        specification: || {
            let text = "Finds the absolute position of a joint by its calibration sensor.";
            let specification = Specification::new("steersman/JointCalibrationController", text);
            specification
                .with_all(single::PositionParams::declarations())
                .with_all(Calibration::declarations())
                .with_all(VelocityLaw::declarations())
        },
        create: single::calibration,
    },
    BuiltinType {
        name: "steersman/JointEffortController",
        specification: || {
            let text = "Passes an effort to a joint.";
            let specification = Specification::new("steersman/JointEffortController", text);
            specification.with_all(single::EffortParams::declarations())
        },
        create: single::effort,
    },
    BuiltinType {
        name: "steersman/JointPositionController",
        specification: || {
            let text = "Moves a joint to a position and holds it.";
            let specification = Specification::new("steersman/JointPositionController", text);
            specification
                .with_all(single::PositionParams::declarations())
                .with_all(single::ApproachParams::declarations())
                .with_all(PositionLaw::declarations())
        },
        create: single::position,
    },
    BuiltinType {
        name: "steersman/JointStateController",
        specification: || {
            let text = "Publishes the state of joints at a rate of its own.";
            let specification = Specification::new("steersman/JointStateController", text);
            specification.with_all(several::JointStateParams::declarations())
        },
        create: several::joint_state,
    },
    BuiltinType {
        name: "steersman/JointTrajectoryController",
        specification: || {
            let text = "Moves joints along a trajectory and holds its end.";
            let specification = Specification::new("steersman/JointTrajectoryController", text);
            let specification = specification.with_all(several::TrajectoryParams::declarations());
            specification.with_all(several::Laws::declarations())
        },
        create: several::trajectory,
    },
    BuiltinType {
        name: "steersman/JointVelocityController",
        specification: || {
            let text = "Moves a joint at a velocity.";
            let specification = Specification::new("steersman/JointVelocityController", text);
            specification
                .with_all(single::VelocityParams::declarations())
                .with_all(VelocityLaw::declarations())
        },
        create: single::velocity,
    },
];

pub(crate) const LIMIT: f64 = 1e6;

const TYPE: Parameter<String> = Parameter::string("type", "").text("The type of the controller.");

const fn gain(name: &'static str, text: &'static str) -> Parameter<f64> {
    Parameter::float(name, 0.0, 0.0, LIMIT).text(text)
}

const PROPORTIONAL: Parameter<f64> = gain("pid.p", "Effort for one unit of error.");
const INTEGRAL: Parameter<f64> = gain("pid.i", "Effort for one unit of error over a second.");
const DERIVATIVE: Parameter<f64> = gain("pid.d", "Effort for one unit of the error's derivative.");
const I_CLAMP: Parameter<f64> =
    gain("pid.i_clamp", "The greatest effort of the integral term.").unit("Nm or N");
const MAX_EFFORT: Parameter<f64> = Parameter::float("pid.max_effort", LIMIT, 0.0, LIMIT)
    .unit("Nm or N")
    .text("The greatest effort; the joint's own limits apply too.");

params::params! {
    /// The law of a position, whose derivative is measured.
    struct PositionLaw {
        p: f64 = PROPORTIONAL,
        i: f64 = INTEGRAL,
        d: f64 = DERIVATIVE,
        i_clamp: f64 = I_CLAMP,
        max_effort: f64 = MAX_EFFORT,
    }
}

params::params! {
    /// The law of a velocity, whose derivative nothing measures.
    struct VelocityLaw {
        p: f64 = PROPORTIONAL,
        i: f64 = INTEGRAL,
        i_clamp: f64 = I_CLAMP,
        max_effort: f64 = MAX_EFFORT,
    }
}

/// The joint `name`, to be moved.
fn joint(robot: &Robot, parameter: &str, name: &str) -> Result<usize, String> {
    let index = robot.joint(name).ok_or_else(|| {
        let known: Vec<&str> = robot.joints().iter().map(|joint| joint.name.as_str()).collect();
        format!(
            "parameter '{parameter}' is '{name}', must be a joint with a transmission: {}",
            known.join(", ")
        )
    })?;
    match robot.obstacle(index) {
        None => Ok(index),
        Some(obstacle) => Err(format!(
            "parameter '{parameter}' is '{name}', must be a joint that an actuator moves: {obstacle}"
        )),
    }
}

/// The gains of a [`PositionLaw`] by name.
const POSITION_GAINS: &str = "'pid.p', 'pid.i' and 'pid.d'";
/// The gains of a [`VelocityLaw`] by name.
const VELOCITY_GAINS: &str = "'pid.p' and 'pid.i'";

impl From<PositionLaw> for Gains {
    fn from(PositionLaw { p, i, d, i_clamp, max_effort }: PositionLaw) -> Self {
        Self { p, i, d, i_clamp, max_effort }
    }
}

impl From<VelocityLaw> for Gains {
    fn from(VelocityLaw { p, i, i_clamp, max_effort }: VelocityLaw) -> Self {
        Self { p, i, d: 0.0, i_clamp, max_effort }
    }
}

/// Warnings about `gains`, which the parameters `named` set for the joint `of`.
fn gains_warnings(gains: Gains, named: &str, of: &str) -> Vec<String> {
    let Gains { p, i, d, i_clamp, max_effort } = gains;
    let mut warnings = Vec::new();
    if p == 0.0 && i == 0.0 && d == 0.0 {
        warnings.push(format!("parameters {named}{of} are 0: no effort will ever come"));
    }
    if i > 0.0 && i_clamp == 0.0 {
        warnings.push(format!("parameter 'pid.i_clamp'{of} is 0: 'pid.i' {i} has no effect"));
    }
    if max_effort == 0.0 {
        warnings.push(format!("parameter 'pid.max_effort'{of} is 0: no effort will ever come"));
    }
    warnings
}
