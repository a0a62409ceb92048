use core::time::Duration;

use params::{Parameter, Set};

use super::{LIMIT, POSITION_GAINS, PositionLaw, Setup, TYPE, VELOCITY_GAINS, VelocityLaw, joint};
use crate::Robot;
use crate::laws::{Gains, Pid};
use crate::standard::{
    Calibration, CalibrationController, EffortController, Gripper, GripperController, PositionController,
    VelocityController,
};

const JOINT: Parameter<String> = Parameter::string("joint", "").text("The joint that it moves.");
const TIMEOUT: Parameter<Duration> = Parameter::seconds("timeout", 0.5, 0.001, 2.0)
    .text("A command that is not repeated within this time counts as 0.");

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
    pub(super) struct ApproachParams {
        /// Speed at which a command over 0.2 rad or 0.05 m from the position that is held is approached, no faster than <limit velocity>; empty:
        /// 0.5 rad/s or 0.1 m/s.
        speed: Option<f64> = Parameter::optional_float("approach_velocity", 0.001, LIMIT).unit("rad/s or m/s"),
    }
}

params::params! {
    pub(super) struct VelocityParams {
        _type: String = TYPE,
        joint: String = JOINT,
        timeout: Duration = TIMEOUT,
    }
}

pub(super) fn effort(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let EffortParams { _type, joint: name, timeout } = EffortParams::get(set);
    let controller = EffortController::new(joint(robot, "joint", &name)?, timeout);
    Ok(Setup::new(controller, vec![name]))
}

pub(super) fn position(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let PositionParams { _type, joint: name } = PositionParams::get(set);
    let law = Gains::from(PositionLaw::get(set));
    let controller = PositionController::new(joint(robot, "joint", &name)?, Pid::new(law));
    let controller = controller.approaching(ApproachParams::get(set).speed);
    Ok(Setup::new(controller, vec![name]).with_law(law, POSITION_GAINS))
}

pub(super) fn velocity(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let VelocityParams { _type, joint: name, timeout } = VelocityParams::get(set);
    let law = Gains::from(VelocityLaw::get(set));
    let controller = VelocityController::new(joint(robot, "joint", &name)?, Pid::new(law), timeout);
    Ok(Setup::new(controller, vec![name]).with_law(law, VELOCITY_GAINS))
}

pub(super) fn gripper(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let PositionParams { _type, joint: name } = PositionParams::get(set);
    let law = Gains::from(PositionLaw::get(set));
    let position = PositionController::new(joint(robot, "joint", &name)?, Pid::new(law));
    Ok(Setup::new(GripperController::new(position, Gripper::get(set)), vec![name])
        .with_law(law, POSITION_GAINS))
}

pub(super) fn calibration(robot: &Robot, set: &Set) -> Result<Setup, String> {
    let PositionParams { _type, joint: name } = PositionParams::get(set);
    let law = Gains::from(VelocityLaw::get(set));
    let settings = Calibration::get(set);
    let index = joint(robot, "joint", &name)?;
    if settings.velocity == 0.0 {
        return Err("parameter 'velocity' is 0 rad/s or m/s, must be another number".to_owned());
    }
    let calibrated = robot.joints().get(index).filter(|joint| joint.calibration.first().is_some());
    let calibrated = calibrated.ok_or_else(|| {
        format!("parameter 'joint' is '{name}', must be a joint with <calibration> in the URDF")
    })?;
    let sensors = robot.calibration_sensors();
    let sensor = sensors.into_iter().find(|(_, of)| *of == index);
    let (actuator, _) = sensor.filter(|_| robot.has_own_actuator(index)).ok_or_else(|| {
        format!(
            "parameter 'joint' is '{name}', must be a joint of a simple transmission: in others a new zero of the actuator does not \
             move this joint alone, at once and by as much"
        )
    })?;
    if let Some(motor) = robot.actuators().get(actuator).filter(|actuator| !actuator.has_calibration_sensor) {
        return Err(format!(
            "parameter 'joint' is '{name}', must be a joint with a calibration sensor: the hardware reads none for its actuator \
             '{}', and a search would press the joint against its end stop; use the joint without a calibration, by the positions \
             that the hardware reports",
            motor.name
        ));
    }
    let mut warnings = Vec::new();
    if settings.velocity < 0.0 && settings.search(calibrated).0 > 0.0 {
        warnings.push(format!(
            "parameter 'velocity' is {} rad/s or m/s: joint '{name}' is searched upwards all the same, since its edge is a rising one",
            settings.velocity
        ));
    }
    let mut setup =
        Setup::new(CalibrationController::new(index, actuator, Pid::new(law), settings), vec![name]);
    setup.warnings = warnings;
    Ok(setup.with_law(law, VELOCITY_GAINS))
}
