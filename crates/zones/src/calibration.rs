use safety::Velocity;

use crate::{Curve, FullSpeed, Stick};

/// The relation between a chair's stick and its velocity, for one profile.
///
/// * forward_back > 0 is forward, x positive
/// * left_right < 0 is to the left, a positive turn
/// # Source
/// REP-103 for the velocity; LUCI's own teleoperation for the stick.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    forward: Curve,
    turn: Curve,
    backward: f64,
}

/// A velocity as a stick in whole percents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deflection {
    /// Forward positive, -100 to 100 \[percent\].
    pub forward_back: i32,
    /// RIGHT positive, -100 to 100 \[percent\].
    pub left_right: i32,
    /// Whether the velocity was beyond full throw.
    pub cut: bool,
}

/// The tolerance of rounding errors below a whole percent \[percent\].
const NOISE: f64 = 1e-6;

impl Calibration {
    /// A chair that drives forward by the curve `forward`, backward at `backward` (above 0, up to 1) times that
    /// speed, and turns by `turn` to both sides. `None` for another `backward`.
    pub fn new(forward: Curve, backward: f64, turn: Curve) -> Option<Self> {
        (backward > 0.0 && backward <= 1.0).then_some(Self { forward, turn, backward })
    }

    /// The stick that makes the chair drive with the forward and turning parts of `velocity`, each rounded to a whole
    /// percent toward zero, so no limit is exceeded; a part of less than a percent is zero. A velocity that counts as
    /// zero moves nothing, however slow the chair is.
    ///
    /// A value less than 1e-6 percent below a whole percent counts as that percent. Beyond full throw both parts are
    /// reduced by the same factor: the path stays, at a lower speed.
    pub fn deflection(&self, velocity: &Velocity) -> Deflection {
        if velocity.is_neutral() {
            return Deflection { forward_back: 0, left_right: 0, cut: false };
        }
        let (forward, turn) = (velocity.forward(), velocity.turn());
        let share = self.share(forward);
        let excess = self.excess(velocity);
        let cut = excess > 1.0;
        let divisor = excess.max(1.0);
        let percent = |curve: &Curve, speed: f64, of: f64| {
            // 0 to 100 plus the tolerance, so `as` only cuts the fraction.
            let percent = (curve.percent(speed.abs() / divisor / of) + NOISE) as i32;
            if speed < 0.0 { -percent } else { percent }
        };
        Deflection {
            forward_back: percent(&self.forward, forward, share),
            left_right: -percent(&self.turn, turn, 1.0),
            cut,
        }
    }

    /// The velocity to expect with the stick at `forward_back` and `left_right`, each cut to -100 to 100 \[percent\].
    pub fn velocity(&self, forward_back: i32, left_right: i32) -> Velocity {
        self.velocity_of(Stick::new(forward_back.into(), left_right.into()))
    }

    /// The velocity to expect with `stick`.
    pub(crate) fn velocity_of(&self, Stick { forward_back, left_right }: Stick) -> Velocity {
        let speed = |curve: &Curve, percent: f64| {
            let speed = curve.speed(percent.abs());
            if percent < 0.0 { -speed } else { speed }
        };
        let forward = speed(&self.forward, forward_back) * self.share(forward_back);
        // Both are finite: not beyond full throw. The turn is subtracted from zero, so a centred stick gives no
        // negative zero.
        Velocity::planar(forward, 0.0 - speed(&self.turn, left_right)).unwrap_or(Velocity::ZERO)
    }

    /// The velocities of full throw, ahead and to either side.
    pub fn full(&self) -> FullSpeed {
        FullSpeed { linear: self.forward.full(), angular: self.turn.full() }
    }

    /// The larger part of `velocity` as a multiple of full throw.
    pub fn excess(&self, velocity: &Velocity) -> f64 {
        let forward = velocity.forward();
        (forward.abs() / (self.forward.full() * self.share(forward)))
            .max(velocity.turn().abs() / self.turn.full())
    }

