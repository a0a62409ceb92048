use core::time::Duration;

use params::{Parameter, Refusal, Set, Specification};
use safety::SHORTEST_COMMAND_TIMEOUT;
use zones::{Boundaries, Profiles, profile_parameters};

use crate::Mode;

params::params! {
    /// Parameters of the chair's remote.
    struct Remote {
        /// How the chair is driven: auto, where the occupant's stick is dead, or shared, where it is published for blending.
        mode: Mode = Parameter::choice("mode", "shared").at_start(),
        /// How often the stick is published at least; below 10 Hz a chair engages and disengages its brakes.
        rate: i64 = Parameter::integer("rate", 20, 12, 100).unit("Hz"),
        /// A command older than this, by its stamp or its time of receipt, is lost: neutral goes out, and its publisher has to
        /// send a zero before anything moves again.
        command_timeout: Duration = Parameter::seconds("command_timeout", 0.5, SHORTEST_COMMAND_TIMEOUT, 10.0),
        /// Neutral is commanded when neither joystick_position nor joystick_scaling has shown the mode for this time. LUCI's
        /// loop runs ten times a second, so that one may be missing.
        feedback_timeout: Duration = Parameter::seconds("feedback_timeout", 0.3, 0.05, 5.0),
        /// A service is called again when it has not answered within this time.
        service_timeout: Duration = Parameter::seconds("service_timeout", 1.0, 0.05, 10.0),
        /// A service that answered is called again when the chair does not show its effect within this time. A node that ends
        /// waits 1.5 s in all for the chair to be given back.
        confirm_timeout: Duration = Parameter::seconds("confirm_timeout", 1.0, 0.5, 10.0),
        /// The number of calls of a service after which the node gives up.
        attempts: i64 = Parameter::integer("service_attempts", 5, 1, 100),
    }
}

params::params! {
    /// Parameters of the node itself: message type, activation, frames; fixed once it runs. [`Params::read`] checks the frames' names.
    pub struct NodeParams {
        /// Take cmd_vel as geometry_msgs/TwistStamped and publish the occupant's stick as that; otherwise geometry_msgs/Twist.
        stamped: bool = Parameter::bool("stamped", true).at_start(),
        /// Enter the mode at the start, without waiting for ~/activate.
        activate: bool = Parameter::bool("activate", false).at_start(),
        /// The chair's own frame, x forward: of the odometry and the inertial unit.
        base_frame: String = Parameter::string("frames.base", "base_link").at_start(),
        /// The frame of the chair's pose in the odometry.
        odom_frame: String = Parameter::string("frames.odom", "odom").at_start(),
        /// Publish the pose on /tf as well; false where something else, such as a filter, does.
        transform: bool = Parameter::bool("odometry.tf", true).at_start(),
    }
}

params::params! {
    /// Parameters of [`Odometry`](crate::Odometry); units and ranges as in [`specification`].
    #[derive(Copy)]
    pub struct OdometryParams {
        /// Circumference of a drive wheel.
        circumference: f64 = Parameter::float("odometry.circumference", 1.0373, 0.1, 5.0).unit("m"),
        /// Distance between the drive wheels.
        wheel_base: f64 = Parameter::float("odometry.wheel_base", 0.5065, 0.1, 3.0).unit("m"),
        /// Turns of an encoder for one turn of its wheel.
        gear: f64 = Parameter::float("odometry.gear", 2.38462, 0.1, 100.0),
        /// Whether the left angle grows when the chair goes forward.
        left_forward: bool = Parameter::bool("odometry.left_increases_forward", false),
        /// Whether the right angle grows when the chair goes forward.
        right_forward: bool = Parameter::bool("odometry.right_increases_forward", true),
        /// No wheel is faster; encoder angles that would mean so are ignored.
        max_speed: f64 = Parameter::float("odometry.max_speed", 3.0, 0.1, 20.0).unit("m/s"),
        /// After a longer time without encoders the way in between is unknown: the pose stays, its covariance grows. In this
        /// time no wheel may turn an encoder by half a turn.
        max_gap: Duration = Parameter::seconds("odometry.max_gap", 0.07, 0.01, 1.0),
        /// The number of encoder messages that are ignored at the start.
        discard: u32 = Parameter::integer("odometry.discard", 3, 0, 100) => count,
        /// Variance of a wheel's way per metre of it; 0.0004 is 2 cm after 1 m.
        slip: f64 = Parameter::float("odometry.slip", 0.0004, 0.0, 0.1).unit("m"),
        /// Encoders that are silent for this time are reported in the diagnostics.
        timeout: Duration = Parameter::seconds("odometry.timeout", 0.5, 0.05, 10.0),
    }
}

