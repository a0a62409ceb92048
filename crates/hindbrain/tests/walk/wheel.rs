//! One wheel's motor values against time: slope, change of sign, and direction toward the target.

use std::hash::{Hash, Hasher};

use crate::books::{MS, Ns};

/// The slopes of a level, as in the document.
#[derive(Clone, Copy, Debug)]
pub struct Slopes {
    /// Away from zero and toward it \[thousandths of a count per s\].
    pub away: i64,
    pub toward: i64,
    /// How long a wheel rests before it reverses \[ns\].
    pub rest: Ns,
}

/// The range of a wheel's possible targets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    pub least: i16,
    pub most: i16,
    /// By how much the command lies beyond the whole count, in parts that are the same for both wheels.
    pub rest: i32,
}

impl Aim {
    pub const REST: Self = Self { least: 0, most: 0, rest: 0 };

    /// The whole count of a level of `part / of`, toward zero.
    pub fn at(part: i32, of: i32) -> Self {
        let level = (part / of) as i16;
        Self { least: level, most: level, rest: part % of }
    }

    /// The level that `sent` after `before` stands for: of a fraction, which a wheel at zero never has, one count more is sent for part of
    /// the time. A wheel that comes from a higher level may not have arrived.
    pub fn meant(self, before: i16, sent: i16) -> i16 {
        let has_arrived = (before - self.least) * self.least.signum() <= 0;
        if has_arrived && self.is_one_more(sent) { self.least } else { sent }
    }

    fn is_one_more(self, sent: i16) -> bool {
        self.rest != 0 && self.least != 0 && sent == self.least + self.least.signum()
    }

    /// From zero to about `part` of `full`, within a count.
    pub fn up_to(part: f64, full: i16) -> Self {
        let beyond = part * f64::from(full);
        Self { least: beyond.floor().min(0.0) as i16, most: beyond.ceil().max(0.0) as i16, rest: 0 }
    }

    /// The level, if there is only one.
    pub fn sure(self) -> Option<i16> {
        (self.least == self.most).then_some(self.least)
    }
}

/// The conditions of one snapshot.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    pub now: Ns,
    /// The state is OK.
    pub driving: bool,
    pub slopes: Slopes,
    /// This wheel follows rule 1 alone, independent of the other one.
    pub alone: bool,
}

impl Turn {
    /// The most that a level changes in `spent`, in the unit of the budgets: away from zero, toward it, and away in one snapshot.
    fn most(&self, spent: i64) -> [i64; 3] {
        let Slopes { away, toward, .. } = self.slopes;
        let one = away * TICK;
        // Each wheel contributes half of a part's shrinking, and half of the growth that the other wheel causes.
        let [more_away, more_toward] =
            if self.alone { [0, 0] } else { [toward * spent / 2, away * spent / 2] };
        [away * spent + more_away, toward * spent + more_toward, one + more_away]
    }
}

/// One wheel, as observed so far. Budgets are thousandths of a count times a microsecond per second: integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wheel {
    pub level: i16,
    /// The level may have one count more for a fraction.
    has_more: bool,
    /// The most that the level moved away from (toward) zero beyond its slope, over any time that ends now.
    grown: i64,
    shrunk: i64,
    /// How far it is behind its braking slope, and whether it was braking before.
    owed: i64,
    braked: bool,
    /// The exact level is certainly the whole count.
    pub settled: bool,
    /// Its last sign, and when it reached zero.
    last_sign: i16,
    zero_since: Ns,
    seen: Ns,
}

/// A count in the unit of the budgets.
pub const COUNT: i64 = 1_000 * 1_000_000;
/// The longest time that one snapshot counts, in microseconds.
const TICK: i64 = 20 * MS / 1000;

impl Wheel {
    pub const STILL: Self = Self {
        level: 0,
        has_more: false,
        grown: 0,
        shrunk: 0,
        owed: 0,
        braked: false,
        settled: true,
        last_sign: 0,
        zero_since: 0,
        seen: 0,
    };

    /// The time since the last check, in microseconds, as far as it matters.
    pub fn spent(&self, now: Ns) -> i64 {
        ((now - self.seen) / 1000).min(10_000_000)
    }

