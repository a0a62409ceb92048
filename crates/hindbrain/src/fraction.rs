use core::time::Duration;

use crate::core::COUNT;
use crate::hindbrain::{TICK, nanos};

/// Motor values whose mean is the level, also between two counts: what one value lacks is carried over to the next ones.
///
/// * Each value is one of the two counts next to the level, and over any time the sum of the values times their durations is within one count
///   times [`TICK`] of that of the levels. So the mean over 0.32 s is the level to within 1/16 count.
/// * A whole level, so also zero, is sent as it is. The core gives a [rest](crate::core::CoreParams::rest) only to levels beyond one
///   count, so no value alternates with a stop.
/// * Equal levels of both wheels give equal values, and opposite ones opposite values: straight ahead stays straight.
///
/// # Source
/// own: modulation of first order (delta-sigma).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carry {
    /// By how much the values were too near to zero, in 1/[`COUNT`] times microseconds.
    lacks: [i64; 2],
    /// The levels in force, in 1/[`COUNT`], and the counts sent for them.
    exact: [i64; 2],
    counts: [i16; 2],
}

impl Carry {
    /// The counts to send for the levels `exact`, in 1/[`COUNT`], after the last ones were in force for `time`.
    pub fn send(&mut self, exact: [i64; 2], time: Duration) -> [i16; 2] {
        let tick = micros(TICK);
        let passed = micros(time).min(tick); // a later call is not the rule
        for i in [0, 1] {
            let lacks = self.exact[i].abs() - i64::from(self.counts[i].abs()) * COUNT;
            self.lacks[i] = (self.lacks[i] + lacks * passed).clamp(-COUNT * tick, COUNT * tick);
            if exact[i] % COUNT == 0 || exact[i].signum() != self.exact[i].signum() {
                self.lacks[i] = 0;
            }
        }
        if exact[0].abs() == exact[1].abs() {
            self.lacks = [(self.lacks[0] + self.lacks[1]) / 2; 2];
        }
        self.exact = exact;
        self.counts = [0, 1].map(|i| {
            let (whole, rest) = (exact[i] / COUNT, exact[i] % COUNT);
            let is_more = rest != 0 && rest.abs() * tick + self.lacks[i] >= COUNT / 2 * tick;
            i16::try_from(whole + if is_more { rest.signum() } else { 0 }).unwrap_or(0) // within the range of targets
        });
        self.counts
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(nanos(time) / 1_000).unwrap_or(i64::MAX)
}
