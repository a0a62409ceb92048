use params::Value;

use crate::mapping::COORDINATES;
use crate::{AxisMapping, Mappings, Shape};

/// Changes of parameters, by name.
pub type Changes = Vec<(String, Value)>;

/// The mappings as they are asked for over the wire: any numbers, a negative one for "unused".
///
/// # Source
/// joystick-genom3 `mappings_s`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AskedMappings {
    /// Linear accelerations x, y, z.
    pub linear: [AskedAxis; 3],
    /// Angular accelerations about x, y, z.
    pub angular: [AskedAxis; 3],
    /// The buttons `enable.on`, `enable.slow`, `enable.toggle`.
    pub enable: [i16; 3],
    /// The buttons `coords.intrinsic`, `coords.world`, `coords.toggle`.
    pub coords: [i16; 3],
}

/// One coordinate of [`AskedMappings`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AskedAxis {
    /// Which axis.
    pub axis: i16,
    /// Added to the input.
    pub offset: f64,
    /// Factor on the sum.
    pub scale: f64,
}

const ENABLE: [&str; 3] = ["enable.on", "enable.slow", "enable.toggle"];
const COORDS: [&str; 3] = ["coords.intrinsic", "coords.world", "coords.toggle"];

impl AskedMappings {
    /// The parameters that say the same, where `before` is in force. Whether they may is for the parameters' own checks;
    /// every negative number is -1.
    ///
    /// A coordinate that gets another axis gets the default calibration, direction and curve with it: those of the axis
    /// before are wrong for it, and a sprung stick would command half speed at rest after a trigger. The dead zone stays.
    pub fn changes(&self, before: &Mappings) -> Changes {
        let mut changes = Changes::new();
        let asked = self.linear.iter().chain(&self.angular);
        let before = Self::from(before);
        for ((name, asked), before) in
            COORDINATES.iter().zip(asked).zip(before.linear.iter().chain(&before.angular))
        {
            changes.push((format!("{name}.axis"), number(asked.axis)));
            changes.push((format!("{name}.offset"), Value::Float(asked.offset)));
            changes.push((format!("{name}.scale"), Value::Float(asked.scale)));
            if asked.axis.max(-1) != before.axis {
                let Shape { min, center, max, invert, curve, .. } = Shape::RAW;
                for (part, counts) in [("min", min), ("center", center), ("max", max)] {
                    changes.push((format!("{name}.{part}"), Value::Integer(counts.into())));
                }
                changes.push((format!("{name}.invert"), Value::Bool(invert)));
                changes.push((format!("{name}.curve"), Value::Float(curve)));
            }
        }
        for (name, &button) in ENABLE.iter().zip(&self.enable).chain(COORDS.iter().zip(&self.coords)) {
            changes.push(((*name).into(), number(button)));
        }
        changes
    }
}

/// What is in force, as it is told over the wire.
impl From<&Mappings> for AskedMappings {
    fn from(mappings: &Mappings) -> Self {
        let axis = |mapping: AxisMapping| AskedAxis {
            axis: told(mapping.axis),
            offset: mapping.offset,
            scale: mapping.scale,
        };
        let Mappings { linear, angular, enable, coords } = mappings;
        Self {
            linear: linear.map(axis),
            angular: angular.map(axis),
            enable: [enable.on, enable.slow, enable.toggle].map(told),
            coords: [coords.intrinsic, coords.world, coords.toggle].map(told),
        }
    }
}

/// The parameters that say what `set_state_params` asks for.
///
/// # Source
/// joystick-genom3 `params_s`.
pub fn dynamics_changes(drag: f64, amax: f64, awmax: f64, slow: f64) -> Changes {
    let values = [("drag", drag), ("amax", amax), ("awmax", awmax), ("slow", slow)];
    values.into_iter().map(|(name, value)| (name.to_owned(), Value::Float(value))).collect()
}

/// The parameter that says what `set_intrinsic_mode` asks for.
pub fn frame_change(intrinsic: bool) -> (String, Value) {
    ("intrinsic".into(), Value::Bool(intrinsic))
}

fn number(asked: i16) -> Value {
    Value::Integer(i64::from(asked.max(-1)))
}

fn told(number: Option<usize>) -> i16 {
    number.and_then(|number| i16::try_from(number).ok()).unwrap_or(-1)
}
