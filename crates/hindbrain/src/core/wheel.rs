/// One count of level in the unit of [`Wheel`]'s credit: thousandths of a count per second, times nanoseconds.
const COUNT: u64 = 1_000 * 1_000_000_000;

/// How fast a level may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slopes {
    /// Away from zero \[counts/1000 s\].
    pub accel: u64,
    /// Toward zero \[counts/1000 s\].
    pub decel: u64,
    /// The longest time that one step makes up for when it speeds up \[ns\].
    pub tick: u64,
    /// The least time that a wheel stands before it starts \[ns\].
    pub rest: u64,
}

/// The level that one wheel is told, and how it may go on from there.
///
/// * Away from zero it changes by `accel`, toward zero by `decel`, whatever the times between the steps: the fraction of
///   a count that a step leaves over is carried as credit, less than one count. Over any time the level therefore changes
///   by less than slope times time plus one count. Each slope has its own credit, or a target that trembles about the
///   level would let what was earned by braking be spent on getting faster.
/// * A step that comes late speeds up by no more than one tick's worth. It brakes by all the time that has passed, so a computer that
///   is slow stops no later.
/// * The sign changes only through zero, in a step of its own, and having come to zero the wheel rests there first.
/// # Source
/// own: the original's slope of one count in 50 ms is the default of `accel`; it had the same slope for braking and no
/// rest at zero.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wheel {
    level: i16,
    /// What is left over for the next step away from zero, less than [`COUNT`]; zero at the target.
    to_speed_up: u64,
    /// What is left over for the next step toward zero, less than [`COUNT`]; zero at the target.
    to_brake: u64,
    /// How long the level has been zero \[ns\], at most the rest; zero while it is not.
    stood: u64,
}

impl Wheel {
    /// The level, forward positive.
    pub const fn level(self) -> i16 {
        self.level
    }

    /// Goes toward `target` for `dt` \[ns\].
    pub fn advance(&mut self, target: i16, dt: u64, slopes: &Slopes) {
        self.stand(dt.min(slopes.tick), slopes.rest);
        let same_sign = self.level.signum() == target.signum();
        let (bound, brakes) = match self.level {
            0 if self.stood < slopes.rest => (0, false),
            0 => (target, false),
            _ if !same_sign => (0, true),
            level => (target, level.unsigned_abs() > target.unsigned_abs()),
        };
        let (slope, credit) =
            if brakes { (slopes.decel, &mut self.to_brake) } else { (slopes.accel, &mut self.to_speed_up) };
        // A step that comes late speeds nothing up by more than a tick, and brakes by all the time that has passed.
        let dt = if brakes { dt } else { dt.min(slopes.tick) };
        let earned = credit.saturating_add(slope.saturating_mul(dt));
        let distance = bound.abs_diff(self.level);
        let counts = u16::try_from(earned / COUNT).unwrap_or(u16::MAX).min(distance);
        *credit = earned % COUNT;
        let moving = self.level != 0;
        self.level = if bound > self.level {
            self.level.saturating_add_unsigned(counts)
        } else {
            self.level.saturating_sub_unsigned(counts)
        };
        if counts == distance {
            self.to_speed_up = 0;
            self.to_brake = 0;
        }
        if self.level != 0 || moving {
            self.stood = 0;
        }
    }

    /// Goes to zero at once and stays there for `dt` \[ns\].
    pub fn cut(&mut self, dt: u64, slopes: &Slopes) {
        self.stand(dt.min(slopes.tick), slopes.rest);
        *self = Self { stood: self.stood, ..Self::default() };
    }

