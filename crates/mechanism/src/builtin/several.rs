use core::time::Duration;

use params::{Parameter, Set};

use super::{Frames, LIMIT, POSITION_GAINS, Setup, TYPE, VELOCITY_GAINS, VelocityLaw, gains_warnings, joint};
use crate::Robot;
use crate::laws::{Gains, Pid};
use crate::standard::{
    DiffDrive, DiffDriveController, JointStateController, Tolerance, TrajectoryController,
};

params::params! {
    pub(super) struct TrajectoryParams {
        _type: String = TYPE,
        /// The joints that it moves, in the order of the gains.
        joints: Vec<String> = Parameter::strings("joints", &[], &[], 64),
        /// The greatest distance of a joint from the trajectory on the way; 0 for any.
        path: f64 = Parameter::float("path_tolerance", 0.0, 0.0, LIMIT).unit("rad or m"),
        /// The greatest distance of a joint from the end; 0 for any.
        goal: f64 = Parameter::float("goal_tolerance", 0.0, 0.0, LIMIT).unit("rad or m"),
        /// How long after the trajectory's end the joints may take to come within the goal tolerance.
        goal_time: Duration = Parameter::seconds("goal_time", 0.0, 0.0, 3600.0),
    }
}

const fn gains(name: &'static str) -> Parameter<Vec<f64>> {
    Parameter::floats(name, &[], 0.0, LIMIT, 64)
}

params::params! {
    pub(super) struct Laws {
        /// Effort for one unit of error, one number for each joint.
        p: Vec<f64> = gains("pid.p"),
        /// Effort for one unit of error over a second, one number for each joint or none.
        i: Vec<f64> = gains("pid.i"),
        /// Effort for one unit of the error's derivative, one number for each joint or none.
        d: Vec<f64> = gains("pid.d"),
        /// The greatest effort of the integral term, one number for each joint or none.
        i_clamp: Vec<f64> = gains("pid.i_clamp").unit("Nm or N"),
        /// The greatest effort, one number for each joint or none.
        max_effort: Vec<f64> = gains("pid.max_effort").unit("Nm or N"),
    }
}

params::params! {
    pub(super) struct JointStateParams {
        _type: String = TYPE,
        /// The joints that it publishes; none for all.
        joints: Vec<String> = Parameter::strings("joints", &[], &[], 64),
        /// How often it publishes them.
        rate: f64 = Parameter::float("publish_rate", 50.0, 0.1, 1000.0).unit("Hz"),
    }
}

const fn wheels(name: &'static str, text: &'static str) -> Parameter<Vec<String>> {
    Parameter::strings(name, &[], &[], 8).text(text)
}

params::params! {
    pub(super) struct WheelParams {
        _type: String = TYPE,
        left: Vec<String> = wheels("left_wheel_names", "The joints of the wheels at the left."),
        right: Vec<String> = wheels("right_wheel_names", "The joints of the wheels at the right."),
        /// The frame in which the vehicle began.
        odometry_frame: String = Parameter::string("odom_frame_id", "odom"),
        /// The frame of the vehicle.
        base_frame: String = Parameter::string("base_frame_id", "base_link"),
    }
}

/// The indices of the joints that a parameter names, each once.
fn indices(robot: &Robot, parameter: &str, names: &[String]) -> Result<Vec<usize>, String> {
    let mut found = Vec::new();
    for name in names {
        let index = joint(robot, parameter, name)?;
        if found.contains(&index) {
            return Err(format!("parameter '{parameter}' names '{name}' twice"));
        }
        found.push(index);
    }
    Ok(found)
}

pub(super) fn trajectory(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let TrajectoryParams { _type, joints, path, goal, goal_time } = TrajectoryParams::get(set);
    if joints.is_empty() {
        return Err("parameter 'joints' is [], must be one joint or more".to_owned());
    }
    let Laws { p, i, d, i_clamp, max_effort } = Laws::get(set);
    let (mut axes, mut warnings) = (Vec::new(), Vec::new());
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
            i_clamp: of("i_clamp", &i_clamp, 0.0)?,
            max_effort: of("max_effort", &max_effort, LIMIT)?,
        };
        axes.push((joint(robot, "joints", name)?, Pid::new(gains)));
        warnings.extend(gains_warnings(gains, POSITION_GAINS, &format!(" of joint '{name}'")));
    }
    if goal == 0.0 {
        warnings.push(
            "parameter 'goal_tolerance' is 0: a goal without its own tolerance ends as reached wherever the joints are".to_owned(),
        );
    }
    let any = |tolerance: f64| if tolerance == 0.0 { f64::INFINITY } else { tolerance };
    let tolerance = Tolerance { path: any(path), goal: any(goal), time: goal_time };
    Ok(Setup { warnings, ..Setup::new(TrajectoryController::new(axes, tolerance), joints) })
}

pub(super) fn joint_state(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let JointStateParams { _type, mut joints, rate } = JointStateParams::get(set);
    if joints.is_empty() {
        joints = robot.joints().iter().map(|joint| joint.name.clone()).collect();
    }
    let controller = JointStateController::new(indices(robot, "joints", &joints)?, rate);
    Ok(Setup { joints, ..Setup::of(Box::new(controller)) })
}

pub(super) fn diff_drive(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let WheelParams { _type, left, right, odometry_frame, base_frame } = WheelParams::get(set);
    for (parameter, names) in [("left_wheel_names", &left), ("right_wheel_names", &right)] {
        if names.is_empty() {
            return Err(format!("parameter '{parameter}' is [], must be one joint or more"));
        }
    }
    let lefts = indices(robot, "left_wheel_names", &left)?;
    let rights = indices(robot, "right_wheel_names", &right)?;
    if let Some(both) = lefts.iter().zip(&left).find(|(index, _)| rights.contains(index)) {
        return Err(format!("parameters 'left_wheel_names' and 'right_wheel_names' both name '{}'", both.1));
    }
    let law = Gains::from(VelocityLaw::get(set));
    let controller = DiffDriveController::new(&lefts, &rights, Pid::new(law), DiffDrive::get(set));
    let mut setup = Setup::new(controller, [left, right].concat()).with_law(law, VELOCITY_GAINS);
    setup.frames = Frames { odometry: odometry_frame, base: base_frame };
    Ok(setup)
}
