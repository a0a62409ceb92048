use std::io::ErrorKind;
use std::path::Path;
use std::process::Command;

use haptix::{
    AnalyticHand, BUILTIN, Device, DummyDevice, Model, Params, RobotModel, Shape, Simulation, Skeleton,
    TOPICS, device, robot,
};
use params::{Refusal, Set};
use remote_hand::{RemoteHand, StartError};
use ros::Error;

use super::NAME;
use super::robot::Robot;

/// The name of the device with known values.
const DUMMY: &str = "dummy";
/// Prefix of the name of a hand that MuJoCo simulates.
const MUJOCO: &str = "mujoco:";
/// The executable that simulates it.
const MUJOCO_HAND: &str = "mujoco_hand";

/// The hand that the parameters name, and the parameters that were checked for it.
pub(super) struct Hand {
    pub(super) device: Box<dyn Device>,
    /// The skeleton of a hand with links, and its URDF if each of its motors has a joint.
    pub(super) skeleton: Option<(Skeleton, Option<String>)>,
    pub(super) params: Params,
    /// The node's side of a robot elsewhere, if the hand is one.
    pub(super) robot: Option<Robot>,
}

impl Hand {
    /// Opens the hand of the parameter `device`.
    /// # Errors
    /// It does not exist, its description is wrong, or a parameter does not fit it.
    pub(super) fn open(set: &Set) -> Result<Self, Error> {
        let name = device(set);
        let refused = |refusal: Refusal| Error::Parameters { node: NAME.into(), refusals: vec![refusal] };
        if name == DUMMY {
            let device = DummyDevice::default();
            let params = read(set, &device).map_err(refused)?;
            if params.update_rate.is_some() {
                let rule = format!("must be 0: the device {DUMMY} has its own rate");
                return Err(refused(set.refuse("update_rate", rule)));
            }
            return Ok(Self { device: Box::new(device), skeleton: None, params, robot: None });
        }
        if name == TOPICS {
            return Self::elsewhere(set);
        }
        let in_mujoco = name.strip_prefix(MUJOCO);
        let (mut model, description) = model(in_mujoco.unwrap_or(&name), set)?;
        let params = Params::read(set, &model.constants.description, model.constants.info.update_rate)
            .map_err(refused)?;
        if let Some(rate) = params.update_rate {
            model = model.with_update_rate(rate);
        }
        check_simulation(set, &params).map_err(refused)?;
        let skeleton = Some((Skeleton::new(&model), model.urdf().ok()));
        let device: Box<dyn Device> = match in_mujoco {
            None => Box::new(AnalyticHand::new(model, params.seed)),
            Some(_) => Box::new(
                RemoteHand::start(mujoco_hand(), model, &description, params.seed)
                    .map_err(|error| Error::Start(not_started(&name, error)))?,
            ),
        };
        Ok(Self { device, skeleton, params, robot: None })
    }

    /// Opens the robot of the parameter `topics.robot`.
    fn elsewhere(set: &Set) -> Result<Self, Error> {
        let refused = |refusal: Refusal| Error::Parameters { node: NAME.into(), refusals: vec![refusal] };
        let path = robot(set);
        if path.is_empty() {
            return Err(refused(
                set.refuse("topics.robot", "must be the path of a YAML file with the device topics"),
            ));
        }
        let mut model = RobotModel::parse(&text(&path, "topics.robot")?)
            .map_err(|error| Error::Start(format!("'{path}': {error}")))?;
        let params = Params::read(set, &model.constants.description, model.constants.info.update_rate)
            .map_err(refused)?;
        check_simulation(set, &params).map_err(refused)?;
        if let Some(rate) = params.update_rate {
            model = model.with_update_rate(rate);
        }
        let (device, robot) = Robot::new(model, &params.topics);
        Ok(Self { device: Box::new(device), skeleton: None, params, robot: Some(robot) })
    }
}

