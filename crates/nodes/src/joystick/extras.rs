use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use gamepad::{Battery, Capabilities, Event, Feature};
use joystick::Printable;
use ros::clock;
use units::Stamp;

use super::NAME;

/// How many measurements may wait for the node's thread; a pad makes some hundred in a second.
const MOST_WAITING: usize = 256;
/// How many refusals are remembered.
const MOST_REFUSED: usize = 64;

/// Where SDL's thread leaves what a device tells besides axes and buttons.
///
/// # Real-time
/// Never blocks. Measurements that find no room are dropped: others follow. What a device refuses is said once.
pub struct Extras {
    sender: Sender<Extra>,
    waiting: Arc<AtomicUsize>,
    /// What was said that devices cannot do.
    refused: Vec<(u32, Feature, String)>,
}

/// The other end of [`Extras`].
pub struct Said {
    receiver: Receiver<Extra>,
    waiting: Arc<AtomicUsize>,
}

impl Said {
    /// What was left first.
    pub fn next(&self) -> Option<Extra> {
        let extra = self.receiver.try_recv().ok()?;
        if matches!(extra, Extra::Moved(..)) {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        }
        Some(extra)
    }
}

/// One thing about a device that the machine does not need.
pub enum Extra {
    /// It is there, and can do this.
    There(u32, Capabilities, Battery),
    /// It is gone.
    Gone(u32),
    /// It can do this, which SDL found out late.
    Can(u32, Capabilities),
    /// Its battery.
    Battery(u32, Battery),
    /// Acceleration \[m/s²] and angular velocity \[rad/s].
    Moved(u32, Stamp, [Option<[f32; 3]>; 2]),
}

impl Extras {
    /// A way from SDL's thread to the node's.
    pub fn channel() -> (Self, Said) {
        let (sender, receiver) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        (Self { sender, waiting: Arc::clone(&waiting), refused: Vec::new() }, Said { receiver, waiting })
    }

    /// Leaves here what the machine does not take, and hands on the rest.
    pub fn take(&mut self, event: Event) -> Option<Event> {
        let extra = match &event {
            Event::Connected { id, details, .. } => Extra::There(*id, details.capabilities, details.battery),
            Event::Disconnected { id } => {
                self.refused.retain(|(of, _, _)| of != id);
                Extra::Gone(*id)
            }
            Event::CapabilitiesChanged { id, capabilities } => Extra::Can(*id, *capabilities),
            Event::BatteryChanged { id, battery } => Extra::Battery(*id, *battery),
            Event::SensorMoved { id, acceleration, angular_velocity } => {
                Extra::Moved(*id, clock::stamp(), [*acceleration, *angular_velocity])
            }
            Event::OpenFailed { name, path, reason } => {
                let [name, path, reason] = [name, path, reason].map(|text| Printable(text));
                log::warn!(target: NAME, "'{name}' ({path}) cannot be opened: {reason}");
                return None;
            }
            Event::Refused { id, feature, reason } => {
                if self.is_news(*id, *feature, reason) {
                    let hint = if *feature == Feature::Sensors { "; '~/imu' stays silent" } else { "" };
                    let reason = Printable(reason);
                    log::warn!(target: NAME, "device {id} does not do {feature}: {reason}{hint}");
                }
                return None;
            }
            _ => return Some(event),
        };
        if matches!(extra, Extra::Moved(..)) && self.waiting.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
            self.waiting.fetch_sub(1, Ordering::Relaxed);
        } else {
            // Nobody listens only when the node is ending.
            let _ = self.sender.send(extra);
        }
        Some(event)
    }

    /// Whether it was not yet said why the device refuses.
    fn is_news(&mut self, id: u32, feature: Feature, reason: &str) -> bool {
        let known = self.refused.iter().any(|(i, f, r)| (*i, *f, r.as_str()) == (id, feature, reason));
        if !known {
            // A device that is gone may refuse too; those are forgotten in their turn.
            if self.refused.len() >= MOST_REFUSED {
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
    fn measurements_that_nobody_reads_take_no_room_from_what_counts() {
        let (mut extras, said) = Extras::channel();
        for _ in 0..2 * MOST_WAITING {
            extras.take(Event::SensorMoved { id: 1, acceleration: None, angular_velocity: None });
        }
        extras.take(Event::Disconnected { id: 1 });
        let all: Vec<_> = std::iter::from_fn(|| said.next()).collect();
        assert_eq!(all.len(), MOST_WAITING + 1);
        assert!(matches!(all.last(), Some(Extra::Gone(1))));
        extras.take(Event::SensorMoved { id: 1, acceleration: None, angular_velocity: None });
        assert!(said.next().is_some(), "there is room again");
    }

    #[test]
    fn what_a_device_cannot_do_is_said_once() {
        let (mut extras, _said) = Extras::channel();
        assert!(extras.is_news(1, Feature::Rumble, "no motor"));
        assert!(!extras.is_news(1, Feature::Rumble, "no motor"));
        assert!(extras.is_news(1, Feature::Led, "no motor"));
        assert!(extras.is_news(2, Feature::Rumble, "no motor"));
        assert!(extras.is_news(1, Feature::Rumble, "it broke"));
        extras.take(Event::Disconnected { id: 1 });
        assert!(!extras.is_news(2, Feature::Rumble, "no motor"));
        assert!(extras.is_news(1, Feature::Rumble, "no motor"), "another device");
        for id in 0..1000 {
            extras.is_news(id, Feature::Led, "");
        }
        assert_eq!(extras.refused.len(), MOST_REFUSED);
    }
}
