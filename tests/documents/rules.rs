//! The tests that a page of rules names for each of its rules exist.

use std::collections::BTreeSet;
use std::fs;

use tests::{files, root};

/// Pages of rules, the folders where the tests are that each may name, and how many rules it has at least.
const PAGES: [(&str, &[&str], usize); 1] = [(
    "crates/haptix/tests/README.md",
    &[
        "crates/haptix/tests",
        "crates/haptix/src",
        "tools/hand_conformance/src",
        "crates/libhaptix/src",
        "crates/nodes/src/haptix",
        "tests/ros",
    ],
    30,
)];

/// The file whose macro makes a test of each public function that takes a `Make`.
const CONFORMANCE: &str = include_str!("../../tools/hand_conformance/src/lib.rs");

/// The tests of a file: functions below `#[test]`, those of proptest too, those of every hand that the macro runs, and Python's
/// `def test_...`.
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
        let is_run = |test: &String| {
            CONFORMANCE.split(|c: char| c != '_' && !c.is_alphanumeric()).any(|word| word == test)
        };
        if line.ends_with("(make: &Make) {") {
            found.extend(name(line, "pub fn ").filter(is_run));
        }
        found.extend(name(line, "def ").filter(|function| function.starts_with("test_")));
    }
    found
}

/// All tests of `folders` as a page names them: `file::test`.
fn known(folders: &[&str]) -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for path in folders.iter().flat_map(|folder| files(&root().join(folder), &["rs", "py"])) {
        let file = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let text = fs::read_to_string(&path).expect("a source that can be read");
        known.extend(tests_of(&text).into_iter().map(|test| format!("{file}::{test}")));
    }
    known
}

#[test]
fn each_rule_of_a_page_has_tests_that_exist() {
    for (path, folders, least) in PAGES {
        let page = fs::read_to_string(root().join(path)).expect("the page");
        let known = known(folders);
        let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| rule "));
        let mut count = 0;
        for row in rows {
            let named: Vec<&str> = row.split('`').filter(|part| part.contains("::")).collect();
            assert!(!named.is_empty(), "{path}: no test is named in the row '{row}'");
            for test in named {
                assert!(known.contains(test), "{path}: there is no test '{test}', which it names");
            }
            count += 1;
        }
        assert!(count >= least, "{path} has {count} rules, must have {least} at least");
    }
}

#[test]
fn tests_are_found_as_both_languages_write_them() {
    let text = "#[test]\nfn one() {}\nfn helper() {}\n    #[test]\n    /// Text.\n    fn two(a: u8) {}\ndef test_three(graph):\ndef helper():\n";
    assert_eq!(tests_of(text).into_iter().collect::<Vec<_>>(), ["one", "test_three", "two"]);
    let text = "pub fn joints_follow_their_motors(make: &Make) {\npub fn of_no_list(make: &Make) {\npub fn new(make: &Make, name: &str) {\n";
    assert_eq!(tests_of(text).into_iter().collect::<Vec<_>>(), ["joints_follow_their_motors"]);
}
