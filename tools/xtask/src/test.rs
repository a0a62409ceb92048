//! `cargo xtask test`: everything that CI checks, the cheapest first.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::environment::{Environment, cargo_without_ros, detect, inherited};
use crate::process::{Ended, capture, succeeds};
use crate::repeat::{failed_tests, repeat_alone};
use crate::report::{Failure, Outcome, Watch, seconds, step};
use crate::root::Root;
use crate::setup::{self, debian, python};

/// One part of the test and how it is run.
struct Part {
    name: &'static str,
    /// Advice for its failure.
    hint: &'static str,
    run: fn(&Root) -> Outcome<bool>,
}

const FORMAT: Part =
    Part { name: "format", hint: "run `cargo fmt`", run: |root| pure(root, &["fmt", "--check"]) };

/// Parts that need no ROS, for the change at hand: all but the walk through every state of hindbrain, which takes longer than the rest.
const QUICK: &[Part] = &[
    FORMAT,
    Part {
        name: "tests of the pure crates, without the walk, and clippy",
        hint: "see the test or the warning above",
        run: |root| pure_tests(root, &["--", "--skip", WALK]),
    },
    Part {
        name: "layers, generated files and lengths",
        hint: "see the test above",
        run: |root| pure_tests(root, &["-p", "tests", "-p", HACK, "--test", "tidy"]),
    },
    Part {
        name: "docs of the pure crates",
        hint: "see the warning above",
        run: |root| pure(root, &["doc", "--quiet", "--no-deps"]),
    },
];

const WALK: &str = "every_state_follows_the_document_and_recovers";

const FULL: &[Part] = &[
    FORMAT,
    Part {
        name: "setup, everything built by clippy, tests of the crates that need no ROS",
        hint: "see the test or the warning above",
        run: build_and_test,
    },
    Part { name: "tests over DDS, two side by side", hint: "see the test above", run: pytest_pair },
    Part { name: "tests over DDS, a few side by side", hint: "see the test above", run: pytest_few },
    Part {
        name: "tests over DDS, many side by side, tests of the other crates, and docs",
        hint: "see the test or the warning above",
        run: many_beside_others,
    },
    Part {
        name: "docs/safety.md: each row was shown by tests that ran, listed in target/safety_proofs.md",
        hint: "see the row above; `-rs` of the tests over DDS gives the reason of a skip",
        run: rows_were_shown,
    },
];

/// Runs all parts, or those that need no ROS; stops at the first that fails.
///
/// # Errors
/// The part that failed.
pub fn run(root: &Root, quick: bool) -> Outcome<()> {
    if !quick {
        let _ = fs::remove_file(root.target().join(OUTCOMES)); // of an earlier run
    }
    let whole = Watch::start();
    let mut times: Vec<(&str, Duration)> = Vec::new();
    let parts = if quick { QUICK } else { FULL };
    for part in parts {
        step(format_args!("--- {}", part.name));
        let watch = Watch::start();
        let passed = (part.run)(root);
        times.push((part.name, watch.elapsed()));
        let failed = match passed {
            Ok(true) => None,
            Ok(false) => Some(format!("{}: {}", part.name, part.hint)),
            Err(Failure(sentence)) => Some(format!("{}: {sentence}", part.name)),
        };
        if let Some(sentence) = failed {
            print_table(&times, true, whole.elapsed());
            // What ran beside them is shown after them.
            let record = fs::read_to_string(root.target().join(OUTCOMES)).unwrap_or_default();
            let names: String =
                failed_tests(&record).iter().map(|name| format!("\n  failed: {name}")).collect();
            return Err(Failure(sentence + &names));
        }
        step(format_args!("{} took {watch}", part.name));
    }
    print_table(&times, false, whole.elapsed());
    Ok(())
}

/// Builds what the tests over DDS start, and runs only `tests` of them, isolated as in the full run: a file below tests/ros, also
/// with `::TEST`, or an expression for pytest's `-k`.
///
/// # Errors
/// The setup or the build fails, a test fails, or there is none.
pub fn over_dds(root: &Root, tests: &str) -> Outcome<()> {
    setup::run(root)?;
    step("building what has changed; a first build takes minutes");
    let tests = selection(root.path(), tests);
    if build(root)? && succeeds(&mut pytest(root, &tests.each_ref().map(String::as_str))?)? {
        return Ok(());
    }
    Err(Failure::new("the build or a test failed, or no test has this name: see above"))
}

