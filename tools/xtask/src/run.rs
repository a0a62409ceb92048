//! `cargo xtask run|demo|bench`: builds the executables and runs one of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::environment::Environment;
use crate::process::{replace_process, require};
use crate::report::{Failure, Outcome, step};
use crate::root::Root;
use crate::setup;
use crate::test::HACK;

/// The tools that run beside the nodes, each a package of this name.
pub const TOOLS: [&str; 3] = ["steersman-controller", "steersman-joystick", "steersman-why"];

/// The profile for tests, and the one for a robot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Profile {
    Dev,
    Release,
}

/// Sets up, builds for a robot, and replaces this process by the node or tool `name` with `arguments`; returns only with a failure.
///
/// # Errors
/// An unknown name, a failed setup or build.
pub fn node(root: &Root, name: &str, arguments: &[String]) -> Outcome<()> {
    let mut known = nodes(root);
    known.extend(TOOLS.map(String::from));
    if !known.iter().any(|node| node == name) {
        return Err(Failure::new(format!("there is no {name}; there are: {}", known.join(", "))));
    }
    setup::run(root)?;
    build_and_run(root, &Environment::new(root), name, Profile::Release, arguments)
}

/// Sets up, builds, and replaces this process by the demo, on this machine alone; returns only with a failure.
///
/// # Errors
/// A failed setup or build.
pub fn demo(root: &Root, arguments: &[String]) -> Outcome<()> {
    tool(root, "demo", Profile::Dev, arguments)
}

/// Sets up, builds for a robot, and replaces this process by the bench, on this machine alone; returns only with a failure.
///
/// # Errors
/// A failed setup or build.
pub fn bench(root: &Root, arguments: &[String]) -> Outcome<()> {
    tool(root, "bench", Profile::Release, arguments)
}

fn tool(root: &Root, name: &str, profile: Profile, arguments: &[String]) -> Outcome<()> {
    setup::run(root)?;
    let (environment, sentence) = Environment::new(root).isolated(root)?;
    step(sentence);
    build_and_run(root, &environment, name, profile, arguments)
}

fn build_and_run(
    root: &Root,
    environment: &Environment,
    name: &str,
    profile: Profile,
    arguments: &[String],
) -> Outcome<()> {
    step("building what has changed; a first build takes minutes");
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--bins"]).current_dir(root.path());
    if !TOOLS.contains(&name) {
        cargo.args(["-p", "nodes"]);
    }
    if !nodes(root).iter().any(|node| node == name) {
        cargo.args(["-p", name]);
    }
    let folder = match profile {
        Profile::Dev => {
            cargo.args(["-p", HACK]); // so that r2r is the one of the tests
            "debug"
        }
        Profile::Release => {
            cargo.arg("--release");
            if name == "bench" {
                // It starts them by cargo; they decide the features of what all of them share.
                cargo.args(["--bench", "steps"]);
            }
            "release"
        }
    };
    require(environment.apply(&mut cargo), "the executables could not be built")?;
    let path = root.target().join(folder).join(name);
    Err(replace_process(environment.apply(&mut Command::new(path)).args(arguments)))
}

/// The names of the nodes' executables, sorted.
fn nodes(root: &Root) -> Vec<String> {
    let files = fs::read_dir(root.join("crates/nodes/src/bin")).into_iter().flatten().flatten();
    let mut names: Vec<_> = files.filter_map(|entry| stem(&entry.path())).collect();
    names.sort();
    names
}

/// The `NAME` of `NAME.rs`.
fn stem(path: &Path) -> Option<String> {
    let is_one = path.extension().is_some_and(|extension| extension == "rs");
    is_one.then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_kind_is_not_an_executable() {
        assert_eq!(stem(Path::new("/x/steersman.rs")), Some("steersman".to_owned()));
        assert_eq!(stem(Path::new("/x/README.md")), None);
    }

    #[test]
    fn the_nodes_are_found() {
        let found = nodes(&Root::find().unwrap());
        assert!(
            ["hindbrain", "steersman"].iter().all(|name| found.iter().any(|node| node == name)),
            "{found:?}"
        );
    }
}
