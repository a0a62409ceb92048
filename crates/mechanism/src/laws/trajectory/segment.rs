use core::time::Duration;

use super::Point;

/// How long a joint takes from a last point that it passes in motion back to that point and to rest.
pub(super) const SETTLING: Duration = Duration::from_millis(250);

/// The state of one joint at a point, or where a trajectory starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct State {
    pub(super) position: f64,
    pub(super) velocity: Option<f64>,
    pub(super) acceleration: Option<f64>,
}

impl State {
    pub(super) fn of(point: &Point, joint: usize) -> Self {
        Self {
            position: point.positions.get(joint).copied().unwrap_or_default(),
            velocity: point.velocities.get(joint).copied(),
            acceleration: point.accelerations.get(joint).copied(),
        }
    }

    /// The state in which a trajectory starts: position and velocity, unaccelerated.
    pub(super) fn starting([position, velocity]: [f64; 2]) -> Self {
        Self { position, velocity: Some(velocity), acceleration: Some(0.0) }
    }
}

/// The polynomial on which a joint moves from one state to the next: c0 + c1 t + … + c5 t⁵, `t` \[s\] after the first.
///
/// It meets what both states have: the positions, then the velocities, then the accelerations.
/// # Source
/// `joint_trajectory_controller` of ros2_controllers 4, `interpolate_between_points`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    coefficients: [f64; 6],
    whole: f64,
}

impl Segment {
    /// From `from` to `to` in `whole` \[s\], greater than 0.
    pub(super) fn new(from: &State, to: &State, whole: f64) -> Self {
        let (p0, h, way) = (from.position, whole, to.position - from.position);
        let coefficients = match (from.velocity.zip(to.velocity), from.acceleration.zip(to.acceleration)) {
            (None, _) => [p0, way / h, 0.0, 0.0, 0.0, 0.0],
            (Some((v0, v1)), None) => [
                p0,
                v0,
                (3.0 * way - (2.0 * v0 + v1) * h) / (h * h),
                (-2.0 * way + (v0 + v1) * h) / (h * h * h),
                0.0,
                0.0,
            ],
            (Some((v0, v1)), Some((a0, a1))) => {
                let h2 = h * h;
                [
                    p0,
                    v0,
                    a0 / 2.0,
                    (20.0 * way - (8.0 * v1 + 12.0 * v0) * h - (3.0 * a0 - a1) * h2) / (2.0 * h2 * h),
                    (-30.0 * way + (14.0 * v1 + 16.0 * v0) * h + (3.0 * a0 - 2.0 * a1) * h2)
                        / (2.0 * h2 * h2),
                    (12.0 * way - 6.0 * (v1 + v0) * h + (a1 - a0) * h2) / (2.0 * h2 * h2 * h),
                ]
            }
        };
        Self { coefficients, whole }
    }

    /// The position, velocity and acceleration at `t` \[s\].
    pub(super) fn at(&self, t: f64) -> [f64; 3] {
        let [c0, c1, c2, c3, c4, c5] = self.coefficients;
        [
            c0 + t * (c1 + t * (c2 + t * (c3 + t * (c4 + t * c5)))),
            c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * (4.0 * c4 + t * 5.0 * c5))),
            2.0 * c2 + t * (6.0 * c3 + t * (12.0 * c4 + t * 20.0 * c5)),
        ]
    }

    /// The greatest speed on it: exact for a line and a cubic, and of a quintic that of 17 places, never more than the true one.
    pub(super) fn top_speed(&self) -> f64 {
        let [_, _, c2, c3, c4, c5] = self.coefficients;
        let speed = |t: f64| self.at(t.clamp(0.0, self.whole))[1].abs();
        let ends = speed(0.0).max(speed(self.whole));
        if c4 != 0.0 || c5 != 0.0 {
            return (1..16).map(|part| speed(self.whole * f64::from(part) / 16.0)).fold(ends, f64::max);
        }
        // The velocity of a cubic is extreme where its acceleration 2 c2 + 6 c3 t is 0.
        let vertex = -c2 / (3.0 * c3);
        if vertex.is_finite() { ends.max(speed(vertex)) } else { ends }
    }
}

/// The state `t` \[s\] after a last point that was passed at `position` with `velocity`: with T = [`SETTLING`] and s = t / T
///
/// ```text
/// position + velocity t (1 - s)²
/// ```
///
/// goes on with that velocity, is at rest at `position` after T, and never faster than at its begin. It is 4/27 T velocity beyond the
/// point at most.
pub(crate) fn settle(position: f64, velocity: f64, t: f64) -> [f64; 3] {
    let whole = SETTLING.as_secs_f64();
    let s = t / whole;
    if s >= 1.0 || velocity == 0.0 {
        return [position, 0.0, 0.0];
    }
    [
        position + velocity * t * (1.0 - s) * (1.0 - s),
        velocity * (1.0 - s) * (1.0 - 3.0 * s),
        velocity * (6.0 * s - 4.0) / whole,
    ]
}
