use core::time::Duration;

use params::{Parameter, Set};

use super::{LIMIT, NEEDED_BY, ROS2_CONTROLLERS, Setup, TYPE, joint, pid};
use crate::Robot;
use crate::standard::{
    Calibration, CalibrationController, EffortController, Gripper, GripperController, PositionController,
    VelocityController,
};

const JOINT: Parameter<String> =
    Parameter::string("joint", "").text("The joint that it moves.").needed_by(NEEDED_BY);
const TIMEOUT: Parameter<Duration> = Parameter::seconds("timeout", 0.5, 0.001, 60.0)
    .text("A command that is not repeated within this time counts as 0.")
    .needed_by("networks and senders differ");

params::params! {
    pub(super) struct EffortParams {
        _type: String = TYPE,
        joint: String = JOINT,
        timeout: Duration = TIMEOUT,
    }
}

params::params! {
    pub(super) struct PositionParams {
        _type: String = TYPE,
        joint: String = JOINT,
    }
}

params::params! {
    pub(super) struct VelocityParams {
        _type: String = TYPE,
        joint: String = JOINT,
        timeout: Duration = TIMEOUT,
    }
}

params::params! {
    pub(super) struct GripperParams {
        _type: String = TYPE,
        joint: String = JOINT,
        tolerance: f64 = Parameter::float("goal_tolerance", 0.01, 0.0, LIMIT).unit("rad or m")
            .text("How near to the command counts as reached.").needed_by(ROS2_CONTROLLERS),
        stall_velocity: f64 = Parameter::float("stall_velocity", 0.001, 0.0, LIMIT).unit("rad/s or m/s")
            .text("The joint is stalled if it is not faster than this").needed_by("ros2_controllers: stall_velocity_threshold"),
        stall_time: Duration = Parameter::seconds("stall_time", 1.0, 0.0, 60.0)
            .text("for this long.").needed_by("ros2_controllers: stall_timeout"),
    }
}

params::params! {
    pub(super) struct CalibrationParams {
        _type: String = TYPE,
        joint: String = JOINT,
        velocity: f64 = Parameter::float("velocity", 0.0, -LIMIT, LIMIT).unit("rad/s or m/s")
            .text("The speed of the search, negative downwards; not 0.").needed_by(NEEDED_BY),
        is_forced: bool = Parameter::bool("force_calibration", false)
            .text("Whether a joint that is calibrated already is calibrated again, once after each load.").needed_by(NEEDED_BY),
        timeout: Duration = Parameter::seconds("timeout", 30.0, 0.1, 3600.0)
            .text("How long the search may take.").needed_by("joints are slow or quick"),
    }
}

pub(super) fn effort(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let EffortParams { _type, joint: name, timeout } = EffortParams::read(set);
    let controller = EffortController::new(joint(robot, "joint", &name)?, timeout);
    Ok(Setup::new(controller, vec![name]))
}

pub(super) fn position(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let PositionParams { _type, joint: name } = PositionParams::read(set);
    let controller = PositionController::new(joint(robot, "joint", &name)?, pid(set)?);
    Ok(Setup::new(controller, vec![name]))
}

pub(super) fn velocity(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let VelocityParams { _type, joint: name, timeout } = VelocityParams::read(set);
    let controller = VelocityController::new(joint(robot, "joint", &name)?, pid(set)?, timeout);
    Ok(Setup::new(controller, vec![name]))
}

pub(super) fn gripper(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let GripperParams { _type, joint: name, tolerance, stall_velocity, stall_time } =
        GripperParams::read(set);
    let position = PositionController::new(joint(robot, "joint", &name)?, pid(set)?);
    let settings = Gripper { tolerance, stall_velocity, stall_time };
    Ok(Setup::new(GripperController::new(position, settings), vec![name]))
}

pub(super) fn calibration(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let CalibrationParams { _type, joint: name, velocity, is_forced, timeout } = CalibrationParams::read(set);
    let index = joint(robot, "joint", &name)?;
    if velocity == 0.0 {
        return Err("parameter 'velocity' is 0 rad/s or m/s, must be another number".to_owned());
    }
    let edges = robot.joints().get(index).map(|joint| joint.calibration).unwrap_or_default();
    if edges.rising.or(edges.falling).is_none() {
        return Err(format!("parameter 'joint' is '{name}', must be a joint with <calibration> in the URDF"));
    }
    let sensors = robot.calibration_sensors();
    let sensor = sensors.into_iter().find(|(_, of)| *of == index);
    let (actuator, _) = sensor.filter(|_| robot.has_own_actuator(index)).ok_or_else(|| {
        format!(
            "parameter 'joint' is '{name}', must be a joint of a simple transmission: in others an offset of the actuator would \
             move more than this joint"
        )
    })?;
    let settings = Calibration { velocity, is_forced, timeout };
    Ok(Setup::new(CalibrationController::new(index, actuator, pid(set)?, settings), vec![name]))
}
