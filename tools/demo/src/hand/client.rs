use haptix::MAX;
use ratatui::crossterm::event::KeyCode;
use safety::Instant;

use crate::calls::Answer;
use crate::client::Client;
use crate::hand::act::Act;
use crate::hand::calls::Call;
use crate::hand::device::Device;
use crate::hand::reading::{Names, Reading};
use crate::hand::script::CLOSED;
use crate::pilot::missing;
use crate::screen::index_of;
use crate::words::{columns, number};

/// The client of a hand, which repeats a command without which the hand would hold after its time-out.
///
/// The command is the cap on the speed of the motors, so a grasp goes on, and goes on gently. With its cable pulled it is silent, and
/// the hold that follows ends the grasp.
#[derive(Debug)]
pub struct Hand {
    /// Contents of its file.
    pub device: Device,
    /// The names of its parts.
    pub names: Names,
    /// Activity of the hand: the first word of its state.
    pub state: Option<String>,
    /// The last reading.
    pub reading: Option<Reading>,
    /// The strongest force on each contact sensor so far \[N\].
    pub strongest: [f32; MAX],
    /// The grasp that the node has accepted last, and how far it is closed: from 0, open, to 1.
    pub grasp: Option<(usize, f32)>,
    /// Whether the ball is there.
    pub has_ball: bool,
    /// Whether the cable is pulled.
    pub is_pulled: bool,
    /// Whether there is something to command: from the first grasp to the reset.
    pub is_active: bool,
}

/// A message of the node.
#[derive(Clone, Debug)]
pub enum Message {
    /// The names of the hand's parts.
    Described(Names),
    /// The first word of the hand's state.
    State(String),
    /// A reading.
    Reading(Box<Reading>),
}

/// The state of a hand that has given no reading yet.
const STARTING: &str = "STARTING";
/// How much further a grasp is closed or opened by one key.
const PART: f32 = 0.1;

impl Hand {
    /// The hand of this device, of which nothing was received yet.
    pub fn new(device: Device) -> Self {
        Self {
            device,
            names: Names::default(),
            state: None,
            reading: None,
            strongest: [0.0; MAX],
            grasp: None,
            has_ball: true,
            is_pulled: false,
            is_active: false,
        }
    }

    /// The last reading; all zero before the first.
    pub fn present(&self) -> Reading {
        self.reading.unwrap_or_default()
    }

    /// Act that closes a grasp to `level`, in tenths; nothing if the hand has no such grasp.
    fn close(&self, grasp: usize, level: f32) -> Option<Act> {
        let name = self.device.grasps.get(grasp)?.clone();
        Some(Act::Grasp { name, level: (level.clamp(0.0, 1.0) * 10.0).round() / 10.0 })
    }

    /// Act that closes the grasp further.
    fn close_further(&self, by: f32) -> Option<Act> {
        let (grasp, level) = self.grasp?;
        self.close(grasp, level + by)
    }
}

impl Client for Hand {
    type Act = Act;
    type Call = Call;
    type Value = ();
    type Message = Message;
    type Command = ();

