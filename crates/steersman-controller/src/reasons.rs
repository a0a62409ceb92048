use std::pin::Pin;
use std::time::Duration;

use futures::{FutureExt, Stream, StreamExt};
use r2r::QosProfile;
use r2r::rcl_interfaces::msg::Log;
use ros::{Node, clock};

/// How long the manager's lines may take: they have a queue of their own.
const LONGEST: Duration = Duration::from_millis(500);
/// After the first line so long for others.
const MORE: Duration = Duration::from_millis(50);
const SLICE: Duration = Duration::from_millis(10);
/// A line's stamp may be so much older than the call that it is about.
const SLACK: f64 = 0.05;

/// The warnings and errors of the manager, as it publishes them on `/rosout`.
pub(crate) struct Reasons {
    lines: Pin<Box<dyn Stream<Item = Log>>>,
    /// The wall clock at the start of the last call \[s\].
    asked: f64,
}

impl Reasons {
    /// # Errors
    /// The middleware refuses the subscription.
    pub(crate) fn new(node: &mut Node) -> Result<Self, ros::Error> {
        // The last lines are kept for those that subscribe late, as this tool does.
        let qos = QosProfile::default().reliable().transient_local().keep_last(1000);
        let lines = node.subscribe::<Log>("/rosout", qos);
        let lines = lines.map_err(ros::Error::ros("subscribe to '/rosout'".to_owned()))?;
        Ok(Self { lines: Box::pin(lines), asked: 0.0 })
    }

    /// A call begins.
    pub(crate) fn ask(&mut self) {
        self.asked = wall();
    }

    /// The warnings of the node with this `logger` since the call began, each line once.
    pub(crate) fn since_asked(&mut self, node: &mut Node, logger: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut end = clock::now() + LONGEST;
        while clock::now() < end {
            node.spin_once(SLICE);
            while let Some(Some(line)) = self.lines.next().now_or_never() {
                let stamp = f64::from(line.stamp.sec) + f64::from(line.stamp.nanosec) / 1e9;
                let is_reason =
                    line.name == logger && line.level >= Log::WARN as u8 && stamp >= self.asked - SLACK;
                if is_reason && !found.contains(&line.msg) {
                    if found.is_empty() {
                        end = clock::now() + MORE;
                    }
                    found.push(line.msg);
                }
            }
        }
        found
    }
}

#[allow(clippy::disallowed_methods)] // lines have stamps of the wall clock
fn wall() -> f64 {
    let time = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    time.map_or(0.0, |time| time.as_secs_f64())
}
