use std::sync::Arc;

use units::Stamp;

use crate::{Params, Pose, Segment};

/// What can happen to the world.
///
/// # Source
/// Servo values: hindbrain's motor topics (`std_msgs/Int16`). The rest is own.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant)] // inputs are handed over one by one, never stored
pub enum Input {
    /// A servo value for the port motor: 90 stop, 24 full forward, 156 full reverse. Others stop both wheels.
    PortReceived(i16),
    /// A servo value for the starboard motor, as for port.
    StarboardReceived(i16),
    /// Somebody pressed (`true`) or released the e-stop button.
    EstopPressed(bool),
    /// The wall clock shows this now; to be given before every timed poll. All stamps are reckoned from the last one;
    /// a zero stamp, or none at all, gives zero stamps.
    ClockRead(Stamp),
    /// Other parameters are in force. Those that are read-only (walls, start, measures, rates) keep their values.
    ParametersChanged(Params),
    /// The node shuts down: the vehicle is halted, and the last outputs are a standing vehicle, factors of zero and
    /// a pressed button. Nothing is answered afterwards.
    Stopping,
}

/// What the world's sensors say.
///
/// # Source
/// `luci_messages/LuciZoneScaling` and hindbrain's `hind/ir` and `hind/estop`; odometry and scan as ROS 2 has them.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// The vehicle's place and speed.
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

/// The true place and speed of the vehicle at the last physics step: no drift, no noise.
///
/// # Source
/// `nav_msgs/msg/Odometry`; REP-103 for axes and signs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odometry {
    /// The time of that step, not of the call.
    pub stamp: Stamp,
    /// In the map frame.
    pub pose: Pose,
    /// Along the heading \[m/s\]: of the wheels, or what a wall leaves of it.
    pub forward: f64,
    /// Counter-clockwise \[rad/s\].
    pub turn: f64,
}

/// A laser scan around the vehicle's centre, counter-clockwise, 361 beams from straight behind to straight behind.
///
/// # Source
/// `sensor_msgs/msg/LaserScan`; REP-117 for infinity where nothing is.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// The time of the physics step that it shows.
    pub stamp: Stamp,
    /// Angle of the first beam from straight ahead \[rad\].
    pub angle_min: f32,
    /// Angle of the last beam \[rad\].
    pub angle_max: f32,
    /// From beam to beam \[rad\].
    pub angle_increment: f32,
    /// Nearest distance measured \[m\].
    pub range_min: f32,
    /// Farthest distance measured \[m\].
    pub range_max: f32,
    /// Distances from the centre \[m\]; infinite where nothing is within `range_max`. Drop it before the next scan and
    /// the same memory is used again.
    pub ranges: Arc<[f32]>,
}

/// What one infra-red sensor measures.
///
/// # Source
/// `sensor_msgs/msg/Range`, names by hindbrain. Own: `max`, not infinity, where nothing is, as such sensors do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The time of the physics step that it shows.
    pub stamp: Stamp,
    /// Which sensor: `ir_front_port`, `ir_front_starboard`, `ir_back_port` or `ir_back_starboard`.
    pub frame_id: &'static str,
    /// From the sensor straight forward (front) or backward (back) \[m\], from `min` to `max`; `max` where nothing is.
    pub distance: f64,
    /// Nearest distance reported \[m\].
    pub min: f64,
    /// Farthest distance reported \[m\].
    pub max: f64,
    /// Width of the beam to draw \[rad\]; a single ray measures.
    pub field_of_view: f64,
}

/// All that a display needs, as of the last call.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Snapshot<'a> {
    /// The vehicle in the map frame.
    pub pose: Pose,
    /// Along the heading \[m/s\].
    pub forward: f64,
    /// Counter-clockwise \[rad/s\].
    pub turn: f64,
    /// All walls.
    pub walls: &'a [Segment],
    /// The factors published last, in the field order of `luci_messages/LuciZoneScaling`.
    pub scaling: [f32; 16],
    /// The infra-red ranges published last: front port, front starboard, back port, back starboard.
    pub ranges: [Range; 4],
    /// How often a wall was hit.
    pub collisions: u64,
    /// Whether the vehicle is at a wall that holds it back.
    pub touching: bool,
    /// Radius of the round footprint \[m\].
    pub radius: f64,
    /// The last servo value for the port motor, sensible or not; 90 before the first.
    pub port: i16,
    /// The last servo value for the starboard motor, as for port.
    pub starboard: i16,
    /// Whether the motors follow these values: both are fresh and sensible.
    pub driven: bool,
    /// Whether the e-stop button is pressed.
    pub estop: bool,
}
