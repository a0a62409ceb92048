//! `steersman`: joystick, velocity_arbiter, zone_scaler and hindbrain in one process.
//!
//! The four ROS nodes have their usual names, parameters and topics, and each runs on a thread of its own; all of them deliver
//! to one [`Drive`]. The topics between the stages are published for subscribers in other processes; this process does not
//! subscribe to them.
//!
//! A mutex, and not one thread: r2r waits on one node at a time, and `ros2 param` needs the four names in the graph. Any thread may
//! deliver, and the order of the lock is the order of the inputs. SDL holds no lock while it opens a pad, so a hang there does not delay
//! the motor values.

use std::thread;

use arbiter::{Arbiter, Wiring};
use drive_chain::{Drive, Input, Output, Stages};
use hindbrain::Hindbrain;
use joystick::Joystick;
use ros::{Error, Runner, Shell, Stop};
use zones::ZoneScaler;

use crate::start::{self, Member, StopOnDrop};
use crate::why::StageTopic;
use crate::{hindbrain as hindbrain_node, joystick as joystick_node};
use crate::{velocity_arbiter as arbiter_node, zone_scaler as zones_node};

/// The executable's name.
pub const NAME: &str = "steersman";

/// Runs the four nodes until `stop` is set.
/// # Errors
/// One of the nodes does not start; then none of them runs.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    run_with(context, stop, |runner| runner)
}

/// Runs the four nodes as [`run`] does, after `with` has changed each node's runner. Tests use this to inject a fault.
/// # Errors
/// One of the nodes does not start; then none of them runs. Or one of them panicked.
pub fn run_with(
    context: &r2r::Context,
    stop: &Stop,
    with: impl Fn(Runner<Drive>) -> Runner<Drive>,
) -> Result<(), Error> {
    refuse_one_name(std::env::args())?;
    let mut joystick = Member::<_, Drive>::new(context, joystick::specification(), joystick::Params::read)?;
    let mut arbiter = Member::<_, Drive>::new(context, arbiter::specification(), arbiter::Params::read)?;
    let mut zones = Member::<_, Drive>::new(context, zones::specification(), zones::Params::read)?;
    let mut hindbrain =
        Member::<_, Drive>::new(context, hindbrain::specification(), hindbrain::Params::read)?;

    let desired = joystick.inputs.names().resolve("~/desired");
    let names = arbiter.inputs.names().clone();
    let wiring = Wiring {
        stick: Some(desired.clone()),
        own: vec![
            names.resolve(arbiter_node::COMMAND),
            zones.inputs.names().resolve(zones_node::COMMAND),
            hindbrain.inputs.names().resolve(hindbrain_node::APPLIED),
        ],
    };
    // A conflict is refused with the parameter's value where the topics are subscribed to, before any node runs.
    let stick = wiring.stick_of(&arbiter.params, |topic| names.resolve(topic));
    if stick == Ok(None) {
        log::info!(target: arbiter_node::NAME, "no source has the topic '{desired}': the stick drives nothing");
    }
    arbiter_node::await_locks(&arbiter.node, &names, &arbiter.params);
    let (mut joystick_topics, joystick_parts) =
        joystick_node::Parts::new(&mut joystick.node, joystick.inputs.names())?;
    let mut arbiter_topics = arbiter_node::Topics::new(&mut arbiter.node, &arbiter.params, &names)?;
    let mut zones_topics = zones_node::Topics::new(&mut zones.node, &zones.params)?;
    let mut picture = zones_node::Picture::new(&mut zones.node)?;
    let arbiter_stage = StageTopic::new(&mut arbiter.node, &names, arbiter_node::NAME)?;
    let zones_stage = StageTopic::new(&mut zones.node, zones.inputs.names(), zones_node::NAME)?;
    // The topics that stop are subscribed to before those that move.
    let driver = hindbrain_node::driver(hindbrain.set())?;
    let Member { node, params, inputs, .. } = &mut hindbrain;
    let (mut hindbrain_topics, hindbrain_parts) =
        hindbrain_node::Parts::new(node, inputs, params, driver.as_ref(), true)?;
    joystick_topics.desired.for_subscribers_only();
    arbiter_topics.command.for_subscribers_only();
    zones_topics.command.for_subscribers_only();
    let nodes = [&joystick.node, &arbiter.node, &zones.node, &hindbrain.node];
    let called = nodes.map(|node| node.name().unwrap_or_default());
    let (shared_params, line) = (arbiter_topics.shared_params.clone(), arbiter_topics.line.clone());
    let (arbiter_latency, zones_latency) =
        (arbiter_topics.command.latency.clone(), zones_topics.command.latency.clone());

    let stages = Stages {
        joystick: Joystick::new(joystick.params.clone()),
        arbiter: Arbiter::new(arbiter.params.clone()),
        zones: ZoneScaler::new(zones.params.clone()),
        hindbrain: Hindbrain::new(hindbrain.params),
    };
    let mut mismatches = Mismatches::default();
    mismatches.warn(&stages);
    let acts = hindbrain_topics.acts();
    let shell = Shell::new(Drive::new(stages, stick.ok().flatten()), Some(Input::ClockRead), move |output| {
        match output {
            Output::Hindbrain(output) => hindbrain_topics.publish(output),
            Output::Zones(output) => zones_topics.publish(output),
            Output::Arbiter(output) => arbiter_topics.publish(output),
            Output::Joystick(output) => joystick_topics.publish(output),
        }
    })
    .act_first(move |output| {
        if let Output::Hindbrain(output) = &output {
            acts(output);
        }
        Some(output)
    });

    let Member { node, params, inputs, .. } = &mut zones;
    zones_node::subscribe(inputs, node, params, true)?;
    let set = joystick.set().clone();
    let Member { node, params, inputs, .. } = &mut joystick;
    let pads = joystick_node::subscribe(inputs, node, &shell, &set, &params.joy_input)?;

    let hindbrain = hindbrain.runner(&shell, |set| {
        Ok(Input::Hindbrain(hindbrain::Input::ParametersChanged(hindbrain::Params::read(set)?)))
    })?;
    let hindbrain =
        hindbrain.managed(|active| Input::Hindbrain(hindbrain::Input::ActivityChanged(active)))?;
    let explain = move |drive: &Drive| {
        let mut stages = drive.explain();
        stages.iter_mut().zip(&called).for_each(|(stage, node)| stage.call(node));
        stages
    };
    let hindbrain = hindbrain_parts.add_tasks(hindbrain, &shell, explain);
    let drawn = shell.clone();
    let zones = zones
        .runner(&shell, |set| Ok(Input::Zones(zones::Input::ParametersChanged(zones::Params::read(set)?))))?
        .managed(|active| Input::Zones(zones::Input::ActivityChanged(active)))?
        .status(move |drive| zones_latency.report(zones_node::status(&drive.stages().zones)))
        .log_levels()
        .task(move |_| picture.draw(&drawn))
        .task(zones_stage.task::<ZoneScaler, _>(&shell));
    let (for_stick, for_topics) = ((names.clone(), wiring.clone()), (names.clone(), wiring));
    let arbiter = arbiter
        .runner(&shell, move |set| {
            let params = arbiter::Params::read(set)?;
            let stick = arbiter_node::stick_of(set, &params, &for_stick.0, &for_stick.1)?;
            Ok(Input::SourcesChanged { params, stick })
        })?
        .managed(|active| Input::Arbiter(arbiter::Input::ActivityChanged(active)))?
        .status(move |drive| {
            mismatches.warn(drive.stages());
            arbiter_latency.report(arbiter_node::status(&drive.stages().arbiter))
        })
        .on_update(move |set| shared_params.update(set))
        .publishes_alone([arbiter_node::COMMAND])
        .task(move |_| line.print())
        .task(arbiter_stage.task::<Arbiter, _>(&shell))
        .subscribe(move |set| arbiter_node::subscriptions(set, &for_topics.0, &for_topics.1))?
        .find_loops_of(arbiter_node::COMMAND)?;
    let joystick = joystick.runner(&shell, |set| {
        Ok(Input::Joystick(joystick::Input::ParametersChanged(joystick::Params::read(set)?)))
    })?;
    let joystick = joystick.managed(|active| Input::Joystick(joystick::Input::ActivityChanged(active)))?;
    let joystick = joystick_parts.add_tasks(joystick, &shell, pads, stop)?;

    let mut runners = [hindbrain, zones, arbiter, joystick].map(with);
    let alarm = shell.start_alarm()?;
    let ended = run_together(stop, &mut runners);
    drop(alarm);
    let last = [
        Input::Joystick(joystick::Input::Stopping),
        Input::Arbiter(arbiter::Input::Stopping),
        Input::Zones(zones::Input::Stopping),
        Input::Hindbrain(hindbrain::Input::Stopping),
    ];
    start::finish(&shell, stop, last);
    drop(runners); // and with them the topics, which the final messages needed
    ended
}

