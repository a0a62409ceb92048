use safety::{Implausible, Velocity};

use crate::{Calibration, FullThrow, Params, Stick};

/// The conversion between velocities and sticks.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Throw<'a> {
    /// Proportional: a vehicle that is commanded velocities.
    Proportional(FullThrow),
    /// As in the profile of a chair that is commanded sticks in whole percent.
    Calibrated(&'a Calibration),
}

impl<'a> Throw<'a> {
    /// The conversion of a chair in `profile`; `None` if profiles are configured and this is none of them.
    pub fn of(params: &'a Params, profile: Option<i32>) -> Option<Self> {
        if params.profiles.is_empty() {
            return Some(Self::Proportional(params.full_throw));
        }
        params.profiles.of(profile?).map(Self::Calibrated)
    }

    /// Checks that `velocity` is plausible.
    /// # Errors
    /// The first part that is implausible.
    pub fn check_plausible(self, velocity: &Velocity) -> Result<(), Implausible> {
        match self {
            Self::Proportional(full) => velocity.check_plausible(full.linear, full.angular),
            Self::Calibrated(calibration) => {
                let full = calibration.full();
                velocity.check_plausible(full.linear, full.angular)
            }
        }
    }

    /// The stick that requests `velocity`, and whether it was cut to full throw.
    pub fn stick(self, velocity: &Velocity) -> (Stick, bool) {
        match self {
            Self::Proportional(full) => {
                let cut = velocity.forward().abs() > full.linear || velocity.turn().abs() > full.angular;
                (Stick::for_velocity(velocity, full), cut)
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
    pub fn left_of(self, velocity: &Velocity, input: Stick, output: Stick) -> Velocity {
        match self {
            Self::Proportional(full) => full.left_of(velocity, input, output),
            Self::Calibrated(calibration) => {
                let cut = calibration.excess(velocity) > 1.0;
                let speeds = calibration.velocity_of(output);
                let left = |requested: f64, speed: f64, input: f64, output: f64| match output {
                    0.0 => 0.0,
                    // The chair makes the same whole percents of it.
                    output if output == input && !cut => requested,
                    _ => speed.abs().min(requested.abs()).copysign(requested),
                };
                let forward =
                    left(velocity.forward(), speeds.forward(), input.forward_back, output.forward_back);
                let turn = left(velocity.turn(), speeds.turn(), input.left_right, output.left_right);
                // Both parts are finite: not greater than those of a velocity.
                Velocity::planar(forward, turn).unwrap_or(Velocity::ZERO)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Curve;

    /// 2 m/s ahead, 1 m/s back, 0.5 rad/s.
    fn chair() -> Calibration {
        Calibration::new(Curve::linear(2.0).unwrap(), 0.5, Curve::linear(0.5).unwrap()).unwrap()
    }

    fn left(forward: f64, turn: f64, output: impl Fn(Stick) -> Stick) -> (f64, f64) {
        let (chair, velocity) = (chair(), Velocity::planar(forward, turn).unwrap());
        let throw = Throw::Calibrated(&chair);
        let input = throw.stick(&velocity).0;
        let left = throw.left_of(&velocity, input, output(input));
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
        let throw = Throw::Proportional(FullThrow { linear: 2.0, angular: 0.5 });
        let is_cut = |forward, turn| throw.stick(&Velocity::planar(forward, turn).unwrap()).1;
        for sign in [1.0, -1.0] {
            assert!(!is_cut(sign * 2.0, sign * 0.5), "full throw is not beyond it");
            assert!(is_cut(sign * 2.1, 0.0) && is_cut(0.0, sign * 0.6));
        }
    }
}