/// The arguments with which pytest runs `tests` only. A file is found by its name alone, which no other folder has.
fn selection(root: &Path, tests: &str) -> [String; 2] {
    let (file, test) = tests.split_at(tests.find("::").unwrap_or(tests.len()));
    match Path::new(file).file_name() {
        Some(name) if file.ends_with(".py") => {
            let found = below(&root.join(ALL), name);
            let path = found.as_deref().and_then(|path| path.strip_prefix(root).ok());
            ["-v".into(), format!("{}{test}", path.unwrap_or(Path::new(file)).display())]
        }
        _ => [format!("-k{tests}"), ALL.into()],
    }
}

/// The file of this name in `folder` or in a folder in it.
fn below(folder: &Path, name: &OsStr) -> Option<PathBuf> {
    fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).find_map(|path| {
        if path.is_dir() { below(&path, name) } else { (path.file_name() == Some(name)).then_some(path) }
    })
}

fn print_table(times: &[(&str, Duration)], failed: bool, whole: Duration) {
    eprintln!();
    for (number, (name, time)) in times.iter().enumerate() {
        let word = if failed && number + 1 == times.len() { "FAILED" } else { "passed" };
        eprintln!("  {word}  {:>13}  {name}", seconds(*time));
    }
    eprintln!("          {:>13}  in all\n", seconds(whole));
}

fn cargo(root: &Root, arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(root.path()).env("RUSTDOCFLAGS", "-Dwarnings");
    command
}

/// cargo as on a machine without ROS.
fn pure(root: &Root, arguments: &[&str]) -> Outcome<bool> {
    succeeds(&mut cargo_without_ros(root, arguments))
}

/// The tests of crates that need no ROS, the pure ones unless others are named, and clippy.
fn pure_tests(root: &Root, arguments: &[&str]) -> Outcome<bool> {
    passed(&run_pure_tests(root, arguments)?, |arguments| run_pure_tests(root, arguments))
}

fn run_pure_tests(root: &Root, arguments: &[&str]) -> Outcome<Ended> {
    capture(lint(&mut cargo_without_ros(root, &[TEST, arguments].concat())))
}

/// One test that fails hides no other, since each is repeated, and one that hangs holds none up.
const TEST: &[&str] = &["test", "--quiet", "--no-fail-fast", "--config", BOUND];

/// Ends each test executable after so many seconds, with what it started; after 60 it has named the test that still runs. It also ends
/// with cargo, which no signal for cargo reaches otherwise.
const BOUND: &str =
    "target.'cfg(unix)'.runner = ['setpriv', '--pdeathsig=TERM', '--', 'timeout', '--kill-after=10', '900']";

/// Shows what tests have put out, and repeats by `run` alone what failed beside others.
fn passed(tests: &Ended, run: impl Fn(&[&str]) -> Outcome<Ended>) -> Outcome<bool> {
    eprintln!("{}{}", tests.out, tests.err);
    Ok(tests.success || repeat_alone(&tests.err, HACK, run)?)
}

/// Builds with clippy-driver, as `cargo clippy` checks with it: it is rustc with more lints, so linting needs no second pass.
/// Its output is the same as that of rustc, but cargo keeps it apart from other builds.
fn lint(command: &mut Command) -> &mut Command {
    command
        .env("RUSTC_WORKSPACE_WRAPPER", "clippy-driver")
        .env("CLIPPY_ARGS", ["-D", "warnings", ""].join(SEPARATOR))
}

/// Separates clippy's arguments in `CLIPPY_ARGS`.
const SEPARATOR: &str = "__CLIPPY_HACKERY__";

/// Sets up and builds everything, and runs the tests that need no ROS, so that no processor waits: setup, which the pure crates do not need,
/// mostly waits for a network or takes one core, and so do some tests.
fn build_and_test(root: &Root) -> Outcome<bool> {
    let panicked = |_| Failure::new("what runs beside the build panicked");
    std::thread::scope(|scope| {
        let setup = scope.spawn(|| setup::run(root));
        let is_built = pure_tests(root, &["--no-run"])?;
        setup.join().map_err(panicked)??;
        if !is_built {
            return Ok(false);
        }
        let tests = scope.spawn(|| run_pure_tests(root, &[]));
        let is_built = mujoco(root)? && build(root)?;
        let tests = tests.join().map_err(panicked)??;
        Ok(passed(&tests, |arguments| run_pure_tests(root, arguments))? && is_built)
    })
}

