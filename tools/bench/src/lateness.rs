//! How late a loop of 1 kHz wakes up, beside the bare loop in the same time.
//!
//! The bare loop is a thread that only sleeps until each millisecond and reads the clock, with the same priority and on the same
//! processor. Its period is a thousandth longer, so that all phases between the two occur. Each time is rounded up by a sixteenth at
//! most: 1 ms is 1.05 here.

use core::fmt;
use std::time::Duration;

use mechanism::Histogram;
use ros::Error;

use crate::bare_loop::{self, Bare};
use crate::reports::{Reports, Steps};

const PERIOD: Duration = Duration::from_millis(1);
/// p99.9 at most, to that of the bare loop.
const GOAL: f64 = 1.2;

/// How far both loops are.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    node: Steps,
    bare: bare_loop::Mark,
}

impl Mark {
    /// How far they are at the next report of the node's.
    /// # Errors
    /// None comes.
    pub fn take(reports: &mut Reports, bare: &Bare) -> Result<Self, Error> {
        Ok(Self { node: reports.next()?, bare: bare.mark() })
    }
}

/// Sum of a loop's steps in all windows of a kind.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    late: Histogram,
    missed: u64,
    long: u64,
}

impl Sum {
    fn add(&mut self, late: &Histogram, missed: u64, long: u64) {
        self.late = self.late.with(late);
        self.missed += missed;
        self.long += long;
    }
}

/// Sums of both loops in all windows of a kind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pair {
    node: Sum,
    bare: Sum,
}

impl Pair {
    /// Adds the window between two marks.
    pub fn add(&mut self, before: Mark, after: Mark, bare: &Bare) {
        let (from, to) = (&before.node, &after.node);
        self.node.add(&to.late.since(&from.late), to.missed - from.missed, to.long - from.long);
        let (late, missed) = bare.between(before.bare, after.bare);
        self.bare.add(&late, missed, 0);
    }
}

/// The figures of each kind of window, with its name, as a table in Markdown.
pub struct Table<'a>(pub &'a [(&'a str, Pair)]);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| 1 kHz | steps | p50 [µs] | p99 [µs] | p99.9 [µs] | max [µs] | p99.9 to bare | goal | later than 1 ms | left out | \
             longer than 1 ms |\n|---|--:|--:|--:|--:|--:|--:|---|--:|--:|--:|"
        )?;
        for (when, Pair { node, bare }) in self.0 {
            let tail = |sum: &Sum| sum.late.quantile(0.999).as_secs_f64();
            let ratio = tail(node) / tail(bare);
            let reached = if ratio <= GOAL { "reached" } else { "not reached" };
            let shown = format!("{ratio:.2} | {GOAL} {reached}");
            for (what, sum, shown) in [("loop", node, shown.as_str()), ("bare loop", bare, "1 | –")] {
                let [p50, p99, p999, max] =
                    [0.5, 0.99, 0.999, 1.0].map(|share| sum.late.quantile(share).as_micros());
                let (steps, late) = (sum.late.count(), sum.late.count_from(PERIOD));
                let (missed, long) =
                    (sum.missed, if what == "loop" { sum.long.to_string() } else { "–".into() });
                writeln!(
                    f,
                    "| {what}, {when} | {steps} | {p50} | {p99} | {p999} | {max} | {shown} | {late} | {missed} | {long} |"
                )?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(micros: u64) -> Sum {
        let mut late = Histogram::new();
        (0..1000).for_each(|_| late.add(Duration::from_micros(micros)));
        Sum { late, missed: 3, long: 2 }
    }

    #[test]
    fn the_tail_is_compared_with_that_of_the_same_time() {
        let rest = Pair { node: sum(110), bare: sum(100) };
        let busy = Pair { node: sum(2000), bare: sum(1000) };
        let text = Table(&[("at rest", rest), ("under calls", busy)]).to_string();
        assert!(text.contains("1.2 reached |"), "{text}");
        assert!(text.contains("1.2 not reached | 1000 | 3 | 2 |"), "{text}");
    }
}
