//! Lists joysticks with the names and numbers of their inputs; for a plain terminal, also over ssh.
//!
//! * [`arguments`]: the command line
//! * [`devices`], [`mod@list`], [`access`]: the connected devices, and why there may be none

mod access;
mod arguments;
mod devices;
mod list;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, channel};

use clap::{CommandFactory as _, FromArgMatches as _};
use gamepad::{Event, Gamepads};

use arguments::{Command, CommandLine};

const NOT_DONE: u8 = 1;

const INSTEAD_OF_MAP: &str = "there is no `map` any more: give the parameters SDL's names, such as `linear.x.axis: lefty` \
                              and `enable.on: rightshoulder`, or the numbers of a device without them; `list --watch` shows \
                              both while you move it";

fn main() -> ExitCode {
    let version = format!("{} (SDL {})", env!("CARGO_PKG_VERSION"), gamepad::sdl_version());
    let read = CommandLine::command().version(version).get_matches();
    let done = match CommandLine::from_arg_matches(&read).unwrap_or_else(|error| error.exit()).command {
        Command::List { watch } => list(watch),
        Command::Map { .. } => Err(Error::Message(INSTEAD_OF_MAP.into())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of the output has exited, as `head` does.
        Err(Error::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Error::Output(error)) => {
            print_error(&format!("the output cannot be written: {error}"));
            ExitCode::from(NOT_DONE)
        }
        Err(Error::Message(why)) => {
            if !why.is_empty() {
                print_error(&why);
            }
            ExitCode::from(NOT_DONE)
        }
    }
}

/// Why a command failed.
enum Error {
    /// A message for the user; empty if it was printed already.
    Message(String),
    Output(io::Error),
}

fn list(watch: bool) -> Result<(), Error> {
    let (_gamepads, events) = start()?;
    let found = list::run(&events, watch, Path::new("/"), &mut io::stdout().lock()).map_err(Error::Output)?;
    if found { Ok(()) } else { Err(Error::Message(String::new())) }
}

/// Starts SDL and returns its events.
fn start() -> Result<(Gamepads, Receiver<Event>), Error> {
    let (sender, events) = channel();
    let gamepads = Gamepads::start(move |event| drop(sender.send(event)));
    let gamepads = gamepads.map_err(|error| Error::Message(error.to_string()))?;
    if gamepads.is_starting() {
        return Err(Error::Message(
            "SDL hangs while it looks for joysticks: a device does not respond when it is opened; unplug it"
                .into(),
        ));
    }
    Ok((gamepads, events))
}

fn print_error(why: &str) {
    // A failure to write this cannot be reported anywhere.
    let _ = writeln!(io::stderr(), "steersman-joystick: {why}");
}
