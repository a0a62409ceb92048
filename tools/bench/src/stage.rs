//! The equipment of all measurements, and the processes that run beside the bench.

use std::time::Duration;

use processes::{Folder, Process};
use ros::{Stop, clock};

use crate::arguments::Arguments;

/// Result of something that may be impossible to measure, for whatever reason.
pub type Result<T> = core::result::Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// How long processes get to start and to find each other.
pub const START: Duration = Duration::from_secs(15);
/// How long a process may take to end after a signal.
const LONGEST_END: Duration = Duration::from_secs(10);
/// The period at which a request to end is noticed.
const CHECK_PERIOD: Duration = Duration::from_millis(100);

/// Equipment that all measurements need.
pub struct Stage {
    /// The user's arguments.
    pub arguments: Arguments,
    /// The user's request to end.
    pub stop: Stop,
    /// ROS context of the bench's nodes.
    pub context: r2r::Context,
    /// Where parameter files and outputs go.
    folder: Folder,
}

/// The request to end, set by signals.
/// # Errors
/// The operating system refused the handlers.
pub fn on_signals() -> Result<Stop> {
    Ok(Stop::on_signals(LONGEST_END)?)
}

/// Checks that the user has not requested the end.
/// # Errors
/// The user has.
pub fn check(stop: &Stop) -> Result<()> {
    if stop.is_set() { Err("interrupted".into()) } else { Ok(()) }
}

impl Stage {
    /// Starts this process again in a ROS domain of its own, unless it is in one.
    /// # Errors
    /// The operating system or the middleware refuses something.
    pub fn new(arguments: Arguments) -> Result<Self> {
        isolation::ensure()?;
        Ok(Self { arguments, stop: on_signals()?, context: ros::context()?, folder: Folder::new("bench")? })
    }

    /// Writes `text` to the file `name` in the folder; returns the file's path.
    /// # Errors
    /// It cannot be written.
    pub fn put(&self, name: &str, text: &str) -> Result<String> {
        Ok(self.folder.put(name, text)?.to_string_lossy().into_owned())
    }

    /// Starts an executable beside this one, its name followed by its arguments, in another ROS domain if one is given. An argument
    /// that is the name of a file in the folder stands for its path.
    /// # Errors
    /// There is no such executable.
    pub fn start(&self, command: &[&str], domain: Option<u8>) -> Result<Process> {
        let (name, arguments) = command.split_first().ok_or("a command has no name")?;
        let path = |word: &&str| Some(self.folder.path().join(word)).filter(|path| path.is_file());
        let arguments = arguments.iter().map(|word| path(word).unwrap_or_else(|| word.into()));
        Ok(Process::start(name, arguments, domain, &self.folder)?)
    }

    /// Measures `what` while the processes of `commands` run, and ends all of them together.
    /// # Errors
    /// One does not start, or `measure` fails; the error has the output of all.
    pub fn with<T>(
        &self,
        what: &str,
        commands: &[&[&str]],
        measure: impl FnOnce(&[Process]) -> Result<T>,
    ) -> Result<T> {
        let started = commands.iter().map(|command| self.start(command, None));
        let mut children = started.collect::<Result<Vec<_>>>()?;
        let measured = measure(&children);
        processes::end(&mut children);
        self.explained(what, &children, measured)
    }

    /// The result, whose error names `what` and has the output of `children`.
    /// # Errors
    /// The result is one, or the user has requested the end.
    pub fn explained<T>(&self, what: &str, children: &[Process], measured: Result<T>) -> Result<T> {
        check(&self.stop)?;
        measured.map_err(|why| {
            let outputs: Vec<String> = children.iter().map(Process::output).collect();
            format!("{what} could not be measured: {why}\n{}", outputs.join("\n")).into()
        })
    }

    /// Waits.
    /// # Errors
    /// The user has requested the end.
    #[allow(clippy::disallowed_methods)] // a measurement of other processes does nothing else
    pub fn pause(&self, time: Duration) -> Result<()> {
        let end = clock::now() + time;
        while clock::now() < end {
            check(&self.stop)?;
            std::thread::sleep(end.since(clock::now()).min(CHECK_PERIOD));
        }
        Ok(())
    }
}
