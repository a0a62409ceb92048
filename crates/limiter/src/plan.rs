use core::time::Duration;

use safety::Instant;

use crate::Limits;

/// Up, along and down on both legs, and before that the path to zero acceleration. One of them is always missing, unless
/// rounding adds it.
const PHASES: usize = 7;

/// The state of an axis: its velocity \[m/s, rad/s] and its acceleration \[m/s², rad/s²].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct State {
    pub(crate) velocity: f64,
    pub(crate) acceleration: f64,
}

/// The whole path from a state to a target at rest, in phases of constant jerk.
///
/// Times are seconds since `start`, those of the phases rise strictly, and nothing here is NaN. An infinite time is a change
/// that never happens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    start: Instant,
    phases: [Phase; PHASES],
    count: usize,
    /// Until when the emergency deceleration applies; 0 without.
    braking: f64,
    end: f64,
    target: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Phase {
    from: f64,
    state: State,
    jerk: f64,
}

impl Plan {
    /// Stays at `velocity`.
    pub(crate) fn rest(start: Instant, velocity: f64) -> Self {
        Self { start, phases: [Phase::default(); PHASES], count: 0, braking: 0.0, end: 0.0, target: velocity }
    }

    /// The quickest path from `state` at `start` to `target`, which lies within `limits`.
    pub(crate) fn new(start: Instant, state: State, target: f64, limits: &Limits) -> Self {
        let mut plan = Self::rest(start, target);
        plan.run(state, limits);
        plan
    }

    /// With the emergency deceleration to zero, and from there to `target`.
    pub(crate) fn braking(start: Instant, velocity: f64, target: f64, limits: &Limits) -> Self {
        let mut plan = Self::rest(start, target);
        let braking = State { velocity, acceleration: -limits.emergency.copysign(velocity) };
        plan.push(1.0, velocity.abs() / limits.emergency, braking, 0.0);
        plan.braking = plan.end;
        plan.run(State::default(), limits);
        plan
    }

    fn run(&mut self, State { velocity, acceleration }: State, limits: &Limits) {
        let jerk = limits.jerk;
        let settle = settle(velocity, acceleration, limits);
        // An axis that only has to reduce its acceleration already points to the target.
        let ahead = if self.target == settle { acceleration } else { self.target - settle };
        let sign = 1.0_f64.copysign(ahead);
        let (mut w, mut a, goal) = (sign * velocity, sign * acceleration, sign * self.target);
        if a < 0.0 {
            self.push(sign, -a / jerk, State { velocity: w, acceleration: a }, jerk);
            (w, a) = (sign * settle, 0.0);
        }
        if w < 0.0 {
            let end = goal.min(0.0);
            let pass = if jerk.is_infinite() {
                0.0
            } else {
                let (before, after) =
                    (root(a * a, 2.0 * jerk, end - w), root(0.0, 2.0 * jerk, goal.max(0.0)));
                limits.acceleration.min(limits.deceleration).min(before).min(after)
            };
            self.leg(sign, (w, a), (end, pass), limits.deceleration, jerk);
            (w, a) = (end, pass);
        }
        if goal > 0.0 {
            self.leg(sign, (w, a), (goal, 0.0), limits.acceleration, jerk);
        }
    }

    /// From a velocity and an acceleration upwards to others, accelerating by `bound` at most.
    fn leg(&mut self, sign: f64, (w0, a0): (f64, f64), (w1, a1): (f64, f64), bound: f64, jerk: f64) {
        let length = w1 - w0;
        if jerk.is_infinite() {
            let along = State { velocity: w0, acceleration: bound };
            return self.push(sign, length / bound, along, 0.0);
        }
        let start = State { velocity: w0, acceleration: a0 };
        let free = root((a0 * a0 + a1 * a1) / 2.0, jerk, length);
        if free <= bound {
            let peak = free.max(a0);
            let middle = w0 + length / 2.0 + (a1 * a1 - a0 * a0) / (4.0 * jerk);
            // A plan begins at the present state, to the bit, also on the way down.
            let velocity = if peak > a0 { middle.max(w0).min(w1) } else { w0 };
            let top = State { velocity, acceleration: peak };
            self.push(sign, (peak - a0) / jerk, start, jerk);
            self.push(sign, (peak - a1) / jerk, top, -jerk);
        } else {
            let rise = (w0 + (bound * bound - a0 * a0) / (2.0 * jerk)).min(w1);
            let fall = (w1 - (bound * bound - a1 * a1) / (2.0 * jerk)).max(rise);
            self.push(sign, (bound - a0) / jerk, start, jerk);
            self.push(sign, (fall - rise) / bound, State { velocity: rise, acceleration: bound }, 0.0);
            self.push(sign, (bound - a1) / jerk, State { velocity: fall, acceleration: bound }, -jerk);
        }
    }

    /// Adds a phase of `duration` \[s], unless it takes no time.
    fn push(&mut self, sign: f64, duration: f64, state: State, jerk: f64) {
        let end = self.end + duration;
        if let Some(phase) = self.phases.get_mut(self.count)
            && end > self.end
        {
            let state = State { velocity: sign * state.velocity, acceleration: sign * state.acceleration };
            *phase = Phase { from: self.end, state, jerk: sign * jerk };
            self.count += 1;
            self.end = end;
        }
    }

    /// The velocity at its end.
    pub(crate) fn target(&self) -> f64 {
        self.target
    }

