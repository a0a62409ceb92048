use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use chair::{Chair, ChairInput, Input};
use ros::{Names, Shell, Status, clock};
use units::{Instant, Level};

use super::{NAME, topics};
use crate::zone_scaler;

/// How often the graph is asked.
const LOOK: Duration = Duration::from_millis(200);

/// Who else publishes what only one may, as far as the graph knows.
#[derive(Clone, Default)]
pub struct Rivals {
    /// How many drive the chair, this node included.
    drivers: Arc<AtomicUsize>,
}

impl Rivals {
    /// Tells the machine how many publish commands, `stamped` or not.
    pub fn watch(
        &self,
        shell: Shell<Chair>,
        names: Names,
        stamped: bool,
    ) -> impl FnMut(&mut r2r::Node) + Send + 'static {
        let drivers = self.drivers.clone();
        let wanted = if stamped { "geometry_msgs/msg/TwistStamped" } else { "geometry_msgs/msg/Twist" };
        let commands = names.resolve(zone_scaler::COMMAND);
        let remote = names.resolve(topics::REMOTE);
        let mut due = Instant::ZERO;
        let mut counted = 0;
        move |node| {
            if clock::now() < due {
                return;
            }
            due = clock::now() + LOOK;
            let found = node.get_publishers_info_by_topic(&commands, false).unwrap_or_default();
            let count = found.iter().filter(|publisher| publisher.topic_type == wanted).count();
            if count != counted {
                counted = count;
                if count > 1 {
                    let all: Vec<_> = found.iter().map(|publisher| publisher.node_name.as_str()).collect();
                    log::warn!(target: NAME, "{count} publishers of '{commands}': {}", all.join(", "));
                }
                shell.deliver(ChairInput::Remote(Input::PublishersCounted(count)));
            }
            let others = node.get_publishers_info_by_topic(&remote, false).unwrap_or_default();
            let before = drivers.swap(others.len(), Ordering::Relaxed);
            if others.len() > before.max(1) {
                log::error!(target: NAME, "'{remote}' is published by {} nodes", others.len());
            }
        }
    }

    /// Adds to `status` that the chair hears others too, which no state of this node can say.
    pub fn report(&self, mut status: Status) -> Status {
        let drivers = self.drivers.load(Ordering::Relaxed);
        status = status.with("publishers of luci/remote_joystick", drivers);
        if drivers > 1 {
            status.worsen(Level::Error, format!("the chair is told by {drivers} nodes"));
        }
        status
    }
}
