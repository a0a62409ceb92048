//! The Fast DDS profile with which no send waits for the network, for every way of starting a node.
//!
//! * [`ensure`] starts this process again with the profile, unless the environment names another one: then it says what that one lacks.
//! * [`profile::lacks`] reads a profile.
#![forbid(unsafe_code)]

pub mod profile;

use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// The profile, `config/fastdds.xml`.
pub const PROFILE: &str = include_str!("../../../config/fastdds.xml");

/// The variable that names the file of the profile. Fast DDS 2, which ROS 2 Jazzy has, reads no other: a file that the name of Fast DDS 3
/// (`FASTDDS_DEFAULT_PROFILES_FILE`) gives would be taken for a profile and not be used.
const VARIABLE: &str = "FASTRTPS_DEFAULT_PROFILES_FILE";
/// A name for some of Fast DDS's own transports, which a profile replaces.
const TRANSPORTS: &str = "FASTDDS_BUILTIN_TRANSPORTS";
/// The file in the working folder that Fast DDS reads as well, unless this variable is 1.
const DEFAULT_FILE: (&str, &str) = ("DEFAULT_FASTRTPS_PROFILES.xml", "SKIP_DEFAULT_XML_FILE");

/// Where this process's transports come from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Origin {
    /// [`PROFILE`].
    Ours,
    /// A file that the environment names.
    File(String),
    /// The value of [`TRANSPORTS`].
    Named(String),
    /// This middleware, which has no such profile.
    Other(String),
}

impl Origin {
    fn new(variable: &dyn Fn(&str) -> Option<String>, exists: &dyn Fn(&str) -> bool) -> Self {
        let given = |name| variable(name).filter(|value| !value.is_empty());
        if let Some(name) = given("RMW_IMPLEMENTATION").filter(|name| !name.starts_with("rmw_fastrtps")) {
            return Self::Other(name);
        }
        if let Some(file) = given(VARIABLE) {
            return Self::File(file);
        }
        let (file, skip) = DEFAULT_FILE;
        if given(skip).as_deref() != Some("1") && exists(file) {
            return Self::File(file.to_owned());
        }
        match given(TRANSPORTS) {
            // The launch files of earlier versions set this one.
            Some(name) if name != "UDPv4" => Self::Named(name),
            _ => Self::Ours,
        }
    }

    /// Why a send of this process may be held back, and the remedy.
    fn doubt(&self, read: impl FnOnce(&str) -> io::Result<String>) -> Option<String> {
        let (what, lacks) = match self {
            Self::Ours | Self::Other(_) => return None,
            Self::Named(name) => (
                format!("{TRANSPORTS} is '{name}'"),
                "with it Steersman does not use its own profile".to_owned(),
            ),
            Self::File(file) => {
                let lacks = match read(file) {
                    Ok(text) => profile::lacks(&text)?,
                    Err(error) => format!("it cannot be read ({error})"),
                };
                (format!("the Fast DDS profile '{file}' is used instead of Steersman's"), lacks)
            }
        };
        Some(sentence(&what, &lacks))
    }
}

fn sentence(what: &str, lacks: &str) -> String {
    format!(
        "{what}: {lacks}. A far computer that only watches, over a link that stands still, can hold back this node's messages, stops \
         among them; Steersman's profile, config/fastdds.xml, shows how it cannot"
    )
}

/// Ensures that this process and those that it starts have [`PROFILE`], unless the environment chooses another profile, other transports or
/// another middleware. If it has none, the process starts again, with the same arguments and the same id. Returns the sentence that has to be
/// logged if a send may wait for the network.
///
/// Fast DDS takes its profile from nothing but a variable, and its libraries have threads when `main` begins, beside which a process cannot
/// safely change its variables.
/// # Errors
/// The system refuses the start.
pub fn ensure() -> io::Result<Option<String>> {
    let variable = |name: &str| env::var_os(name).map(|value| value.to_string_lossy().into_owned());
    let origin = Origin::new(&variable, &|file| fs::exists(file).unwrap_or(false));
    if origin == Origin::Ours {
        let Some(file) = file(&env::current_exe()?) else {
            return Ok(Some(sentence(
                "Steersman's Fast DDS profile is not installed",
                "config/fastdds.xml is missing",
            )));
        };
        let mut words = env::args_os();
        let mut again = Command::new("/proc/self/exe");
        again.arg0(words.next().unwrap_or_default()).args(words);
        return Err(again.env(VARIABLE, file).exec());
    }
    Ok(origin.doubt(|file| fs::read_to_string(file)))
}

