//! Node `mechanism`: loads, switches and unloads controllers, which run in a real-time loop.

mod factory;
mod follow;
mod guarded;
mod inputs;
mod outputs;
mod remote;
mod services;
mod topics;

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use control::{Commands, Control, Deliveries, Event, Events, Settings, StatesSender};
use mechanism::controllers::{self, ControlLoop};
use mechanism::robot::{Hardware, SimulatedRobot};
use mechanism::{
    CycleStatistics, Description, Input, Mechanism, Output, Params, Robot, Snapshot, specification,
};
use params::Set;
use r2r::std_msgs::msg::String as Text;
use ros::{Error, Shell, Status, Stop, clock, panics, qos};
use rt::RealTime;
use units::{Instant, Level, Stamp};

use crate::start::{self, Member};
use factory::{Created, Done, Factory, Types};
use follow::FollowServers;
use inputs::ControllerTopics;
use outputs::ControllerOutputs;
use remote::{EffortTopics, Efforts, Remote};
use services::Requests;
use topics::Topics;

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "mechanism";

/// How often the node looks for the loop's events while somebody waits for one.
const SHORT: Duration = Duration::from_millis(1);
/// How often it looks for them at least.
const LONG: Duration = Duration::from_millis(20);
/// How long efforts wait for the node at most, a zero among them.
const LONGEST_EFFORT: Duration = Duration::from_millis(5);

/// What the machine asks for and the node's own thread does.
type Asked = Arc<Mutex<VecDeque<controllers::Output>>>;
/// Reports on their way back to the loop, with the number of controllers that are loaded.
type Returned = Arc<Mutex<Vec<(Box<Snapshot>, usize)>>>;

/// The robot of the description, which is a URDF or the path of its file.
fn robot(given: &str) -> Result<Robot, Error> {
    let is_text = given.trim_start().starts_with('<');
    let urdf = if is_text {
        given.to_owned()
    } else {
        std::fs::read_to_string(given).map_err(|error| {
            Error::Start(format!("parameter 'robot_description' is '{given}', cannot be read: {error}"))
        })?
    };
    let place = if is_text { "parameter 'robot_description'".to_owned() } else { format!("'{given}'") };
    let description = Description::parse(&urdf).map_err(|error| Error::Start(format!("{place}: {error}")))?;
    let (robot, skipped) = Robot::new(&description, None);
    for skipped in skipped {
        log::warn!(target: NAME, "{place}: {skipped}");
    }
    if robot.joints().is_empty() {
        log::warn!(target: NAME, "{place} has no transmission that can be used: no joint can be moved");
    }
    Ok(robot)
}

/// Starts the control loop of `robot` with its `hardware`.
fn start_loop(params: &Params, robot: Robot, hardware: Box<dyn Hardware>) -> Result<Control, Error> {
    let settings = Settings {
        period: params.period,
        joint_state_rate: params.joint_state_rate,
        statistics_rate: params.statistics_rate,
        is_halted: params.halt_on.is_some(),
        real_time: RealTime {
            priority: params.priority,
            lock_memory: params.lock_memory,
            cores: params.cores.clone(),
        },
    };
    let control = control::start(ControlLoop::new(robot), hardware, &settings)
        .map_err(|error| Error::Start(format!("the control loop has no thread: {error}")))?;
    for refused in &control.refused {
        log::warn!(target: NAME, "{refused}");
    }
    Ok(control)
}

/// What the node's thread does between messages: reads the loop's events, creates controllers, passes their messages on.
struct Courier {
    shell: Shell<Mechanism>,
    events: Events,
    deliveries: Deliveries,
    topics: ControllerTopics,
    outputs: ControllerOutputs,
    efforts: Option<Efforts>,
    follow: FollowServers,
    factory: Factory,
    commands: Commands,
    asked: Asked,
    parameters: Arc<Mutex<Set>>,
    returned: Returned,
    watch: Arc<Mutex<Watch>>,
}

/// When the loop reported last.
#[derive(Clone, Copy, Debug, Default)]
struct Watch {
    last: Instant,
    cycles: CycleStatistics,
}

