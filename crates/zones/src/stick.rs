use safety::Velocity;

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

/// The velocities at full throw of the stick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FullThrow {
    /// Forward and back [m/s], positive.
    pub linear: f64,
    /// Turning left and right [rad/s], positive.
    pub angular: f64,
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
    pub fn for_velocity(velocity: &Velocity, full: FullThrow) -> Self {
        Self::new(velocity.forward() / full.linear * 100.0, -(velocity.turn() / full.angular * 100.0))
    }
}

impl FullThrow {
    /// The velocity of `output`, where `input` is the stick [`for_velocity`](Stick::for_velocity) of `velocity`.
    ///
    /// Only the forward and turning parts are kept. A part that was not changed is returned bit for bit; otherwise it
    /// is the stick's share of full throw, which never exceeds the input or changes its sign.
    pub(crate) fn left_of(self, velocity: &Velocity, input: Stick, output: Stick) -> Velocity {
        let forward = left(velocity.forward(), input.forward_back, output.forward_back, self.linear);
        let turn = left(velocity.turn(), input.left_right, output.left_right, self.angular);
        // Both parts are finite: not greater than those of a velocity.
        Velocity::planar(forward, turn).unwrap_or(Velocity::ZERO)
    }
}

fn left(requested: f64, input: f64, output: f64, full: f64) -> f64 {
    if output == 0.0 {
        0.0
    } else if output == input && requested.abs() <= full {
        requested
    } else {
        (output.abs() / 100.0 * full).min(requested.abs()).copysign(requested)
    }
}

fn cut(percent: f64) -> f64 {
    if percent.is_nan() { 0.0 } else { percent.clamp(-100.0, 100.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: FullThrow = FullThrow { linear: 2.0, angular: 0.5 };

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
        assert_eq!(FULL.left_of(&requested, input, input), requested);
        let halved = Stick { forward_back: 2.5, ..input }; // 0.1 m/s of 2 is 5 percent; a half of that is 0.05 m/s
        assert_eq!(FULL.left_of(&requested, input, halved), Velocity::planar(0.05, 0.3).unwrap());
    }

    #[test]
    fn a_command_beyond_full_throw_is_cut_to_it() {
        let requested = Velocity::planar(5.0, -5.0).unwrap();
        let input = Stick::for_velocity(&requested, FULL);
        assert_eq!(FULL.left_of(&requested, input, input), Velocity::planar(2.0, -0.5).unwrap());
    }

    #[test]
    fn only_forward_and_turn_survive() {
        let requested = Velocity::new([1.0, 2.0, 3.0], [4.0, 5.0, 0.5]).unwrap();
        let input = Stick::for_velocity(&requested, FULL);
        assert_eq!(FULL.left_of(&requested, input, input), Velocity::planar(1.0, 0.5).unwrap());
    }

    #[test]
    fn a_centred_stick_leaves_nothing_even_of_what_rounds_to_it() {
        let requested = Velocity::planar(5e-324, 0.0).unwrap();
        let input = Stick::for_velocity(&requested, FullThrow { linear: 10.0, angular: 1.0 });
        assert_eq!(input, Stick { forward_back: 0.0, left_right: 0.0 });
        assert_eq!(FULL.left_of(&requested, input, input), Velocity::ZERO);
    }

    #[test]
    fn rounding_on_the_way_to_percent_and_back_adds_nothing() {
        // 12 · 2^-1074 m/s of 20 rounds up to 2^-1074, which is 100 · 2^-1074 percent; 90 of those are 20 · 2^-1074 m/s.
        let least = f64::from_bits(1);
        let (requested, input, output) = (12.0 * least, 100.0 * least, 90.0 * least);
        assert_eq!(requested / 20.0 * 100.0, input);
        assert_eq!(output / 100.0 * 20.0, 20.0 * least);
        assert_eq!(left(requested, input, output, 20.0), requested);
        assert_eq!(left(-requested, -input, -output, 20.0), -requested);
    }
}
