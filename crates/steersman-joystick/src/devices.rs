//! The connected devices, and the selection of one by a text.

use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use gamepad::{Details, Event, Hat};

/// A connected device.
#[derive(Debug, Clone)]
pub struct Device {
    /// SDL's instance id.
    pub id: u32,
    /// SDL's name.
    pub name: String,
    /// SDL's GUID.
    pub guid: String,
    /// The axes at the connection.
    pub axes: Vec<i16>,
    /// The number of buttons.
    pub buttons: usize,
    /// The hats at the connection.
    pub hats: Vec<Hat>,
    /// Other properties.
    pub details: Details,
}

/// All connected devices in the order of connection, and messages about those that cannot be opened.
#[derive(Debug, Default)]
pub struct Devices {
    open: Vec<Device>,
    failures: Vec<String>,
}

/// Why a text selects no device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NotFound {
    /// No device is connected.
    Empty,
    /// None has this name, GUID, serial number, path or link.
    Unknown(String),
    /// More than one device matches, or several are connected and none was named; with a unique name for each.
    Several(Vec<String>),
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
            Event::Connected { id, name, guid, axes, buttons, hats, details } => self.open.push(Device {
                id: *id,
                name: name.clone(),
                guid: guid.clone(),
                axes: axes.clone(),
                buttons: buttons.len(),
                hats: hats.clone(),
                details: (**details).clone(),
            }),
            Event::Disconnected { id } => {
                let gone = self.open.iter().position(|device| device.id == *id);
                return gone.map(|position| self.open.remove(position));
            }
            Event::OpenFailed { name, path, reason } => {
                self.failures.push(format!(
                    "{} {} cannot be opened: {}",
                    plain(name),
                    plain(path),
                    plain(reason)
                ));
            }
            // Positions before the first question count as those at the connection.
            Event::Axis { id, axis, value } => {
                if let Some(axis) = self.of(*id).and_then(|device| device.axes.get_mut(*axis)) {
                    *axis = *value;
                }
            }
            Event::Hat { id, hat, state } => {
                if let Some(hat) = self.of(*id).and_then(|device| device.hats.get_mut(*hat)) {
                    *hat = *state;
                }
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

    fn of(&mut self, id: u32) -> Option<&mut Device> {
        self.open.iter_mut().find(|device| device.id == id)
    }

    /// All devices.
    pub fn all(&self) -> &[Device] {
        &self.open
    }

    /// A sentence for each device that could not be opened.
    pub fn failures(&self) -> &[String] {
        &self.failures
    }

    /// The device that a text selects, or the only one.
    /// # Errors
    /// [`NotFound`].
    pub fn find(&self, text: Option<&str>) -> Result<&Device, NotFound> {
        let meant: Vec<_> =
            self.open.iter().filter(|device| text.is_none_or(|text| device.is(text))).collect();
        match (meant.as_slice(), text) {
            ([one], _) => Ok(one),
            ([], _) if self.open.is_empty() => Err(NotFound::Empty),
            ([], text) => Err(NotFound::Unknown(text.unwrap_or_default().into())),
            (several, _) => Err(NotFound::Several(
                several.iter().map(|device| format!("{} ({})", self.unique(device), device.name)).collect(),
            )),
        }
    }

    /// A text that identifies a device among all connected ones, the most stable first: its GUID, its serial number,
    /// the link that names its port, its path; if none of them is unique, the GUID.
    ///
    /// The path comes last because its number changes with the order of connection. Links by id are not used, since
    /// of identical devices without serial numbers the last one connected has the link.
    ///
    /// The name is not used: the same pad read by another driver has the same name and other axis numbers, but
    /// another GUID.
    pub fn unique<'a>(&self, device: &'a Device) -> &'a str {
        let marks: [fn(&Device) -> &str; 4] = [
            |device| &device.guid,
            |device| &device.details.serial,
            Device::port,
            |device| &device.details.path,
        ];
        let is_unique = |mark: &fn(&Device) -> &str| {
            !mark(device).is_empty()
                && self.open.iter().filter(|other| mark(other) == mark(device)).count() == 1
        };
        marks.iter().find(|mark| is_unique(mark)).map_or(&device.guid, |mark| mark(device))
    }
}

impl Device {
    fn is(&self, text: &str) -> bool {
        let Details { serial, path, links, .. } = &self.details;
        !text.is_empty()
            && (self.name == text
                || self.guid.eq_ignore_ascii_case(text)
                || serial == text
                || path == text
                || links.iter().any(|link| link == text))
    }

