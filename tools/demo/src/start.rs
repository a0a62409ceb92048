use std::thread;

use nodes::start::{self, Member, StopOnDrop};
use params::Specification;
use ros::{Runner, Stop};
use safety::Machine;

use crate::arguments::Arguments;
use crate::children::Children;
use crate::error::Error;
use crate::other_nodes::{self, OwnTopics};
use crate::{NAME, print};

/// Resources that every demo has at its start.
pub struct Demo {
    /// The user's options.
    pub arguments: Arguments,
    /// The process's ROS context.
    pub context: r2r::Context,
    /// Set by a signal.
    pub stop: Stop,
    /// The ROS domain, for watching from another shell.
    pub domain: u8,
    /// Whether another process of this machine was in it at the start.
    pub is_shared: bool,
}

/// The demo's own node, and the processes of the nodes that it starts: these end last.
pub struct Session<M: Machine> {
    /// The demo's own node.
    pub member: Member<(), M>,
    /// The processes; none yet.
    pub children: Children,
}

impl Demo {
    /// Begins a session, whose node has its purpose in a sentence.
    /// # Errors
    /// The middleware refuses the node, another node uses one of the topics `own`, or the user interrupted.
    pub fn begin<M: Machine + 'static>(
        &self,
        purpose: &'static str,
        own: OwnTopics,
    ) -> Result<Session<M>, Error> {
        let member = Member::new(&self.context, Specification::new(NAME, purpose), |_| Ok(()))?;
        other_nodes::refuse(&member.node, &self.stop, own, self.is_shared)?;
        Ok(Session { member, children: Children::new()? })
    }

    /// Ends the node `name`, which must end well after a good `result` without a `failure` of a headless script.
    /// # Errors
    /// Error of `result`, error of the node, or the failure.
    pub fn conclude(
        &self,
        mut children: Children,
        name: &str,
        result: Result<(), Error>,
        failure: impl FnOnce() -> Option<String>,
    ) -> Result<(), Error> {
        let result = result.and_then(|()| {
            // Before the end of the node, which fails too if it hangs.
            if let Some(sentence) = failure().filter(|_| self.arguments.headless) {
                return Err(Error::Wrong(sentence));
            }
            children.end()?;
            print(format_args!("{name}: ended with exit code 0"));
            Ok(())
        });
        self.end(children, result)
    }

    /// Ends the nodes, and removes their logs unless something failed. Returns `result`.
    /// # Errors
    /// Error of `result`.
    pub fn end(&self, mut children: Children, result: Result<(), Error>) -> Result<(), Error> {
        if result.is_err() {
            children.keep_folder();
            print(format_args!("the nodes' logs are in {}", children.folder().display()));
        }
        drop(children);
        self.stop.set_done();
        result
    }
}

/// Runs the operator's node on a thread of its own, and the user interface here; `last` is the operator's last input.
/// # Errors
/// Error of the interface.
pub fn operate<M: Machine + Send + 'static>(
    mut runner: Runner<M>,
    stop: &Stop,
    last: M::Input,
    interface: impl FnOnce() -> Result<(), Error>,
) -> Result<(), Error> {
    let shell = runner.shell().clone();
    let result = thread::scope(|scope| {
        let (runner, ends) = (&mut runner, StopOnDrop::new(stop));
        scope.spawn(move || runner.run(ends.stop()));
        let _ends = StopOnDrop::new(stop);
        interface()
    });
    start::finish(&shell, &Stop::new(), [last]); // the runner still holds the node that publishes it
    result
}
