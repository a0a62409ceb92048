//! `docs/safety.md` agrees with the machine: its table of causes is the machine's, and each fault has tests over DDS.
//!
//! A fault is a row with an anchor, `<a id="estop-pressed"></a>`. A test that shows it is marked `@pytest.mark.fault("estop-pressed")`.
//! `cargo xtask test` runs this once more after the tests over DDS: then each marked test has to have run and passed, and
//! `target/safety_proofs.md` lists the faults with their tests as they ended. Whether a test shows what its row states is for the
//! reader to judge.
#![allow(clippy::expect_used)] // a failed expectation is an error of the test's set-up

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fmt::Write;
use std::fs;
use std::path::Path;

use hindbrain::Cause;
use hindbrain::core::{Effect, Recovery, Row};
use tests::{bless_between, files, root};

const PAGE: &str = "docs/safety.md";

fn page() -> String {
    fs::read_to_string(root().join(PAGE)).expect("the page")
}

fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Reports => "–",
        Effect::Brakes => "`OK`: brake",
        Effect::StopsByIr => "`SSTOP.IR`",
        Effect::StopsByRos => "`SSTOP.ROS`",
        Effect::Faults => "`ESTOP` (fault)",
        Effect::EmergencyStops => "`ESTOP`",
    }
}

fn recovery(recovery: Recovery) -> &'static str {
    match recovery {
        Recovery::Itself => "–",
        Recovery::Zero => "zero",
        Recovery::Enable => "enable",
        Recovery::Reset => "full reset",
    }
}

