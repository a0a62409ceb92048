//! Node `chair`: drives a LUCI wheelchair and publishes its odometry.
//!
//! | file | idea |
//! |---|---|
//! | `inputs` | its subscriptions |
//! | `topics` | what it publishes |
//! | `services` | the LUCI services that it calls, and its own |

mod inputs;
mod services;
mod topics;

use chair::{Chair, ChairInput, ChairOutput, Input, Output, Params, State, specification};
use ros::{Error, Runner, Shell, Status, Stop};
use why::Explain;

use self::services::Services;
use self::topics::Topics;
use crate::start::{self, Member};
use crate::why::Why;

/// The node's name, which is also its executable and its key in a YAML file.
pub const NAME: &str = "chair";

fn status(chair: &Chair) -> Status {
    let mut status = Status::of(chair.health(), chair.report());
    for (key, value) in chair.odometry().report() {
        status = status.with(format!("odometry: {key}"), value);
    }
    status.with("odometry: health", chair.odometry().health().1)
}

/// Runs the node until `stop` is set, and then until the chair is released.
/// # Errors
/// The node does not start, or it panicked.
pub fn run(context: &r2r::Context, stop: &Stop) -> Result<(), Error> {
    run_with(context, stop, |runner| runner)
}

/// Runs the node as [`run`] does, after `with` has changed its runner. Tests use this to inject a fault.
/// # Errors
/// The node does not start, or it panicked.
pub fn run_with(
    context: &r2r::Context,
    stop: &Stop,
    with: impl FnOnce(Runner<Chair>) -> Runner<Chair>,
) -> Result<(), Error> {
    let mut member = Member::new(context, specification(), Params::read)?;
    let params = member.params.clone();
    let services = Services::new(&mut member.node, member.inputs.names(), params.remote.mode)?;
    let mut topics = Topics::new(&mut member.node, &params)?;
    let why = Why::new(&mut member.node, member.inputs.names(), NAME, false)?;
    inputs::subscribe(&mut member.inputs, &mut member.node, &params)?;
    let chair = Chair::new(&params);
    let final_messages = chair.remote().final_outputs();
    let broken = services.when_broken(topics.remote(), final_messages);
    let calls = services.clone();
    let clock_read = |stamp| ChairInput::Remote(Input::ClockRead(stamp));
    let shell = Shell::new(chair, Some(clock_read), move |output| match output {
        ChairOutput::Remote(Output::Call(service)) => calls.call(service),
        output => {
            if output == ChairOutput::PublishState(State::Inactive) {
                calls.release();
            }
            topics.publish(output);
        }
    });
    let runner = member
        .runner(&shell, |set| Params::read(set).map(ChairInput::ParametersChanged))?
        .managed(|is_active| ChairInput::Remote(Input::ActivityChanged(is_active)))?;
    let presence = services.clone();
    let runner = runner
        .sleep_longer_at_rest()
        .status(move |chair| presence.report(status(chair)))
        .task(services.answers(shell.clone()))
        .task(why.task(shell.clone(), |chair| [chair.explain()], |_| ()))
        .count_publishers([topics::REMOTE], |_, count| {
            ChairInput::Remote(Input::StickPublishersCounted(count))
        });
    let runner = with(services::serve(runner)?);
    if params.node.activate {
        shell.deliver(ChairInput::Remote(Input::Activated));
        if !shell.inspect(|chair| chair.remote().is_active()) {
            log::warn!(target: NAME, "the parameter activate does nothing, since the node does not start active: call ~/activate once it is");
        }
    }
    let last = ChairInput::Remote(Input::Stopping);
    start::run_until_finished(runner, stop, &shell, last, |chair| chair.remote().is_finished(), broken)
}

/// The answer of `~/activate`.
fn activation_result(chair: &Chair, activate: bool) -> String {
    let state = chair.remote().state();
    match (activate, state) {
        (true, State::Inactive) if !chair.remote().is_active() => {
            "the node's life cycle is not active".into()
        }
        (true, State::Inactive) => "the node is about to end, or the request waited while it was held".into(),
        (false, State::Inactive) => "inactive".into(),
        _ => format!("{}; ~/state reports the result", state.as_str()),
    }
}
