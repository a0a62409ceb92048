use params::{Parameter, Refusal, Set, Specification};

const RATE: Parameter<i64> = Parameter::integer("rate", 200, 1, 1000)
    .unit("Hz")
    .text(
        "How often the desired state is computed and published; changes of the stick are published at once.",
    )
    .at_start();
const CONTROL_DEVICE: Parameter<String> = Parameter::string("control_device", "").text(
    "Name of the device that drives, as in device/<name>; empty: the first to connect, and only its model after that.",
);
const VIRTUAL_DEVICE: Parameter<String> = Parameter::string("virtual_device", "")
    .text("Name of a virtual joystick to make; `~/virtual_device` then sets its axes and buttons.")
    .at_start();
const INTRINSIC: Parameter<bool> = Parameter::bool("intrinsic", true).text(
    "Frame of the desired velocity: true the vehicle's own, false the world. Buttons may change it afterwards.",
);
const DRAG: Parameter<f64> = Parameter::float("drag", 3.0, 0.0, 1000.0)
    .unit("1/s")
    .text("Linear friction on the desired velocity; 0 keeps the velocity when the stick is let go.");
const AMAX: Parameter<f64> = Parameter::float("amax", 10.0, 0.0, 1000.0)
    .unit("m/s^2")
    .text("Linear acceleration at full stick; the velocity ends at amax/drag.");
const AWMAX: Parameter<f64> = Parameter::float("awmax", 10.0, 0.0, 1000.0)
    .unit("rad/s^2")
    .text("Angular acceleration at full stick; the angular velocity ends at awmax/drag.");
const SLOW: Parameter<f64> = Parameter::float("slow", 4.0, 0.001, 1000.0)
    .text("What both accelerations are divided by in slow motion; less than 1 counts as 1.");

const ENABLE_ON: Parameter<i64> = button("enable.on")
    .text("Button that lets the stick drive while pressed; with no enable button at all it always drives.");
const ENABLE_SLOW: Parameter<i64> = button("enable.slow")
    .text("Button that lets the stick drive slowly while pressed; with enable.on, by half of `slow`.");
const ENABLE_TOGGLE: Parameter<i64> =
    button("enable.toggle").text("Button that switches the stick's driving on, and off again.");
const COORDS_INTRINSIC: Parameter<i64> =
    button("coords.intrinsic").text("Button that selects the vehicle's own frame.");
const COORDS_WORLD: Parameter<i64> = button("coords.world").text("Button that selects the world frame.");
const COORDS_TOGGLE: Parameter<i64> = button("coords.toggle").text("Button that changes between the frames.");

const fn button(name: &'static str) -> Parameter<i64> {
    Parameter::integer(name, -1, -1, 15)
}

struct Coordinate {
    axis: Parameter<i64>,
    offset: Parameter<f64>,
    scale: Parameter<f64>,
}

macro_rules! coordinate {
    ($name:literal, $motion:literal) => {
        Coordinate {
            axis: Parameter::integer(concat!($name, ".axis"), -1, -1, 15).text(concat!(
                "Axis that commands the acceleration ",
                $motion,
                "; -1: none."
            )),
            offset: Parameter::float(concat!($name, ".offset"), 0.0, -10.0, 10.0)
                .text("Added to the axis (-1 to 1) before scaling."),
            scale: Parameter::float(concat!($name, ".scale"), 1.0, -10.0, 10.0)
                .text("Factor on axis and offset, -1 inverts; the product is cut to -1 to 1."),
        }
    };
}

const COORDINATES: [Coordinate; 6] = [
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
    for coordinate in &COORDINATES {
        specification = specification.with(&coordinate.axis).with(&coordinate.offset).with(&coordinate.scale);
    }
    specification
        .with(&ENABLE_ON)
        .with(&ENABLE_SLOW)
        .with(&ENABLE_TOGGLE)
        .with(&COORDS_INTRINSIC)
        .with(&COORDS_WORLD)
        .with(&COORDS_TOGGLE)
}

/// The node's parameters as values of their own types.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    /// How often the filter runs \[Hz], 1 to 1000; read at start only.
    pub rate: u32,
    /// Port of the device that drives, or what SDL calls it; empty: the first to connect.
    pub control_device: String,
    /// Name of a virtual joystick that the node makes; empty: none. The machine does not use it.
    pub virtual_device: String,
    /// Whether velocities are told in the vehicle's own frame, until a button says otherwise.
    ///
    /// # Source
    /// own: the siblings of the openrobots component begin with `false`. A stick on a vehicle means the vehicle's
    /// frame, and what comes after this node refuses velocities in the world frame, having no attitude to turn them.
    pub intrinsic: bool,
    /// From command to velocity.
    pub dynamics: Dynamics,
    /// From axes and buttons to command and mode.
    pub mappings: Mappings,
}

