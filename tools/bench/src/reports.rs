//! Reports of a real-time loop about itself on `/diagnostics`.

use std::time::Duration;

use mechanism::Histogram;
use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus};
use ros::{Error, Node, clock, qos};

use crate::incoming::Incoming;

/// How long the loop's report may take; it comes once a second.
const LONGEST: Duration = Duration::from_secs(10);
const SLICE: Duration = Duration::from_millis(20);

/// Report of the loop on its steps since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// How many were left out.
    pub missed: u64,
    /// How many took longer than the period.
    pub long: u64,
    /// How late they were.
    pub late: Histogram,
}

/// Reads what the loop reports.
pub struct Reports {
    node: Node,
    messages: Incoming<DiagnosticArray>,
}

impl Reports {
    /// Subscribes to it.
    /// # Errors
    /// The middleware refuses it.
    pub fn new(context: &r2r::Context) -> Result<Self, Error> {
        let mut node = Node::new(context, "bench_reports")?;
        let messages = Incoming::new(&mut node, "/diagnostics", qos::edge())?;
        Ok(Self { node, messages })
    }

    /// Waits for the next report.
    /// # Errors
    /// None comes, or it lacks something.
    pub fn next(&mut self) -> Result<Steps, Error> {
        // Those that came meanwhile are old.
        self.node.spin_once(Duration::ZERO);
        while self.messages.take().is_some() {
            self.node.spin_once(Duration::ZERO);
        }
        let end = clock::now() + LONGEST;
        while clock::now() < end {
            self.node.spin_once(SLICE);
            while let Some(message) = self.messages.take() {
                if let Some(steps) = message.status.iter().find_map(read) {
                    return Ok(steps);
                }
            }
        }
        Err(Error::Start(format!("no loop reports its steps on /diagnostics within {LONGEST:?}")))
    }
}

fn read(status: &DiagnosticStatus) -> Option<Steps> {
    let value =
        |key: &str| status.values.iter().find(|value| value.key == key).map(|value| value.value.as_str());
    Some(Steps {
        missed: value("steps left out")?.parse().ok()?,
        long: value("steps longer than the period")?.parse().ok()?,
        late: value("lateness (ns:steps)")?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use r2r::diagnostic_msgs::msg::KeyValue;

    use super::*;

    #[test]
    fn steps_are_read_from_the_status_of_the_node_alone() {
        let value = |key: &str, value: &str| KeyValue { key: key.into(), value: value.into() };
        let values = vec![
            value("steps left out", "3"),
            value("steps longer than the period", "1"),
            value("lateness (ns:steps)", "51200:7 1048576:2"),
        ];
        let status = DiagnosticStatus { values, ..DiagnosticStatus::default() };
        let steps = read(&status).unwrap();
        assert_eq!((steps.missed, steps.long, steps.late.count()), (3, 1, 9));
        assert_eq!(read(&DiagnosticStatus::default()), None);
    }
}
