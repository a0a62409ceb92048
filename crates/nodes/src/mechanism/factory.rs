use mechanism::controllers::{
    ControllerId, ControllerInput, ControllerOutput, NewController, Refusal, resolve_type,
};
use mechanism::{BUILTIN_TYPES, Frames, Robot};
use params::{Set, Value};
use ros::panics;

use super::NAME;
use super::guarded::Guarded;

/// Creates controllers from their parameters.
pub(super) struct Factory {
    /// The robot as it is at the start, for the names of its joints.
    robot: Robot,
    last: ControllerId,
}

/// A controller, and what its topics need.
pub(super) struct Created {
    pub(super) controller: NewController,
    pub(super) inputs: &'static [ControllerInput],
    pub(super) outputs: &'static [ControllerOutput],
    /// Its joints in the order of its trajectories, and of the states that it says.
    pub(super) joints: Vec<String>,
    pub(super) frames: Frames,
}

impl Factory {
    pub(super) fn new(robot: Robot) -> Self {
        Self { robot, last: 0 }
    }

    /// All types of controllers, sorted.
    pub(super) fn types() -> Vec<String> {
        BUILTIN_TYPES.iter().map(|known| known.name.to_owned()).collect()
    }

    /// The controller `name`, whose parameters are in `set`.
    pub(super) fn create(&mut self, name: &str, set: &Set) -> Result<Created, Refusal> {
        let parameters = set.open(name);
        let found =
            parameters.iter().find(|(member, _)| *member == "type").and_then(|(_, value)| match value {
                Value::Text(text) => Some(text.as_str()),
                _ => None,
            });
        let types = Self::types();
        let (type_name, is_bare) = resolve_type(name, found, &types)?;
        if is_bare {
            log::warn!(target: NAME, "parameter '{name}.type' is '{}', should be '{type_name}'", found.unwrap_or_default());
        }
        let refuse = |reason: String| Refusal::Init { name: name.to_owned(), reason };
        let Some(known) = BUILTIN_TYPES.iter().find(|known| known.name == type_name) else {
            return Err(refuse(format!("type '{type_name}' is not there")));
        };
        let parameters = parameters.into_iter().map(|(member, value)| (member.to_owned(), value.clone()));
        let created = panics::contain(|| known.create(&self.robot, parameters));
        let setup = created.unwrap_or_else(|| Err("it panicked".to_owned())).map_err(refuse)?;
        self.last += 1;
        let (inputs, outputs) = (setup.controller.inputs(), setup.controller.outputs());
        let controller = Box::new(Guarded::new(setup.controller));
        let controller = NewController { id: self.last, controller, dependencies: Vec::new() };
        Ok(Created { controller, inputs, outputs, joints: setup.joints, frames: setup.frames })
    }
}
