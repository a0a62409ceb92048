use core::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use crate::{Isolation, PROFILE, PROFILES, Refused};

/// Why a process cannot be isolated.
#[derive(Debug)]
pub enum Error {
    /// The chosen domain is invalid.
    Refused(Refused),
    /// The operating system refused to start the process again in the environment.
    Start(io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(refused) => refused.fmt(f),
            Self::Start(error) => write!(f, "could not start again in a ROS domain of its own: {error}"),
        }
    }
}

impl std::error::Error for Error {}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        Self::Refused(refused)
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Self {
        Self::Start(error)
    }
}

/// A variable of this process's environment.
pub fn inherited(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Ensures that this process and all its children are isolated: if it is not, it restarts with the same arguments in the right
/// environment. Returns the domain and the sentence for the user.
///
/// A process cannot safely change its own environment once it may have threads, but it can restart.
/// # Errors
/// The chosen domain is invalid, or the operating system refuses the restart.
pub fn ensure() -> Result<(u8, String), Error> {
    let isolation = Isolation::new(&inherited, std::process::id())?;
    if let Some(profile) = held(isolation, &inherited, &|file| fs::read_to_string(file).ok()) {
        return Ok((isolation.domain(), isolation.sentence(&profile)));
    }
    let profile = write_profile()?;
    let mut command = Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1));
    for (name, value) in isolation.variables(&profile.to_string_lossy()) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Err(Error::Start(command.exec()))
}

/// The file with [`PROFILE`], if all variables already have their required values.
fn held(
    isolation: Isolation,
    inherited: &dyn Fn(&str) -> Option<String>,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<String> {
    let profile = inherited(PROFILES[0]).filter(|file| read(file).is_some_and(|text| text == PROFILE))?;
    let is_held = isolation.variables(&profile).iter().all(|(name, value)| inherited(name) == *value);
    is_held.then_some(profile)
}

/// Writes the profile to a new file of this process.
fn write_profile() -> io::Result<PathBuf> {
    let (folder, process) = (std::env::temp_dir(), std::process::id());
    let mut number = 0;
    loop {
        let path = folder.join(format!("steersman-fastdds-{process}-{number}.xml"));
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            // Left by an earlier process with the same id.
            Err(error) if error.kind() == ErrorKind::AlreadyExists && number < 100 => number += 1,
            Err(error) => return Err(error),
            Ok(mut file) => return file.write_all(PROFILE.as_bytes()).map(|()| path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(file: &str) -> Option<String> {
        (file == "/ours.xml").then(|| PROFILE.to_owned())
    }

    #[test]
    fn an_isolated_process_continues_and_any_difference_restarts_it() {
        let isolation = Isolation::new(&|_| None, 1).unwrap();
        let list = isolation.variables("/ours.xml");
        let with = |changed: &str, to: Option<&str>| {
            let list = list.clone();
            let (changed, to) = (changed.to_owned(), to.map(str::to_owned));
            move |name: &str| match list.iter().find(|(n, _)| *n == name) {
                _ if name == changed => to.clone(),
                Some((_, value)) => value.clone(),
                None => None,
            }
        };
        assert_eq!(held(isolation, &with("", None), &ours), Some("/ours.xml".to_owned()));
        for (name, value) in &list {
            let other = if value.is_some() { None } else { Some("x") };
            assert_eq!(held(isolation, &with(name, other), &ours), None, "{name}");
            assert_eq!(held(isolation, &with(name, Some("/robot.xml")), &ours), None, "{name}");
        }
    }

    #[test]
    fn a_profile_with_other_contents_does_not_count() {
        let isolation = Isolation::new(&|_| None, 1).unwrap();
        let list = isolation.variables("/ours.xml");
        let given = |name: &str| list.iter().find(|(n, _)| *n == name).and_then(|(_, value)| value.clone());
        assert_eq!(held(isolation, &given, &|_| Some("<other/>".to_owned())), None);
    }

    #[test]
    fn a_written_profile_is_a_new_file() {
        let (first, second) = (write_profile().unwrap(), write_profile().unwrap());
        assert_ne!(first, second);
        for path in [first, second] {
            assert_eq!(fs::read_to_string(&path).unwrap(), PROFILE);
            fs::remove_file(path).unwrap();
        }
    }
}
