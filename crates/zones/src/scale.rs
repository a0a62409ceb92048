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

/// Below this factor of forward and back a stick that points ahead counts as blocked, gradually.
const BLOCKED: f64 = 0.1;

/// [`scale_keeping_direction`] for a stick that points ahead, except that an obstacle ahead does not block the turn.
///
/// With f the factor of forward and back, the turn that keeps the direction (kept) and the turn of [`scale`] by the
/// smaller of the zone's own left_right factor and `side` (free):
///
/// turn = kept + max(0, 1 - f / 0.1) · (free - kept), if free is the greater of the two, else kept
///
/// At f = 0, where no direction is left to keep, the vehicle turns in place as far as permitted; at f ≥ 0.1 it keeps
/// its direction; in between there is no step. Neither part ever exceeds the result of [`scale`]; in particular
/// factors of 0 give 0. Returns the output and the factors that bound it.
/// * `side`: the left_right factor of the zone that a turn in place would be in, left or right
/// # Source
/// own; a blocked robot that keeps its direction could never turn away. `side` applies because the vehicle then
/// sweeps the same area as with a stick to that side.
pub(crate) fn keep_direction_but_turn_away(
    mode: Mode,
    stick: Stick,
    factors: Factors,
    side: Scale,
) -> (Stick, Factors) {
    let kept = scale_keeping_direction(mode, stick, factors);
    let bounds = factors.smaller();
    let given_back = 1.0 - factors.forward_back.get() / BLOCKED;
    let turn = factors.left_right.min(side);
    let free = scale(mode, stick, Factors { left_right: turn, ..factors }).left_right;
    // Written in this way NaN, which `scale` never returns, would keep the direction.
    if !(given_back > 0.0 && free.abs() > kept.left_right.abs()) {
        return (kept, bounds);
    }
    let size = kept.left_right.abs() + given_back * (free.abs() - kept.left_right.abs());
    let left_right = size.min(free.abs()).copysign(free);
    let left_right_factor = if turn < bounds.left_right { bounds.left_right } else { turn };
    (Stick { left_right, ..kept }, Factors { left_right: left_right_factor, ..bounds })
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

    const AHEAD: Stick = Stick { forward_back: 80.0, left_right: -20.0 };

    fn out(stick: Stick, forward_back: f64, left_right: f64, side: f64) -> (f64, f64) {
        let factor = |value| Scale::new(value).unwrap();
        let factors = Factors { forward_back: factor(forward_back), left_right: factor(left_right) };
        let (out, bounds) = keep_direction_but_turn_away(Mode::Limit, stick, factors, factor(side));
        assert!(out.forward_back.abs() <= 100.0 * bounds.forward_back.get());
        assert!(out.left_right.abs() <= 100.0 * bounds.left_right.get());
        assert!(bounds.left_right <= factors.left_right && bounds.forward_back <= factors.forward_back);
        (out.forward_back, out.left_right)
    }

    #[test]
    fn what_is_blocked_ahead_turns_in_place() {
        assert_eq!(out(AHEAD, 0.0, 1.0, 1.0), (0.0, -20.0));
        assert_eq!(out(AHEAD, 0.0, 0.25, 1.0), (0.0, -20.0), "below the limit of 25");
        assert_eq!(out(AHEAD, 0.0, 0.125, 1.0), (0.0, -12.5));
    }

    #[test]
    fn the_turn_is_bounded_by_the_side_that_it_sweeps() {
        assert_eq!(out(AHEAD, 0.0, 1.0, 0.125), (0.0, -12.5));
        assert_eq!(out(AHEAD, 0.0, 1.0, 0.0), (0.0, 0.0));
        assert_eq!(out(AHEAD, 0.0, 0.0, 1.0), (0.0, 0.0));
    }

    #[test]
    fn a_direction_that_can_be_kept_is_kept() {
        // 80 is limited to 40 or to 10, which halves the turn or leaves an eighth of it.
        assert_eq!(out(AHEAD, 0.4, 1.0, 1.0), (40.0, -10.0));
        assert_eq!(out(AHEAD, 0.1, 1.0, 1.0), (10.0, -2.5));
    }

    #[test]
    fn the_turn_comes_back_without_a_step() {
        // f = 0.05 is half way to blocked. Kept: 5 of 80, and 1.25 of 20; free: 20; half way between is 10.625.
        assert_eq!(out(AHEAD, 0.05, 1.0, 1.0), (5.0, -10.625));
        let mut last = out(AHEAD, 0.0, 1.0, 1.0).1;
        for step in 1..=2000 {
            let turn = out(AHEAD, f64::from(step) / 10_000.0, 1.0, 1.0).1;
            assert!((turn - last).abs() < 0.05, "{last} to {turn} at {step}");
            last = turn;
        }
    }

    #[test]
    fn nothing_is_taken_away() {
        // Kept: 5 of 80 and 1.25 of 20. A blocked side leaves free at 0, which is less: kept stands.
        assert_eq!(out(AHEAD, 0.05, 1.0, 0.0), (5.0, -1.25));
    }
}
