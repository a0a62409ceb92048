use super::mapping::COUNT;

/// How fast a level may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slopes {
    /// Away from zero \[counts/1000 s\].
    pub accel: u64,
    /// Toward zero \[counts/1000 s\].
    pub decel: u64,
    /// The longest time that one step counts when it speeds up \[ns\].
    pub tick: u64,
    /// The least time that a wheel stands before it starts \[ns\].
    pub rest: u64,
}

/// The levels of the port and the starboard wheel, and their ramps.
///
/// * Each wheel moves away from zero with the slope `accel` and toward zero with `decel`, for any times between the steps. Its
///   level is held exactly. The published whole count follows when the level is a whole count away: over any time it changes by
///   less than slope times time plus one count, and a target that jitters about the level has no effect.
/// * Two wheels that speed up reach their targets together, so the curve is the commanded one from the start.
/// * The **forward part** of the motion is the sum of the levels, the **turn part** starboard less port. While a wheel goes away from
///   zero, a part that is larger than commanded, or of the other sign, shrinks by `decel` at least, as it does where one wheel brakes alone.
///   Where the wheels' own slopes do less, because a wheel has to reverse or to speed up for it, each wheel contributes half of the
///   rest: motion that is no longer commanded ends as quickly as the vehicle brakes, however slowly the commanded motion begins.
/// * A late step speeds up by one tick's worth at most. It brakes by all the time that has passed, so a slow computer does not stop later.
/// * The sign of a level changes only through zero, in a step of its own, and the wheel first rests at zero.
/// # Source
/// own: the original's slope of one count in 50 ms is the default of `accel`. It had the same slope for braking, no rest at
/// zero, and no coupling of the wheels, as the profile `seed` still has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wheels {
    /// Exact levels, in 1/[`COUNT`].
    exact: [i64; 2],
    /// Published levels.
    levels: [i16; 2],
    /// How long each level has been zero \[ns\], at most the rest; zero while it is not.
    stood: [u64; 2],
}

impl Wheels {
    /// The levels of port and starboard in whole counts, forward positive.
    pub fn levels(&self) -> [i16; 2] {
        self.levels
    }

    /// The exact levels, in 1/[`COUNT`].
    pub fn exact(&self) -> [i64; 2] {
        self.exact
    }

    /// Moves toward `targets`, in 1/[`COUNT`], for `dt` \[ns\]; without `coupled` each wheel moves independently. If the exact levels
    /// are put out, `is_exact`, the published ones are the next whole counts away from zero.
    pub fn advance(&mut self, targets: [i64; 2], dt: u64, slopes: &Slopes, coupled: bool, is_exact: bool) {
        let brief = dt.min(slopes.tick);
        self.stand(brief, slopes.rest);
        let (away, toward) = (change(slopes.accel, brief), change(slopes.decel, dt));
        let is_braking = [0, 1].map(|i| shrinks(self.exact[i], targets[i]));
        for i in [0, 1] {
            let published = i64::from(self.levels[i]) * COUNT;
            // A fraction of the next count does not delay braking.
            if !is_exact && is_braking[i] && shrinks(self.exact[i], published) {
                self.exact[i] = published;
            }
        }
        let rising = [0, 1].map(|i| if is_braking[i] { 0 } else { self.exact[i].abs_diff(targets[i]) });
        let longest = rising[0].max(rising[1]).max(1);
        let mut next = [0, 1].map(|i| {
            if is_braking[i] {
                return shrink(self.exact[i], targets[i], toward);
            }
            let share = if coupled { share(away, rising[i], longest) } else { away };
            step_to(self.exact[i], targets[i], share)
        });
        if coupled && rising != [0, 0] {
            for turn in [1, -1] {
                // The forward part and then the turn part; a correction of one does not change the other.
                let part = |levels: [i64; 2]| levels[1] + turn * levels[0];
                let (before, wanted) = (part(self.exact), part(targets));
                if !shrinks(before, wanted) {
                    continue;
                }
                let beyond = (part(next) - shrink(before, wanted, toward)) * before.signum();
                let half = beyond.max(0) / 2 * before.signum();
                next = [next[0] - turn * half, next[1] - half];
            }
        }
        for i in [0, 1] {
            let before = self.exact[i];
            let is_resting = before == 0 && self.stood[i] < slopes.rest;
            let turns_back = before.signum() * next[i].signum() < 0;
            self.exact[i] = if is_resting || turns_back { 0 } else { next[i] };
            if before != 0 || self.exact[i] != 0 {
                self.stood[i] = 0;
            }
            self.levels[i] =
                if is_exact { beyond(self.exact[i]) } else { follow(self.levels[i], self.exact[i]) };
        }
    }

