use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use joystick::DeviceState;
use r2r::or_joystick::msg as or_joystick;
use ros::{Topic, clock, qos};
use units::Instant;

use super::NAME;
use crate::messages;

/// A closed topic stays this long, so that the released state reaches whoever listens.
const FAREWELL: Duration = Duration::from_millis(200);

/// The topics `~/device/<name>`, which come and go with the devices.
///
/// Topics are opened and closed on the node's own thread ([`serve`](DeviceTopics::serve)); what is published before
/// that is kept, the newest state for each device.
#[derive(Clone, Default)]
pub struct DeviceTopics {
    topics: Arc<Mutex<Topics>>,
}

#[derive(Default)]
struct Topics {
    devices: BTreeMap<String, Device>,
    leaving: Vec<(Instant, Topic<or_joystick::State>)>,
}

#[derive(Default)]
struct Device {
    topic: Option<Topic<or_joystick::State>>,
    waiting: Option<DeviceState>,
}

impl DeviceTopics {
    /// A device has come.
    pub fn open(&self, name: String) {
        self.lock().devices.insert(name, Device::default());
    }

    /// A device has a new state.
    pub fn publish(&self, name: &str, state: DeviceState) {
        if let Some(device) = self.lock().devices.get_mut(name) {
            match &mut device.topic {
                Some(topic) => topic.publish(&messages::device(state)),
                None => device.waiting = Some(state),
            }
        }
    }

    /// A device has gone; its released state has been published before.
    pub fn close(&self, name: &str) {
        let mut topics = self.lock();
        if let Some(topic) = topics.devices.remove(name).and_then(|device| device.topic) {
            topics.leaving.push((clock::now() + FAREWELL, topic));
        }
    }

    /// Opens and closes what has to be.
    pub fn serve(&self, node: &mut r2r::Node) {
        let mut topics = self.lock();
        for (name, device) in &mut topics.devices {
            if device.topic.is_none() {
                match Topic::new(node, &format!("~/device/{name}"), qos::state()) {
                    Ok(topic) => device.topic = Some(topic),
                    Err(error) => {
                        log::error!(target: NAME, "device '{name}' has no topic: {error}");
                        continue;
                    }
                }
            }
            if let (Some(topic), Some(state)) = (&mut device.topic, device.waiting.take()) {
                topic.publish(&messages::device(state));
            }
        }
        let now = clock::now();
        for (due, topic) in std::mem::take(&mut topics.leaving) {
            if due <= now {
                topic.close(node);
            } else {
                topics.leaving.push((due, topic));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Topics> {
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
