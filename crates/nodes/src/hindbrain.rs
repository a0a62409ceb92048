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

use std::time::Duration;

use hindbrain::{Hindbrain, Input, Params, StopState, specification};
use params::{Refusal, Set, Value};
use ros::{Error, Inputs, Names, Runner, Shell, Status, Stop};
use units::Machine;

use self::controller::{Controller, Events};
use self::graph::Publishers;
use self::watch::Watch;
use crate::command_topic::SharedLatency;
use crate::start::{self, Member};

pub use self::topics::{APPLIED, Topics};

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "hindbrain";

/// The node's parts around its machine, on their way from its topics to its runner.
pub struct Parts {
    publishers: Publishers,
    watch: Watch,
    events: Option<Events>,
    latency: SharedLatency,
    names: Names,
    composed: bool,
}

impl Parts {
    /// Opens the topics and the motor controller, and listens. In a process that feeds the commands itself, `composed`,
    /// nobody else is heard on `cmd_vel`. `wrap` makes an input of the machine at hand.
    /// # Errors
    /// The middleware refuses a topic, or a parameter does not fit the motor controller.
    pub fn new<M: Machine + 'static>(
        node: &mut r2r::Node,
        inputs: &mut Inputs<M>,
        params: &Params,
        composed: bool,
        wrap: fn(Input) -> M::Input,
    ) -> Result<(Topics, Self), Error> {
        let publishers = Publishers::default();
        let (controller, events) = params.driver.as_ref().map(Controller::start).transpose()?.unzip();
        let topics = Topics::new(node, params, publishers.clone(), controller)?;
        inputs::listen(inputs, node, params, composed, &publishers, wrap)?;
        let names = inputs.names().clone();
        let watch = topics.watch();
        let latency = topics.latency();
        Ok((topics, Self { publishers, watch, events, latency, names, composed }))
    }

    /// Makes `runner` do what the node does beside its machine, and say how it is. `view` finds the hindbrain in the machine at hand.
    pub fn chores<M: Machine<Input: Send> + Send + 'static>(
        self,
        runner: Runner<M>,
        shell: &Shell<M>,
        view: fn(&M) -> &Hindbrain,
        wrap: fn(Input) -> M::Input,
    ) -> Runner<M> {
        let Self { publishers, watch, events, latency, names, composed } = self;
        let graph = publishers.clone();
        let status = move |machine: &M| {
            let hindbrain = view(machine);
            let mut status = latency.report(Status::of(hindbrain.health(), hindbrain.report()));
            graph.report(&mut status);
            status
        };
        let turn = {
            let shell = shell.clone();
            move |_: &mut r2r::Node| {
                if watch.is_tripped() {
                    // First: what goes out of this is a stop in any case.
                    shell.deliver(wrap(Input::Unwatched));
                    watch.clear();
                }
                let limit = shell.inspect(|machine| view(machine).params().core.overrun_limit);
                watch.set_turned(Duration::from_nanos(limit));
            }
        };
        let mut runner = runner.status(status).chore(turn).guard(move |machine, before, after| {
            let machine = view(machine);
            changes(before, after).try_for_each(|name| unless_it_may_move(machine, after, name))?;
            for name in changes(before, after) {
                let values =
                    [before, after].map(|set| set.value(name).map_or_else(String::new, Value::to_string));
                log::info!(target: NAME, "parameter '{name}' is {} now, was {}", values[1], values[0]);
            }
            Ok(())
        });
        if let Some(events) = events {
            runner = runner.chore(events.watch(shell.clone(), publishers.clone(), wrap));
        }
        runner.chore(publishers.watch(shell.clone(), names, !composed, wrap))
    }
}

/// The names of the parameters that differ.
fn changes<'a>(before: &'a Set, after: &'a Set) -> impl Iterator<Item = &'a str> {
    after.iter().filter(|(name, _, value)| before.value(name) != Some(value)).map(|(name, _, _)| name)
}

/// Parameters are guards: none is changed while the vehicle moves or may.
fn unless_it_may_move(hindbrain: &Hindbrain, after: &Set, name: &str) -> Result<(), Refusal> {
    let (state, moves) = (hindbrain.state(), hindbrain.core().is_rolling());
    if state != StopState::Ok && !moves {
        return Ok(());
    }
    let state = state.as_str();
    Err(after.refuse(
        name,
        format!("can only be set while the vehicle is stopped, and its state is {state}: disable it"),
    ))
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
    let wrap = |input| input;
    let (mut topics, parts) = Parts::new(&mut member.node, &mut member.inputs, &member.params, false, wrap)?;
    let shell = Shell::new(Hindbrain::new(member.params.clone()), None, move |output| topics.publish(output));
    let runner = member.runner(&shell, |set| Params::read(set).map(Input::ParametersChanged))?;
    let runner = with(parts.chores(runner, &shell, |hindbrain| hindbrain, wrap));
    start::run(runner, stop, &shell, [Input::Stopping])
}