/// The parameters for `device`.
fn read(set: &Set, device: &dyn Device) -> Result<Params, Refusal> {
    let params = Params::read(set, &device.constants().description, device.constants().info.update_rate)?;
    check_simulation(set, &params).map(|()| params)
}

/// Refuses what only a simulated hand has.
/// # Errors
/// A parameter of the simulation differs from its default, and the device is not simulated; or there is an object that MuJoCo cannot
/// have.
pub(super) fn check_simulation(set: &Set, params: &Params) -> Result<(), Refusal> {
    let (name, simulation) = (device(set), &params.settings.simulation);
    if [DUMMY, TOPICS].contains(&name.as_str()) && *simulation != Simulation::default() {
        let rule = "must be a simulated hand: this one has no objects, noise, delay or faults";
        return Err(set.refuse("device", rule));
    }
    let is_stop = |shape: Shape| matches!(shape, Shape::Stop { .. });
    if name.starts_with(MUJOCO) && simulation.objects.iter().flatten().any(|object| is_stop(object.shape)) {
        return Err(set.refuse("device", "must be an analytic hand if there is an object of shape stop"));
    }
    Ok(())
}

/// The executable of this build, or else the one in the PATH.
fn mujoco_hand() -> Command {
    let own = std::env::current_exe().ok();
    let beside = own.and_then(|own| own.parent().map(|folder| folder.join(MUJOCO_HAND)));
    match beside.filter(|beside| beside.is_file()) {
        Some(beside) => Command::new(beside),
        None => Command::new(MUJOCO_HAND),
    }
}

fn not_started(name: &str, error: StartError) -> String {
    match error {
        StartError::NotStarted(error) if error.kind() == ErrorKind::NotFound => format!(
            "parameter 'device' is '{name}', needs the executable {MUJOCO_HAND}, which is neither beside this one nor in the PATH: \
             in the repository of Steersman `cargo xtask setup --mujoco`, then `cargo build -p {MUJOCO_HAND}`"
        ),
        error => format!("parameter 'device' is '{name}', its process did not start a hand: {error}"),
    }
}

/// The model of a device, and the description that it was read from.
fn model(name: &str, set: &Set) -> Result<(Model, String), Error> {
    open(name, "device", &[TOPICS, DUMMY], |rule| Error::Parameters {
        node: NAME.into(),
        refusals: vec![
            set.refuse("device", format!("{rule}; {MUJOCO} may stand before the name of a simulated hand")),
        ],
    })
}

/// The hand `name`, which the parameter `parameter` gives: built in, or the path of its description, with that description. `others`
/// are names that it also may have, and `refuse` makes an error of a rule that it breaks.
/// # Errors
/// It does not exist, or its description is wrong.
pub(crate) fn open(
    name: &str,
    parameter: &str,
    others: &[&str],
    refuse: impl FnOnce(String) -> Error,
) -> Result<(Model, String), Error> {
    let wrong = |text: String| Error::Start(text);
    if let Some((_, text)) = BUILTIN.iter().find(|(known, _)| *known == name) {
        let model = Model::parse(text).map_err(|error| wrong(format!("device '{name}': {error}")))?;
        return Ok((model, (*text).to_owned()));
    }
    if !name.contains('/') && !Path::new(name).exists() {
        let known: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).chain(others.iter().copied()).collect();
        return Err(refuse(format!("must be one of {}, or the path of a YAML file", known.join(", "))));
    }
    let text = text(name, parameter)?;
    let model = Model::parse(&text).map_err(|error| wrong(format!("'{name}': {error}")))?;
    Ok((model, text))
}

/// The text of the file `path`, which the parameter `parameter` gives.
fn text(path: &str, parameter: &str) -> Result<String, Error> {
    let wrong = |error| format!("parameter '{parameter}' is '{path}', cannot be read: {error}");
    std::fs::read_to_string(path).map_err(|error| Error::Start(wrong(error)))
}
