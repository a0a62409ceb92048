use std::collections::BTreeMap;

use gamepad::{Battery, Capabilities, Event, Feature};
use joystick::Printable;
use r2r::sensor_msgs::msg as sensor;
use ros::{Error, Topic, clock, qos};
use safety::Stamp;

use super::NAME;

/// Marks a missing value in `sensor_msgs/Imu`.
const NO_ESTIMATE: f64 = -1.0;
/// The most refusals that are remembered.
const MAX_REFUSED: usize = 64;

/// Battery and motion of the device that drives, and the log of what its devices refuse.
pub struct Extras {
    devices: Devices,
    battery: Topic<sensor::BatteryState>,
    imu: Topic<sensor::Imu>,
}

impl Extras {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node) -> Result<Self, Error> {
        let battery = Topic::new(node, "~/battery", qos::state())?;
        let imu = Topic::new(node, "~/imu", qos::command())?;
        Ok(Self { devices: Devices::default(), battery, imu })
    }

    /// Handles an event while the device `driver` drives: its measurements are published at once.
    pub fn handle(&mut self, event: &Event, driver: Option<u32>) {
        if let Some(message) = self.devices.handle(event, driver.filter(|_| self.imu.has_subscribers())) {
            self.imu.publish(&message);
        }
    }

    /// Publishes the battery of the device `driver` if it is not published yet, and makes the device measure while `~/imu` has
    /// subscribers; `enable` switches a device's sensors.
    pub fn serve(&mut self, driver: Option<u32>, enable: impl FnMut(u32, bool)) {
        if let Some(message) = self.devices.battery(driver) {
            self.battery.publish(&message);
        }
        self.devices.measure(driver.filter(|_| self.imu.has_subscribers()), enable);
    }
}

/// The state of the devices besides axes and buttons.
#[derive(Default)]
struct Devices {
    known: BTreeMap<u32, (Capabilities, Battery)>,
    /// The refusals that were logged.
    refused: Vec<(u32, Feature, String)>,
    /// The device that drove, and its battery, as last published.
    published: Option<(Option<u32>, Battery)>,
    measuring: Option<u32>,
}

