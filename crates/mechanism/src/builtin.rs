use core::time::Duration;

use params::{Parameter, Set, Specification, Value};

use crate::Robot;
use crate::controllers::Controller;
use crate::laws::{Gains, Pid};
use crate::standard::{
    EffortController, PositionController, Tolerance, TrajectoryController, VelocityController,
};

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
    /// The joints in the order of its trajectories.
    pub joints: Vec<String>,
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
pub const BUILTIN_TYPES: [BuiltinType; 4] = [
    BuiltinType {
        name: "steersman/JointEffortController",
        specification: || {
            let text = "Passes an effort to a joint.";
            Specification::new("steersman/JointEffortController", text).with_all(Effort::declarations())
        },
        create: effort,
    },
    BuiltinType {
        name: "steersman/JointPositionController",
        specification: || {
            let text = "Moves a joint to a position and holds it.";
            let specification = Specification::new("steersman/JointPositionController", text);
            specification.with_all(Position::declarations()).with_all(Law::declarations())
        },
        create: position,
    },
    BuiltinType {
        name: "steersman/JointTrajectoryController",
        specification: || {
            let text = "Moves joints along a trajectory and holds its end.";
            let specification = Specification::new("steersman/JointTrajectoryController", text);
            specification.with_all(Trajectory::declarations()).with_all(Laws::declarations())
        },
        create: trajectory,
    },
    BuiltinType {
        name: "steersman/JointVelocityController",
        specification: || {
            let text = "Moves a joint at a velocity.";
            let specification = Specification::new("steersman/JointVelocityController", text);
            specification.with_all(Velocity::declarations()).with_all(Law::declarations())
        },
        create: velocity,
    },
];

const NEEDED_BY: &str = "robot_mechanism_controllers: its parameter of this name";
const LIMIT: f64 = 1e6;

const TYPE: Parameter<String> =
    Parameter::string("type", "").text("The type of the controller.").needed_by(NEEDED_BY);
const JOINT: Parameter<String> =
    Parameter::string("joint", "").text("The joint that it moves.").needed_by(NEEDED_BY);
const TIMEOUT: Parameter<Duration> = Parameter::seconds("timeout", 0.5, 0.001, 60.0)
    .text("A command that is not repeated within this time counts as 0.")
    .needed_by("networks and senders differ");

params::params! {
    struct Effort {
        _type: String = TYPE,
        joint: String = JOINT,
        timeout: Duration = TIMEOUT,
    }
}

params::params! {
    struct Position {
        _type: String = TYPE,
        joint: String = JOINT,
    }
}

params::params! {
    struct Velocity {
        _type: String = TYPE,
        joint: String = JOINT,
        timeout: Duration = TIMEOUT,
    }
}

const fn gain(name: &'static str, text: &'static str) -> Parameter<f64> {
    Parameter::float(name, 0.0, 0.0, LIMIT).text(text).needed_by(NEEDED_BY)
}

params::params! {
    struct Law {
        p: f64 = gain("pid.p", "Effort for one unit of error."),
        i: f64 = gain("pid.i", "Effort for one unit of error over a second."),
        d: f64 = gain("pid.d", "Effort for one unit of the error's derivative."),
        i_clamp: f64 = gain("pid.i_clamp", "The greatest effort of the integral term.").unit("Nm or N"),
        max_effort: f64 = Parameter::float("pid.max_effort", LIMIT, 0.0, LIMIT).unit("Nm or N")
            .text("The greatest effort; beside it the limits of the joint hold.").needed_by("joints differ"),
    }
}

params::params! {
    struct Trajectory {
        _type: String = TYPE,
        joints: Vec<String> = Parameter::strings("joints", &[], &[], 64)
            .text("The joints that it moves, in the order of the gains.").needed_by("ros2_controllers: joints"),
        path: f64 = Parameter::float("path_tolerance", 0.0, 0.0, LIMIT).unit("rad or m")
            .text("The greatest distance of a joint from the trajectory on the way; 0 for any.")
            .needed_by("ros2_controllers: constraints.<joint>.trajectory"),
        goal: f64 = Parameter::float("goal_tolerance", 0.0, 0.0, LIMIT).unit("rad or m")
            .text("The greatest distance of a joint from the end; 0 for any.")
            .needed_by("ros2_controllers: constraints.<joint>.goal"),
        goal_time: Duration = Parameter::seconds("goal_time", 0.0, 0.0, 3600.0)
            .text("How long after the trajectory's end the joints may take to come within the goal tolerance.")
            .needed_by("ros2_controllers: constraints.goal_time"),
    }
}

