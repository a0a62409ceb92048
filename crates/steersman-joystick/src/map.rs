//! The command `map`: passes events, lines and time to the questions, and their result to a file.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use gamepad::Event;

use crate::access;
use crate::arguments::Map;
use crate::devices::{Device, Devices, NotFound, now, plain};
use crate::list::{GATHER, table};
use crate::mapper::Mapper;
use crate::mapping::{Mapping, Model};
use crate::questions::{Input, Output};
use crate::stick::Stick;

/// A line that the user typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// An empty line.
    Enter,
    /// `q`.
    Quit,
}

impl Line {
    /// Parses the text; any other line is ignored.
    pub fn of(text: &str) -> Option<Line> {
        match text.trim() {
            "" => Some(Line::Enter),
            "q" | "Q" | "quit" => Some(Line::Quit),
            _ => None,
        }
    }
}

/// The period of ticks for the questions.
const TICK: Duration = Duration::from_millis(20);

/// Asks the questions through `questions`, and returns the parameter file.
///
/// * `keep_lines`: whether lines may arrive before their question, as from a pipe
/// # Errors
/// A message for the user.
pub fn run(
    events: &Receiver<Event>,
    lines: &Receiver<Line>,
    keep_lines: bool,
    options: &Map,
    questions: &mut dyn Write,
) -> Result<String, String> {
    let devices = Devices::gather(events, GATHER);
    let device = devices.find(options.device.as_deref()).map_err(|miss| reason(&miss))?;
    let mapping = ask(events, lines, keep_lines, device, options.timeout(), questions)?;
    let Device { name, guid, details, .. } = device;
    let driver = details.driver.to_string();
    Ok(mapping.yaml(Model { name, guid, driver: &driver, control_device: devices.unique(device) }))
}

fn reason(miss: &NotFound) -> String {
    let mut text = miss.to_string();
    if *miss == NotFound::Empty {
        access::obstacles(Path::new("/")).iter().for_each(|why| text.extend(["\n- ", why]));
    }
    text
}

fn ask(
    events: &Receiver<Event>,
    lines: &Receiver<Line>,
    keep_lines: bool,
    device: &Device,
    timeout: Duration,
    questions: &mut dyn Write,
) -> Result<Mapping, String> {
    let broken = |error: io::Error| format!("the questions cannot be shown: {error}");
    write!(questions, "{}", table(std::slice::from_ref(device))).map_err(broken)?;
    let began = now();
    let stick = Stick::new(&device.axes, &device.hats);
    let mut mapper = Mapper::new(stick, device.buttons, Duration::ZERO, timeout, keep_lines);
    loop {
        while let Some(output) = mapper.poll() {
            match output {
                Output::Print(text) => writeln!(questions, "{}", plain(&text))
                    .and_then(|()| questions.flush())
                    .map_err(broken)?,
                Output::Done(mapping) => return Ok(mapping),
                Output::Failed(why) => return Err(format!("{why} Nothing was written.")),
            }
        }
        let event = match events.recv_timeout(TICK) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return Err("joysticks are no longer read".into()),
        };
        let passed = began.elapsed();
        for input in lines.try_iter().map(Input::from) {
            mapper.handle(passed, input);
        }
        // All pending events first, then one tick.
        for input in event.into_iter().chain(events.try_iter()).filter_map(|event| input(&event, device.id)) {
            mapper.handle(passed, input);
        }
        mapper.tick(passed);
    }
}

impl From<Line> for Input {
    fn from(line: Line) -> Self {
        match line {
            Line::Enter => Input::Enter,
            Line::Quit => Input::Quit,
        }
    }
}

fn input(event: &Event, of: u32) -> Option<Input> {
    match *event {
        Event::Axis { id, axis, value } if id == of => Some(Input::Axis(axis, value)),
        Event::Button { id, button, pressed } if id == of => Some(Input::Button(button, pressed)),
        Event::Hat { id, hat, state } if id == of => Some(Input::Hat(hat, state)),
        Event::Disconnected { id } if id == of => Some(Input::Gone),
        _ => None,
    }
}

/// Checks whether the file can be written later, before the user answers questions.
/// # Errors
/// A message for the user.
pub fn may_write(path: &Path, force: bool) -> Result<(), String> {
    let shown = path.display();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() || !folder.is_dir() {
        Err(format!("{shown} cannot be written: it is a folder, or has no folder"))
    } else if !force && path.exists() {
        Err(format!("{shown} exists already; --force overwrites it"))
    } else {
        Ok(())
    }
}

/// Writes the file completely or not at all.
/// # Errors
/// A message for the user.
pub fn write(path: &Path, text: &str, force: bool) -> Result<(), String> {
    let new = |path: &Path| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
        file.write_all(text.as_bytes()).inspect_err(|_| drop(fs::remove_file(path)))
    };
    let outcome = if force {
        let mut beside = path.as_os_str().to_owned();
        beside.push(format!(".{}", std::process::id()));
        let beside = Path::new(&beside);
        new(beside).and_then(|()| fs::rename(beside, path).inspect_err(|_| drop(fs::remove_file(beside))))
    } else {
        new(path)
    };
    outcome.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => format!("{} exists already; --force overwrites it", path.display()),
        _ => format!("{} cannot be written: {error}", path.display()),
    })
}

#[cfg(test)]
mod tests;
