use core::f64::consts::{PI, TAU};

use nalgebra::{Matrix3, Matrix6, Vector3};

/// A position \[m\] and heading \[rad\] on the floor, with the covariance of x, y and heading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pose {
    pub x: f64,
    pub y: f64,
    pub heading: f64,
    pub covariance: Matrix3<f64>,
}

/// Variance of values that wheels do not measure.
const UNKNOWN: f64 = 1e6;

impl Pose {
    /// Advances by the distances of the left and the right wheel \[m\], `base` apart \[m\], each with a variance of
    /// `slip` times its length.
    ///
    /// s = (right + left) / 2, Δ = (right - left) / base; the chord of that arc is s · sin(Δ/2) / (Δ/2), along the
    /// heading in its middle.
    /// # Source
    /// Arc and signs: LUCI's `encoder-to-odom` 1.1.0, which approximates the chord by the arc below 0.01 rad.
    /// Covariance: Siegwart and Nourbakhsh, Introduction to Autonomous Mobile Robots, 5.2.4.
    pub fn advance(&mut self, [left, right]: [f64; 2], base: f64, slip: f64) {
        let (s, delta) = (f64::midpoint(left, right), (right - left) / base);
        let (sin, cos) = (self.heading + delta / 2.0).sin_cos();
        let chord = s * sinc(delta / 2.0);
        self.x += chord * cos;
        self.y += chord * sin;
        self.heading = wrapped(self.heading + delta);

        let half = s / (2.0 * base);
        let by_pose = Matrix3::new(1.0, 0.0, -s * sin, 0.0, 1.0, s * cos, 0.0, 0.0, 1.0);
        let by_left = Vector3::new(cos / 2.0 + half * sin, sin / 2.0 - half * cos, -1.0 / base);
        let by_right = Vector3::new(cos / 2.0 - half * sin, sin / 2.0 + half * cos, 1.0 / base);
        self.covariance = by_pose * self.covariance * by_pose.transpose()
            + by_left * by_left.transpose() * (slip * left.abs())
            + by_right * by_right.transpose() * (slip * right.abs());
    }

    /// Increases the covariance for an unknown motion of at most `way` \[m\] in any direction and `turn` \[rad\]: a
    /// uniform distribution has a third of the square.
    pub fn add_uncertainty(&mut self, way: f64, turn: f64) {
        let (along, about) = (way * way / 3.0, turn.min(PI) * turn.min(PI) / 3.0);
        self.covariance += Matrix3::from_diagonal(&Vector3::new(along, along, about));
    }
}

/// A covariance of x, y and heading as one of six, row by row; z, roll and pitch have a million.
pub(crate) fn planar(covariance: &Matrix3<f64>) -> [f64; 36] {
    let mut all = Matrix6::from_diagonal_element(UNKNOWN);
    all.fixed_view_mut::<2, 2>(0, 0).copy_from(&covariance.fixed_view::<2, 2>(0, 0));
    all.fixed_view_mut::<2, 1>(0, 5).copy_from(&covariance.fixed_view::<2, 1>(0, 2));
    all.fixed_view_mut::<1, 2>(5, 0).copy_from(&covariance.fixed_view::<1, 2>(2, 0));
    all[(5, 5)] = covariance[(2, 2)];
    // The message is row by row; the matrix is column by column.
    let mut rows = [0.0; 36];
    rows.copy_from_slice(all.transpose().as_slice());
    rows
}

/// sin(x) / x
fn sinc(x: f64) -> f64 {
    // Below this, the next term x⁴ / 120 is less than the last bit of 1.
    if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { x.sin() / x }
}

/// Wraps `angle` to -π to π.
fn wrapped(angle: f64) -> f64 {
    if (-PI..=PI).contains(&angle) { angle } else { angle - TAU * (angle / TAU).round() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: f64 = 0.5065;

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9
    }

    #[test]
    fn a_quarter_of_a_circle_to_the_left() {
        // Radius 1 m: the left wheel goes (1 - base / 2) π / 2, the right one (1 + base / 2) π / 2; it ends at (1, 1).
        let quarter = PI / 2.0;
        let ways = [(1.0 - BASE / 2.0) * quarter, (1.0 + BASE / 2.0) * quarter];
        let mut pose = Pose::default();
        pose.advance(ways, BASE, 0.0);
        assert!(near(pose.x, 1.0) && near(pose.y, 1.0) && near(pose.heading, quarter), "{pose:?}");
        // The same in a thousand steps: arcs add up exactly.
        let mut stepped = Pose::default();
        for _ in 0..1000 {
            stepped.advance(ways.map(|way| way / 1000.0), BASE, 0.0);
        }
        assert!(
            near(stepped.x, 1.0) && near(stepped.y, 1.0) && near(stepped.heading, quarter),
            "{stepped:?}"
        );
    }

    #[test]
    fn turning_in_place_wraps_the_heading() {
        let mut pose = Pose::default();
        // Each wheel goes 0.4 turns of a circle as wide as the base: 144 degrees, twice is 288, which is -72.
        let way = 0.4 * PI * BASE;
        pose.advance([-way, way], BASE, 0.0);
        pose.advance([-way, way], BASE, 0.0);
        assert!(near(pose.heading.to_degrees(), -72.0) && near(pose.x, 0.0) && near(pose.y, 0.0), "{pose:?}");
    }

    #[test]
    fn covariance_grows_with_the_way() {
        let mut pose = Pose::default();
        pose.advance([1.0, 1.0], BASE, 0.0004);
        let (x, y, heading) = (pose.covariance[(0, 0)], pose.covariance[(1, 1)], pose.covariance[(2, 2)]);
        // Straight ahead: each wheel counts half, 2 · 0.0004 / 4; heading 2 · 0.0004 / 0.5065²; y by the heading of the
        // two wheels around the middle of the way, (1 / (2 · 0.5065))² · 2 · 0.0004.
        assert!(near(x, 0.0002) && near(heading, 0.0008 / (BASE * BASE)), "{x} {heading}");
        assert!(near(y, 0.0008 / (4.0 * BASE * BASE)), "{y}");
        // Another metre: y grows by what the heading was wrong before, (1 m)² · 0.0008 / base², and twice the mixed part.
        let mixed = pose.covariance[(1, 2)];
        let expected = y + heading + 2.0 * mixed + y;
        pose.advance([1.0, 1.0], BASE, 0.0004);
        assert!(near(pose.covariance[(1, 1)], expected));
    }

    #[test]
    fn an_unknown_motion_keeps_the_pose() {
        let mut pose = Pose { x: 1.0, y: 2.0, heading: 3.0, ..Pose::default() };
        pose.add_uncertainty(3.0, 100.0);
        assert_eq!((pose.x, pose.y, pose.heading), (1.0, 2.0, 3.0));
        // 3² / 3 and π² / 3.
        assert!(near(pose.covariance[(0, 0)], 3.0) && near(pose.covariance[(2, 2)], PI * PI / 3.0));
    }

    #[test]
    fn values_that_wheels_do_not_measure_are_unknown() {
        let all = planar(&Matrix3::new(1.0, 2.0, 3.0, 2.0, 4.0, 5.0, 3.0, 5.0, 6.0));
        assert_eq!(
            (all[0], all[1], all[5], all[7], all[11], all[35], all[30]),
            (1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 3.0)
        );
        assert_eq!([all[14], all[21], all[28]], [1e6; 3]);
    }
}
