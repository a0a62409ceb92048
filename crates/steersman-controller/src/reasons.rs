use std::pin::Pin;
use std::time::Duration;

use futures::{FutureExt, Stream, StreamExt};
use r2r::rcl_interfaces::msg::Log;
use ros::{Node, clock, qos};

/// How long the manager's lines may take: they have a queue of their own.
const LONGEST: Duration = Duration::from_millis(500);
/// After the first line so long for others.
const MORE: Duration = Duration::from_millis(50);
const SLICE: Duration = Duration::from_millis(10);
/// A line's stamp may be so much older than the call that it is about \[ns\].
const SLACK: i64 = 50_000_000;

/// The warnings and errors of the manager, as it publishes them on `/rosout`.
pub(crate) struct Reasons {
    lines: Pin<Box<dyn Stream<Item = Log>>>,
    /// The time of stamps at the start of the last call \[ns\].
    asked: i64,
}

impl Reasons {
    /// # Errors
    /// The middleware refuses the subscription.
    pub(crate) fn new(node: &mut Node) -> Result<Self, ros::Error> {
        let lines = node.subscribe::<Log>("/rosout", qos::rosout());
        let lines = lines.map_err(ros::Error::ros("subscribe to '/rosout'".to_owned()))?;
        Ok(Self { lines: Box::pin(lines), asked: 0 })
    }

    /// A call begins.
    pub(crate) fn ask(&mut self) {
        self.asked = clock::stamp().as_nanos();
    }

    /// The warnings of the node with this `logger` since the call began, each line once.
    pub(crate) fn since_asked(&mut self, node: &mut Node, logger: &str) -> Vec<String> {
        let mut found: Vec<String> = Vec::new();
        let mut end = clock::now() + LONGEST;
        while clock::now() < end {
            node.spin_once(SLICE);
            while let Some(Some(line)) = self.lines.next().now_or_never() {
                let is_new = clock::from_wire(&line.stamp).as_nanos() >= self.asked - SLACK;
                let is_reason = line.name == logger && line.level >= Log::WARN as u8 && is_new;
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
