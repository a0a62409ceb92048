//! The parts of a `package.xml` that are used here: the name, and the packages that have to be built before it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::report::{Failure, Outcome};

/// One interface package of this repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    /// Its name in CMake and ROS.
    pub name: String,
    /// The folder of its `package.xml`.
    pub folder: PathBuf,
    /// Its dependencies of any kind.
    pub needs: Vec<String>,
}

impl Package {
    /// Reads `folder/package.xml`.
    ///
    /// # Errors
    /// When it cannot be read or has no name.
    pub fn read(folder: &Path) -> Outcome<Self> {
        let path = folder.join("package.xml");
        let text = fs::read_to_string(&path).map_err(|e| Failure::io("read", &path, &e))?;
        let text = without_comments(&text);
        let Some(name) = elements(&text, |tag| tag == "name").into_iter().next() else {
            return Err(Failure::new(format!("{} has no <name>", path.display())));
        };
        let needs = elements(&text, |tag| tag == "depend" || tag.ends_with("_depend"));
        Ok(Self { name, folder: folder.to_path_buf(), needs })
    }
}

fn without_comments(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!--") {
        kept.push_str(before);
        rest = after.split_once("-->").map_or("", |(_, after)| after);
    }
    kept + rest
}

/// The texts of the elements whose tag is `wanted`, in order.
fn elements(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for piece in text.split('<').skip(1) {
        let Some((head, content)) = piece.split_once('>') else { continue };
        let tag = head.split_whitespace().next().unwrap_or_default();
        if !tag.starts_with('/') && wanted(tag) && !head.ends_with('/') {
            found.push(content.trim().to_owned());
        }
    }
    found
}

/// The packages, each after those that it needs; otherwise by name.
///
/// # Errors
/// If some depend on one another in a circle, or two have one name.
pub fn in_order(mut packages: Vec<Package>) -> Outcome<Vec<Package>> {
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    if let Some(pair) = packages.windows(2).find(|pair| pair[0].name == pair[1].name) {
        let (a, b) = (pair[0].folder.display(), pair[1].folder.display());
        return Err(Failure::new(format!("{a} and {b} are both named {}", pair[0].name)));
    }
    let mut ordered: Vec<Package> = Vec::new();
    while !packages.is_empty() {
        let waits = |package: &Package| packages.iter().any(|other| package.needs.contains(&other.name));
        let Some(next) = packages.iter().position(|package| !waits(package)) else {
            let names: Vec<&str> = packages.iter().map(|package| package.name.as_str()).collect();
            return Err(Failure::new(format!(
                "these packages need one another in a circle: {}",
                names.join(", ")
            )));
        };
        ordered.push(packages.remove(next));
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, needs: &[&str]) -> Package {
        let needs = needs.iter().map(|need| (*need).to_owned()).collect();
        Package { name: name.to_owned(), folder: PathBuf::from(name), needs }
    }

    #[test]
    fn dependencies_come_first() {
        let given = vec![package("a", &["c", "std_msgs"]), package("b", &[]), package("c", &["b"])];
        let names: Vec<String> = in_order(given).unwrap().into_iter().map(|package| package.name).collect();
        assert_eq!(names, ["b", "c", "a"]);
    }

    #[test]
    fn a_circle_is_refused() {
        let failure = in_order(vec![package("a", &["b"]), package("b", &["a"])]).unwrap_err();
        assert!(failure.0.contains("a, b"));
    }

    #[test]
    fn one_name_for_two_is_refused() {
        assert!(in_order(vec![package("a", &[]), package("a", &[])]).is_err());
    }

    #[test]
    fn names_and_needs_are_read_and_comments_are_not() {
        let text = "<package format=\"3\"><name>x</name><!-- <depend>no</depend> -->\
                    <build_depend version_gte=\"1\">y</build_depend><depend>z</depend></package>";
        let text = without_comments(text);
        assert_eq!(elements(&text, |tag| tag == "name"), ["x"]);
        assert_eq!(elements(&text, |tag| tag == "depend" || tag.ends_with("_depend")), ["y", "z"]);
    }
}
