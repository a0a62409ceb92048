//! The environment in which ROS is found. One function makes it, for the shell and for every child of xtask: r2r takes minutes
//! to rebuild when one byte of a prefix path changes.

use std::env;
use std::path::Path;
use std::process::Command;

use isolation::Isolation;

use crate::report::{Failure, Outcome, step};
use crate::root::{Root, folders, write};
use crate::setup;

/// Which ROS 2 is in use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ros {
    /// The user has sourced one; it takes precedence.
    Sourced {
        /// `jazzy`, …
        distro: String,
        /// Its own prefixes and overlays, without those that setup made.
        prefixes: Vec<String>,
    },
    /// The one that setup makes from wheels.
    Own,
}

/// The variables to set and to remove.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Names and values, in the order in which they are printed.
    set: Vec<(String, String)>,
    removed: Vec<&'static str>,
}

/// Variables that cargo sets for the program it runs and that a nested cargo must not see, and those that would disturb setup's
/// Python. `IDL_PACKAGE_FILTER` is set by `.cargo/config.toml` for every cargo alike.
const REMOVED: &[&str] =
    &["IDL_PACKAGE_FILTER", "CMAKE_IDL_PACKAGES", "CMAKE_INCLUDE_DIRS", "PYTHONHOME", "CARGO_MANIFEST_PATH"];

/// The variables of a sourced ROS: without these the pure crates must build and pass.
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

/// The ROS 2 that the inherited environment selects.
pub fn detect(inherited: &dyn Fn(&str) -> Option<String>) -> Ros {
    let mut prefixes = entries(inherited("AMENT_PREFIX_PATH"));
    prefixes.retain(|entry| !is_made(entry));
    match inherited("ROS_DISTRO") {
        Some(distro) if !distro.is_empty() && !prefixes.is_empty() => Ros::Sourced { distro, prefixes },
        _ => Ros::Own,
    }
}

/// The process's own environment; a value that is not UTF-8 counts as absent.
pub fn inherited(name: &str) -> Option<String> {
    env::var(name).ok()
}

impl Environment {
    /// The environment of this process, with ROS in it. Composing it twice gives the same result.
    pub fn new(root: &Root) -> Self {
        Self::compose(root, &inherited)
    }

    fn compose(root: &Root, inherited: &dyn Fn(&str) -> Option<String>) -> Self {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let (install, prefix) = (root.install(), root.prefix());
        let target = root.target_by(inherited("CARGO_TARGET_DIR"));
        let executables = text(&target.join("debug"));
        // `cargo run` puts its own folders into LD_LIBRARY_PATH: they must not reach the user's shell.
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
                list.push(("RMW_IMPLEMENTATION", setup::middleware::OWN.to_owned()));
                // The wheels' Python would restart itself to set LD_LIBRARY_PATH, which is set here.
                list.push(("_ROS_WHEELS_BOOTSTRAP_COMPLETE", "1".to_owned()));
                let profile = inherited("FASTRTPS_DEFAULT_PROFILES_FILE").filter(|value| !value.is_empty());
                let profile = profile.unwrap_or_else(|| text(&root.made("fastdds.xml")));
                list.push(("FASTRTPS_DEFAULT_PROFILES_FILE", profile));
            }
        }
        let set = list.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self { set, removed: Vec::new() }
    }

    /// Isolates the environment from every robot: for the tests, the demo and the bench. Also returns the sentence that names the
    /// domain.
    ///
    /// # Errors
    /// The chosen domain is invalid, or the profile cannot be written.
    pub fn isolated(self, root: &Root) -> Outcome<(Self, String)> {
        let profile = root.made("fastdds.xml");
        write(&profile, isolation::PROFILE)?;
        self.isolated_from(&profile.to_string_lossy(), &inherited)
    }

    /// `count` further domains for processes that run beside it.
    ///
    /// # Errors
    /// STEERSMAN_DOMAIN is invalid.
    pub fn domains_beside(&self, count: usize) -> Outcome<Vec<u8>> {
        Ok(self.isolation(&inherited)?.beside(&inherited, count))
    }

    fn isolation(&self, inherited: &dyn Fn(&str) -> Option<String>) -> Outcome<Isolation> {
        let known = |name: &str| self.value(name).map(str::to_owned).or_else(|| inherited(name));
        Isolation::new(&known, std::process::id()).map_err(|e| Failure::new(e.to_string()))
    }

    fn isolated_from(
        mut self,
        profile: &str,
        inherited: &dyn Fn(&str) -> Option<String>,
    ) -> Outcome<(Self, String)> {
        let isolation = self.isolation(inherited)?;
        for (name, value) in isolation.variables(profile) {
            self.set.retain(|(n, _)| n != name);
            match value {
                Some(value) => self.set.push((name.to_owned(), value)),
                None => self.removed.push(name),
            }
        }
        Ok((self, isolation.sentence(profile)))
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.set.iter().find(|(n, _)| n == name).map(|(_, value)| value.as_str())
    }

    /// Sets it for a child process, and removes the variables that `cargo run` set for this process.
    pub fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        for name in &self.removed {
            command.env_remove(name);
        }
        clean(command).envs(self.set.iter().map(|(name, value)| (name, value)))
    }

    /// Lines that a POSIX shell evaluates.
    pub fn shell(&self) -> String {
        let quote = |value: &str| format!("'{}'", value.replace('\'', r"'\''"));
        self.set.iter().map(|(name, value)| format!("export {name}={}\n", quote(value))).collect()
    }
}

