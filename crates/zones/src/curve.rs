use safety::SLOWEST_FULL_SPEED;

/// The speed of a chair at each deflection of its stick, for one direction.
///
/// A deflection p, 0 to 100 \[percent\], corresponds to a speed v, 0 to full [m/s or rad/s]. p(0) = 0 and p grows
/// strictly with v, so each can be computed from the other; any other curve is refused.
/// # Source
/// own; the three shapes are those that users fit to LUCI's chairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve(Shape);

#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// v = full · p / 100
    Linear { full: f64 },
    /// Straight between points (p, v), the first of them (0, 0), the last at 100 percent.
    Piecewise(Box<[[f64; 2]]>),
    /// p = a v³ + b v² + c v
    Cubic { abc: [f64; 3], full: f64 },
}

/// The maximum speed and the maximum turning rate \[m/s, rad/s\].
pub const FASTEST: f64 = 20.0;

/// The maximum coefficient of a cubic, which avoids overflow.
const MAX_COEFFICIENT: f64 = 1e6;

/// Why a curve was refused.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BadCurve {
    /// The speed at full throw is not from [`SLOWEST_FULL_SPEED`] to [`FASTEST`].
    #[error("must give a speed at full throw from {SLOWEST_FULL_SPEED:?} to {FASTEST:?}, not {full}")]
    Full {
        /// `full_throw`, `speeds` or `cubic`.
        parameter: &'static str,
        /// The speed.
        full: f64,
    },
    /// A table has different numbers of speeds and percents, or none.
    #[error("must have as many entries as 'speeds', at least 1; has {percents}, not {speeds}")]
    Lengths {
        /// The number of percents.
        percents: usize,
        /// The number of speeds.
        speeds: usize,
    },
    /// A list of the table does not grow.
    #[error("must grow from entry to entry, from above 0; entry {index} is {value} after {before}")]
    NotGrowing {
        /// `percents` or `speeds`.
        list: &'static str,
        /// Position in the list, from 0.
        index: usize,
        /// The value; may be NaN.
        value: f64,
        /// The previous value; 0 before the first.
        before: f64,
    },
    /// The last percent of a table is not 100.
    #[error("must end at 100 percent, not at {0}")]
    End(f64),
    /// A cubic has not exactly three coefficients, or one that is not a number or beyond a million.
    #[error("must be three numbers a, b, c of a v^3 + b v^2 + c v, each from -1e6 to 1e6")]
    Coefficients,
    /// A cubic's deflection stops growing at this speed, before 100 percent.
    #[error(
        "must grow all the way from 0 to 100 percent; it turns at a speed of {speed:.3} with {percent:.1} percent"
    )]
    Falls {
        /// The speed.
        speed: f64,
        /// The deflection there \[percent\].
        percent: f64,
    },
    /// A cubic does not reach 100 percent up to [`FASTEST`].
    #[error("must come to 100 percent at a speed of at most {FASTEST}; it comes to {percent:.1} percent")]
    Short {
        /// The deflection that it reaches \[percent\].
        percent: f64,
    },
}

impl Curve {
    /// v = `full` · p / 100.
    /// # Errors
    /// [`BadCurve::Full`] unless `full` is from [`SLOWEST_FULL_SPEED`] to [`FASTEST`].
    pub fn linear(full: f64) -> Result<Self, BadCurve> {
        Self::checked(Shape::Linear { full }, "full_throw")
    }

    /// Checks that full throw, given by `parameter`, is above the speed that counts as zero.
    fn checked(shape: Shape, parameter: &'static str) -> Result<Self, BadCurve> {
        let curve = Self(shape);
        let full = curve.full();
        if (SLOWEST_FULL_SPEED..=FASTEST).contains(&full) {
            Ok(curve)
        } else {
            Err(BadCurve::Full { parameter, full })
        }
    }

