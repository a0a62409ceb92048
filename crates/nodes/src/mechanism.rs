//! Node `mechanism`: loads, switches and unloads controllers, which run in a real-time loop.

mod factory;
mod follow;
mod guarded;
mod hardware;
mod inputs;
mod loop_monitor;
mod node_tasks;
mod outputs;
mod remote;
mod services;
mod topics;
mod trial;

use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mechanism::controllers::{self, ControlLoop};
use mechanism::robot::{Hardware, SimulatedRobot};
use mechanism::{Input, LOOP_SILENCE, Mechanism, Output, Params, Robot, specification};
use mechanism_loop::{Commands, Control, Settings, StatesSender};
use params::Set;
use realtime::Timing;
use ros::panics::{self, lock};
use ros::{Error, Runner, Shell, Status, Stop, clock};
use safety::{ClockReading, Level};

use crate::start::{self, Member};
use factory::{Factory, Types};
use follow::FollowServers;
use inputs::ControllerTopics;
use loop_monitor::{MonitorContext, MonitorHandle};
use node_tasks::NodeTasks;
use outputs::ControllerOutputs;
use remote::{EffortTopics, Remote};
use services::Requests;
use topics::Topics;

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "mechanism";

/// How often the node looks for what it cannot be woken for, while a young request needs it.
const SHORT: Duration = Duration::from_micros(500);

/// Starts the control loop of `robot` with its `hardware`.
fn start_loop(params: &Params, robot: Robot, hardware: Box<dyn Hardware>) -> Result<Control, Error> {
    let settings = Settings {
        period: params.period,
        joint_state_rate: params.joint_state_rate,
        statistics_rate: params.statistics_rate,
        is_halted: params.halt_on.is_some(),
        real_time: start::real_time(&params.thread),
    };
    let control = mechanism_loop::start(ControlLoop::new(robot), hardware, &settings)
        .map_err(|error| Error::Start(format!("the control loop has no thread: {error}")))?;
    for refused in &control.refused {
        log::warn!(target: NAME, "{refused}");
    }
    Ok(control)
}

/// Does at once what the machine asks of the control loop and of other threads: a halt among it, which waits for no send.
struct Actions {
    commands: Commands,
    states: Option<StatesSender>,
    efforts: Option<EffortTopics>,
    handle: MonitorHandle,
    factory: Factory,
    parameters: Arc<Mutex<Set>>,
}

impl Actions {
    /// Returns what has to be published.
    fn act(&mut self, output: Output) -> Option<Output> {
        match output {
            Output::Manager(controllers::Output::Change(change)) => {
                self.commands.submit(change);
                self.handle.expect_change();
            }
            Output::Manager(controllers::Output::Warn(sentence)) | Output::Warn(sentence) => {
                log::warn!(target: NAME, "{sentence}");
            }
            Output::Inform(sentence) => log::info!(target: NAME, "{sentence}"),
            Output::Manager(controllers::Output::Create(name)) => {
                let set = lock(&self.parameters).clone();
                self.factory.create(name, set);
            }
            Output::Manager(controllers::Output::ReloadLibraries) => self.factory.reload(),
            Output::Manager(controllers::Output::Discard(left_over)) => self.factory.discard(left_over),
            Output::Manager(controllers::Output::Withdraw) => self.handle.withdraw(),
            Output::PassStates(states) => {
                if let Some(sender) = &self.states {
                    sender.send(states);
                }
            }
            Output::Halt => {
                self.commands.halt();
                if let Some(efforts) = &self.efforts {
                    efforts.halt();
                }
                return Some(Output::Halt); // its zero is sent
            }
            Output::SendZero => {
                if let Some(efforts) = &self.efforts {
                    efforts.halt();
                }
                return Some(Output::SendZero);
            }
            Output::Reset => {
                self.commands.reset();
                if let Some(efforts) = &self.efforts {
                    efforts.reset(clock::now());
                }
            }
            published => return Some(published),
        }
        None
    }
}