/// `cargo` with these arguments, for crates that need no ROS: they build the same with and without one.
pub fn cargo_without_ros(root: &Root, arguments: &[&str]) -> Command {
    let mut command = Command::new("cargo");
    command.args(arguments).current_dir(root.path());
    for name in ROS_VARIABLES {
        command.env_remove(name);
    }
    clean(&mut command);
    command
}

/// Removes the variables that `cargo run` set for this process and that a nested cargo must not see.
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

/// The libraries bundled with the wheels, in a fixed order.
fn bundled(prefix: &Path) -> Vec<String> {
    let is_bundle = |path: &Path| {
        path.file_name()
            .and_then(|n| n.to_str())
            .is_some_and(|n| n.starts_with("ros_") && n.ends_with(".libs"))
    };
    let packages = modules(prefix).into_iter().flat_map(|folder| folders(Path::new(&folder)));
    packages.filter(|path| is_bundle(path)).map(|path| path.to_string_lossy().into_owned()).collect()
}

/// The folders of Python modules in a prefix: of a venv, and of Debian's Python.
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
        environment.value(name).unwrap_or_default()
    }

    #[test]
    fn evaluating_twice_is_evaluating_once() {
        for start in [
            map(&[("PATH", "/bin"), ("LD_LIBRARY_PATH", "/r/target/debug/deps:/mine")]),
            map(&[("PATH", "/bin"), ("ROS_DISTRO", "jazzy"), ("AMENT_PREFIX_PATH", "/opt/ros/jazzy")]),
        ] {
            let once = compose(&start);
            let mut after = start.clone();
            after.extend(once.set.iter().cloned());
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
        let set = vec![("A".into(), "it's $HOME".into())];
        let environment = Environment { set, removed: Vec::new() };
        assert_eq!(environment.shell(), "export A='it'\\''s $HOME'\n");
    }

    #[test]
    fn an_isolated_process_has_neither_the_shells_domain_nor_its_middleware_configuration() {
        for ros in [("ROS_DISTRO", "jazzy"), ("IGNORED", "")] {
            let shell = map(&[
                ros,
                ("AMENT_PREFIX_PATH", "/opt/ros/jazzy"),
                ("ROS_DOMAIN_ID", "7"),
                ("FASTRTPS_DEFAULT_PROFILES_FILE", "/robot.xml"),
                ("ROS_DISCOVERY_SERVER", "192.0.2.1:11811"),
            ]);
            let inherited = |name: &str| shell.get(name).cloned();
            let (environment, sentence) = compose(&shell).isolated_from("/r/ours.xml", &inherited).unwrap();
            let domain = value(&environment, "ROS_DOMAIN_ID");
            assert!(!["", "0", "7"].contains(&domain));
            assert!(sentence.contains(&format!("export ROS_DOMAIN_ID={domain} ")), "{sentence}");
            assert_eq!(value(&environment, "FASTRTPS_DEFAULT_PROFILES_FILE"), "/r/ours.xml");
            let mut command = Command::new("true");
            environment.apply(&mut command);
            let given = |name: &str| command.get_envs().find(|(n, _)| *n == name).map(|(_, value)| value);
            assert_eq!(given("ROS_DISCOVERY_SERVER"), Some(None), "removed");
            assert_eq!(given("ROS_DOMAIN_ID"), Some(Some(domain.as_ref())));
        }
    }

    #[test]
    fn an_invalid_chosen_domain_is_refused() {
        let shell = map(&[("STEERSMAN_DOMAIN", "300")]);
        let inherited = |name: &str| shell.get(name).cloned();
        let Failure(sentence) = compose(&shell).isolated_from("/r/ours.xml", &inherited).unwrap_err();
        assert_eq!(sentence, "STEERSMAN_DOMAIN is '300', must be a whole number from 0 to 232");
    }

    #[test]
    fn the_shells_environment_has_no_domain_of_ours() {
        let text = compose(&map(&[("ROS_DOMAIN_ID", "7"), ("STEERSMAN_DOMAIN", "9")])).shell();
        assert!(!text.contains("DOMAIN"), "{text}");
    }
}
