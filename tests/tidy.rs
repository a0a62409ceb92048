//! The rules of the house, checked.
#![allow(clippy::expect_used)] // what is expected here is the test's own ground

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::process::Command;

use tests::{files, root, specifications};

/// What each crate of the workspace may depend on, of the workspace's own crates and of what decides its layer.
const ARROWS: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("params", &[]),
    ("limiter", &["units"]),
    ("joystick", &["units", "params"]),
    ("arbiter", &["units", "params"]),
    ("zones", &["units", "params"]),
    ("hindbrain", &["units", "params"]),
    ("world", &["units", "params"]),
    ("drive", &["units", "joystick", "arbiter", "zones", "hindbrain"]),
    ("gamepad", &["sdl2", "log"]),
    ("actuator", &["serial2", "log"]),
    ("ros", &["units", "params", "r2r", "futures", "log", "signal-hook"]),
    (
        "nodes",
        &[
            "units",
            "params",
            "joystick",
            "arbiter",
            "zones",
            "hindbrain",
            "drive",
            "world",
            "gamepad",
            "actuator",
            "ros",
            "log",
            "r2r",
            "futures",
            "ratatui",
            "rustix",
        ],
    ),
    ("xtask", &[]),
    ("tests", &["params", "joystick", "arbiter", "zones", "hindbrain", "world", "serde_json"]),
];
/// The crates without ROS, clock, thread and I/O.
const PURE: &[&str] =
    &["units", "params", "limiter", "joystick", "arbiter", "zones", "hindbrain", "world", "drive"];
const LONGEST_FILE: usize = 400;

fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("cargo writes JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let name = |value: &serde_json::Value| value["name"].as_str().expect("a name").to_owned();
    let of = |package: &serde_json::Value| {
        let all = package["dependencies"].as_array().expect("dependencies");
        all.iter().filter(|d| d["kind"].is_null()).map(name).collect()
    };
    packages.iter().map(|package| (name(package), of(package))).collect()
}

#[test]
fn arrows_between_crates_are_the_allowed_ones() {
    let found = dependencies();
    let known: BTreeSet<&str> = ARROWS.iter().map(|(name, _)| *name).collect();
    let members: BTreeSet<&str> = found.keys().map(String::as_str).collect();
    assert_eq!(
        members, known,
        "a crate of the workspace is not in the list of allowed arrows, or the reverse"
    );
    for (name, allowed) in ARROWS {
        for dependency in &found[*name] {
            assert!(
                allowed.contains(&dependency.as_str()),
                "crate '{name}' must not depend on '{dependency}'"
            );
        }
    }
}

#[test]
fn pure_crates_forbid_unsafe_code() {
    for name in PURE {
        let path = root().join("crates").join(name).join("src/lib.rs");
        let text = fs::read_to_string(&path).expect("a library");
        assert!(text.contains("#![forbid(unsafe_code)]"), "{} lacks #![forbid(unsafe_code)]", path.display());
    }
}

#[test]
fn no_file_has_too_many_ideas() {
    let sources = files(&root(), &["rs", "py"]);
    assert!(sources.len() > 50, "only {} source files found", sources.len());
    for path in sources {
        let lines = fs::read_to_string(&path).expect("a source file").lines().count();
        assert!(
            lines <= LONGEST_FILE,
            "{} has {lines} lines, at most {LONGEST_FILE} are allowed",
            path.display()
        );
    }
}

/// Compares `path` with what it is generated to be; with `BLESS=1` writes it instead.
fn generated(path: &str, text: &str) {
    let file = root().join(path);
    if std::env::var_os("BLESS").is_some() {
        fs::write(&file, text).expect("the file can be written");
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == text,
        "{path} is not what the parameters' declarations give; write it anew with `BLESS=1 cargo test -p tests`"
    );
}

#[test]
fn configuration_files_tell_every_parameter() {
    for specification in specifications() {
        generated(&format!("config/{}.yaml", specification.node), &params::yaml(&specification));
    }
}

#[test]
fn the_table_of_parameters_is_complete() {
    let mut page = String::from(
        "# Parameters\n\nOne file per node with every parameter, its description, range and default. This page and those \
         files are\nwritten by the declarations in the crates (`BLESS=1 cargo test -p tests`). `demo.yaml` is the vehicle \
         of `cargo xtask demo`.\n",
    );
    for specification in specifications() {
        let _ = write!(
            page,
            "\n## {}\n\n{}\n\n{}",
            specification.node,
            specification.text,
            params::table(&specification)
        );
    }
    generated("config/README.md", &page);
}

#[test]
fn every_default_is_allowed_and_every_parameter_described() {
    for specification in specifications() {
        for (name, declaration, value) in specification.defaults().iter() {
            assert_eq!(declaration.check(name, value.clone()).as_ref(), Ok(value), "default of '{name}'");
            assert!(!declaration.text.is_empty(), "'{name}' of '{}' has no description", specification.node);
        }
    }
}

#[test]
fn every_node_has_its_launch_file_and_its_executable() {
    for specification in specifications() {
        for path in [
            format!("launch/{}.launch.xml", specification.node),
            format!("config/{}.yaml", specification.node),
            format!("crates/nodes/src/bin/{}.rs", specification.node),
        ] {
            assert!(root().join(&path).is_file(), "{path} is missing");
        }
    }
}
