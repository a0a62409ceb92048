//! `cargo xtask soak [SECONDS]`: random faults on the stop machine, and then on the node over DDS.

use std::process::Command;

use crate::environment::{Environment, detect, inherited};
use crate::process::succeeds;
use crate::prove;
use crate::report::{Failure, Outcome, step};
use crate::root::Root;
use crate::setup::{self, python};

/// Ten minutes.
pub const SECONDS: u64 = 600;

/// Lets random faults loose for `seconds`, first through the machine's step function, then over DDS.
///
/// # Errors
/// A broken invariant, or memory that grew; the seed that leads there has been printed.
pub fn run(root: &Root, seconds: u64) -> Outcome<()> {
    setup::run(root)?;
    prove::run(root, Some(seconds))?;
    let (environment, sentence) = Environment::new(root).isolated(root)?;
    step(sentence);
    step("building the executables");
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--quiet", "-p", "nodes", "-p", "scenarios"]).current_dir(root.path());
    if !succeeds(environment.apply(&mut cargo))? {
        return Err(Failure::new("the executables could not be built"));
    }
    for (script, what) in
        [("soak.py", "faults over DDS, one upon the other"), ("episodes.py", "faults over DDS, one by one")]
    {
        step(format_args!("{what}, for {seconds} s"));
        let mut soak = Command::new(python::of_ros(root, &detect(&inherited), &environment));
        soak.args([script, "--seconds", &seconds.to_string()]).current_dir(root.join("tests/ros"));
        if !succeeds(environment.apply(&mut soak).env("PYTHONDONTWRITEBYTECODE", "1"))? {
            return Err(Failure::new("the soak found something: see above"));
        }
    }
    Ok(())
}
