use crate::PoseState;

/// Maximum speed \[m/s, rad/s] of a reference accepted for a takeover; also the maximum initial velocity of a
/// takeover where no drag bounds it.
const MAX_SEED_SPEED: f64 = 1000.0;

/// The initial velocity of a takeover.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seed {
    /// Zero, because the reference has no usable velocity.
    Refused,
    /// This velocity \[m/s, rad/s], linear then angular.
    Velocity {
        velocity: [f64; 6],
        /// Whether the reference was faster than that.
        limited: bool,
    },
}

/// The final velocity of a stick: its accelerations \[m/s², rad/s²] after the current divisor, over the drag \[1/s].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    pub(crate) linear: f64,
    pub(crate) angular: f64,
    pub(crate) drag: f64,
}

impl Seed {
    /// The seed from the `reference` in force.
    ///
    /// Its velocity if it is in the frame `intrinsic` and sane. Each axis is limited to what the stick can reach with
    /// its current buttons (slow motion starts slowly), and never exceeds 1000.
    ///
    /// # Source
    /// own: the openrobots component does not specify how a takeover starts. The parameters exclude a velocity beyond
    /// `amax / drag`.
    pub(crate) fn of(reference: &PoseState, intrinsic: bool, reach: Reach) -> Self {
        let sane =
            |part: Option<[f64; 3]>| part.is_none_or(|part| part.iter().all(|v| v.abs() <= MAX_SEED_SPEED));
        if reference.intrinsic != intrinsic || !sane(reference.vel) || !sane(reference.avel) {
            return Self::Refused;
        }
        let [x, y, z] = reference.vel.unwrap_or_default();
        let [ax, ay, az] = reference.avel.unwrap_or_default();
        // Each coordinate is limited separately, as commands are.
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

/// The final velocity under `acceleration`; from 0 to [`MAX_SEED_SPEED`] for any two numbers.
fn end(acceleration: f64, drag: f64) -> f64 {
    let end = acceleration / drag;
    if end > 0.0 { end.min(MAX_SEED_SPEED) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_velocity_ends_at_acceleration_over_drag() {
        assert_eq!(
            [end(10.0, 4.0), end(10.0, 0.0), end(0.0, 0.0), end(1.0, 1e-9)],
            [2.5, MAX_SEED_SPEED, 0.0, MAX_SEED_SPEED]
        );
        assert_eq!([end(f64::NAN, 1.0), end(-1.0, 1.0), end(1.0, -1.0), end(1.0, f64::NAN)], [0.0; 4]);
    }
}
