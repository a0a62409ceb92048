//! `cargo xtask run|demo|bench`: builds the executables and becomes one of them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::environment::Environment;
use crate::process::{become_it, succeeds};
use crate::report::{Failure, Outcome, step};
use crate::root::Root;
use crate::setup;

/// The executables that are no nodes and have a command of their own.
const TOOLS: &[&str] = &["demo", "bench"];

/// Sets up, builds, and becomes `name` with `arguments`; returns only with a failure.
///
/// # Errors
/// An unknown name, a failed setup or build.
pub fn run(root: &Root, name: &str, arguments: &[String], isolated: bool) -> Outcome<()> {
    let known = executables(root);
    if !known.iter().any(|executable| executable == name) {
        let nodes: Vec<&str> =
            known.iter().map(String::as_str).filter(|known| !TOOLS.contains(known)).collect();
        return Err(Failure::new(format!("there is no {name}; there are: {}", nodes.join(", "))));
    }
    setup::run(root)?;
    let mut environment = Environment::new(root);
    if isolated {
        let (isolated, sentence) = environment.isolated(root)?;
        environment = isolated;
        step(sentence);
    }
    step("building the executables");
    let mut cargo = Command::new("cargo");
    cargo.args(["build", "--quiet", "-p", "nodes"]).current_dir(root.path());
    if !succeeds(environment.apply(&mut cargo))? {
        return Err(Failure::new("the executables could not be built"));
    }
    Err(become_it(environment.apply(&mut Command::new(root.executables().join(name))).args(arguments)))
}

/// The names of the executables of the crate `nodes`, sorted.
fn executables(root: &Root) -> Vec<String> {
    let manifest = fs::read_to_string(root.join("crates/nodes/Cargo.toml")).unwrap_or_default();
    let mut names = declared(&manifest);
    let files = fs::read_dir(root.join("crates/nodes/src/bin")).into_iter().flatten().flatten();
    names.extend(files.filter_map(|entry| stem(&entry.path())));
    names.sort();
    names.dedup();
    names
}

/// `src/bin/NAME.rs` or `src/bin/NAME/main.rs`.
fn stem(path: &Path) -> Option<String> {
    let is_one = path.extension().is_some_and(|e| e == "rs") || path.join("main.rs").is_file();
    is_one.then(|| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()))?
}

/// The names of the `[[bin]]` tables of a manifest.
fn declared(manifest: &str) -> Vec<String> {
    let tables = manifest.split("[[bin]]").skip(1);
    let name = |table: &str| {
        let lines = table.lines().take_while(|line| !line.starts_with('['));
        let value = lines.filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim() == "name")?.1;
        Some(value.trim().trim_matches('"').to_owned())
    };
    tables.filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_executables_are_found() {
        let manifest = "[package]\nname = \"nodes\"\n[[bin]]\nname = \"demo\"\npath = \"x\"\n\n[[bin]]\npath = \"y\"\n\
                        name = \"joystick\"\n[dependencies]\nname = \"no\"\n";
        assert_eq!(declared(manifest), ["demo", "joystick"]);
    }

    #[test]
    fn a_file_of_another_kind_is_no_executable() {
        assert_eq!(stem(Path::new("/x/steersman.rs")), Some("steersman".to_owned()));
        assert_eq!(stem(Path::new("/x/README.md")), None);
    }
}
