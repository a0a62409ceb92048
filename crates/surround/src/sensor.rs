use core::time::Duration;

use params::{Group, Parameter, Preset, PresetValue, Refusal, Set};

use crate::{Pose, ZeroRange};

/// The message type of a sensor's topic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `sensor_msgs/msg/LaserScan`.
    Scan,
    /// `sensor_msgs/msg/PointCloud2`.
    Cloud,
}

params::choices! { Kind: Scan = "scan", Cloud = "cloud" }

/// State of a direction of which nothing is known: the values of `empty` and `uncovered`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unseen {
    Blocked,
    Free,
}

params::choices! { Unseen: Blocked = "blocked", Free = "free" }

/// Meaning of a point within the vehicle: the values of `inside`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Blocked,
    Ignored,
}

params::choices! { Inside: Blocked = "blocked", Ignored = "ignored" }

/// A sensor of the surroundings.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// The name that the user gave it.
    pub name: String,
    /// Topic of its messages.
    pub topic: String,
    /// Message type of the topic.
    pub kind: Kind,
    /// Frame that the header must have; empty takes any.
    pub frame: String,
    /// Pose on the vehicle.
    pub pose: Pose,
    /// Of a cloud, only points from `band[0]` to `band[1]` above the floor are in the way \[m\].
    pub band: [f64; 2],
    /// A sensor with nothing new for so long counts as blocked.
    pub timeout: Duration,
    /// The bearing where the sector that it answers for begins \[rad\].
    pub from: f64,
    /// The bearing where that sector ends, counter-clockwise \[rad\]; a turn after `from` it is all around.
    pub to: f64,
    /// The part of its beams or points that must be measurements, 0 to 1.
    pub measured_least: f64,
    /// Of a cloud, the number of points that must be measurements.
    pub least_points: usize,
    /// Of a scan, the widest gap in its sector that may stay without a measurement \[rad\].
    pub gap: f64,
    /// Whether what it sees within the footprint is the vehicle itself; otherwise it is in the way.
    pub own_body: bool,
    /// Meaning of a range of 0 in a scan.
    pub zero_range: ZeroRange,
    /// Whether a cloud of no points says that nothing is there; otherwise it is no measurement.
    pub empty_is_free: bool,
}

pub(crate) const SENSORS: &str = "sensors";
/// A height that was not given.
const NO_HEIGHT: f64 = -10.0;
params::params! {
    /// Parameters of each sensor.
    struct Members {
        /// Where the messages come from; each sensor has its own topic.
        topic: String = Parameter::string("topic", "").at_start(),
        /// Type of the topic: sensor_msgs/LaserScan or sensor_msgs/PointCloud2.
        kind: Kind = Parameter::choice("type", "scan").at_start(),
        /// The frame that header.frame_id must name; a message in another frame is no measurement. Empty takes any frame. x to yaw are the
        /// frame's pose on the vehicle; tf is not used.
        frame: String = Parameter::string("frame", "").at_start(),
        /// Where the sensor is, forward of the turning point.
        x: f64 = length("x", 0.0, -10.0),
        /// Where the sensor is, to the left of the turning point.
        y: f64 = length("y", 0.0, -10.0),
        /// Where the sensor is, above the floor. A cloud needs it (-10.0: not given): by its height a point is the floor or an
        /// obstacle.
        z: f64 = length("z", NO_HEIGHT, NO_HEIGHT),
        /// How the sensor is turned about its x axis (REP-103); 180 hangs upside down.
        roll: f64 = degrees("roll", 0.0),
        /// How it is turned about the y axis, nose down positive.
        pitch: f64 = degrees("pitch", 0.0),
        /// How it is turned about the z axis, to the left positive.
        yaw: f64 = degrees("yaw", 0.0),
        /// Points of a cloud that are lower are the floor; a hole in the floor is not seen.
        height_min: f64 = length("height_min", 0.05, -10.0),
        /// Points of a cloud that are higher are not in the way.
        height_max: f64 = length("height_max", 2.0, -10.0),
        /// A sensor counts as blocked when no new message was received within this time, or when its newest stamp is this old.
        /// This cannot be switched off. A message more than 0.1 s ahead of the wall clock is no measurement; one without a
        /// stamp has the age of its receipt.
        timeout: Duration = Parameter::seconds("timeout", 0.5, 0.01, 10.0),
        /// Bearing, to the left positive, where the sector begins that the sensor answers for.
        covers_from: f64 = degrees("covers_from", -180.0),
        /// Bearing where that sector ends, counter-clockwise: from 90 to -90 is the rear half.
        covers_to: f64 = degrees("covers_to", 180.0),
        /// The minimum share of valid beams in the sector, or of valid points; a message with fewer counts as not received.
        measured_least: f64 = Parameter::float("measured_least", 0.5, 0.0, 1.0),
        /// The minimum number of valid points in a cloud; one with fewer counts as not received. Use 1 for a radar. It has no
        /// effect on scans.
        least_points: i64 = Parameter::integer("least_points", 50, 1, 1_000_000),
        /// A wider part of the sector that no beam of a scan measures counts as blocked.
        gap: f64 = Parameter::float("gap", 10.0, 1.0, 90.0).unit("degrees"),
        /// Meaning of what the sensor sees within the footprint: something that touches, or the vehicle itself, which is no measurement.
        inside: Inside = Parameter::choice("inside", "blocked"),
        /// Meaning of a range of 0 in a scan: something that touches (REP-117: too near to measure), nothing in reach, or no
        /// measurement. Other ranges below range_min touch.
        zero_range: ZeroRange = Parameter::choice("zero_range", "blocked"),
        /// Meaning of an empty cloud: that nothing was measured (blocked), or that nothing is there (free), as with radars.
        empty: Unseen = Parameter::choice("empty", "blocked"),
    }
}

