use core::time::Duration;

use params::{Parameter, Refusal, Set, Specification};

use crate::Sensor;
use crate::core::{CoreParams, FULL, Infrared, Sight, Slopes, SoftStop};
use crate::hindbrain::TICK;

const MAX_LINEAR: Parameter<f64> = Parameter::float("max_linear", 1.0, 0.01, 20.0)
    .unit("m/s")
    .text("The velocity at which both motors run at full speed; more is scaled down to it.")
    .at_start();
const MAX_ANGULAR: Parameter<f64> = Parameter::float("max_angular", 1.0, 0.01, 20.0)
    .unit("rad/s")
    .text("The turn at which the motors run at full speed against each other; more is scaled down to it.")
    .at_start();
const ACCEL: Parameter<f64> = Parameter::float("accel", 20.0, 1.0, 6600.0)
    .unit("counts/s")
    .text("How fast a motor gets faster; 66 counts are full speed.");
const DECEL: Parameter<f64> = Parameter::float("decel", 200.0, 1.0, 6600.0)
    .unit("counts/s")
    .text("How fast a motor gets slower when the command does; no less than accel.");
const CMD_TIMEOUT: Parameter<f64> = Parameter::float("cmd_timeout", 0.5, 0.05, 5.0)
    .unit("s")
    .text("Without a command for so long the motors brake to a stop; it cannot be switched off.");
const STAMPED: Parameter<bool> = Parameter::bool("stamped", true)
    .text("Listen to geometry_msgs/TwistStamped on cmd_vel; otherwise to geometry_msgs/Twist.")
    .at_start();
const ZERO_FIRST: Parameter<bool> = Parameter::bool("zero_first", true)
    .text("Whenever the state becomes OK a zero command must come before anything moves.");
const DEADBAND: Parameter<f64> = Parameter::float("deadband", 0.02, 0.0, 0.2)
    .text("What zero_first takes for zero, as a part of full speed.");
const SOFT_STOP: Parameter<String> = Parameter::choice("soft_stop", "cut", &["cut", "ramp"])
    .text("How a soft stop ends motion: at once, or braking by decel. An emergency stop is always at once.");
const OVERRUN_LIMIT: Parameter<f64> = Parameter::float("overrun_limit", 0.5, 0.1, 5.0).unit("s").text(
    "If the node could not watch over moving motors for longer than this, it stops them as a fault and waits for a \
     reset. A shorter delay only makes the ramp longer.",
);

const ESTOP_REQUIRED: Parameter<bool> = Parameter::bool("estop.required", false)
    .text(
        "There is an emergency stop that says at least every estop.timeout whether it is pressed: start latched, and \
         take its absence for pressed. One that was ever heard is required from then on.",
    )
    .at_start();
const ESTOP_TIMEOUT: Parameter<f64> = Parameter::float("estop.timeout", 0.25, 0.05, 2.0)
    .unit("s")
    .text("An emergency stop that is silent for so long counts as pressed.");
const ENABLE_LEASE: Parameter<f64> = Parameter::float("enable.lease", 0.0, 0.0, 60.0).unit("s").text(
    "Enable must be repeated within this time, or a new change from false to true is needed. 0 is off.",
);

const IR_SENSORS: Parameter<Vec<String>> = Parameter::strings("ir.sensors", &[], &Sensor::FRAMES, 4)
    .text("The infra-red sensors that are fitted, by the frame_id of their messages. A silent one counts as blocked.")
    .at_start();
const IR_NEAR: Parameter<f64> =
    Parameter::float("ir.near", 0.2, 0.0, 10.0).unit("m").text("Nearer than this is an obstacle.");
const IR_FAR: Parameter<f64> = Parameter::float("ir.far", 0.0, 0.0, 10.0)
    .unit("m")
    .text("Farther than this the floor is missing; 0 is off.");
const IR_TIMEOUT: Parameter<f64> = Parameter::float("ir.timeout", 0.5, 0.05, 5.0)
    .unit("s")
    .text("A fitted sensor that is silent for so long counts as blocked.");
const IR_DEBOUNCE: Parameter<f64> = Parameter::float("ir.debounce", 0.04, 0.0, 1.0)
    .unit("s")
    .text("A sensor counts as blocked when it has not been clear for so long.");
const IR_CLEAR_HOLD: Parameter<f64> = Parameter::float("ir.clear_hold", 0.06, 0.0, 10.0)
    .unit("s")
    .text("A sensor counts as clear when it has been nothing else for so long.");
const IR_DIRECTION_POLICY: Parameter<bool> = Parameter::bool("ir.direction_policy", true).text(
    "The front sensors stop forward motion, the back ones reverse, any of them a turn: straight away from what is \
     there the vehicle may drive. Otherwise any blocked sensor stops everything.",
);
const IR_REARM: Parameter<bool> = Parameter::bool("ir.rearm", false)
    .text("After a stop by a sensor, enable must change from false to true again.");