fn causes() -> String {
    let mut table = String::from(
        "| cause, the most severe first | condition | state | recovery |\n\
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

/// The tests of each row, as `file::test`.
type Tests = BTreeMap<String, BTreeSet<String>>;

/// The rows of the tables of faults: the anchor of each one and what happens.
fn faults() -> BTreeMap<String, String> {
    let page = page();
    let from = page.find("<!-- faults -->").expect("a place for the tables");
    let to = from + page[from..].find("<!-- end -->").expect("an end of the tables");
    let mut found = BTreeMap::new();
    let lines: Vec<&str> = page[from..to].lines().collect();
    for (number, line) in lines.iter().enumerate() {
        let is_head = lines.get(number + 1).is_some_and(|next| next.starts_with("|--"));
        if !line.starts_with('|') || line.starts_with("|--") || is_head {
            continue;
        }
        let cell = line.split('|').nth(1).expect("a column").trim();
        let parts = cell.strip_prefix("<a id=\"").and_then(|rest| rest.split_once("\"></a>"));
        assert!(parts.is_some(), "a row of {PAGE} has no anchor: {cell}");
        let (id, what) = parts.unwrap_or_default();
        assert!(
            found.insert(id.to_owned(), what.to_owned()).is_none(),
            "two rows of {PAGE} have the anchor {id}"
        );
    }
    found
}

/// Adds what the marks in the text of `file` name. A mark stands in a decorator of a test, or in `pytestmark`, for all tests of the file.
fn read_marks(file: &str, text: &str, tests: &mut Tests) {
    let name = |rest: &str| rest.split('(').next().unwrap_or_default().to_owned();
    let functions = |text: &str| text.split("\ndef ").skip(1).map(name).collect::<Vec<String>>();
    for (at, mark) in text.match_indices("mark.fault(") {
        let rest = &text[at + mark.len()..];
        let rows: Vec<&str> =
            rest.split(')').next().unwrap_or_default().split('"').skip(1).step_by(2).collect();
        assert!(!rows.is_empty(), "{file}: a mark names no row");
        let begins = |line: &&str| !line.is_empty() && !line.starts_with([' ', ')', ']', '#']);
        let line = text[..at].lines().rev().find(begins).unwrap_or_default();
        let (for_all, for_one) = (line.starts_with("pytestmark"), line.starts_with('@'));
        assert!(for_all || for_one, "{file}: a mark belongs in a decorator or in pytestmark, not in: {line}");
        let marked = if for_all { functions(text) } else { functions(rest).into_iter().take(1).collect() };
        let marked: Vec<String> = marked.into_iter().filter(|name| name.starts_with("test_")).collect();
        assert!(!marked.is_empty(), "{file}: no test has the mark of {rows:?}");
        for row in rows {
            let named = marked.iter().map(|test| format!("{file}::{test}"));
            tests.entry(row.to_owned()).or_default().extend(named);
        }
    }
}

/// The tests that are marked in the sources.
fn marked() -> Tests {
    let mut tests = Tests::new();
    for path in files(&root().join("tests/ros"), &["py"]) {
        let file = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a source that can be read");
        read_marks(&file, &text, &mut tests);
    }
    tests
}

/// One sentence per row without a test, and per mark of a row that the page does not have.
fn disagreements(faults: &BTreeMap<String, String>, tests: &Tests) -> Vec<String> {
    let bare = faults.iter().filter(|(id, _)| !tests.contains_key(*id));
    let unknown = tests.iter().filter(|(id, _)| !faults.contains_key(*id));
    let bare = bare.map(|(id, what)| format!("no test is marked with `{id}`, a row of {PAGE}: {what}"));
    bare.chain(unknown.map(|(id, tests)| format!("`{id}` marks {tests:?} and is no row of {PAGE}"))).collect()
}

#[test]
fn every_row_has_a_marked_test_and_every_mark_a_row() {
    let faults = faults();
    assert!(faults.len() > 20, "only {} rows", faults.len());
    let wrong = disagreements(&faults, &marked());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn marks_are_read_as_pytest_does() {
    let read = |text: &str| {
        let mut tests = Tests::new();
        read_marks("t.py", text, &mut tests);
        tests.into_iter().map(|(row, tests)| (row, tests.into_iter().collect())).collect::<Vec<_>>()
    };
    let one = "import pytest\n\n\n@pytest.mark.fault(\n    \"a\",\n    \"b\",\n)\n@pytest.mark.few\ndef test_x(stack):\n    pass\n\ndef test_y():\n";
    let x = || vec!["t.py::test_x".to_owned()];
    assert_eq!(read(one), [("a".to_owned(), x()), ("b".to_owned(), x())]);
    let case = "\n@pytest.mark.parametrize(\n    \"n\", [pytest.param(1, marks=pytest.mark.fault(\"a\"))]\n)\ndef test_x(n):\n";
    assert_eq!(read(case), [("a".to_owned(), x())]);
    let all = "\npytestmark = [\n    pytest.mark.few,\n    pytest.mark.fault(\"a\"),\n]\n\ndef helper():\n\ndef test_x():\n\ndef test_y():\n";
    assert_eq!(read(all), [("a".to_owned(), vec!["t.py::test_x".to_owned(), "t.py::test_y".to_owned()])]);
}

#[test]
fn a_row_without_a_test_and_a_mark_without_a_row_are_named() {
    let faults = BTreeMap::from([("a".into(), "this".into()), ("b".into(), "that".into())]);
    let tests =
        |rows: &[&str]| rows.iter().map(|row| ((*row).to_owned(), BTreeSet::new())).collect::<Tests>();
    assert_eq!(disagreements(&faults, &tests(&["a", "b"])), Vec::<String>::new());
    let wrong = disagreements(&faults, &tests(&["a", "c"]));
    assert!(wrong.len() == 2 && wrong[0].contains("`b`") && wrong[1].contains("`c`"), "{wrong:?}");
}

/// The outcome of a test's runs, with all its parameters; a worse one comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Passed,
    Skipped,
    NeverRan,
    Failed,
}

impl Shown {
    fn words(self) -> &'static str {
        match self {
            Shown::Passed => "passed",
            Shown::Skipped => "was skipped, which shows nothing",
            Shown::NeverRan => "never ran with its mark",
            Shown::Failed => "failed",
        }
    }
}

/// How a case of a test ended, and the rows that it shows.
struct Case<'a> {
    outcome: &'a str,
    rows: &'a str,
}

