//! The command line.

use clap::{Parser, Subcommand};

/// Lists the joysticks of this machine with the names and numbers of their axes and buttons. Needs no ROS and no desktop.
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
    /// links, and SDL's names of its inputs beside their numbers; or why there may be none.
    List {
        /// Continues with a line for each connection, disconnection and change, and for each button that is pressed and
        /// each axis that is moved, with its number and name; Ctrl-C ends it.
        #[arg(long)]
        watch: bool,
    },
    /// Removed: prints what to do instead.
    #[command(hide = true)]
    Map {
        /// The former options.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        rest: Vec<std::ffi::OsString>,
    },
}

#[cfg(test)]
mod tests {
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
        assert!(read("list").is_ok());
    }

    #[test]
    fn the_former_command_takes_its_former_options() {
        for line in ["map", "map --timeout=5 --device 03ab --force --output pad.yaml"] {
            assert!(matches!(read(line), Ok(Command::Map { .. })), "{line}");
        }
    }

    #[test]
    fn an_unknown_argument_is_refused() {
        for (line, part) in [("lst", "lst"), ("list --force", "--force")] {
            let refusal = read(line).unwrap_err();
            assert!(refusal.contains(part), "{line}: {refusal}");
        }
    }
}
