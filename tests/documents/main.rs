//! Checks of the documents: links lead somewhere, the nodes accept the examples, commands exist, and quoted messages of the
//! nodes are in their sources, and the figures of the README were measured.
#![allow(clippy::expect_used)] // a failed expectation is an error of the test's set-up

mod commands;
mod examples;
mod figures;
mod interfaces;
mod links;
mod markdown;
mod plain;
mod policy;
mod quotes;

use std::fs;

use tests::root;

/// The README is one page; longer texts have a page in `docs/`.
#[test]
fn the_readme_is_one_page() {
    const MOST: usize = 150;
    let lines = fs::read_to_string(root().join("README.md")).expect("a README").lines().count();
    assert!(lines <= MOST, "README.md has {lines} lines, must have {MOST} at most");
}
