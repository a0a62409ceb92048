use params::Parameter;

use crate::device::as_button;
use crate::names::{AXIS_PARAMETERS, BUTTON_PARAMETERS, UNKNOWN};

params::params! {
    /// How a command becomes a velocity.
    ///
    /// # Source
    /// joystick-genom3 `params_s`. It prints drag in m/s², but a coefficient on a velocity is 1/s. Its default
    /// accelerations are 10: a full stick would reach 3.3 m/s, a later stage would limit that to 1 m/s, and after a release the
    /// vehicle would continue at 1 m/s for 0.4 s.
    #[derive(Copy)]
    pub struct Dynamics {
        /// Linear friction on the desired velocity; 0 keeps the velocity when the stick is released, and does not bound it.
        drag: f64 = Parameter::float("drag", 3.0, 0.0, 1000.0).unit("1/s"),
        /// Linear acceleration at full stick, where a coordinate has no `max_speed`; the velocity settles at amax/drag, which
        /// also limits a takeover's start.
        amax: f64 = Parameter::float("amax", 3.0, 0.0, 1000.0).unit("m/s^2"),
        /// Angular acceleration at full stick, where a coordinate has no `max_speed`; the angular velocity settles at
        /// awmax/drag, which also limits a takeover's start.
        awmax: f64 = Parameter::float("awmax", 3.0, 0.0, 1000.0).unit("rad/s^2"),
        /// Divisor of accelerations and speeds in slow motion, where a coordinate has no `slow_speed`; less than 1 counts as 1.
        slow: f64 = Parameter::float("slow", 4.0, 0.001, 1000.0),
    }
}

/// The functions of axes and buttons.
///
/// # Source
/// joystick-genom3 `mappings_s`; `None` is its -1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mappings {
    /// Linear accelerations x, y, z.
    pub linear: [AxisMapping; 3],
    /// Angular accelerations about x, y, z.
    pub angular: [AxisMapping; 3],
    /// The buttons that enable the stick.
    pub enable: EnableButtons,
    /// The buttons that select the frame.
    pub coords: FrameButtons,
}

impl Mappings {
    /// The buttons, in the order of [`BUTTON_PARAMETERS`].
    pub(crate) fn buttons_mut(&mut self) -> [&mut Option<usize>; 6] {
        let Self { enable, coords, .. } = self;
        let (on, slow, toggle) = (&mut enable.on, &mut enable.slow, &mut enable.toggle);
        [on, slow, toggle, &mut coords.intrinsic, &mut coords.world, &mut coords.toggle]
    }

    /// Whether an input has a name and no number yet.
    pub(crate) fn has_unknown(mut self) -> bool {
        let is_unknown = |number: Option<usize>| number == Some(UNKNOWN);
        let axes = self.linear.iter().chain(&self.angular).any(|mapping| is_unknown(mapping.axis));
        axes || self.buttons_mut().into_iter().any(|button| is_unknown(*button))
    }

    /// The mapped inputs that a device with this many axes (hats as two) and buttons does not have: parameters and
    /// their values.
    pub(crate) fn beyond(&self, axes: usize, buttons: usize) -> Vec<(String, usize)> {
        let mut beyond = Vec::new();
        for (mapping, name) in self.linear.iter().chain(&self.angular).zip(AXIS_PARAMETERS) {
            beyond.extend(mapping.axis.filter(|&axis| axis >= axes).map(|axis| (name.to_owned(), axis)));
        }
        let mut mapped = *self;
        for (name, &mut button) in BUTTON_PARAMETERS.into_iter().zip(mapped.buttons_mut()) {
            let is_missing =
                |button: usize| button >= buttons && !(as_button(0)..as_button(axes)).contains(&button);
            beyond
                .extend(button.filter(|&button| is_missing(button)).map(|button| (name.to_owned(), button)));
        }
        beyond
    }
}