/// Publishes what the machine asks for.
struct Publications {
    topics: Topics,
    efforts: Option<EffortTopics>,
    requests: Requests,
    handle: MonitorHandle,
}

impl Publications {
    fn publish(&mut self, output: Output) {
        match output {
            Output::Manager(controllers::Output::Answer(id, result)) => self.requests.answer(id, &result),
            Output::Halt => {
                if let Some(efforts) = &self.efforts {
                    efforts.publish_zero(clock::now());
                }
            }
            Output::SendZero => {
                if let Some(efforts) = &self.efforts {
                    efforts.publish_last();
                }
            }
            Output::PublishHalted(is_halted) => self.topics.publish_halted(is_halted),
            Output::Publish(snapshot, names, stamp) => {
                self.topics.publish(&snapshot, &names, stamp);
                self.handle.give_back(snapshot);
            }
            Output::PublishStatuses(statuses) => self.topics.publish_statuses(statuses),
            // Acts.
            Output::Manager(_)
            | Output::Reset
            | Output::PassStates(_)
            | Output::Warn(_)
            | Output::Inform(_) => {}
        }
    }
}

/// The names of the parameters that are new or changed.
fn changed(before: &Set, after: &Set) -> Vec<String> {
    let is_changed = |name: &&str| before.value(name) != after.value(name);
    after.iter().map(|(name, ..)| name).filter(is_changed).map(str::to_owned).collect()
}

/// How long the node may sleep: r2r cannot wake it for a controller that was created, or a goal that was cancelled.
fn longest_sleep(requests: Requests) -> impl FnMut() -> Duration + use<> {
    move || if requests.need_node() { SHORT } else { Duration::MAX }
}

fn status(machine: &Mechanism, timing: &Timing) -> Status {
    let list = machine.manager().list();
    let running = list.iter().filter(|controller| controller.is_running).count();
    let message = match list.len() {
        0 => "no controller is loaded, so nothing moves".into(),
        loaded => format!("{running} of {loaded} controllers run"),
    };
    let mut status = Status { message, values: timing.values(), ..Status::default() }
        .with("efforts that were not finite", machine.invalid_commands());
    if machine.is_loop_silent() {
        status.worsen(Level::Error, "the control loop hangs in a step, and obeys no halt");
    }
    if let Some(cause) = machine.halt_cause() {
        status.worsen(machine.halt_level(), format!("the motors are halted: {cause}"));
    } else if machine.is_halted() {
        status.worsen(Level::Error, "the motors are halted");
    }
    for controller in &list {
        if let Some(failure) = machine.manager().failure(&controller.name) {
            status.worsen(Level::Error, format!("controller '{}' is stopped: {failure}", controller.name));
        }
    }
    status
}

/// The executable's `main`: runs `node`, or tries a controller for another process of this executable.
pub fn main(node: impl FnOnce(&r2r::Context, &Stop) -> Result<(), Error>) -> ExitCode {
    trial::asked().unwrap_or_else(|| start::main(NAME, node))
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start, or it panicked.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    run_with(context, stop, |runner| runner)
}

