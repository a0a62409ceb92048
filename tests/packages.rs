//! The ROS packages of this repository: what rosdep and colcon read of them.
#![allow(clippy::unwrap_used)] // a test may panic

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use tests::{bless, files, root};

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

/// bloom makes a package of its folder alone.
#[test]
fn every_package_has_the_licence() {
    let licence = fs::read_to_string(root().join("LICENSE")).unwrap();
    for folder in folders() {
        assert!(fs::read_to_string(folder.join("LICENSE")).unwrap() == licence, "{}", folder.display());
    }
    for (name, manifest) in packages() {
        assert!(manifest.contains("<license file=\"LICENSE\">Apache-2.0</license>"), "{name}");
    }
}

/// REP-132: `catkin_pkg` and bloom read this of the changelog.
#[test]
fn the_changelog_is_there_for_releases() {
    let (title, text) =
        ("Changelog for package steersman", fs::read_to_string(root().join("CHANGELOG.md")).unwrap());
    let (_, versions) = text.split_once("\n## ").unwrap();
    let rule = "^".repeat(title.len());
    bless("crates/CHANGELOG.rst", &format!("{rule}\n{title}\n{rule}\n\n{}", rst(&format!("## {versions}"))));
    assert_eq!(
        rst("## 1.2.3 (2026-12-01)\n\n### Fixed\n\n- **`/x`** of [*a*](b#c): `d`."),
        "1.2.3 (2026-12-01)\n------------------\n\n**Fixed**\n\n* **/x** of *a*: ``d``.\n"
    );
}

/// The Markdown of the changelog as reStructuredText. Sections of a version are paragraphs: `catkin_pkg` skips nested sections.
fn rst(markdown: &str) -> String {
    let lines = markdown.lines().map(|line| {
        if let Some(version) = line.strip_prefix("## ") {
            let version = if version.ends_with("(unreleased)") { "Forthcoming" } else { version };
            format!("{version}\n{}\n", "-".repeat(version.len()))
        } else if let Some(section) = line.strip_prefix("### ") {
            format!("**{section}**\n")
        } else if let Some(item) = line.strip_prefix("- ") {
            format!("* {item}\n")
        } else {
            format!("{line}\n")
        }
    });
    inline(&lines.collect::<String>())
}

/// Literals and links; literals cannot be within strong text.
fn inline(markdown: &str) -> String {
    let mut is_strong = false;
    let mut text = String::new();
    let mut rest = markdown;
    while let Some(at) = rest.find(['`', '[', '*']) {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix('`') {
            let (literal, after) = after.split_once('`').unwrap();
            let mark = if is_strong { "" } else { "``" };
            text.extend([mark, literal, mark]);
            rest = after;
        } else if let Some((name, after)) = rest.strip_prefix('[').and_then(|after| after.split_once("](")) {
            text.push_str(&inline(name));
            rest = after.split_once(')').unwrap().1;
        } else {
            is_strong ^= rest.starts_with("**");
            let marks = if rest.starts_with("**") { 2 } else { 1 };
            text.push_str(&rest[..marks]);
            rest = &rest[marks..];
        }
    }
    text + rest
}

/// `colcon build` after an update: what r2r made for a message that has changed since is removed, and otherwise nothing is.
#[test]
fn a_changed_interface_is_built_again_by_colcon() {
    let folder = std::env::temp_dir().join(format!("steersman-bindings-{}", std::process::id()));
    let interfaces = folder.join("install/share/pad_msgs/msg");
    fs::create_dir_all(&interfaces).unwrap();
    let cargo = folder.join("cargo");
    fs::write(&cargo, "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/calls\"\n").unwrap();
    fs::set_permissions(&cargo, fs::Permissions::from_mode(0o755)).unwrap();
    let calls = || fs::read_to_string(folder.join("calls")).unwrap_or_default().lines().count();
    let build = || {
        let mut cmake = Command::new("cmake");
        cmake
            .arg(format!("-DCARGO={}", cargo.display()))
            .arg(format!("-DTARGET={}", folder.join("target").display()));
        cmake.arg("-P").arg(root().join("crates/bindings.cmake"));
        let prefixes = format!("{}:/nowhere", folder.join("install").display());
        assert!(cmake.env("AMENT_PREFIX_PATH", prefixes).status().unwrap().success());
        calls()
    };
    let write = |text: &str| fs::write(interfaces.join("State.idl"), text).unwrap();
    write("long buttons;");
    assert_eq!([build(), build()], [1, 1], "the first build, and one in which nothing changed");
    write("long buttons; double extra;");
    assert_eq!([build(), build()], [2, 2]);
    let last = fs::read_to_string(folder.join("calls")).unwrap();
    assert!(last.ends_with("-p r2r -p r2r_actions -p r2r_msg_gen -p r2r_rcl\n"), "{last}");
    fs::remove_dir_all(&folder).unwrap();
}
