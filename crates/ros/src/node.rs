use std::ops::{Deref, DerefMut};
use std::sync::mpsc::channel;
use std::time::Duration;
use std::{panic, thread};

use crate::Error;
use crate::rosout;

/// The process's ROS context; it parses the arguments after `--ros-args`.
/// # Errors
/// Arguments or a parameter file that ROS cannot read.
pub fn context() -> Result<r2r::Context, Error> {
    // r2r panics on a bad argument; the user sees one sentence instead.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = panic::catch_unwind(r2r::Context::create);
    panic::set_hook(hook);
    match result {
        Ok(context) => context.map_err(|error| {
            Error::Start(format!(
                "could not start ROS: {error}; it needs a folder for its log that can be written, ROS_LOG_DIR or .ros/log in HOME"
            ))
        }),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().cloned().unwrap_or_else(|| "unknown reason".into());
            Err(Error::Start(format!("ROS refuses the arguments: {text}")))
        }
    }
}

/// A node in the graph, which is destroyed in bounded time.
///
/// Dropping it removes it from the graph, which usually takes some milliseconds. If the middleware hangs, the node is abandoned
/// after a second, with what it holds of the middleware: the process then has to end by [`exit_at_once`](crate::exit_at_once).
///
/// # Source
/// own: in Fast DDS 2.14 the end of a participant (`DomainParticipant::set_listener`) and the notification that another one
/// leaves can deadlock. Seen when several processes end together.
pub struct Node(Option<r2r::Node>);

/// How long the destruction of a node may take.
const LONGEST: Duration = Duration::from_secs(1);

impl Node {
    /// Creates a node called `name` in the graph, unless the arguments of the process rename it. It publishes its log, if the
    /// program has one.
    /// # Errors
    /// The middleware refuses it.
    pub fn new(context: &r2r::Context, name: &str) -> Result<Self, Error> {
        let node = r2r::Node::create(context.clone(), name, "");
        let mut node = node.map_err(Error::ros(format!("make the node '{name}'")))?;
        if log::max_level() > log::LevelFilter::Off {
            rosout::add(&mut node, name)?;
        }
        Ok(Self(Some(node)))
    }
}

impl Deref for Node {
    type Target = r2r::Node;

    fn deref(&self) -> &r2r::Node {
        self.0.as_ref().unwrap_or_else(|| std::process::abort()) // only `drop` removes it
    }
}

impl DerefMut for Node {
    fn deref_mut(&mut self) -> &mut r2r::Node {
        self.0.as_mut().unwrap_or_else(|| std::process::abort()) // only `drop` removes it
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let Some(node) = self.0.take() else { return };
        runs_in_time(move || drop(node), LONGEST);
    }
}

/// Runs `what` on a thread of its own and returns whether it ended within `longest`. If no thread can be started, `what` is
/// dropped here.
fn runs_in_time(what: impl FnOnce() + Send + 'static, longest: Duration) -> bool {
    let (sender, ended) = channel::<()>();
    let started = thread::Builder::new().name("end".into()).spawn(move || {
        what();
        drop(sender);
    });
    started.is_err() || ended.recv_timeout(longest) != Err(std::sync::mpsc::RecvTimeoutError::Timeout)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slow(millis: u64) -> impl FnOnce() + Send {
        move || thread::park_timeout(Duration::from_millis(millis))
    }

    #[test]
    fn a_node_that_hangs_is_abandoned() {
        assert!(runs_in_time(slow(1), Duration::from_secs(10)));
        assert!(!runs_in_time(slow(1_000_000), Duration::from_millis(10)));
    }
}
