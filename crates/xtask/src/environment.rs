//! The environment in which ROS is found. One function makes it, for the shell and for every child of xtask:
//! r2r is rebuilt for minutes when one byte of a prefix path changes.

use std::env;
use std::path::Path;
use std::process::Command;

use crate::report::{Outcome, step};
use crate::root::{Root, folders};
use crate::setup;

/// Which ROS 2 is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ros {
    /// The person has sourced one; it wins.
    Sourced {
        /// `jazzy`, …
        distro: String,
        /// Its own prefixes and overlays, without what setup made.
        prefixes: Vec<String>,
    },
    /// The one that setup makes from wheels.
    Own,
}

/// Names and values, in the order in which they are printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment(Vec<(String, String)>);

/// What cargo tells the program it runs and a cargo beneath must not hear, and what would bend setup's Python.
/// `IDL_PACKAGE_FILTER` is set by `.cargo/config.toml` for every cargo alike.
const REMOVED: &[&str] =
    &["IDL_PACKAGE_FILTER", "CMAKE_IDL_PACKAGES", "CMAKE_INCLUDE_DIRS", "PYTHONHOME", "CARGO_MANIFEST_PATH"];

/// What a sourced ROS is known by: without these the pure crates must build and pass.
pub const ROS_VARIABLES: &[&str] = &[
    "AMENT_PREFIX_PATH",
    "CMAKE_PREFIX_PATH",
    "LD_LIBRARY_PATH",
    "PYTHONPATH",
    "ROS_DISTRO",
    "ROS_VERSION",
    "RMW_IMPLEMENTATION",
    "FASTRTPS_DEFAULT_PROFILES_FILE",
];

/// Whether setup made this path, in this clone of the repository or in another.
fn is_made(path: &str) -> bool {
    path.contains("/.ros2/prefix") || path.contains("/.ros2/install")
}

fn entries(value: Option<String>) -> Vec<String> {
    value.unwrap_or_default().split(':').filter(|e| !e.is_empty()).map(str::to_owned).collect()
}

/// Which ROS 2 the inherited environment asks for.
pub fn detect(inherited: &dyn Fn(&str) -> Option<String>) -> Ros {
    let mut prefixes = entries(inherited("AMENT_PREFIX_PATH"));
    prefixes.retain(|entry| !is_made(entry));
    match inherited("ROS_DISTRO") {
        Some(distro) if !distro.is_empty() && !prefixes.is_empty() => Ros::Sourced { distro, prefixes },
        _ => Ros::Own,
    }
}

/// The process's own environment; a value that is no UTF-8 counts as absent.
pub fn inherited(name: &str) -> Option<String> {
    env::var(name).ok()
}

impl Environment {
    /// The environment of this process, with ROS in it. The same again when it is in it already.
    pub fn new(root: &Root) -> Self {
        Self::compose(root, &inherited)
    }

