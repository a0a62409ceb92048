//! No path is quicker: an exhaustive search against the limiter.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use std::collections::HashSet;

use common::{Axis, at};
use limiter::Settings;
use proptest::prelude::*;
use safety::Instant;

/// The limits of the acceleration \[m/s²]; the jerk is 1 m/s³.
#[derive(Clone, Copy, Debug)]
struct Caps {
    acceleration: i32,
    deceleration: i32,
}

/// An axis on a lattice: with a jerk of -1, 0 or 1 for whole seconds, accelerations are whole and velocities halves.
type State = (i32, i32);

impl Caps {
    fn settings(self) -> Settings {
        Settings {
            acceleration: self.acceleration.into(),
            deceleration: self.deceleration.into(),
            jerk: 1.0,
            ..Settings::default()
        }
    }

    /// The state a second later, if the path to it is allowed: within it neither acceleration nor velocity reverses.
    fn step(self, (v, a): State, jerk: i32) -> Option<State> {
        let next = (v + 2 * a + jerk, a + jerk);
        let sign = (a + next.1).signum();
        let bound = match (sign * v < 0, sign * next.0 > 0) {
            (true, true) => self.acceleration.min(self.deceleration),
            (true, false) => self.deceleration,
            (false, _) => self.acceleration,
        };
        (a.abs().max(next.1.abs()) <= bound).then_some(next)
    }

    /// The fewest seconds from `start` to rest at `goal`, over all paths.
    fn fewest(self, start: State, goal: i32) -> i32 {
        let mut seen = HashSet::from([start]);
        let mut front = vec![start];
        for time in 0..200 {
            if front.contains(&(goal, 0)) {
                return time;
            }
            let mut next = Vec::new();
            for state in front {
                let steps = [-1, 0, 1].into_iter().filter_map(|jerk| self.step(state, jerk));
                next.extend(steps.filter(|s| s.0.abs() <= 400 && seen.insert(*s)));
            }
            front = next;
        }
        unreachable!("every state is reached")
    }
}

/// An axis that was at rest and then moves towards `push` for some seconds; its state, if that is on the lattice.
fn pushed(caps: Caps, rest: i32, push: i32, seconds: u32) -> Option<(Axis, State)> {
    let mut axis = Axis::resting_at(f64::from(rest) / 2.0, caps.settings(), at(0.0));
    axis.aim(at(0.0), f64::from(push) * 1000.0);
    let now = at(seconds.into());
    let (v, a) = (axis.v(now) * 2.0, axis.a(now));
    let state = (v.round(), a.round());
    let on_lattice = (v - state.0).abs() < 1e-9 && (a - state.1).abs() < 1e-9;
    on_lattice.then_some((axis, (state.0 as i32, state.1 as i32)))
}

/// How long the axis takes from `start` to rest at `goal` \[s].
fn duration(mut axis: Axis, start: Instant, goal: i32) -> f64 {
    axis.aim(start, f64::from(goal) / 2.0);
    let mut end = start;
    // Six phases, and never more except by rounding.
    for _ in 0..7 {
        end = axis.limiter.next_change().unwrap_or(end);
        axis.v(end);
    }
    assert!(axis.limiter.is_settled());
    end.since(start).as_secs_f64()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn no_path_on_the_lattice_is_quicker(
        (acceleration, deceleration) in (1..7, 1..7),
        (rest, goal) in (-60..60, -60..60),
        push in prop::sample::select(vec![-1, 1]),
        seconds in 0..7u32,
    ) {
        let caps = Caps { acceleration, deceleration };
        let Some((axis, start)) = pushed(caps, rest, push, seconds) else { return Ok(()) };
        // With a jerk of 1 and whole seconds, velocity (in halves) and acceleration have the same parity.
        let goal = goal + i32::rem_euclid(goal + start.0 + start.1, 2);
        let time = duration(axis, at(seconds.into()), goal);
        let fewest = caps.fewest(start, goal);
        prop_assert!(time <= f64::from(fewest) + 1e-6, "{time} s, but {fewest} steps do from {start:?}");
        // The lattice is a fair comparison: whole seconds cost at most two seconds.
        prop_assert!(f64::from(fewest) <= time + 2.0, "{time} s, and {fewest} steps from {start:?}");
    }
}
