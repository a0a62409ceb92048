use params::{Parameter, Specification};

pub(super) const RATE: Parameter<i64> = Parameter::integer("rate", 200, 1, 1000)
    .unit("Hz")
    .text(
        "How often the desired state is published while it is motion. A change of the stick is published at once, and a zero \
         is repeated 20 times a second.",
    )
    .at_start()
    .needed_by("joystick-genom3: its task `state` runs at 200 Hz; slower computers and links");
pub(super) const CONTROL_DEVICE: Parameter<String> = Parameter::string("control_device", "").text(
    "The device that drives: its name as in device/<name> or exactly as `steersman-joystick list` shows it, or its GUID (whose version and checksum do not count), serial number, path or a link to that (/dev/input/by-path/...); empty: the first to connect, and only that one after it. Serial number and paths tell two of one model apart; the GUID does not, and a name goes to the next of that model when its device is gone. Quote it: digits alone are a number in YAML.",
)
    .needed_by("joystick_drivers#305, #316, #199: which of several pads drives");
pub(super) const VIRTUAL_DEVICE: Parameter<String> = Parameter::string("virtual_device", "")
    .text("Name of a virtual joystick, which is there as long as its axes and buttons are published on `~/virtual_device`.")
    .at_start()
    .needed_by("scripts, demo and tests that drive without hardware");
pub(super) const INTRINSIC: Parameter<bool> = Parameter::bool("intrinsic", true)
    .text("Frame of the desired velocity: true the vehicle's own, false the world. Follows the buttons that change it. In another one a stick that is not at rest commands nothing before it was.")
    .needed_by("joystick-genom3 `set_intrinsic_mode`");
pub(super) const DRAG: Parameter<f64> = Parameter::float("drag", 3.0, 0.0, 1000.0)
    .unit("1/s")
    .text("Linear friction on the desired velocity; 0 keeps the velocity when the stick is let go, and nothing bounds it.")
    .needed_by("joystick-genom3 `set_state_params`");
pub(super) const AMAX: Parameter<f64> = Parameter::float("amax", 3.0, 0.0, 1000.0).unit("m/s^2").text(
    "Linear acceleration at full stick; the velocity ends at amax/drag, and a takeover begins with no more.",
)
    .needed_by("joystick-genom3 `set_state_params`");
pub(super) const AWMAX: Parameter<f64> = Parameter::float("awmax", 3.0, 0.0, 1000.0)
    .unit("rad/s^2")
    .text("Angular acceleration at full stick; the angular velocity ends at awmax/drag, and a takeover begins with no more.")
    .needed_by("joystick-genom3 `set_state_params`");
pub(super) const SLOW: Parameter<f64> = Parameter::float("slow", 4.0, 0.001, 1000.0)
    .text("What both accelerations are divided by in slow motion; less than 1 counts as 1.")
    .needed_by("joystick-genom3 `set_state_params`");

pub(super) const ENABLE_ON: Parameter<i64> = button("enable.on")
    .text("Button that lets the stick drive while pressed; with no enable button at all a stick with a mapped axis \
         always drives.")
    .needed_by("joystick-genom3 `set_mappings`");
pub(super) const ENABLE_SLOW: Parameter<i64> = button("enable.slow")
    .text("Button that lets the stick drive slowly while pressed; with enable.on, by half of `slow`.")
    .needed_by("joystick-genom3 `set_mappings`");
pub(super) const ENABLE_TOGGLE: Parameter<i64> = button("enable.toggle")
    .text("Button that switches the stick's driving on, and off again.")
    .needed_by("joystick-genom3 `set_mappings`");
pub(super) const COORDS_INTRINSIC: Parameter<i64> = button("coords.intrinsic")
    .text("Button that selects the vehicle's own frame.")
    .needed_by("joystick-genom3 `set_mappings`");
pub(super) const COORDS_WORLD: Parameter<i64> = button("coords.world")
    .text("Button that selects the world frame.")
    .needed_by("joystick-genom3 `set_mappings`");
pub(super) const COORDS_TOGGLE: Parameter<i64> = button("coords.toggle")
    .text("Button that changes between the frames.")
    .needed_by("joystick-genom3 `set_mappings`");

pub(super) const JOY_DEAD_ZONE: Parameter<f64> = Parameter::float("joy.dead_zone", 0.05, 0.0, 0.9)
    .text("Part of an axis's way from the centre in which `joy` has 0; the rest is stretched to the whole.")
    .needed_by("readers of `joy`, whose `deadzone` it is");
pub(super) const JOY_AUTOREPEAT_RATE: Parameter<f64> =
    Parameter::float("joy.autorepeat_rate", 20.0, 0.0, 1000.0)
        .unit("Hz")
        .text("How often `joy` is published even if nothing happens; 0: on changes only.")
        .needed_by("readers of `joy` who take silence for loss: joystick_drivers#304, #222");
