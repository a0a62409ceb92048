//! One wheel's motor values against time: how steep, through zero, and toward what is wanted.

use std::hash::{Hash, Hasher};

use crate::books::{MS, Ns};

/// How fast a level may change, as the document says it.
#[derive(Clone, Copy, Debug)]
pub struct Slopes {
    /// Away from zero and toward it \[thousandths of a count per s\].
    pub away: i64,
    pub toward: i64,
    /// How long a wheel stands before it turns the other way \[ns\].
    pub rest: Ns,
}

/// What a wheel may be told to aim at: any of these levels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aim {
    pub least: i16,
    pub most: i16,
}

impl Aim {
    pub const REST: Self = Self { least: 0, most: 0 };

    /// At about `part` of `full`: what a wheel is told is whole counts, and how it is rounded is nobody's concern.
    pub fn about(part: f64, other: f64, full: i16) -> Self {
        // Where both together ask for more than there is, the whole is scaled down, so that the curve stays.
        let scaled = part / part.abs().max(other.abs()).max(1.0);
        let counts = [scaled * f64::from(full)];
        if scaled.abs() < 1e-9 {
            return Self::REST;
        }
        let toward_zero =
            counts.map(|c| if c > 0.0 { (c - 1.0).floor().max(0.0) } else { (c + 1.0).ceil().min(0.0) });
        let beyond = counts.map(|c| if c > 0.0 { c.ceil() } else { c.floor() });
        let all = toward_zero.into_iter().chain(beyond);
        let (least, most) = all.fold((f64::MAX, f64::MIN), |(least, most), c| (least.min(c), most.max(c)));
        Self { least: least as i16, most: most as i16 }
    }
}

/// One wheel, as it was seen so far. Budgets are thousandths of a count times a microsecond per second: integers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wheel {
    pub level: i16,
    /// The most that the level went away from (toward) zero beyond its slope, over any time that ends now.
    grown: i64,
    shrunk: i64,
    /// How far it is behind the slope with which it brakes, and whether it did so before.
    owed: i64,
    braked: bool,
    /// The sign it had last, and when it came to zero.
    last_sign: i16,
    zero_since: Ns,
    seen: Ns,
}

/// A count in the unit of the budgets.
const COUNT: i64 = 1_000 * 1_000_000;

impl Wheel {
    /// # Errors
    /// What is wrong with the level `next` at `now`, in words.
    pub fn follow(
        &mut self,
        next: i16,
        now: Ns,
        driving: bool,
        slopes: Slopes,
        aim: Aim,
    ) -> Result<(), String> {
        let (before, spent) = (self.level, ((now - self.seen) / 1000).min(10_000_000));
        let wrong = |what: &str| Err(format!("{what}: {before} -> {next}, aim {aim:?}, {spent} us"));
        if i32::from(before.signum()) * i32::from(next.signum()) < 0 {
            return wrong("the sign changes without zero");
        }
        let growth = i64::from(next.abs() - before.abs());
        if !driving && next != 0 {
            return wrong("a stop is not zero");
        }
        if growth > 0 {
            let reaches = if next > 0 { next <= aim.most } else { next >= aim.least };
            if !reaches {
                return wrong("a level grows away from what is wanted");
            }
            if self.last_sign == -next.signum() && now - self.zero_since < slopes.rest {
                return wrong("a wheel turns back without a rest");
            }
        } else if growth < 0 && driving {
            let wanted = if before > 0 { aim.least >= before } else { aim.most <= before };
            if wanted {
                return wrong("a level shrinks although it is wanted");
            }
        }
        self.grown = (self.grown + growth * COUNT - slopes.away * spent).max(0);
        self.shrunk = (self.shrunk - growth * COUNT - slopes.toward * spent).max(0);
        if self.grown >= COUNT {
            return wrong("a level grows too fast");
        }
        if driving && self.shrunk >= COUNT {
            return wrong("a level shrinks too fast");
        }
        let tick = 20 * MS / 1000;
        if growth * COUNT >= slopes.away * tick + COUNT {
            return wrong("more than a tick's worth in one snapshot");
        }
        // Braking takes all the time that passes, as soon as it has begun.
        let beyond = if next > 0 { aim.most < next } else { next < 0 && aim.least > next };
        let brakes = driving && beyond;
        self.owed =
            if brakes && self.braked { self.owed + slopes.toward * spent + growth * COUNT } else { 0 };
        self.braked = brakes;
        if self.owed >= COUNT {
            return wrong("a wheel brakes too slowly");
        }
        self.shrunk = if driving { self.shrunk } else { 0 };
        if before != 0 && next == 0 {
            (self.last_sign, self.zero_since) = (before.signum(), now);
        }
        if next != 0 {
            self.last_sign = next.signum();
        }
        (self.level, self.seen) = (next, now);
        Ok(())
    }

    pub fn feed(&self, now: Ns, rest: Ns, into: &mut impl Hasher) {
        let rests = if self.level == 0 { (now - self.zero_since).min(rest) } else { 0 };
        let sign = if self.level == 0 && rests == rest { 0 } else { self.last_sign };
        (self.level, self.grown, self.shrunk, self.owed, self.braked, sign, rests, now - self.seen)
            .hash(into);
    }
}
