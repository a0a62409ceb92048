//! The command line.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::ops::RangeInclusive;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::time::Duration;

/// What `--help` prints.
pub const HELP: &str = "\
Shows the joysticks of this machine, and finds out which axis and button is which. Needs no ROS and no desktop.

Usage: steersman-joystick list [--watch]
       steersman-joystick map [--device WHICH] [--output FILE] [--force] [--timeout SECONDS]
       steersman-joystick --version

list   prints each device with its name, GUID, serial number, path, axes, buttons, hats, battery, what it can do and the
       links to it, or why there may be none
  --watch            goes on, with a line for whatever is plugged in, pulled out or changes; Ctrl-C ends it

map    asks you to move each axis and press each button, and writes the parameter file for node `joystick`; Enter
       skips what is not needed, q and Enter (or Ctrl-C) ends without writing anything
  --device WHICH     name, GUID, serial number, path or link of the device; needed if there are several
  --output FILE      where the parameters go; without it they go to standard output, the questions to standard error
  --force            overwrites FILE
  --timeout SECONDS  how long each question waits, 5 to 600, default 30

What an option needs comes behind it or after an equals sign: --output FILE, --output=FILE.

A path, /dev/input/event7, is another one after the next start. A link in /dev/input/by-path names the port instead, and
stays: of two identical pads without serial numbers it tells which is which, as long as each keeps its port.

Exit code: 0 done, 1 not done (the reason is told), 2 the command line was not understood.";

/// How long a question may wait.
const TIMEOUT: RangeInclusive<u64> = 5..=600;
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// What the user asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// To read what there is to ask for.
    Help,
    /// To know which version this is.
    Version,
    /// To see the devices.
    List {
        /// And what becomes of them.
        watch: bool,
    },
    /// To map one.
    Map(Map),
}

/// How a device is mapped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    /// Name, GUID, serial number, path or link; `None`: the only one.
    pub device: Option<String>,
    /// `None`: standard output.
    pub output: Option<PathBuf>,
    /// Whether the file may exist.
    pub force: bool,
    /// How long each question waits.
    pub timeout: Duration,
}

/// What cannot be understood of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Misunderstood {
    /// Neither `list` nor `map` came first.
    NoCommand(Option<String>),
    /// The command has no such option.
    Unknown(String),
    /// An option came last that needs something behind it.
    Nothing(String),
    /// `=` with something behind an option that takes nothing.
    TooMuch(String),
    /// `--timeout` with something that is no time.
    Timeout(String),
}

impl fmt::Display for Misunderstood {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCommand(None) => f.write_str("say what to do: list or map; --help tells more"),
            Self::NoCommand(Some(what)) => {
                write!(f, "there is no command '{what}', only list and map; --help tells more")
            }
            Self::Unknown(what) => write!(f, "there is no option '{what}' here; --help lists them"),
            Self::Nothing(what) => write!(f, "{what} needs something behind it; --help tells what"),
            Self::TooMuch(what) => write!(f, "{what} takes nothing behind it; --help lists the options"),
            Self::Timeout(what) => {
                let (least, most) = (TIMEOUT.start(), TIMEOUT.end());
                write!(f, "--timeout is '{what}', must be a whole number from {least} to {most} s")
            }
        }
    }
}

/// An argument that begins with `--`, and what stands behind its `=`.
struct Opt {
    name: String,
    value: Option<OsString>,
}

/// Reads a command line without the program's name. Only a file's name may be what is no UTF-8.
/// # Errors
/// [`Misunderstood`] says the first thing that is not understood.
pub fn read(arguments: impl IntoIterator<Item = OsString>) -> Result<Asked, Misunderstood> {
    let mut arguments: VecDeque<OsString> = arguments.into_iter().collect();
    if arguments.iter().any(|argument| argument == "--help" || argument == "-h") {
        return Ok(Asked::Help);
    }
    let Some(command) = arguments.pop_front() else { return Err(Misunderstood::NoCommand(None)) };
    match command.to_str() {
        Some("--version" | "-V") if arguments.is_empty() => Ok(Asked::Version),
        Some("list") => list(arguments),
        Some("map") => map(arguments).map(Asked::Map),
        _ => Err(Misunderstood::NoCommand(Some(shown(&command)))),
    }
}

fn list(mut arguments: VecDeque<OsString>) -> Result<Asked, Misunderstood> {
    let mut watch = false;
    while let Some(option) = next(&mut arguments) {
        match option.name.as_str() {
            "--watch" => watch = flag(option)?,
            _ => return Err(Misunderstood::Unknown(option.name)),
        }
    }
    Ok(Asked::List { watch })
}

