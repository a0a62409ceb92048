//! `cargo xtask soak [SECONDS]`: random faults on the stop machine and on the machines of the chain, raw inputs for every
//! machine, faults on the nodes over DDS, and bad links between two hosts.

use std::process::Command;

use crate::environment::{Environment, cargo_without_ros, detect, inherited};
use crate::process::require;
use crate::prove;
use crate::report::{Outcome, step};
use crate::root::Root;
use crate::setup::{self, python};

/// Ten minutes.
pub const SECONDS: u64 = 600;

/// Injects random faults into the stop machine for `seconds`, then plays episodes of faults on it and on the machines of the
/// chain, then 10^8 raw inputs on all machines, then faults over DDS, each for `seconds`: on hindbrain and on the chain. At the
/// end it cuts the link between two hosts, lets it stand still while something is stopped, and ends hindbrain and its neighbours in random
/// orders.
///
/// # Errors
/// A broken invariant, or memory that grew; the seed that leads to it has been printed.
pub fn run(root: &Root, seconds: u64) -> Outcome<()> {
    setup::run(root)?;
    prove::run(root, Some(seconds))?;
    episodes(root)?;
    fuzz(root)?;
    let (environment, sentence) = Environment::new(root).isolated(root)?;
    step(sentence);
    step("building what has changed; a first build takes minutes");
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--quiet", "-p", "nodes", "-p", "scenarios"]).current_dir(root.path());
    require(environment.apply(&mut cargo), "the executables could not be built")?;
    for setup in ["hindbrain", "together", "apart"] {
        step(format_args!("faults over DDS, on {setup}, for {seconds} s"));
        let mut soak = Command::new(python::of_ros(root, &detect(&inherited), &environment));
        soak.args(["harness/episodes.py", "--seconds", &seconds.to_string(), "--setup", setup]);
        soak.current_dir(root.join("tests/ros"));
        require(environment.apply(&mut soak).env("PYTHONDONTWRITEBYTECODE", "1"), FOUND)?;
    }
    // A loss and the recovery take some ten seconds, and there are two kinds.
    let cuts = (seconds / 20).max(1);
    step(format_args!(
        "the link between two hosts, which are network namespaces, is cut {cuts} times and stands still as often"
    ));
    let hosts = |tests: &str, filter: &str, count: (&str, u64)| {
        let mut hosts = Command::new(python::of_ros(root, &detect(&inherited), &environment));
        hosts.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", filter, tests]);
        hosts.current_dir(root.join("tests/ros")).env(count.0, count.1.to_string());
        require(environment.apply(&mut hosts).env("PYTHONDONTWRITEBYTECODE", "1"), FOUND)
    };
    hosts(HOSTS, "estop", ("LINK_CUTS", cuts))?;
    let stops = (seconds / 6).max(1);
    step(format_args!("{stops} stops of each kind while a far watcher's link stands still"));
    hosts("safety/test_safety_stalls.py", "", ("STALLED_STOPS", stops))?;
    let rounds = (seconds / 15).max(2);
    step(format_args!("{rounds} times hindbrain ends or is held beside an arm and a hand that obey it"));
    hosts("safety/test_safety_neighbours.py", "whatever_happens", ("NEIGHBOUR_ROUNDS", rounds))
}

const FOUND: &str = "the soak found something: see above";

/// The tests of the link between two hosts, in the folder of the tests over DDS.
const HOSTS: &str = "safety/test_safety_hosts.py";

/// The number of episodes on each machine.
const EPISODES: &str = "50000";

/// Faults on the stop machine and on the machines of the chain, with the id of this process as the seed.
fn episodes(root: &Root) -> Outcome<()> {
    let seed = std::process::id().to_string();
    step(format_args!(
        "{EPISODES} faults, alone and together, on the stop machine and on the chain's, from seed {seed}"
    ));
    let tests =
        ["test", "--quiet", "--release", "-p", "hindbrain", "-p", "drive_chain", "--test", "all", "episodes"];
    let mut command = cargo_without_ros(root, &tests);
    let sentence = "a fault violates its bound or its recovery: its seed is printed above";
    require(command.env("EPISODES", EPISODES).env("EPISODES_SEED", seed), sentence)
}

/// Raw inputs for every machine, 10^8 steps in all.
fn fuzz(root: &Root) -> Outcome<()> {
    step("raw inputs for every machine, 100,000,000 steps");
    let tests = ["test", "--quiet", "--release", "-p", "tests", "--test", "fuzz", "--", "soak"];
    let arguments = [&tests[..], &["--exact", "--ignored", "--nocapture"]].concat();
    let sentence = "a machine broke an invariant: its seed is printed above";
    require(&mut cargo_without_ros(root, &arguments), sentence)
}
