/// The level of a wheel at full speed: servo values 24 to 156 about 90.
///
/// # Source
/// hindbrain, constants: stop 90, range 24 to 156.
pub const FULL: i16 = 66;

/// One count of level in the exact unit of [`Wheels`](super::Wheels): thousandths of a count per second, times nanoseconds.
pub const COUNT: i64 = 1_000 * 1_000_000_000;

/// The largest part of a setpoint: full deflection in millionths.
const WHOLE: i32 = 1_000_000;

/// A commanded motion in millionths of full deflection: `linear` forward positive, `angular` counter-clockwise positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Setpoint {
    linear: i32,
    angular: i32,
}

impl Setpoint {
    /// Standing still.
    pub const ZERO: Self = Self { linear: 0, angular: 0 };

    /// The setpoint with these parts, each limited to -1,000,000 to 1,000,000.
    pub fn new(linear: i32, angular: i32) -> Self {
        Self { linear: linear.clamp(-WHOLE, WHOLE), angular: angular.clamp(-WHOLE, WHOLE) }
    }

    /// Millionths of full speed, forward positive, -1,000,000 to 1,000,000.
    pub const fn linear(self) -> i32 {
        self.linear
    }

    /// Millionths of full turn, counter-clockwise positive, -1,000,000 to 1,000,000.
    pub const fn angular(self) -> i32 {
        self.angular
    }

    /// This setpoint without its turn.
    pub const fn straight(self) -> Self {
        Self { linear: self.linear, angular: 0 }
    }
}

/// The mapping from a setpoint to the levels of two wheels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mapping {
    /// [`mix`]: REP-103's sign, turns in place, reverse as the mirror image of forward.
    Symmetric,
    /// [`mix_as_the_seed`].
    Seed,
}

impl Mapping {
    /// The exact levels of the port and the starboard wheel for `setpoint`, in 1/[`COUNT`], none further from zero than `full`. They are
    /// whole counts, rounded toward zero, unless `is_exact`, and always in the seed's mapping.
    pub fn targets(self, setpoint: Setpoint, full: i16, is_exact: bool) -> [i64; 2] {
        match self {
            Self::Symmetric if is_exact => mix(setpoint, full),
            Self::Symmetric => mix(setpoint, full).map(|level| level / COUNT * COUNT),
            Self::Seed => mix_as_the_seed(setpoint, full).map(|level| i64::from(level) * COUNT),
        }
    }
}

/// The exact levels of the port and the starboard wheel for `setpoint`, in 1/[`COUNT`].
///
/// `port = linear - angular`, `starboard = linear + angular`. If one of them is beyond full, both are divided by the same
/// number: the vehicle drives the same curve more slowly. Rounds toward zero: no setpoint makes a wheel turn faster than
/// commanded, in the mean.
/// * `full`: the level at full speed; no level is further from zero than it
/// # Source
/// own: REP-103's sign (a positive turn slows port), turns in place, and reverse is the mirror image of forward. The
/// original ignored the turn in reverse, could not turn in place and turned to the other side.
pub fn mix(setpoint: Setpoint, full: i16) -> [i64; 2] {
    let (port, starboard) = (setpoint.linear - setpoint.angular, setpoint.linear + setpoint.angular);
    let divisor = port.abs().max(starboard.abs()).max(WHOLE);
    [port, starboard].map(|side| {
        let level = i128::from(side) * i128::from(full) * i128::from(COUNT) / i128::from(divisor);
        // |side| <= divisor, so |level| <= |full| and fits.
        i64::try_from(level).unwrap_or(0)
    })
}