impl Courier {
    fn run(&mut self, node: &mut r2r::Node) {
        if let Some(efforts) = &mut self.efforts {
            efforts.publish();
        }
        self.read_events();
        let follow = &mut self.follow;
        self.topics.pass_on(&mut self.deliveries, |controller| follow.replace(controller));
        loop {
            // A statement of its own: nothing is locked while the machine is told.
            let asked = lock(&self.asked).pop_front();
            let Some(asked) = asked else { break };
            match asked {
                controllers::Output::Create { name, .. } => {
                    let set = lock(&self.parameters).clone();
                    self.factory.create(name, set);
                }
                controllers::Output::Withdraw => {
                    let taken = self.commands.withdraw();
                    self.shell.deliver(Input::Manager(controllers::Input::Withdrawn(taken)));
                }
                controllers::Output::ReloadLibraries => self.factory.reload(),
                _ => {}
            }
        }
        while let Some(done) = self.factory.done() {
            let input = match done {
                Done::Created(name, created) => {
                    let attached = created.and_then(|created| self.attach(node, &name, created));
                    controllers::Input::Created(attached)
                }
                Done::Reloaded(result) => controllers::Input::Reloaded(result),
            };
            self.shell.deliver(Input::Manager(input));
        }
        self.follow.serve(&self.shell, &mut self.deliveries);
    }

    fn read_events(&mut self) {
        while let Some(event) = self.events.take() {
            let input = match event {
                Event::Changed(change) => Input::Manager(controllers::Input::Changed(change)),
                Event::Failed(index, failure) => Input::Manager(controllers::Input::Failed(index, failure)),
                Event::Reported(snapshot) => {
                    *lock(&self.watch) = Watch { last: snapshot.now, cycles: snapshot.cycles };
                    Input::Reported(snapshot)
                }
                Event::Said(controller, at, output, report) => {
                    let stamp = clock::stamp().before(clock::now().since(at));
                    self.outputs.publish(controller, output, report, stamp);
                    self.follow.publish(controller, report, stamp);
                    continue;
                }
                Event::Used(_) => continue,
            };
            self.shell.deliver(input);
        }
        for (snapshot, loaded) in lock(&self.returned).drain(..) {
            self.events.recycle(snapshot, loaded);
        }
    }

