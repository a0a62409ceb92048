use std::collections::BTreeMap;

use gamepad::{Battery, Capabilities};
use r2r::sensor_msgs::msg as sensor;
use ros::{Error, Topic, clock, qos};
use safety::Stamp;

use super::extras::{Extra, ExtraReceiver};

/// Marks a missing value in `sensor_msgs/Imu`.
const NO_ESTIMATE: f64 = -1.0;

/// Publishes battery and motion of the device that drives.
pub struct ExtraTopics {
    known: Known,
    battery: Topic<sensor::BatteryState>,
    imu: Topic<sensor::Imu>,
}

impl ExtraTopics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, receiver: ExtraReceiver) -> Result<Self, Error> {
        let battery = Topic::new(node, "~/battery", qos::state())?;
        let imu = Topic::new(node, "~/imu", qos::command())?;
        Ok(Self { known: Known::new(receiver), battery, imu })
    }

    /// Publishes battery and motion of the device `driver`.
    pub fn publish(&mut self, driver: Option<u32>) {
        let Self { known, battery, imu } = self;
        known.publish(driver, imu.has_subscribers(), |message| match message {
            Message::Battery(message) => battery.publish(&message),
            Message::Imu(message) => imu.publish(&message),
        });
    }

    /// Publishes as [`publish`](Self::publish) does, and makes the device measure while `~/imu` has subscribers; `enable` switches
    /// a device's sensors.
    pub fn serve(&mut self, driver: Option<u32>, enable: impl FnMut(u32, bool)) {
        self.publish(driver);
        self.known.measure(driver, self.imu.has_subscribers(), enable);
    }
}

/// The state of the devices besides axes and buttons.
struct Known {
    receiver: ExtraReceiver,
    devices: BTreeMap<u32, (Capabilities, Battery)>,
    published: Option<(Option<u32>, Battery)>,
    measuring: Option<u32>,
}

/// A message to publish.
#[derive(Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // created and consumed at once
enum Message {
    Battery(sensor::BatteryState),
    Imu(sensor::Imu),
}

impl Known {
    fn new(receiver: ExtraReceiver) -> Self {
        Self { receiver, devices: BTreeMap::new(), published: None, measuring: None }
    }

    fn publish(&mut self, driver: Option<u32>, watched: bool, mut publish: impl FnMut(Message)) {
        while let Some(extra) = self.receiver.next() {
            match extra {
                Extra::Connected(id, capabilities, battery) => {
                    self.devices.insert(id, (capabilities, battery));
                }
                Extra::Disconnected(id) => {
                    self.devices.remove(&id);
                    self.measuring = self.measuring.filter(|&measuring| measuring != id);
                }
                Extra::CapabilitiesChanged(id, capabilities) => {
                    if let Some(device) = self.devices.get_mut(&id) {
                        device.0 = capabilities;
                    }
                }
                Extra::Battery(id, battery) => {
                    if let Some(device) = self.devices.get_mut(&id) {
                        device.1 = battery;
                    }
                }
                Extra::SensorMoved(id, stamp, [acceleration, angular_velocity])
                    if Some(id) == driver && watched =>
                {
                    publish(Message::Imu(imu(stamp, acceleration, angular_velocity)));
                }
                Extra::SensorMoved(..) => {}
            }
        }
        let battery = driver.and_then(|id| self.devices.get(&id)).map_or(Battery::Unknown, |device| device.1);
        if self.published != Some((driver, battery)) {
            self.published = Some((driver, battery));
            publish(Message::Battery(battery_state(driver.is_some(), battery)));
        }
    }

    /// Switches the sensors of the device `driver` on while they are `watched`, and all others off.
    fn measure(&mut self, driver: Option<u32>, watched: bool, mut enable: impl FnMut(u32, bool)) {
        let measures = |id: &u32| self.devices.get(id).is_some_and(|(can, _)| can.accelerometer || can.gyro);
        let wanted = driver.filter(|id| watched && measures(id));
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
    use gamepad::{Driver, Event};

    use super::super::extras::Extras;
    use super::super::mock;
    use super::*;

    fn connected(id: u32, can: Capabilities, has: Battery) -> Event {
        let mut event = mock::connected(id, "Pad", Driver::Hidapi);
        if let Event::Connected { details, .. } = &mut event {
            (details.capabilities, details.battery) = (can, has);
        }
        event
    }

    const ALL: Capabilities = Capabilities { rumble: true, led: true, accelerometer: true, gyro: true };

    /// The published messages and switched sensors as text: percentage of a battery, acceleration upwards, a device's sensors.
    fn served(known: &mut Known, driver: Option<u32>, watched: bool) -> Vec<String> {
        let mut calls = Vec::new();
        known.publish(driver, watched, |message| {
            calls.push(match message {
                Message::Battery(battery) => format!("battery {}", battery.percentage),
                Message::Imu(imu) => format!("imu {:.1}", imu.linear_acceleration.z),
            });
        });
        known.measure(driver, watched, |id, on| calls.push(format!("measure {id} {on}")));
        calls
    }

    #[test]
    fn the_battery_of_the_device_that_drives_is_published_when_it_changes() {
        let (mut extras, receiver) = Extras::channel();
        let mut known = Known::new(receiver);
        assert_eq!(served(&mut known, None, true), ["battery NaN"]);
        extras.handle(connected(1, ALL, Battery::Full));
        extras.handle(connected(2, ALL, Battery::Low));
        assert_eq!(served(&mut known, Some(1), false), ["battery 1"]);
        extras.handle(Event::BatteryChanged { id: 2, battery: Battery::Empty });
        assert!(served(&mut known, Some(1), false).is_empty(), "another's");
        extras.handle(Event::BatteryChanged { id: 1, battery: Battery::Medium });
        assert_eq!(served(&mut known, Some(1), false), ["battery 0.7"]);
        assert_eq!(served(&mut known, Some(2), false), ["battery 0.05"]);
        extras.handle(Event::Disconnected { id: 2 });
        assert_eq!(served(&mut known, None, false), ["battery NaN"]);
    }

    #[test]
    fn the_device_that_drives_measures_while_the_imu_is_subscribed_to() {
        let (mut extras, receiver) = Extras::channel();
        let mut known = Known::new(receiver);
        extras.handle(connected(1, Capabilities::default(), Battery::Wired));
        extras.handle(connected(2, ALL, Battery::Wired));
        assert_eq!(served(&mut known, Some(1), true), ["battery NaN"], "it has no sensors");
        extras.handle(Event::CapabilitiesChanged { id: 1, capabilities: ALL });
        assert_eq!(served(&mut known, Some(1), true), ["measure 1 true"], "it has after all");
        let moved =
            |id| Event::SensorMoved { id, acceleration: Some([0.0, 0.0, 9.81]), angular_velocity: None };
        extras.handle(moved(1));
        extras.handle(moved(2));
        assert_eq!(served(&mut known, Some(1), true), ["imu 9.8"]);
        assert_eq!(
            served(&mut known, Some(2), true),
            ["battery NaN", "measure 1 false", "measure 2 true"],
            "another drives"
        );
        extras.handle(moved(2));
        assert_eq!(served(&mut known, Some(2), false), ["measure 2 false"], "no subscriber");
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