/// All parameters of the node.
pub fn specification() -> Specification {
    Specification::new(
        "hindbrain",
        "The last gate before the motors: turns velocity into two motor values and stops them for every reason to.",
    )
    .with(&MAX_LINEAR)
    .with(&MAX_ANGULAR)
    .with(&ACCEL)
    .with(&DECEL)
    .with(&CMD_TIMEOUT)
    .with(&STAMPED)
    .with(&ZERO_FIRST)
    .with(&DEADBAND)
    .with(&SOFT_STOP)
    .with(&OVERRUN_LIMIT)
    .with(&ESTOP_REQUIRED)
    .with(&ESTOP_TIMEOUT)
    .with(&ENABLE_LEASE)
    .with(&IR_SENSORS)
    .with(&IR_NEAR)
    .with(&IR_FAR)
    .with(&IR_TIMEOUT)
    .with(&IR_DEBOUNCE)
    .with(&IR_CLEAR_HOLD)
    .with(&IR_DIRECTION_POLICY)
    .with(&IR_REARM)
}

/// The parameters in force, parsed.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// What the core takes, in integers.
    pub core: CoreParams,
    /// The velocities of full speed.
    pub full_speed: FullSpeed,
    /// The distances at which an infra-red sensor counts as blocked.
    pub infrared: IrLimits,
    /// Whether commands are `TwistStamped`; otherwise `Twist`.
    pub stamped: bool,
}

/// The velocities at which a motor runs at full speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FullSpeed {
    /// Both motors forward [m/s], greater than zero.
    pub linear: f64,
    /// The motors against each other [rad/s], greater than zero.
    pub angular: f64,
}

/// The distances at which an infra-red sensor counts as blocked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IrLimits {
    /// Nearer is an obstacle \[m\].
    pub near: f64,
    /// Farther is a drop-off \[m\]; `None` for never.
    pub far: Option<f64>,
}

impl Params {
    /// The parameters in `set`.
    /// # Errors
    /// A [`Refusal`] of a `decel` less than `accel` (a vehicle must not be slower to stop than to start) and of an
    /// `ir.far` that leaves no distance clear.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let params = Self::parse(set);
        if params.core.slopes.decel < params.core.slopes.accel {
            return Err(
                set.refuse("decel", format!("must be no less than accel, {:?} counts/s", ACCEL.get(set)))
            );
        }
        if params.infrared.far.is_some_and(|far| far <= params.infrared.near) {
            return Err(
                set.refuse("ir.far", format!("must be 0 or more than ir.near, {:?} m", params.infrared.near))
            );
        }
        Ok(params)
    }

    fn parse(set: &Set) -> Self {
        let fitted = IR_SENSORS.get(set);
        let far = IR_FAR.get(set);
        let core = CoreParams {
            full: FULL,
            slopes: Slopes {
                accel: thousandths(ACCEL.get(set)),
                decel: thousandths(DECEL.get(set)),
                tick: u64::try_from(TICK.as_nanos()).unwrap_or(u64::MAX),
            },
            overrun_limit: nanos(OVERRUN_LIMIT.get(set)),
            command_timeout: nanos(CMD_TIMEOUT.get(set)),
            estop_required: ESTOP_REQUIRED.get(set),
            estop_timeout: nanos(ESTOP_TIMEOUT.get(set)),
            lease: nanos(ENABLE_LEASE.get(set)),
            zero_first: ZERO_FIRST.get(set),
            deadband: (DEADBAND.get(set) * 1000.0) as i16,
            soft_stop: if SOFT_STOP.get(set) == "ramp" { SoftStop::Ramp } else { SoftStop::Cut },
            infrared: Infrared {
                fitted: Sensor::ALL.map(|sensor| fitted.iter().any(|name| name == sensor.frame_id())),
                sight: Sight {
                    timeout: nanos(IR_TIMEOUT.get(set)),
                    debounce: nanos(IR_DEBOUNCE.get(set)),
                    clear_hold: nanos(IR_CLEAR_HOLD.get(set)),
                },
                direction_policy: IR_DIRECTION_POLICY.get(set),
                rearm: IR_REARM.get(set),
            },
        };
        Self {
            core,
            full_speed: FullSpeed { linear: MAX_LINEAR.get(set), angular: MAX_ANGULAR.get(set) },
            infrared: IrLimits { near: IR_NEAR.get(set), far: (far > 0.0).then_some(far) },
            stamped: STAMPED.get(set),
        }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self::parse(&specification().defaults())
    }
}

/// The specification allows finite times that are not negative; anything else would lapse at once.
fn nanos(seconds: f64) -> u64 {
    let duration = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::ZERO);
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Counts per second in thousandths, rounded down.
fn thousandths(slope: f64) -> u64 {
    (slope * 1000.0) as u64
}
