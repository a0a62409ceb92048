//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, value_parser};

/// Lists the joysticks of this machine, and identifies their axes and buttons. Needs no ROS and no desktop.
///
/// A path such as /dev/input/event7 may change at the next start. A link in /dev/input/by-path names the port instead
/// and does not change: it distinguishes two identical pads without serial numbers as long as each keeps its port.
///
/// Exit code: 0 done, 1 not done (the reason is printed), 2 the command line was not understood.
#[derive(Clone, Debug, PartialEq, Eq, Parser)]
#[command(name = "steersman-joystick")]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
}

/// The command to run.
#[derive(Clone, Debug, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Prints each device with its name, GUID, serial number, path, axes, buttons, hats, battery, capabilities and
    /// links, or why there may be none.
    List {
        /// Continues with a line for each connection, disconnection and change; Ctrl-C ends it.
        #[arg(long)]
        watch: bool,
    },
    /// Asks you to move each axis and press each button, and writes the parameter file for node `joystick`.
    ///
    /// Enter skips an optional question, q and Enter (or Ctrl-C) ends without writing anything.
    Map(Map),
}

/// How a device is mapped.
#[derive(Clone, Debug, PartialEq, Eq, Args)]
pub struct Map {
    /// Name, GUID, serial number, path or link of the device; needed if there are several.
    #[arg(long, value_name = "WHICH", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub device: Option<String>,
    /// The file for the parameters; without it they go to standard output, and the questions to standard error.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Overwrites FILE.
    #[arg(long)]
    pub force: bool,
    /// How long each question waits, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = value_parser!(u64).range(5..=600))]
    pub timeout: u64,
}

impl Map {
    /// How long each question waits.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use clap::CommandFactory as _;

    use super::*;

    fn read(line: &str) -> Result<Command, String> {
        let words = ["steersman-joystick"].into_iter().chain(line.split_whitespace());
        CommandLine::try_parse_from(words).map(|read| read.command).map_err(|error| error.to_string())
    }

    #[test]
    fn the_declaration_is_sound() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn a_command_line_is_understood() {
        assert_eq!(read("list --watch"), Ok(Command::List { watch: true }));
        let plain = Map { device: None, output: None, force: false, timeout: 30 };
        assert_eq!(read("map"), Ok(Command::Map(plain)));
        let all =
            Map { device: Some("03ab".into()), output: Some("pad.yaml".into()), force: true, timeout: 5 };
        assert_eq!(read("map --timeout=5 --device 03ab --force --output=pad.yaml"), Ok(Command::Map(all)));
    }

    #[test]
    fn a_file_may_have_any_name() {
        let file = OsString::from_vec(b"/tmp/\xff=.yaml".to_vec());
        let words = ["steersman-joystick", "map", "--output"].map(OsString::from);
        let read = CommandLine::try_parse_from(words.into_iter().chain([file.clone()])).unwrap();
        assert!(matches!(read.command, Command::Map(map) if map.output == Some(file.into())));
    }

    #[test]
    fn an_invalid_argument_is_refused_with_its_range() {
        for (line, part) in [
            ("lst", "lst"),
            ("list --force", "--force"),
            ("map --device=", "--device"),
            ("map --force=yes", "--force"),
            ("map --timeout 4", "4 is not in 5..=600"),
        ] {
            let refusal = read(line).unwrap_err();
            assert!(refusal.contains(part), "{line}: {refusal}");
        }
    }
}
