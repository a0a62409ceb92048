//! Limits a velocity command: velocity, acceleration, deceleration and jerk for each of six axes, a dead band, and stops that
//! override the limits.
//!
//! * [`Limiter`] gets a target ([`Limiter::aim`]) and returns the velocity ([`Limiter::velocity`]). The target of another
//!   source begins at the present velocity: a hand-over is a ramp.
//! * [`Limits`] of one axis are parsed from plain numbers, [`Settings`].
//! * [`Stop`] selects how to stop: within the limits, with the emergency deceleration, or at once.
//!
//! # The problem
//! An axis has a velocity `v` and an acceleration `a`, and has to reach the target `T` and stay there, as soon as
//! possible, with `|da/dt| <= J`. While the speed falls `|a| <= D` (deceleration), while it rises `|a| <= A`
//! (acceleration). Each of the three may be infinite, which is written as 0, off.
//!
//! # The plan
//! With the greatest jerk `a` reaches zero at the velocity `settle = v + a |a| / (2 J)`, and at no nearer one. `T`
//! therefore lies ahead if it lies beyond `settle`. Count velocities `w` in that direction; the path leads upwards to
//! `w_T`. If `a` still points backwards, the first phase is jerk `+J` until `a = 0`, which is at `settle`.
//!
//! From there on `a >= 0`. Let `u = a² / 2`, as a function of `w`. Since `du/dw = da/dt`, the limit of the jerk means
//! that `u` is nowhere steeper than `J`. The time is the integral of `dw / sqrt(2 u)`, so the quickest path has the
//! greatest `u` of that slope below all bounds, which is their minimum:
//! ```text
//! u(w) = min( u_0 + J (w - w_0),                      from where it is
//!             D²/2 + J max(0, w)  if w_0 < 0,         upwards below zero the speed falls
//!             A²/2 + J max(0, -w),                    upwards above zero it rises
//!             J (w_T - w) )                           at rest on the target
//! ```
//! It consists of pieces with slope `+J`, 0 and `-J`, which are phases of constant jerk. Zero divides it into two
//! legs, of which one may be missing. A leg from `(w_0, a_0)` to `(w_1, a_1)` of length `L` below the bound `C` has the
//! peak `min(C, sqrt((a_0² + a_1²) / 2 + J L))`: up to it, along it, down from it. The first leg ends at zero with
//! `a_1 = min(A, D, sqrt(2 J w_T), sqrt(a_0² + 2 J L))`, so the sign changes without a halt and with the right limit on
//! either side. The last leg ends at `w_T` with 0. Either the first leg goes down before zero or the second up beyond
//! it, never both, so a plan has six phases at most. The beginning and end of each are known in closed form.
//!
//! No overshoot: `u` is nowhere above `J (w_T - w)`, so the path from `settle` to `T` has one direction and ends in
//! `T`. The limit of the jerk forces the path from `v` to `settle`. It stays within the limits of the velocity, because
//! `settle` lies on the path of the previous plan.
//!
//! Without a limit of the jerk (`J` infinite) only the pieces along `C` are left; with `C` infinite too a leg takes no
//! time at all. With everything off each target passes unchanged.
//!
//! # How long it takes
//! One path within the limits, if not the quickest, reduces the acceleration to zero at `settle`, and leads from there
//! to rest at zero if it lies between, and to `T`. From rest to rest a leg takes `L / C + C / J` if it reaches `C` and
//! otherwise `2 sqrt(L / J)`, which is never more (arithmetic and geometric mean). So from any state `T` is reached
//! within `|a| / J` plus `L / C + C / J` for each leg between `settle` and `T`, or `2 sqrt(L / J)` where `C` is infinite.
//!
//! # Timing and rounding
//! The plan stores the instant of its beginning, and a velocity is computed from the phase of its time, never from the
//! velocity before. More or fewer queries, or aiming again at the same target, therefore change not one bit. Within a
//! phase a velocity is computed from the end with the smaller acceleration, and limited to both ends. So the target is
//! met exactly, and no velocity exceeds its limits by a single bit; from `settle` on it neither reverses nor passes its
//! target by a single bit. Everything else holds to 1e-12 of the greatest velocity on the path, `V`; the end may be later by
//! some `sqrt(1e-15 V / J)`, the time that such a remainder takes.
//!
//! # Changed limits
//! New limits are in force at once. The velocity does not step (unless its slope is off from then on), even if it lies
//! outside of them: it comes back by deceleration. Only the acceleration may step, and only towards zero: down to the
//! new limit, and down to what the new jerk can remove before `settle`, where the old jerk would have removed it.
//! Otherwise a lower jerk would make a braking axis brake on through zero and drive backwards.
//!
//! # Stops
//! An ordinary stop obeys the jerk. While the speed rises it may first rise further, and during a change of sign it may
//! pass zero, by `a² / (2 J)`. The emergency deceleration is not less than the ordinary one, ignores the jerk and leads
//! straight to zero; a target that is set meanwhile is aimed at after that. The safety stop is zero in the same
//! instant. Neither of these two is bumpless, on purpose.
//!
//! # What is deliberately absent
//! * A clock, an allocation, a panic. All finite inputs are allowed; a time that runs backwards counts as the latest one.
//! * Axes that wait for each other, which would keep the velocity's direction. From rest to a target this would be one
//!   plan for all axes. From a state that does not point along the new target there is no straight path within the
//!   limits of the jerk, and a mixture of both would be neither exact nor simple. Each axis takes its own shortest time.
#![forbid(unsafe_code)]

mod axis;
mod limiter;
mod limits;
mod plan;

pub use limiter::{Limiter, Stop};
pub use limits::{Limits, OutOfRange, Settings};
