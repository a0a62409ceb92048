//! `docs/safety.md` agrees with the machine: its table of causes is the machine's, and each of its rows names tests that exist.
//! Whether such a test shows what its row states is for the reader to judge.
#![allow(clippy::expect_used)] // a failed expectation is an error of the test's set-up

use std::collections::BTreeSet;
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

/// The rows of the first table: each names a test over DDS.
#[test]
fn every_row_names_tests_that_exist() {
    let page = page();
    let from = page.find("<!-- rows -->").expect("a place for the rows");
    let to = from + page[from..].find("\n## ").expect("an end of the rows");
    let lines = page[from..to].lines().skip_while(|line| !line.starts_with('|'));
    let rows: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    assert!(rows.len() > 20, "only {} rows", rows.len());
    let mut rows_seen = BTreeSet::new();
    for row in rows.into_iter().skip(2) {
        assert!(row.starts_with('|'), "not a row of the table: {row}");
        let what = row.split('|').nth(1).expect("a column");
        assert!(rows_seen.insert(what), "two rows describe{what}");
        let last = row.trim_end_matches('|').rsplit('|').next().expect("a column");
        let named: BTreeSet<&str> = last.split('`').filter(|text| text.contains("::")).collect();
        assert!(!named.is_empty(), "no test is named in: {row}");
        for test in named {
            let (file, name) = test.split_once("::").expect("file::test");
            let text = fs::read_to_string(root().join("tests/ros").join(file)).unwrap_or_default();
            assert!(text.contains(&format!("\ndef {name}(")), "{test} is not a test, named in: {row}");
        }
    }
}
