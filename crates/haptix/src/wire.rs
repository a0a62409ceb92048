//! Types that go over the wire: single precision, fixed lengths, zero beyond the counts.

use safety::Stamp;

/// The most motors, joints, contact sensors and inertial units of a hand, each.
/// # Source
/// HAPTIX: `hxMAXMOTOR`, `hxMAXJOINT`, `hxMAXCONTACTSENSOR`, `hxMAXIMU`.
pub const MAX: usize = 32;

/// A closed interval; `minimum` is never above `maximum`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limit {
    /// \[rad\]
    pub minimum: f32,
    /// \[rad\]
    pub maximum: f32,
}

/// How many parts a hand has and how far they go; constant for a device.
/// # Source
/// HAPTIX: `hxRobotInfo`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RobotInfo {
    /// Motors, at most [`MAX`].
    pub motor_count: usize,
    /// Joints, at most [`MAX`].
    pub joint_count: usize,
    /// Contact sensors, at most [`MAX`].
    pub contact_sensor_count: usize,
    /// Inertial units, at most [`MAX`].
    pub imu_count: usize,
    /// Range of each motor, before the gear \[rad\].
    pub motor_limit: [Limit; MAX],
    /// Range of each joint \[rad\].
    pub joint_limit: [Limit; MAX],
    /// How often the device takes commands and renews its reading \[Hz\].
    pub update_rate: f32,
}

impl RobotInfo {
    /// The ranges of the motors that exist.
    pub fn motor_limits(&self) -> &[Limit] {
        &self.motor_limit[..self.motor_count.min(MAX)]
    }

    /// The ranges of the joints that exist.
    pub fn joint_limits(&self) -> &[Limit] {
        &self.joint_limit[..self.joint_count.min(MAX)]
    }
}

/// The names of a hand's parts and its gears: what the HAPTIX API itself does not give. The orders are those of [`Sensor`].
/// # Source
/// own
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Description {
    /// Model of the hand, for people to read.
    pub model_name: String,
    /// Motors.
    pub motor_names: Vec<String>,
    /// Joints.
    pub joint_names: Vec<String>,
    /// Contact sensors, by the place that they touch.
    pub contact_names: Vec<String>,
    /// Inertial units.
    pub imu_names: Vec<String>,
    /// Frame of each inertial unit.
    pub imu_frames: Vec<String>,
    /// Turns of each motor for one turn of its joint; 1 where motor and joint are the same.
    pub gear_ratio: Vec<f32>,
}

/// One reading of the whole hand. Entries beyond the counts of [`RobotInfo`] are 0.
/// # Source
/// HAPTIX: `hxSensor`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sensor {
    /// When the reading was taken, in the device's own time, which may be simulated.
    pub time_stamp: Stamp,
    /// Position of each motor, never outside its limit \[rad\].
    pub motor_pos: [f32; MAX],
    /// Velocity of each motor \[rad/s\].
    pub motor_vel: [f32; MAX],
    /// Torque that the device applies at each motor \[N·m\].
    pub motor_torque: [f32; MAX],
    /// Position of each joint \[rad\].
    pub joint_pos: [f32; MAX],
    /// Velocity of each joint \[rad/s\].
    pub joint_vel: [f32; MAX],
    /// Normal force on each contact sensor, at least 0 \[N\].
    pub contact: [f32; MAX],
    /// Proper acceleration in the unit's frame, x y z; +9.81 along what is up at rest \[m/s²\].
    pub imu_linear_acc: [[f32; 3]; MAX],
    /// Angular velocity in the unit's frame, x y z \[rad/s\].
    pub imu_angular_vel: [[f32; 3]; MAX],
    /// Orientation of each unit, w x y z; (1, 0, 0, 0) where the device has no estimate.
    pub imu_orientation: [[f32; 4]; MAX],
}

/// Command to the motors: five groups of values, each of which is given for all motors or not at all.
///
/// A missing group keeps the values that it was last given. Entries from the motor count on are ignored.
/// # Source
/// HAPTIX: `hxCommand` of haptix-comm 0.9. A group and its flag are one value here: the entries of a group whose flag is 0 mean
/// nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Command {
    /// Wanted position of each motor; clamped to its limit \[rad\].
    pub ref_pos: Option<[f32; MAX]>,
    /// Wanted velocity of each motor \[rad/s\].
    pub ref_vel: Option<[f32; MAX]>,
    /// Cap on the speed at which the reference moves; 0 or less is no cap \[rad/s\].
    pub ref_vel_max: Option<[f32; MAX]>,
    /// Gain on the position error, at least 0 \[N·m/rad\].
    pub gain_pos: Option<[f32; MAX]>,
    /// Gain on the velocity error, at least 0 \[N·m·s/rad\].
    pub gain_vel: Option<[f32; MAX]>,
}

impl Command {
    /// The values of `group`, if it is given.
    pub const fn group(&self, group: Group) -> Option<&[f32; MAX]> {
        match group {
            Group::RefPos => self.ref_pos.as_ref(),
            Group::RefVel => self.ref_vel.as_ref(),
            Group::RefVelMax => self.ref_vel_max.as_ref(),
            Group::GainPos => self.gain_pos.as_ref(),
            Group::GainVel => self.gain_vel.as_ref(),
        }
    }

    /// Whether no group is given: such a command only reads.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A group of a [`Command`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the fields of `Command`
pub enum Group {
    RefPos,
    RefVel,
    RefVelMax,
    GainPos,
    GainVel,
}

impl Group {
    /// All of them, in the order of the wire.
    pub const ALL: [Self; 5] = [Self::RefPos, Self::RefVel, Self::RefVelMax, Self::GainPos, Self::GainVel];

    /// The name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Self::RefPos => "ref_pos",
            Self::RefVel => "ref_vel",
            Self::RefVelMax => "ref_vel_max",
            Self::GainPos => "gain_pos",
            Self::GainVel => "gain_vel",
        }
    }

    /// The unit of its values.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::RefPos => "rad",
            Self::RefVel | Self::RefVelMax => "rad/s",
            Self::GainPos => "N·m/rad",
            Self::GainVel => "N·m·s/rad",
        }
    }

    /// Whether its values must not be negative.
    pub const fn is_gain(self) -> bool {
        matches!(self, Self::GainPos | Self::GainVel)
    }
}
