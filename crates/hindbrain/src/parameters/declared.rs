//! The parameters as they are declared: name, default, range, unit, text, and who needs them.

use params::{Fixed, Parameter, PresetValue, Specification};
use units::{SHORTEST_COMMAND_TIMEOUT, SLOWEST_FULL_SPEED};

use super::output;
use crate::Sensor;

const VEHICLES: &str = "vehicles differ";

/// What the profile `seed` fixes: the original had no choice.
const SEED: Fixed = Fixed {
    by: "profile",
    when: "seed",
    values: &[
        ("accel", PresetValue::Float(20.0)),
        ("decel", PresetValue::Float(20.0)),
        ("enable.lease", PresetValue::Float(0.0)),
    ],
};

pub(super) const PROFILE: Parameter<String> = Parameter::choice("profile", "strict", &["strict", "seed"])
    .text(
        "strict: emergency stops and faults latch, enable arms by its rise, every stop ends with a zero command, REP-103 signs. \
         seed: the original hindbrain's levels, slope and mapping, with its time-outs closed; accel and decel are then 20 \
         and enable.lease 0.",
    )
    .needed_by("the original hindbrain, whose users expect its states and its mapping")
    .at_start();
pub(super) const MAX_LINEAR: Parameter<f64> = Parameter::float("max_linear", 1.0, SLOWEST_FULL_SPEED, 20.0)
    .unit("m/s")
    .text(
        "The speed of the vehicle when both motors run at full speed forward. It is no limit: a smaller number makes the \
         motors faster for the same command.",
    )
    .needed_by(VEHICLES)
    .at_start();
pub(super) const MAX_ANGULAR: Parameter<f64> = Parameter::float("max_angular", 1.0, SLOWEST_FULL_SPEED, 20.0)
    .unit("rad/s")
    .text(
        "How fast the vehicle turns when the motors run at full speed against each other: 2 * max_linear / track. It is no limit.",
    )
    .needed_by(VEHICLES)
    .at_start();
pub(super) const ACCEL: Parameter<f64> = Parameter::float("accel", 20.0, 1.0, 6600.0)
    .unit("counts/s")
    .text(
        "Maximum acceleration of a motor; 66 counts are full speed. Of two motors that accelerate the slower one keeps the proportion. \
         Where one motor is behind since the other one brakes, it may accelerate by up to half of decel more.",
    )
    .needed_by(VEHICLES);
pub(super) const DECEL: Parameter<f64> = Parameter::float("decel", 200.0, 20.0, 6600.0)
    .unit("counts/s")
    .text(
        "Deceleration of a motor, and of forward motion and of turning as such, when the command asks for less or gets lost; no less than \
         accel. From full speed it takes 66 / decel seconds. Soft and emergency stops are at once.",
    )
    .needed_by(VEHICLES);
pub(super) const CMD_TIMEOUT: Parameter<f64> = Parameter::float("cmd_timeout", 0.5, SHORTEST_COMMAND_TIMEOUT, 2.0)
    .unit("s")
    .text(
        "A command this old, by its stamp or its receipt, is lost: the motors brake to zero, and a zero command has to \
         come before anything moves again. It cannot be switched off.",
    )
    .needed_by("ros2_control's cmd_vel_timeout and nav2's velocity_timeout, which differ by the rate of their commands");
pub(super) const CMD_VEL_TYPE: Parameter<String> = Parameter::choice(
    "cmd_vel_type",
    "twist_stamped",
    &["twist", "twist_stamped"],
)
.text(
    "The type of cmd_vel: geometry_msgs/TwistStamped, or geometry_msgs/Twist, whose age is counted from its receipt. A \
     publisher of another type stops the vehicle.",
)
.needed_by("users of half-stamped graphs: twist_mux issues 49 and 54, ros2_controllers issue 80")
.at_start();

pub(super) const ESTOP_REQUIRED: Parameter<bool> = Parameter::bool("estop.required", false)
    .text(
        "There is an emergency stop that publishes more often than every estop.timeout whether it is pressed: start latched, and take \
         its absence for pressed. One that was ever received is required from then on, and one that has a publisher must be received.",
    )
    .needed_by("vehicles with and without an emergency stop")
    .at_start();
pub(super) const ESTOP_TIMEOUT: Parameter<f64> = Parameter::float("estop.timeout", 0.25, 0.05, 2.0)
    .unit("s")
    .text("An emergency stop that is silent for so long counts as pressed.")
    .needed_by("emergency stops differ in their rate, and radio links in their gaps");
pub(super) const ENABLE_LEASE: Parameter<f64> = Parameter::float("enable.lease", 0.0, 0.0, 60.0)
    .unit("s")
    .text(
        "Enable must be repeated within this time, or a new change from false to true is needed. 0 is off; at least 0.05 otherwise.",
    )
    .needed_by("operators whose link may break: hole 5 of the original hindbrain");

pub(super) const IR_SENSORS: Parameter<Vec<String>> =
    Parameter::strings("ir.sensors", &[], &Sensor::FRAMES, 4)
        .text("The infra-red sensors that are fitted, by the frame_id of their messages.")
        .needed_by("vehicles differ in their sensors")
        .at_start();
pub(super) const IR_NEAR: Parameter<f64> = Parameter::float("ir.near", 0.2, 0.02, 10.0)
    .unit("m")
    .text(
        "Nearer than this is an obstacle. No infra-red sensor measures nearer than 0.02 m: with less, what touches one would be clear.",
    )
    .needed_by(VEHICLES);
pub(super) const IR_FAR: Parameter<f64> = Parameter::float("ir.far", 0.0, 0.0, 10.0)
    .unit("m")
    .text("Farther than this the floor is missing; 0 is off.")
    .needed_by("the original hindbrain, whose sensors looked at the floor");
pub(super) const IR_TIMEOUT: Parameter<f64> = Parameter::float("ir.timeout", 0.5, 0.05, 2.0)
    .unit("s")
    .text(
        "A sensor blocks until it has been clear, and nothing but clear, for so long; one that is silent for so long blocks. It \
         has to be longer than the sensor's period.",
    )
    .needed_by("sensors differ in their rate");

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
    .with(&ESTOP_REQUIRED)
    .with(&ESTOP_TIMEOUT)
    .with(&ENABLE_LEASE)
    .with(&IR_SENSORS)
    .with(&IR_NEAR)
    .with(&IR_FAR)
    .with(&IR_TIMEOUT);
    output::declare(specification.with_fixed(SEED))
}