const fn gains(name: &'static str, text: &'static str) -> Parameter<Vec<f64>> {
    Parameter::floats(name, &[], 0.0, LIMIT, 64).text(text).needed_by("ros2_controllers: gains.<joint>")
}

params::params! {
    struct Laws {
        p: Vec<f64> = gains("pid.p", "Effort for one unit of error, one number for each joint."),
        i: Vec<f64> = gains("pid.i", "Effort for one unit of error over a second, one number for each joint or none."),
        d: Vec<f64> = gains("pid.d", "Effort for one unit of the error's derivative, one number for each joint or none."),
        i_clamp: Vec<f64> = gains("pid.i_clamp", "The greatest effort of the integral term, one number for each joint or none.")
            .unit("Nm or N"),
        max_effort: Vec<f64> = gains("pid.max_effort", "The greatest effort, one number for each joint or none.")
            .unit("Nm or N"),
    }
}

fn joint(robot: &Robot, parameter: &str, name: &str) -> Result<usize, String> {
    robot.joint(name).ok_or_else(|| {
        let known: Vec<&str> = robot.joints().iter().map(|joint| joint.name.as_str()).collect();
        format!(
            "parameter '{parameter}' is '{name}', must be a joint with a transmission: {}",
            known.join(", ")
        )
    })
}

fn pid(set: &Set) -> Result<Pid, String> {
    let Law { p, i, d, i_clamp, max_effort } = Law::read(set);
    law(Gains { p, i, d, i_most: i_clamp, most: max_effort })
}

fn law(gains: Gains) -> Result<Pid, String> {
    Pid::new(gains).map_err(|error| format!("gain '{}' is {}, must be 0 or more", error.name, error.value))
}

fn effort(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let Effort { _type, joint: name, timeout } = Effort::read(set);
    let controller = Box::new(EffortController::new(joint(robot, "joint", &name)?, timeout));
    Ok(Setup { controller, joints: vec![name] })
}

fn position(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let Position { _type, joint: name } = Position::read(set);
    let controller = Box::new(PositionController::new(joint(robot, "joint", &name)?, pid(set)?));
    Ok(Setup { controller, joints: vec![name] })
}

fn velocity(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let Velocity { _type, joint: name, timeout } = Velocity::read(set);
    let controller = Box::new(VelocityController::new(joint(robot, "joint", &name)?, pid(set)?, timeout));
    Ok(Setup { controller, joints: vec![name] })
}

fn trajectory(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let Trajectory { _type, joints, path, goal, goal_time } = Trajectory::read(set);
    if joints.is_empty() {
        return Err("parameter 'joints' is [], must be one joint or more".to_owned());
    }
    let Laws { p, i, d, i_clamp, max_effort } = Laws::read(set);
    let mut axes = Vec::new();
    for (index, name) in joints.iter().enumerate() {
        if joints[..index].contains(name) {
            return Err(format!("parameter 'joints' names '{name}' twice"));
        }
        let of = |parameter: &str, values: &[f64], default: f64| match values.get(index) {
            _ if values.is_empty() => Ok(default),
            Some(value) if values.len() == joints.len() => Ok(*value),
            _ => Err(format!(
                "parameter 'pid.{parameter}' has {} numbers, must be one for each of {} joints",
                values.len(),
                joints.len()
            )),
        };
        let gains = Gains {
            p: of("p", &p, 0.0)?,
            i: of("i", &i, 0.0)?,
            d: of("d", &d, 0.0)?,
            i_most: of("i_clamp", &i_clamp, 0.0)?,
            most: of("max_effort", &max_effort, LIMIT)?,
        };
        axes.push((joint(robot, "joints", name)?, law(gains)?));
    }
    let any = |tolerance: f64| if tolerance == 0.0 { f64::INFINITY } else { tolerance };
    let tolerance = Tolerance { path: any(path), goal: any(goal), time: goal_time };
    Ok(Setup { controller: Box::new(TrajectoryController::new(axes, tolerance)), joints })
}
