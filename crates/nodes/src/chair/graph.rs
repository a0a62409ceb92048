use chair::{Chair, ChairInput, Input};
use ros::{COUNT_PERIOD, Names, Shell, clock};
use units::Instant;

use super::{NAME, topics};
use crate::zone_scaler;

/// Tells the machine how many publish commands, sticks for the chair, and what the chair shows: endpoints of whatever type and name, this
/// node's included.
pub fn watch(shell: Shell<Chair>, names: &Names) -> impl FnMut(&mut r2r::Node) + Send + 'static {
    let mut commands = Counted::new(names.resolve(zone_scaler::COMMAND), Input::PublishersCounted);
    let mut sticks = Counted::new(names.resolve(topics::REMOTE), Input::DriversCounted);
    let mut position =
        Counted::new(names.resolve("luci/joystick_position"), Input::PositionPublishersCounted);
    let mut scaling = Counted::new(names.resolve("luci/joystick_scaling"), Input::ScalingPublishersCounted);
    let mut profile = Counted::new(names.resolve("luci/chair_profile"), Input::ProfilePublishersCounted);
    let mut due = Instant::ZERO;
    move |node| {
        if clock::now() < due {
            return;
        }
        due = clock::now() + COUNT_PERIOD;
        for topic in [&mut commands, &mut sticks, &mut position, &mut scaling, &mut profile] {
            if let Some(input) = topic.look(node) {
                shell.deliver(ChairInput::Remote(input));
            }
        }
    }
}

struct Counted {
    topic: String,
    input: fn(usize) -> Input,
    count: usize,
}

impl Counted {
    fn new(topic: String, input: fn(usize) -> Input) -> Self {
        Self { topic, input, count: 0 }
    }

    /// What to tell if the number has changed. A graph that cannot be read says that there are too many.
    fn look(&mut self, node: &r2r::Node) -> Option<Input> {
        let found = node.get_publishers_info_by_topic(&self.topic, false);
        let count = found.as_ref().map_or(usize::MAX, Vec::len);
        if count == self.count {
            return None;
        }
        self.count = count;
        match found {
            Ok(found) if count > 1 => {
                let all: Vec<_> = found.iter().map(|publisher| publisher.node_name.as_str()).collect();
                log::warn!(target: NAME, "{count} publishers of '{}': {}", self.topic, all.join(", "));
            }
            Ok(_) => {}
            Err(error) => {
                log::error!(target: NAME, "the publishers of '{}' cannot be read: {error}", self.topic)
            }
        }
        Some((self.input)(count))
    }
}