impl Devices {
    /// Records an event; returns the message of a measurement of the device `watched`.
    fn handle(&mut self, event: &Event, watched: Option<u32>) -> Option<sensor::Imu> {
        match event {
            Event::Connected { id, details, .. } => {
                self.known.insert(*id, (details.capabilities, details.battery));
            }
            Event::Disconnected { id } => {
                self.known.remove(id);
                self.refused.retain(|(of, _, _)| of != id);
                self.measuring = self.measuring.filter(|measuring| measuring != id);
            }
            Event::CapabilitiesChanged { id, capabilities } => {
                if let Some((known, _)) = self.known.get_mut(id) {
                    *known = *capabilities;
                }
            }
            Event::BatteryChanged { id, battery } => {
                if let Some((_, known)) = self.known.get_mut(id) {
                    *known = *battery;
                }
            }
            Event::SensorMoved { id, acceleration, angular_velocity } if Some(*id) == watched => {
                return Some(imu(clock::stamp(), *acceleration, *angular_velocity));
            }
            Event::OpenFailed { name, path, reason } => {
                let [name, path, reason] = [name, path, reason].map(|text| Printable(text));
                log::warn!(target: NAME, "'{name}' ({path}) cannot be opened: {reason}");
            }
            Event::Refused { id, feature, reason } if self.is_new_refusal(*id, *feature, reason) => {
                let hint = if *feature == Feature::Sensors { "; '~/imu' is not published" } else { "" };
                let reason = Printable(reason);
                log::warn!(target: NAME, "device {id} refused {feature}: {reason}{hint}");
            }
            _ => {}
        }
        None
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

    /// The message for the battery of the device `driver`, if it is not published yet.
    fn battery(&mut self, driver: Option<u32>) -> Option<sensor::BatteryState> {
        let battery = driver.and_then(|id| self.known.get(&id)).map_or(Battery::Unknown, |device| device.1);
        let before = self.published.replace((driver, battery));
        (before != self.published).then(|| battery_state(driver.is_some(), battery))
    }

    /// Switches the sensors of the device `watched` on, and all others off.
    fn measure(&mut self, watched: Option<u32>, mut enable: impl FnMut(u32, bool)) {
        let measures = |id: &u32| self.known.get(id).is_some_and(|(can, _)| can.accelerometer || can.gyro);
        let wanted = watched.filter(measures);
        if wanted != self.measuring {
            if let Some(id) = self.measuring.take() {
                enable(id, false);
            }
            if let Some(id) = wanted {
                enable(id, true);
            }
            self.measuring = wanted;
        }
    }
}

fn battery_state(present: bool, battery: Battery) -> sensor::BatteryState {
    let percentage = match battery {
        Battery::Unknown | Battery::Wired => f32::NAN,
        Battery::Empty => 0.05,
        Battery::Low => 0.2,
        Battery::Medium => 0.7,
        Battery::Full => 1.0,
    };
    let mut message = sensor::BatteryState {
        voltage: f32::NAN,
        temperature: f32::NAN,
        current: f32::NAN,
        charge: f32::NAN,
        capacity: f32::NAN,
        design_capacity: f32::NAN,
        percentage,
        // Unknown, or charging if the device is wired.
        power_supply_status: u8::from(battery == Battery::Wired),
        present: present && battery != Battery::Unknown,
        ..Default::default()
    };
    message.header.stamp = clock::to_wire(clock::stamp());
    message
}

fn imu(stamp: Stamp, acceleration: Option<[f32; 3]>, angular_velocity: Option<[f32; 3]>) -> sensor::Imu {
    let mut message = sensor::Imu::default();
    message.header.stamp = clock::to_wire(stamp);
    message.header.frame_id = "joystick".into();
    let unknown = |covariance: &mut Vec<f64>| covariance[0] = NO_ESTIMATE;
    unknown(&mut message.orientation_covariance);
    let [x, y, z] = angular_velocity.unwrap_or_default().map(f64::from);
    (message.angular_velocity.x, message.angular_velocity.y, message.angular_velocity.z) = (x, y, z);
    if angular_velocity.is_none() {
        unknown(&mut message.angular_velocity_covariance);
    }
    let [x, y, z] = acceleration.unwrap_or_default().map(f64::from);
    (message.linear_acceleration.x, message.linear_acceleration.y, message.linear_acceleration.z) = (x, y, z);
    if acceleration.is_none() {
        unknown(&mut message.linear_acceleration_covariance);
    }
    message
}

#[cfg(test)]
mod tests {
    use gamepad::{Details, Driver};

    use super::*;

    const ALL: Capabilities = Capabilities { rumble: true, led: true, accelerometer: true, gyro: true };

    fn connected(id: u32, capabilities: Capabilities, battery: Battery) -> Event {
        let details = Details {
            serial: String::new(),
            path: String::new(),
            links: vec![],
            mapping: String::new(),
            triggers: None,
            driver: Driver::Hidapi,
            capabilities,
            battery,
        };
        let (name, guid, details) = ("Pad".into(), "03".into(), Box::new(details));
        Event::Connected { id, name, guid, axes: vec![], buttons: vec![], hats: vec![], details }
    }

    fn moved(id: u32) -> Event {
        Event::SensorMoved { id, acceleration: Some([0.0, 0.0, 9.81]), angular_velocity: None }
    }

    /// The percentage of the published battery, if one is.
    fn battery(devices: &mut Devices, driver: Option<u32>) -> Option<String> {
        devices.battery(driver).map(|message| message.percentage.to_string())
    }

    /// The switched sensors.
    fn switched(devices: &mut Devices, watched: Option<u32>) -> Vec<(u32, bool)> {
        let mut calls = Vec::new();
        devices.measure(watched, |id, on| calls.push((id, on)));
        calls
    }