    /// Straight lines from (0, 0) through each pair of `percents` and `speeds`, the last at 100 percent.
    /// # Errors
    /// [`BadCurve`] if the lists differ in length, are empty, do not grow from above 0, do not end at 100 percent, or
    /// end at a speed below [`SLOWEST_FULL_SPEED`] or above [`FASTEST`].
    pub fn piecewise(percents: &[f64], speeds: &[f64]) -> Result<Self, BadCurve> {
        if percents.is_empty() || percents.len() != speeds.len() {
            return Err(BadCurve::Lengths { percents: percents.len(), speeds: speeds.len() });
        }
        for (list, values) in [("percents", percents), ("speeds", speeds)] {
            let mut before = 0.0;
            for (index, &value) in values.iter().enumerate() {
                if !value.is_finite() || value <= before {
                    return Err(BadCurve::NotGrowing { list, index, value, before });
                }
                before = value;
            }
        }
        if let Some(&percent) = percents.last().filter(|&&percent| percent != 100.0) {
            return Err(BadCurve::End(percent));
        }
        let points = percents.iter().zip(speeds).map(|(&p, &v)| [p, v]);
        let points = core::iter::once([0.0, 0.0]).chain(points).collect();
        Self::checked(Shape::Piecewise(points), "speeds")
    }

    /// p = a v³ + b v² + c v with `abc` = \[a, b, c\], up to 100 percent.
    /// # Errors
    /// [`BadCurve`] if a coefficient is not finite, or if p does not grow up to 100 percent, or reaches it below
    /// [`SLOWEST_FULL_SPEED`] or only above [`FASTEST`].
    pub fn cubic(abc: [f64; 3]) -> Result<Self, BadCurve> {
        if !abc.iter().all(|x| x.abs() <= MAX_COEFFICIENT) {
            return Err(BadCurve::Coefficients);
        }
        let turn = turning_point(abc);
        let end = turn.unwrap_or(FASTEST).min(FASTEST);
        let percent = cubic(abc, end);
        if percent >= 100.0 {
            let full = invert(abc, end, 100.0);
            return Self::checked(Shape::Cubic { abc, full }, "cubic");
        }
        match turn {
            Some(speed) if speed <= FASTEST => Err(BadCurve::Falls { speed, percent }),
            _ => Err(BadCurve::Short { percent }),
        }
    }

    /// The speed at full throw [m/s or rad/s], from [`SLOWEST_FULL_SPEED`] to [`FASTEST`].
    pub fn full(&self) -> f64 {
        match &self.0 {
            Shape::Linear { full } | Shape::Cubic { full, .. } => *full,
            Shape::Piecewise(points) => points.last().map_or(0.0, |&[_, v]| v),
        }
    }

    /// The deflection for `speed`, 0 to 100 \[percent\]; 0 for NaN and negative speeds, 100 beyond full throw.
    pub fn percent(&self, speed: f64) -> f64 {
        if speed.is_nan() || speed <= 0.0 {
            return 0.0;
        }
        if speed >= self.full() {
            return 100.0;
        }
        let percent = match &self.0 {
            Shape::Linear { full } => speed / full * 100.0,
            Shape::Piecewise(points) => between(points, speed, |&[p, v]| (v, p)),
            Shape::Cubic { abc, .. } => cubic(*abc, speed),
        };
        percent.clamp(0.0, 100.0)
    }

    /// The speed at a deflection of `percent` [m/s or rad/s]; 0 for NaN and negative values, full speed beyond 100.
    /// # Real-time
    /// At most 64 steps of bisection for a cubic.
    pub fn speed(&self, percent: f64) -> f64 {
        if percent.is_nan() || percent <= 0.0 {
            return 0.0;
        }
        if percent >= 100.0 {
            return self.full();
        }
        match &self.0 {
            Shape::Linear { full } => percent / 100.0 * full,
            Shape::Piecewise(points) => between(points, percent, |&[p, v]| (p, v)),
            Shape::Cubic { abc, full } => invert(*abc, *full, percent),
        }
    }
}

fn cubic([a, b, c]: [f64; 3], v: f64) -> f64 {
    ((a * v + b) * v + c) * v
}

