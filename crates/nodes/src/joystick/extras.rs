use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use gamepad::{Battery, Capabilities, Event, Feature};
use r2r::sensor_msgs::msg as sensor;
use ros::{Error, Topic, clock, qos};
use units::Stamp;

use super::NAME;

/// How many measurements may wait for the node's thread; a pad makes some hundred in a second.
const MOST_WAITING: usize = 256;
/// No orientation, in the terms of `sensor_msgs/Imu`.
const NO_ESTIMATE: f64 = -1.0;

/// Where SDL's thread leaves what a device tells besides axes and buttons.
///
/// # Real-time
/// Never blocks. Measurements that find no room are dropped: others follow.
pub struct Extras {
    sender: Sender<Extra>,
    waiting: Arc<AtomicUsize>,
}

/// The other end of [`Extras`].
pub struct Said {
    receiver: Receiver<Extra>,
    waiting: Arc<AtomicUsize>,
}

impl Said {
    fn next(&self) -> Option<Extra> {
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
    /// Its battery.
    Battery(u32, Battery),
    /// Acceleration \[m/s²] and angular velocity \[rad/s].
    Moved(u32, Stamp, [Option<[f32; 3]>; 2]),
}

/// What a motor or a light of the device shall do: `sensor_msgs/JoyFeedback`, checked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feedback {
    /// The strong (0) or the weak (1) motor, 0 to 1.
    Rumble(usize, f64),
    /// Red (0), green (1) or blue (2), 0 to 1.
    Led(usize, f64),
}

impl Extras {
    /// A way from SDL's thread to the node's.
    pub fn channel() -> (Self, Said) {
        let (sender, receiver) = channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        (Self { sender, waiting: Arc::clone(&waiting) }, Said { receiver, waiting })
    }

