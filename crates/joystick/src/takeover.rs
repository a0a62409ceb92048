use crate::PoseState;

/// Faster than this \[m/s, rad/s], a reference is no velocity to begin with; also what a takeover begins with at most
/// where no drag bounds the velocity.
const ABSURD: f64 = 1000.0;

/// What a takeover begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seed {
    /// With zero, for the reference gives no velocity to go on with.
    Refused,
    /// With this velocity \[m/s, rad/s], linear then angular.
    Velocity {
        velocity: [f64; 6],
        /// Whether the reference was quicker than that.
        limited: bool,
    },
}

/// What the velocity of a stick ends at: its accelerations \[m/s², rad/s²] as they are divided now, over the drag \[1/s].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub(crate) linear: f64,
    pub(crate) angular: f64,
    pub(crate) drag: f64,
}

impl Seed {
    /// Of the `reference` in force.
    ///
    /// Its own velocity if it is in the frame `intrinsic` and sane, but along each axis no more than the stick itself can
    /// reach as its buttons are now (slow motion begins slowly), and never more than 1000.
    ///
    /// # Source
    /// own: the openrobots component says nothing of how a takeover begins. A velocity beyond `amax / drag` would be one
    /// that the parameters have excluded.
    pub(crate) fn of(reference: &PoseState, intrinsic: bool, reach: Reach) -> Self {
        let sane = |part: Option<[f64; 3]>| part.is_none_or(|part| part.iter().all(|v| v.abs() <= ABSURD));
        if reference.intrinsic != intrinsic || !sane(reference.vel) || !sane(reference.avel) {
            return Self::Refused;
        }
        let [x, y, z] = reference.vel.unwrap_or_default();
        let [ax, ay, az] = reference.avel.unwrap_or_default();
        // Commands are cut coordinate by coordinate too.
        let (linear, angular) = (end(reach.linear, reach.drag), end(reach.angular, reach.drag));
        let bounds = [linear, linear, linear, angular, angular, angular];
        let (mut velocity, mut limited) = ([x, y, z, ax, ay, az], false);
        for (velocity, bound) in velocity.iter_mut().zip(bounds) {
            limited |= velocity.abs() > bound;
            *velocity = velocity.clamp(-bound, bound) + 0.0; // no -0.0
        }
        Self::Velocity { velocity, limited }
    }
}

/// The velocity that `acceleration` ends at; from 0 to [`ABSURD`] for any two numbers.
fn end(acceleration: f64, drag: f64) -> f64 {
    let end = acceleration / drag;
    if end > 0.0 { end.min(ABSURD) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_velocity_ends_at_acceleration_over_drag() {
        assert_eq!(
            [end(10.0, 4.0), end(10.0, 0.0), end(0.0, 0.0), end(1.0, 1e-9)],
            [2.5, ABSURD, 0.0, ABSURD]
        );
        assert_eq!([end(f64::NAN, 1.0), end(-1.0, 1.0), end(1.0, -1.0), end(1.0, f64::NAN)], [0.0; 4]);
    }
}
