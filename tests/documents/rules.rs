//! The tests that `crates/mechanism/tests/README.md` names for each rule exist.

use std::collections::BTreeSet;
use std::fs;

use tests::{files, root};

/// Where the tests are that the page may name.
const FOLDERS: [&str; 4] =
    ["crates/mechanism/tests", "crates/mechanism/src", "crates/control/tests", "tests/ros"];

/// The tests of a file: functions below `#[test]`, and Python's `def test_...`.
fn tests_of(text: &str) -> BTreeSet<String> {
    let name = |line: &str, keyword: &str| {
        let rest = line.trim_start().strip_prefix(keyword)?;
        Some(rest.split('(').next()?.to_owned())
    };
    let mut found = BTreeSet::new();
    let mut is_test = false;
    for line in text.lines() {
        is_test |= line.trim() == "#[test]";
        if let Some(function) = name(line, "fn ")
            && std::mem::take(&mut is_test)
        {
            found.insert(function);
        }
        found.extend(name(line, "def ").filter(|function| function.starts_with("test_")));
    }
    found
}

/// All tests as the page names them: `file::test`.
fn known() -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for path in FOLDERS.iter().flat_map(|folder| files(&root().join(folder), &["rs", "py"])) {
        let file = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let text = fs::read_to_string(&path).expect("a source that can be read");
        known.extend(tests_of(&text).into_iter().map(|test| format!("{file}::{test}")));
    }
    known
}

#[test]
fn each_rule_of_the_controller_manager_has_tests_that_exist() {
    let page = fs::read_to_string(root().join("crates/mechanism/tests/README.md")).expect("the page");
    let known = known();
    let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| rule "));
    let mut count = 0;
    for row in rows {
        let named: Vec<&str> = row.split('`').filter(|part| part.contains("::")).collect();
        assert!(!named.is_empty(), "no test is named in the row '{row}'");
        for test in named {
            assert!(known.contains(test), "there is no test '{test}', which the page of rules names");
        }
        count += 1;
    }
    assert!(count > 80, "the page has {count} rows only");
}

#[test]
fn tests_are_found_as_both_languages_write_them() {
    let text = "#[test]\nfn one() {}\nfn helper() {}\n    #[test]\n    /// Text.\n    fn two(a: u8) {}\ndef test_three(graph):\ndef helper():\n";
    assert_eq!(tests_of(text).into_iter().collect::<Vec<_>>(), ["one", "test_three", "two"]);
}
