use core::fmt;
use core::time::Duration;

use safety::freshness::AHEAD;
use safety::{FullSpeed, Implausible, NotFinite, Velocity};

/// The part that has no velocity.
const STAMP: &str = "header.stamp";

/// A command that was refused, with the first part that is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refused {
    /// Which part, in the names of `geometry_msgs/msg/TwistStamped`.
    pub part: &'static str,
    /// Its value \[m/s, rad/s; for a stamp s, negative in the past\].
    pub value: f64,
    /// Its limit, either way; `None` if the value was not finite or not known.
    pub most: Option<f64>,
}

impl Refused {
    /// Checks that `velocity` is plausible for a vehicle with this full speed.
    /// # Errors
    /// The first part that is not.
    pub fn check(velocity: &Velocity, full: FullSpeed) -> Result<(), Self> {
        velocity.check_plausible(full).map_err(|Implausible { part, value, most }| Self {
            part,
            value,
            most: Some(most),
        })
    }

    /// A command that is too old.
    pub fn old(age: Duration, timeout: Duration) -> Self {
        Self { part: STAMP, value: -age.as_secs_f64(), most: Some(timeout.as_secs_f64()) }
    }

    /// A command from the future.
    pub fn ahead(by: Duration) -> Self {
        Self { part: STAMP, value: by.as_secs_f64(), most: Some(AHEAD.as_secs_f64()) }
    }

    /// A command with a stamp while the time is not known.
    pub const NO_TIME: Self = Self { part: STAMP, value: f64::NAN, most: None };
}

impl From<NotFinite> for Refused {
    fn from(NotFinite { part, value }: NotFinite) -> Self {
        Self { part, value, most: None }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, value, most } = self;
        match most {
            None if *part == STAMP => write!(f, "{part} has no age, since the time is not known"),
            None => write!(f, "{part} is {value}, must be finite"),
            Some(most) if *part == STAMP => {
                let side = if value.is_sign_negative() { "old" } else { "ahead of this machine's clock" };
                write!(f, "{part} is {:.3} s {side}, must be less than {most} s", value.abs())
            }
            Some(most) => Implausible { part, value: *value, most: *most }.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: FullSpeed = FullSpeed { linear: 1.5, angular: 2.0 };

    #[test]
    fn an_implausible_value_is_refused_by_name_value_and_range() {
        let check = |forward, turn| Refused::check(&Velocity::planar(forward, turn).unwrap(), FULL);
        assert_eq!(check(150.0, -200.0), Ok(()));
        assert_eq!(
            check(-150.1, 0.0).unwrap_err().to_string(),
            "linear.x is -1.501e2, must be from -150 to 150 m/s"
        );
        assert_eq!(
            check(0.0, 1e308).unwrap_err().to_string(),
            "angular.z is 1e308, must be from -200 to 200 rad/s"
        );
        assert_eq!(check(5e-324, -0.0), Ok(()));
    }

    #[test]
    fn a_stamp_is_refused_by_its_age() {
        let old = Refused::old(Duration::from_secs(2), Duration::from_millis(500)).to_string();
        assert_eq!(old, "header.stamp is 2.000 s old, must be less than 0.5 s");
        assert_eq!(
            Refused::ahead(Duration::from_secs(3600)).to_string(),
            "header.stamp is 3600.000 s ahead of this machine's clock, must be less than 0.1 s"
        );
        assert_eq!(Refused::NO_TIME.to_string(), "header.stamp has no age, since the time is not known");
    }

    #[test]
    fn a_value_that_is_not_finite_is_refused_by_name_and_value() {
        let refused = Refused::from(Velocity::planar(f64::NEG_INFINITY, 0.0).unwrap_err());
        assert_eq!(refused.to_string(), "linear.x is -inf, must be finite");
    }
}
