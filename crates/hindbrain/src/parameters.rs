use core::time::Duration;

use params::{Refusal, Set};
use safety::{FullSpeed, SLOWEST_FULL_SPEED};

use self::declared::Declared;
use crate::Sensor;
use crate::core::{CoreParams, FULL, Infrared, Slopes};
use crate::hindbrain::{GAP_LIMIT, OVERRUN_LIMIT, TICK, nanos};

mod declared;
mod output;

pub use self::declared::specification;
pub use self::output::{Driver, DriverKind};

/// The parameters in force, parsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Params {
    /// The parameters of the core, in integers.
    pub core: CoreParams,
    /// The velocities of full speed.
    pub full_speed: FullSpeed,
    /// The distances at which an infra-red sensor counts as blocked.
    pub infrared: IrLimits,
    /// The profile.
    pub profile: Profile,
    /// The type of `cmd_vel`.
    pub command_type: CommandType,
    /// The kind of its output.
    pub output: OutputType,
}

/// The behaviour after a stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// Stops latch, edges arm, zero comes first, REP-103 signs.
    Strict,
    /// The original's, with its time-outs closed.
    Seed,
}

params::choices! { Profile: Strict = "strict", Seed = "seed" }

/// The type of `cmd_vel`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandType {
    /// `geometry_msgs/Twist`.
    Twist,
    /// `geometry_msgs/TwistStamped`.
    TwistStamped,
}

params::choices! { CommandType: Twist = "twist", TwistStamped = "twist_stamped" }

/// The kind of the output that moves the vehicle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputType {
    /// The values of two motors, `std_msgs/Int16`.
    Motors,
    /// A velocity, `geometry_msgs/Twist`.
    Twist,
    /// A velocity, `geometry_msgs/TwistStamped`.
    TwistStamped,
}

params::choices! { OutputType: Motors = "motors", Twist = "twist", TwistStamped = "twist_stamped" }

/// The distances at which an infra-red sensor counts as blocked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IrLimits {
    /// A shorter distance is an obstacle \[m\].
    pub near: f64,
    /// A longer distance is a drop-off \[m\]; `None` for never.
    pub far: Option<f64>,
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of a `track` with which the vehicle hardly turns, of a `decel` less than `accel` (a vehicle must not be slower
    /// to stop than to start), of an `ir.far` that leaves no distance clear, of a value that the profile `seed` fixes, of a
    /// velocity for the profile `seed` or a driver, and of an invalid driver.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let declared = Declared::get(set);
        let (accel, lease) = (declared.accel, declared.enable_lease);
        let sensors = &declared.ir_sensors;
        if sensors.iter().enumerate().any(|(index, name)| sensors[..index].contains(name)) {
            return Err(set.refuse("ir.sensors", "must not name a sensor twice"));
        }
        let mut params = Self::parse(declared);
        if params.profile == Profile::Seed {
            params.core = params.core.seed();
        }
        if params.full_speed.angular < SLOWEST_FULL_SPEED * (1.0 - f64::EPSILON) {
            return Err(set.refuse("track", "must leave 2 * wheel_speed / track at 0.1 rad/s or more"));
        }
        if params.core.slopes.decel < params.core.slopes.accel {
            return Err(set.refuse("decel", format!("must be no less than accel, {accel:?} counts/s")));
        }
        if params.infrared.far.is_some_and(|far| far <= params.infrared.near) {
            return Err(
                set.refuse("ir.far", format!("must be 0 or more than ir.near, {:?} m", params.infrared.near))
            );
        }
        if lease > 0.0 && lease < SHORTEST_LEASE {
            return Err(set.refuse("enable.lease", "must be 0, which is off, or at least 0.05 s"));
        }
        params.core.device_required = Driver::read(set)?.is_some();
        let is_for_motors = params.profile == Profile::Seed || params.core.device_required;
        if is_for_motors && params.output != OutputType::Motors {
            return Err(set.refuse("output", "must be motors with the profile seed, and with a driver.kind"));
        }
        Ok(params)
    }

    fn parse(declared: Declared) -> Self {
        params::values! { Declared {
            profile, wheel_speed, track, accel, decel, cmd_timeout, cmd_vel_type, output, estop_required,
            estop_timeout, enable_lease, ir_sensors, ir_near, ir_far, ir_timeout,
        } = declared }
        let core = CoreParams {
            strict: true,
            full: FULL,
            is_exact: output != OutputType::Motors,
            slopes: Slopes {
                accel: thousandths(accel),
                decel: thousandths(decel),
                tick: nanos(TICK),
                rest: nanos(TICK),
            },
            overrun_limit: nanos(OVERRUN_LIMIT),
            gap_limit: nanos(GAP_LIMIT),
            command_timeout: nanos(cmd_timeout),
            estop_required,
            estop_timeout: nanos(estop_timeout),
            device_required: false,
            lease: nanos(Duration::try_from_secs_f64(enable_lease).unwrap_or_default()),
            infrared: Infrared {
                fitted: Sensor::ALL.map(|sensor| ir_sensors.iter().any(|name| name == sensor.frame_id())),
                timeout: nanos(ir_timeout),
            },
        };
        Self {
            core,
            full_speed: FullSpeed { linear: wheel_speed, angular: 2.0 * wheel_speed / track },
            infrared: IrLimits { near: ir_near, far: (ir_far > 0.0).then_some(ir_far) },
            profile,
            command_type: cmd_vel_type,
            output,
        }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::parse(Declared::get(&specification().defaults()))
    }
}

/// The shortest lease \[s\]: no publisher repeats an enable faster.
const SHORTEST_LEASE: f64 = 0.05;

/// Counts per second in thousandths, rounded down.
fn thousandths(slope: f64) -> u64 {
    (slope * 1000.0) as u64
}