/// How a command becomes a velocity.
///
/// # Source
/// joystick-genom3 `params_s`. It prints drag in m/s², but a coefficient on a velocity is 1/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dynamics {
    /// Linear friction for all six coordinates \[1/s], 0 to 1000.
    pub drag: f64,
    /// Linear acceleration at full stick \[m/s²], 0 to 1000.
    pub amax: f64,
    /// Angular acceleration at full stick \[rad/s²], 0 to 1000.
    pub awmax: f64,
    /// What both are divided by in slow motion, 0.001 to 1000; less than 1 counts as 1.
    pub slow: f64,
}

/// Which axes and buttons mean what.
///
/// # Source
/// joystick-genom3 `mappings_s`; `None` is its -1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mappings {
    /// Linear accelerations x, y, z.
    pub linear: [AxisMapping; 3],
    /// Angular accelerations about x, y, z.
    pub angular: [AxisMapping; 3],
    /// What lets the stick drive.
    pub enable: EnableButtons,
    /// What selects the frame.
    pub coords: FrameButtons,
}

/// One coordinate's share of a stick: `command = scale * (input + offset)`, cut to \[-1, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisMapping {
    /// Which axis, hats included; `None`: the command is 0.
    pub axis: Option<usize>,
    /// Added to the input, -10 to 10.
    pub offset: f64,
    /// Factor on the sum, -10 to 10.
    pub scale: f64,
}

/// Buttons that let the stick drive; `None` is unused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnableButtons {
    /// While pressed.
    pub on: Option<usize>,
    /// While pressed, slowly.
    pub slow: Option<usize>,
    /// From one press to the next.
    pub toggle: Option<usize>,
}

/// Buttons that select the frame; `None` is unused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameButtons {
    /// The vehicle's own.
    pub intrinsic: Option<usize>,
    /// The world.
    pub world: Option<usize>,
    /// The other one.
    pub toggle: Option<usize>,
}

impl Params {
    /// The values in force in `set`.
    /// # Errors
    /// None that the specification's own ranges let through.
    pub fn read(set: &Set) -> Result<Self, Refusal> {
        let rate =
            u32::try_from(RATE.get(set)).map_err(|_| set.refuse("rate", "must be from 1 to 1000 Hz"))?;
        let [x, y, z, ax, ay, az] = COORDINATES.map(|coordinate| AxisMapping {
            axis: number(&coordinate.axis, set),
            offset: coordinate.offset.get(set),
            scale: coordinate.scale.get(set),
        });
        Ok(Self {
            rate,
            control_device: CONTROL_DEVICE.get(set),
            virtual_device: VIRTUAL_DEVICE.get(set),
            intrinsic: INTRINSIC.get(set),
            dynamics: Dynamics {
                drag: DRAG.get(set),
                amax: AMAX.get(set),
                awmax: AWMAX.get(set),
                slow: SLOW.get(set),
            },
            mappings: Mappings {
                linear: [x, y, z],
                angular: [ax, ay, az],
                enable: EnableButtons {
                    on: number(&ENABLE_ON, set),
                    slow: number(&ENABLE_SLOW, set),
                    toggle: number(&ENABLE_TOGGLE, set),
                },
                coords: FrameButtons {
                    intrinsic: number(&COORDS_INTRINSIC, set),
                    world: number(&COORDS_WORLD, set),
                    toggle: number(&COORDS_TOGGLE, set),
                },
            },
        })
    }
}

/// The number of an axis or button; a negative one is none.
fn number(parameter: &Parameter<i64>, set: &Set) -> Option<usize> {
    usize::try_from(parameter.get(set)).ok()
}

/// The defaults of the specification.
impl Default for Params {
    fn default() -> Self {
        Self {
            rate: 200,
            control_device: String::new(),
            virtual_device: String::new(),
            intrinsic: true,
            dynamics: Dynamics::default(),
            mappings: Mappings::default(),
        }
    }
}

/// The defaults of the specification.
impl Default for Dynamics {
    fn default() -> Self {
        Self { drag: 3.0, amax: 10.0, awmax: 10.0, slow: 4.0 }
    }
}

/// No axis, offset 0, scale 1.
impl Default for AxisMapping {
    fn default() -> Self {
        Self { axis: None, offset: 0.0, scale: 1.0 }
    }
}
