//! `docs/safety.md` agrees with the machine: its table of causes is the machine's, and each of its rows names tests that exist.
//! `cargo xtask test` runs this once more after the tests over DDS: then each named test has to have run and passed.
//! Whether such a test shows what its row states is for the reader to judge.
#![allow(clippy::expect_used)] // a failed expectation is an error of the test's set-up

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::fs;

use hindbrain::Cause;
use hindbrain::core::{Effect, Recovery, Row};
use tests::{bless_between, root};

const PAGE: &str = "docs/safety.md";

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).expect("the page")
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Reports => "no effect of its own",
        Effect::Brakes => "`OK`: the motors brake to zero",
        Effect::StopsByIr => "`SSTOP.IR`: stop",
        Effect::StopsByRos => "`SSTOP.ROS`: stop",
        Effect::Faults => "`ESTOP` (fault): stop",
        Effect::EmergencyStops => "`ESTOP`: stop",
    }
}

fn recovery(recovery: Recovery) -> &'static str {
    match recovery {
        Recovery::Itself => "nothing",
        Recovery::Zero => "a zero command",
        Recovery::Enable => "a rise of `hind/enable`, a zero command",
        Recovery::Reset => "`hind/reset` pressed and released, a rise of `hind/enable`, a zero command",
    }
}

fn causes() -> String {
    let mut table = String::from(
        "| cause, the most severe first | it holds while | state and motors | after it, motion requires |\n\
         |---|---|---|---|\n",
    );
    for cause in Cause::ALL.iter().rev() {
        let Row { code, condition, effect: does, recovery, .. } = cause.row();
        let _ =
            writeln!(table, "| `{code}` | {condition} | {} | {} |", effect(does), self::recovery(recovery));
    }
    table.push_str("\n`SSTOP.ROS` and `SSTOP.IR` together are `SSTOP.BOTH`.\n");
    table
}

#[test]
fn the_table_of_causes_is_the_machines() {
    bless_between(PAGE, "<!-- generated: causes -->", &causes());
}

/// A row of the first table: a fault, and the tests over DDS that show the reaction to it, as `file::test`.
struct Fault {
    what: String,
    tests: BTreeSet<String>,
}

fn faults() -> Vec<Fault> {
    let page = page();
    let from = page.find("<!-- rows -->").expect("a place for the rows");
    let to = from + page[from..].find("\n## ").expect("an end of the rows");
    let lines = page[from..to].lines().skip_while(|line| !line.starts_with('|'));
    let rows = lines.take_while(|line| !line.is_empty()).skip(2);
    let fault = |row: &str| {
        assert!(row.starts_with('|'), "not a row of the table: {row}");
        let what = row.split('|').nth(1).expect("a column").trim().to_owned();
        let last = row.trim_end_matches('|').rsplit('|').next().expect("a column");
        let tests: BTreeSet<String> =
            last.split('`').filter(|text| text.contains("::")).map(str::to_owned).collect();
        assert!(!tests.is_empty(), "no test is named in: {row}");
        Fault { what, tests }
    };
    rows.map(fault).collect()
}

#[test]
fn every_row_names_tests_that_exist() {
    let faults = faults();
    assert!(faults.len() > 20, "only {} rows", faults.len());
    let mut rows_seen = BTreeSet::new();
    for Fault { what, tests } in &faults {
        assert!(rows_seen.insert(what), "two rows describe: {what}");
        for test in tests {
            let (file, name) = test.split_once("::").expect("file::test");
            let text = fs::read_to_string(root().join("tests/ros").join(file)).unwrap_or_default();
            assert!(text.contains(&format!("\ndef {name}(")), "{test} is not a test, named in: {what}");
        }
    }
}

/// The outcome of a test's runs, with all its parameters; a worse one comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Passed,
    Skipped,
    NeverRan,
    Failed,
}

/// The outcome of `test` according to `record`, whose lines are `OUTCOME<tab>PATH::TEST[PARAMETERS]`: of a case that ran twice the last
/// one counts, and a skipped case matters only if no other one passed.
fn shown(test: &str, record: &str) -> Shown {
    let mut cases = BTreeMap::new();
    for (outcome, case) in record.lines().filter_map(|line| line.split_once('\t')) {
        let path = case.split('[').next().unwrap_or_default();
        if path.strip_suffix(test).is_some_and(|folder| folder.is_empty() || folder.ends_with('/')) {
            cases.insert(case, outcome);
        }
    }
    let has = |outcome: &str| cases.values().any(|one| *one == outcome);
    match () {
        () if cases.is_empty() => Shown::NeverRan,
        () if cases.values().any(|one| !["passed", "skipped"].contains(one)) => Shown::Failed,
        () if has("passed") => Shown::Passed,
        () => Shown::Skipped,
    }
}