fn map(mut arguments: VecDeque<OsString>) -> Result<Map, Misunderstood> {
    let mut map = Map { device: None, output: None, force: false, timeout: DEFAULT_TIMEOUT };
    while let Some(option) = next(&mut arguments) {
        match option.name.as_str() {
            "--device" => map.device = Some(shown(&value(option, &mut arguments)?)),
            "--output" => map.output = Some(value(option, &mut arguments)?.into()),
            "--force" => map.force = flag(option)?,
            "--timeout" => {
                let text = shown(&value(option, &mut arguments)?);
                let seconds = text.parse().ok().filter(|seconds| TIMEOUT.contains(seconds));
                map.timeout = Duration::from_secs(seconds.ok_or(Misunderstood::Timeout(text))?);
            }
            _ => return Err(Misunderstood::Unknown(option.name)),
        }
    }
    Ok(map)
}

fn next(arguments: &mut VecDeque<OsString>) -> Option<Opt> {
    let argument = arguments.pop_front()?;
    let bytes = argument.as_bytes();
    let equals = bytes.iter().position(|&byte| byte == b'=').filter(|_| bytes.starts_with(b"--"));
    let (name, value) = match equals {
        Some(at) => (bytes.get(..at).unwrap_or_default(), bytes.get(at + 1..)),
        None => (bytes, None),
    };
    let value = value.map(|value| OsStr::from_bytes(value).to_owned());
    Some(Opt { name: shown(OsStr::from_bytes(name)), value })
}

fn value(option: Opt, arguments: &mut VecDeque<OsString>) -> Result<OsString, Misunderstood> {
    let value = option.value.or_else(|| arguments.pop_front()).filter(|value| !value.is_empty());
    value.ok_or(Misunderstood::Nothing(option.name))
}

fn flag(option: Opt) -> Result<bool, Misunderstood> {
    if option.value.is_some() { Err(Misunderstood::TooMuch(option.name)) } else { Ok(true) }
}

/// As text, with U+FFFD for what is no UTF-8.
fn shown(argument: &OsStr) -> String {
    argument.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Asked, Misunderstood> {
        read(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn a_command_line_is_understood() {
        assert_eq!(of("list"), Ok(Asked::List { watch: false }));
        assert_eq!(of("list --watch"), Ok(Asked::List { watch: true }));
        let plain = Map { device: None, output: None, force: false, timeout: DEFAULT_TIMEOUT };
        assert_eq!(of("map"), Ok(Asked::Map(plain)));
        let all = Map {
            device: Some("03ab".into()),
            output: Some("pad.yaml".into()),
            force: true,
            timeout: Duration::from_secs(5),
        };
        assert_eq!(of("map --timeout 5 --device 03ab --force --output pad.yaml"), Ok(Asked::Map(all)));
        assert_eq!(
            of("map --timeout=5 --device=03ab --force --output=pad.yaml"),
            of("map --timeout 5 --device 03ab --force --output pad.yaml")
        );
        assert_eq!((of("--version"), of("-V")), (Ok(Asked::Version), Ok(Asked::Version)));
        assert_eq!(of("--help"), Ok(Asked::Help));
        assert_eq!(of("map --output --help"), Ok(Asked::Help));
    }

    #[test]
    fn what_is_no_utf_8_is_a_file_s_name_or_named() {
        let odd = |text: &[u8]| OsStr::from_bytes(text).to_owned();
        let file = odd(b"/tmp/\xff=.yaml");
        for line in [
            vec!["map".into(), "--output".into(), file.clone()],
            vec!["map".into(), odd(b"--output=/tmp/\xff=.yaml")],
        ] {
            let Ok(Asked::Map(map)) = read(line) else { panic!("it is understood") };
            assert_eq!(map.output, Some(PathBuf::from(file.clone())));
        }
        assert_eq!(read([odd(b"\xff")]), Err(Misunderstood::NoCommand(Some("\u{fffd}".into()))));
        assert_eq!(read(["list".into(), odd(b"\xff")]), Err(Misunderstood::Unknown("\u{fffd}".into())));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert_eq!(of(""), Err(Misunderstood::NoCommand(None)));
        assert_eq!(of("lst"), Err(Misunderstood::NoCommand(Some("lst".into()))));
        assert_eq!(of("list --force"), Err(Misunderstood::Unknown("--force".into())));
        assert_eq!(of("map --watch"), Err(Misunderstood::Unknown("--watch".into())));
        for line in ["map --device", "map --device="] {
            assert_eq!(of(line), Err(Misunderstood::Nothing("--device".into())), "{line}");
        }
        assert_eq!(of("map --force=yes"), Err(Misunderstood::TooMuch("--force".into())));
        assert_eq!(of("list --watch=1"), Err(Misunderstood::TooMuch("--watch".into())));
        for text in ["4", "601", "-1", "soon"] {
            assert_eq!(of(&format!("map --timeout {text}")), Err(Misunderstood::Timeout(text.into())));
        }
        let told = Misunderstood::Timeout("4".into()).to_string();
        assert_eq!(told, "--timeout is '4', must be a whole number from 5 to 600 s");
    }
}
