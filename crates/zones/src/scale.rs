use safety::Scale;

use crate::{Factors, Stick};

/// How a factor s acts on a part of the stick.
///
/// Both agree at full throw; below it LUCI's texts are ambiguous.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The factor is an upper limit: out = in, cut to -100 s to 100 s.
    #[default]
    Limit,
    /// The factor is a gain: out = in · s.
    Multiply,
}

params::choices! { Mode: Limit = "limit", Multiply = "multiply" }

/// Scales each part of `stick` by itself with `factors`.
///
/// No part exceeds the input or changes its sign, and a factor of 0 gives 0. NaN gives 0.
/// # Source
/// LUCI `luci-ros2-msgs`, text on `LuciZoneScaling`.
pub fn scale(mode: Mode, stick: Stick, factors: Factors) -> Stick {
    Stick {
        forward_back: part(mode, stick.forward_back, factors.forward_back),
        left_right: part(mode, stick.left_right, factors.left_right),
    }
}

/// Scales both parts of `stick` in proportion by the smaller of the two `factors`: the direction stays.
///
/// [`Mode::Limit`] cuts the larger part and reduces the other in the same ratio. The bounds of [`scale`] hold.
/// # Source
/// own; on a narrow path a straighter curve is no safer than the requested one.
pub fn scale_keeping_direction(mode: Mode, stick: Stick, factors: Factors) -> Stick {
    let factors = factors.smaller();
    let cut = scale(mode, stick, factors);
    if mode == Mode::Multiply {
        return cut;
    }
    let greatest = stick.forward_back.abs().max(stick.left_right.abs());
    let ratio = cut.forward_back.abs().max(cut.left_right.abs()) / greatest;
    // Rounding must not raise a part above what the factor allows, so the smaller of the two is used.
    let shorten = |requested: f64, cut: f64| match (requested * ratio).abs() {
        short if short < cut.abs() => short.copysign(cut),
        _ => cut,
    };
    Stick {
        forward_back: shorten(stick.forward_back, cut.forward_back),
        left_right: shorten(stick.left_right, cut.left_right),
    }
}

fn part(mode: Mode, requested: f64, factor: Scale) -> f64 {
    if requested.is_nan() {
        return 0.0;
    }
    match mode {
        Mode::Limit => requested.abs().min(100.0 * factor.get()).copysign(requested),
        Mode::Multiply => requested.clamp(-100.0, 100.0) * factor.get(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn factors(forward_back: f64, left_right: f64) -> Factors {
        Factors {
            forward_back: Scale::new(forward_back).unwrap(),
            left_right: Scale::new(left_right).unwrap(),
        }
    }

    fn assert_near(got: Stick, expected: (f64, f64)) {
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(
            near(got.forward_back, expected.0) && near(got.left_right, expected.1),
            "{got:?}, not {expected:?}"
        );
    }

    #[test]
    fn the_worked_examples_come_out() {
        // (stick, factors, limit, multiply); the zone of each is tested with the machine.
        let examples = [
            ((100.0, 9.0), (0.5, 1.0), (50.0, 9.0), (50.0, 9.0)),
            ((40.0, 3.0), (0.5, 1.0), (40.0, 3.0), (20.0, 3.0)),
            ((100.0, 100.0), (0.3, 0.8), (30.0, 80.0), (30.0, 80.0)),
            ((100.0, 9.0), (0.1, 1.0), (10.0, 9.0), (10.0, 9.0)),
            ((-60.0, -60.0), (0.0, 0.5), (0.0, -50.0), (0.0, -30.0)),
            ((0.0, -100.0), (1.0, 0.25), (0.0, -25.0), (0.0, -25.0)),
            ((0.0, 0.0), (1.0, 1.0), (0.0, 0.0), (0.0, 0.0)),
        ];
        for ((fb, lr), (sf, sr), limited, multiplied) in examples {
            let (stick, factors) = (Stick { forward_back: fb, left_right: lr }, factors(sf, sr));
            assert_near(scale(Mode::Limit, stick, factors), limited);
            assert_near(scale(Mode::Multiply, stick, factors), multiplied);
        }
    }

    #[test]
    fn a_kept_direction_uses_the_smaller_factor_for_both() {
        let stick = Stick { forward_back: 80.0, left_right: -20.0 };
        // The limit is 40: 80 becomes 40, its half, and so does -20.
        assert_near(scale_keeping_direction(Mode::Limit, stick, factors(0.4, 1.0)), (40.0, -10.0));
        assert_near(scale_keeping_direction(Mode::Limit, stick, factors(1.0, 0.8)), (80.0, -20.0));
        assert_near(scale_keeping_direction(Mode::Multiply, stick, factors(0.4, 1.0)), (32.0, -8.0));
        for mode in [Mode::Limit, Mode::Multiply] {
            assert_near(scale_keeping_direction(mode, stick, factors(0.0, 1.0)), (0.0, 0.0));
            assert_near(scale_keeping_direction(mode, Stick::ORIGIN, factors(0.5, 0.5)), (0.0, 0.0));
        }
    }

    #[test]
    fn nan_gives_zero() {
        let stick = Stick { forward_back: f64::NAN, left_right: f64::INFINITY };
        for mode in [Mode::Limit, Mode::Multiply] {
            assert_near(scale(mode, stick, factors(1.0, 0.5)), (0.0, 50.0));
            assert_near(scale(mode, stick, Factors::NONE), (0.0, 0.0));
            assert_near(scale_keeping_direction(mode, stick, factors(1.0, 0.5)), (0.0, 50.0));
        }
    }
}