    fn compose(root: &Root, inherited: &dyn Fn(&str) -> Option<String>) -> Self {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let (install, prefix) = (root.install(), root.prefix());
        let target = root.target_by(inherited("CARGO_TARGET_DIR"));
        let executables = text(&target.join("debug"));
        // `cargo run` puts its own folders into LD_LIBRARY_PATH: they must not reach the person's shell.
        let toolchains = inherited("RUSTUP_HOME").unwrap_or_else(|| "/nonexistent".to_owned());
        let of_cargo = |entry: &Path| entry.starts_with(&target) || entry.starts_with(&toolchains);
        let rest = |name: &str| -> Vec<String> {
            let mut rest = entries(inherited(name));
            rest.retain(|entry| !is_made(entry) && !of_cargo(Path::new(entry)));
            rest
        };
        let with = |first: Vec<String>, name: &str| [first, rest(name)].concat().join(":");
        let mut list: Vec<(&str, String)> = Vec::new();
        match detect(inherited) {
            Ros::Sourced { distro, prefixes } => {
                let own = [vec![text(&install)], prefixes.clone()].concat().join(":");
                let cmake = match rest("CMAKE_PREFIX_PATH") {
                    others if others.is_empty() => own.clone(),
                    _ => with(vec![text(&install)], "CMAKE_PREFIX_PATH"),
                };
                list.push(("AMENT_PREFIX_PATH", own));
                list.push(("CMAKE_PREFIX_PATH", cmake));
                list.push(("PATH", with(vec![executables], "PATH")));
                list.push(("LD_LIBRARY_PATH", with(vec![text(&install.join("lib"))], "LD_LIBRARY_PATH")));
                list.push(("PYTHONPATH", with(modules(&install), "PYTHONPATH")));
                list.push(("ROS_DISTRO", distro));
                list.push(("ROS_VERSION", "2".to_owned()));
            }
            Ros::Own => {
                let own = format!("{}:{}", text(&install), text(&prefix));
                list.push(("AMENT_PREFIX_PATH", own.clone()));
                list.push(("CMAKE_PREFIX_PATH", own));
                list.push(("PATH", with(vec![text(&prefix.join("bin")), executables], "PATH")));
                let mut libraries = vec![text(&install.join("lib")), text(&prefix.join("lib"))];
                libraries.extend(bundled(&prefix));
                list.push(("LD_LIBRARY_PATH", with(libraries, "LD_LIBRARY_PATH")));
                list.push(("PYTHONPATH", with(modules(&install), "PYTHONPATH")));
                list.push(("ROS_DISTRO", "jazzy".to_owned()));
                list.push(("ROS_VERSION", "2".to_owned()));
                list.push(("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp".to_owned()));
                // The wheels' Python would start itself a second time to set LD_LIBRARY_PATH, which is set here.
                list.push(("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1".to_owned()));
                let profile = inherited("FASTRTPS_DEFAULT_PROFILES_FILE").filter(|value| !value.is_empty());
                let profile = profile.unwrap_or_else(|| text(&root.made("fastdds.xml")));
                list.push(("FASTRTPS_DEFAULT_PROFILES_FILE", profile));
            }
        }
        Self(list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// The same, for what must stay on this machine and apart from what else runs on it: tests and the demo.
    pub fn isolated(mut self, root: &Root) -> Self {
        const PROFILE: &str = "FASTRTPS_DEFAULT_PROFILES_FILE";
        if inherited(PROFILE).is_none_or(|value| value.is_empty())
            && !self.0.iter().any(|(n, _)| n == PROFILE)
        {
            self.0.push((PROFILE.to_owned(), root.made("fastdds.xml").to_string_lossy().into_owned()));
        }
        if inherited("ROS_DOMAIN_ID").is_none_or(|value| value.is_empty()) {
            let domain = 1 + std::process::id() % 100; // 1 to 100: within every system's range, and not the default 0.
            self.0.push(("ROS_DOMAIN_ID".to_owned(), domain.to_string()));
        }
        self
    }

    /// The number that keeps this apart from other ROS systems.
    pub fn domain(&self) -> String {
        let own = self.0.iter().find(|(name, _)| name == "ROS_DOMAIN_ID").map(|(_, value)| value.clone());
        own.or_else(|| inherited("ROS_DOMAIN_ID")).unwrap_or_default()
    }

    /// Puts it on a child, and takes away what `cargo run` gave this process.
    pub fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        clean(command).envs(self.0.iter().map(|(name, value)| (name, value)))
    }

    /// Lines that a POSIX shell evaluates.
    pub fn shell(&self) -> String {
        let quote = |value: &str| format!("'{}'", value.replace('\'', r"'\''"));
        self.0.iter().map(|(name, value)| format!("export {name}={}\n", quote(value))).collect()
    }
}

/// Takes away what `cargo run` gave this process and a cargo beneath must not see.
pub fn clean(command: &mut Command) -> &mut Command {
    for name in REMOVED {
        command.env_remove(name);
    }
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO_PKG_") || name == "CARGO_MANIFEST_DIR" {
            command.env_remove(name);
        }
    }
    command
}

/// The libraries that the wheels bring along, in a fixed order.
fn bundled(prefix: &Path) -> Vec<String> {
    let is_bundle = |path: &Path| {
        path.file_name()
            .and_then(|n| n.to_str())
            .is_some_and(|n| n.starts_with("ros_") && n.ends_with(".libs"))
    };
    let packages = modules(prefix).into_iter().flat_map(|folder| folders(Path::new(&folder)));
    packages.filter(|path| is_bundle(path)).map(|path| path.to_string_lossy().into_owned()).collect()
}

