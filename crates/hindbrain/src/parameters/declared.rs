//! The parameters as they are declared: name, default, range, unit, text.

use params::{Fixed, Parameter, PresetValue, Specification};

use super::output;
use crate::Sensor;

/// What the profile `seed` fixes: the original had no choice.
const SEED: Fixed = Fixed {
    by: "profile",
    when: "seed",
    values: &[
        ("accel", PresetValue::Float(20.0)),
        ("decel", PresetValue::Float(20.0)),
        ("rival_publishers", PresetValue::Text("warn")),
        ("zero_first", PresetValue::Bool(false)),
        ("soft_stop", PresetValue::Text("cut")),
        ("enable.lease", PresetValue::Float(0.0)),
        ("ir.direction_policy", PresetValue::Bool(false)),
        ("ir.rearm", PresetValue::Bool(false)),
    ],
};

pub(super) const PROFILE: Parameter<String> = Parameter::choice("profile", "strict", &["strict", "seed"])
    .text(
        "strict: stops latch, edges arm, zero comes first, REP-103 signs. seed: the original hindbrain's levels, ramp \
         and mapping, with its time-outs closed; accel and decel are then 20, rival_publishers \
         warn, soft_stop cut, enable.lease 0, zero_first, ir.direction_policy and ir.rearm false, whatever the defaults.",
    )
    .at_start();
pub(super) const MAX_LINEAR: Parameter<f64> = Parameter::float("max_linear", 1.0, 0.01, 20.0)
    .unit("m/s")
    .text("The velocity at which both motors run at full speed; more is scaled down to it.")
    .at_start();
pub(super) const MAX_ANGULAR: Parameter<f64> = Parameter::float("max_angular", 1.0, 0.01, 20.0)
    .unit("rad/s")
    .text("The turn at which the motors run at full speed against each other; more is scaled down to it.")
    .at_start();
pub(super) const ACCEL: Parameter<f64> = Parameter::float("accel", 20.0, 1.0, 6600.0)
    .unit("counts/s")
    .text("How fast a motor gets faster; 66 counts are full speed.");
pub(super) const DECEL: Parameter<f64> = Parameter::float("decel", 200.0, 1.0, 6600.0)
    .unit("counts/s")
    .text("How fast a motor gets slower when the command does; no less than accel, nor than 20 where soft_stop is ramp.");
pub(super) const CMD_TIMEOUT: Parameter<f64> = Parameter::float("cmd_timeout", 0.5, 0.05, 5.0)
    .unit("s")
    .text("Without a command for so long the motors brake to a stop; it cannot be switched off.");
pub(super) const CMD_VEL_TYPE: Parameter<String> = Parameter::choice(
    "cmd_vel_type",
    "auto",
    &["auto", "twist", "twist_stamped"],
)
.text("What comes on cmd_vel: geometry_msgs/Twist, TwistStamped, or auto: whichever is published first.")
.at_start();
pub(super) const STAMPS: Parameter<String> = Parameter::choice("stamps", "judge", &["judge", "carry"])
    .text(
        "Whether a command's stamp is judged by this machine's clock: an older one counts for less long, down to nothing \
         at cmd_timeout, and one from the future is refused; a zero stops in any case. carry: not at all, for simulated \
         time. A stamp of zero counts as now.",
    )
    .at_start();
pub(super) const STAMP_TOLERANCE: Parameter<f64> = Parameter::float("stamp_tolerance", 0.1, 0.0, 10.0)
    .unit("s")
    .text("How far a stamp may lie in the future, where the clocks of two machines differ.")
    .at_start();
pub(super) const RIVAL_PUBLISHERS: Parameter<String> = Parameter::choice(
    "rival_publishers",
    "stop",
    &["stop", "warn"],
)
.text(
    "What a second publisher on cmd_vel does: a soft stop until it is gone (a killed one counts until the \
         middleware misses it, 20 s or so), or a warning only. Likewise a second node on hind/estop: the e-stop counts \
         as pressed, since the release of one would hide the other, or it is told only.",
);
pub(super) const ZERO_FIRST: Parameter<bool> = Parameter::bool("zero_first", true)
    .text("Whenever the state becomes OK a zero command must come before anything moves.");
pub(super) const DEADBAND: Parameter<f64> = Parameter::float("deadband", 0.02, 0.0, 0.2)
    .text("What zero_first takes for zero, as a part of full speed.");
pub(super) const SOFT_STOP: Parameter<String> = Parameter::choice("soft_stop", "cut", &["cut", "ramp"])
    .text("How a soft stop ends motion: at once, or braking by decel. An emergency stop is always at once.");
pub(super) const OVERRUN_LIMIT: Parameter<f64> = Parameter::float("overrun_limit", 0.5, 0.1, 5.0).unit("s").text(
    "If the node could not watch over moving motors for longer than this, a supervising thread stops them; it is a \
     fault and waits for a reset. A shorter delay makes the ramp longer, and a time-out that ended meanwhile is seen at its end.",
);

