//! The node `mechanism` as a process of its own, and what its loop reports of itself.

use std::time::Duration;

use mechanism::Histogram;
use r2r::diagnostic_msgs::msg::{DiagnosticArray, DiagnosticStatus};
use ros::{Error, Node, clock, qos};

use crate::child::{Child, Folder};
use crate::incoming::Incoming;

/// The example of two joints and five controllers.
const CONFIG: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/arm.yaml");
const URDF: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../config/urdf/arm.urdf");
/// The executable and its node.
const NAME: &str = "mechanism";
/// How long the loop's report may take; it comes once a second.
const LONGEST: Duration = Duration::from_secs(10);
const SLICE: Duration = Duration::from_millis(20);

/// Starts the node, whose loop has this `rate` \[Hz\], and one processor if it is given.
/// # Errors
/// There is no such executable.
pub fn start(rate: u32, core: Option<usize>, folder: &Folder) -> Result<Child, Error> {
    let description = format!("robot_description:={URDF}");
    let rate = format!("rate:={rate}");
    let mut arguments =
        ["--ros-args", "--params-file", CONFIG, "-p", &description, "-p", &rate].map(str::to_owned).to_vec();
    arguments.extend(core.into_iter().flat_map(|core| ["-p".to_owned(), format!("cores:=[{core}]")]));
    Child::start(NAME, &arguments, folder)
}

/// What the loop reports of its steps since its start.
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
        Err(Error::Start(format!("node '{NAME}' reports no steps on /diagnostics within {LONGEST:?}")))
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
