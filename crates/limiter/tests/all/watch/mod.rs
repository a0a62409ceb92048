//! Observes an axis from outside and checks each two consecutive observations against the limits.

use proptest::prelude::*;
use safety::Instant;

use crate::common::Axis;

/// The last observation.
pub struct Watch {
    at: Instant,
    v: f64,
    a: f64,
    /// Whether an emergency deceleration may be under way.
    emergency: bool,
    /// The greatest speed so far, which bounds the rounding.
    scale: f64,
}

type Verdict = Result<(), TestCaseError>;

impl Watch {
    pub fn new(axis: &mut Axis, at: Instant) -> Self {
        Self { at, v: axis.v(at), a: axis.a(at), emergency: false, scale: 1.0 }
    }

    /// Another target: if jerk is limited neither velocity nor acceleration steps, to the bit.
    pub fn retarget(&mut self, axis: &mut Axis, now: Instant) -> Verdict {
        if axis.settings.jerk > 0.0 && !self.emergency {
            prop_assert_eq!((axis.v(now), axis.a(now)), (self.v, self.a));
        }
        self.observe(axis, now)
    }

    /// An emergency: no velocity steps, unless its deceleration is off.
    pub fn emergency(&mut self, axis: &mut Axis, now: Instant) -> Verdict {
        prop_assert!(axis.v(now) == self.v || axis.settings.emergency == 0.0 && axis.v(now) == 0.0);
        self.emergency = true;
        (self.v, self.a) = (axis.v(now), axis.a(now));
        Ok(())
    }

    /// A safety stop: no motion is left.
    pub fn halt(&mut self, axis: &mut Axis, now: Instant) -> Verdict {
        prop_assert_eq!((axis.v(now), axis.a(now)), (0.0, 0.0));
        (self.v, self.a, self.emergency) = (0.0, 0.0, false);
        Ok(())
    }

    /// Other limits: the velocity does not step, unless a slope is now off, and the acceleration does not grow.
    pub fn configured(&mut self, axis: &mut Axis, now: Instant) -> Verdict {
        let (v, a) = (axis.v(now), axis.a(now));
        let s = axis.settings;
        if self.emergency {
            prop_assert!(v == self.v || s.emergency == 0.0);
        } else if s.jerk > 0.0 {
            prop_assert_eq!(v, self.v);
            prop_assert!(a == 0.0 || a.abs() <= self.a.abs() && a * self.a > 0.0, "{} to {a}", self.a);
        } else if s.acceleration > 0.0 && s.deceleration > 0.0 {
            prop_assert_eq!(v, self.v);
        }
        (self.v, self.a) = (v, a);
        Ok(())
    }

    /// Checks that the state at `now` can follow from the last observation within all limits.
    pub fn observe(&mut self, axis: &mut Axis, now: Instant) -> Verdict {
        let (v, a) = (axis.v(now), axis.a(now));
        let dt = now.since(self.at).as_secs_f64();
        let s = axis.settings;
        let [up, down, emergency, jerk] =
            [s.acceleration, s.deceleration, s.emergency, s.jerk].map(Axis::bound);
        self.scale = self.scale.max(v.abs());
        let tiny = 1e-12 * self.scale;

        prop_assert!(v != 0.0 || v.is_sign_positive());

        // To the bit, except for a velocity that was already outside when the limits changed.
        prop_assert!(v >= s.min.min(self.v) && v <= s.max.max(self.v), "{v} beyond {} or {}", s.min, s.max);

        let braking = if self.emergency { emergency } else { down };
        let time = if v * self.v < 0.0 {
            self.v.abs() / braking + v.abs() / up
        } else if v.abs() > self.v.abs() {
            (v.abs() - self.v.abs()) / up
        } else {
            (self.v.abs() - v.abs()) / braking
        };
        // Rounding of a velocity by `tiny` is rounding of a time by `tiny` over a slope.
        let slack = tiny / up.min(braking);
        prop_assert!(time <= dt * (1.0 + 1e-12) + slack, "{} to {v} in {dt} s takes {time} s", self.v);
        if jerk.is_finite() && v != 0.0 && a != 0.0 {
            let cap = if a * v > 0.0 { up } else { braking };
            prop_assert!(a.abs() <= cap * (1.0 + 1e-12), "acceleration {a} at {v}");
        }

        // From an emergency there is a step of the acceleration to zero, somewhere.
        let steps = self.emergency && (v == 0.0 || v * self.v < 0.0 || v.abs() > self.v.abs());
        if jerk.is_finite() && !self.emergency {
            // Near a target rounding of v by x is rounding of a by the square root of 2 J x.
            let tiny_a = 1e-9 * self.scale.max(a.abs()) + (2.0 * jerk * 1e-15 * self.scale).sqrt();
            prop_assert!(
                (a - self.a).abs() <= jerk * dt + tiny_a,
                "acceleration {} to {a} in {dt} s",
                self.a
            );
            let straight = self.v + self.a * dt;
            prop_assert!(
                (v - straight).abs() <= jerk * dt * dt / 2.0 + tiny_a * dt + tiny,
                "{v}, {straight}"
            );
        }
        self.emergency &= !steps;
        (self.at, self.v, self.a) = (now, v, a);
        Ok(())
    }
}
