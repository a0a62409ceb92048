use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use gamepad::{Battery, Capabilities, Event, Feature};
use joystick::Printable;
use ros::clock;
use safety::Stamp;

use super::NAME;

/// The most measurements that may wait for the node's thread; a pad makes some hundred per second.
const MAX_WAITING: usize = 256;
/// The most refusals that are remembered.
const MAX_REFUSED: usize = 64;

/// The sending end of a channel from SDL's thread to the node's, for events besides axes and buttons.
///
/// # Real-time
/// Never blocks. Measurements that find the queue full are dropped, since others follow. A device's refusal is logged once.
pub struct Extras {
    sender: Sender<Extra>,
    waiting: Arc<AtomicUsize>,
    /// The refusals that were logged.
    refused: Vec<(u32, Feature, String)>,
}

/// The receiving end of [`Extras`].
pub struct ExtraReceiver {
    receiver: Receiver<Extra>,
    waiting: Arc<AtomicUsize>,
}

impl ExtraReceiver {
    /// The oldest waiting event.
    pub fn next(&self) -> Option<Extra> {
        let extra = self.receiver.try_recv().ok()?;
        if matches!(extra, Extra::SensorMoved(..)) {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        Some(extra)
    }
}

/// An event of a device that the machine does not need.
pub enum Extra {
    /// The device is connected and has these capabilities.
    Connected(u32, Capabilities, Battery),
    /// The device is disconnected.
    Disconnected(u32),
    /// Its capabilities, which SDL found out late.
    CapabilitiesChanged(u32, Capabilities),
    /// Its battery.
    Battery(u32, Battery),
    /// Acceleration \[m/s²] and angular velocity \[rad/s].
    SensorMoved(u32, Stamp, [Option<[f32; 3]>; 2]),
}

impl Extras {
    /// A channel from SDL's thread to the node's.
    pub fn channel() -> (Self, ExtraReceiver) {
        let (sender, receiver) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        (
            Self { sender, waiting: Arc::clone(&waiting), refused: Vec::new() },
            ExtraReceiver { receiver, waiting },
        )
    }

    /// Queues what the machine does not need, and returns what it needs.
    pub fn handle(&mut self, event: Event) -> Option<Event> {
        let extra = match &event {
            Event::Connected { id, details, .. } => {
                Extra::Connected(*id, details.capabilities, details.battery)
            }
            Event::Disconnected { id } => {
                self.refused.retain(|(of, _, _)| of != id);
                Extra::Disconnected(*id)
            }
            Event::CapabilitiesChanged { id, capabilities } => Extra::CapabilitiesChanged(*id, *capabilities),
            Event::BatteryChanged { id, battery } => Extra::Battery(*id, *battery),
            Event::SensorMoved { id, acceleration, angular_velocity } => {
                Extra::SensorMoved(*id, clock::stamp(), [*acceleration, *angular_velocity])
            }
            Event::OpenFailed { name, path, reason } => {
                let [name, path, reason] = [name, path, reason].map(|text| Printable(text));
                log::warn!(target: NAME, "'{name}' ({path}) cannot be opened: {reason}");
                return None;
            }
            Event::Refused { id, feature, reason } => {
                if self.is_new_refusal(*id, *feature, reason) {
                    let hint = if *feature == Feature::Sensors { "; '~/imu' stays silent" } else { "" };
                    let reason = Printable(reason);
                    log::warn!(target: NAME, "device {id} refused {feature}: {reason}{hint}");
                }
                return None;
            }
            _ => return Some(event),
        };
        if matches!(extra, Extra::SensorMoved(..))
            && self.waiting.fetch_add(1, Ordering::Relaxed) >= MAX_WAITING
        {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        } else {
            // The receiver is gone only when the node is ending.
            let _ = self.sender.send(extra);
        }
        Some(event)
    }

    /// Whether this refusal was not logged yet.
    fn is_new_refusal(&mut self, id: u32, feature: Feature, reason: &str) -> bool {
        let known = self.refused.iter().any(|(i, f, r)| (*i, *f, r.as_str()) == (id, feature, reason));
        if !known {
            // A disconnected device may refuse too; the oldest refusals are forgotten.
            if self.refused.len() >= MAX_REFUSED {
                self.refused.remove(0);
            }
            self.refused.push((id, feature, reason.to_owned()));
        }
        !known
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unread_measurements_do_not_displace_other_events() {
        let (mut extras, receiver) = Extras::channel();
        for _ in 0..2 * MAX_WAITING {
            extras.handle(Event::SensorMoved { id: 1, acceleration: None, angular_velocity: None });
        }
        extras.handle(Event::Disconnected { id: 1 });
        let all: Vec<_> = std::iter::from_fn(|| receiver.next()).collect();
        assert_eq!(all.len(), MAX_WAITING + 1);
        assert!(matches!(all.last(), Some(Extra::Disconnected(1))));
        extras.handle(Event::SensorMoved { id: 1, acceleration: None, angular_velocity: None });
        assert!(receiver.next().is_some(), "there is room again");
    }

    #[test]
    fn a_refusal_is_logged_once() {
        let (mut extras, _receiver) = Extras::channel();
        assert!(extras.is_new_refusal(1, Feature::Rumble, "no motor"));
        assert!(!extras.is_new_refusal(1, Feature::Rumble, "no motor"));
        assert!(extras.is_new_refusal(1, Feature::Led, "no motor"));
        assert!(extras.is_new_refusal(2, Feature::Rumble, "no motor"));
        assert!(extras.is_new_refusal(1, Feature::Rumble, "it broke"));
        extras.handle(Event::Disconnected { id: 1 });
        assert!(!extras.is_new_refusal(2, Feature::Rumble, "no motor"));
        assert!(extras.is_new_refusal(1, Feature::Rumble, "no motor"), "another device");
        for id in 0..1000 {
            extras.is_new_refusal(id, Feature::Led, "");
        }
        assert_eq!(extras.refused.len(), MAX_REFUSED);
    }
}