/// The crate that is built after the others: it needs MuJoCo's library.
const MUJOCO: &str = "mujoco_hand";

/// The package that makes commands with different packages share what they build; its `Cargo.toml` explains it.
pub const HACK: &str = "workspace_hack";

/// Sets up MuJoCo's library, and tests the crate that needs it. Its executable is then there for the tests over DDS.
fn mujoco(root: &Root) -> Outcome<bool> {
    setup::mujoco(root)?;
    pure_tests(root, &["-p", MUJOCO, "-p", HACK])
}

/// The crates that need ROS, and those with executables for the tests over DDS.
const OTHERS: &[&str] = &[
    HACK,
    "gamepad",
    "actuator",
    "ros",
    "nodes",
    "libhaptix",
    "steersman-joystick",
    "steersman-controller",
    "steersman-why",
    "demo",
    "bench",
    "scenarios",
    "xtask",
    "tests",
];

/// Runs the tests over DDS, which mostly wait, and beside them the tests of the other crates, which wait for a device's time-outs,
/// and the documents, in the time that is left. Their output follows.
fn many_beside_others(root: &Root) -> Outcome<bool> {
    const DOCS: &[&str] = &["doc", "--quiet", "--no-deps", "--workspace"];
    let run = |command: Command| isolated(root, command);
    let test = |arguments: &[&str]| run(test_others(root, arguments));
    let panicked = |_| Failure::new("what runs beside them panicked");
    std::thread::scope(|scope| {
        let tests = scope.spawn(|| test(&crates()));
        let docs = scope.spawn(|| run(in_spare_time(root, DOCS)));
        let is_pytest_passed = pytest_many(root)?;
        // The documents are waited for now: they need not yield any longer, not even to another session's compiler.
        if let Ok(leader) = fs::read_to_string(root.target().join(IN_SPARE_TIME)) {
            let _ = fs::write(format!("/proc/{}/autogroup", leader.trim()), "0");
        }
        let docs = docs.join().map_err(panicked)??;
        eprintln!("{}{}", docs.out, docs.err);
        let tests = tests.join().map_err(panicked)??;
        Ok(passed(&tests, test)? && docs.success && is_pytest_passed)
    })
}

/// The command that tests crates of [`OTHERS`].
fn test_others(root: &Root, arguments: &[&str]) -> Command {
    let mut command = cargo(root, &[TEST, arguments].concat());
    lint(&mut command);
    command
}

/// Runs it in the ROS domain of the tests, and returns its output.
fn isolated(root: &Root, mut command: Command) -> Outcome<Ended> {
    let (environment, _) = Environment::new(root).isolated(root)?;
    capture(environment.apply(&mut command).env("RUST_BACKTRACE", "1"))
}

/// Compares the rows of `docs/safety.md` with the record of the tests over DDS, and writes `target/safety_proofs.md`.
fn rows_were_shown(root: &Root) -> Outcome<bool> {
    const TEST: &str = "every_row_was_shown_by_tests_that_ran";
    let words = ["-p", "tests", "-p", HACK, "--test", "safety", "--", "--exact", TEST, "--nocapture"];
    succeeds(test_others(root, &words).env("OUTCOMES", root.target().join(OUTCOMES)))
}

/// cargo at the lowest priority, for which it needs a session of its own: where the kernel groups processes by session (autogroup), a low
/// priority yields only to processes of the same session. It ends with this process; [`IN_SPARE_TIME`] has its number.
fn in_spare_time(root: &Root, arguments: &[&str]) -> Command {
    const LOWEST: &str = "{ echo 19 > /proc/self/autogroup; } 2> /dev/null; echo $$ > \"$LEADER\"; exec nice -n 19 \"$0\" \"$@\"";
    let wanted = cargo(root, arguments);
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM", "--", "setsid", "sh", "-c", LOWEST]);
    command.arg(wanted.get_program()).args(wanted.get_args()).current_dir(root.path());
    command.envs(wanted.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("LEADER", root.target().join(IN_SPARE_TIME));
    command
}

/// The file with the leader of the session that runs in spare time.
const IN_SPARE_TIME: &str = "spare_time.pid";

/// Builds everything that [`OTHERS`] have, the benchmarks too, with the same features as their tests: otherwise r2r, which takes longest, would be built
/// twice.
fn build(root: &Root) -> Outcome<bool> {
    let what: &[&str] = &["build", "--quiet", "--lib", "--tests", "--bins", "--examples", "--bench", "steps"];
    let mut command = cargo(root, &[what, &crates()].concat());
    let (environment, _) = Environment::new(root).isolated(root)?;
    succeeds(lint(environment.apply(&mut command)).env("RUST_BACKTRACE", "1"))
}

fn crates() -> Vec<&'static str> {
    OTHERS.iter().flat_map(|name| ["-p", *name]).collect()
}

