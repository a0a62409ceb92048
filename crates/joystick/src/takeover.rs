use core::time::Duration;

use units::{Instant, Stamp};

use crate::{Dynamics, PoseState};

/// Older than this, a reference is no longer what the vehicle does.
pub(crate) const STALE: Duration = Duration::from_millis(500);

/// Stamped so far ahead of the own clock, a reference is still one of now: clocks of two computers differ.
const AHEAD: Duration = Duration::from_millis(100);

/// Faster than this \[m/s, rad/s], a reference is no velocity to begin with; also what a takeover begins with at most
/// where no drag bounds the velocity.
const ABSURD: f64 = 1000.0;

/// What a takeover begins with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seed {
    /// With zero, for there is no reference.
    Nothing,
    /// With zero, for the reference tells no velocity to go on with.
    Refused,
    /// With this velocity \[m/s, rad/s], linear then angular.
    Velocity {
        velocity: [f64; 6],
        /// Whether the reference was quicker than that.
        limited: bool,
    },
}

impl Seed {
    /// Of the `reference` and when it came, at `now`, which is `stamp` on the wall.
    ///
    /// Its own velocity if it is fresh, in the frame `intrinsic` and sane, but along each axis no more than the stick
    /// itself can reach, which is `amax / drag`, and never more than 1000.
    ///
    /// # Source
    /// own: the openrobots component says nothing of how a takeover begins. A velocity beyond `amax / drag` would be one
    /// that whoever set these has excluded.
    pub(crate) fn of(
        reference: Option<&(Instant, PoseState)>,
        now: Instant,
        stamp: Stamp,
        intrinsic: bool,
        dynamics: &Dynamics,
    ) -> Self {
        let Some((at, reference)) = reference else { return Self::Nothing };
        let sane = |part: Option<[f64; 3]>| part.is_none_or(|part| part.iter().all(|v| v.abs() <= ABSURD));
        let usable = now.since(*at) < STALE
            && is_of_now(reference.stamp, stamp)
            && reference.intrinsic == intrinsic
            && sane(reference.vel)
            && sane(reference.avel);
        if !usable {
            return Self::Refused;
        }
        let [x, y, z] = reference.vel.unwrap_or_default();
        let [ax, ay, az] = reference.avel.unwrap_or_default();
        // Commands are cut coordinate by coordinate too.
        let (linear, angular) = (end(dynamics.amax, dynamics.drag), end(dynamics.awmax, dynamics.drag));
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

/// A stamp may make a reference older than its arrival, never fresher, and not from the future. Without a stamp the
/// arrival alone counts.
fn is_of_now(told: Stamp, now: Stamp) -> bool {
    let age = i128::from(now.as_nanos()) - i128::from(told.as_nanos());
    told.is_zero() || (-(AHEAD.as_nanos() as i128)..STALE.as_nanos() as i128).contains(&age)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_of_now_from_half_a_second_ago_to_a_tenth_ahead() {
        let now = Stamp { sec: 10, nanosec: 0 };
        let told = |sec, millis: u32| is_of_now(Stamp { sec, nanosec: millis * 1_000_000 }, now);
        assert_eq!([told(9, 500), told(9, 501), told(10, 0)], [false, true, true]);
        assert_eq!([told(10, 100), told(10, 101), told(200, 0)], [true, false, false]);
        assert!(told(0, 0), "no stamp");
        assert!(!is_of_now(Stamp { sec: i32::MAX, nanosec: u32::MAX }, Stamp { sec: i32::MIN, nanosec: 0 }));
    }

    #[test]
    fn a_velocity_ends_at_acceleration_over_drag() {
        assert_eq!(
            [end(10.0, 4.0), end(10.0, 0.0), end(0.0, 0.0), end(1.0, 1e-9)],
            [2.5, ABSURD, 0.0, ABSURD]
        );
        assert_eq!([end(f64::NAN, 1.0), end(-1.0, 1.0), end(1.0, -1.0), end(1.0, f64::NAN)], [0.0; 4]);
    }
}
