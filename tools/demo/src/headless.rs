use std::time::Duration;

use ros::{Shell, Stop, clock};
use safety::{Instant, Machine};

use crate::children::Children;
use crate::error::Error;
use crate::print;

/// How long the nodes may take to publish.
const START_TIME: Duration = Duration::from_secs(20);
/// How often to check the nodes and the script.
const POLL_PERIOD: Duration = Duration::from_millis(50);
/// How often to print the progress.
const PROGRESS: Duration = Duration::from_secs(1);

/// How far an operator is.
#[derive(Clone, Debug)]
pub enum Progress {
    /// The nodes are starting; these topics are without a message.
    Starting(Vec<&'static str>),
    /// The script plays since this time.
    Playing(Instant),
    /// The script is over.
    Finished,
}

/// Plays the script to its end, and prints a `line` of progress every second.
/// # Errors
/// A node ended or published nothing, or the user interrupted.
pub fn run<M: Machine>(
    shell: &Shell<M>,
    children: &mut Children,
    stop: &Stop,
    progress: impl Fn(&M) -> Progress,
    line: impl Fn(&M) -> String,
) -> Result<(), Error> {
    let started = clock::now();
    let mut progress_due = started;
    print(format_args!("the nodes are starting; their logs are in {}", children.folder().display()));
    loop {
        if stop.is_set() {
            return Err(Error::Interrupted);
        }
        if let Some(error) = children.ended() {
            return Err(error);
        }
        let now = clock::now();
        match shell.inspect(&progress) {
            Progress::Finished => return Ok(()),
            Progress::Starting(topics) if now >= started + START_TIME => {
                return Err(Error::NoMessage { topics, seconds: START_TIME.as_secs() });
            }
            Progress::Playing(began) if now >= progress_due => {
                progress_due = now + PROGRESS;
                print(format_args!("{:5.1} s  {}", now.since(began).as_secs_f64(), shell.inspect(&line)));
            }
            _ => {}
        }
        std::thread::park_timeout(POLL_PERIOD);
    }
}
