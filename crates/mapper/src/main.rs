//! Lists joysticks and finds out which axis and button is which; for a plain terminal, also over ssh.
//!
//! * [`arguments`]: the command line
//! * [`devices`], [`mod@list`], [`access`]: what is connected, and why it may be nothing
//! * [`questions`], [`mapper`]: the questions, as a machine; [`stick`]: what was seen of the axes; [`calibration`], [`mapping`]: what
//!   comes of it
//! * [`mod@map`]: carries events, lines and time to the questions

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
        Command::Map(asked) => map(&asked),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever read the output has enough, as `head` has.
        Err(Trouble::Output(error)) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Trouble::Output(error)) => {
            complain(&format!("the output cannot be written: {error}"));
            ExitCode::from(NOT_DONE)
        }
        Err(Trouble::Told(why)) => {
            if !why.is_empty() {
                complain(&why);
            }
            ExitCode::from(NOT_DONE)
        }
    }
}

/// Why something was not done.
enum Trouble {
    /// In words for the user; empty if they were told.
    Told(String),
    Output(io::Error),
}

fn list(watch: bool) -> Result<(), Trouble> {
    let (_gamepads, events) = start()?;
    let found =
        list::run(&events, watch, Path::new("/"), &mut io::stdout().lock()).map_err(Trouble::Output)?;
    if found { Ok(()) } else { Err(Trouble::Told(String::new())) }
}

fn map(asked: &Map) -> Result<(), Trouble> {
    if let Some(file) = &asked.output {
        map::may_write(file, asked.force).map_err(Trouble::Told)?;
    }
    let (_gamepads, events) = start()?;
    let keep_lines = !io::stdin().is_terminal();
    let yaml =
        map::run(&events, &lines(), keep_lines, asked, &mut io::stderr().lock()).map_err(Trouble::Told)?;
    match &asked.output {
        None => io::stdout().write_all(yaml.as_bytes()).map_err(Trouble::Output),
        Some(file) => {
            map::write(file, &yaml, asked.force).map_err(Trouble::Told)?;
            writeln!(io::stderr(), "Written: {}", file.display()).map_err(Trouble::Output)
        }
    }
}

/// SDL, and what it tells.
fn start() -> Result<(Gamepads, Receiver<Event>), Trouble> {
    let (sender, events) = channel();
    let gamepads = Gamepads::start(move |event| drop(sender.send(event)));
    let gamepads = gamepads.map_err(|error| Trouble::Told(error.to_string()))?;
    if gamepads.is_starting() {
        return Err(Trouble::Told(
            "SDL hangs while it looks for joysticks: a device does not answer when it is opened; pull it out"
                .into(),
        ));
    }
    Ok((gamepads, events))
}

/// What the user types, read by a thread that ends with the process: nothing else ends a wait for a line.
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
        complain(&format!("no line can be read, nothing can be skipped: {error}"));
    }
    lines
}

fn complain(why: &str) {
    // Nobody is left to hear that nobody hears.
    let _ = writeln!(io::stderr(), "steersman-joystick: {why}");
}