    /// Gives a new controller its topics.
    fn attach(
        &mut self,
        node: &mut r2r::Node,
        name: &str,
        created: Created,
    ) -> Result<controllers::NewController, controllers::Refusal> {
        let attached = self.topics.attach(node, name, &created);
        let attached = attached.and_then(|()| self.outputs.attach(node, name, &created));
        attached.and_then(|()| self.follow.attach(node, name, &created)).map_err(|error| {
            controllers::Refusal::Init { name: name.to_owned(), reason: error.to_string() }
        })?;
        Ok(created.controller)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Carries out what the machine asks for.
struct Actions {
    topics: Topics,
    commands: Commands,
    states: Option<StatesSender>,
    efforts: Option<EffortTopics>,
    requests: Requests,
    asked: Asked,
    returned: Returned,
}

impl Actions {
    fn carry_out(&mut self, output: Output) {
        match output {
            Output::Manager(controllers::Output::Answer(id, result)) => self.requests.answer(id, &result),
            Output::Manager(controllers::Output::Change(change)) => self.commands.submit(change),
            Output::Manager(controllers::Output::Warn(sentence)) | Output::Warn(sentence) => {
                log::warn!(target: NAME, "{sentence}");
            }
            Output::Manager(asked) => lock(&self.asked).push_back(asked),
            Output::Halt => self.commands.halt(),
            Output::Reset => self.commands.reset(),
            Output::PassStates(states) => {
                if let Some(sender) = &self.states {
                    sender.send(states);
                }
            }
            Output::SendZero => {
                if let Some(efforts) = &self.efforts {
                    efforts.publish_zero();
                }
            }
            Output::PublishHalted(is_halted) => self.topics.publish_halted(is_halted),
            Output::Publish(snapshot, names, stamp) => {
                self.topics.publish(&snapshot, &names, stamp);
                lock(&self.returned).push((snapshot, names.len()));
            }
            Output::PublishStatuses(statuses) => self.topics.publish_statuses(statuses),
        }
    }
}

/// How long the node may sleep until the loop's next report or effort, or the next event that somebody waits for.
fn longest_sleep(
    params: &Params,
    efforts: Option<Duration>,
    requests: Requests,
    watch: Arc<Mutex<Watch>>,
) -> impl FnMut() -> Duration + use<> {
    let step = params.period;
    let period =
        |rate: f64| if rate > 0.0 { Duration::from_secs_f64(1.0 / rate.max(1e-3)) } else { Duration::MAX };
    let longest = efforts.map_or(LONG, |period| period.clamp(SHORT, LONGEST_EFFORT));
    let next = period(params.joint_state_rate).min(period(params.statistics_rate)).saturating_add(step);
    move || {
        if !requests.are_none() {
            return SHORT;
        }
        let due = lock(&watch).last + next;
        let now = clock::now();
        let until_due = (due.since(now) + step.min(SHORT) / 4).clamp(SHORT, LONG);
        longest.min(if now.since(due) > LONG { LONG } else { until_due })
    }
}

fn status(machine: &Mechanism, watch: &Mutex<Watch>) -> Status {
    let CycleStatistics { cycles, missed, max_late, max_step } = lock(watch).cycles;
    let list = machine.manager().list();
    let running = list.iter().filter(|controller| controller.is_running).count();
    let values = vec![
        ("steps".into(), cycles.to_string()),
        ("steps left out".into(), missed.to_string()),
        ("greatest lateness (us)".into(), max_late.as_micros().to_string()),
        ("longest step (us)".into(), max_step.as_micros().to_string()),
    ];
    let message = format!("{running} of {} controllers run", list.len());
    let mut status = Status { message, values, ..Status::default() };
    if let Some(cause) = machine.halt_cause() {
        status.worsen(Level::Error, format!("the motors are halted: {cause}"));
    } else if machine.is_halted() {
        status.worsen(Level::Error, "the motors are halted");
    }
    for controller in &list {
        if let Some(failure) = machine.manager().failure(&controller.name) {
            status.worsen(
                Level::Error,
                format!("controller '{}' stopped by itself: {failure}", controller.name),
            );
        }
    }
    status
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let params = member.params.clone();
    let mut robot = robot(&params.robot_description)?;
    let remote = match &params.remote {
        Some(remote) => Some(Remote::new(&mut member.node, &mut member.inputs, &robot, remote)?),
        None => None,
    };
    // A robot elsewhere publishes absolute positions.
    let is_calibrated = params.is_calibrated || remote.is_some();
    robot.joints_mut().iter_mut().for_each(|joint| joint.is_calibrated = is_calibrated);
    let topics = Topics::new(&mut member.node)?;
    if let Some(topic) = &params.halt_on {
        member.inputs.subscribe::<Text>(&mut member.node, topic, qos::command(), |message| {
            Some(Input::StateReceived { is_estop: message.data == "ESTOP" })
        })?;
    }
    let types = Types::default();
    let factory = Factory::start(robot.clone(), params.plugin_folders.clone(), &types)
        .map_err(|error| Error::Start(format!("the factory of controllers has no thread: {error}")))?;
    let mut machine = Mechanism::new(params.call_timeout, params.halt_on.is_some());
    let (mut states, mut efforts, mut sole) = (None, None, Vec::new());
    let hardware: Box<dyn Hardware> = match remote {
        Some(remote) => {
            sole = remote.sole(&member.inputs);
            (states, efforts) = (Some(remote.states), Some(remote.efforts));
            machine = machine.with_states(remote.monitor);
            Box::new(remote.hardware)
        }
        None => Box::new(SimulatedRobot::new(&robot, params.dynamics)),
    };
    let Control { thread, commands, deliveries, events, .. } = start_loop(&params, robot, hardware)?;
    let halts = commands.clone();
    panics::at_once(move || halts.halt());
    let (asked, returned, watch) = (Asked::default(), Returned::default(), Arc::<Mutex<Watch>>::default());
    let requests = Requests::default();
    let parameters = Arc::new(Mutex::new(member.set().clone()));
    let mut actions = Actions {
        topics,
        commands: commands.clone(),
        states,
        efforts: efforts.as_ref().map(Efforts::topics),
        requests: requests.clone(),
        asked: Arc::clone(&asked),
        returned: Arc::clone(&returned),
    };
    let efforts_period = efforts.as_ref().map(|efforts| efforts.period);
    let clock_read: fn(Stamp) -> Input = Input::ClockRead;
    let shell = Shell::new(machine, Some(clock_read), move |output| actions.carry_out(output));
    let mut courier = Courier {
        shell: shell.clone(),
        events,
        deliveries,
        topics: ControllerTopics::new(),
        outputs: ControllerOutputs::default(),
        efforts,
        follow: FollowServers::default(),
        factory,
        commands,
        asked,
        parameters: Arc::clone(&parameters),
        returned,
        watch: Arc::clone(&watch),
    };
    let runner = member.runner(&shell, move |set| {
        lock(&parameters).clone_from(set);
        Ok(Input::ParametersChanged)
    })?;
    let runner = remote::count_publishers(runner, &shell, sole);
    let runner = services::serve(runner, &requests, types)?
        .task(move |node| courier.run(node))
        .wake_within(longest_sleep(&params, efforts_period, requests, Arc::clone(&watch)))
        .status(move |machine| status(machine, &watch))
        .log_levels();
    let ended = start::run(runner, stop, &shell, [Input::Stopping]);
    drop(thread);
    ended
}
