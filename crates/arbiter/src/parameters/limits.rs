use limiter::{Limits, Settings};
use params::{Parameter, Refusal, Set};

/// From so much on, in either direction, a velocity has no limit \[m/s, rad/s].
const UNLIMITED: f64 = 1e6;
/// The greatest limit of a slope, see [`Settings`].
const STEEPEST: f64 = 1e6;

/// The parameters of one axis.
pub(super) struct Axis {
    name: &'static str,
    min: Parameter<f64>,
    max: Parameter<f64>,
    acceleration: Parameter<f64>,
    deceleration: Parameter<f64>,
    emergency: Parameter<f64>,
    jerk: Parameter<f64>,
}

macro_rules! axis {
    ($name:literal, $unit:literal) => {
        Axis {
            name: $name,
            min: Parameter::float(concat!($name, ".min"), -UNLIMITED, -UNLIMITED, 0.0)
                .unit($unit)
                .needed_by("vehicles differ in what is safe")
                .text("The velocity goes no lower; -1000000: as low as is asked for."),
            max: Parameter::float(concat!($name, ".max"), UNLIMITED, 0.0, UNLIMITED)
                .unit($unit)
                .needed_by("vehicles differ in what is safe")
                .text("The velocity goes no higher; 1000000: as high as is asked for."),
            acceleration: Parameter::float(concat!($name, ".acceleration"), 0.0, 0.0, STEEPEST)
                .unit(concat!($unit, "^2"))
                .needed_by("vehicles differ, peers.md 1.4")
                .text("How fast the speed may rise; 0: at once."),
            deceleration: Parameter::float(concat!($name, ".deceleration"), 0.0, 0.0, STEEPEST)
                .unit(concat!($unit, "^2"))
                .needed_by("vehicles differ, peers.md 1.4")
                .text("How fast the speed may fall while a source drives; 0: at once. A loss is zero at once in any case."),
            emergency: Parameter::float(concat!($name, ".emergency"), 0.0, 0.0, STEEPEST)
                .unit(concat!($unit, "^2"))
                .needed_by("peers.md 3 #10: a separate emergency deceleration")
                .text("How fast the speed falls when a source sends zero, no less than deceleration; 0: at once."),
            jerk: Parameter::float(concat!($name, ".jerk"), 0.0, 0.0, STEEPEST)
                .unit(concat!($unit, "^3"))
                .needed_by("peers.md 3 #10: jerk-limited smoothing")
                .text("How fast an acceleration may change; 0: at once."),
        }
    };
}

/// What can move a wheel, and the index of each in a velocity: linear x, y, z, then angular.
pub(super) const AXES: [(usize, Axis); 2] =
    [(0, axis!("limits.linear.x", "m/s")), (5, axis!("limits.angular.z", "rad/s"))];

impl Axis {
    /// In the order of the YAML file.
    pub(super) const fn all(&self) -> [&Parameter<f64>; 6] {
        [&self.min, &self.max, &self.acceleration, &self.deceleration, &self.emergency, &self.jerk]
    }

    fn read(&self, set: &Set) -> Result<Limits, Refusal> {
        let bound = |parameter: &Parameter<f64>| match parameter.get(set) {
            value if value.abs() >= UNLIMITED => f64::INFINITY.copysign(value),
            value => value,
        };
        let settings = Settings {
            min: bound(&self.min),
            max: bound(&self.max),
            acceleration: self.acceleration.get(set),
            deceleration: self.deceleration.get(set),
            emergency: self.emergency.get(set),
            jerk: self.jerk.get(set),
            dead_band: 0.0,
        };
        Limits::new(&settings).map_err(|error| {
            // The names of the settings are those of the parameters.
            set.refuse(&format!("{}.{}", self.name, error.name), error.rule())
        })
    }
}

/// The limits in `set`.
/// # Errors
/// A [`Refusal`] of an emergency deceleration that is less than the deceleration, and of a slope that is next to none.
pub(super) fn read(set: &Set) -> Result<[Limits; 6], Refusal> {
    let mut limits = [Limits::OFF; 6];
    for (index, axis) in &AXES {
        if let Some(limits) = limits.get_mut(*index) {
            *limits = axis.read(set)?;
        }
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use params::Value;

    use super::*;
    use crate::specification;

    fn limits(overrides: &[(&str, f64)]) -> Result<[Limits; 6], String> {
        let overrides = overrides.iter().map(|&(name, value)| (name.to_owned(), Value::Float(value)));
        let set = specification().resolve(overrides).map_err(|refusals| refusals[0].to_string())?;
        read(&set).map_err(|refusal| refusal.to_string())
    }

    #[test]
    fn by_default_nothing_is_limited() {
        assert_eq!(limits(&[]), Ok([Limits::OFF; 6]));
    }

    #[test]
    fn each_parameter_is_the_limit_of_its_axis() {
        for (index, axis) in &AXES {
            let name = |member: &str| format!("{}.{member}", axis.name);
            let values = [
                ("min", -2.0),
                ("max", 3.0),
                ("acceleration", 4.0),
                ("deceleration", 5.0),
                ("emergency", 6.0),
                ("jerk", 7.0),
            ];
            let named = values.map(|(member, value)| (name(member), value));
            let named: Vec<(&str, f64)> = named.iter().map(|(name, value)| (name.as_str(), *value)).collect();
            let settings = Settings {
                min: -2.0,
                max: 3.0,
                acceleration: 4.0,
                deceleration: 5.0,
                emergency: 6.0,
                jerk: 7.0,
                dead_band: 0.0,
            };
            let mut expected = [Limits::OFF; 6];
            expected[*index] = Limits::new(&settings).unwrap();
            assert_eq!(limits(&named), Ok(expected), "{}", axis.name);
        }
    }

    #[test]
    fn a_limit_that_is_none_is_refused_with_its_name() {
        assert_eq!(
            limits(&[("limits.linear.x.deceleration", 2.0), ("limits.linear.x.emergency", 1.0)]).unwrap_err(),
            "parameter 'limits.linear.x.emergency' is 1.0, must be 0 (off) or 2 to 1000000"
        );
        assert_eq!(
            limits(&[("limits.angular.z.jerk", 1e-9)]).unwrap_err(),
            "parameter 'limits.angular.z.jerk' is 1e-9, must be 0 (off) or 0.000001 to 1000000"
        );
        assert_eq!(
            limits(&[("limits.linear.x.min", 0.1)]).unwrap_err(),
            "parameter 'limits.linear.x.min' is 0.1, must be from -1000000.0 to 0.0 m/s"
        );
        assert!(limits(&[("limits.linear.x.max", f64::INFINITY)]).is_err());
    }
}
