//! Node `hindbrain`: the last gate before the motors.
//!
//! | file | idea |
//! |---|---|
//! | `inputs` | its subscriptions |
//! | `topics` | what it publishes, and the motor controller behind it |
//! | `drive_topics` | the values of the motors, or a velocity |
//! | `graph` | the publishers of its subscriptions |
//! | `watch` | the supervising thread, which stops the motors when no other thread does |
//! | `controller` | the motor controller |

mod controller;
mod drive_topics;
mod graph;
mod inputs;
mod topics;
mod watch;

use hindbrain::{CommandType, Driver, Hindbrain, Input, Params, Source, specification};
use params::{Refusal, Set, Value};
use ros::{Error, Inputs, Names, Runner, Shell, Status, Stop};
use safety::Contains;
use why::{Code, Explain, Stage};

use self::controller::{Controller, Events};
use self::drive_topics::{BASE, DriveTopics};
use self::graph::{Counter, Publishers};
use self::inputs::EnableQueue;
use self::watch::Watch;
use crate::command_topic::SharedLatency;
use crate::start::{self, Member};
use crate::why::Why;
use crate::zone_scaler;

pub use self::topics::{APPLIED, DETAIL, INFRARED, Topics};
pub use self::watch::add_fault;

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "hindbrain";
/// The topics of the motors' values, port and starboard.
pub const MOTORS: [&str; 2] = ["motor/port", "motor/starboard"];

/// The parts of the node outside its machine, between the creation of its topics and of its runner.
pub struct Parts {
    publishers: Publishers,
    enables: EnableQueue,
    watch: Watch,
    events: Option<Events>,
    latency: SharedLatency,
    names: Names,
    commands: Option<CommandType>,
    drives: &'static [&'static str],
    base: DriveTopics,
    why: Why,
}

impl Parts {
    /// Opens the topics and the motor controller, and subscribes. A process that feeds the commands itself, `composed`, does
    /// not subscribe to `cmd_vel`.
    /// # Errors
    /// The middleware refuses a topic, or a parameter does not fit the motor controller.
    pub fn new<M: Contains<Hindbrain> + 'static>(
        node: &mut r2r::Node,
        inputs: &mut Inputs<M>,
        params: &Params,
        driver: Option<&Driver>,
        composed: bool,
    ) -> Result<(Topics, Self), Error> {
        let (publishers, enables) = (Publishers::default(), EnableQueue::default());
        let (controller, events) = driver.map(Controller::start).transpose()?.unzip();
        let names = inputs.names().clone();
        let topics = Topics::new(node, params, publishers.clone(), controller, names.clone())?;
        inputs::subscribe(inputs, node, params, composed, &enables)?;
        let drives = DriveTopics::names(params.output);
        for output in drives.iter().chain([&APPLIED]) {
            ros::declare_stage(node, &names.resolve(zone_scaler::COMMAND), &names.resolve(output))?;
        }
        let watch = topics.watch.clone();
        let (latency, base) = (topics.latency.clone(), topics.drives.clone());
        let commands = (!composed).then_some(params.command_type);
        let why = Why::new(node, &names, NAME, composed)?;
        Ok((topics, Self { publishers, enables, watch, events, latency, names, commands, drives, base, why }))
    }

    /// Adds the node's tasks and its diagnostics to `runner`. `explain` reads the stages of the machine, hindbrain last.
    pub fn add_tasks<M: Contains<Hindbrain, Input: Send> + Send + 'static, const N: usize>(
        self,
        runner: Runner<M>,
        shell: &Shell<M>,
        explain: impl Fn(&M) -> [Stage; N] + Send + 'static,
    ) -> Runner<M> {
        let Self { publishers, enables, watch, events, latency, names, commands, drives, base, why } = self;
        let (graph, obeyed, is_driver) = (publishers.clone(), base.clone(), events.is_some());
        let why = why.task(shell.clone(), explain, move |gate| {
            complete(gate, &graph);
            if let Some(topic) = obeyed.without_subscriber().filter(|_| !is_driver) {
                gate.find(Code::NoMotorNode, [topic]);
            }
        });
        let device = publishers.clone();
        let status = move |machine: &M| {
            let hindbrain = machine.stage();
            let status = Status::of(hindbrain.health(), hindbrain.report());
            latency.report(status.of_hardware(device.of(Source::Device).join(", ")))
        };
        let after_wake_up = {
            let shell = shell.clone();
            move |_: &mut r2r::Node| {
                if watch.is_tripped() {
                    // First: the output of this is a stop in any case.
                    shell.deliver(M::wrap(Input::Unwatched));
                    watch.clear();
                }
                if watch.is_interrupted() {
                    shell.deliver(M::wrap(Input::Interrupted));
                    watch.clear_interruption();
                }
                watch.set_loop_ran();
            }
        };
        let mut runner = runner.status(status).watch(after_wake_up).guard(move |machine, before, after| {
            let machine = machine.stage();
            if !machine.accepts_parameters() {
                changes(before, after).try_for_each(|name| Err(refusal(machine, after, name)))?;
            }
            for name in changes(before, after) {
                let values =
                    [before, after].map(|set| set.value(name).map_or_else(String::new, Value::to_string));
                log::info!(target: NAME, "parameter '{name}' changed from {} to {}", values[0], values[1]);
            }
            Ok(())
        });
        if let Some(events) = events {
            runner = runner.watch(events.watch(shell.clone(), publishers.clone()));
        }
        runner = runner.needs_subscriber(BASE, move || base.has_subscribers()).task(why);
        Counter::new(publishers, names, commands, drives).add_to(runner, enables)
    }
}

