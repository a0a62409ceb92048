use std::cmp::Ordering;

use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus, KeyValue};
use safety::Level;

use crate::{Error, Topic, clock, full_name, qos};

/// A node's diagnostics, published once a second.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// The severity.
    pub level: Level,
    /// The reason, one short sentence.
    pub message: String,
    /// Numbers and names, in the order of display.
    pub values: Vec<(String, String)>,
    /// The device behind the node; empty if there is none.
    pub hardware: String,
}

impl Status {
    /// A status from a machine's health and its report.
    pub fn of((level, message): (Level, impl Into<String>), report: Vec<(&'static str, String)>) -> Self {
        let values = report.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        Self { level, message: message.into(), values, ..Self::default() }
    }

    /// Names the device behind the node.
    #[must_use]
    pub fn of_hardware(mut self, name: impl Into<String>) -> Self {
        self.hardware = name.into();
        self
    }

    /// Adds a value.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl ToString) -> Self {
        self.values.push((key.into(), value.to_string()));
        self
    }

    /// Takes over `level` and `message` if they are worse than the present ones; a message of equal level is appended.
    pub fn worsen(&mut self, level: Level, message: impl Into<String>) {
        let message = message.into();
        match level.cmp(&self.level) {
            Ordering::Greater if self.level == Level::Ok => (self.level, self.message) = (level, message),
            Ordering::Greater => (self.level, self.message) = (level, format!("{message}; {}", self.message)),
            Ordering::Equal if level != Level::Ok => self.message = format!("{}; {message}", self.message),
            Ordering::Equal | Ordering::Less => {}
        }
    }
}

/// Publishes on `/diagnostics`.
pub(crate) struct Diagnostics {
    topic: Topic<DiagnosticArray>,
    name: String,
}

impl Diagnostics {
    pub(crate) fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        let name = full_name(node)?;
        Ok(Self { topic: Topic::new(node, "/diagnostics", qos::edge())?, name })
    }

    pub(crate) fn publish(&self, status: Status) {
        let values = status.values.into_iter().map(|(key, value)| KeyValue { key, value }).collect();
        let status = DiagnosticStatus {
            level: status.level as u8,
            name: self.name.clone(),
            message: status.message,
            hardware_id: if status.hardware.is_empty() { "none".into() } else { status.hardware },
            values,
        };
        let mut message = DiagnosticArray { status: vec![status], ..Default::default() };
        message.header.stamp = clock::to_wire(clock::stamp());
        self.topic.publish(&message);
    }
}

/// The level at which a status of `level` is logged.
pub const fn log_level(level: Level) -> log::Level {
    match level {
        Level::Ok => log::Level::Info,
        Level::Warn => log::Level::Warn,
        Level::Error => log::Level::Error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_news_stays() {
        let mut status = Status::of((Level::Warn, "late"), Vec::new());
        status.worsen(Level::Ok, "fine");
        assert_eq!((status.level, status.message.as_str()), (Level::Warn, "late"));
        status.worsen(Level::Error, "dead");
        assert_eq!((status.level, status.message.as_str()), (Level::Error, "dead; late"));
        status.worsen(Level::Warn, "slow");
        status.worsen(Level::Error, "cold");
        assert_eq!((status.level, status.message.as_str()), (Level::Error, "dead; late; cold"));
        let mut status = Status::of((Level::Ok, "fine"), Vec::new());
        status.worsen(Level::Warn, "late");
        assert_eq!(status.message, "late");
    }
}