/// The cases in `record`, whose lines are `OUTCOME<tab>PATH::TEST[PARAMETERS]<tab>ROWS`, by test (`file::test`) and then by case: of a
/// case that ran twice the last one counts.
fn cases(record: &str) -> BTreeMap<&str, BTreeMap<&str, Case<'_>>> {
    let mut found: BTreeMap<&str, BTreeMap<&str, Case>> = BTreeMap::new();
    for line in record.lines() {
        let mut columns = line.split('\t');
        let (Some(outcome), Some(case)) = (columns.next(), columns.next()) else { continue };
        let path = case.split('[').next().unwrap_or_default();
        let test = path.rsplit('/').next().unwrap_or_default();
        let rows = columns.next().unwrap_or_default();
        found.entry(test).or_default().insert(case, Case { outcome, rows });
    }
    found
}

/// The outcome of a test, given its cases, for `row`. A case that was skipped matters only if no other one passed; one that did not pass
/// and names no row, as when its process crashed, counts for every row.
fn shown(cases: Option<&BTreeMap<&str, Case>>, row: &str) -> Shown {
    let is_of_row = |case: &&Case| {
        case.rows.split(' ').any(|one| one == row) || case.rows.is_empty() && case.outcome != "passed"
    };
    let outcomes: Vec<&str> =
        cases.into_iter().flat_map(BTreeMap::values).filter(is_of_row).map(|case| case.outcome).collect();
    match () {
        () if outcomes.is_empty() => Shown::NeverRan,
        () if outcomes.iter().any(|one| !["passed", "skipped"].contains(one)) => Shown::Failed,
        () if outcomes.contains(&"passed") => Shown::Passed,
        () => Shown::Skipped,
    }
}

/// A run: its tests of each row, those that are marked in the sources and those that ran, with their outcomes.
fn run(marked: &Tests, record: &str) -> BTreeMap<String, BTreeMap<String, Shown>> {
    let cases = cases(record);
    let mut tests = marked.clone();
    for (test, cases) in &cases {
        for row in cases.values().flat_map(|case| case.rows.split_whitespace()) {
            tests.entry(row.to_owned()).or_default().insert((*test).to_owned());
        }
    }
    let of_row = |row: String, tests: BTreeSet<String>| {
        let outcome = |test: String| {
            let shown = shown(cases.get(test.as_str()), &row);
            (test, shown)
        };
        let outcomes = tests.into_iter().map(outcome).collect();
        (row, outcomes)
    };
    tests.into_iter().map(|(row, tests)| of_row(row, tests)).collect()
}

/// One sentence per row and test that did not pass, and the worst of what they showed.
fn not_shown(run: &BTreeMap<String, BTreeMap<String, Shown>>) -> (Shown, String) {
    let (mut worst, mut sentences) = (Shown::Passed, String::new());
    for (row, tests) in run {
        for (test, shown) in tests.iter().filter(|(_, shown)| **shown != Shown::Passed) {
            worst = worst.max(*shown);
            let _ = writeln!(sentences, "{test} {}; it is to show `{row}`", shown.words());
        }
    }
    (worst, sentences)
}

/// The page of what the run showed.
fn proofs(faults: &BTreeMap<String, String>, run: &BTreeMap<String, BTreeMap<String, Shown>>) -> String {
    let mut page = format!("# Tests of the faults in {PAGE}, as they ended in the last run\n");
    for (row, what) in faults {
        let _ = writeln!(page, "\n## [{row}](../{PAGE}#{row})\n\n{what}\n");
        for (test, shown) in run.get(row).into_iter().flatten() {
            let _ = writeln!(page, "- `{test}` {}", shown.words());
        }
    }
    page
}

/// Reads the record of the tests over DDS that ran, if `cargo xtask test` names it in `OUTCOMES`, and writes the page of proofs beside it.
#[test]
fn every_row_was_shown_by_tests_that_ran() {
    let Some(path) = env::var_os("OUTCOMES") else { return };
    let record = fs::read_to_string(&path).unwrap_or_default();
    let (faults, run) = (faults(), run(&marked(), &record));
    let page = Path::new(&path).with_file_name("safety_proofs.md");
    fs::write(&page, proofs(&faults, &run)).expect("a folder to write in");
    let ran: Tests = run.iter().map(|(row, tests)| (row.clone(), tests.keys().cloned().collect())).collect();
    let wrong = disagreements(&faults, &ran);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let (worst, sentences) = not_shown(&run);
    let is_ci = env::var("CI").is_ok_and(|value| value == "true");
    let most = if is_ci { Shown::Passed } else { Shown::Skipped };
    assert!(worst <= most, "rows of {PAGE} that nothing showed in this run:\n{sentences}");
    if worst > Shown::Passed {
        println!("rows of {PAGE} that nothing showed in this run, which ends it red in CI:\n{sentences}");
    }
    println!("the tests of each row: {}", page.display());
}