    /// Whether the emergency deceleration applies at `now`.
    pub(crate) fn is_braking(&self, now: Instant) -> bool {
        self.time(now) < self.braking
    }

    /// Whether the axis rests at its target at `now`.
    pub(crate) fn is_over(&self, now: Instant) -> bool {
        self.time(now) >= self.end
    }

    /// The state at `now`; before the start, that at the start.
    pub(crate) fn state(&self, now: Instant) -> State {
        let time = self.time(now);
        let state = State { velocity: self.target, acceleration: 0.0 };
        let mut next = Phase { from: self.end, state, jerk: 0.0 };
        for phase in self.phases.iter().take(self.count).rev() {
            if next.from <= time {
                break;
            }
            if phase.from < time {
                return phase.at(time, &next);
            }
            next = *phase;
        }
        next.state
    }

    /// When after `now` the next phase begins, or the target is reached after the last one.
    pub(crate) fn next_change(&self, now: Instant) -> Option<Instant> {
        let time = self.time(now);
        let starts = self.phases.iter().take(self.count).map(|phase| phase.from).chain([self.end]);
        starts.into_iter().find(|&start| start > time).map(|start| self.instant(start))
    }

    fn time(&self, now: Instant) -> f64 {
        now.since(self.start).as_secs_f64()
    }

    /// The first instant at or after `time`, in the rounding of [`Plan::time`]; the greatest instant if it is not before that.
    fn instant(&self, time: f64) -> Instant {
        let nanos = (time * 1e9).ceil() as u64;
        let near = self.start + Duration::from_nanos(nanos);
        // The product may be rounded down, by less than two to the power of -51 of itself.
        if self.time(near) < time { near + Duration::from_nanos((nanos >> 51) + 1) } else { near }
    }
}

impl Phase {
    /// The state of this phase at `time`, on its way to `next`.
    ///
    /// It is computed from the end with the smaller acceleration, so a velocity comes to rest without noise, and rounding
    /// never reverses its direction.
    fn at(&self, time: f64, next: &Self) -> State {
        let (start, end) = (self.state, next.state);
        let falls = self.jerk * start.acceleration < 0.0;
        let (State { velocity, acceleration }, t) =
            if falls { (end, time - next.from) } else { (start, time - self.from) };
        let parabola = velocity + (acceleration + self.jerk * t / 2.0) * t;
        State {
            velocity: between(start.velocity, parabola, end.velocity),
            acceleration: between(start.acceleration, acceleration + self.jerk * t, end.acceleration),
        }
    }
}

/// The velocity at which the greatest jerk brings the acceleration to zero, kept from leaving the limits by rounding.
pub(crate) fn settle(velocity: f64, acceleration: f64, limits: &Limits) -> f64 {
    let settle = velocity + acceleration * acceleration.abs() / (2.0 * limits.jerk);
    settle.max(limits.min.min(velocity)).min(limits.max.max(velocity))
}

/// The square root of `square + slope * length`, none of them negative, also where the product overflows.
fn root(square: f64, slope: f64, length: f64) -> f64 {
    let product = slope * length;
    if product <= f64::MAX { (square + product).sqrt() } else { slope.sqrt() * length.sqrt() }
}

/// `value`, limited to the range between the two ends.
fn between(end: f64, value: f64, other: f64) -> f64 {
    value.max(end.min(other)).min(end.max(other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Settings;

    #[test]
    fn a_phase_stays_between_its_ends_even_if_they_do_not_match() {
        // An exaggerated rounding error: with a jerk of 2 it reaches 1 and 2 within its second.
        let start = Phase { jerk: 2.0, ..Phase::default() };
        let end =
            |velocity, acceleration| Phase { from: 1.0, state: State { velocity, acceleration }, jerk: 0.0 };
        assert_eq!(start.at(0.5, &end(1.0, 2.0)), State { velocity: 0.25, acceleration: 1.0 });
        assert_eq!(start.at(0.5, &end(0.2, 0.9)), State { velocity: 0.2, acceleration: 0.9 });
        assert_eq!(start.at(0.5, &end(-1.0, -2.0)), State::default());
    }

    #[test]
    fn every_plan_fits_the_array_of_phases() {
        let settings = Settings {
            acceleration: 1.0,
            deceleration: 2.0,
            emergency: 4.0,
            jerk: 4.0,
            ..Settings::default()
        };
        let limits = Limits::new(&settings).unwrap();
        let state = State { velocity: -10.0, acceleration: -1.0 };
        let plan = Plan::new(Instant::ZERO, state, 10.0, &limits);
        // To a = 0, up, along, down (or up) to the acceleration limit, along, down.
        assert_eq!((plan.count, plan.end.is_finite()), (6, true));
        let stronger = Limits::new(&Settings { acceleration: 3.0, ..settings }).unwrap();
        assert_eq!(Plan::new(Instant::ZERO, state, 10.0, &stronger).count, 6);
        assert_eq!(Plan::braking(Instant::ZERO, -10.0, 10.0, &limits).count, 4);
    }

    #[test]
    fn a_root_is_finite_although_its_product_overflows() {
        assert_eq!(root(9.0, 2.0, 8.0), 5.0);
        // sqrt(1e6 * 1e304) = 1e155
        assert!((root(1.0, 1e6, 1e304) / 1e155 - 1.0).abs() < 1e-15);
        assert!(root(1.0, 1e6, f64::MAX).is_finite());
    }
}
