use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use joystick::DeviceState;
use r2r::or_joystick::msg as or_joystick;
use ros::panics::lock;
use ros::{Topic, clock, qos};
use safety::Instant;

use super::NAME;
use crate::messages;

/// A topic is closed after this delay, so the released state reaches its subscribers.
const CLOSE_DELAY: Duration = Duration::from_millis(200);

/// The topics `~/device/<name>`, which open and close with the devices.
///
/// Topics are opened and closed on the node's own thread ([`serve`](DeviceTopics::serve)). Until a topic is open the newest
/// state of its device is kept.
#[derive(Clone, Default)]
pub struct DeviceTopics {
    topics: Arc<Mutex<Topics>>,
}

#[derive(Default)]
struct Topics {
    devices: BTreeMap<String, Device>,
    closing: Vec<(Instant, DeviceTopic)>,
}

impl Topics {
    /// Assigns `topic` to the device `name` and publishes its waiting state. Returns the topic if no device needs it.
    fn assign(&mut self, name: &str, topic: DeviceTopic) -> Option<DeviceTopic> {
        let Some(device) = self.devices.get_mut(name).filter(|device| device.topic.is_none()) else {
            return Some(topic);
        };
        if let Some(state) = device.waiting.take() {
            topic.publish(&messages::device(state));
        }
        device.topic = Some(topic);
        None
    }

    /// Removes and returns the topics whose delay has passed at `now`.
    fn take_expired(&mut self, now: Instant) -> Vec<DeviceTopic> {
        let (over, staying) = std::mem::take(&mut self.closing).into_iter().partition(|(due, _)| *due <= now);
        self.closing = staying;
        let over: Vec<(Instant, DeviceTopic)> = over;
        over.into_iter().map(|(_, topic)| topic).collect()
    }
}

type DeviceTopic = Topic<or_joystick::State>;

#[derive(Default)]
struct Device {
    topic: Option<DeviceTopic>,
    waiting: Option<DeviceState>,
}

impl DeviceTopics {
    /// Adds a connected device.
    pub fn open(&self, name: String) {
        self.lock().devices.insert(name, Device::default());
    }

    /// Publishes a device's new state.
    pub fn publish(&self, name: &str, state: DeviceState) {
        if let Some(device) = self.lock().devices.get_mut(name) {
            match &mut device.topic {
                Some(topic) => topic.publish(&messages::device(state)),
                None => device.waiting = Some(state),
            }
        }
    }

    /// Removes a disconnected device; its released state has been published before.
    pub fn close(&self, name: &str) {
        let mut topics = self.lock();
        if let Some(topic) = topics.devices.remove(name).and_then(|device| device.topic) {
            topics.closing.push((clock::now() + CLOSE_DELAY, topic));
        }
    }

    /// Opens and closes topics as needed. The middleware does so without the lock, since stick events wait for the lock.
    pub fn serve(&self, node: &mut r2r::Node) {
        let lacks_topic = |device: &Device| device.topic.is_none();
        let wanted: Vec<String> = {
            let topics = self.lock();
            let lacking = topics.devices.iter().filter(|(_, device)| lacks_topic(device));
            lacking.map(|(name, _)| name.clone()).collect()
        };
        for name in wanted {
            match Topic::new(node, &format!("~/device/{name}"), qos::state()) {
                Ok(topic) => {
                    let unused = self.lock().assign(&name, topic);
                    // The device was disconnected, or connected anew, meanwhile.
                    if let Some(topic) = unused {
                        topic.close(node);
                    }
                }
                Err(error) => log::error!(target: NAME, "device '{name}' has no topic: {error}"),
            }
        }
        for topic in self.lock().take_expired(clock::now()) {
            topic.close(node);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Topics> {
        lock(&self.topics)
    }
}