/// How many tests run side by side at most: mostly they wait, and one begins only when the machine has time for it (`enough_time` in
/// `tests/ros/conftest.py`). Each worker has a vehicle and a ROS domain of its own.
fn workers() -> usize {
    (8 * cores()).min(16)
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(2, usize::from)
}

fn pytest_many(root: &Root) -> Outcome<bool> {
    pytest_side_by_side(root, "not few and not pair", workers())
}

/// Runs the tests whose bounds leave little time to a busy machine.
fn pytest_few(root: &Root) -> Outcome<bool> {
    pytest_side_by_side(root, "few", (2 * cores()).min(4))
}

/// Runs the tests that measure, or that need a processor for themselves.
fn pytest_pair(root: &Root) -> Outcome<bool> {
    pytest_side_by_side(root, "pair", 2)
}

fn pytest_side_by_side(root: &Root, which: &str, workers: usize) -> Outcome<bool> {
    debian::ensure_mocks()?;
    let crashes = root.target().join(CRASHES);
    let _ = fs::remove_file(&crashes); // usually there is none
    let recorded =
        |words: &[&str]| succeeds(pytest(root, words)?.env("OUTCOMES", root.target().join(OUTCOMES)));
    let mut passed = recorded(&["-m", which, "--dist", "worksteal", "-n", &workers.to_string(), ALL])?;
    if !passed {
        // On a busy machine a test may fail because of the others; one that also fails alone is wrong, and so is a node that crashed.
        step("repeating the failed tests one by one");
        passed = recorded(&["--last-failed", "--last-failed-no-failures=none", "-v", ALL])?;
    }
    let Ok(crashes) = fs::read_to_string(crashes) else { return Ok(passed) };
    Err(Failure::new(format!("a node crashed:\n{crashes}")))
}

/// The file in the target folder in which the tests record crashes of nodes.
const CRASHES: &str = "crashes";

/// The file in the target folder in which the tests over DDS of the full run record how each of them ended.
const OUTCOMES: &str = "outcomes";

/// The folder of the tests over DDS.
const ALL: &str = "tests/ros";

