//! Lists joysticks and identifies their axes and buttons; for a plain terminal, also over ssh.
//!
//! * [`arguments`]: the command line
//! * [`devices`], [`mod@list`], [`access`]: the connected devices, and why there may be none
//! * [`questions`], [`mapper`]: the questions, as a machine; [`stick`]: measurements of the axes; [`calibration`],
//!   [`mapping`]: the result
//! * [`mod@map`]: passes events, lines and time to the questions

mod access;
mod arguments;
mod calibration;
mod devices;
mod list;
mod map;
mod mapper;
mod mapping;
mod questions;
mod stick;

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, channel};

use clap::{CommandFactory as _, FromArgMatches as _};
use gamepad::{Event, Gamepads};

use arguments::{Command, CommandLine, Map};
use map::Line;

const NOT_DONE: u8 = 1;

fn main() -> ExitCode {
    let version = format!("{} (SDL {})", env!("CARGO_PKG_VERSION"), gamepad::sdl_version());
    let read = CommandLine::command().version(version).get_matches();
    let done = match CommandLine::from_arg_matches(&read).unwrap_or_else(|error| error.exit()).command {
        Command::List { watch } => list(watch),
        Command::Map(options) => map(&options),
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

fn map(options: &Map) -> Result<(), Error> {
    if let Some(file) = &options.output {
        map::may_write(file, options.force).map_err(Error::Message)?;
    }
    let (_gamepads, events) = start()?;
    let keep_lines = !io::stdin().is_terminal();
    let yaml =
        map::run(&events, &lines(), keep_lines, options, &mut io::stderr().lock()).map_err(Error::Message)?;
    match &options.output {
        None => io::stdout().write_all(yaml.as_bytes()).map_err(Error::Output),
        Some(file) => {
            map::write(file, &yaml, options.force).map_err(Error::Message)?;
            writeln!(io::stderr(), "Written: {}", file.display()).map_err(Error::Output)
        }
    }
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

/// The lines that the user types, read by a thread that ends with the process, since a wait for a line cannot be
/// ended otherwise.
fn lines() -> Receiver<Line> {
    let (sender, lines) = channel();
    let read = move || {
        for text in io::stdin().lock().lines().map_while(Result::ok) {
            if let Some(line) = Line::of(&text)
                && sender.send(line).is_err()
            {
                return;
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("lines".into()).spawn(read) {
        print_error(&format!("no line can be read, nothing can be skipped: {error}"));
    }
    lines
}

fn print_error(why: &str) {
    // A failure to write this cannot be reported anywhere.
    let _ = writeln!(io::stderr(), "steersman-joystick: {why}");
}
