/// The lowest limit of a slope; 0 is off.
const LOWEST: f64 = 1e-6;
/// The highest limit of a slope.
const HIGHEST: f64 = 1e6;

/// The limits of one axis as plain numbers, for [`Limits::new`] to parse.
///
/// In m/s, m/s² and m/s³, or rad/s, rad/s² and rad/s³. The default limits nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The velocity backwards, 0 or negative, minus infinity for no limit \[m/s, rad/s].
    pub min: f64,
    /// The velocity forwards, 0 or positive, infinity for no limit \[m/s, rad/s].
    pub max: f64,
    /// How fast the speed may rise, away from zero: 0 (off) or 0.000001 to 1,000,000 \[m/s², rad/s²].
    pub acceleration: f64,
    /// How fast the speed may fall, towards zero: 0 (off) or 0.000001 to 1,000,000 \[m/s², rad/s²].
    pub deceleration: f64,
    /// How fast the speed falls in an emergency: 0 (at once) or from `deceleration` to 1,000,000 \[m/s², rad/s²].
    pub emergency: f64,
    /// How fast an acceleration may change: 0 (off) or 0.000001 to 1,000,000 \[m/s³, rad/s³].
    pub jerk: f64,
    /// A target nearer to zero than this counts as zero; 0 or greater \[m/s, rad/s].
    pub dead_band: f64,
}

/// The limits of one axis, parsed: a limit that is off is infinite, and an emergency is no weaker than a deceleration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// \[min, max], around zero.
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) acceleration: f64,
    pub(crate) deceleration: f64,
    pub(crate) emergency: f64,
    pub(crate) jerk: f64,
    dead_band: f64,
}

/// A number is out of range for a limit; NaN always is.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{name} is {value}, {}", self.rule())]
pub struct OutOfRange {
    /// Which of the [`Settings`].
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The lowest value it may have.
    pub low: f64,
    /// The highest value it may have.
    pub high: f64,
    /// Whether it may also be 0 for off.
    pub or_off: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            min: f64::NEG_INFINITY,
            max: f64::INFINITY,
            acceleration: 0.0,
            deceleration: 0.0,
            emergency: 0.0,
            jerk: 0.0,
            dead_band: 0.0,
        }
    }
}

impl Limits {
    /// Limits nothing: every target passes unchanged.
    pub const OFF: Self = Self {
        min: f64::NEG_INFINITY,
        max: f64::INFINITY,
        acceleration: f64::INFINITY,
        deceleration: f64::INFINITY,
        emergency: f64::INFINITY,
        jerk: f64::INFINITY,
        dead_band: 0.0,
    };

    /// The limits with these numbers.
    /// # Errors
    /// [`OutOfRange`] names the first number that is not in the range of [`Settings`].
    pub fn new(settings: &Settings) -> Result<Self, OutOfRange> {
        let deceleration = slope("deceleration", settings.deceleration, LOWEST)?;
        Ok(Self {
            min: within("min", settings.min, f64::NEG_INFINITY, 0.0)?,
            max: within("max", settings.max, 0.0, f64::INFINITY)?,
            acceleration: slope("acceleration", settings.acceleration, LOWEST)?,
            deceleration,
            emergency: slope("emergency", settings.emergency, deceleration)?,
            jerk: slope("jerk", settings.jerk, LOWEST)?,
            dead_band: within("dead_band", settings.dead_band, 0.0, f64::MAX)?,
        })
    }

    /// The target for `setpoint`: zero within the dead band, otherwise the nearest velocity in the limits.
    pub(crate) fn target(&self, setpoint: f64) -> f64 {
        // Adding zero makes a zero positive.
        if setpoint.abs() < self.dead_band { 0.0 } else { setpoint.max(self.min).min(self.max) + 0.0 }
    }
}

fn within(name: &'static str, value: f64, low: f64, high: f64) -> Result<f64, OutOfRange> {
    if (low..=high).contains(&value) {
        Ok(value)
    } else {
        Err(OutOfRange { name, value, low, high, or_off: false })
    }
}

/// The limit of a slope, which is 0 for off and otherwise at least `low`; an infinite `low` allows only off.
fn slope(name: &'static str, value: f64, low: f64) -> Result<f64, OutOfRange> {
    if value == 0.0 {
        return Ok(f64::INFINITY);
    }
    within(name, value, low, HIGHEST).map_err(|error| OutOfRange { or_off: true, ..error })
}

