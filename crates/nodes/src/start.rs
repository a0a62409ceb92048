//! What every executable does before and after its node runs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use params::{Refusal, Set};
use ros::{Error, Level, Parameters, Runner, Shell, Stop};
use units::Machine;

/// The longest sleep of a node whose machine is also driven by other threads, which may bring its deadline forward.
pub const WITH_OTHER_THREADS: Duration = Duration::from_millis(5);
/// How long the last messages get to leave.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// Runs `node` as a process: log, signals, ROS context; the error, if any, becomes one message and exit code 1.
pub fn main(name: &str, node: impl FnOnce(&r2r::Context, &Stop) -> Result<(), Error>) -> ExitCode {
    let run = || {
        let stop =
            Stop::on_signals().map_err(|error| Error::Start(format!("signals cannot be caught: {error}")))?;
        let context = ros::context()?;
        ros::start_logger();
        node(&context, &stop)
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Makes the ROS node `name`.
/// # Errors
/// The middleware refuses it.
pub fn node(context: &r2r::Context, name: &str) -> Result<r2r::Node, Error> {
    r2r::Node::create(context.clone(), name, "").map_err(Error::ros(format!("make the node '{name}'")))
}

/// The namespace that the node lives in.
/// # Errors
/// The middleware does not tell.
pub fn namespace(node: &r2r::Node) -> Result<String, Error> {
    node.namespace().map_err(Error::ros("read the node's namespace"))
}

/// A node's parameters in the machine's types.
/// # Errors
/// A rule over several parameters is broken.
pub fn read<P>(
    name: &str,
    parameters: &Parameters,
    read: fn(&Set) -> Result<P, Refusal>,
) -> Result<P, Error> {
    read(parameters.set()).map_err(|refusal| Error::Parameters { node: name.into(), refusals: vec![refusal] })
}

/// A machine's level, which the machines number as ROS does.
pub fn level(number: u8) -> Level {
    match number {
        0 => Level::Ok,
        1 => Level::Warn,
        2 => Level::Error,
        _ => Level::Stale,
    }
}

/// Runs the node, then lets the machine say its last words, also when the node panicked: a motor must not keep a value
/// because of a mistake of ours.
/// # Errors
/// The node panicked.
pub fn run<M: Machine + 'static>(
    runner: &mut Runner<M>,
    stop: &Stop,
    shell: &Shell<M>,
    last: impl IntoIterator<Item = M::Input>,
) -> Result<(), Error> {
    let ended = catch_unwind(AssertUnwindSafe(|| runner.run(stop)));
    finish(shell, last);
    ended.map_err(|_| Error::Start("it panicked; what was said above is the reason".into()))
}

/// Lets the machine say its last words, one after the other, and gives them time to leave.
#[allow(clippy::disallowed_methods)] // the machine has stopped; nothing waits for this thread
pub fn finish<M: Machine>(shell: &Shell<M>, last: impl IntoIterator<Item = M::Input>) {
    for input in last {
        shell.deliver(input);
    }
    std::thread::sleep(LAST_WORDS);
}
