use params::{Foreign, NumberOrName, Parameter, Refusal, Set, Specification};

use super::{AxisMapping, Dynamics, JoyParams, Shape, name, number};
use crate::names::{AXES, BUTTONS};

params::params! {
    /// The node's own parameters.
    pub(super) struct Declared {
        /// How often the desired state is published while it requests motion. A change of the stick is published at once, and a
        /// zero is repeated 20 times a second.
        rate: i64 = Parameter::integer("rate", 200, 10, 1000).unit("Hz").at_start(),
        /// The device that drives: its name as in device/<name> or exactly as `steersman-joystick list` shows it, or its GUID
        /// (version and checksum are ignored), serial number, path or a link to the path in /dev/input or /dev, also of a udev rule of
        /// one's own; empty: the first device to connect, and no other after it. Serial number and paths distinguish two devices of one model; the
        /// GUID does not, and a name passes to the next device of that model when its device is unplugged. Quote it: digits
        /// alone are a number in YAML.
        control_device: String = Parameter::string("control_device", ""),
        /// Name of a virtual joystick, which is connected while its axes and buttons are published on `~/virtual_device`.
        virtual_device: String = Parameter::string("virtual_device", "").at_start(),
        /// Topic of a `sensor_msgs/Joy` with the states of a pad that another program reads. They move the virtual joystick, whose name is
        /// then `joy` by default, in place of `~/virtual_device`; unless control_device names another device, it alone drives.
        joy_input: String = Parameter::string("joy_input", "").at_start(),
    }
}

params::params! {
    /// The frame of the velocities.
    pub(super) struct Frame {
        /// Frame of the desired velocity: true the vehicle's own, false the world. Follows the buttons that change it. After a
        /// change a deflected stick commands nothing until it has returned to rest.
        intrinsic: bool = Parameter::bool("intrinsic", true),
    }
}

params::params! {
    /// The buttons that enable the stick.
    pub(super) struct Enable {
        /// Button that lets the stick drive while pressed: its number, or SDL's name; with no enable button at all a stick with
        /// a mapped axis always drives.
        on: NumberOrName = button("enable.on"),
        /// Button that lets the stick drive slowly while pressed; with enable.on, by half of `slow`. A
        /// coordinate with a `slow_speed` has that in both cases.
        slow: NumberOrName = button("enable.slow"),
        /// Button that switches driving with the stick on and off.
        toggle: NumberOrName = button("enable.toggle"),
    }
}

params::params! {
    /// The buttons that select the frame.
    pub(super) struct Coords {
        /// Button that selects the vehicle's own frame.
        intrinsic: NumberOrName = button("coords.intrinsic"),
        /// Button that selects the world frame.
        world: NumberOrName = button("coords.world"),
        /// Button that changes between the frames.
        toggle: NumberOrName = button("coords.toggle"),
    }
}

const fn button(name: &'static str) -> Parameter<NumberOrName> {
    Parameter::number_or_name(name, -1, -1, 15, BUTTONS)
}

const fn counts(name: &'static str, default: i64) -> Parameter<i64> {
    Parameter::integer(name, default, -32768, 32767).unit("counts")
}

const fn speed(name: &'static str) -> Parameter<Option<f64>> {
    Parameter::optional_float(name, 0.001, 1000.0)
}

/// The parameters of one coordinate.
macro_rules! coordinate {
    ($coordinate:ident, $name:literal, $unit:literal, $motion:literal) => {
        params::params! {
            struct $coordinate {
                axis: NumberOrName = Parameter::number_or_name(concat!($name, ".axis"), -1, -1, 15, AXES)
                    .text(concat!("Axis that commands the acceleration ", $motion, ": its number, or SDL's name; -1: none.")),
                /// Added to the axis (-1 to 1) before scaling.
                offset: f64 = Parameter::float(concat!($name, ".offset"), 0.0, -10.0, 10.0),
                /// Factor on axis and offset, -1 inverts; the product is limited to -1 to 1.
                scale: f64 = Parameter::float(concat!($name, ".scale"), 1.0, -10.0, 10.0),
                /// Raw value of the axis that counts as -1.
                min: i64 = counts(concat!($name, ".min"), -32767),
                /// Raw value of the axis that counts as 0, from min to max.
                center: i64 = counts(concat!($name, ".center"), 0),
                /// Raw value of the axis that counts as 1.
                max: i64 = counts(concat!($name, ".max"), 32767),
                /// Whether the axis is inverted, before dead zone, curve and offset.
                invert: bool = Parameter::bool(concat!($name, ".invert"), false),
                /// Part of the range from the centre that counts as 0; the rest is stretched to the whole range.
                dead_zone: f64 = Parameter::float(concat!($name, ".dead_zone"), 0.0, 0.0, 0.9),
                /// Exponent on the axis beyond the dead zone: 1 is linear, more is finer about the centre.
                curve: f64 = Parameter::float(concat!($name, ".curve"), 1.0, 0.2, 5.0),
                /// Speed that a full stick settles at, which needs drag; empty: amax/drag or awmax/drag.
                max_speed: Option<f64> = speed(concat!($name, ".max_speed")).unit($unit),
                /// Speed that a full stick settles at while enable.slow is pressed, at most max_speed; empty: max_speed over `slow`.
                slow_speed: Option<f64> = speed(concat!($name, ".slow_speed")).unit($unit),
            }
        }

        impl $coordinate {
            fn mapping(set: &Set) -> Result<(AxisMapping, Option<&'static str>), Refusal> {
                let Self { axis, offset, scale, min, center, max, invert, dead_zone, curve, max_speed, slow_speed } =
                    Self::get(set);
                let [min, center, max] = calibration(set, $name, [min, center, max])?;
                let shape = Shape { min, center, max, invert, dead_zone, curve };
                let axis_number = number(axis);
                let mapping = AxisMapping { axis: axis_number, offset, scale, shape, max_speed, slow_speed };
                Ok((mapping, name(axis)))
            }
        }
    };
}

