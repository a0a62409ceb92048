//! Node `hindbrain`: the last gate before the motors.
//!
//! | file | idea |
//! |---|---|
//! | `inputs` | what it listens to |
//! | `topics` | what it publishes, and the motor controller behind it |
//! | `graph` | who publishes what it listens to |
//! | `watch` | the supervising thread, which stops the motors when nobody else does |
//! | `controller` | the motor controller |

mod controller;
mod graph;
mod inputs;
mod topics;
mod watch;

use hindbrain::{CommandType, Driver, Hindbrain, Input, Params, specification};
use params::{Refusal, Set, Value};
use ros::{Error, Inputs, Names, Runner, Shell, Status, Stop};
use units::{Contains, Stamp};

use self::controller::{Controller, Events};
use self::graph::{Counter, Publishers};
use self::inputs::EnableQueue;
use self::watch::Watch;
use crate::command_topic::SharedLatency;
use crate::start::{self, Member};

pub use self::topics::{APPLIED, Topics};
pub use self::watch::add_mistake;

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "hindbrain";

/// The node's parts around its machine, on their way from its topics to its runner.
pub struct Parts {
    publishers: Publishers,
    enables: EnableQueue,
    watch: Watch,
    events: Option<Events>,
    latency: SharedLatency,
    names: Names,
    commands: Option<CommandType>,
}

impl Parts {
    /// Opens the topics and the motor controller, and listens. In a process that feeds the commands itself, `composed`,
    /// nobody else is heard on `cmd_vel`.
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
        let topics = Topics::new(node, params, publishers.clone(), controller)?;
        inputs::listen(inputs, node, params, composed, &enables)?;
        let names = inputs.names().clone();
        let watch = topics.watch();
        let latency = topics.latency();
        let commands = (!composed).then_some(params.command_type);
        Ok((topics, Self { publishers, enables, watch, events, latency, names, commands }))
    }

    /// Makes `runner` do what the node does beside its machine, and say how it is.
    pub fn chores<M: Contains<Hindbrain, Input: Send> + Send + 'static>(
        self,
        runner: Runner<M>,
        shell: &Shell<M>,
    ) -> Runner<M> {
        let Self { publishers, enables, watch, events, latency, names, commands } = self;
        let status = move |machine: &M| {
            let hindbrain = machine.stage();
            latency.report(Status::of(hindbrain.health(), hindbrain.report()))
        };
        let turn = {
            let shell = shell.clone();
            move |_: &mut r2r::Node| {
                if watch.is_tripped() {
                    // First: what goes out of this is a stop in any case.
                    shell.deliver(M::wrap(Input::Unwatched));
                    watch.clear();
                }
                watch.set_turned();
            }
        };
        let mut runner = runner.status(status).watch(turn).guard(move |machine, before, after| {
            let machine = machine.stage();
            if !machine.accepts_parameters() {
                changes(before, after).try_for_each(|name| Err(refusal(machine, after, name)))?;
            }
            for name in changes(before, after) {
                let values =
                    [before, after].map(|set| set.value(name).map_or_else(String::new, Value::to_string));
                log::info!(target: NAME, "parameter '{name}' is {} now, was {}", values[1], values[0]);
            }
            Ok(())
        });
        if let Some(events) = events {
            runner = runner.watch(events.watch(shell.clone(), publishers.clone()));
        }
        runner.chore(Counter::new(publishers, names, commands).watch(shell.clone(), enables))
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

/// The input that lets the machine read the wall clock.
pub fn clock_read(stamp: Stamp) -> Input {
    Input::ClockRead(stamp)
}

/// Runs the node until somebody wishes to end.
/// # Errors
/// The node does not start.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    run_with(context, stop, |runner| runner)
}

/// The same with something added to the runner, for tests of what a mistake in the node does.
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
    let shell = Shell::new(machine, Some(clock_read), move |output| topics.publish(output));
    let runner = member.runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?;
    let runner = with(parts.chores(runner, &shell));
    start::run(runner, stop, &shell, [Input::Stopping])
}
