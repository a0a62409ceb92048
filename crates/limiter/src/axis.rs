use units::Instant;

use crate::plan::{Plan, State, settle};
use crate::{Limits, Stop};

/// One axis: its limits, what is asked of it, and its plan to get there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    limits: Limits,
    /// What was asked for, before dead band and limits, for new limits to look at.
    wish: f64,
    plan: Plan,
}

impl Axis {
    /// An axis at rest.
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, wish: 0.0, plan: Plan::rest(Instant::ZERO, 0.0) }
    }

    /// Goes to `wish` from `now` on. An emergency stop comes to its end before.
    pub(crate) fn aim(&mut self, now: Instant, wish: f64) {
        self.wish = wish;
        let target = self.limits.target(wish);
        // The plan that is there already leads to the same place, and a new one would only add rounding.
        if target != self.plan.target() {
            self.plan(now, self.plan.state(now), self.plan.is_braking(now));
        }
    }

    /// Goes to zero, and forgets what was asked for.
    pub(crate) fn stop(&mut self, now: Instant, how: Stop) {
        match how {
            Stop::Ordinary => self.aim(now, 0.0),
            Stop::Emergency if self.plan.is_braking(now) => self.aim(now, 0.0),
            Stop::Emergency => {
                self.wish = 0.0;
                self.plan(now, self.plan.state(now), true);
            }
            Stop::AtOnce => {
                self.wish = 0.0;
                self.plan = Plan::rest(now, 0.0);
            }
        }
    }

    /// Goes on within other limits, from the same velocity.
    pub(crate) fn configure(&mut self, now: Instant, limits: Limits) {
        if limits == self.limits {
            return;
        }
        let state = admit(self.plan.state(now), &self.limits, &limits);
        let braking = self.plan.is_braking(now);
        self.limits = limits;
        self.plan(now, state, braking);
    }

    fn plan(&mut self, now: Instant, state: State, braking: bool) {
        let target = self.limits.target(self.wish);
        self.plan = if braking {
            Plan::braking(now, state.velocity, target, &self.limits)
        } else {
            Plan::new(now, state, target, &self.limits)
        };
    }

    pub(crate) fn state(&self, now: Instant) -> State {
        self.plan.state(now)
    }

    pub(crate) fn is_settled(&self, now: Instant) -> bool {
        self.plan.is_over(now)
    }

    pub(crate) fn next_change(&self, now: Instant) -> Option<Instant> {
        self.plan.next_change(now)
    }
}

/// `state` with as much of its acceleration as `new` limits allow.
///
/// Nothing is left of it without a limit of the jerk on either side, where it means nothing: without an old one all
/// of it can go at once, so that there is no room.
fn admit(state: State, old: &Limits, new: &Limits) -> State {
    let State { velocity, acceleration } = state;
    if new.jerk.is_infinite() {
        return State { velocity, acceleration: 0.0 };
    }
    // Velocities in the direction of the acceleration, as in the plan.
    let (w, limit) = if acceleration < 0.0 { (-velocity, -new.min) } else { (velocity, new.max) };
    let room = (settle(velocity, acceleration, old) - velocity).abs().min(limit - w).max(0.0);
    let by_jerk = (2.0 * new.jerk * room).sqrt();
    let bound = if w < 0.0 {
        // The acceleration that can be had down to the one beyond zero before zero is there.
        let beyond = (new.acceleration * new.acceleration - 2.0 * new.jerk * w).sqrt();
        new.deceleration.min(beyond)
    } else {
        new.acceleration
    };
    State { velocity, acceleration: acceleration.abs().min(by_jerk).min(bound).copysign(acceleration) }
}
