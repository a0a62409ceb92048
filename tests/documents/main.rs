//! The documents: links lead somewhere, examples are what the nodes take, commands exist, and what the nodes are quoted to say is
//! what they say.
#![allow(clippy::expect_used)] // what is expected here is the test's own ground

mod commands;
mod examples;
mod interfaces;
mod links;
mod markdown;
mod quotes;

use std::fs;

use tests::root;

/// The README is one page; what needs more has a page in `docs/`.
#[test]
fn the_readme_is_a_page() {
    const MOST: usize = 150;
    let lines = fs::read_to_string(root().join("README.md")).expect("a README").lines().count();
    assert!(lines <= MOST, "README.md has {lines} lines, must have {MOST} at most");
}