/// The levels of the port and the starboard wheel exactly as in the original, for every setpoint in whole thousandths.
///
/// Forward: the outer wheel gets `linear`, the inner one `linear * (1 - |angular|) + 0.005` where there is a turn, and a
/// positive turn slows **starboard**, against REP-103. In reverse the turn is ignored; there is no turn in place. The
/// servo value is rounded half up, hence the level half down.
/// # Source
/// hindbrain (Bravo, 2016), `setMotorSpeed`.
pub fn mix_as_the_seed(setpoint: Setpoint, full: i16) -> [i16; 2] {
    /// Full deflection in millionths, and the seed's 0.005.
    const MILLION: i64 = 1_000_000;
    const BIAS: i64 = 5_000;
    let (linear, angular) = (i64::from(setpoint.linear / 1_000), i64::from(setpoint.angular / 1_000));
    let outer = linear * 1_000;
    let inner = if linear < 0 || angular == 0 { outer } else { linear * (1_000 - angular.abs()) + BIAS };
    let [port, starboard] = if angular > 0 { [outer, inner] } else { [inner, outer] };
    [port, starboard].map(|side| {
        let doubled = 2 * side * i64::from(full) - MILLION;
        let level = doubled.div_euclid(2 * MILLION) + i64::from(doubled.rem_euclid(2 * MILLION) > 0);
        let bound = i64::from(full).abs();
        // Within full, which fits.
        i16::try_from(level.clamp(-bound, bound)).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The setpoint with these parts in thousandths.
    fn setpoint(linear: i32, angular: i32) -> Setpoint {
        Setpoint::new(linear * 1_000, angular * 1_000)
    }

    /// The whole counts of these parts in thousandths.
    fn levels(linear: i32, angular: i32) -> [i64; 2] {
        Mapping::Symmetric.targets(setpoint(linear, angular), FULL, false).map(|level| level / COUNT)
    }

    #[test]
    fn every_setpoint_maps_into_range_and_symmetrically() {
        for linear in -1000..=1000 {
            for angular in -1000..=1000 {
                let [port, starboard] = levels(linear, angular);
                assert!(port.abs() <= 66 && starboard.abs() <= 66, "{linear} {angular}");
                // The mirror image swaps the wheels; reverse swaps and negates them.
                assert_eq!(levels(linear, -angular), [starboard, port]);
                assert_eq!(levels(-linear, angular), [-starboard, -port]);
                // A turn to the left (positive) never makes port the faster wheel.
                assert!((starboard - port) * i64::from(angular.signum()) >= 0, "{linear} {angular}");
                assert!((port + starboard) * i64::from(linear.signum()) >= 0, "{linear} {angular}");
            }
        }
    }

    #[test]
    fn the_mapping_is_monotonic() {
        for a in -1000..1000 {
            let (here, next) = (levels(a, 0), levels(a + 1, 0));
            assert!(next[0] >= here[0] && here[0] == here[1]);
            let (here, next) = (levels(0, a), levels(0, a + 1));
            assert!(next[1] >= here[1] && here[0] == -here[1]);
        }
    }

    #[test]
    fn the_ends_of_the_range_are_reached() {
        assert_eq!(levels(0, 0), [0, 0]);
        assert_eq!(levels(1000, 0), [66, 66]);
        assert_eq!(levels(-1000, 0), [-66, -66]);
        assert_eq!(levels(0, 1000), [-66, 66]);
    }

    #[test]
    fn saturation_keeps_the_curve() {
        // port 1000 - 500 = 500, starboard 1500; over 1500: 22 and 66, still 1 to 3.
        assert_eq!(levels(1000, 500), [22, 66]);
        // port 0, starboard 2000: a pivot about the port wheel stays one.
        assert_eq!(levels(1000, 1000), [0, 66]);
    }

    #[test]
    fn exact_levels_are_those_of_the_setpoint() {
        let exact = |linear, angular| Mapping::Symmetric.targets(Setpoint::new(linear, angular), FULL, true);
        // A fiftieth of full forward, 1.32 counts, and a millionth of it turned.
        assert_eq!(exact(20_000, 0), [1_320_000_000_000; 2]);
        assert_eq!(exact(0, 1), [-66_000_000, 66_000_000]);
        assert_eq!(exact(1_000_000, 500_000), [22 * COUNT, 66 * COUNT]);
    }

    #[test]
    fn levels_are_rounded_toward_zero() {
        // 66 * 15 / 1000 = 0.99; 66 * 16 / 1000 = 1.056.
        assert_eq!(levels(15, 0), [0, 0]);
        assert_eq!(levels(16, 0), [1, 1]);
        assert_eq!(levels(-15, 0), [0, 0]);
    }

    #[test]
    fn the_seeds_mapping_matches_the_original() {
        // Computed by hand from the original's code: servo = round(90 - 66 * rel), level = 90 - servo.
        let cases = [
            ((0, 0), [0, 0]),
            ((1000, 0), [66, 66]),
            ((-1000, 0), [-66, -66]),
            // Straight reverse for any turn, and no turn in place: 66 * 0.005 = 0.33.
            ((-1000, 1000), [-66, -66]),
            ((0, 1000), [0, 0]),
            // A pivot about the inner wheel: 33 and 66 * 0.005; positive slows starboard.
            ((500, 1000), [33, 0]),
            ((500, -1000), [0, 33]),
            // 1 * 0.999 + 0.005 is beyond full, 66.264, and rounds to it.
            ((1000, 1), [66, 66]),
            // The bias makes the inner wheel the faster one: 66 * 0.003 = 0.2, 66 * (0.003 * 0.999 + 0.005) = 0.53.
            ((3, 1), [0, 1]),
            // Ties: 90 - 16.5 = 73.5 rounds to 74, 90 + 16.5 = 106.5 to 107.
            ((250, 0), [16, 16]),
            ((-250, 0), [-17, -17]),
        ];
        for ((linear, angular), levels) in cases {
            assert_eq!(mix_as_the_seed(setpoint(linear, angular), FULL), levels, "{linear} {angular}");
        }
    }

    #[test]
    fn the_seeds_bias_also_applies_at_zero() {
        // 0.005 of 66 is less than half a count, of 200 a whole one; the inner wheel has it.
        assert_eq!(mix_as_the_seed(setpoint(0, 1000), 200), [0, 1]);
        assert_eq!(mix_as_the_seed(setpoint(0, -1000), 200), [1, 0]);
        assert_eq!(mix_as_the_seed(setpoint(0, 0), 200), [0, 0]);
    }

    #[test]
    fn the_seeds_mapping_agrees_with_its_formula_for_every_setpoint() {
        for linear in -1000..=1000 {
            for angular in -1000..=1000 {
                let levels = mix_as_the_seed(setpoint(linear, angular), FULL);
                assert!(levels.iter().all(|level| level.abs() <= FULL), "{linear} {angular}");
                let (lin, ang) = (f64::from(linear) / 1000.0, f64::from(angular) / 1000.0);
                let inner = lin * (1.0 - ang.abs()) + 0.005;
                let [port, starboard] = match (linear, angular) {
                    (..0, _) | (_, 0) => [lin, lin],
                    (_, 1..) => [lin, inner],
                    (_, ..0) => [inner, lin],
                };
                for (level, relative) in levels.into_iter().zip([port, starboard]) {
                    let servo = 90.0 - 66.0 * relative;
                    // f64 cannot decide ties, integers can.
                    let tie = (servo - servo.floor() - 0.5).abs() < 1e-9;
                    assert!(
                        tie || 90 - level == servo.round() as i16,
                        "{linear} {angular}: {level}, {servo}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_number_is_out_of_range() {
        for extreme in [i32::MIN, i32::MAX] {
            for full in [i16::MIN, -1, 0, 1, i16::MAX] {
                for mapping in [Mapping::Symmetric, Mapping::Seed] {
                    for level in mapping.targets(Setpoint::new(extreme, extreme), full, true) {
                        assert!(level.abs() <= i64::from(full).abs() * COUNT);
                    }
                }
            }
        }
    }
}
