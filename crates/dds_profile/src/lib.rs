//! The Fast DDS profiles with which no send waits for the network, for every way of starting a node.
//!
//! * [`ensure`] starts this process again with such a profile, unless the environment names another one. It says what of the environment lets
//!   a send wait all the same.
//! * [`profile::lacks`] reads a profile.
//!
//! **No shared memory.** With it the publishers of a process stopped for 0.3 to 0.4 s, once for 1.2 s, while other processes joined and left
//! the graph on a loaded machine: 4 gaps over 0.3 s in 292 joins. Over UDP the longest gap in 320 joins was 0.08 s. With the range
//! `LOCALHOST` ROS would add shared memory to any profile: so there is one for this machine alone.
//!
//! **The lease stays at 20 s.** With 5 s a killed node was forgotten after 5 s. But of 19 processes that were held for 4 to 12 s two, held for
//! 5.6 and 5.8 s, did not come back to the graph, one of them not within 40 s.
//!
//! **Two transports of one kind**, of which the second reaches only this machine, need no list of addresses. A local reader receives most
//! messages twice, and the middleware drops the second copy.
#![forbid(unsafe_code)]

mod environment;
pub mod profile;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

use environment::{Environment, Reach};

/// The profile for nodes that others on the network find, `config/fastdds.xml`.
pub const PROFILE: &str = include_str!("../../../config/fastdds.xml");
/// The profile for nodes that only this machine's find, `config/fastdds_this_machine.xml`.
pub const THIS_MACHINE: &str = include_str!("../../../config/fastdds_this_machine.xml");

/// The variable that names the file of the profile. Fast DDS 2, which ROS 2 Jazzy has, reads no other: a file that the name of Fast DDS 3
/// (`FASTDDS_DEFAULT_PROFILES_FILE`) gives would be taken for a profile and not be used.
const VARIABLE: &str = "FASTRTPS_DEFAULT_PROFILES_FILE";

/// Ensures that this process and those that it starts have [`PROFILE`], or [`THIS_MACHINE`] where the environment wants no other machines,
/// unless it chooses another profile, other transports or another middleware. If the process does not have it, it starts again, with the
/// same arguments and the same id. Returns the sentences that have to be logged: what in the environment lets a send wait.
///
/// Fast DDS takes its profile from nothing but a variable, and its libraries have threads when `main` begins, beside which a process cannot
/// safely change its variables.
/// # Errors
/// The system refuses the start.
pub fn ensure() -> io::Result<Vec<String>> {
    let variable = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let read = |file: &str| fs::read_to_string(file);
    let environment = Environment { variable: &variable, read: &read };
    let Some(reach) = environment.starts_again() else { return Ok(environment.warnings()) };
    let executable = env::current_exe()?;
    let Some(file) = file(&executable, reach) else {
        return Ok(vec![environment::not_installed(reach)]);
    };
    let mut words = env::args_os();
    // By its path, which gives the process its name; a file that was replaced meanwhile has none.
    let path = if executable.exists() { &executable } else { Path::new("/proc/self/exe") };
    let mut again = Command::new(path);
    again.arg0(words.next().unwrap_or_default()).args(words).env(VARIABLE, file);
    for (name, value) in environment::range(reach) {
        match value {
            Some(value) => again.env(name, value),
            None => again.env_remove(name),
        };
    }
    Err(again.exec())
}

/// The file of the profile: the installed one beside the executable, or that of the sources that it was built from.
fn file(executable: &Path, reach: Reach) -> Option<PathBuf> {
    let share = |prefix: &Path| prefix.join("share/steersman/config").join(reach.file());
    let installed = executable.ancestors().nth(3).map(share);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config").join(reach.file());
    installed.into_iter().chain([source]).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_installed_profile_comes_before_that_of_the_sources() {
        for (reach, text) in [(Reach::Network, PROFILE), (Reach::ThisMachine, THIS_MACHINE)] {
            let prefix = tempfile::tempdir().unwrap();
            let executable = prefix.path().join("lib/steersman/hindbrain");
            let source = file(&executable, reach).unwrap();
            assert_eq!(fs::read_to_string(&source).unwrap(), text);
            let folder = prefix.path().join("share/steersman/config");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(reach.file()), text).unwrap();
            assert_eq!(file(&executable, reach).unwrap(), folder.join(reach.file()));
        }
    }
}