coordinate!(LinearX, "linear.x", "m/s", "forward");
coordinate!(LinearY, "linear.y", "m/s", "to the left");
coordinate!(LinearZ, "linear.z", "m/s", "upward");
coordinate!(AngularX, "angular.x", "rad/s", "about the forward axis");
coordinate!(AngularY, "angular.y", "rad/s", "about the left axis");
coordinate!(AngularZ, "angular.z", "rad/s", "about the upward axis, counter-clockwise");

/// The mappings of the axes, linear and angular, with the names in place of numbers.
pub(super) fn axes(set: &Set) -> Result<[(AxisMapping, Option<&'static str>); 6], Refusal> {
    let [x, y, z] = [LinearX::mapping(set)?, LinearY::mapping(set)?, LinearZ::mapping(set)?];
    Ok([x, y, z, AngularX::mapping(set)?, AngularY::mapping(set)?, AngularZ::mapping(set)?])
}

/// `[min, center, max]` of the coordinate `name`, which must lie in this order.
fn calibration(set: &Set, name: &str, counts: [i64; 3]) -> Result<[i16; 3], Refusal> {
    let [min, center, max] = counts;
    if min >= max || !(min..=max).contains(&center) {
        let rule =
            format!("must lie from '{name}.min' ({min}) to '{name}.max' ({max}), which must be greater");
        return Err(set.refuse(&format!("{name}.center"), rule));
    }
    // The specification allows no others.
    Ok(counts.map(|counts| i16::try_from(counts).unwrap_or_default()))
}

/// Refuses a speed of the coordinate `name` that friction does not bound, and a slow one above the top speed, which is
/// `acceleration / drag` unless it is set.
pub(super) fn check_speeds(
    set: &Set,
    name: &str,
    mapping: &AxisMapping,
    acceleration: f64,
    drag: f64,
) -> Result<(), Refusal> {
    let top = mapping.top_speed(acceleration, drag);
    for (part, speed) in [("max_speed", mapping.max_speed), ("slow_speed", mapping.slow_speed)] {
        let name = format!("{name}.{part}");
        let unit = set.declaration(&name).map_or("", |declaration| declaration.unit);
        if speed.is_some() && drag <= 0.0 {
            return Err(set.refuse(&name, format!("must be '' while 'drag' is {drag:?} 1/s")));
        }
        if speed.is_some_and(|speed| speed > top) {
            return Err(
                set.refuse(&name, format!("must be from 0.001 to {top:?} {unit}, the top speed, or ''"))
            );
        }
    }
    Ok(())
}

/// All parameters of the node `joystick`.
pub fn specification() -> Specification {
    Specification::new(
        "joystick",
        "Publishes each connected stick, and replaces a reference by the stick's velocity while the user drives.",
    )
    .managed()
    .with_all(Declared::declarations())
    .with_all(Dynamics::declarations())
    .with_all(Frame::declarations())
    .with_all(LinearX::declarations())
    .with_all(LinearY::declarations())
    .with_all(LinearZ::declarations())
    .with_all(AngularX::declarations())
    .with_all(AngularY::declarations())
    .with_all(AngularZ::declarations())
    .with_all(Enable::declarations())
    .with_all(Coords::declarations())
    .with_all(JoyParams::declarations())
    .with_foreign(&FOREIGN)
    .with_protections(&["enable."])
}

const FOREIGN: [Foreign; 23] = [
    ["joy", "device_id", "control_device"],
    ["joy", "device_name", "control_device"],
    ["joy", "deadzone", "joy.dead_zone"],
    ["joy", "autorepeat_rate", "joy.autorepeat_rate"],
    ["joy", "coalesce_interval_ms", "joy.coalesce_interval, in seconds,"],
    ["joy", "sticky_buttons", "enable.toggle"],
    ["teleop_twist_joy", "enable_button", "enable.on"],
    ["teleop_twist_joy", "enable_turbo_button", "enable.on, beside enable.slow,"],
    ["teleop_twist_joy", "axis_linear.", "linear.{}.axis"],
    ["teleop_twist_joy", "axis_angular.yaw", "angular.z.axis"],
    ["teleop_twist_joy", "axis_angular.pitch", "angular.y.axis"],
    ["teleop_twist_joy", "axis_angular.roll", "angular.x.axis"],
    ["teleop_twist_joy", "scale_linear.", "linear.{}.max_speed, beside a turbo speed linear.{}.slow_speed,"],
    ["teleop_twist_joy", "scale_linear_turbo.", "linear.{}.max_speed"],
    [
        "teleop_twist_joy",
        "scale_angular.yaw",
        "angular.z.max_speed, beside a turbo speed angular.z.slow_speed,",
    ],
    ["teleop_twist_joy", "scale_angular.pitch", "angular.y.max_speed"],
    ["teleop_twist_joy", "scale_angular.roll", "angular.x.max_speed"],
    ["teleop_twist_joy", "scale_angular_turbo.yaw", "angular.z.max_speed"],
    ["teleop_twist_joy", "scale_angular_turbo.pitch", "angular.y.max_speed"],
    ["teleop_twist_joy", "scale_angular_turbo.roll", "angular.x.max_speed"],
    ["teleop_twist_joy", "require_enable_button", "true with any enable.*, false with none,"],
    ["teleop_twist_joy", "publish_stamped_twist", "stamped of velocity_arbiter and zone_scaler"],
    ["teleop_twist_joy", "inverted_reverse", "without a counterpart"],
];
