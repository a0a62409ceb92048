//! An installed node is a link to an executable that holds several.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use nodes::executables::{OTHERS, WITH_SDL};

const EXECUTABLES: [(&str, &[(&str, nodes::executables::Main)]); 2] =
    [(env!("CARGO_BIN_EXE_steersman"), &WITH_SDL), (env!("CARGO_BIN_EXE_steersman-nodes"), &OTHERS)];

#[test]
fn a_link_by_the_name_of_a_node_is_this_node() {
    let folder = tempfile::tempdir().unwrap();
    for (executable, nodes) in EXECUTABLES {
        for (name, _) in nodes {
            let link = folder.path().join(name);
            symlink(executable, &link).unwrap();
            let output = Command::new(&link).arg("--version").output().unwrap();
            assert_eq!(
                String::from_utf8(output.stdout).unwrap(),
                format!("{name} {}\n", env!("CARGO_PKG_VERSION"))
            );
        }
        let other = folder.path().join("other");
        symlink(executable, &other).unwrap();
        let output = Command::new(&other).output().unwrap();
        assert!(!output.status.success() && String::from_utf8(output.stderr).unwrap().contains(nodes[0].0));
        std::fs::remove_file(other).unwrap();
    }
}

#[test]
fn the_package_installs_a_link_for_each_node() {
    let lists =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../CMakeLists.txt")).unwrap();
    let of = |variable: &str| -> BTreeSet<String> {
        let begin = format!("set({variable} ");
        let line = lists.lines().find_map(|line| line.strip_prefix(begin.as_str())).unwrap();
        line.trim_end_matches(')').split_whitespace().map(str::to_owned).collect()
    };
    let names = |nodes: &[(&str, _)], but: &str| {
        nodes.iter().map(|(name, _)| (*name).to_owned()).filter(|name| name != but).collect()
    };
    assert_eq!(of("WITH_SDL"), names(&WITH_SDL, "steersman"));
    assert_eq!(of("OTHERS"), names(&OTHERS, ""));
}