/// The lowest speed, 0 or above, from which on p no longer grows; `None` if it always grows.
fn turning_point([a, b, c]: [f64; 3]) -> Option<f64> {
    // p' = 3 a v² + 2 b v + c
    if c <= 0.0 {
        return Some(0.0);
    }
    let (a, b) = (3.0 * a, 2.0 * b);
    let under = b * b - 4.0 * a * c;
    // At a double root p stands still at one point only, but the inverse has no slope there.
    if under < 0.0 {
        return None;
    }
    // The form without cancellation: v = 2 c / (-b ± √…); with c > 0 the smallest positive root has the largest
    // positive denominator.
    let denominator = -b + under.sqrt();
    (denominator > 0.0).then(|| 2.0 * c / denominator)
}

/// The speed in \[0, `end`\] with the deflection `percent`; p must grow there and reach it.
fn invert(abc: [f64; 3], end: f64, percent: f64) -> f64 {
    let (mut low, mut high) = (0.0, end);
    for _ in 0..64 {
        let middle = f64::midpoint(low, high);
        if cubic(abc, middle) < percent { low = middle } else { high = middle }
    }
    high
}

/// The value at `x` on the straight lines between `points`; `pair` makes (x, y) of each, with x growing.
fn between(points: &[[f64; 2]], x: f64, pair: impl Fn(&[f64; 2]) -> (f64, f64)) -> f64 {
    for window in points.windows(2) {
        if let [from, to] = window {
            let ((x0, y0), (x1, y1)) = (pair(from), pair(to));
            if x <= x1 {
                return y0 + (x - x0) / (x1 - x0) * (y1 - y0);
            }
        }
    }
    points.last().map_or(0.0, |last| pair(last).1)
}