    #[test]
    fn the_battery_of_the_device_that_drives_is_published_when_it_changes() {
        let mut devices = Devices::default();
        assert_eq!(battery(&mut devices, None).as_deref(), Some("NaN"));
        devices.handle(&connected(1, ALL, Battery::Full), None);
        devices.handle(&connected(2, ALL, Battery::Low), None);
        assert_eq!(battery(&mut devices, Some(1)).as_deref(), Some("1"));
        devices.handle(&Event::BatteryChanged { id: 2, battery: Battery::Empty }, None);
        assert_eq!(battery(&mut devices, Some(1)), None, "another's");
        devices.handle(&Event::BatteryChanged { id: 1, battery: Battery::Medium }, None);
        assert_eq!(battery(&mut devices, Some(1)).as_deref(), Some("0.7"));
        assert_eq!(battery(&mut devices, Some(2)).as_deref(), Some("0.05"));
        devices.handle(&Event::Disconnected { id: 2 }, None);
        assert_eq!(battery(&mut devices, None).as_deref(), Some("NaN"));
    }

    #[test]
    fn the_device_that_drives_measures_while_the_imu_is_subscribed_to() {
        let mut devices = Devices::default();
        devices.handle(&connected(1, Capabilities::default(), Battery::Wired), None);
        devices.handle(&connected(2, ALL, Battery::Wired), None);
        assert_eq!(switched(&mut devices, Some(1)), [], "it has no sensors");
        devices.handle(&Event::CapabilitiesChanged { id: 1, capabilities: ALL }, None);
        assert_eq!(switched(&mut devices, Some(1)), [(1, true)], "it has after all");
        let upwards = |message: Option<sensor::Imu>| message.map(|imu| imu.linear_acceleration.z.round());
        assert_eq!(upwards(devices.handle(&moved(1), Some(1))), Some(10.0));
        assert_eq!(upwards(devices.handle(&moved(2), Some(1))), None);
        assert_eq!(switched(&mut devices, Some(2)), [(1, false), (2, true)], "another drives");
        assert_eq!(upwards(devices.handle(&moved(2), None)), None, "no subscriber");
        assert_eq!(switched(&mut devices, None), [(2, false)], "no subscriber");
    }

    #[test]
    fn a_device_that_is_gone_is_not_switched_off() {
        let mut devices = Devices::default();
        devices.handle(&connected(1, ALL, Battery::Wired), None);
        assert_eq!(switched(&mut devices, Some(1)), [(1, true)]);
        devices.handle(&Event::Disconnected { id: 1 }, None);
        assert_eq!(switched(&mut devices, Some(1)), []);
    }

    #[test]
    fn a_refusal_is_logged_once() {
        let mut devices = Devices::default();
        assert!(devices.is_new_refusal(1, Feature::Rumble, "no motor"));
        assert!(!devices.is_new_refusal(1, Feature::Rumble, "no motor"));
        assert!(devices.is_new_refusal(1, Feature::Led, "no motor"));
        assert!(devices.is_new_refusal(2, Feature::Rumble, "no motor"));
        assert!(devices.is_new_refusal(1, Feature::Rumble, "it broke"));
        devices.handle(&Event::Disconnected { id: 1 }, None);
        assert!(!devices.is_new_refusal(2, Feature::Rumble, "no motor"));
        assert!(devices.is_new_refusal(1, Feature::Rumble, "no motor"), "another device");
        for id in 0..1000 {
            devices.is_new_refusal(id, Feature::Led, "");
        }
        assert_eq!(devices.refused.len(), MAX_REFUSED);
    }

    #[test]
    fn an_unknown_battery_has_no_percentage() {
        assert!(battery_state(true, Battery::Unknown).percentage.is_nan());
        assert!(!battery_state(false, Battery::Full).present);
        assert_eq!(battery_state(true, Battery::Low).percentage, 0.2);
    }

    #[test]
    fn an_imu_marks_missing_values() {
        let message = imu(Stamp::ZERO, Some([0.0, 0.0, 9.81]), None);
        assert_eq!(message.orientation_covariance[0], -1.0);
        assert_eq!(message.angular_velocity_covariance[0], -1.0);
        assert_eq!(message.linear_acceleration_covariance, vec![0.0; 9]);
        assert!((message.linear_acceleration.z - 9.81).abs() < 1e-6);
    }
}