    /// Sets both levels to zero at once; `dt` \[ns\] counts as rest for a wheel that was at zero already.
    pub fn cut(&mut self, dt: u64, slopes: &Slopes) {
        self.stand(dt.min(slopes.tick), slopes.rest);
        (self.exact, self.levels) = ([0; 2], [0; 2]);
    }

    /// Adds the time at zero for each wheel that was at zero.
    fn stand(&mut self, dt: u64, rest: u64) {
        for (level, stood) in self.exact.iter().zip(&mut self.stood) {
            *stood = if *level == 0 { stood.saturating_add(dt).min(rest) } else { 0 };
        }
    }
}

/// The whole count that is published for `exact` after `level`: the nearest one to `level` that is less than a count away.
fn follow(level: i16, exact: i64) -> i16 {
    let (least, most) = (exact.div_euclid(COUNT), -(-exact).div_euclid(COUNT));
    let next = if exact > i64::from(level) * COUNT {
        least.max(i64::from(level))
    } else {
        most.min(i64::from(level))
    };
    i16::try_from(next).unwrap_or(0) // it stays within the range of its targets
}

/// The next whole count for `exact` away from zero: what moves is at no level of zero.
fn beyond(exact: i64) -> i16 {
    let whole = -(-exact.abs()).div_euclid(COUNT) * exact.signum();
    i16::try_from(whole).unwrap_or(0) // it stays within the range of its targets
}

/// The change by a slope in a time, at most the whole range of levels.
fn change(slope: u64, dt: u64) -> u64 {
    const LONGEST: u64 = 2 * i16::MAX as u64 * COUNT as u64;
    slope.saturating_mul(dt).min(LONGEST)
}

/// `whole * part / all`, where `all` is not less than `part`.
fn share(whole: u64, part: u64, all: u64) -> u64 {
    let share = u128::from(whole) * u128::from(part) / u128::from(all);
    u64::try_from(share).unwrap_or(whole)
}

/// Whether a level at `from` has to go toward zero to reach `to`.
fn shrinks(from: i64, to: i64) -> bool {
    from != 0 && (from.signum() != to.signum() || from.abs() > to.abs())
}

/// `from` moved toward zero by `way`, but not beyond `to` and not beyond zero.
fn shrink(from: i64, to: i64, way: u64) -> i64 {
    let end = if from.signum() == to.signum() { to } else { 0 };
    step_to(from, end, way)
}

