use std::path::Path;

use haptix::{
    AnalyticHand, BUILTIN, Device, DummyDevice, Model, Params, RobotModel, Simulation, Skeleton, device,
    robot,
};
use params::{Refusal, Set};
use ros::Error;

use super::NAME;
use super::robot::Robot;

/// The name of the device with known values.
const DUMMY: &str = "dummy";

/// The name of the device that is a robot elsewhere.
const TOPICS: &str = "topics";

/// The hand that the parameters name, and the parameters that were checked for it.
pub(super) struct Hand {
    pub(super) device: Box<dyn Device>,
    /// `None` for one without links.
    pub(super) skeleton: Option<Skeleton>,
    pub(super) params: Params,
    /// What the node needs for a robot elsewhere, if it is one.
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
        let mut model = model(&name, set)?;
        let params = Params::read(set, model.description(), model.info().update_rate).map_err(refused)?;
        if let Some(rate) = params.update_rate {
            model = model.with_update_rate(rate);
        }
        let skeleton = Some(Skeleton::new(&model));
        let device = Box::new(AnalyticHand::new(model, params.seed));
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
        let params = Params::read(set, model.description(), model.info().update_rate).map_err(refused)?;
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
    let params = Params::read(set, device.description(), device.info().update_rate)?;
    check_simulation(set, &params).map(|()| params)
}

/// Refuses what only a simulated hand has.
/// # Errors
/// A parameter of the simulation differs from its default, and the device is not simulated.
pub(super) fn check_simulation(set: &Set, params: &Params) -> Result<(), Refusal> {
    if [DUMMY, TOPICS].contains(&device(set).as_str()) && params.settings.simulation != Simulation::default()
    {
        let rule = "must be a simulated hand: this one has no objects, noise, delay and faults";
        return Err(set.refuse("device", rule));
    }
    Ok(())
}

fn model(name: &str, set: &Set) -> Result<Model, Error> {
    open(name, "device", &[TOPICS, DUMMY], |rule| Error::Parameters {
        node: NAME.into(),
        refusals: vec![set.refuse("device", rule)],
    })
}

/// The hand `name`, which the parameter `parameter` gives: built in, or the path of its description. `others` are names that it also
/// may have, and `refuse` makes an error of a rule that it breaks.
/// # Errors
/// It does not exist, or its description is wrong.
pub(crate) fn open(
    name: &str,
    parameter: &str,
    others: &[&str],
    refuse: impl FnOnce(String) -> Error,
) -> Result<Model, Error> {
    let wrong = |text: String| Error::Start(text);
    if BUILTIN.iter().any(|(known, _)| *known == name) {
        return Model::builtin(name).map_err(|error| wrong(format!("device '{name}': {error}")));
    }
    if !name.contains('/') && !Path::new(name).exists() {
        let known: Vec<&str> = BUILTIN.iter().map(|(name, _)| *name).chain(others.iter().copied()).collect();
        return Err(refuse(format!("must be one of {}, or the path of a YAML file", known.join(", "))));
    }
    Model::parse(&text(name, parameter)?).map_err(|error| wrong(format!("'{name}': {error}")))
}

/// The text of the file `path`, which the parameter `parameter` gives.
fn text(path: &str, parameter: &str) -> Result<String, Error> {
    let wrong = |error| format!("parameter '{parameter}' is '{path}', cannot be read: {error}");
    std::fs::read_to_string(path).map_err(|error| Error::Start(wrong(error)))
}
