//! The messages that `docs/troubleshooting.md` quotes are in the nodes' sources.

use std::fs;

use tests::{files, root};

use crate::markdown::{pages, quoted, rows};

/// The nodes' sources without comments and tests, with strings over several lines joined.
fn sources() -> String {
    let mut all = String::new();
    for file in files(&root().join("crates"), &["rs"]) {
        let path = file.display().to_string();
        if ["/tests/", "/tests.rs"].iter().any(|part| path.contains(part)) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in text.lines().map(str::trim_start).filter(|line| !line.starts_with("//")) {
            match line.strip_suffix('\\') {
                Some(part) => all.push_str(part),
                None => all.extend([line, "\n"]),
            }
        }
    }
    all
}

#[test]
fn quoted_messages_are_in_the_sources_of_the_nodes() {
    let sources = sources();
    let pages = pages();
    let page = pages.iter().find(|page| page.path == "docs/troubleshooting.md").expect("a page");
    let lines = page.prose();
    let rows = rows(&lines);
    let quotes: Vec<&str> =
        rows.iter().filter(|row| row.len() == 2).flat_map(|row| quoted(&row[0])).collect();
    assert!(quotes.len() > 60, "only {} quotes were found", quotes.len());
    let mut wrong = Vec::new();
    for quote in quotes {
        let mut parts = quote.split('…').map(str::trim).filter(|part| !part.is_empty());
        if let Some(part) = parts.find(|part| !sources.contains(part)) {
            wrong.push(format!("`{quote}`: no node prints '{part}'"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
