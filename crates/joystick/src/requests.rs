use params::Value;

use crate::mapping::COORDINATES;
use crate::names::{AXIS_PARAMETERS, BUTTON_PARAMETERS};
use crate::{AxisMapping, Mappings, Shape};

/// Parameter changes by name.
pub type Changes = Vec<(String, Value)>;

/// The mappings as a service requests them: any numbers; a negative one means unused.
///
/// # Source
/// joystick-genom3 `mappings_s`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RequestedMappings {
    /// Linear accelerations x, y, z.
    pub linear: [RequestedAxis; 3],
    /// Angular accelerations about x, y, z.
    pub angular: [RequestedAxis; 3],
    /// The buttons `enable.on`, `enable.slow`, `enable.toggle`.
    pub enable: [i16; 3],
    /// The buttons `coords.intrinsic`, `coords.world`, `coords.toggle`.
    pub coords: [i16; 3],
}

/// One coordinate of [`RequestedMappings`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RequestedAxis {
    /// The axis.
    pub axis: i16,
    /// Added to the input.
    pub offset: f64,
    /// Factor on the sum.
    pub scale: f64,
}

impl RequestedMappings {
    /// The equivalent parameter changes, where `before` is in force. Their validity is checked by the parameters;
    /// every negative number becomes -1. A number that is in force already is no change: a parameter that gives it by name
    /// keeps the name.
    ///
    /// A coordinate that gets another axis also gets the default calibration, direction and curve: those of the
    /// previous axis would be wrong, and after a trigger a spring-centred stick would command half speed at rest. The
    /// dead zone stays.
    pub fn changes(&self, before: &Mappings) -> Changes {
        let mut changes = Changes::new();
        let requested = self.linear.iter().chain(&self.angular);
        let before = Self::from(before);
        for (((name, axis), requested), before) in COORDINATES
            .iter()
            .zip(AXIS_PARAMETERS)
            .zip(requested)
            .zip(before.linear.iter().chain(&before.angular))
        {
            if requested.axis < 0 || requested.axis != before.axis {
                changes.push((axis.into(), number(requested.axis)));
            }
            changes.push((format!("{name}.offset"), Value::Float(requested.offset)));
            changes.push((format!("{name}.scale"), Value::Float(requested.scale)));
            if requested.axis.max(-1) != before.axis {
                let Shape { min, center, max, invert, curve, .. } = Shape::RAW;
                for (part, counts) in [("min", min), ("center", center), ("max", max)] {
                    changes.push((format!("{name}.{part}"), Value::Integer(counts.into())));
                }
                changes.push((format!("{name}.invert"), Value::Bool(invert)));
                changes.push((format!("{name}.curve"), Value::Float(curve)));
            }
        }
        let (requested, before) =
            (self.enable.iter().chain(&self.coords), before.enable.iter().chain(&before.coords));
        for ((name, &button), &before) in BUTTON_PARAMETERS.iter().zip(requested).zip(before) {
            if button < 0 || button != before {
                changes.push(((*name).into(), number(button)));
            }
        }
        changes
    }
}

/// Converts the mappings in force to message fields.
impl From<&Mappings> for RequestedMappings {
    fn from(mappings: &Mappings) -> Self {
        let axis = |mapping: AxisMapping| RequestedAxis {
            axis: wire_index(mapping.axis),
            offset: mapping.offset,
            scale: mapping.scale,
        };
        let Mappings { linear, angular, enable, coords } = mappings;
        Self {
            linear: linear.map(axis),
            angular: angular.map(axis),
            enable: [enable.on, enable.slow, enable.toggle].map(wire_index),
            coords: [coords.intrinsic, coords.world, coords.toggle].map(wire_index),
        }
    }
}

/// The parameter changes that `set_state_params` requests.
///
/// # Source
/// joystick-genom3 `params_s`.
pub fn dynamics_changes(drag: f64, amax: f64, awmax: f64, slow: f64) -> Changes {
    let values = [("drag", drag), ("amax", amax), ("awmax", awmax), ("slow", slow)];
    values.into_iter().map(|(name, value)| (name.to_owned(), Value::Float(value))).collect()
}

/// The parameter change that `set_intrinsic_mode` requests.
pub fn frame_change(intrinsic: bool) -> (String, Value) {
    ("intrinsic".into(), Value::Bool(intrinsic))
}

fn number(requested: i16) -> Value {
    Value::Integer(i64::from(requested.max(-1)))
}

fn wire_index(number: Option<usize>) -> i16 {
    number.and_then(|number| i16::try_from(number).ok()).unwrap_or(-1)
}
