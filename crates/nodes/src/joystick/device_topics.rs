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
const CLOSE_DELAY: Duration = Duration::from_millis(200);

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
    closing: Vec<(Instant, DeviceTopic)>,
}

impl Topics {
    /// Gives the device `name` its topic and publishes what waits for it; gives the topic back if no device wants it.
    fn assign(&mut self, name: &str, mut topic: DeviceTopic) -> Option<DeviceTopic> {
        let Some(device) = self.devices.get_mut(name).filter(|device| device.topic.is_none()) else {
            return Some(topic);
        };
        if let Some(state) = device.waiting.take() {
            topic.publish(&messages::device(state));
        }
        device.topic = Some(topic);
        None
    }

    /// The topics whose time is over at `now`.
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
            topics.closing.push((clock::now() + CLOSE_DELAY, topic));
        }
    }

    /// Opens and closes what has to be. The middleware makes and takes away topics without the lock, on which events of
    /// sticks wait.
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
                    // It has gone, or come anew, meanwhile.
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
        self.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
