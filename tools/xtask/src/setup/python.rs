//! The Python that the wheels are for: CPython 3.10 to 3.13 with venv and headers.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::environment::{Environment, Ros};
use crate::process::{answers, capture};
use crate::report::Outcome;
use crate::root::Root;

/// Names in order of preference.
const NAMES: &[&str] = &["python3.12", "python3.11", "python3.13", "python3.10", "python3"];

/// One line: version, implementation, word size, then yes or no: ensurepip, Python.h.
const QUESTION: &str = "import sys, importlib.util as u, os, sysconfig, platform
print('%d.%d' % sys.version_info[:2], platform.python_implementation(), 64 if sys.maxsize > 2**32 else 32,
      *('yes' if x else 'no' for x in (u.find_spec('venv') and u.find_spec('ensurepip'),
                                       os.path.exists(sysconfig.get_paths()['include'] + '/Python.h'))))";

/// Whether an interpreter fits.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It fits.
    Fits,
    /// Its version or build has no wheels.
    Wrong(String),
    /// A Debian package would complete it.
    Incomplete(String),
}

/// The result of a search.
pub struct Search {
    /// The first that fits.
    pub found: Option<PathBuf>,
    /// The rejected ones with the reason, for the error message.
    pub refused: Vec<String>,
    /// Whether one only lacks `python3-venv` or `python3-dev`.
    pub completable: bool,
}

/// The folders to search: the system's first, since the contents of a user's PATH vary.
pub fn places() -> Vec<PathBuf> {
    let mut places = vec![PathBuf::from("/usr/bin"), PathBuf::from("/usr/local/bin")];
    places.extend(env::var_os("PATH").iter().flat_map(env::split_paths).filter(|place| place.is_absolute()));
    let mut seen = Vec::new();
    places.retain(|place| {
        let real = place.canonicalize().unwrap_or_else(|_| place.clone()); // `/bin` is a link to `/usr/bin`.
        let is_new = !seen.contains(&real) && !place.ends_with(".ros2/prefix/bin");
        seen.push(real);
        is_new
    });
    places
}

/// The Python of the ROS in `environment`: the prefix's own, or one that can import the sourced one's modules.
pub fn of_ros(root: &Root, ros: &Ros, environment: &Environment) -> PathBuf {
    if *ros == Ros::Own {
        return root.prefix().join("bin/python");
    }
    // A user's other Pythons often come first in the PATH; ROS is made for the system's.
    let knows_ros = |python: &&str| {
        let mut command = Command::new(python);
        answers(environment.apply(&mut command).args(["-c", "import ament_package, em"]))
    };
    PathBuf::from(["python3", "/usr/bin/python3"].into_iter().find(knows_ros).unwrap_or("python3"))
}

/// Looks for an interpreter that fits in `places`, in order.
pub fn search(places: &[PathBuf]) -> Search {
    let mut search = Search { found: None, refused: Vec::new(), completable: false };
    let mut seen = Vec::new();
    for path in
        places.iter().flat_map(|place| NAMES.iter().map(|name| place.join(name))).filter(|p| p.is_file())
    {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone()); // `python3` is a link to one of the others.
        if seen.contains(&real) {
            continue;
        }
        seen.push(real);
        let Some(answer) = ask(&path) else { continue }; // A shim without a Python behind it.
        match judge(&answer) {
            Verdict::Fits => return Search { found: Some(path), ..search },
            Verdict::Wrong(why) => search.refused.push(format!("{} {why}", path.display())),
            Verdict::Incomplete(why) => {
                search.completable |= path.starts_with("/usr/bin");
                search.refused.push(format!("{} {why}", path.display()));
            }
        }
    }
    search
}

fn ask(path: &Path) -> Option<String> {
    let mut command = Command::new(path);
    command.args(["-I", "-c", QUESTION]).stdin(Stdio::null());
    // -I ignores Python's own variables; this one is the wheels'.
    let ended = capture(command.env("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1")).ok()?;
    ended.success.then_some(ended.out)
}

/// Judges the answer of one interpreter.
fn judge(answer: &str) -> Verdict {
    let words: Vec<&str> = answer.split_whitespace().collect();
    let [version, implementation, bits, venv, headers] = words[..] else {
        return Verdict::Wrong("gives no version".to_owned());
    };
    if implementation != "CPython" || bits != "64" {
        return Verdict::Wrong(format!("is {implementation} of {bits} bits"));
    }
    if !["3.10", "3.11", "3.12", "3.13"].contains(&version) {
        return Verdict::Wrong(format!("is {version}"));
    }
    match (venv, headers) {
        ("yes", "yes") => Verdict::Fits,
        ("yes", _) => Verdict::Incomplete(format!("is {version} without headers (python3-dev)")),
        _ => Verdict::Incomplete(format!("is {version} without venv (python3-venv)")),
    }
}

/// The error message if none fits.
pub fn none_fits(search: &Search) -> String {
    let found = if search.refused.is_empty() {
        "no Python 3 at all was found".to_owned()
    } else {
        format!("found were: {}", search.refused.join(", "))
    };
    format!(
        "ROS 2 from wheels needs CPython 3.10, 3.11, 3.12 or 3.13 with venv and headers, and {found}; \
         install one, or source a ROS 2"
    )
}

/// A line of output of an interpreter's one-liner.
///
/// # Errors
/// When it cannot be started.
pub fn line(python: &Path, code: &str) -> Outcome<String> {
    let mut command = Command::new(python);
    command.args(["-I", "-c", code]).env("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1").stdin(Stdio::null());
    Ok(capture(&mut command)?.out.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pythons_with_wheels_fit() {
        assert_eq!(judge("3.12 CPython 64 yes yes\n"), Verdict::Fits);
        assert_eq!(judge("3.9 CPython 64 yes yes\n"), Verdict::Wrong("is 3.9".to_owned()));
        assert_eq!(judge("3.11 PyPy 64 yes yes\n"), Verdict::Wrong("is PyPy of 64 bits".to_owned()));
        assert!(
            matches!(judge("3.11 CPython 64 no yes\n"), Verdict::Incomplete(why) if why.contains("python3-venv"))
        );
        assert!(
            matches!(judge("3.11 CPython 64 yes no\n"), Verdict::Incomplete(why) if why.contains("python3-dev"))
        );
    }

    #[test]
    fn a_missing_python_is_reported() {
        let search = search(&[PathBuf::from("/nonexistent")]);
        assert!(search.found.is_none());
        assert!(none_fits(&search).contains("no Python 3 at all was found"));
    }

    #[test]
    fn the_versions_found_are_named() {
        let search =
            Search { found: None, refused: vec!["/usr/bin/python3 is 3.9".into()], completable: false };
        assert!(none_fits(&search).contains("found were: /usr/bin/python3 is 3.9"));
    }
}