/// The file of the profile: the installed one beside the executable, or that of the sources that it was built from.
fn file(executable: &Path) -> Option<PathBuf> {
    let installed =
        executable.ancestors().nth(3).map(|prefix| prefix.join("share/steersman/config/fastdds.xml"));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/fastdds.xml");
    installed.into_iter().chain([source]).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(variables: &[(&str, &str)], file: Option<&str>) -> Origin {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        Origin::new(&variable, &|name| Some(name) == file)
    }

    #[test]
    fn what_the_user_chose_is_respected() {
        assert_eq!(origin(&[], None), Origin::Ours);
        assert_eq!(origin(&[("FASTRTPS_DEFAULT_PROFILES_FILE", "")], None), Origin::Ours);
        assert_eq!(origin(&[("FASTDDS_BUILTIN_TRANSPORTS", "UDPv4")], None), Origin::Ours);
        assert_eq!(origin(&[("RMW_IMPLEMENTATION", "rmw_fastrtps_cpp")], None), Origin::Ours);
        assert_eq!(origin(&[(VARIABLE, "/my.xml")], None), Origin::File("/my.xml".into()));
        // This library does not read the name of the next one.
        assert_eq!(origin(&[("FASTDDS_DEFAULT_PROFILES_FILE", "/my.xml")], None), Origin::Ours);
        let default = DEFAULT_FILE.0;
        assert_eq!(origin(&[], Some(default)), Origin::File(default.into()));
        assert_eq!(origin(&[("SKIP_DEFAULT_XML_FILE", "1")], Some(default)), Origin::Ours);
        assert_eq!(origin(&[("FASTDDS_BUILTIN_TRANSPORTS", "SHM")], None), Origin::Named("SHM".into()));
        let cyclone = ("RMW_IMPLEMENTATION", "rmw_cyclonedds_cpp");
        assert_eq!(origin(&[cyclone], Some(default)), Origin::Other("rmw_cyclonedds_cpp".into()));
    }

    #[test]
    fn what_differs_is_named() {
        let doubt = |origin: Origin, text: io::Result<&str>| origin.doubt(|_| text.map(str::to_owned));
        let file = || Origin::File("/my.xml".into());
        assert_eq!(doubt(Origin::Ours, Ok("")), None);
        assert_eq!(doubt(file(), Ok(PROFILE)), None);
        let shm = doubt(Origin::Named("SHM".into()), Ok("")).unwrap();
        assert!(
            shm.starts_with("FASTDDS_BUILTIN_TRANSPORTS is 'SHM': with it Steersman does not use"),
            "{shm}"
        );
        let waits =
            doubt(file(), Ok(&PROFILE.replacen("<non_blocking_send>true", "<non_blocking_send>false", 1)));
        assert!(waits.unwrap().starts_with(
            "the Fast DDS profile '/my.xml' is used instead of Steersman's: its transport 'network' has no \
             <non_blocking_send>true</non_blocking_send>. A far computer"
        ));
        let gone = doubt(file(), Err(io::Error::from(io::ErrorKind::NotFound))).unwrap();
        assert!(gone.contains("it cannot be read (entity not found)"), "{gone}");
    }

    #[test]
    fn the_installed_profile_comes_before_that_of_the_sources() {
        let prefix = tempfile::tempdir().unwrap();
        let executable = prefix.path().join("lib/steersman/hindbrain");
        let source = file(&executable).unwrap();
        assert_eq!(fs::read_to_string(&source).unwrap(), PROFILE);
        let folder = prefix.path().join("share/steersman/config");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("fastdds.xml"), PROFILE).unwrap();
        assert_eq!(file(&executable).unwrap(), folder.join("fastdds.xml"));
    }
}
