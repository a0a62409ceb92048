use core::time::Duration;

use safety::Instant;

/// In this time the distance between a joint and the trajectory that it joins fades \[s\].
const FADING: f64 = 0.25;

/// How far a joint without a tolerance may be from the trajectory that it joins, whatever is planned \[rad or m\].
const NEAR: f64 = 0.02;

/// How long the planned speed of a joint may take to where the joint is, without a tolerance \[s\].
const NEAR_TIME: f64 = 0.1;

/// A desired position may be this much faster than the trajectory plans it. The joint, whose speed overshoots a step by up to a fifth with
/// usual gains, then stays below twice the plan.
const MOST_RATE: f64 = 1.5;

/// A trajectory that is late is caught up at a rate that grows with the root of its lag over this, up to [`MOST_RATE`] \[s\].
const EASING: f64 = 0.05;

/// A joint this near to its trajectory is on it: the distance is rounded \[rad or m\].
const TOUCHING: f64 = 1e-9;

/// How far a joint may be from the trajectory that it joins, if its path tolerance is `tolerance` and it is planned to move at
/// `top_speed` at most: the tolerance, and without one (infinite) 0.02 or as far as that speed leads in 0.1 s \[rad or m\].
pub(crate) fn near(tolerance: f64, top_speed: f64) -> f64 {
    if tolerance.is_finite() { tolerance } else { NEAR.max(NEAR_TIME * top_speed) }
}

/// The time of a trajectory that is followed: one that is late goes up to 1.5 times as fast until it is on time.
///
/// ```text
/// d time / dt = 1 + min(0.5, √(lag / 0.05 s))
/// ```
///
/// The root ends the last of the lag in a finite time and without a step of the speed.
/// # Source
/// own: places that were missed are passed on the way that was planned.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Progress {
    begun: Instant,
    last: Instant,
    /// The trajectory's age when it begins.
    age: Duration,
    /// How far its time is behind.
    lag: Duration,
}

/// Where a trajectory is in one step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advance {
    /// Its time.
    pub time: Duration,
    /// How fast that goes: 1 to 1.5.
    pub rate: f64,
    /// How long the step counts \[s\].
    pub step: f64,
}

impl Progress {
    /// A trajectory of this `age`, which begins `now` at its time `entry`, no later than `age`.
    pub(crate) fn new(now: Instant, age: Duration, entry: Duration) -> Self {
        Self { begun: now, last: now, age, lag: age.saturating_sub(entry) }
    }

    /// The step at `now`, which counts for `period` at most: one that comes later than that leaves the trajectory late.
    pub(crate) fn advance(&mut self, now: Instant, period: Duration) -> Advance {
        let elapsed = now.since(self.last);
        let step = elapsed.min(period);
        self.last = now;
        self.lag += elapsed - step;
        let most = (self.lag.as_secs_f64() / EASING).sqrt().min(MOST_RATE - 1.0);
        let hurry = step.mul_f64(most).min(self.lag);
        self.lag -= hurry;
        let passed = self.age.saturating_add(now.since(self.begun));
        let (hurry, step) = (hurry.as_secs_f64(), step.as_secs_f64());
        let rate = if hurry > 0.0 { 1.0 + hurry / step } else { 1.0 };
        Advance { time: passed.saturating_sub(self.lag), rate, step }
    }
}

/// A desired position on its way to a trajectory and along it.
///
/// It begins where the joint is, and its distance from the trajectory fades within 0.25 s, or more slowly: it is never faster than 1.5 times
/// the greatest speed that is planned, or 0.02 in 0.25 s if that is more, or the speed that it has from its begin on, as long as it has it.
/// # Real-time
/// Whatever the numbers are, nothing panics; what is not finite leads to a position that is not.
/// # Source
/// own: the step that brings a joint to a trajectory at once is a lunge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Approach {
    position: f64,
    velocity: f64,
    /// How far that is from the trajectory.
    offset: f64,
    /// How fast that fades.
    fading: f64,
    limit: f64,
    /// The speed of its begin, or what is left of it.
    inherited: f64,
}

impl Approach {
    /// It holds `position`.
    pub(crate) fn held(position: f64) -> Self {
        Self { position, ..Self::default() }
    }

    /// It follows a trajectory that is at `path` and at `top_speed` at most from now on, beginning at `position`.
    pub(crate) fn begin(&mut self, position: f64, path: f64, top_speed: f64) {
        self.position = position;
        self.limit = (MOST_RATE * top_speed).max(NEAR / FADING);
        self.inherited = self.velocity.abs();
        self.offset = position - path;
        self.fading = self.offset.abs() / FADING;
    }

    /// The trajectory is at `path` and has this `speed`, in a step of `dt` \[s\].
    pub(crate) fn follow(&mut self, [path, speed]: [f64; 2], dt: f64) {
        let limit = self.limit.max(self.inherited);
        let (most, fade) = (limit * dt, self.fading * dt);
        let left = self.offset - bounded(self.offset, 0.0, fade);
        let left = if left.abs() < TOUCHING { 0.0 } else { left };
        self.position = bounded(path + left, self.position, most);
        let before = core::mem::replace(&mut self.offset, self.position - path);
        self.fading = self.fading.max(self.offset.abs() / FADING);
        let drift = if dt > 0.0 { (self.offset - before) / dt } else { 0.0 };
        self.velocity = bounded(speed + drift, 0.0, limit);
        self.inherited = self.inherited.min(self.velocity.abs());
    }

    /// Whether it is on the trajectory.
    pub(crate) fn has_arrived(&self) -> bool {
        self.offset == 0.0
    }

    /// How far it is from the trajectory \[rad or m\].
    pub(crate) fn offset(&self) -> f64 {
        self.offset
    }

    /// Position and velocity.
    pub(crate) fn state(&self) -> [f64; 2] {
        [self.position, self.velocity]
    }
}

/// The value nearest to `value` that is within `most` of `middle`. Unlike `clamp` it takes bounds that are not numbers.
fn bounded(value: f64, middle: f64, most: f64) -> f64 {
    value.max(middle - most).min(middle + most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_of_the_motion_before_counts_only_as_long_as_it_lasts() {
        const DT: f64 = 1e-3;
        let mut approach = Approach::held(0.0);
        approach.begin(0.0, 0.0, 2.0);
        approach.follow([0.002, 2.0], DT);
        assert_eq!(approach.state(), [0.002, 2.0]);
        approach.begin(0.002, 0.002, 0.02);
        // It is braked, stands, and is then called far away.
        let mut path = 0.002;
        for step in 0..300 {
            let speed = 2.0 - 0.01 * f64::from(step.min(200));
            path += speed * DT;
            approach.follow([path, speed], DT);
        }
        assert!((approach.state()[0] - path).abs() < 1e-9, "it keeps the path while it is braked");
        for _ in 0..100 {
            let before = approach.state()[0];
            approach.follow([path + 0.5, 0.0], DT);
            let speed = (approach.state()[0] - before) / DT;
            assert!(speed <= NEAR / FADING + 1e-9, "{speed}");
        }
    }
}
