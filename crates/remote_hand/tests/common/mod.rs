//! The analytic hand in a process of its own: this test executable, started again.
#![allow(dead_code, clippy::unwrap_used)] // not every test uses everything

use std::process::Command;
use std::time::Duration;

use haptix::{AnalyticHand, BUILTIN, Model};
use remote_hand::{RemoteHand, StartError, serve, socket_of_stdin};

const SERVES: &str = "STEERSMAN_TEST_SERVES_A_HAND";

/// The body of the test `serving`, which is the other process.
pub fn serve_if_started_for_it() {
    if std::env::var_os(SERVES).is_some() {
        let make = |start: &remote_hand::Start| {
            let model = Model::parse(&start.description).map_err(|error| error.to_string())?;
            Ok(AnalyticHand::new(model, start.seed))
        };
        let outcome = serve(socket_of_stdin().unwrap(), make);
        std::process::exit(i32::from(outcome.is_err()));
    }
}

pub fn program() -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "serving", "--nocapture"]).env(SERVES, "1");
    command
}

pub fn start(description: &str, seed: u64, timeout: Duration) -> Result<RemoteHand, StartError> {
    RemoteHand::start_with(program(), Model::parse(description).unwrap(), description, seed, timeout)
}

pub fn two_finger(timeout: Duration) -> RemoteHand {
    start(BUILTIN[2].1, 1, timeout).unwrap()
}