/// One sentence per row and test that did not pass, and the worst of what they showed.
fn not_shown(faults: &[Fault], record: &str) -> (Shown, String) {
    let (mut worst, mut sentences) = (Shown::Passed, String::new());
    for Fault { what, tests } in faults {
        for test in tests {
            let shown = shown(test, record);
            worst = worst.max(shown);
            let how = match shown {
                Shown::Passed => continue,
                Shown::Skipped => "was skipped, which shows nothing",
                Shown::NeverRan => "never ran",
                Shown::Failed => "failed",
            };
            let _ = writeln!(sentences, "{test} {how}; it is to show: {what}");
        }
    }
    (worst, sentences)
}

/// Reads the record of the tests over DDS that ran, if `cargo xtask test` names it in `OUTCOMES`.
#[test]
fn every_row_was_shown_by_tests_that_ran() {
    let Some(path) = env::var_os("OUTCOMES") else { return };
    let record = fs::read_to_string(&path).unwrap_or_default();
    let (worst, sentences) = not_shown(&faults(), &record);
    let is_ci = env::var("CI").is_ok_and(|value| value == "true");
    let most = if is_ci { Shown::Passed } else { Shown::Skipped };
    assert!(worst <= most, "rows of {PAGE} that nothing showed in this run:\n{sentences}");
    if worst > Shown::Passed {
        println!("rows of {PAGE} that nothing showed in this run, which ends it red in CI:\n{sentences}");
    }
}

#[test]
fn a_test_shows_its_row_only_if_it_ran_and_all_its_cases_passed() {
    let of = |record: &str| shown("test_a.py::test_stop", record);
    assert_eq!(of(""), Shown::NeverRan);
    assert_eq!(of("passed\ttests/ros/test_a.py::test_stop"), Shown::Passed);
    assert_eq!(of("passed\ttests/ros/test_a.py::test_stop[one-test_b]"), Shown::Passed);
    assert_eq!(of("skipped\ttests/ros/test_a.py::test_stop"), Shown::Skipped);
    // Of several cases one that was skipped is excused by one that passed; one that failed is not.
    assert_eq!(of("skipped\tr/test_a.py::test_stop[a]\npassed\tr/test_a.py::test_stop[b]"), Shown::Passed);
    assert_eq!(of("failed\tr/test_a.py::test_stop[a]\npassed\tr/test_a.py::test_stop[b]"), Shown::Failed);
    // The repetition counts, whatever it ended with, and an outcome that nobody knows is no pass.
    assert_eq!(of("failed\tr/test_a.py::test_stop\npassed\tr/test_a.py::test_stop"), Shown::Passed);
    assert_eq!(of("passed\tr/test_a.py::test_stop\nfailed\tr/test_a.py::test_stop"), Shown::Failed);
    assert_eq!(of("rerun\tr/test_a.py::test_stop"), Shown::Failed);
    // Tests whose names or files only end or begin alike are others.
    assert_eq!(of("passed\tr/test_a.py::test_stop_twice"), Shown::NeverRan);
    assert_eq!(of("passed\tr/other_test_a.py::test_stop"), Shown::NeverRan);
}

#[test]
fn a_row_of_this_page_that_nothing_showed_is_named() {
    let faults = faults();
    let line = |test: &String| format!("passed\ttests/ros/{test}[composed]\n");
    let all: BTreeSet<&String> = faults.iter().flat_map(|fault| &fault.tests).collect();
    let record: String = all.iter().map(|test| line(test)).collect();
    assert_eq!(not_shown(&faults, &record), (Shown::Passed, String::new()));
    for test in all {
        for (with, expected) in
            [("", Shown::NeverRan), ("skipped", Shown::Skipped), ("failed", Shown::Failed)]
        {
            let other = if with.is_empty() { String::new() } else { line(test).replace("passed", with) };
            let (worst, sentences) = not_shown(&faults, &record.replace(&line(test), &other));
            assert_eq!(worst, expected, "{test}");
            let rows = faults.iter().filter(|fault| fault.tests.contains(test));
            assert!(rows.clone().all(|fault| sentences.contains(&fault.what)), "{test}: {sentences}");
            assert_eq!(sentences.lines().count(), rows.count());
        }
    }
}
