//! The command line.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

/// What `--help` prints.
pub const HELP: &str = "\
Shows the joysticks of this machine, and finds out which axis and button is which. Needs no ROS and no desktop.

Usage: steersman-joystick list [--watch]
       steersman-joystick map [--device WHICH] [--output FILE] [--force] [--timeout SECONDS]

list   prints each device with its name, GUID, serial number, path, axes, buttons, hats, battery, what it can do and the
       links to it, or why there may be none
  --watch            goes on, with a line for whatever is plugged in, pulled out or changes; Ctrl-C ends it

map    asks you to move each axis and press each button, and writes the parameter file for node `joystick`; Enter
       skips what is not needed, q and Enter (or Ctrl-C) ends without writing anything
  --device WHICH     name, GUID, serial number, path or link of the device; needed if there are several
  --output FILE      where the parameters go; without it they go to standard output, the questions to standard error
  --force            overwrites FILE
  --timeout SECONDS  how long each question waits, 5 to 600, default 30

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
            Self::Timeout(what) => {
                let (least, most) = (TIMEOUT.start(), TIMEOUT.end());
                write!(f, "--timeout is '{what}', must be a whole number from {least} to {most} s")
            }
        }
    }
}

/// Reads a command line without the program's name.
/// # Errors
/// [`Misunderstood`] tells the first thing that is not understood.
pub fn read(arguments: impl IntoIterator<Item = String>) -> Result<Asked, Misunderstood> {
    let mut arguments = arguments.into_iter();
    let Some(command) = arguments.next() else { return Err(Misunderstood::NoCommand(None)) };
    let rest: Vec<String> = arguments.collect();
    if [&command].into_iter().chain(&rest).any(|argument| matches!(argument.as_str(), "--help" | "-h")) {
        return Ok(Asked::Help);
    }
    match command.as_str() {
        "list" => list(rest),
        "map" => map(rest).map(Asked::Map),
        _ => Err(Misunderstood::NoCommand(Some(command))),
    }
}

fn list(arguments: Vec<String>) -> Result<Asked, Misunderstood> {
    let watch = !arguments.is_empty();
    match arguments.into_iter().find(|argument| argument != "--watch") {
        Some(unknown) => Err(Misunderstood::Unknown(unknown)),
        None => Ok(Asked::List { watch }),
    }
}

fn map(arguments: Vec<String>) -> Result<Map, Misunderstood> {
    let mut map = Map { device: None, output: None, force: false, timeout: DEFAULT_TIMEOUT };
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| Misunderstood::Nothing(argument.clone()));
        match argument.as_str() {
            "--device" => map.device = Some(value()?),
            "--output" => map.output = Some(value()?.into()),
            "--force" => map.force = true,
            "--timeout" => {
                let text = value()?;
                let seconds = text.parse().ok().filter(|seconds| TIMEOUT.contains(seconds));
                map.timeout = Duration::from_secs(seconds.ok_or(Misunderstood::Timeout(text))?);
            }
            _ => return Err(Misunderstood::Unknown(argument)),
        }
    }
    Ok(map)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(line: &str) -> Result<Asked, Misunderstood> {
        read(line.split_whitespace().map(str::to_owned))
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
        assert_eq!(of("--help"), Ok(Asked::Help));
        assert_eq!(of("map --output --help"), Ok(Asked::Help));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        assert_eq!(of(""), Err(Misunderstood::NoCommand(None)));
        assert_eq!(of("lst"), Err(Misunderstood::NoCommand(Some("lst".into()))));
        assert_eq!(of("list --force"), Err(Misunderstood::Unknown("--force".into())));
        assert_eq!(of("map --watch"), Err(Misunderstood::Unknown("--watch".into())));
        assert_eq!(of("map --device"), Err(Misunderstood::Nothing("--device".into())));
        for text in ["4", "601", "-1", "soon"] {
            assert_eq!(of(&format!("map --timeout {text}")), Err(Misunderstood::Timeout(text.into())));
        }
        let told = Misunderstood::Timeout("4".into()).to_string();
        assert_eq!(told, "--timeout is '4', must be a whole number from 5 to 600 s");
    }
}
