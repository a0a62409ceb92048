//! Checks that the shells, the crate `nodes`, leave decisions about motion and time to the machines, as far as the text shows it.
#![allow(clippy::expect_used)] // a failed expectation is an error of the test's set-up

use std::collections::BTreeSet;
use std::fs;

use tests::{files, root};

/// The files that may read the clock in a condition, and why no machine can do it instead.
const CLOCKS: &[(&str, &str)] = &[
    ("chair/services.rs", "repeats the final messages after a panic, and checks which services exist"),
    ("hindbrain/watch.rs", "stops the motors when the machine's thread hangs"),
    ("joystick/absence.rs", "repeats a log line"),
    ("joystick/log.rs", "limits the wait for the thread that writes files"),
    ("joystick/services.rs", "limits the wait for the thread that writes files"),
    ("mechanism/services.rs", "wakes the node often while a request is young, since r2r cannot be woken"),
    ("mechanism/trial.rs", "ends a process that hangs"),
    ("velocity_arbiter.rs", "limits the rate of a log line"),
];

/// The files that may compare velocities, and why.
const VELOCITIES: &[(&str, &str)] =
    &[("joystick/desired.rs", "the final message after a panic stops a reader that saw motion last")];

/// Marks of a line with a condition.
const CONDITIONS: &[&str] =
    &["if ", "while ", "match ", "&& ", "|| ", ".then(", ".filter(", ".any(", ".all("];
const CLOCK: &[&str] = &["clock::now()", "clock::stamp()", ".elapsed()"];
const VELOCITY: &[&str] =
    &["linear.", "angular.", "is_zero(", "is_neutral(", "is_moving(", "moves.load", "part != 0.0"];

/// The shells' files, without their tests, in which one line has a condition on one of `words`.
fn files_with_conditions_on(words: &[&str]) -> BTreeSet<String> {
    let folder = root().join("crates/nodes/src");
    let mut found = BTreeSet::new();
    for path in files(&folder, &["rs"]) {
        let text = fs::read_to_string(&path).expect("a source file");
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let contains = |line: &str, any: &[&str]| any.iter().any(|word| line.contains(word));
        let is_found = code
            .lines()
            .map(str::trim)
            .any(|line| !line.starts_with("//") && contains(line, CONDITIONS) && contains(line, words));
        let name = path.strip_prefix(&folder).expect("a file of the folder").to_string_lossy().into_owned();
        if is_found && !name.starts_with("simulator") {
            found.insert(name);
        }
    }
    found
}

fn names(list: &[(&str, &str)]) -> BTreeSet<String> {
    list.iter().map(|(name, _)| (*name).to_owned()).collect()
}

#[test]
fn no_shell_decides_by_the_clock() {
    assert_eq!(files_with_conditions_on(CLOCK), names(CLOCKS), "a machine decides by time, see its deadline");
}

#[test]
fn no_shell_decides_by_a_velocity() {
    assert_eq!(files_with_conditions_on(VELOCITY), names(VELOCITIES), "a machine decides what moves");
}