/// The parameters of different nodes that do not fit, as they were logged last.
#[derive(Default)]
struct Mismatches(Vec<String>);

impl Mismatches {
    /// Logs those that are new.
    fn warn(&mut self, stages: &Stages) {
        let found = stages.mismatches();
        for sentence in found.iter().filter(|sentence| !self.0.contains(sentence)) {
            log::warn!(target: NAME, "{sentence}");
        }
        self.0 = found;
    }
}

/// Refuses a node name for the whole process, since each of its nodes would take it.
fn refuse_one_name(mut arguments: impl Iterator<Item = String>) -> Result<(), Error> {
    match arguments.find(|argument| argument.starts_with("__node:=") || argument.starts_with("__name:=")) {
        None => Ok(()),
        Some(rule) => Err(Error::Start(format!(
            "'{rule}' would rename all nodes of the process to the same; name the one that is meant: hindbrain:{rule}"
        ))),
    }
}

/// Runs each node on a thread of its own. If one of them panics all end: the final messages stop the motors.
fn run_together(stop: &Stop, runners: &mut [Runner<Drive>]) -> Result<(), Error> {
    let panicked = thread::scope(|scope| {
        let threads: Vec<_> = runners
            .iter_mut()
            .map(|runner| {
                let ends = StopOnDrop::new(stop);
                let thread = thread::Builder::new().name(runner.name().into());
                thread.spawn_scoped(scope, move || runner.run(ends.stop()))
            })
            .collect();
        // A thread that did not start ends the others, since its `StopOnDrop` was dropped.
        let ended = threads.into_iter().map(|thread| thread.map_or(true, |thread| thread.join().is_err()));
        // All threads are joined, or the scope would panic for the panic of one that was not.
        ended.fold(false, |any, panicked| any | panicked)
    });
    if panicked {
        return Err(Error::Start("a node panicked or did not start; the reason is printed above".into()));
    }
    Ok(())
}