    /// Counts the time at zero that has passed, if the wheel was there.
    fn stand(&mut self, dt: u64, rest: u64) {
        self.stood = if self.level == 0 { self.stood.saturating_add(dt).min(rest) } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;
    const T: u64 = 20 * MS;
    const SLOPES: Slopes = Slopes { accel: 20_000, decel: 200_000, tick: T, rest: T };

    /// A wheel that has stood for long.
    fn rested() -> Wheel {
        Wheel { stood: T, ..Wheel::default() }
    }

    fn after(mut wheel: Wheel, target: i16, dt: u64, steps: usize) -> Wheel {
        for _ in 0..steps {
            wheel.advance(target, dt, &SLOPES);
        }
        wheel
    }

    #[test]
    fn full_speed_takes_66_counts_at_the_slope() {
        // 20 counts/s are 0.4 counts a tick: 66 counts need 165 ticks (3.3 s).
        assert_eq!(after(rested(), 66, T, 164).level(), 65);
        assert_eq!(after(rested(), 66, T, 165).level(), 66);
        assert_eq!(after(rested(), -66, T, 165).level(), -66);
    }

    #[test]
    fn braking_has_its_own_slope() {
        // 200 counts/s are 4 counts a tick: 66 counts need 16.5 ticks.
        let fast = Wheel { level: 66, ..Wheel::default() };
        assert_eq!(after(fast, 0, T, 1).level(), 62);
        assert_eq!(after(fast, 0, T, 16).level(), 2);
        assert_eq!(after(fast, 0, T, 17).level(), 0);
        assert_eq!(after(fast, 50, T, 9).level(), 50);
    }

    #[test]
    fn many_small_steps_ramp_no_faster_than_few_large_ones() {
        // One second in steps of 5 ms, 1 ms and 20 ms: 20 counts each.
        for (dt, steps) in [(5 * MS, 200), (MS, 1000), (T, 50)] {
            assert_eq!(after(rested(), 66, dt, steps).level(), 20, "dt {dt}");
        }
        assert_eq!(after(rested(), 66, 0, 1000).level(), 0, "no time, no way");
    }

    #[test]
    fn a_late_step_speeds_up_by_one_tick_and_brakes_by_all_that_passed() {
        let fast = Wheel { level: 66, ..Wheel::default() };
        assert_eq!(after(fast, 0, 5 * T, 1).level(), 46); // 100 ms at 200 counts/s
        assert_eq!(after(fast, 0, u64::MAX, 1).level(), 0);
        assert_eq!(after(rested(), 66, 1_000 * T, 3).level(), 1); // 3 * 0.4 = 1.2
    }

    #[test]
    fn the_sign_changes_through_a_rest_of_one_tick_at_zero() {
        let quick = Slopes { accel: 6_600_000, decel: 6_600_000, tick: T, rest: T };
        let mut wheel = Wheel { level: 10, ..Wheel::default() };
        wheel.advance(-66, T, &quick);
        assert_eq!(wheel.level(), 0);
        for _ in 0..4 {
            wheel.advance(-66, T / 5, &quick);
            assert_eq!(wheel.level(), 0, "it has not stood for a tick");
        }
        wheel.advance(-66, T / 5, &quick);
        assert!(wheel.level() < 0);
    }

    #[test]
    fn a_cut_is_at_once_and_costs_the_rest_at_zero() {
        let mut wheel = Wheel { level: -40, to_speed_up: COUNT / 2, to_brake: COUNT / 2, stood: 0 };
        wheel.cut(T, &SLOPES);
        assert_eq!(wheel, Wheel::default(), "the time before the cut is no rest");
        wheel.cut(T, &SLOPES);
        assert_eq!(wheel, rested());
    }

    #[test]
    fn no_credit_is_saved_up_at_the_target() {
        assert_eq!(after(rested(), 0, T, 1_000), rested());
        let there = Wheel { level: 5, ..Wheel::default() };
        assert_eq!(after(there, 5, T, 1_000), there);
        // 12 ms at 200 counts/s are 2.4 counts, of which 2 are needed; at 20 counts/s 140 ms are 2.8.
        assert_eq!(after(Wheel { level: 7, ..there }, 5, 12 * MS, 1), there);
        assert_eq!(after(Wheel { level: 3, ..there }, 5, T, 7), there);
    }

    #[test]
    fn a_trembling_target_speeds_nothing_up() {
        // 1 ms each way: braking earns 0.2 counts, speeding up 0.02 counts; 100 ms of the latter are 2 counts.
        let mut wheel = Wheel { level: 20, ..Wheel::default() };
        let mut highest = 0;
        for _ in 0..100 {
            wheel.advance(19, MS, &SLOPES);
            wheel.advance(66, MS, &SLOPES);
            highest = highest.max(wheel.level());
        }
        assert!(highest <= 22, "{highest}");
    }

    #[test]
    fn no_number_makes_it_panic_or_jump_the_target() {
        let endless = Slopes { accel: u64::MAX, decel: u64::MAX, tick: u64::MAX, rest: u64::MAX };
        for target in [i16::MIN, -1, 0, 1, i16::MAX] {
            for level in [i16::MIN, -1, 0, 1, i16::MAX] {
                let mut wheel = Wheel { level, stood: u64::MAX, ..Wheel::default() };
                wheel.advance(target, u64::MAX, &endless);
                assert!(wheel.level == target || (wheel.level == 0 && level.signum() != target.signum()));
            }
        }
    }
}