    fn share(&self, forward: f64) -> f64 {
        if forward < 0.0 { self.backward } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2 m/s ahead, 1 m/s back, 0.5 rad/s.
    fn chair() -> Calibration {
        Calibration::new(Curve::linear(2.0).unwrap(), 0.5, Curve::linear(0.5).unwrap()).unwrap()
    }

    fn stick(forward: f64, turn: f64) -> (i32, i32, bool) {
        let Deflection { forward_back, left_right, cut } =
            chair().deflection(&Velocity::planar(forward, turn).unwrap());
        (forward_back, left_right, cut)
    }

    #[test]
    fn a_turn_to_the_left_is_a_stick_to_the_left() {
        // 0.5 m/s of 2 is a quarter; 0.25 rad/s of 0.5, counter-clockwise, is half to the left, and left is negative.
        assert_eq!(stick(0.5, 0.25), (25, -50, false));
        assert_eq!(stick(0.0, -0.5), (0, 100, false));
        assert_eq!(chair().velocity(25, -50), Velocity::planar(0.5, 0.25).unwrap());
    }

    #[test]
    fn what_counts_as_a_zero_is_a_centred_stick() {
        // 0.02 m/s back would be 2 percent, and 0.05 rad/s 10.
        assert_eq!(stick(-0.02, 0.05), (0, 0, false));
        assert_eq!(stick(-0.021, 0.05), (-2, -10, false));
    }

    #[test]
    fn going_back_has_a_speed_of_its_own() {
        // Full throw back is 1 m/s.
        assert_eq!(stick(-0.5, 0.0), (-50, 0, false));
        assert_eq!(chair().velocity(-50, 0), Velocity::planar(-0.5, 0.0).unwrap());
    }

    #[test]
    fn beyond_full_throw_the_path_stays() {
        // 4 m/s is twice what there is: both parts are halved, 0.25 rad/s to 0.125 of 0.5.
        assert_eq!(stick(4.0, 0.25), (100, -25, true));
        // 1 rad/s is twice what there is, and 1 m/s is halved with it: 0.5 of 2.
        assert_eq!(stick(1.0, 1.0), (25, -100, true));
        assert_eq!(stick(-1e308, 1e308), (0, 0, true), "infinitely many times full throw");
    }

    #[test]
    fn a_part_of_a_percent_is_left_out() {
        // 0.0199 m/s of 2 is 0.995 percent, 0.0201 is 1.005.
        assert_eq!((stick(0.0199, 0.0).0, stick(0.0201, 0.0).0), (0, 1));
        // 0.61 m/s of 2 is 30.5 percent, -0.305 m/s of 1 back too; 0.1545 rad/s of 0.5 is 30.9 to the left.
        assert_eq!(stick(0.61, 0.1545), (30, -30, false));
        assert_eq!(stick(-0.305, -0.1545), (-30, 30, false));
        assert_eq!((stick(5e-324, -5e-324)), (0, 0, false));
    }

    #[test]
    fn a_whole_percent_stays_although_floats_say_a_little_less() {
        // 0.29 · 100 is 28.999999999999996 in floats.
        let line = || Curve::linear(1.0).unwrap();
        let chair = Calibration::new(line(), 1.0, line()).unwrap();
        for percent in -100..=100 {
            let share = f64::from(percent) / 100.0;
            let stick = chair.deflection(&Velocity::planar(share, -share).unwrap());
            // Up to 0.02 m/s, with the same number in rad/s, it counts as zero.
            let expected = if share.abs() > 0.02 { percent } else { 0 };
            assert_eq!((stick.forward_back, stick.left_right), (expected, expected));
        }
        // Half of the tolerance below 30 percent is 30, ten times it is not.
        let below =
            |percent: f64| chair.deflection(&Velocity::planar((30.0 - percent) / 100.0, 0.0).unwrap());
        assert_eq!((below(5e-7).forward_back, below(1e-5).forward_back), (30, 29));
    }

    #[test]
    fn a_chair_that_cannot_go_back_is_refused() {
        let line = || Curve::linear(1.0).unwrap();
        for bad in [0.0, -0.5, 1.1, f64::NAN] {
            assert!(Calibration::new(line(), bad, line()).is_none());
        }
    }
}
