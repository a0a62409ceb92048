use units::{Instant, Velocity, earliest};

use crate::Limits;
use crate::axis::Axis;

/// How to come to rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Within all limits, as if zero was aimed at.
    Ordinary,
    /// With the emergency deceleration from this instant on, without regard to the jerk.
    Emergency,
    /// Zero in this very instant: the safety stop.
    AtOnce,
}

/// Brings a velocity to where it is aimed, within limits for each axis, in the shortest time there is.
///
/// The text of the crate has the mathematics. The limiter sees time only as `now`; an instant before the latest one
/// seen is taken as that one.
/// # Real-time
/// No allocation, no panic, bounded time: below a microsecond for a question, some square roots for a new target.
/// # Source
/// own.
#[derive(Clone, Copy, Debug)]
pub struct Limiter {
    /// Linear x, y, z, then angular x, y, z.
    axes: [Axis; 6],
    latest: Instant,
}

impl Limiter {
    /// At rest within `limits` of the linear axes x, y, z and the angular ones x, y, z.
    pub fn new(limits: [Limits; 6]) -> Self {
        Self { axes: limits.map(Axis::new), latest: Instant::ZERO }
    }

    /// Goes to `target` from `now` on, cut to the limits and to zero in the dead band.
    ///
    /// It may be another one at any time, and is best told as often as it comes: the same once more changes nothing.
    /// An axis in an emergency stop comes to rest first.
    pub fn aim(&mut self, now: Instant, target: Velocity) {
        let now = self.see(now);
        let ([x, y, z], [ax, ay, az]) = (target.linear(), target.angular());
        for (axis, wish) in self.axes.iter_mut().zip([x, y, z, ax, ay, az]) {
            axis.aim(now, wish);
        }
    }

    /// Comes to rest from `now` on, all axes alike, until another target is aimed at.
    ///
    /// An ordinary stop does not weaken an emergency stop that is under way.
    pub fn stop(&mut self, now: Instant, how: Stop) {
        let now = self.see(now);
        for axis in &mut self.axes {
            axis.stop(now, how);
        }
    }

    /// Obeys other `limits` from `now` on.
    ///
    /// No velocity steps, unless its slope is off from now on; an acceleration beyond the new limits does, towards zero.
    /// What was aimed at last is seen anew: it may be less or more than it was within the old limits.
    pub fn configure(&mut self, now: Instant, limits: [Limits; 6]) {
        let now = self.see(now);
        for (axis, limits) in self.axes.iter_mut().zip(limits) {
            axis.configure(now, limits);
        }
    }

    /// The velocity at `now`.
    pub fn velocity(&mut self, now: Instant) -> Velocity {
        let now = self.see(now);
        parts(self.axes.each_ref().map(|axis| axis.state(now).velocity))
    }

    /// How the velocity changes at `now` \[m/s², rad/s²], linear and angular; at a step, as it will from now on.
    pub fn acceleration(&mut self, now: Instant) -> ([f64; 3], [f64; 3]) {
        let now = self.see(now);
        split(self.axes.each_ref().map(|axis| axis.state(now).acceleration))
    }

    /// Whether every axis is where it is aimed, as of the latest instant seen, and needs no more attention.
    pub fn is_settled(&self) -> bool {
        self.axes.iter().all(|axis| axis.is_settled(self.latest))
    }

    /// When after the latest instant seen an axis next changes its jerk or comes to its target; `None` once settled.
    ///
    /// Between two changes the velocity is a parabola: whoever moves motors asks for it at his own rate, and here
    /// learns when to ask for the last time.
    pub fn next_change(&self) -> Option<Instant> {
        self.axes.iter().map(|axis| axis.next_change(self.latest)).fold(None, earliest)
    }

    fn see(&mut self, now: Instant) -> Instant {
        self.latest = self.latest.max(now);
        self.latest
    }
}

fn parts(axes: [f64; 6]) -> Velocity {
    // Adding zero makes a zero positive. Plans of finite numbers are finite; if one was not, nothing should move.
    let (linear, angular) = split(axes.map(|part| part + 0.0));
    Velocity::new(linear, angular).unwrap_or_default()
}

fn split([x, y, z, ax, ay, az]: [f64; 6]) -> ([f64; 3], [f64; 3]) {
    ([x, y, z], [ax, ay, az])
}