/// The command that runs the tests over DDS that `which` selects.
fn pytest(root: &Root, which: &[&str]) -> Outcome<Command> {
    let (environment, sentence) = Environment::new(root).isolated(root)?;
    step(sentence);
    let mut command = Command::new(python::of_ros(root, &detect(&inherited), &environment));
    // No test takes longer by itself; one that hangs must not hold up the others.
    command.args([
        "-m",
        "pytest",
        "-q",
        "-o",
        "cache_dir=target/pytest",
        "--timeout=120",
        "--durations=10",
        "-rs", // skipped tests are named, with the reason
    ]);
    command.args(which);
    let domains: Vec<String> = environment.domains_beside(workers())?.iter().map(u8::to_string).collect();
    command.current_dir(root.path());
    environment.apply(&mut command).env("WORKER_DOMAINS", domains.join(" "));
    command.env("CRASHES", root.target().join(CRASHES));
    command.env("RUST_BACKTRACE", "1");
    Ok(command)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;
    use std::process::Command;

    use super::{HACK, MUJOCO, crates, lint};
    use crate::environment::clean;
    use crate::process::capture;

    /// Each crate, up to `depth`, that a command for `packages` builds, with its features.
    fn features(packages: &[&str], depth: &str) -> Vec<(String, String)> {
        let mut command = Command::new(env!("CARGO"));
        command.args(["tree", "--quiet", "--edges=normal,build,dev", "--prefix=none", "--format={p}\t{f}\t"]);
        command
            .args(["--depth", depth])
            .args(packages)
            .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."));
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let text = String::from_utf8(output.stdout).unwrap();
        let columns = text.lines().filter_map(|line| line.split_once('\t'));
        columns.map(|(name, rest)| (name.into(), rest.trim_end_matches("(*)").trim_end().into())).collect()
    }

    #[test]
    fn a_warning_of_clippy_ends_a_build() {
        let folder = std::env::temp_dir().join(format!("xtask-lint-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write(
            "Cargo.toml",
            "[package]\nname = \"odd\"\nedition = \"2024\"\n[lib]\npath = \"odd.rs\"\n[workspace]\n",
        );
        let build = |condition: &str| {
            write("odd.rs", &format!("pub fn is_none(list: &[u8]) -> bool {{\n    {condition}\n}}\n"));
            let mut command = Command::new(env!("CARGO"));
            command.args(["build", "--quiet", "--offline", "--target-dir=target"]).current_dir(&folder);
            capture(lint(clean(&mut command))).unwrap()
        };
        let ended = build("list.len() == 0");
        assert!(!ended.success && ended.err.contains("len_zero"), "{}", ended.err);
        let ended = build("list.is_empty()");
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(ended.success, "{}", ended.err);
    }

    #[test]
    fn a_test_that_hangs_is_ended_with_what_it_started() {
        let folder = std::env::temp_dir().join(format!("xtask-bound-{}", std::process::id()));
        std::fs::create_dir(&folder).unwrap();
        let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
        write(
            "Cargo.toml",
            "[package]\nname = \"odd\"\nedition = \"2024\"\n[lib]\npath = \"odd.rs\"\ndoctest = false\n[workspace]\n",
        );
        write(
            "odd.rs",
            "#[test]\nfn hangs() { std::process::Command::new(\"sleep\").arg(\"1000\").status().unwrap(); }\n",
        );
        let bound = super::BOUND.replace("900", "1");
        let mut command = Command::new(env!("CARGO"));
        command.args(["test", "--offline", "--target-dir=target", "--config", &bound]).current_dir(&folder);
        let ended = capture(clean(&mut command)).unwrap(); // its output ends with the last process that has it
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(!ended.success && ended.err.contains("(exit status: 124)"), "{}", ended.err);
    }

    const PURE: &[&str] = &[];

    #[test]
    fn every_crate_is_tested_and_read_by_clippy() {
        let names = |packages: &[&str]| features(packages, "0").into_iter().map(|(name, _)| name);
        let tested: BTreeSet<String> =
            [PURE, &["-p", MUJOCO], &crates()].into_iter().flat_map(names).collect();
        assert_eq!(names(&["--workspace"]).collect::<BTreeSet<_>>(), tested);
    }

    #[test]
    fn all_commands_build_a_dependency_with_the_same_features() {
        let commands = [PURE, &["-p", "xtask"], &["--workspace"], &["-p", MUJOCO, "-p", HACK], &crates()];
        let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (name, features) in commands.into_iter().flat_map(|packages| features(packages, "1000")) {
            found.entry(name).or_default().insert(features);
        }
        assert!(found.len() > 200, "{} packages", found.len());
        found.retain(|_, features| features.len() > 1);
        assert!(found.is_empty(), "these belong in tools/workspace_hack/Cargo.toml: {found:#?}");
    }

    #[test]
    fn single_tests_are_selected_by_their_file_or_by_a_part_of_their_names() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let selected = |tests: &str| super::selection(&root, tests);
        for folder in ["", "chain/", "tests/ros/", "./tests/ros/chain/"] {
            let file = format!("{folder}test_chain.py");
            assert_eq!(selected(&file), ["-v", "tests/ros/chain/test_chain.py"]);
            let test = format!("{file}::test_stop[a/b.py::c]");
            assert_eq!(selected(&test), ["-v", "tests/ros/chain/test_chain.py::test_stop[a/b.py::c]"]);
        }
        assert_eq!(selected("test_nowhere.py"), ["-v", "test_nowhere.py"]);
        assert_eq!(selected("estop and not chair"), ["-kestop and not chair", "tests/ros"]);
    }

    #[test]
    fn the_test_that_the_quick_run_leaves_out_exists() {
        let tests = include_str!("../../../crates/hindbrain/tests/walk/main.rs");
        assert!(tests.contains(&format!("fn {}()", super::WALK)));
    }
}