/// The folders of Python modules in a prefix: a venv's, and where Debian's Python installs to.
fn modules(prefix: &Path) -> Vec<String> {
    let pythons = ["lib", "local/lib"].into_iter().flat_map(|lib| folders(&prefix.join(lib)));
    let is_python =
        |path: &Path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("python3."));
    let packages = pythons
        .filter(|path| is_python(path))
        .flat_map(|python| ["site-packages", "dist-packages"].map(|name| python.join(name)));
    packages.filter(|path| path.is_dir()).map(|path| path.to_string_lossy().into_owned()).collect()
}

/// `cargo xtask env`: prints the environment for `eval`, and nothing else on stdout.
///
/// # Errors
/// When setup has not been run.
pub fn print(root: &Root) -> Outcome<()> {
    setup::check(root)?;
    print!("{}", Environment::new(root).shell());
    if detect(&inherited) == Ros::Own {
        step("ROS 2 Jazzy of .ros2/, traffic kept on this machine by FASTRTPS_DEFAULT_PROFILES_FILE");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn compose(given: &HashMap<String, String>) -> Environment {
        Environment::compose(&Root::at(Path::new("/r")), &|name| given.get(name).cloned())
    }

    fn map(list: &[(&str, &str)]) -> HashMap<String, String> {
        list.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect()
    }

    fn value<'a>(environment: &'a Environment, name: &str) -> &'a str {
        environment.0.iter().find(|(n, _)| n == name).map_or("", |(_, v)| v)
    }

    #[test]
    fn evaluating_twice_is_evaluating_once() {
        for start in [
            map(&[("PATH", "/bin"), ("LD_LIBRARY_PATH", "/r/target/debug/deps:/mine")]),
            map(&[("PATH", "/bin"), ("ROS_DISTRO", "jazzy"), ("AMENT_PREFIX_PATH", "/opt/ros/jazzy")]),
        ] {
            let once = compose(&start);
            let mut after = start.clone();
            after.extend(once.0.iter().cloned());
            assert_eq!(compose(&after), once);
        }
    }

    #[test]
    fn a_sourced_ros_wins_and_our_install_overlays_it() {
        let environment =
            compose(&map(&[("ROS_DISTRO", "humble"), ("AMENT_PREFIX_PATH", "/ws:/opt/ros/humble")]));
        assert_eq!(value(&environment, "AMENT_PREFIX_PATH"), "/r/.ros2/install:/ws:/opt/ros/humble");
        assert_eq!(value(&environment, "ROS_DISTRO"), "humble");
        // A robot's other machines must stay reachable.
        assert_eq!(value(&environment, "FASTRTPS_DEFAULT_PROFILES_FILE"), "");
    }

    #[test]
    fn what_setup_made_is_not_a_sourced_ros() {
        let made = map(&[("ROS_DISTRO", "jazzy"), ("AMENT_PREFIX_PATH", "/a/.ros2/install:/a/.ros2/prefix")]);
        assert_eq!(detect(&|name| made.get(name).cloned()), Ros::Own);
        assert_eq!(value(&compose(&made), "AMENT_PREFIX_PATH"), "/r/.ros2/install:/r/.ros2/prefix");
    }

    #[test]
    fn cargos_own_folders_do_not_reach_the_shell() {
        let environment = compose(&map(&[
            ("LD_LIBRARY_PATH", "/r/target/debug/deps:/h/toolchains/s/lib:/mine"),
            ("RUSTUP_HOME", "/h"),
        ]));
        assert_eq!(value(&environment, "LD_LIBRARY_PATH"), "/r/.ros2/install/lib:/r/.ros2/prefix/lib:/mine");
    }

    #[test]
    fn a_profile_of_the_person_is_kept() {
        let environment = compose(&map(&[("FASTRTPS_DEFAULT_PROFILES_FILE", "/mine.xml")]));
        assert_eq!(value(&environment, "FASTRTPS_DEFAULT_PROFILES_FILE"), "/mine.xml");
    }

    #[test]
    fn values_are_quoted_for_the_shell() {
        let environment = Environment(vec![("A".into(), "it's $HOME".into())]);
        assert_eq!(environment.shell(), "export A='it'\\''s $HOME'\n");
    }
}
