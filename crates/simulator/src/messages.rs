use std::sync::Arc;

use safety::{ClockReading, Stamp};

use crate::{Params, Pose, Segment};

/// Inputs of the world.
///
/// # Source
/// Servo values: hindbrain's motor topics (`std_msgs/Int16`). The rest is own.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // inputs are passed one by one, never stored
pub enum Input {
    /// A servo value for the port motor: 90 stop, 24 full forward, 156 full reverse. Others stop both wheels.
    PortReceived(i16),
    /// A servo value for the starboard motor, as for port.
    StarboardReceived(i16),
    /// The e-stop button was pressed (`true`) or released.
    EstopPressed(bool),
    /// The clock of stamps now; to be given before every timed poll. All stamps are computed from the last one; a zero
    /// stamp, or none at all, gives zero stamps.
    ClockRead(ClockReading),
    /// New parameters. Read-only ones (walls, start, measures, rates) keep their values.
    ParametersChanged(Params),
    /// The node's life cycle became active, or left that state. A machine is active until it receives this.
    ActivityChanged(bool),
    /// The node shuts down: the vehicle is halted, and the last outputs are a vehicle at rest, factors of zero and a
    /// pressed button. Nothing is answered afterwards.
    Stopping,
}

/// Outputs of the world's sensors.
///
/// # Source
/// `luci_messages/LuciZoneScaling` and hindbrain's `hind/ir` and `hind/estop`; odometry and scan as in ROS 2.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// The vehicle's pose and speed.
    PublishOdometry(Odometry),
    /// The laser's ranges.
    PublishScan(Scan),
    /// LUCI's factors in the field order of `luci_messages/LuciZoneScaling`, each in \[0, 1\].
    PublishScaling([f32; 16]),
    /// One infra-red sensor's range.
    PublishRange(Range),
    /// The e-stop button's heartbeat: `true` = pressed. Also sent at once when the button changes.
    PublishEstop(bool),
}

/// The true pose and speed of the vehicle at the last physics step: no drift, no noise.
///
/// # Source
/// `nav_msgs/msg/Odometry`; REP-103 for axes and signs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odometry {
    /// The time of that step, not of the call.
    pub stamp: Stamp,
    /// Pose in the map frame.
    pub pose: Pose,
    /// Velocity along the heading \[m/s\]: the velocity of the wheels, reduced by contact with a wall.
    pub forward: f64,
    /// Angular velocity, counter-clockwise \[rad/s\].
    pub turn: f64,
    /// The wheels, port and starboard.
    pub wheels: [Wheel; 2],
}

/// A driven wheel. It turns on where a wall holds the vehicle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wheel {
    /// Since the start, forward positive \[rad\].
    pub angle: f64,
    /// \[rad/s\]
    pub speed: f64,
}

/// A laser scan around the vehicle's centre, counter-clockwise, 361 beams from straight behind to straight behind.
///
/// # Source
/// `sensor_msgs/msg/LaserScan`; REP-117 for infinity in free space.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// The time of the physics step of the scan.
    pub stamp: Stamp,
    /// Angle of the first beam from straight ahead \[rad\].
    pub angle_min: f32,
    /// Angle of the last beam \[rad\].
    pub angle_max: f32,
    /// The angle between beams \[rad\].
    pub angle_increment: f32,
    /// Nearest distance measured \[m\].
    pub range_min: f32,
    /// Farthest distance measured \[m\].
    pub range_max: f32,
    /// Distances from the centre \[m\]; infinite where nothing is within `range_max`. If it is dropped before the
    /// next scan, its memory is reused.
    pub ranges: Arc<[f32]>,
}

/// The measurement of one infra-red sensor.
///
/// # Source
/// `sensor_msgs/msg/Range`, names by hindbrain. Own: `max`, not infinity, in free space, as such sensors report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The time of the physics step of the range.
    pub stamp: Stamp,
    /// The sensor: `ir_front_port`, `ir_front_starboard`, `ir_back_port` or `ir_back_starboard`.
    pub frame_id: &'static str,
    /// The distance from the sensor straight forward (front) or backward (back) \[m\], from `min` to `max`; `max` in
    /// free space.
    pub distance: f64,
    /// Nearest distance reported \[m\].
    pub min: f64,
    /// Farthest distance reported \[m\].
    pub max: f64,
    /// Displayed width of the beam \[rad\]; the measurement is a single ray.
    pub field_of_view: f64,
}

/// The state for a display, as of the last call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot<'a> {
    /// The vehicle in the map frame.
    pub pose: Pose,
    /// Velocity along the heading \[m/s\].
    pub forward: f64,
    /// Angular velocity, counter-clockwise \[rad/s\].
    pub turn: f64,
    /// All walls.
    pub walls: &'a [Segment],
    /// The factors published last, in the field order of `luci_messages/LuciZoneScaling`.
    pub scaling: [f32; 16],
    /// The infra-red ranges published last: front port, front starboard, back port, back starboard.
    pub ranges: [Range; 4],
    /// The number of collisions.
    pub collisions: u64,
    /// Whether the vehicle is held by a wall.
    pub touching: bool,
    /// Radius of the round footprint \[m\].
    pub radius: f64,
    /// The last servo value for the port motor, valid or not; 90 before the first.
    pub port: i16,
    /// The last servo value for the starboard motor, as for port.
    pub starboard: i16,
    /// Whether the motors follow these values: both are fresh and valid.
    pub driven: bool,
    /// Whether the e-stop button is pressed.
    pub estop: bool,
}