const fn length(name: &'static str, default: f64, min: f64) -> Parameter<f64> {
    Parameter::float(name, default, min, 10.0).unit("m").at_start()
}

const fn degrees(name: &'static str, default: f64) -> Parameter<f64> {
    Parameter::float(name, default, -180.0, 180.0).unit("degrees").at_start()
}

pub(crate) fn group() -> Group {
    Group {
        prefix: SENSORS,
        text: "The sensors that see the surroundings.",
        members: Members::declarations(),
        presets: &[Preset { name: "scanner", values: &[("topic", PresetValue::Text("scan"))] }],
    }
}

impl Sensor {
    pub(crate) fn parse(set: &Set, name: &str) -> Self {
        params::values! { Members {
            topic, kind, frame, x, y, z, roll, pitch, yaw, height_min, height_max, timeout, covers_from,
            covers_to, measured_least, least_points, gap, inside, zero_range, empty,
        } = Members::get_entry(set, SENSORS, name) }
        Self {
            name: name.into(),
            topic,
            kind,
            frame,
            pose: Pose { x, y, z, roll: roll.to_radians(), pitch: pitch.to_radians(), yaw: yaw.to_radians() },
            band: [height_min, height_max],
            timeout,
            from: covers_from.to_radians(),
            to: covers_to.to_radians(),
            measured_least,
            // In the range of the declaration; what is none asks for more than there can be.
            least_points: usize::try_from(least_points).unwrap_or(usize::MAX),
            gap: gap.to_radians(),
            own_body: inside == Inside::Ignored,
            zero_range,
            empty_is_free: empty == Unseen::Free,
        }
    }

    /// Whether a message in `frame` is this sensor's.
    pub(crate) fn is_in(&self, frame: &str) -> bool {
        self.frame.is_empty() || self.frame == frame
    }

    /// Whether `other` sees the same in the same message.
    pub(crate) fn sees_as(&self, other: &Self) -> bool {
        *self == Self { timeout: self.timeout, ..other.clone() }
    }
}

pub(crate) fn check(set: &Set, sensors: &[Sensor]) -> Result<(), Refusal> {
    for (index, sensor) in sensors.iter().enumerate() {
        let topic = full(sensor, "topic");
        params::check_topic(&sensor.topic).map_err(|rule| set.refuse(&topic, rule))?;
        if let Some(earlier) = sensors.iter().take(index).find(|earlier| earlier.topic == sensor.topic) {
            return Err(
                set.refuse(&topic, format!("must differ from the topic of sensor '{}'", earlier.name))
            );
        }
        if sensor.kind == Kind::Cloud && sensor.pose.z <= NO_HEIGHT {
            return Err(
                set.refuse(&full(sensor, "z"), "must be given, the height of the sensor above the floor")
            );
        }
        let [low, high] = sensor.band;
        if low >= high {
            return Err(set.refuse(
                &full(sensor, "height_max"),
                format!("must be greater than height_min, which is {low:?} m"),
            ));
        }
        if sensor.from == sensor.to {
            return Err(set.refuse(
                &full(sensor, "covers_to"),
                "must differ from covers_from; all around is from -180.0 to 180.0",
            ));
        }
    }
    Ok(())
}

fn full(sensor: &Sensor, member: &str) -> String {
    format!("{SENSORS}.{}.{member}", sensor.name)
}
