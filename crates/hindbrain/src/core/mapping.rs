/// The level of a wheel at full speed: servo values 24 to 156 about 90.
///
/// # Source
/// hindbrain, constants: stop 90, range 24 to 156.
pub const FULL: i16 = 66;

/// The largest part of a wish: full deflection in thousandths.
const WHOLE: i16 = 1000;

/// What somebody wants, in thousandths of full deflection: `linear` forward positive, `angular` counter-clockwise positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wish {
    linear: i16,
    angular: i16,
}

impl Wish {
    /// Standing still.
    pub const ZERO: Self = Self { linear: 0, angular: 0 };

    /// The wish with these parts, each limited to -1000 to 1000.
    pub fn new(linear: i16, angular: i16) -> Self {
        Self { linear: linear.clamp(-WHOLE, WHOLE), angular: angular.clamp(-WHOLE, WHOLE) }
    }

    /// Thousandths of full speed, forward positive, -1000 to 1000.
    pub const fn linear(self) -> i16 {
        self.linear
    }

    /// Thousandths of full turn, counter-clockwise positive, -1000 to 1000.
    pub const fn angular(self) -> i16 {
        self.angular
    }

    /// The same without its turn.
    pub const fn straight(self) -> Self {
        Self { linear: self.linear, angular: 0 }
    }

    /// Whether neither part is further from zero than `deadband`, in thousandths.
    pub const fn is_within(self, deadband: i16) -> bool {
        self.linear.abs() <= deadband && self.angular.abs() <= deadband
    }
}

/// The levels of the port and the starboard wheel for `wish`.
///
/// `port = linear - angular`, `starboard = linear + angular`; where one of them is beyond full, both are divided by the
/// same number, so that the curve stays and the vehicle takes it slower. Rounds toward zero: no wish makes a wheel turn
/// faster than asked.
/// * `full`: the level at full speed; no level is further from zero than it
/// # Source
/// own: REP-103's sign (a positive turn slows port), turns in place, and reverse is the mirror image of forward. The
/// original ignored the turn in reverse, could not turn in place and turned to the other side.
pub fn mix(wish: Wish, full: i16) -> [i16; 2] {
    let (linear, angular) = (i32::from(wish.linear), i32::from(wish.angular));
    let (port, starboard) = (linear - angular, linear + angular);
    let divisor = port.abs().max(starboard.abs()).max(i32::from(WHOLE));
    [port, starboard].map(|side| {
        let level = side * i32::from(full) / divisor;
        // |side| <= divisor, so |level| <= |full| and fits.
        i16::try_from(level).unwrap_or(0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_wish_maps_into_range_and_symmetrically() {
        for linear in -WHOLE..=WHOLE {
            for angular in -WHOLE..=WHOLE {
                let [port, starboard] = mix(Wish { linear, angular }, FULL);
                assert!(port.abs() <= FULL && starboard.abs() <= FULL, "{linear} {angular}");
                // The mirror image swaps the wheels; the way back swaps and turns them round.
                assert_eq!(mix(Wish { linear, angular: -angular }, FULL), [starboard, port]);
                assert_eq!(mix(Wish { linear: -linear, angular }, FULL), [-starboard, -port]);
                // A turn to the left (positive) never makes port the faster wheel.
                assert!((starboard - port) * angular.signum() >= 0, "{linear} {angular}");
                assert!((port + starboard) * linear.signum() >= 0, "{linear} {angular}");
            }
        }
    }

    #[test]
    fn more_is_never_less() {
        for a in -WHOLE..WHOLE {
            let (here, next) = (mix(Wish::new(a, 0), FULL), mix(Wish::new(a + 1, 0), FULL));
            assert!(next[0] >= here[0] && here[0] == here[1]);
            let (here, next) = (mix(Wish::new(0, a), FULL), mix(Wish::new(0, a + 1), FULL));
            assert!(next[1] >= here[1] && here[0] == -here[1]);
        }
    }

    #[test]
    fn the_ends_of_the_range_are_reached() {
        assert_eq!(mix(Wish::ZERO, FULL), [0, 0]);
        assert_eq!(mix(Wish::new(1000, 0), FULL), [66, 66]);
        assert_eq!(mix(Wish::new(-1000, 0), FULL), [-66, -66]);
        assert_eq!(mix(Wish::new(0, 1000), FULL), [-66, 66]);
    }

    #[test]
    fn saturation_keeps_the_curve() {
        // port 1000 - 500 = 500, starboard 1500; over 1500: 22 and 66, still 1 to 3.
        assert_eq!(mix(Wish::new(1000, 500), FULL), [22, 66]);
        // port 0, starboard 2000: a pivot about the port wheel stays one.
        assert_eq!(mix(Wish::new(1000, 1000), FULL), [0, 66]);
    }

    #[test]
    fn levels_are_rounded_toward_zero() {
        // 66 * 15 / 1000 = 0.99; 66 * 16 / 1000 = 1.056.
        assert_eq!(mix(Wish::new(15, 0), FULL), [0, 0]);
        assert_eq!(mix(Wish::new(16, 0), FULL), [1, 1]);
        assert_eq!(mix(Wish::new(-15, 0), FULL), [0, 0]);
    }

    #[test]
    fn no_number_is_out_of_range() {
        for extreme in [i16::MIN, i16::MAX] {
            for full in [i16::MIN, -1, 0, 1, i16::MAX] {
                for level in mix(Wish::new(extreme, extreme), full) {
                    assert!(i32::from(level).abs() <= i32::from(full).abs());
                }
            }
        }
    }
}