/// The mapping of one coordinate: `command = scale * (input + offset)`, limited to \[-1, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AxisMapping {
    /// The axis, hats included; `None`: the command is 0.
    pub axis: Option<usize>,
    /// Added to the input, -10 to 10.
    pub offset: f64,
    /// Factor on the sum, -10 to 10.
    pub scale: f64,
    /// The conversion of the raw axis to the input.
    pub shape: Shape,
    /// The speed that a full command settles at \[m/s, rad/s]; `None`: the acceleration over the drag.
    pub max_speed: Option<f64>,
    /// The speed that it settles at in slow motion; `None`: the one at full command, divided.
    pub slow_speed: Option<f64>,
}

/// From a raw axis to the input of a mapping, in this order: calibration, inversion, dead zone, curve.
///
/// The default changes nothing: the input is the raw value over 32767, with -32768 taken as -32767.
///
/// # Source
/// own; the openrobots component has none of these, and its device ports stay raw here too.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// The raw value that means -1; values beyond mean -1 too.
    pub min: i16,
    /// The raw value that means 0.
    pub center: i16,
    /// The raw value that means 1; values beyond mean 1 too.
    pub max: i16,
    /// Whether the direction is inverted.
    pub invert: bool,
    /// Dead zone, 0 to 0.9, in which the input is 0; the rest is stretched to the whole range.
    pub dead_zone: f64,
    /// Exponent of the magnitude, 0.2 to 5; 1 is linear, more makes the centre finer.
    pub curve: f64,
}

/// Buttons that let the stick drive; `None` is unused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EnableButtons {
    /// Enables while pressed.
    pub on: Option<usize>,
    /// Enables slow motion while pressed.
    pub slow: Option<usize>,
    /// Enables from one press to the next.
    pub toggle: Option<usize>,
}

/// Buttons that select the frame; `None` is unused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FrameButtons {
    /// Selects the vehicle's own frame.
    pub intrinsic: Option<usize>,
    /// Selects the world frame.
    pub world: Option<usize>,
    /// Selects the other frame.
    pub toggle: Option<usize>,
}

params::params! {
    /// How `joy` is published.
    ///
    /// # Source
    /// The ROS 2 `joy` package's `deadzone`, `autorepeat_rate` and `coalesce_interval_ms`, with its defaults.
    #[derive(Copy)]
    pub struct JoyParams {
        /// Part of an axis's range from the centre where `joy` is 0; the rest is stretched to the whole range.
        dead_zone: f64 = Parameter::float("joy.dead_zone", 0.05, 0.0, 0.9),
        /// How often `joy` is published without a change; 0: on changes only.
        autorepeat_rate: f64 = Parameter::float("joy.autorepeat_rate", 20.0, 0.0, 1000.0).unit("Hz"),
        /// How long the moves of axes are collected into one message of `joy`; buttons and hats do not wait.
        coalesce_interval: f64 = Parameter::float("joy.coalesce_interval", 0.001, 0.0, 1.0).unit("s"),
    }
}

impl AxisMapping {
    /// The speed \[m/s, rad/s] that a full command settles at with this `acceleration` \[m/s², rad/s²] and `drag` \[1/s], which
    /// do not matter where it is set.
    pub fn top_speed(&self, acceleration: f64, drag: f64) -> f64 {
        self.max_speed.unwrap_or(acceleration / drag)
    }
}

/// No axis, offset 0, scale 1, raw, no speeds.
impl Default for AxisMapping {
    fn default() -> Self {
        let (max_speed, slow_speed) = (None, None);
        Self { axis: None, offset: 0.0, scale: 1.0, shape: Shape::RAW, max_speed, slow_speed }
    }
}

impl Shape {
    /// The identity.
    pub const RAW: Self =
        Self { min: -i16::MAX, center: 0, max: i16::MAX, invert: false, dead_zone: 0.0, curve: 1.0 };
}

/// [`Shape::RAW`].
impl Default for Shape {
    fn default() -> Self {
        Self::RAW
    }
}
