use safety::Instant;

use crate::plan::{Plan, State, settle};
use crate::{Limits, Stop};

/// One axis: its limits, its setpoint, and its plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis {
    limits: Limits,
    /// The requested velocity, before dead band and limits; new limits are applied to it.
    setpoint: f64,
    plan: Plan,
}

impl Axis {
    /// An axis at rest.
    pub(crate) fn new(limits: Limits) -> Self {
        Self { limits, setpoint: 0.0, plan: Plan::rest(Instant::ZERO, 0.0) }
    }

    /// Aims at `setpoint` from `now` on. An emergency stop is completed first.
    pub(crate) fn aim(&mut self, now: Instant, setpoint: f64) {
        self.setpoint = setpoint;
        let target = self.limits.target(setpoint);
        // The present plan already leads to this target, and a new one would only add rounding.
        if target != self.plan.target() {
            self.plan(now, self.plan.state(now), self.plan.is_braking(now));
        }
    }

    /// Stops, and sets the setpoint to zero.
    pub(crate) fn stop(&mut self, now: Instant, how: Stop) {
        match how {
            Stop::Ordinary => self.aim(now, 0.0),
            Stop::Emergency if self.plan.is_braking(now) => self.aim(now, 0.0),
            Stop::Emergency => {
                self.setpoint = 0.0;
                self.plan(now, self.plan.state(now), true);
            }
            Stop::AtOnce => {
                self.setpoint = 0.0;
                self.plan = Plan::rest(now, 0.0);
            }
        }
    }

    /// Adopts other limits, from the same velocity.
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
        let target = self.limits.target(self.setpoint);
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
/// It is zero without a limit of the jerk before or after, where an acceleration has no meaning: without an old limit all of
/// it can be removed at once, so there is no room.
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
        // The acceleration that can be reduced to the one beyond zero before zero is reached.
        let beyond = (new.acceleration * new.acceleration - 2.0 * new.jerk * w).sqrt();
        new.deceleration.min(beyond)
    } else {
        new.acceleration
    };
    State { velocity, acceleration: acceleration.abs().min(by_jerk).min(bound).copysign(acceleration) }
}