/// Runs the node like [`run`], with `change` applied to its runner, for tests.
/// # Errors
/// The node does not start, or it panicked.
pub fn run_with(
    context: &r2r::Context,
    stop: &Stop,
    change: impl FnOnce(Runner<Mechanism>) -> Runner<Mechanism>,
) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let params = member.params.clone();
    let model = hardware::hand(&params, member.set())?;
    let (mut robot, urdf) = hardware::robot(&params.robot_description, model.as_ref())?;
    let remote = match &params.remote {
        Some(remote) => Some(Remote::new(&mut member.node, &mut member.inputs, &robot, remote)?),
        None => None,
    };
    // A robot elsewhere and a hand have absolute positions.
    let is_calibrated = params.is_calibrated || remote.is_some() || model.is_some();
    robot.joints_mut().iter_mut().for_each(|joint| joint.is_calibrated = is_calibrated);
    let topics = Topics::new(&mut member.node)?;
    if let Some(topic) = &params.halt_on {
        member.obey_vehicle(topic, Input::StateReceived, Input::StatePublishersCounted)?;
    }
    let mut machine = Mechanism::new(params.call_timeout, params.halt_on.is_some())
        .ignoring_overruns(params.ignores_overruns);
    machine = machine.expecting_reports_within(LOOP_SILENCE);
    let (mut states, mut efforts, mut sole) = (None, None, Vec::new());
    let hardware: Box<dyn Hardware> = match (remote, model) {
        (Some(remote), _) => {
            hardware::warn_of_unguarded(&robot);
            sole = remote.sole;
            (states, efforts) = (Some(remote.states), Some(remote.efforts));
            machine = machine.with_states(remote.monitor);
            Box::new(remote.hardware)
        }
        (None, Some(model)) => hardware::of_hand(model, &robot)?,
        (None, None) => Box::new(SimulatedRobot::new(&robot, params.dynamics)),
    };
    robot.note_sensors(&*hardware);
    let types = Types::default();
    let (factory, products) =
        Factory::start((robot.clone(), urdf), params.plugin_folders.clone(), params.call_timeout, &types)
            .map_err(|error| Error::Start(format!("the factory of controllers has no thread: {error}")))?;
    let Control { thread, timing, commands, deliveries, events, .. } = start_loop(&params, robot, hardware)?;
    let halts = commands.clone();
    panics::at_once(move || halts.halt());
    let (handle, requests, outputs) =
        (MonitorHandle::default(), Requests::default(), Arc::<Mutex<ControllerOutputs>>::default());
    let follow = FollowServers::default();
    let goals = follow.goals();
    let parameters = Arc::new(Mutex::new(member.set().clone()));
    let mut publications = Publications {
        topics,
        efforts: efforts.as_ref().map(|efforts| efforts.topics.clone()),
        requests: requests.clone(),
        handle: handle.clone(),
    };
    let mut actions = Actions {
        commands: commands.clone(),
        states,
        efforts: efforts.as_ref().map(|efforts| efforts.topics.clone()),
        handle: handle.clone(),
        factory,
        parameters: Arc::clone(&parameters),
    };
    let clock_read: fn(ClockReading) -> Input = Input::ClockRead;
    let shell = Shell::new(machine, Some(clock_read), move |output| publications.publish(output))
        .act_first(move |output| actions.act(output));
    let lives = commands.clone();
    let node_tasks = NodeTasks {
        shell: shell.clone(),
        deliveries,
        topics: ControllerTopics::new(member.inputs.names().clone()),
        outputs: Arc::clone(&outputs),
        follow,
        products,
    };
    let node_tasks = Arc::new(Mutex::new(node_tasks));
    let receiver = Arc::clone(&node_tasks);
    let context = MonitorContext { shell: shell.clone(), events, outputs, efforts, follow: goals, commands };
    let runner = member.runner(&shell, move |set| {
        let before = std::mem::replace(&mut *lock(&parameters), set.clone());
        Ok(Input::ParametersChanged(changed(&before, set)))
    })?;
    let runner = runner.managed(Input::ActivityChanged)?;
    let runner = runner.count_publishers(sole, |topic, count| Input::PublishersCounted { topic, count });
    let runner = services::serve(runner, &requests, types)?
        .publishes_alone(["joint_states"])
        .receive(move || lock(&receiver).receive())
        .task(move |node| {
            lives.beat(clock::now()); // after the messages were delivered, stops among them
            lock(&node_tasks).run(node);
        })
        .wake_within(longest_sleep(requests))
        .status(move |machine| status(machine, &timing));
    let monitor = loop_monitor::start(&handle, context, &params)
        .map_err(|error| Error::Start(format!("the monitor of the control loop has no thread: {error}")))?;
    // Nothing is done before the actuators received their last effort: a loop that hangs is no clean end.
    let join = move || {
        drop(monitor);
        drop(thread);
    };
    start::run_with_threads(change(runner), stop, &shell, [Input::Stopping], join)
}
