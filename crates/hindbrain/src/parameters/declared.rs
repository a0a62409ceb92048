//! The declarations of the parameters.

use core::time::Duration;

use super::{CommandType, OutputType, Profile};
use params::{Fixed, Parameter, PresetValue, Specification};
use safety::{SHORTEST_COMMAND_TIMEOUT, SLOWEST_FULL_SPEED};

use super::output;
use crate::Sensor;

/// The values that the profile `seed` fixes: the original had no such parameters.
const SEED: Fixed = Fixed {
    by: "profile",
    when: "seed",
    values: &[
        ("accel", PresetValue::Float(20.0)),
        ("decel", PresetValue::Float(20.0)),
        ("enable.lease", PresetValue::Float(0.0)),
    ],
};

params::params! {
    /// The parameters of hindbrain, except those of the motor controller.
    pub(super) struct Declared {
        /// strict: emergency stops and faults latch, motion is armed by a rising edge of enable, after every stop a zero
        /// command has to come, REP-103 signs. seed: the original hindbrain's levels, slope and mapping, plus the time-outs
        /// that it lacked; accel and decel are then 20 and enable.lease 0.
        profile: Profile = Parameter::choice("profile", "strict").at_start(),
        /// Speed of a wheel at the full motor value. It is not a limit: a smaller number makes the motors faster for the same
        /// command.
        wheel_speed: f64 = Parameter::float("wheel_speed", 1.0, SLOWEST_FULL_SPEED, 20.0).unit("m/s").at_start(),
        /// Distance between the wheels: with the motors at full value in opposite directions the vehicle turns at 2 *
        /// wheel_speed / track, which must be 0.1 rad/s or more.
        track: f64 = Parameter::float("track", 0.5, 0.05, 10.0).unit("m").at_start(),
        /// Maximum acceleration of a motor; 66 counts are full speed. If both motors accelerate, the slower one keeps the
        /// proportion. While the other motor brakes, a motor may accelerate by up to accel + decel / 2.
        accel: f64 = Parameter::float("accel", 20.0, 1.0, 6600.0).unit("counts/s"),
        /// Deceleration of a motor, and of the forward and turning parts of the motion, when the command asks for less or is
        /// lost; no less than accel. A stop from full speed takes 66 / decel seconds. Soft and emergency stops are immediate.
        decel: f64 = Parameter::float("decel", 200.0, 20.0, 6600.0).unit("counts/s"),
        /// A command this old, by its stamp or its receipt, is lost: the motors brake to zero, and a zero command has to come
        /// before anything moves again. It cannot be switched off.
        cmd_timeout: Duration = Parameter::seconds("cmd_timeout", 0.5, SHORTEST_COMMAND_TIMEOUT, 2.0),
        /// The type of cmd_vel: geometry_msgs/TwistStamped, or geometry_msgs/Twist, whose age is counted from its receipt. A
        /// publisher of another type stops the vehicle.
        cmd_vel_type: CommandType = Parameter::choice("cmd_vel_type", "twist_stamped").at_start(),
        /// motors: the values of two motors. twist_stamped, twist: a velocity on hind/cmd_vel, exact, for a base with a driver of its
        /// own, which must stop by itself when it receives none.
        output: OutputType = Parameter::choice("output", "motors").at_start(),
        /// An emergency stop must publish its state more often than every estop.timeout: hindbrain starts latched, and a
        /// missing emergency stop counts as pressed. Even if this is false, an emergency stop is required once a message of it
        /// was received, the first of which latches, or hind/estop has a publisher.
        estop_required: bool = Parameter::bool("estop.required", false).at_start(),
        /// An emergency stop that is silent for this time counts as pressed.
        estop_timeout: Duration = Parameter::seconds("estop.timeout", 0.25, 0.05, 2.0),
        // No `Duration`: less than half a nanosecond would be 0, which is off, and has to be refused.
        /// Enable must be repeated within this time, or a new change from false to true is needed. 0 is off; at least 0.05
        /// otherwise.
        enable_lease: f64 = Parameter::float("enable.lease", 0.0, 0.0, 60.0).unit("s"),
        /// The infra-red sensors that are fitted, by the frame_id of their messages.
        ir_sensors: Vec<String> = Parameter::strings("ir.sensors", &[], &Sensor::FRAMES, 4).at_start(),
        /// A shorter distance is an obstacle. Infra-red sensors do not measure below 0.02 m: with a lower value an obstacle
        /// that touches the sensor would count as clear.
        ir_near: f64 = Parameter::float("ir.near", 0.2, 0.02, 10.0).unit("m"),
        /// At a longer distance the floor is missing; 0 is off.
        ir_far: f64 = Parameter::float("ir.far", 0.0, 0.0, 10.0).unit("m"),
        /// A sensor blocks until every reading has been clear for this time, and after a silence of this time. It must be
        /// longer than the sensor's period.
        ir_timeout: Duration = Parameter::seconds("ir.timeout", 0.5, 0.05, 2.0),
    }
}

/// All parameters of the node.
pub fn specification() -> Specification {
    Specification::new(
        "hindbrain",
        "The last gate before the motors: converts a velocity to two motor values, and stops the motors on every fault.",
    )
    .managed()
    .with_all(Declared::declarations())
    .with_all(output::Declared::declarations())
    .with_fixed(SEED)
    .with_protections(&["estop.", "enable.", "ir."])
}