/// `from` moved toward `to` by `way` at most.
fn step_to(from: i64, to: i64, way: u64) -> i64 {
    if from.abs_diff(to) <= way {
        to
    } else if to > from {
        from.saturating_add_unsigned(way)
    } else {
        from.saturating_sub_unsigned(way)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const T: u64 = 20 * MS;
    const SLOPES: Slopes = Slopes { accel: 20_000, decel: 200_000, tick: T, rest: T };

    fn counts(levels: [i16; 2]) -> [i64; 2] {
        levels.map(|level| i64::from(level) * COUNT)
    }

    /// Wheels with these levels; a wheel at zero has rested long enough.
    fn at(levels: [i16; 2]) -> Wheels {
        let stood = levels.map(|level| if level == 0 { T } else { 0 });
        Wheels { exact: counts(levels), levels, stood }
    }

    fn go(mut wheels: Wheels, targets: [i16; 2], dt: u64, steps: usize) -> Wheels {
        for _ in 0..steps {
            wheels.advance(counts(targets), dt, &SLOPES, true, false);
        }
        wheels
    }

    fn after(levels: [i16; 2], targets: [i16; 2], dt: u64, steps: usize) -> [i16; 2] {
        go(at(levels), targets, dt, steps).levels()
    }

    #[test]
    fn full_speed_takes_66_counts_at_the_slope() {
        // 20 counts/s are 0.4 counts a tick: 66 counts need 165 ticks (3.3 s).
        assert_eq!(after([0, 0], [66, 66], T, 164), [65, 65]);
        assert_eq!(after([0, 0], [66, 66], T, 165), [66, 66]);
        assert_eq!(after([0, 0], [-66, 66], T, 165), [-66, 66]);
    }

    #[test]
    fn braking_has_its_own_slope() {
        // 200 counts/s are 4 counts a tick: 66 counts need 16.5 ticks.
        assert_eq!(after([66, 66], [0, 0], T, 1), [62, 62]);
        assert_eq!(after([66, -66], [0, 0], T, 16), [2, -2]);
        assert_eq!(after([66, 66], [0, 0], T, 17), [0, 0]);
        assert_eq!(after([66, 66], [50, 50], T, 9), [50, 50]);
        assert_eq!(after([0, 66], [0, 0], T, 16), [0, 2], "as fast if one wheel brakes alone");
    }

    #[test]
    fn many_small_steps_ramp_no_faster_than_few_large_ones() {
        // One second in steps of 5 ms, 1 ms and 20 ms: 20 counts each.
        for (dt, steps) in [(5 * MS, 200), (MS, 1000), (T, 50)] {
            assert_eq!(after([0, 0], [66, 66], dt, steps), [20, 20], "dt {dt}");
        }
        assert_eq!(after([0, 0], [66, 66], 0, 1000), [0, 0], "no time, no change");
    }

    #[test]
    fn a_late_step_speeds_up_by_one_tick_and_brakes_by_the_whole_time() {
        assert_eq!(after([66, 66], [0, 0], 5 * T, 1), [46, 46]); // 100 ms at 200 counts/s
        assert_eq!(after([66, 66], [0, 0], u64::MAX, 1), [0, 0]);
        assert_eq!(after([0, 0], [66, 66], 1_000 * T, 3), [1, 1]); // 3 * 0.4 = 1.2
    }

    #[test]
    fn the_sign_changes_through_a_rest_of_one_tick_at_zero() {
        let quick = Slopes { accel: 6_600_000, decel: 6_600_000, tick: T, rest: T };
        for coupled in [true, false] {
            let mut wheels = at([10, 10]);
            wheels.advance(counts([-66, -66]), T, &quick, coupled, false);
            assert_eq!(wheels.levels(), [0, 0]);
            for _ in 0..4 {
                wheels.advance(counts([-66, -66]), T / 5, &quick, coupled, false);
                assert_eq!(wheels.levels(), [0, 0], "they have not stood for a tick");
            }
            wheels.advance(counts([-66, -66]), T / 5, &quick, coupled, false);
            assert!(wheels.levels()[0] < 0);
        }
    }

    #[test]
    fn a_cut_is_immediate_and_requires_the_rest_at_zero() {
        let mut wheels = at([-40, 7]);
        wheels.cut(T, &SLOPES);
        assert_eq!(wheels, Wheels::default(), "the time before the cut does not count as rest");
        wheels.cut(T, &SLOPES);
        assert_eq!(wheels, at([0, 0]));
    }

    #[test]
    fn no_time_accumulates_at_the_target() {
        assert_eq!(go(at([0, 0]), [0, 0], T, 1_000), at([0, 0]));
        assert_eq!(go(at([5, 5]), [5, 5], T, 1_000), at([5, 5]));
        // 12 ms at 200 counts/s are 2.4 counts, 2 are needed; at 20 counts/s 140 ms are 2.8.
        assert_eq!(go(at([7, 7]), [5, 5], 12 * MS, 1), at([5, 5]));
        assert_eq!(go(at([3, 3]), [5, 5], T, 7), at([5, 5]));
    }

    #[test]
    fn a_jittering_target_accelerates_no_wheel() {
        // 1 ms each way: 0.2 counts down, 0.02 counts up.
        let mut wheels = at([20, 20]);
        for _ in 0..100 {
            wheels = go(go(wheels, [19, 19], MS, 1), [66, 66], MS, 1);
            assert!(wheels.levels()[0] <= 20, "{wheels:?}");
        }
    }

    #[test]
    fn wheels_that_speed_up_keep_the_curve() {
        // The outer wheel follows the slope and is three times as fast as the inner one, from the first count on.
        for ticks in [30, 60, 100] {
            let [port, starboard] = after([0, 0], [20, 60], T, ticks);
            assert!((starboard - 3 * port).abs() <= 3, "{port} {starboard}");
            assert_eq!(starboard, (ticks * 2 / 5) as i16);
        }
        let mut apart = at([0, 0]);
        (0..50).for_each(|_| apart.advance(counts([20, 60]), T, &SLOPES, false, false));
        assert_eq!(apart.levels(), [20, 20], "independent in the profile seed");
    }

    /// The forward part and the turn part, in counts of both wheels together.
    fn parts([port, starboard]: [i16; 2]) -> (i16, i16) {
        (starboard + port, starboard - port)
    }

    #[test]
    fn the_forward_part_ends_as_quickly_as_the_vehicle_brakes_although_a_wheel_reverses() {
        // Only starboard turned; now the vehicle has to turn in place. Port reverses by 20 counts/s, which would take 1.65 s.
        let mut wheels = at([0, 66]);
        for tick in 1..=17 {
            wheels = go(wheels, [-33, 33], T, 1);
            let (forward, turn) = parts(wheels.levels());
            // 4 counts a tick; one more tick for the rest of port.
            assert!(forward <= 66 - 4 * (tick - 1) + 2 && forward >= 0, "{tick}: {forward}");
            assert!((30..=66).contains(&turn), "{tick}: {turn}");
        }
        let (forward, turn) = parts(go(wheels, [-33, 33], T, 2).levels());
        assert!(forward <= 1 && turn >= 30, "{forward} {turn}");
        assert_eq!(go(wheels, [-33, 33], T, 165).levels(), [-33, 33]);
    }

    #[test]
    fn the_turn_part_ends_as_quickly_as_the_vehicle_brakes_although_a_wheel_speeds_up() {
        let mut wheels = at([0, 66]);
        for tick in 1..=17 {
            wheels = go(wheels, [66, 66], T, 1);
            let (forward, turn) = parts(wheels.levels());
            assert!(turn <= 66 - 4 * (tick - 1) + 2 && turn >= 0, "{tick}: {turn}");
            assert!((64..=80).contains(&forward), "the vehicle keeps its speed: {forward}");
        }
        assert!(parts(wheels.levels()).1 <= 2);
        assert_eq!(go(wheels, [66, 66], T, 165).levels(), [66, 66]);
    }

    #[test]
    fn a_curve_reduces_the_speed_of_the_inner_wheel_only() {
        let mut wheels = at([66, 66]);
        wheels = go(wheels, [20, 66], T, 6);
        assert_eq!(wheels.levels(), [42, 66]);
    }

    #[test]
    fn no_part_of_the_motion_exceeds_both_its_old_and_its_new_value() {
        let some = [-66, -30, -1, 0, 1, 20, 66];
        let pairs = || some.iter().flat_map(|&port| some.iter().map(move |&starboard| [port, starboard]));
        for from in pairs() {
            for to in pairs() {
                let mut wheels = at(from);
                let (most, wanted) = (parts(from), parts(to));
                for _ in 0..400 {
                    wheels = go(wheels, to, T, 1);
                    let (forward, turn) = parts(wheels.levels());
                    let limit = |a: i16, b: i16| a.abs().max(b.abs()) + 17; // while one wheel waits for its rest
                    assert!(forward.abs() <= limit(most.0, wanted.0), "{from:?} {to:?}: {forward}");
                    assert!(turn.abs() <= limit(most.1, wanted.1), "{from:?} {to:?}: {turn}");
                    assert!(wheels.levels().iter().all(|level| level.abs() <= 66), "{from:?} {to:?}");
                }
                assert_eq!(wheels.levels(), to, "from {from:?}");
            }
        }
    }

    #[test]
    fn exact_levels_arrive_at_fractions_and_move_at_no_level_of_zero() {
        let mut wheels = at([0, 0]);
        let targets = [COUNT / 3, -COUNT / 1_000_000];
        for _ in 0..2 {
            wheels.advance(targets, T, &SLOPES, true, true);
            assert_eq!(wheels.levels(), [1, -1], "{wheels:?}");
        }
        assert_eq!(wheels.exact(), targets);
        // Braked by the time that has passed: half a count takes 2.5 ms at 200 counts/s.
        let mut wheels = Wheels { exact: [COUNT / 2; 2], levels: [1; 2], stood: [0; 2] };
        wheels.advance([0; 2], 2 * MS, &SLOPES, true, true);
        assert_eq!((wheels.exact(), wheels.levels()), ([COUNT / 10; 2], [1; 2]));
        wheels.advance([0; 2], MS, &SLOPES, true, true);
        assert_eq!((wheels.exact(), wheels.levels()), ([0; 2], [0; 2]));
    }

    #[test]
    fn no_number_makes_it_panic_or_pass_the_target() {
        let endless = Slopes { accel: u64::MAX, decel: u64::MAX, tick: u64::MAX, rest: u64::MAX };
        for target in [i16::MIN, -1, 0, 1, i16::MAX] {
            for level in [i16::MIN, -1, 0, 1, i16::MAX] {
                for coupled in [true, false] {
                    let mut wheels = Wheels { stood: [u64::MAX; 2], ..at([level, level]) };
                    wheels.advance(counts([target, target]), u64::MAX, &endless, coupled, false);
                    let [now, _] = wheels.levels();
                    assert!(now == target || (now == 0 && level.signum() != target.signum()));
                    wheels.advance(counts([target, level]), 1, &endless, coupled, false);
                }
            }
        }
    }
}