pub(super) const ESTOP_REQUIRED: Parameter<bool> = Parameter::bool("estop.required", false)
    .text(
        "There is an emergency stop that says at least every estop.timeout whether it is pressed: start latched, and \
         take its absence for pressed. One that was ever heard is required from then on.",
    )
    .at_start();
pub(super) const ESTOP_TIMEOUT: Parameter<f64> = Parameter::float("estop.timeout", 0.25, 0.05, 2.0)
    .unit("s")
    .text("An emergency stop that is silent for so long counts as pressed.");
pub(super) const ENABLE_LEASE: Parameter<f64> =
    Parameter::float("enable.lease", 0.0, 0.0, 60.0).unit("s").text(
        "Enable must be repeated within this time, or a new change from false to true is needed. 0 is off; at least 0.05 otherwise.",
    );

pub(super) const IR_SENSORS: Parameter<Vec<String>> = Parameter::strings("ir.sensors", &[], &Sensor::FRAMES, 4)
    .text("The infra-red sensors that are fitted, by the frame_id of their messages. A silent one counts as blocked.")
    .at_start();
pub(super) const IR_SOURCE: Parameter<String> = Parameter::choice("ir.source", "range", &["range", "scan"])
    .text(
        "Where the sensors' distances come from: sensor_msgs/Range on hind/ir, one message per sensor, or the nearest \
         beam of a sensor_msgs/LaserScan on hind/scan in each sensor's sector.",
    )
    .at_start();
pub(super) const IR_SCAN_SECTOR: Parameter<f64> = Parameter::float("ir.scan_sector", 0.6, 0.05, 1.57)
    .unit("rad")
    .text("A scan's sector for a sensor: from straight ahead (or back) to so far on the sensor's side.");
pub(super) const IR_SCAN_YAW: Parameter<f64> = Parameter::float("ir.scan_yaw", 0.0, -3.15, 3.15)
    .unit("rad")
    .text("How far the scanner is turned to the left against the vehicle: the angle of its x axis.");
pub(super) const IR_NEAR: Parameter<f64> =
    Parameter::float("ir.near", 0.2, 0.0, 10.0).unit("m").text("Nearer than this is an obstacle.");
pub(super) const IR_FAR: Parameter<f64> = Parameter::float("ir.far", 0.0, 0.0, 10.0)
    .unit("m")
    .text("Farther than this the floor is missing; 0 is off.");
pub(super) const IR_TIMEOUT: Parameter<f64> = Parameter::float("ir.timeout", 0.5, 0.05, 5.0)
    .unit("s")
    .text("A fitted sensor that is silent for so long counts as blocked.");
pub(super) const IR_DEBOUNCE: Parameter<f64> = Parameter::float("ir.debounce", 0.04, 0.0, 1.0)
    .unit("s")
    .text("A sensor counts as blocked when it has not been clear for so long.");
pub(super) const IR_CLEAR_HOLD: Parameter<f64> = Parameter::float("ir.clear_hold", 0.06, 0.0, 10.0)
    .unit("s")
    .text("A sensor counts as clear when it has been nothing else for so long.");
pub(super) const IR_DIRECTION_POLICY: Parameter<bool> = Parameter::bool("ir.direction_policy", true).text(
    "The front sensors stop forward motion, the back ones reverse, any of them a turn: straight away from what is \
     there the vehicle may drive. Otherwise any blocked sensor stops everything.",
);
pub(super) const IR_REARM: Parameter<bool> = Parameter::bool("ir.rearm", false)
    .text("After a stop by a sensor, enable must change from false to true again.");

/// All parameters of the node.
pub fn specification() -> Specification {
    let specification = Specification::new(
        "hindbrain",
        "The last gate before the motors: turns velocity into two motor values and stops them for every reason to.",
    )
    .with(&PROFILE)
    .with(&MAX_LINEAR)
    .with(&MAX_ANGULAR)
    .with(&ACCEL)
    .with(&DECEL)
    .with(&CMD_TIMEOUT)
    .with(&CMD_VEL_TYPE)
    .with(&STAMPS)
    .with(&STAMP_TOLERANCE)
    .with(&RIVAL_PUBLISHERS)
    .with(&ZERO_FIRST)
    .with(&DEADBAND)
    .with(&SOFT_STOP)
    .with(&OVERRUN_LIMIT)
    .with(&ESTOP_REQUIRED)
    .with(&ESTOP_TIMEOUT)
    .with(&ENABLE_LEASE)
    .with(&IR_SENSORS)
    .with(&IR_SOURCE)
    .with(&IR_SCAN_SECTOR)
    .with(&IR_SCAN_YAW)
    .with(&IR_NEAR)
    .with(&IR_FAR)
    .with(&IR_TIMEOUT)
    .with(&IR_DEBOUNCE)
    .with(&IR_CLEAR_HOLD)
    .with(&IR_DIRECTION_POLICY)
    .with(&IR_REARM);
    output::declare(specification.with_fixed(SEED))
}