    const SERVICES: &'static str = "haptix/* (services)";
    const KEYS: &'static [(&'static str, &'static str)] = &[
        ("1-8", "grasp"),
        ("up down", "close, open further"),
        ("space", "open"),
        ("o", "ball"),
        ("w", "wrong command"),
        ("c", "cable"),
        ("r", "reset"),
        ("q", "quit"),
    ];

    fn missing(&self) -> Vec<&'static str> {
        missing(&[
            (!self.names.contacts.is_empty(), "haptix/robot_description"),
            (self.state.as_ref().is_some_and(|state| state != STARTING), "haptix/state"),
            (self.reading.is_some(), "haptix/sensor"),
        ])
    }

    fn receive(&mut self, message: &Message) {
        match message {
            Message::Described(names) => self.names = names.clone(),
            Message::State(state) => self.state = Some(state.clone()),
            Message::Reading(reading) => {
                for (strongest, force) in self.strongest.iter_mut().zip(reading.contact) {
                    *strongest = strongest.max(force);
                }
                self.reading = Some(**reading);
            }
        }
    }

    fn answered(&mut self, _: Instant, call: &Call, answer: &Answer<()>) {
        match (call, answer) {
            (Call::Grasp(name, level), Ok(_)) => {
                self.grasp = self.device.grasp(name).map(|grasp| (grasp, *level));
            }
            (Call::Ball(is_there), Ok(_)) => self.has_ball = *is_there,
            (Call::Reset, Ok(_)) => self.grasp = None,
            _ => {}
        }
    }

    fn press(&self, key: KeyCode) -> Option<Option<Act>> {
        Some(match key {
            KeyCode::Up | KeyCode::Char('+') => self.close_further(PART),
            KeyCode::Down | KeyCode::Char('-') => self.close_further(-PART),
            KeyCode::Char(' ') => self.close_further(-1.0),
            KeyCode::Char('o') => Some(Act::Ball(!self.has_ball)),
            KeyCode::Char('w') => Some(Act::WrongCommand),
            KeyCode::Char('c') => Some(if self.is_pulled { Act::Plug } else { Act::Pull }),
            KeyCode::Char('r') => Some(Act::Reset),
            digit => {
                let closed = self.grasp.map(|(_, level)| level).filter(|level| *level > 0.0);
                self.close(index_of(digit)?, closed.unwrap_or(CLOSED))
            }
        })
    }

    fn prepare(&mut self, act: &Act) -> Act {
        act.clone()
    }

    fn begin(&mut self, _: Instant, act: &Act) -> Vec<Call> {
        match act {
            Act::Grasp { .. } => self.is_active = true,
            Act::Reset => self.is_active = false,
            Act::Pull => self.is_pulled = true,
            Act::Plug => self.is_pulled = false,
            Act::Rest | Act::Hold | Act::WrongCommand | Act::Ball(_) => {}
        }
        act.calls()
    }

    fn is_commanding(&self, _: Instant) -> bool {
        self.is_active && !self.is_pulled
    }

    fn commands(&mut self, _: Instant, _: bool) -> Vec<()> {
        vec![()]
    }

    fn expected(act: &Act) -> &'static str {
        act.expected()
    }

    fn is_wrong(call: &Call) -> bool {
        *call == Call::WrongCommand
    }

    fn advice(&self) -> &'static str {
        "no grasp is set: 1 to 8 set one"
    }

    fn summary(&self) -> String {
        let forces = self.present().contact;
        let touched = forces.iter().filter(|force| **force > 0.0).count();
        let (state, sum) = (self.state.as_deref().unwrap_or("-"), forces.iter().sum::<f32>());
        let ball = if self.has_ball { "ball there" } else { "ball away" };
        format!("{state:<9} {ball:<10} {touched:>2} contacts {:>5} N", number(sum.into(), 1))
    }

    fn listing(&self) -> Vec<String> {
        let cable = if self.is_pulled { "PULLED" } else { "plugged in" };
        let ball = if self.has_ball { "there" } else { "away" };
        let state = self.state.as_deref().unwrap_or("silent");
        let mut lines = vec![format!("{state}  cable {cable}  ball {ball}"), String::new()];
        let grasps = self.device.grasps.iter().enumerate().map(|(index, name)| match self.grasp {
            Some((grasp, level)) if grasp == index => format!("{} {name} {level:.1}", index + 1),
            _ => format!("{} {name}", index + 1),
        });
        lines.extend(columns(&grasps.collect::<Vec<_>>(), 3, 26));
        lines.extend([String::new(), "contact, its force now and the strongest [N]".into()]);
        let forces = self.present().contact.into_iter().zip(self.strongest);
        let contacts = self.names.contacts.iter().zip(forces).map(|(name, (force, strongest))| {
            let [force, strongest] = [force, strongest].map(|force| number(force.into(), 1));
            format!("{name:<15}{force:>5}{strongest:>5}")
        });
        lines.extend(columns(&contacts.collect::<Vec<_>>(), 3, 26));
        let accelerations = self.present().acceleration.into_iter().take(self.names.imus.len());
        let norms = accelerations.map(|acceleration| {
            let norm = acceleration.iter().map(|part| part * part).sum::<f32>().sqrt();
            format!(" {norm:>5.2}")
        });
        lines.extend([String::new(), format!("IMUs, m/s² {}", norms.collect::<String>())]);
        lines
    }
}

#[cfg(test)]
mod tests;
