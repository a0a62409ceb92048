use limiter::{Limits, Settings};
use params::{Parameter, Refusal, Set};

/// A limit of a velocity, in either direction, that is off \[m/s, rad/s].
const UNLIMITED: f64 = 1e6;
/// The greatest limit of a slope, see [`Settings`].
const STEEPEST: f64 = 1e6;

/// The parameters of one axis.
macro_rules! axis {
    ($axis:ident, $name:literal, $unit:literal) => {
        params::params! {
            pub(super) struct $axis {
                /// Minimum velocity; -1000000: no limit.
                min: f64 = Parameter::float(concat!($name, ".min"), -UNLIMITED, -UNLIMITED, 0.0).unit($unit),
                /// Maximum velocity; 1000000: no limit.
                max: f64 = Parameter::float(concat!($name, ".max"), UNLIMITED, 0.0, UNLIMITED).unit($unit),
                /// Maximum acceleration; 0: no limit.
                acceleration: f64 = Parameter::float(concat!($name, ".acceleration"), 0.0, 0.0, STEEPEST).unit(concat!($unit, "^2")),
                /// Maximum deceleration while a source drives; 0: no limit. A loss is zero at once in any case.
                deceleration: f64 = Parameter::float(concat!($name, ".deceleration"), 0.0, 0.0, STEEPEST).unit(concat!($unit, "^2")),
                /// Deceleration when a source sends zero, no less than deceleration; 0: at once.
                emergency: f64 = Parameter::float(concat!($name, ".emergency"), 0.0, 0.0, STEEPEST).unit(concat!($unit, "^2")),
                /// Maximum jerk; 0: no limit.
                jerk: f64 = Parameter::float(concat!($name, ".jerk"), 0.0, 0.0, STEEPEST).unit(concat!($unit, "^3")),
            }
        }

        impl $axis {
            fn limits(set: &Set) -> Result<Limits, Refusal> {
                let Self { min, max, acceleration, deceleration, emergency, jerk } = Self::get(set);
                let (min, max) = (bound(min), bound(max));
                let settings =
                    Settings { min, max, acceleration, deceleration, emergency, jerk, dead_band: 0.0 };
                Limits::new(&settings).map_err(|error| {
                    // The names of the settings are those of the parameters.
                    set.refuse(&format!("{}.{}", $name, error.name), error.rule())
                })
            }
        }
    };
}

// The axes that can move a wheel.
axis!(LinearX, "limits.linear.x", "m/s");
axis!(AngularZ, "limits.angular.z", "rad/s");

fn bound(value: f64) -> f64 {
    if value.abs() >= UNLIMITED { f64::INFINITY.copysign(value) } else { value }
}

/// The limits in `set`.
/// # Errors
/// A [`Refusal`] of an emergency deceleration that is less than the deceleration, and of a slope that is too small.
pub(super) fn read(set: &Set) -> Result<[Limits; 6], Refusal> {
    let mut limits = [Limits::OFF; 6];
    limits[0] = LinearX::limits(set)?;
    limits[5] = AngularZ::limits(set)?;
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
        for (index, axis) in [(0, "limits.linear.x"), (5, "limits.angular.z")] {
            let name = |member: &str| format!("{axis}.{member}");
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
            expected[index] = Limits::new(&settings).unwrap();
            assert_eq!(limits(&named), Ok(expected), "{axis}");
        }
    }

    #[test]
    fn an_invalid_limit_is_refused_with_its_name() {
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