    /// Leaves here what the machine does not take, and hands on the rest.
    pub fn take(&self, event: Event) -> Option<Event> {
        let extra = match &event {
            Event::Connected { id, details, .. } => Extra::There(*id, details.capabilities, details.battery),
            Event::Disconnected { id } => Extra::Gone(*id),
            Event::BatteryChanged { id, battery } => Extra::Battery(*id, *battery),
            Event::SensorMoved { id, acceleration, angular_velocity } => {
                Extra::Moved(*id, clock::stamp(), [*acceleration, *angular_velocity])
            }
            Event::OpenFailed { name, path, reason } => {
                log::warn!(target: NAME, "'{name}' ({path}) cannot be opened: {reason}");
                return None;
            }
            Event::Refused { id, feature, reason } => {
                let hint = if *feature == Feature::Sensors { "; '~/imu' stays silent" } else { "" };
                log::warn!(target: NAME, "device {id} does not do {feature}: {reason}{hint}");
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
}

/// Battery and motion of the device that drives, on topics of their own.
pub struct ExtraTopics {
    said: Said,
    battery: Topic<sensor::BatteryState>,
    imu: Topic<sensor::Imu>,
    devices: BTreeMap<u32, (Capabilities, Battery)>,
    told: Option<(Option<u32>, Battery)>,
    measuring: Option<u32>,
}

impl ExtraTopics {
    /// Opens the topics.
    /// # Errors
    /// The middleware refuses a topic.
    pub fn new(node: &mut r2r::Node, said: Said) -> Result<Self, Error> {
        Ok(Self {
            said,
            battery: Topic::new(node, "~/battery", qos::state())?,
            imu: Topic::new(node, "~/imu", qos::command())?,
            devices: BTreeMap::new(),
            told: None,
            measuring: None,
        })
    }

    /// Publishes what came of the device `driver`, and has it measure while somebody listens; `enable` switches a device's
    /// sensors.
    pub fn serve(&mut self, driver: Option<u32>, mut enable: impl FnMut(u32, bool)) {
        while let Some(extra) = self.said.next() {
            match extra {
                Extra::There(id, capabilities, battery) => {
                    self.devices.insert(id, (capabilities, battery));
                }
                Extra::Gone(id) => {
                    self.devices.remove(&id);
                    self.measuring = self.measuring.filter(|&measuring| measuring != id);
                }
                Extra::Battery(id, battery) => {
                    if let Some(device) = self.devices.get_mut(&id) {
                        device.1 = battery;
                    }
                }
                Extra::Moved(id, stamp, [acceleration, angular_velocity]) if Some(id) == driver => {
                    self.imu.publish_if_watched(|| imu(stamp, acceleration, angular_velocity));
                }
                Extra::Moved(..) => {}
            }
        }
        let known = driver.and_then(|id| self.devices.get(&id).map(|device| (id, *device)));
        let battery = known.map_or(Battery::Unknown, |(_, (_, battery))| battery);
        if self.told != Some((driver, battery)) {
            self.told = Some((driver, battery));
            self.battery.publish(&battery_state(driver.is_some(), battery));
        }
        let measures = |c: Capabilities| c.accelerometer || c.gyro;
        let wanted = known.filter(|(_, (c, _))| measures(*c) && self.imu.is_watched()).map(|(id, _)| id);
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

/// Strengths of both motors and the light's colour, as they were last asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Asked {
    motors: [f64; 2],
    colour: [f64; 3],
}

impl Asked {
    /// The two motors' strengths after `feedback`; `None` if it is not about them.
    pub fn rumble(&mut self, feedback: Feedback) -> Option<(u16, u16)> {
        let Feedback::Rumble(motor, strength) = feedback else { return None };
        *self.motors.get_mut(motor)? = strength;
        let [low, high] = self.motors.map(|strength| (strength * f64::from(u16::MAX)).round() as u16);
        Some((low, high))
    }

    /// The light's colour after `feedback`; `None` if it is not about it.
    pub fn colour(&mut self, feedback: Feedback) -> Option<[u8; 3]> {
        let Feedback::Led(part, strength) = feedback else { return None };
        *self.colour.get_mut(part)? = strength;
        Some(self.colour.map(|strength| (strength * f64::from(u8::MAX)).round() as u8))
    }
}

/// What a feedback message asks for.
/// # Errors
/// A sentence with name, value and range.
/// # Source
/// `sensor_msgs/JoyFeedback`; `joy` takes id 0 only and always lets both motors run for a second.
pub fn feedback(message: &sensor::JoyFeedback) -> Result<Feedback, String> {
    let (id, intensity) = (usize::from(message.id), f64::from(message.intensity));
    if !(0.0..=1.0).contains(&intensity) {
        return Err(format!("intensity is {}, must be from 0 to 1", message.intensity));
    }
    let most = |kind, most| format!("id is {id}, must be from 0 to {most} for {kind}");
    match i64::from(message.type_) {
        0 if id <= 2 => Ok(Feedback::Led(id, intensity)),
        0 => Err(most("a light (red, green, blue)", 2)),
        1 if id <= 1 => Ok(Feedback::Rumble(id, intensity)),
        1 => Err(most("a motor (strong, weak)", 1)),
        other => {
            Err(format!("type is {other}, must be 0 (light) or 1 (motor); no device of SDL has a buzzer"))
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
        // Unknown, or charging where it hangs on its cable.
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
    use super::*;

    fn message(type_: u8, id: u8, intensity: f32) -> sensor::JoyFeedback {
        sensor::JoyFeedback { type_, id, intensity }
    }

    #[test]
    fn both_motors_are_apart() {
        let mut asked = Asked::default();
        let strong = feedback(&message(1, 0, 1.0)).unwrap();
        assert_eq!(asked.rumble(strong), Some((65535, 0)));
        let weak = feedback(&message(1, 1, 0.5)).unwrap();
        assert_eq!(asked.rumble(weak), Some((65535, 32768)));
        assert_eq!(asked.colour(weak), None);
        let green = feedback(&message(0, 1, 1.0)).unwrap();
        assert_eq!(asked.colour(green), Some([0, 255, 0]));
    }

    #[test]
    fn what_no_device_has_is_refused_in_words() {
        assert_eq!(
            feedback(&message(1, 2, 0.5)).unwrap_err(),
            "id is 2, must be from 0 to 1 for a motor (strong, weak)"
        );
        assert_eq!(feedback(&message(1, 0, 1.5)).unwrap_err(), "intensity is 1.5, must be from 0 to 1");
        assert!(feedback(&message(1, 0, -0.1)).unwrap_err().starts_with("intensity is -0.1,"));
        assert!(feedback(&message(1, 0, f32::NAN)).unwrap_err().starts_with("intensity is NaN"));
        assert!(feedback(&message(2, 0, 1.0)).unwrap_err().starts_with("type is 2"));
        assert!(feedback(&message(0, 3, 1.0)).is_err());
    }

    #[test]
    fn measurements_that_nobody_reads_take_no_room_from_what_counts() {
        let (extras, said) = Extras::channel();
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
    fn a_battery_that_nobody_knows_has_no_percentage() {
        assert!(battery_state(true, Battery::Unknown).percentage.is_nan());
        assert!(!battery_state(false, Battery::Full).present);
        assert_eq!(battery_state(true, Battery::Low).percentage, 0.2);
    }

    #[test]
    fn an_imu_says_what_it_does_not_know() {
        let message = imu(Stamp::ZERO, Some([0.0, 0.0, 9.81]), None);
        assert_eq!(message.orientation_covariance[0], -1.0);
        assert_eq!(message.angular_velocity_covariance[0], -1.0);
        assert_eq!(message.linear_acceleration_covariance, vec![0.0; 9]);
        assert!((message.linear_acceleration.z - 9.81).abs() < 1e-6);
    }
}
