//! The connected devices.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use gamepad::{Details, Event};
use joystick::{Binding, Bindings};

/// A connected device.
#[derive(Debug, Clone)]
pub struct Device {
    /// SDL's instance id.
    pub id: u32,
    /// SDL's name.
    pub name: String,
    /// SDL's GUID.
    pub guid: String,
    /// The axes at the connection, two for each hat after them.
    rest: Vec<i16>,
    /// Whether each of them has left its rest.
    is_away: Vec<bool>,
    /// The number of buttons.
    pub buttons: usize,
    /// The number of hats.
    pub hats: usize,
    /// SDL's names of its inputs.
    pub bindings: Bindings,
    /// Other properties.
    pub details: Details,
}

/// All connected devices in the order of connection, and messages about those that cannot be opened.
#[derive(Debug, Default)]
pub struct Devices {
    /// All devices.
    pub all: Vec<Device>,
    /// A sentence for each device that could not be opened.
    pub failures: Vec<String>,
}

impl Devices {
    /// Collects the devices that SDL reports within `time`.
    pub fn gather(events: &Receiver<Event>, time: Duration) -> Self {
        let mut devices = Self::default();
        let until = now() + time;
        loop {
            match events.recv_timeout(until.saturating_duration_since(now())) {
                Ok(event) => drop(devices.update(&event)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return devices,
            }
        }
    }

    /// Updates the list from an event; returns a device that was disconnected.
    pub fn update(&mut self, event: &Event) -> Option<Device> {
        match event {
            Event::Connected { id, name, guid, axes, buttons, hats, details } => self.all.push(Device {
                id: *id,
                name: name.clone(),
                guid: guid.clone(),
                rest: axes.iter().copied().chain(vec![0; 2 * hats.len()]).collect(),
                is_away: vec![false; axes.len() + 2 * hats.len()],
                buttons: buttons.len(),
                hats: hats.len(),
                bindings: Bindings::read(&details.mapping),
                details: (**details).clone(),
            }),
            Event::Disconnected { id } => {
                let gone = self.all.iter().position(|device| device.id == *id);
                return gone.map(|position| self.all.remove(position));
            }
            Event::OpenFailed { name, path, reason } => {
                self.failures.push(format!(
                    "{} {} cannot be opened: {}",
                    plain(name),
                    plain(path),
                    plain(reason)
                ));
            }
            Event::BatteryChanged { id, battery } => {
                if let Some(device) = self.of(*id) {
                    device.details.battery = *battery;
                }
            }
            Event::CapabilitiesChanged { id, capabilities } => {
                if let Some(device) = self.of(*id) {
                    device.details.capabilities = *capabilities;
                }
            }
            _ => {}
        }
        None
    }

    /// The device with this id.
    pub fn of(&mut self, id: u32) -> Option<&mut Device> {
        self.all.iter_mut().find(|device| device.id == id)
    }
}

impl Device {
    /// The names of an axis, hats included, or of a button.
    pub fn names(&self, input: &Binding) -> String {
        let is_it = |binding: &Binding| match (binding, input) {
            (Binding::Axis { axis, .. }, Binding::Axis { axis: moved, .. }) => axis == moved,
            _ => binding == input,
        };
        let names = self.bindings.iter().filter(|(_, binding)| is_it(binding)).map(|(name, _)| name);
        names.collect::<Vec<_>>().join(", ")
    }

    /// The number of the vertical axis of a hat in node `joystick`: two for each hat follow the real axes.
    pub fn hat_axis(&self, hat: usize) -> usize {
        self.rest.len() - 2 * self.hats + 2 * hat
    }

    /// Whether an axis has just left its rest by a quarter of the full range; it counts as back within an eighth.
    pub fn has_moved(&mut self, axis: usize, value: i16) -> bool {
        let (Some(rest), Some(is_away)) = (self.rest.get(axis), self.is_away.get_mut(axis)) else {
            return false;
        };
        let way = (i32::from(value) - i32::from(*rest)).abs();
        let was_away = *is_away;
        *is_away = way > if was_away { 8192 } else { 16384 };
        *is_away && !was_away
    }
}

/// A text from a device, safe for a terminal: control characters are replaced by `?`.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[allow(clippy::disallowed_methods, reason = "a program for a terminal waits by the clock")]
pub fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use gamepad::{Battery, Capabilities, Driver, Hat};

    const MAPPING: &str = "03ab,Pad,a:b0,rightshoulder:b2,leftx:a0,lefty:a1~,dpup:h0.1";

    /// The event of a pad with two axes and three buttons.
    pub fn connected(id: u32, name: &str, guid: &str, serial: &str, path: &str) -> Event {
        let details = Details {
            serial: serial.into(),
            path: path.into(),
            links: Vec::new(),
            mapping: MAPPING.into(),
            triggers: None,
            driver: Driver::Evdev,
            capabilities: Capabilities { rumble: true, ..Capabilities::default() },
            battery: Battery::Wired,
        };
        Event::Connected {
            id,
            name: name.into(),
            guid: guid.into(),
            axes: vec![0, 0],
            buttons: vec![false; 3],
            hats: vec![Hat::default()],
            details: Box::new(details),
        }
    }

    /// The event `event` of a pad, with `links` to the pad's file.
    pub fn linked(mut event: Event, links: &[&str]) -> Event {
        if let Event::Connected { details, .. } = &mut event {
            details.links = links.iter().map(|&link| link.to_owned()).collect();
        }
        event
    }

    pub fn devices(events: &[Event]) -> Devices {
        let mut devices = Devices::default();
        for event in events {
            devices.update(event);
        }
        devices
    }

    #[test]
    fn an_axis_has_moved_once_until_it_is_back() {
        let mut devices = devices(&[connected(1, "Pad", "03ab", "", "")]);
        let device = devices.of(1).unwrap();
        let moved =
            [0, 16_384, 16_385, 32_767, 9000, -32_768, 8192, -16_385].map(|at| device.has_moved(0, at));
        assert_eq!(moved, [false, false, true, false, false, false, false, true]);
        assert!(!device.has_moved(9, 32_767), "it has no such axis");
        assert_eq!(device.hat_axis(0), 2);
    }

    #[test]
    fn control_characters_of_a_device_are_not_printed() {
        assert_eq!(plain("Pad \u{1b}[31m\u{7}ü"), "Pad ?[31m?ü");
    }
}