#[test]
fn a_test_shows_its_row_only_if_it_ran_and_all_its_cases_passed() {
    let of = |record: &str| shown(cases(record).get("test_a.py::test_stop"), "a");
    assert_eq!(of(""), Shown::NeverRan);
    assert_eq!(of("passed\ttests/ros/safety/test_a.py::test_stop\ta"), Shown::Passed);
    assert_eq!(of("passed\ttests/ros/safety/test_a.py::test_stop[one-test_b]\tb a"), Shown::Passed);
    assert_eq!(of("skipped\ttests/ros/safety/test_a.py::test_stop\ta"), Shown::Skipped);
    // Of several cases one that was skipped is excused by one that passed; one that failed is not.
    assert_eq!(
        of("skipped\tr/test_a.py::test_stop[a]\ta\npassed\tr/test_a.py::test_stop[b]\ta"),
        Shown::Passed
    );
    assert_eq!(
        of("failed\tr/test_a.py::test_stop[a]\ta\npassed\tr/test_a.py::test_stop[b]\ta"),
        Shown::Failed
    );
    // The repetition counts, whatever it ended with, and an unknown outcome is no pass.
    assert_eq!(of("failed\tr/test_a.py::test_stop\ta\npassed\tr/test_a.py::test_stop\ta"), Shown::Passed);
    assert_eq!(of("passed\tr/test_a.py::test_stop\ta\nfailed\tr/test_a.py::test_stop\ta"), Shown::Failed);
    assert_eq!(of("rerun\tr/test_a.py::test_stop\ta"), Shown::Failed);
    // A case with the mark of another row only, or without one, shows nothing; one that crashed has none, and counts.
    assert_eq!(
        of("skipped\tr/test_a.py::test_stop[a]\ta\npassed\tr/test_a.py::test_stop[b]\tb"),
        Shown::Skipped
    );
    assert_eq!(of("passed\tr/test_a.py::test_stop\t"), Shown::NeverRan);
    assert_eq!(of("passed\tr/test_a.py::test_stop\taa"), Shown::NeverRan);
    assert_eq!(of("failed\tr/test_a.py::test_stop\t"), Shown::Failed);
    // Tests whose names or files only end or begin alike are others.
    assert_eq!(of("passed\tr/test_a.py::test_stop_twice\ta"), Shown::NeverRan);
    assert_eq!(of("passed\tr/other_test_a.py::test_stop\ta"), Shown::NeverRan);
}

#[test]
fn a_row_of_this_page_that_nothing_showed_is_named() {
    let marked = marked();
    let mut rows_of: BTreeMap<&String, Vec<&str>> = BTreeMap::new();
    for (row, tests) in &marked {
        tests.iter().for_each(|test| rows_of.entry(test).or_default().push(row));
    }
    let line = |test: &String| format!("passed\ttests/ros/{test}[composed]\t{}\n", rows_of[test].join(" "));
    let record: String = rows_of.keys().map(|test| line(test)).collect();
    assert_eq!(not_shown(&run(&marked, &record)), (Shown::Passed, String::new()));
    for (test, rows) in &rows_of {
        for (with, expected) in
            [("", Shown::NeverRan), ("skipped", Shown::Skipped), ("failed", Shown::Failed)]
        {
            let other = if with.is_empty() { String::new() } else { line(test).replace("passed", with) };
            let (worst, sentences) = not_shown(&run(&marked, &record.replace(&line(test), &other)));
            assert_eq!(worst, expected, "{test}");
            assert!(rows.iter().all(|row| sentences.contains(&format!("`{row}`"))), "{test}: {sentences}");
            assert_eq!(sentences.lines().count(), rows.len());
        }
    }
}