impl OutOfRange {
    /// The rule for the value, as text that begins with "must be".
    pub fn rule(&self) -> String {
        let Self { low, high, or_off, .. } = *self;
        match (or_off, low <= high) {
            (true, true) => format!("must be 0 (off) or {low} to {high}"),
            (true, false) => "must be 0 (off), as deceleration is".into(),
            _ => format!("must be {low} to {high}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_limits_nothing() {
        assert_eq!(Limits::new(&Settings::default()), Ok(Limits::OFF));
        for setpoint in [0.0, 5e-324, -1e308, f64::MAX] {
            assert_eq!(Limits::OFF.target(setpoint), setpoint);
        }
    }

    #[test]
    fn a_number_out_of_range_is_refused_with_name_value_and_range() {
        let off = Settings::default();
        let text = |settings| Limits::new(&settings).unwrap_err().to_string();
        assert_eq!(text(Settings { min: 0.5, ..off }), "min is 0.5, must be -inf to 0");
        assert_eq!(text(Settings { max: -0.5, ..off }), "max is -0.5, must be 0 to inf");
        assert_eq!(
            text(Settings { jerk: -1.0, ..off }),
            "jerk is -1, must be 0 (off) or 0.000001 to 1000000"
        );
        assert_eq!(
            text(Settings { acceleration: f64::INFINITY, ..off }),
            "acceleration is inf, must be 0 (off) or 0.000001 to 1000000"
        );
        assert_eq!(
            text(Settings { deceleration: 9e-7, ..off }),
            "deceleration is 0.0000009, must be 0 (off) or 0.000001 to 1000000"
        );
        assert!(
            text(Settings { dead_band: f64::INFINITY, ..off })
                .starts_with("dead_band is inf, must be 0 to 179")
        );
    }

    #[test]
    fn nan_is_refused_as_a_limit() {
        let numbers: [fn(&mut Settings) -> &mut f64; 7] = [
            |s| &mut s.min,
            |s| &mut s.max,
            |s| &mut s.acceleration,
            |s| &mut s.deceleration,
            |s| &mut s.emergency,
            |s| &mut s.jerk,
            |s| &mut s.dead_band,
        ];
        for number in numbers {
            let mut settings = Settings::default();
            *number(&mut settings) = f64::NAN;
            assert!(Limits::new(&settings).is_err(), "{settings:?}");
        }
    }

    #[test]
    fn an_emergency_is_no_weaker_than_a_deceleration() {
        let settings = Settings { deceleration: 2.0, emergency: 1.9, ..Settings::default() };
        let error = Limits::new(&settings).unwrap_err();
        assert_eq!(error.to_string(), "emergency is 1.9, must be 0 (off) or 2 to 1000000");
        assert!(Limits::new(&Settings { emergency: 2.0, ..settings }).is_ok());
        assert!(Limits::new(&Settings { emergency: 0.0, ..settings }).is_ok());
        let error = Limits::new(&Settings { emergency: 5.0, ..Settings::default() }).unwrap_err();
        assert_eq!(error.to_string(), "emergency is 5, must be 0 (off), as deceleration is");
    }

    #[test]
    fn a_target_is_clamped_to_the_limits_and_zero_in_the_dead_band() {
        let settings = Settings { min: -0.5, max: 2.0, dead_band: 0.1, ..Settings::default() };
        let limits = Limits::new(&settings).unwrap();
        for (setpoint, target) in
            [(3.0, 2.0), (-3.0, -0.5), (0.1, 0.1), (0.0999, 0.0), (-0.1, -0.1), (-0.0999, 0.0), (1e308, 2.0)]
        {
            assert_eq!(limits.target(setpoint), target, "{setpoint}");
        }
    }

    #[test]
    fn no_zero_is_negative() {
        let settings = Settings { min: -0.0, max: -0.0, ..Settings::default() };
        let limits = Limits::new(&settings).unwrap();
        for setpoint in [-1.0, -0.0, 0.0, 1.0] {
            assert!(limits.target(setpoint).is_sign_positive());
            assert!(Limits::OFF.target(setpoint * 0.0).is_sign_positive());
        }
    }
}