pub(super) const JOY_COALESCE_INTERVAL: Parameter<f64> =
    Parameter::float("joy.coalesce_interval", 0.001, 0.0, 1.0).unit("s").text(
        "How long `joy` waits for further moves after the first one, to publish them as one; buttons and hats do not wait.",
    )
    .needed_by("readers of `joy` whom each move is too much: joystick_drivers#284");
/// Who needs the mapping of an axis.
const SET_MAPPINGS: &str = "joystick-genom3 `set_mappings`";
/// Who needs calibration.
const CALIBRATION: &str =
    "pads whose axes end early or rest off their middle, and triggers: joystick_drivers#289, #155";

const fn button(name: &'static str) -> Parameter<i64> {
    Parameter::integer(name, -1, -1, 15)
}

/// The parameters of one coordinate.
pub(super) struct Coordinate {
    pub(super) axis: Parameter<i64>,
    pub(super) offset: Parameter<f64>,
    pub(super) scale: Parameter<f64>,
    pub(super) invert: Parameter<bool>,
    pub(super) dead_zone: Parameter<f64>,
    pub(super) curve: Parameter<f64>,
    pub(super) min: Parameter<i64>,
    pub(super) center: Parameter<i64>,
    pub(super) max: Parameter<i64>,
}

macro_rules! coordinate {
    ($name:literal, $motion:literal) => {
        Coordinate {
            axis: Parameter::integer(concat!($name, ".axis"), -1, -1, 15).text(concat!(
                "Axis that commands the acceleration ",
                $motion,
                "; -1: none."
            ))
            .needed_by(SET_MAPPINGS),
            offset: Parameter::float(concat!($name, ".offset"), 0.0, -10.0, 10.0)
                .text("Added to the axis (-1 to 1) before scaling.").needed_by(SET_MAPPINGS),
            scale: Parameter::float(concat!($name, ".scale"), 1.0, -10.0, 10.0)
                .text("Factor on axis and offset, -1 inverts; the product is cut to -1 to 1.").needed_by(SET_MAPPINGS),
            invert: Parameter::bool(concat!($name, ".invert"), false)
                .text("Whether the axis counts the other way round, before dead zone, curve and offset.").needed_by("a trigger that is pulled the other way: an offset of 1 comes after it"),
            dead_zone: Parameter::float(concat!($name, ".dead_zone"), 0.0, 0.0, 0.9).text(
                "Part of the axis's way from the centre that counts as 0; the rest is stretched to the whole.",
            )
            .needed_by("sticks that do not come back exactly: each pad by itself"),
            curve: Parameter::float(concat!($name, ".curve"), 1.0, 0.2, 5.0)
                .text("Exponent on the axis beyond the dead zone: 1 straight, more is finer about the centre.").needed_by("chairs and hands that need it finer about the centre"),
            min: counts(concat!($name, ".min"), -32767).text("Raw value of the axis that counts as -1.").needed_by(CALIBRATION),
            center: counts(concat!($name, ".center"), 0)
                .text("Raw value of the axis that counts as 0, from min to max.").needed_by(CALIBRATION),
            max: counts(concat!($name, ".max"), 32767).text("Raw value of the axis that counts as 1.").needed_by(CALIBRATION),
        }
    };
}

const fn counts(name: &'static str, default: i64) -> Parameter<i64> {
    Parameter::integer(name, default, -32768, 32767).unit("counts")
}

pub(super) const COORDINATES: [Coordinate; 6] = [
    coordinate!("linear.x", "forward"),
    coordinate!("linear.y", "to the left"),
    coordinate!("linear.z", "upward"),
    coordinate!("angular.x", "about the forward axis"),
    coordinate!("angular.y", "about the left axis"),
    coordinate!("angular.z", "about the upward axis, counter-clockwise"),
];

/// All parameters of the node `joystick`.
pub fn specification() -> Specification {
    let mut specification = Specification::new(
        "joystick",
        "Publishes each connected stick, and replaces a reference by the stick's velocity while the user drives.",
    )
    .with(&RATE)
    .with(&CONTROL_DEVICE)
    .with(&VIRTUAL_DEVICE)
    .with(&DRAG)
    .with(&AMAX)
    .with(&AWMAX)
    .with(&SLOW)
    .with(&INTRINSIC);
    for c in &COORDINATES {
        specification = specification.with(&c.axis).with(&c.offset).with(&c.scale);
        specification = specification.with(&c.min).with(&c.center).with(&c.max);
        specification = specification.with(&c.invert).with(&c.dead_zone).with(&c.curve);
    }
    specification
        .with(&ENABLE_ON)
        .with(&ENABLE_SLOW)
        .with(&ENABLE_TOGGLE)
        .with(&COORDS_INTRINSIC)
        .with(&COORDS_WORLD)
        .with(&COORDS_TOGGLE)
        .with(&JOY_DEAD_ZONE)
        .with(&JOY_AUTOREPEAT_RATE)
        .with(&JOY_COALESCE_INTERVAL)
}
