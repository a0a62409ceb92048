//! A failed test executable runs once more, alone.

use std::collections::{BTreeMap, BTreeSet};

use crate::process::Ended;
use crate::report::{Outcome, step};

/// Repeats once, alone, each of the test executables of which cargo reports in `output` that it failed: on a busy machine one that
/// measures may fail because of what ran beside it. Returns whether there were some and each of them passed.
/// * `beside`: the package beside which it is built as before
/// * `run`: runs `cargo test` with these arguments
///
/// # Errors
/// One of them cannot be started.
pub fn repeat_alone(
    output: &str,
    beside: &str,
    mut run: impl FnMut(&[&str]) -> Outcome<Ended>,
) -> Outcome<bool> {
    let targets: BTreeSet<&str> = output.lines().filter_map(failed_target).collect();
    let mut passed = !targets.is_empty();
    for target in targets {
        step(format_args!("repeating alone what failed beside others: cargo test {target}"));
        let words: Vec<&str> = target.split_whitespace().chain(["-p", beside]).collect();
        let ended = run(&words)?;
        eprintln!("{}{}", ended.out, ended.err);
        passed &= ended.success;
    }
    Ok(passed)
}

/// The arguments with which cargo runs again the tests that failed according to this line.
fn failed_target(line: &str) -> Option<&str> {
    line.split_once("to rerun pass `")?.1.split_once('`').map(|(arguments, _)| arguments)
}

/// The tests over DDS that failed, also alone, according to the record of how each ended.
pub fn failed_tests(record: &str) -> Vec<&str> {
    let lines = record.lines().filter_map(|line| line.split_once('\t'));
    let last: BTreeMap<&str, &str> =
        lines.filter_map(|(outcome, rest)| Some((rest.split('\t').next()?, outcome))).collect();
    last.into_iter().filter(|(_, outcome)| *outcome == "failed").map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::{failed_tests, repeat_alone};
    use crate::environment::clean;
    use crate::process::capture;

    #[test]
    fn tests_that_failed_twice_are_named() {
        let record = "failed\ta.py::once\trow\nfailed\ta.py::[x 1]\t\npassed\ta.py::once\trow\nfailed\ta.py::[x 1]\t\n";
        assert_eq!(failed_tests(record), ["a.py::[x 1]"]);
    }

    #[test]
    fn what_failed_beside_others_is_repeated_once_and_alone() {
        let folder = std::env::temp_dir().join(format!("xtask-repeat-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("tests")).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write(
            "Cargo.toml",
            "[package]\nname = \"workspace_hack\"\nedition = \"2024\"\n[lib]\npath = \"lib.rs\"\n[workspace]\n",
        );
        write("lib.rs", "#[test]\nfn passes() {}\n");
        // `once` passes the second time, `twice` the third.
        let passes_after = |times: usize, name: &str| {
            let count = format!("std::fs::read_to_string(\"{name}\").unwrap_or_default().len()");
            let next = format!("std::fs::write(\"{name}\", \"x\".repeat(count + 1)).unwrap()");
            write(
                &format!("tests/{name}.rs"),
                &format!(
                    "#[test]\nfn passes() {{ let count = {count}; {next}; assert!(count >= {times}); }}\n"
                ),
            );
        };
        let run = |words: &[&str]| {
            let mut command = Command::new(env!("CARGO"));
            command.args(["test", "--quiet", "--offline", "--target-dir=target"]).args(words);
            capture(clean(&mut command).current_dir(&folder))
        };
        passes_after(1, "once");
        let mut repeated = Vec::new();
        let all = run(&["--no-fail-fast"]).unwrap();
        assert!(!all.success, "{}{}", all.out, all.err);
        assert!(
            repeat_alone(&all.err, "workspace_hack", |words| {
                repeated.push(words.join(" "));
                run(words)
            })
            .unwrap()
        );
        assert_eq!(repeated, ["--test once -p workspace_hack"], "{}", all.err);
        passes_after(2, "twice");
        let all = run(&["--no-fail-fast"]).unwrap();
        assert!(!all.success && !repeat_alone(&all.err, "workspace_hack", run).unwrap(), "it failed twice");
        // Nothing ran if it was not built: there is nothing to repeat.
        write("lib.rs", "fn");
        let all = run(&["--no-fail-fast"]).unwrap();
        assert!(!all.success && !repeat_alone(&all.err, "workspace_hack", run).unwrap(), "{}", all.err);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
