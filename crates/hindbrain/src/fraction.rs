use core::time::Duration;

use safety::Instant;

use crate::core::COUNT;
use crate::hindbrain::nanos;

/// How long a count is kept for a fraction, at least. A servo takes a value every 20 ms, and a serial line at 9600 baud one every 50 ms: what
/// changes faster would reach a motor by chance.
const HOLD: Duration = Duration::from_millis(100);

/// Motor values whose mean is the level, also between two counts: what one value lacks is carried over to the next ones.
///
/// * Each value is one of the two counts next to the level. While the level stays and values are at most 0.1 s apart, the sum of the values
///   times their durations is within one count times 0.1 s of that of the levels: over 1.6 s the mean is the level to within 1/16 count.
/// * A whole level, so also zero, is sent as it is, and what was lacking is forgotten: a level that comes and goes between whole ones is
///   sent too low, never too high. The core gives a [rest](crate::core::CoreParams::rest) only to levels beyond one
///   count, so no value alternates with a stop.
/// * Equal levels of both wheels give equal values, and opposite ones opposite values: straight ahead stays straight.
///
/// # Source
/// own: modulation of first order (delta-sigma).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Carry {
    /// By how much the values were too near to zero, in 1/[`COUNT`] times microseconds.
    lacks: [i64; 2],
    /// The levels in force, in 1/[`COUNT`], the counts sent for them, and since when.
    exact: [i64; 2],
    counts: [i16; 2],
    sent: Instant,
    /// Whether a fraction is one count more now, and for how long that has been chosen.
    is_more: [bool; 2],
    chosen: Duration,
}

impl Carry {
    /// The counts sent last.
    pub fn counts(&self) -> [i16; 2] {
        self.counts
    }

    /// Chooses the counts to send at `now` for the levels `exact`, in 1/[`COUNT`].
    pub fn send(&mut self, exact: [i64; 2], now: Instant) {
        let hold = micros(HOLD);
        let time = now.since(self.sent).min(HOLD);
        self.chosen = (self.chosen + time).min(HOLD);
        for i in [0, 1] {
            let lacks = self.exact[i].abs() - i64::from(self.counts[i].abs()) * COUNT;
            self.lacks[i] = (self.lacks[i] + lacks * micros(time)).clamp(-COUNT * hold, COUNT * hold);
            if exact[i] % COUNT == 0 || exact[i].signum() != self.exact[i].signum() {
                self.lacks[i] = 0;
            }
        }
        let are_alike = exact[0].abs() == exact[1].abs();
        if are_alike {
            self.lacks = [(self.lacks[0] + self.lacks[1]) / 2; 2];
        }
        if self.chosen >= HOLD || are_alike && self.is_more[0] != self.is_more[1] {
            self.chosen = Duration::ZERO;
            let is_more = |i: usize| (exact[i] % COUNT).abs() * hold + self.lacks[i] >= COUNT / 2 * hold;
            self.is_more = [is_more(0), is_more(1)];
        }
        (self.exact, self.sent) = (exact, now);
        self.counts = [0, 1].map(|i| {
            let (whole, rest) = (exact[i] / COUNT, exact[i] % COUNT);
            let more = if self.is_more[i] { rest.signum() } else { 0 };
            i16::try_from(whole + more).unwrap_or(0) // a level is within the range of its targets
        });
    }
}

fn micros(time: Duration) -> i64 {
    i64::try_from(nanos(time) / 1_000).unwrap_or(i64::MAX)
}
