use std::any::Any;
use std::io;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use mechanism::controllers::{
    ControllerId, ControllerInput, ControllerOutput, Dependency, NewController, Refusal, resolve_type,
};
use mechanism::laws::FollowedJoint;
use mechanism::{BUILTIN_TYPES, Frames, Robot, Setup};
use params::{Set, Value};
use plugin_loader::{PluginType, Plugins};
use ros::panics::{self, lock};

use super::NAME;
use super::guarded::Guarded;
use super::trial::Trial;

/// Creates controllers from their parameters, on a thread of its own: a controller that takes long to initialise delays nothing
/// else.
pub(super) struct Factory(Sender<Job>);

/// Receiver of the factory's results.
pub(super) struct Products(Receiver<Done>);

/// A job for the factory's thread.
enum Job {
    Create(String, Set),
    Reload,
    Discard(Box<dyn Any + Send>),
}

/// Result of a job.
pub(super) enum Done {
    Created(String, Result<Created, Refusal>),
    Reloaded(Result<(), Refusal>),
}

/// The names of all types of controllers.
#[derive(Clone, Default)]
pub(super) struct Types(Arc<Mutex<Vec<String>>>);

impl Types {
    /// The names, sorted.
    pub(super) fn list(&self) -> Vec<String> {
        lock(&self.0).clone()
    }

    fn set(&self, plugins: &Plugins) {
        let own = BUILTIN_TYPES.iter().map(|known| known.name);
        let mut types: Vec<String> =
            own.chain(plugins.types().iter().map(PluginType::name)).map(str::to_owned).collect();
        types.sort();
        *lock(&self.0) = types;
    }
}

/// A controller, and the data that its topics need.
pub(super) struct Created {
    pub(super) controller: NewController,
    pub(super) inputs: &'static [ControllerInput],
    pub(super) outputs: &'static [ControllerOutput],
    /// Its joints in the order of its trajectories, and of the states that it publishes.
    pub(super) joints: Vec<FollowedJoint>,
    pub(super) frames: Frames,
}

impl Factory {
    /// A factory of controllers for `robot`, whose description is `urdf`, with the libraries in `folders`; one that cannot be loaded is
    /// logged and left out. A controller of a library is tried before, for `limit` at most.
    /// # Errors
    /// The system refuses a thread.
    pub(super) fn start(
        (robot, urdf): (Robot, String),
        folders: Vec<String>,
        limit: Duration,
        types: &Types,
    ) -> io::Result<(Self, Products)> {
        let (jobs, received) = channel();
        let (finished, done) = channel();
        let (plugins, errors) = load(&folders);
        for error in errors {
            log::error!(target: NAME, "{error}");
        }
        types.set(&plugins);
        log::info!(target: NAME, "the types of controllers are {}", types.list().join(", "));
        let mut worker = Worker { robot, urdf, limit, folders, plugins, types: types.clone(), last: 0 };
        let work = move || {
            for job in received {
                let done = match job {
                    Job::Create(name, set) => {
                        let created = worker.create(&name, &set);
                        Done::Created(name, created)
                    }
                    Job::Reload => Done::Reloaded(worker.reload()),
                    Job::Discard(left_over) => {
                        let _ = panics::contain(move || drop(left_over));
                        continue;
                    }
                };
                if finished.send(done).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("factory".into()).spawn(work)?;
        Ok((Self(jobs), Products(done)))
    }

    /// Begins to create the controller `name`, whose parameters are in `set`.
    pub(super) fn create(&self, name: String, set: Set) {
        let _ = self.0.send(Job::Create(name, set)); // the thread ends with this
    }

    /// Drops what is left over, for example a controller that was unloaded.
    pub(super) fn discard(&self, left_over: Box<dyn Any + Send>) {
        let _ = self.0.send(Job::Discard(left_over));
    }

    /// Begins to load the libraries again.
    pub(super) fn reload(&self) {
        let _ = self.0.send(Job::Reload);
    }
}

impl Products {
    /// The next result, if there is one.
    pub(super) fn next(&self) -> Option<Done> {
        self.0.try_recv().ok()
    }
}

fn load(folders: &[String]) -> (Plugins, Vec<plugin_loader::PluginsError>) {
    let known: Vec<&str> = BUILTIN_TYPES.iter().map(|known| known.name).collect();
    Plugins::load(folders, &known)
}

/// The factory's thread.
struct Worker {
    /// The robot as it is at the start, for the names of its joints.
    robot: Robot,
    urdf: String,
    /// How long a trial may take.
    limit: Duration,
    folders: Vec<String>,
    plugins: Plugins,
    types: Types,
    last: ControllerId,
}

impl Worker {
    /// Loads the libraries again, all or none.
    fn reload(&mut self) -> Result<(), Refusal> {
        let (plugins, errors) = load(&self.folders);
        if let Some(error) = errors.first() {
            return Err(Refusal::Libraries(error.to_string()));
        }
        self.types.set(&plugins);
        log::info!(target: NAME, "the libraries were loaded again; the types of controllers are {}", self.types.list().join(", "));
        self.plugins = plugins;
        Ok(())
    }

    /// The controller `name`, whose parameters are in `set`.
    fn create(&mut self, name: &str, set: &Set) -> Result<Created, Refusal> {
        let parameters = set.open(name);
        let found =
            parameters.iter().find(|(member, _)| *member == "type").and_then(|(_, value)| match value {
                Value::Text(text) => Some(text.as_str()),
                _ => None,
            });
        let types = self.types.list();
        let (type_name, is_bare) = resolve_type(name, found, &types)?;
        if is_bare {
            log::warn!(target: NAME, "parameter '{name}.type' is '{}', should be '{type_name}'", found.unwrap_or_default());
        }
        let refuse = |reason: String| Refusal::Init { name: name.to_owned(), reason };
        let mut parameters: Vec<_> =
            parameters.into_iter().map(|(member, value)| (member.to_owned(), value.clone())).collect();
        let dependencies = Dependency::take_from(&mut parameters).map_err(refuse)?;
        if let Some(known) = self.plugins.types().iter().find(|known| known.name() == type_name) {
            let trial = Trial { urdf: &self.urdf, path: known.path, type_name, parameters: &parameters };
            trial.run(self.limit).map_err(refuse)?;
        }
        let created = panics::contain(|| self.setup(type_name, parameters.into_iter()));
        let setup = created.unwrap_or_else(|| Err("it panicked".to_owned())).map_err(refuse)?;
        for warning in &setup.warnings {
            log::warn!(target: NAME, "controller '{name}': {warning}");
        }
        self.last += 1;
        let (inputs, outputs) = (setup.controller.inputs(), setup.controller.outputs());
        let controller = Box::new(Guarded::new(setup.controller));
        let kind = type_name.to_owned();
        let controller = NewController { id: self.last, kind, controller, dependencies, moves: setup.moves };
        let joint = |name: &String| self.robot.joint(name).and_then(|index| self.robot.joints().get(index));
        let joints = setup.joints.iter().filter_map(joint).map(FollowedJoint::from).collect();
        Ok(Created { controller, inputs, outputs, joints, frames: setup.frames })
    }

    fn setup(
        &self,
        type_name: &str,
        parameters: impl Iterator<Item = (String, Value)>,
    ) -> Result<Setup, String> {
        if let Some(known) = BUILTIN_TYPES.iter().find(|known| known.name == type_name) {
            return known.create(&self.robot, parameters);
        }
        match self.plugins.types().iter().find(|known| known.name() == type_name) {
            Some(known) => known.create(&self.robot, parameters).map(Setup::of),
            None => Err(format!("type '{type_name}' is not there")),
        }
    }
}