params::params! {
    /// Parameters of the inertial unit.
    struct Imu {
        /// Size of one unit of the accelerometer; LUCI states none. 9.80665 if it counts in g.
        acceleration_unit: f64 = Parameter::float("imu.acceleration_unit", 1.0, 1e-6, 100.0).unit("m/s^2"),
    }
}

/// All parameters of the node `chair`.
pub fn specification() -> Specification {
    Specification::new("chair", "Drives a LUCI wheelchair: its remote modes, its calibration, its odometry.")
        .managed()
        .with_all(Remote::declarations())
        .with_all(NodeParams::declarations())
        .with_all(OdometryParams::declarations())
        .with_all(Imu::declarations())
        .with_group(profile_parameters())
}

/// The parameters in force, parsed; units and ranges as in [`specification`].
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// Parameters of [`Remote`](crate::Remote).
    pub remote: RemoteParams,
    /// Parameters of [`Odometry`](crate::Odometry).
    pub odometry: OdometryParams,
    /// Size of one unit of the accelerometer \[m/s²\], for [`imu`](crate::imu).
    pub acceleration_unit: f64,
    /// Parameters of the node itself.
    pub node: NodeParams,
}

/// Parameters of [`Remote`](crate::Remote).
#[derive(Clone, Debug, PartialEq)]
pub struct RemoteParams {
    /// How the chair is driven; fixed once the machine is made.
    pub mode: Mode,
    /// Longest time between two published sticks; less than 1 ms is taken as that.
    pub period: Duration,
    /// A command older than this is lost.
    pub command_timeout: Duration,
    /// A chair silent for so long is lost.
    pub feedback_timeout: Duration,
    /// A service that is silent for this time is called again.
    pub service_timeout: Duration,
    /// A mode not shown for so long after the service's answer is asked for again.
    pub confirm_timeout: Duration,
    /// How often a service is asked.
    pub attempts: u32,
    /// The calibrations; fixed once the machine is made.
    pub profiles: Profiles,
    /// Zone boundaries as LUCI publishes them, for the zone in published sticks, which LUCI's node does not pass on to the chair.
    pub boundaries: Boundaries,
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of a calibration that does not grow, of two calibrations for one profile, of a gap in which
    /// an encoder may turn by half a turn or more, so its way is not known, and of frames without a name or with
    /// the same one.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let mut params = Self::parse(set);
        params.remote.profiles = Profiles::read(set)?;
        let NodeParams { base_frame, odom_frame, .. } = &params.node;
        for (name, frame) in [("frames.base", base_frame), ("frames.odom", odom_frame)] {
            if frame.is_empty() {
                return Err(set.refuse(name, "must not be empty"));
            }
        }
        if base_frame == odom_frame {
            return Err(set.refuse("frames.odom", "must differ from frames.base"));
        }
        let half_turn = params.odometry.half_turn();
        let way = params.odometry.max_speed * params.odometry.max_gap.as_secs_f64();
        if way >= half_turn {
            let rule = format!(
                "must be less than {:.4} s, in which a wheel at odometry.max_speed = {:?} m/s turns its encoder by half a \
                 turn",
                half_turn / params.odometry.max_speed,
                params.odometry.max_speed
            );
            return Err(set.refuse("odometry.max_gap", rule));
        }
        Ok(params)
    }

    fn parse(set: &Set) -> Self {
        params::values! { Remote {
            mode, rate, command_timeout, feedback_timeout, service_timeout, confirm_timeout, attempts,
        } = Remote::get(set) }
        Self {
            remote: RemoteParams {
                mode,
                period: Duration::from_secs(1) / count(rate).max(1),
                command_timeout,
                feedback_timeout,
                service_timeout,
                confirm_timeout,
                attempts: count(attempts),
                profiles: Profiles::default(),
                boundaries: Boundaries::default(),
            },
            odometry: OdometryParams::get(set),
            acceleration_unit: Imu::get(set).acceleration_unit,
            node: NodeParams::get(set),
        }
    }
}

fn count(value: i64) -> u32 {
    u32::try_from(value).unwrap_or(1)
}

impl OdometryParams {
    /// The way of a wheel for half a turn of its encoder \[m\]: a longer way looks like one back.
    pub fn half_turn(&self) -> f64 {
        self.circumference / self.gear / 2.0
    }
}

impl Default for Params {
    fn default() -> Self {
        // Without profiles, as by default.
        Self::parse(&specification().defaults())
    }
}