    /// The link that names the port; empty without one.
    fn port(&self) -> &str {
        let mut ports = self.details.links.iter().filter(|link| link.contains("/by-path/"));
        // A device at hidraw also has links for its touchpad and its sensors.
        let joystick = ports.clone().find(|link| link.ends_with("-event-joystick"));
        joystick.or_else(|| ports.next()).map_or("", String::as_str)
    }
}

/// A text from a device, safe for a terminal: control characters are replaced by `?`.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no joystick is connected"),
            Self::Unknown(text) => write!(
                f,
                "no connected joystick has the name, GUID, serial number, path or link '{}'; `list` shows them",
                plain(text)
            ),
            Self::Several(names) => {
                write!(f, "select one of these with --device:")?;
                names.iter().try_for_each(|name| write!(f, "\n  {}", plain(name)))
            }
        }
    }
}

#[allow(clippy::disallowed_methods, reason = "a program for a terminal waits by the clock")]
pub fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use gamepad::{Battery, Capabilities, Driver};

    /// The event of a pad with two axes and three buttons.
    pub fn connected(id: u32, name: &str, guid: &str, serial: &str, path: &str) -> Event {
        let details = Details {
            serial: serial.into(),
            path: path.into(),
            links: Vec::new(),
            mapping: String::new(),
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

    /// The same with links to its file.
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
    fn a_text_selects_a_device_by_any_of_its_identifiers() {
        let devices = devices(&[
            linked(connected(1, "Pad", "03ab", "S1", "/dev/input/event7"), &["/by-path/p", "/by-id/i"]),
            connected(2, "Stick", "03cd", "", ""),
        ]);
        let of_one =
            ["Pad", "03AB", "S1", "/dev/input/event7", "/by-path/p", "/by-id/i"].map(|text| (text, 1));
        for (text, id) in of_one.into_iter().chain([("Stick", 2)]) {
            assert_eq!(devices.find(Some(text)).map(|device| device.id), Ok(id), "{text}");
        }
        assert_eq!(devices.find(Some("")).map(|device| device.id), Err(NotFound::Unknown(String::new())));
        assert_eq!(devices.find(Some("S2")).map(|device| device.id), Err(NotFound::Unknown("S2".into())));
        assert!(matches!(devices.find(None), Err(NotFound::Several(names)) if names.len() == 2));
    }

    #[test]
    fn the_only_device_needs_no_name() {
        assert!(matches!(Devices::default().find(None), Err(NotFound::Empty)));
        let mut devices =
            devices(&[connected(1, "Pad", "03ab", "", ""), connected(2, "Pad", "03ab", "", "")]);
        assert_eq!(devices.update(&Event::Disconnected { id: 2 }).map(|gone| gone.id), Some(2));
        assert_eq!(devices.find(None).map(|device| device.id), Ok(1));
    }

    #[test]
    fn identical_devices_differ_by_serial_number_or_port_or_path() {
        let twin = |id, serial, path| connected(id, "Pad", "03ab", serial, path);
        let by = |events: &[Event]| {
            let devices = devices(events);
            devices.all().iter().map(|device| devices.unique(device).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(by(&[twin(1, "S1", "/a")]), ["03ab"]);
        assert_eq!(by(&[twin(1, "S1", "/a"), twin(2, "S2", "/b")]), ["S1", "S2"]);
        assert_eq!(by(&[twin(1, "", "/a"), twin(2, "", "/b")]), ["/a", "/b"]);
        let at = |id, path, links| linked(twin(id, "", path), links);
        let ports = [
            at(1, "/a", &["/by-path/1-event-joystick", "/by-id/x"]),
            at(2, "/b", &["/by-path/2-event", "/by-path/2-event-joystick"]),
            at(3, "/c", &["/by-path/3-event-mouse"]),
            at(4, "/d", &["/by-id/y"]),
        ];
        let expected =
            ["/by-path/1-event-joystick", "/by-path/2-event-joystick", "/by-path/3-event-mouse", "/d"];
        assert_eq!(by(&ports), expected);
        assert_eq!(by(&[twin(1, "", ""), twin(2, "", "")]), ["03ab", "03ab"]);
    }

    #[test]
    fn control_characters_of_a_device_are_not_printed() {
        assert_eq!(plain("Pad \u{1b}[31m\u{7}ü"), "Pad ?[31m?ü");
    }
}
