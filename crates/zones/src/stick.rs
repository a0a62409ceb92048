use safety::{FullSpeed, Velocity};

use crate::{Calibration, Params};

/// A command in LUCI's form: a stick in percent of full throw.
///
/// The throw is square: both parts reach 100 at once.
/// # Source
/// LUCI `luci_messages` 2.0.0, `LuciJoystick`; the sign of `left_right` is that of LUCI's own teleoperation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stick {
    /// Forward positive, -100 to 100 \[percent\].
    pub forward_back: f64,
    /// RIGHT positive, -100 to 100 \[percent\]; the opposite of REP-103.
    pub left_right: f64,
}

impl Stick {
    /// Centred.
    pub const ORIGIN: Self = Self { forward_back: 0.0, left_right: 0.0 };

    /// The stick with these parts, cut to -100 to 100 \[percent\]; NaN counts as centred.
    pub fn new(forward_back: f64, left_right: f64) -> Self {
        Self { forward_back: cut(forward_back), left_right: cut(left_right) }
    }

    /// The direction of the stick \[degrees\]: 0 straight ahead, clockwise (to the right) positive, -180 to 180.
    ///
    /// atan2(left_right, forward_back); 0 for a centred stick, NaN if a part is NaN.
    pub fn direction(self) -> f64 {
        self.left_right.atan2(self.forward_back).to_degrees()
    }

    /// The stick that requests the forward and turning parts of `velocity`, cut to -100 to 100.
    ///
    /// forward_back = 100 · vx / full.linear, left_right = -100 · ωz / full.angular
    pub fn for_velocity(velocity: &Velocity, full: FullSpeed) -> Self {
        Self::new(velocity.forward() / full.linear * 100.0, -(velocity.turn() / full.angular * 100.0))
    }
}

fn cut(percent: f64) -> f64 {
    if percent.is_nan() { 0.0 } else { percent.clamp(-100.0, 100.0) }
}

/// The conversion between velocities and sticks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StickMapping<'a> {
    /// Proportional: a vehicle that is commanded velocities.
    Proportional(FullSpeed),
    /// As in the profile of a chair that is commanded sticks in whole percent.
    Calibrated(&'a Calibration),
}

impl<'a> StickMapping<'a> {
    /// The conversion of a chair in `profile`; `None` if profiles are configured and this is none of them.
    pub fn of(params: &'a Params, profile: Option<i32>) -> Option<Self> {
        if params.profiles.is_empty() {
            return Some(Self::Proportional(params.full_speed));
        }
        params.profiles.of(profile?).map(Self::Calibrated)
    }

    /// The velocity at full throw.
    pub fn full(self) -> FullSpeed {
        match self {
            Self::Proportional(full) => full,
            Self::Calibrated(calibration) => calibration.full(),
        }
    }

    /// The stick that requests `velocity`, and whether it was cut to full throw.
    pub fn stick(self, velocity: &Velocity) -> (Stick, bool) {
        match self {
            Self::Proportional(full) => {
                (Stick::for_velocity(velocity, full), beyond(velocity, full).contains(&true))
            }
            Self::Calibrated(calibration) => {
                let deflection = calibration.deflection(velocity);
                let stick = Stick::new(deflection.forward_back.into(), deflection.left_right.into());
                (stick, deflection.cut)
            }
        }
    }

    /// The velocity of `output`, where `input` is the [`stick`](Self::stick) of `velocity`: it never exceeds
    /// `velocity` or changes its sign.
    ///
    /// Only the forward and turning parts are kept. A part that was neither scaled nor cut is returned bit for bit.
    pub fn scaled_velocity(self, velocity: &Velocity, input: Stick, output: Stick) -> Velocity {
        let ([forward, turn], [forward_cut, turn_cut]) = match self {
            Self::Proportional(full) => {
                let speeds =
                    [output.forward_back / 100.0 * full.linear, output.left_right / 100.0 * full.angular];
                (speeds, beyond(velocity, full))
            }
            Self::Calibrated(calibration) => {
                let speeds = calibration.velocity_of(output);
                ([speeds.forward(), speeds.turn()], [calibration.excess(velocity) > 1.0; 2])
            }
        };
        let part = |requested: f64, speed: f64, is_cut: bool, input: f64, output: f64| match output {
            0.0 => 0.0,
            // A calibrated chair makes the same whole percents of it.
            output if output == input && !is_cut => requested,
            _ => speed.abs().min(requested.abs()).copysign(requested),
        };
        let forward = part(velocity.forward(), forward, forward_cut, input.forward_back, output.forward_back);
        let turn = part(velocity.turn(), turn, turn_cut, input.left_right, output.left_right);
        // Both parts are finite: not greater than those of a velocity.
        Velocity::planar(forward, turn).unwrap_or(Velocity::ZERO)
    }
}

