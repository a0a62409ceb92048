use pictures::{Pace, Snapshot};
use r2r::visualization_msgs::msg::MarkerArray;
use ros::{Error, Shell, Topic, clock, qos};
use safety::Contains;
use zones::ZoneScaler;

use crate::markers;

/// The picture of the zones on `~/markers`, drawn from the machine's state and published without its lock: it is no output of the machine,
/// so no command waits for it.
pub struct Picture {
    topic: Topic<MarkerArray>,
    pace: Pace<Snapshot>,
}

impl Picture {
    /// Opens the topic.
    /// # Errors
    /// The middleware refuses the topic.
    pub fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        Ok(Self { topic: Topic::new(node, "~/markers", qos::command())?, pace: Pace::default() })
    }

    /// Publishes the picture of the scaler in `shell` if it is due and the topic has a subscriber.
    pub fn draw<M: Contains<ZoneScaler>>(&mut self, shell: &Shell<M>) {
        let now = clock::now();
        if !self.pace.is_time(now) || !self.topic.has_subscribers() {
            return;
        }
        let due = shell.inspect(|machine| {
            let scaler = machine.stage();
            let snapshot = Snapshot::of(scaler);
            self.pace.is_due(now, &snapshot).then(|| (snapshot, scaler.params().markers.clone()))
        });
        // Drawn and published without the machine's lock: no command waits for a picture.
        if let Some((snapshot, place)) = due {
            self.topic.publish(&markers::message(pictures::markers(&snapshot, place.radius), &place.frame));
        }
    }
}
