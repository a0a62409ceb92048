//! Shared code of the tests of the whole repository.
#![forbid(unsafe_code)]

use std::fs;
use std::path::{Path, PathBuf};

use params::Specification;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Every node that has parameters.
pub fn specifications() -> Vec<Specification> {
    vec![
        joystick::specification(),
        arbiter::specification(),
        zones::specification(),
        surround::specification(),
        hindbrain::specification(),
        simulator::specification(),
        chair::specification(),
        luci_chair::specification(),
        mechanism::specification(),
        haptix::specification(),
        pictures::specification(),
        switches::specification(),
    ]
}

/// The name of a node's executable, launch file and configuration file: the node's name, except for the fake chair, whose node
/// has the name of LUCI's.
pub fn executable(specification: &Specification) -> &'static str {
    if specification.node == "interface" { "luci_chair" } else { specification.node }
}

/// All files below `folder` with one of the extensions, without hidden folders and build results.
pub fn files(folder: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries.flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.')
                && !["target", "build", "install", "log", "__pycache__"].contains(&name.as_str())
            {
                found.extend(files(&path, extensions));
            }
        } else if path.extension().is_some_and(|e| extensions.iter().any(|known| e == *known)) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Compares `path` with its generated contents; with `BLESS=1` writes it instead.
/// # Panics
/// If they differ.
pub fn bless(path: &str, text: &str) {
    let file = root().join(path);
    if std::env::var_os("BLESS").is_some() && fs::write(&file, text).is_err() {
        eprintln!("{} cannot be written", file.display());
    }
    let found = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == text,
        "{path} is not what the crates make of it; write it anew with `BLESS=1 cargo test -p tests`"
    );
}

/// Compares the part of `path` between the line `start` and the line `<!-- end -->` with its generated contents; with `BLESS=1`
/// writes it instead.
/// # Panics
/// If they differ, or the page has no such place.
pub fn bless_between(path: &str, start: &str, text: &str) {
    let page = fs::read_to_string(root().join(path)).unwrap_or_default();
    let place = page.find(&format!("{start}\n")).map(|at| at + start.len() + 1);
    let place = place.and_then(|from| Some((from, from + page[from..].find("<!-- end -->")?)));
    assert!(place.is_some(), "{path} has no line '{start}' with an end");
    let (from, to) = place.unwrap_or_default();
    bless(path, &[&page[..from], "\n", text, "\n", &page[to..]].concat());
}