/// Whether the forward and the turning part of `velocity` are beyond `full`.
fn beyond(velocity: &Velocity, full: FullSpeed) -> [bool; 2] {
    [velocity.forward().abs() > full.linear, velocity.turn().abs() > full.angular]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Curve;

    const FULL: FullSpeed = FullSpeed { linear: 2.0, angular: 0.5 };
    const PROPORTIONAL: StickMapping = StickMapping::Proportional(FULL);

    fn stick(forward: f64, turn: f64) -> Stick {
        Stick::for_velocity(&Velocity::planar(forward, turn).unwrap(), FULL)
    }

    #[test]
    fn turning_left_is_a_stick_to_the_left() {
        // 1 m/s of 2 is half, 0.125 rad/s of 0.5 to the left is a quarter, and left is negative.
        assert_eq!(stick(1.0, 0.125), Stick { forward_back: 50.0, left_right: -25.0 });
        assert_eq!(stick(-2.0, -0.5), Stick { forward_back: -100.0, left_right: 100.0 });
    }

    #[test]
    fn a_stick_ends_at_full_throw_in_each_part() {
        assert_eq!(stick(3.0, -1e308), Stick { forward_back: 100.0, left_right: 100.0 });
        assert_eq!(Stick::new(f64::NAN, f64::NEG_INFINITY), Stick { forward_back: 0.0, left_right: -100.0 });
    }

    #[test]
    fn an_unchanged_part_comes_back_to_the_last_bit() {
        let requested = Velocity::planar(0.1, 0.3).unwrap();
        let input = Stick::for_velocity(&requested, FULL);
        assert_eq!(PROPORTIONAL.scaled_velocity(&requested, input, input), requested);
        let halved = Stick { forward_back: 2.5, ..input }; // 0.1 m/s of 2 is 5 percent; a half of that is 0.05 m/s
        assert_eq!(
            PROPORTIONAL.scaled_velocity(&requested, input, halved),
            Velocity::planar(0.05, 0.3).unwrap()
        );
    }

    #[test]
    fn a_command_beyond_full_throw_is_cut_to_it() {
        let requested = Velocity::planar(5.0, -5.0).unwrap();
        let input = Stick::for_velocity(&requested, FULL);
        assert_eq!(
            PROPORTIONAL.scaled_velocity(&requested, input, input),
            Velocity::planar(2.0, -0.5).unwrap()
        );
    }

    #[test]
    fn only_forward_and_turn_survive() {
        let requested = Velocity::new([1.0, 2.0, 3.0], [4.0, 5.0, 0.5]).unwrap();
        let input = Stick::for_velocity(&requested, FULL);
        assert_eq!(
            PROPORTIONAL.scaled_velocity(&requested, input, input),
            Velocity::planar(1.0, 0.5).unwrap()
        );
    }

    #[test]
    fn a_centred_stick_leaves_nothing_even_of_what_rounds_to_it() {
        let requested = Velocity::planar(5e-324, 0.0).unwrap();
        let input = Stick::for_velocity(&requested, FullSpeed { linear: 10.0, angular: 1.0 });
        assert_eq!(input, Stick { forward_back: 0.0, left_right: 0.0 });
        assert_eq!(PROPORTIONAL.scaled_velocity(&requested, input, input), Velocity::ZERO);
    }

    #[test]
    fn rounding_on_the_way_to_percent_and_back_adds_nothing() {
        // 12 · 2^-1074 m/s of 20 rounds up to 2^-1074, which is 100 · 2^-1074 percent; 90 of those are 20 · 2^-1074 m/s.
        let least = f64::from_bits(1);
        let (requested, input, output) = (12.0 * least, 100.0 * least, 90.0 * least);
        assert_eq!(requested / 20.0 * 100.0, input);
        assert_eq!(output / 100.0 * 20.0, 20.0 * least);
        let mapping = StickMapping::Proportional(FullSpeed { linear: 20.0, angular: 1.0 });
        for sign in [1.0, -1.0] {
            let velocity = Velocity::planar(sign * requested, 0.0).unwrap();
            let stick = |forward_back| Stick { forward_back: sign * forward_back, ..Stick::ORIGIN };
            assert_eq!(mapping.scaled_velocity(&velocity, stick(input), stick(output)), velocity);
        }
    }

    /// 2 m/s ahead, 1 m/s back, 0.5 rad/s.
    fn chair() -> Calibration {
        Calibration::new(Curve::linear(2.0).unwrap(), 0.5, Curve::linear(0.5).unwrap()).unwrap()
    }

    fn left(forward: f64, turn: f64, output: impl Fn(Stick) -> Stick) -> (f64, f64) {
        let (chair, velocity) = (chair(), Velocity::planar(forward, turn).unwrap());
        let mapping = StickMapping::Calibrated(&chair);
        let input = mapping.stick(&velocity).0;
        let left = mapping.scaled_velocity(&velocity, input, output(input));
        (left.forward(), left.turn())
    }

    #[test]
    fn what_is_not_scaled_stays_to_the_last_bit() {
        assert_eq!(left(0.617, -0.1234, |input| input), (0.617, -0.1234));
        assert_eq!(left(0.617, 0.001, |input| input), (0.617, 0.0), "less than a percent");
    }

    #[test]
    fn what_is_scaled_is_the_speed_of_the_stick_that_is_left() {
        let half = |input: Stick| Stick { forward_back: input.forward_back / 2.0, ..input };
        // 30 percent of 2 m/s to 15; back 61 percent of 1 m/s to 30.5.
        assert_eq!(left(0.61, 0.1, half), (0.3, 0.1));
        assert_eq!(left(-0.61, 0.1, half), (-0.305, 0.1));
        // Twice full throw: the path stays, 0.25 rad/s to 0.125.
        assert_eq!(left(4.0, 0.25, |input| input), (2.0, 0.125));
    }

    #[test]
    fn what_is_beyond_full_throw_in_either_part_is_cut() {
        let is_cut = |forward, turn| PROPORTIONAL.stick(&Velocity::planar(forward, turn).unwrap()).1;
        for sign in [1.0, -1.0] {
            assert!(!is_cut(sign * 2.0, sign * 0.5), "full throw is not beyond it");
            assert!(is_cut(sign * 2.1, 0.0) && is_cut(0.0, sign * 0.6));
        }
    }
}
