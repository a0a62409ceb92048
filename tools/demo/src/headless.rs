use std::time::Duration;

use ros::{Shell, Stop, clock};
use safety::Machine;

use crate::children::Children;
use crate::error::Error;
use crate::pilot::{Pilot, Place};
use crate::print;

/// How long the nodes may take to publish.
const START_TIME: Duration = Duration::from_secs(20);
/// How often to check the nodes and the script.
const POLL_PERIOD: Duration = Duration::from_millis(50);
/// How often to print the progress.
const PROGRESS: Duration = Duration::from_secs(1);

/// Plays the script to its end, and prints a `line` of progress every second; `place`: the source of the operator's input, and the topics
/// without a message.
/// # Errors
/// A node ended or published nothing, or the user interrupted.
pub fn run<M: Machine, K>(
    shell: &Shell<M>,
    children: &mut Children,
    stop: &Stop,
    place: impl Fn(&M) -> (Pilot<K>, Vec<&'static str>),
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
        match shell.inspect(&place) {
            (Pilot::Finished(_), _) => return Ok(()),
            (Pilot::Starting, topics) if now >= started + START_TIME => {
                return Err(Error::NoMessage { topics, seconds: START_TIME.as_secs() });
            }
            (Pilot::Script(Place { began, .. }), _) if now >= progress_due => {
                progress_due = now + PROGRESS;
                print(format_args!("{:5.1} s  {}", now.since(began).as_secs_f64(), shell.inspect(&line)));
            }
            _ => {}
        }
        std::thread::park_timeout(POLL_PERIOD);
    }
}
