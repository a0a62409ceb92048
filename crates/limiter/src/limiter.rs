use safety::{Instant, Velocity, earliest};

use crate::Limits;
use crate::axis::Axis;

/// How to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Within all limits, as with a target of zero.
    Ordinary,
    /// With the emergency deceleration from this instant on, without regard to the jerk.
    Emergency,
    /// Zero in this instant: the safety stop.
    AtOnce,
}

/// Moves a velocity to its target, within limits for each axis, in the shortest possible time.
///
/// The documentation of the crate has the mathematics. The limiter knows time only as `now`; an instant before the latest
/// one counts as the latest one.
/// # Real-time
/// No allocation, no panic, bounded time: below a microsecond for a query, some square roots for a new target.
/// # Source
/// own.
#[derive(Clone, Copy, Debug)]
pub struct Limiter {
    /// Linear x, y, z, then angular x, y, z.
    axes: [Axis; 6],
    latest: Instant,
}

impl Limiter {
    /// A limiter at rest with `limits` of the linear axes x, y, z and the angular ones x, y, z.
    pub fn new(limits: [Limits; 6]) -> Self {
        Self { axes: limits.map(Axis::new), latest: Instant::ZERO }
    }

    /// Aims at `target` from `now` on, clamped to the limits and to zero in the dead band.
    ///
    /// The target may change at any time; repeating it has no effect. An axis in an emergency stop stops first.
    pub fn aim(&mut self, now: Instant, target: Velocity) {
        let now = self.advance(now);
        let ([x, y, z], [ax, ay, az]) = (target.linear(), target.angular());
        for (axis, setpoint) in self.axes.iter_mut().zip([x, y, z, ax, ay, az]) {
            axis.aim(now, setpoint);
        }
    }

    /// Stops all axes from `now` on, until the next target.
    ///
    /// An ordinary stop does not weaken an emergency stop that is under way.
    pub fn stop(&mut self, now: Instant, how: Stop) {
        let now = self.advance(now);
        for axis in &mut self.axes {
            axis.stop(now, how);
        }
    }

    /// Adopts other `limits` from `now` on.
    ///
    /// A velocity steps only if its slope is now off; an acceleration beyond the new limits steps towards zero. The last setpoint
    /// is limited again, so the target may be less or more than before.
    pub fn configure(&mut self, now: Instant, limits: [Limits; 6]) {
        let now = self.advance(now);
        for (axis, limits) in self.axes.iter_mut().zip(limits) {
            axis.configure(now, limits);
        }
    }

    /// The velocity at `now`.
    pub fn velocity(&mut self, now: Instant) -> Velocity {
        let now = self.advance(now);
        parts(self.axes.each_ref().map(|axis| axis.state(now).velocity))
    }

    /// The acceleration at `now` \[m/s², rad/s²], linear and angular; at a step, the one after it.
    pub fn acceleration(&mut self, now: Instant) -> ([f64; 3], [f64; 3]) {
        let now = self.advance(now);
        split(self.axes.each_ref().map(|axis| axis.state(now).acceleration))
    }

    /// Whether every axis rests at its target, as of the latest instant.
    pub fn is_settled(&self) -> bool {
        self.axes.iter().all(|axis| axis.is_settled(self.latest))
    }

    /// When after the latest instant an axis next changes its jerk or reaches its target; `None` once settled.
    ///
    /// Between two changes the velocity is a parabola: a caller that drives motors samples it at its own rate, and this is
    /// the time of its last sample.
    pub fn next_change(&self) -> Option<Instant> {
        self.axes.iter().map(|axis| axis.next_change(self.latest)).fold(None, earliest)
    }

    fn advance(&mut self, now: Instant) -> Instant {
        self.latest = self.latest.max(now);
        self.latest
    }
}

fn parts(axes: [f64; 6]) -> Velocity {
    // Adding zero makes a zero positive. Plans of finite numbers are finite; otherwise nothing moves.
    let (linear, angular) = split(axes.map(|part| part + 0.0));
    Velocity::new(linear, angular).unwrap_or_default()
}

fn split([x, y, z, ax, ay, az]: [f64; 6]) -> ([f64; 3], [f64; 3]) {
    ([x, y, z], [ax, ay, az])
}