impl BadCurve {
    /// The parameter of a profile that holds the refused value, without its prefix.
    pub(crate) const fn parameter(&self) -> &'static str {
        match self {
            Self::Full { parameter, .. } => parameter,
            Self::Lengths { .. } | Self::End(_) => "percents",
            Self::NotGrowing { list, .. } => list,
            Self::Coefficients | Self::Falls { .. } | Self::Short { .. } => "cubic",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn a_line_goes_through_full_throw() {
        let line = Curve::linear(2.0).unwrap();
        // 0.5 m/s of 2 is a quarter.
        assert_eq!((line.percent(0.5), line.speed(25.0), line.full()), (25.0, 0.5, 2.0));
        assert_eq!((line.percent(3.0), line.speed(101.0)), (100.0, 2.0), "no farther than full throw");
    }

    #[test]
    fn a_table_is_straight_between_its_points() {
        let table = Curve::piecewise(&[20.0, 60.0, 100.0], &[0.1, 0.5, 2.5]).unwrap();
        // Half way from 0.5 to 2.5 m/s is half way from 60 to 100 percent; a quarter of 0.1 m/s is one of 20 percent.
        assert!(near(table.percent(1.5), 80.0) && near(table.speed(80.0), 1.5));
        assert!(near(table.percent(0.025), 5.0) && near(table.speed(5.0), 0.025));
        assert_eq!((table.full(), table.percent(2.5), table.speed(60.0)), (2.5, 100.0, 0.5));
    }

    #[test]
    fn a_cubic_is_inverted() {
        // p = 2 v³ + 3 v² + 40 v: at v = 1 it is 45, and 100 is reached at v = 2 (16 + 12 + 80 = 108), a little less.
        let cubic = Curve::cubic([2.0, 3.0, 40.0]).unwrap();
        assert!(near(cubic.percent(1.0), 45.0) && near(cubic.speed(45.0), 1.0));
        assert!(cubic.full() < 2.0 && near(super::cubic([2.0, 3.0, 40.0], cubic.full()), 100.0));
    }

    #[test]
    fn a_cubic_that_turns_back_is_refused() {
        // p' = -3 v² + 48 is zero at v = 4, where p = -64 + 192 = 128: beyond 100, so the branch before it serves.
        assert!(Curve::cubic([-1.0, 0.0, 48.0]).is_ok());
        // p' = -3 v² + 27 is zero at v = 3, where p = -27 + 81 = 54.
        let error = Curve::cubic([-1.0, 0.0, 27.0]).unwrap_err();
        assert_eq!(error, BadCurve::Falls { speed: 3.0, percent: 54.0 });
        assert!(error.to_string().contains("turns at a speed of 3.000 with 54.0 percent"));
        // p' = 3 (v - 1)(v - 3) = 3 v² - 12 v + 9 falls between 1 and 3, although p passes 100 later; p(1) = 4.
        assert_eq!(
            Curve::cubic([1.0, -6.0, 9.0]),
            Err(BadCurve::Falls { speed: 1.0, percent: 4.0 }),
            "the inverse would jump"
        );
        // p = (v - 1)³ + 1 stands still at 1.
        assert_eq!(Curve::cubic([1.0, -3.0, 3.0]), Err(BadCurve::Falls { speed: 1.0, percent: 1.0 }));
        // 1 percent per m/s comes to 20 percent at 20 m/s.
        assert_eq!(Curve::cubic([0.0, 0.0, 1.0]), Err(BadCurve::Short { percent: 20.0 }));
        for bad in [[0.0, 0.0, 0.0], [1.0, 1.0, -1.0], [0.0, 5.0, 0.0]] {
            assert!(matches!(Curve::cubic(bad), Err(BadCurve::Falls { speed: 0.0, .. })), "{bad:?}");
        }
        assert_eq!(Curve::cubic([f64::NAN, 0.0, 1.0]), Err(BadCurve::Coefficients));
    }

    #[test]
    fn tables_that_do_not_grow_are_refused() {
        let of = |p: &[f64], v: &[f64]| Curve::piecewise(p, v).unwrap_err();
        assert_eq!(of(&[], &[]), BadCurve::Lengths { percents: 0, speeds: 0 });
        assert_eq!(of(&[50.0, 100.0], &[1.0]), BadCurve::Lengths { percents: 2, speeds: 1 });
        let error = of(&[50.0, 100.0], &[1.0, 1.0]);
        assert_eq!(error, BadCurve::NotGrowing { list: "speeds", index: 1, value: 1.0, before: 1.0 });
        assert_eq!(error.to_string(), "must grow from entry to entry, from above 0; entry 1 is 1 after 1");
        assert!(matches!(
            of(&[0.0, 100.0], &[0.1, 1.0]),
            BadCurve::NotGrowing { list: "percents", index: 0, .. }
        ));
        assert!(matches!(of(&[50.0, f64::NAN], &[0.1, 1.0]), BadCurve::NotGrowing { index: 1, .. }));
        assert_eq!(of(&[50.0, 90.0], &[0.1, 1.0]), BadCurve::End(90.0));
    }

    #[test]
    fn full_throw_is_faster_than_what_counts_as_a_zero() {
        let full = |curve: Result<Curve, BadCurve>| match curve {
            Err(BadCurve::Full { parameter, full }) => Some((parameter, full)),
            _ => None,
        };
        for bad in [0.0, -1.0, 0.09, 20.1, f64::NAN, f64::INFINITY] {
            assert!(full(Curve::linear(bad)).is_some(), "{bad}");
        }
        assert_eq!(full(Curve::piecewise(&[100.0], &[20.5])), Some(("speeds", 20.5)));
        assert_eq!(full(Curve::piecewise(&[50.0, 100.0], &[0.01, 0.02])), Some(("speeds", 0.02)));
        // 2000 percent per m/s come to 100 at 0.05.
        assert_eq!(full(Curve::cubic([0.0, 0.0, 2000.0])), Some(("cubic", 0.05)));
        assert!(Curve::linear(0.1).is_ok() && Curve::piecewise(&[100.0], &[0.1]).is_ok());
        assert!(Curve::cubic([0.0, 0.0, 999.0]).is_ok());
    }

    #[test]
    fn what_is_not_a_number_does_not_move() {
        for curve in [
            Curve::linear(2.0).unwrap(),
            Curve::piecewise(&[100.0], &[2.0]).unwrap(),
            Curve::cubic([0.0, 0.0, 50.0]).unwrap(),
        ] {
            for bad in [f64::NAN, -1.0, f64::NEG_INFINITY, 0.0, -0.0] {
                assert_eq!((curve.percent(bad), curve.speed(bad)), (0.0, 0.0));
            }
        }
    }
}
