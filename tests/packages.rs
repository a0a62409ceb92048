//! The ROS packages of this repository: what rosdep and colcon read of them.
#![allow(clippy::unwrap_used)] // a test may panic

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use tests::{files, root};

/// The folders of the packages.
fn folders() -> Vec<PathBuf> {
    let folders = ["msg", "srv"].map(|group| fs::read_dir(root().join(group)).unwrap());
    let mut folders: Vec<PathBuf> = folders
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    folders.push(root().join("crates"));
    folders
}

/// The packages' manifests, by their names.
fn packages() -> BTreeMap<String, String> {
    let manifests =
        folders().into_iter().map(|folder| fs::read_to_string(folder.join("package.xml")).unwrap());
    let named = |text: String| {
        let name = elements(&text, "name").next().unwrap().to_owned();
        (name, text)
    };
    manifests.map(named).collect()
}

/// The texts of the elements whose tags end with `tag`.
fn elements<'a>(text: &'a str, tag: &str) -> impl Iterator<Item = &'a str> {
    let tag = format!("{tag}>");
    text.lines().filter_map(move |line| {
        let (_, rest) = line.trim().strip_prefix('<')?.split_once(&tag)?;
        rest.ends_with(&tag).then(|| rest.split_once("</")).flatten().map(|(text, _)| text)
    })
}

/// `rosdep install` ends at the first key that it does not know.
#[test]
fn rosdep_knows_every_key() {
    let packages = packages();
    let known = fs::read_to_string(root().join("tests/rosdep.txt")).unwrap();
    let known: BTreeSet<&str> = known
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once(": ").unwrap().0)
        .collect();
    let used: BTreeSet<&str> = packages.values().flat_map(|text| elements(text, "depend")).collect();
    let foreign: BTreeSet<&str> = used.into_iter().filter(|key| !packages.contains_key(*key)).collect();
    assert_eq!(foreign, known, "left: used in a package.xml; right: tests/rosdep.txt");
    assert!(foreign.contains("sdl2") && foreign.contains("ament_cmake") && packages.len() > 6);
}

/// rosdep ends at a `manifest.xml` or `stack.xml`, which it takes for a package of ROS 1.
#[test]
fn no_other_file_looks_like_a_package() {
    let manifest = |path: &PathBuf| {
        let name = path.file_name().unwrap();
        ["package.xml", "manifest.xml", "stack.xml"].iter().any(|known| name == *known)
    };
    let found: BTreeSet<PathBuf> = files(&root(), &["xml"]).into_iter().filter(manifest).collect();
    assert_eq!(found, folders().iter().map(|folder| folder.join("package.xml")).collect());
}
