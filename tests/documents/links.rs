use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use tests::root;

use crate::markdown::pages;

/// The targets of the links in `line`: `[text](target)`, pictures too.
fn targets(line: &str) -> Vec<&str> {
    line.match_indices("](")
        .filter_map(|(at, _)| {
            let rest = &line[at + 2..];
            rest.find(')').map(|end| &rest[..end])
        })
        .collect()
}

/// `path` without `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(component);
        }
    }
    plain
}

#[test]
fn every_link_leads_to_a_file_and_its_heading() {
    let pages = pages();
    let anchors: BTreeMap<PathBuf, Vec<String>> =
        pages.iter().map(|page| (PathBuf::from(&page.path), page.anchors())).collect();
    let mut wrong = Vec::new();
    let mut count = 0;
    for page in &pages {
        for target in page.prose().iter().flat_map(|line| targets(line)) {
            if target.contains("://") {
                continue;
            }
            count += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let own = PathBuf::from(&page.path);
            let path =
                if file.is_empty() { own } else { plain(&own.parent().unwrap_or(Path::new("")).join(file)) };
            if !root().join(&path).exists() {
                wrong.push(format!("{}: {target}: there is no {}", page.path, path.display()));
            } else if !anchor.is_empty()
                && let Some(known) = anchors.get(&path)
                && !known.iter().any(|known| known == anchor)
            {
                wrong.push(format!("{}: {target}: {} has no such heading", page.path, path.display()));
            }
        }
    }
    assert!(count > 100, "only {count} links were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
