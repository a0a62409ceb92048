//! A vehicle behind standard input and output: messages to it are written as lines, and its state is read back.
//!
//! Each message is a line of its name and its values. Two are answered: `set NODE name:value,...` by `yes` or `no`, and `pass
//! MILLISECONDS`, once that time has passed, by `MILLISECONDS IS_LATE IS_READY CAUSES TIME:LEVEL...`: how much time has passed,
//! whether the parent process was late meanwhile, whether the motor controller works, the causes that hindbrain names (`-` for
//! none), and the motor levels, each with its time since the first line.

use std::fmt::Write as _;
use std::io::{BufRead, Write};

use scenarios::{Message, Needs, Parameters, Process, Publishers, Reading, Seen, Vehicle};

/// The last known state of the vehicle.
#[derive(Debug, Default)]
pub struct Wire {
    seen: Vec<Seen>,
    waits_for: Needs,
    is_ready: bool,
    is_late: bool,
}

impl Wire {
    /// Whether the parent process was late since the last call.
    pub fn was_late(&mut self) -> bool {
        core::mem::take(&mut self.is_late)
    }

    /// Writes a line. If it is not read, the next answer is missing.
    pub fn send(&mut self, line: &str) {
        let _ = writeln!(std::io::stdout().lock(), "{line}");
    }

    /// # Panics
    /// The parent process has ended.
    #[allow(clippy::panic)] // no error can be reported any more
    fn request(&mut self, line: &str) -> String {
        self.send(line);
        let mut answer = String::new();
        match std::io::stdin().lock().read_line(&mut answer) {
            Ok(length) if length > 0 => answer,
            _ => panic!("no answer to '{line}'"),
        }
    }
}

fn behind(behind: Option<i32>) -> String {
    behind.map_or_else(|| "same".into(), |millis| millis.to_string())
}

fn line(message: Message) -> String {
    match message {
        Message::Command { forward, behind: by } => format!("command {forward} {}", behind(by)),
        Message::Reference { forward, behind: by } => format!("reference {forward} {}", behind(by)),
        Message::Dock { forward } => format!("dock {forward}"),
        Message::Stick(None) => "stick out".into(),
        Message::Stick(Some(hand)) => format!("stick {} {}", hand.forward, u8::from(hand.button)),
        Message::Lock(closed) => format!("lock {}", u8::from(closed)),
        Message::Scaling { ahead, others } => format!("scaling {ahead} {others}"),
        Message::Profile(number) => format!("profile {number}"),
        Message::Enable(on) => format!("enable {}", u8::from(on)),
        Message::Estop(pressed) => format!("estop {}", u8::from(pressed)),
        Message::Reset(down) => format!("reset {}", u8::from(down)),
        Message::Infrared { starboard, reading, repeated } => {
            let distance = match reading {
                Reading::Invalid => f64::NAN,
                reading => reading.distance().unwrap_or(f64::NAN),
            };
            format!("infrared {} {distance} {}", u8::from(starboard), if repeated { "same" } else { "0" })
        }
        Message::Publishers { topic, publishers: Publishers::Nobody } => format!("publisher {topic} nobody"),
        Message::Publishers { topic, publishers: Publishers::One } => format!("publisher {topic} one"),
        Message::Publishers { topic, publishers: Publishers::Two(second) } => {
            format!("publisher {topic} {second}")
        }
        Message::Second { topic, says, .. } => {
            let message = Message::of(topic, says).map(line).unwrap_or_default();
            format!("second {topic} {message}")
        }
        Message::Device(None) => "device works".into(),
        Message::Device(Some(lack)) => format!("device {lack}"),
        Message::Active { process, on } => format!("active {process} {}", u8::from(on)),
        Message::Held { process, on } => format!("held {process} {}", u8::from(on)),
    }
}

impl Vehicle for Wire {
    const SLACK: u64 = 300;
    const START: u64 = 4_000;
    const NEWS: u64 = 1_000;

    fn receive(&mut self, message: Message) {
        self.send(&line(message));
    }

    fn set(&mut self, node: Process, set: Parameters) -> bool {
        let mut text = format!("set {node} ");
        for (name, value) in set {
            let _ = write!(text, "{name}:{value},");
        }
        self.request(&text).trim() == "yes"
    }

    #[allow(clippy::panic)] // as above
    fn pass(&mut self, millis: u64) -> u64 {
        let answer = self.request(&format!("pass {millis}"));
        let mut words = answer.split_whitespace();
        let (passed, late) = (words.next().and_then(|word| word.parse().ok()), words.next());
        let (ready, causes) = (words.next(), words.next());
        let (Some(passed), Some(causes)) = (passed, causes) else { panic!("the answer is '{answer}'") };
        self.is_late |= late == Some("1");
        self.is_ready = ready == Some("1");
        self.waits_for = Needs::of_causes(causes.split(','));
        let seen = words.filter_map(|word| {
            let (at, level) = word.split_once(':')?;
            let level = level.parse().ok()?;
            Some((at.parse().ok()?, [level; 2]))
        });
        self.seen.extend(seen);
        passed
    }

    fn seen(&mut self) -> Vec<Seen> {
        core::mem::take(&mut self.seen)
    }

    fn waits_for(&self) -> Needs {
        self.waits_for
    }

    fn is_ready(&self) -> bool {
        self.is_ready
    }
}