    /// # Errors
    /// A description of what is wrong with the level `next`.
    pub fn follow(&mut self, next: i16, turn: &Turn, aim: Aim) -> Result<(), String> {
        let &Turn { now, driving, slopes, alone } = turn;
        // Without the count for a fraction it is a level that never was sent.
        let more = if self.has_more && next.abs() < self.level.abs() { self.level.signum() } else { 0 };
        let (before, spent) = (self.level - more, self.spent(now));
        let wrong =
            |what: &str| Err(format!("{what}: {before} -> {next}, {aim:?}, alone {alone}, {spent} us"));
        if i32::from(before.signum()) * i32::from(next.signum()) < 0 {
            return wrong("the sign changes without zero");
        }
        if !driving && next != 0 {
            return wrong("a stop is not zero");
        }
        let growth = i64::from(next.abs() - before.abs());
        if growth > 0 {
            let reaches = if next > 0 { next <= aim.most } else { next >= aim.least };
            if alone && !reaches {
                return wrong("a level grows away from its target");
            }
            if self.last_sign == -next.signum() && now - self.zero_since < slopes.rest {
                return wrong("a wheel reverses without a rest");
            }
        } else if growth < 0 && driving && alone {
            let wanted = if before > 0 { aim.least >= before } else { aim.most <= before };
            if wanted {
                return wrong("a level shrinks although it is commanded");
            }
        }
        let [away, toward, at_once] = turn.most(spent);
        self.grown = (self.grown + growth * COUNT - away).max(0);
        self.shrunk = (self.shrunk - growth * COUNT - toward).max(0);
        if self.grown >= COUNT {
            return wrong("a level grows too fast");
        }
        if driving && self.shrunk >= COUNT {
            return wrong("a level shrinks too fast");
        }
        if growth * COUNT >= at_once + COUNT {
            return wrong("more than a tick's worth in one snapshot");
        }
        // Once it has begun, braking uses all the time that passes.
        let beyond = if next > 0 { aim.most < next } else { next < 0 && aim.least > next };
        let brakes = driving && alone && beyond && !aim.is_one_more(next);
        self.owed =
            if brakes && self.braked { self.owed + slopes.toward * spent + growth * COUNT } else { 0 };
        self.braked = brakes;
        if self.owed >= COUNT {
            return wrong("a wheel brakes too slowly");
        }
        self.shrunk = if driving { self.shrunk } else { 0 };
        // It arrives with a change of the whole count, and at zero also if there was time for a whole count.
        let arrives = next != before || next == 0 && slopes.toward * spent >= COUNT;
        self.settled = !driving || alone && aim.sure() == Some(next) && (self.settled || arrives);
        if before != 0 && next == 0 {
            (self.last_sign, self.zero_since) = (before.signum(), now);
        }
        if next != 0 {
            self.last_sign = next.signum();
        }
        (self.level, self.seen) = (next, now);
        self.has_more = driving && aim.is_one_more(next);
        Ok(())
    }

    /// It certainly moves away from zero, and does not start there.
    pub fn goes_away(&self, aim: Aim) -> bool {
        let farther = |to: i16| to.signum() == self.level.signum() && to.abs() > self.level.abs();
        self.level != 0 && farther(aim.least) && farther(aim.most)
    }

    /// It certainly moves toward zero, or stays.
    pub fn never_goes_away(&self, aim: Aim) -> bool {
        let (level, still) = (self.level, self.settled);
        let nearer = |to: i16| {
            to == 0 || to.signum() == -level.signum() || to.abs() < level.abs() || still && to == level
        };
        nearer(aim.least) && nearer(aim.most)
    }

    pub fn feed(&self, now: Ns, rest: Ns, into: &mut impl Hasher) {
        let rests = if self.level == 0 { (now - self.zero_since).min(rest) } else { 0 };
        let sign = if self.level == 0 && rests == rest { 0 } else { self.last_sign };
        (self.level, self.has_more, self.grown, self.shrunk, self.owed, self.braked).hash(into);
        (sign, rests, now - self.seen).hash(into);
    }
}