/// Names the nodes of a conflict, which only the graph knows.
fn complete(gate: &mut Stage, publishers: &Publishers) {
    for (code, source) in [
        (Code::EstopConflict, Source::Estop),
        (Code::ResetConflict, Source::Reset),
        (Code::EnableConflict, Source::Enable),
        (Code::CmdConflict, Source::Command),
    ] {
        let mut nodes = publishers.of(source);
        nodes.sort_unstable();
        if let ([one, other], true) = (nodes.as_slice(), gate.findings.contain(code)) {
            let [one, other] = [one, other].map(|node| node.rsplit('/').next().unwrap_or_default());
            gate.findings.name(code, [source.name(), one, other]);
        }
    }
}

/// The names of the parameters that differ.
fn changes<'a>(before: &'a Set, after: &'a Set) -> impl Iterator<Item = &'a str> {
    after.iter().filter(|(name, _, value)| before.value(name) != Some(value)).map(|(name, _, _)| name)
}

fn refusal(hindbrain: &Hindbrain, after: &Set, name: &str) -> Refusal {
    let state = hindbrain.state().as_str();
    after.refuse(
        name,
        format!("can only be set while the vehicle is stopped, and its state is {state}: disable it"),
    )
}

/// The motor controller that the parameters in `set` name.
/// # Errors
/// A parameter that contradicts another one.
pub fn driver(set: &Set) -> Result<Option<Driver>, Error> {
    Driver::read(set).map_err(|refusal| Error::Parameters { node: NAME.into(), refusals: vec![refusal] })
}

/// Runs the node until `stop` is set.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    run_with(context, stop, |runner| runner)
}

/// Runs the node as [`run`] does, after `with` has changed its runner. Tests use this to inject a fault.
/// # Errors
/// The node does not start, or it panicked.
pub fn run_with(
    context: &r2r::Context,
    stop: &Stop,
    with: impl FnOnce(Runner<Hindbrain>) -> Runner<Hindbrain>,
) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let driver = driver(member.set())?;
    let Member { node, inputs, params, .. } = &mut member;
    let (mut topics, parts) = Parts::new(node, inputs, params, driver.as_ref(), false)?;
    let machine = Hindbrain::new(member.params);
    let acts = topics.acts();
    let shell = Shell::new(machine, Some(Input::ClockRead), move |output| topics.publish(output)).act_first(
        move |output| {
            acts(&output);
            Some(output)
        },
    );
    let runner = member
        .runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?
        .managed(Input::ActivityChanged)?;
    let runner = with(parts.add_tasks(runner, &shell, |hindbrain| [hindbrain.explain()]));
    start::run(runner, stop, &shell, [Input::Stopping])
}
