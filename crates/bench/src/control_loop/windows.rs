//! How late the loop wakes up at rest and under thousands of calls, beside the bare loop in the same time.

use core::fmt;
use std::time::Duration;

use fastrand::Rng;
use mechanism::Histogram;
use ros::{Error, Stop, clock};

use super::bare::{Bare, Mark};
use super::calls::{Caller, MANAGER};
use super::node::{self, Reports, Steps};
use crate::child::Folder;

const RATE: u32 = 1000;
const PERIOD: Duration = Duration::from_millis(1);
const ROUNDS: usize = 5;
/// The length of a window without calls.
const QUIET: Duration = Duration::from_secs(6);
/// The clients that call, and how often each does in one window.
const CLIENTS: usize = 4;
const CALLS: usize = 1250;
/// p99.9 at most, to that of the bare loop.
const GOAL: f64 = 1.2;
const RUNNING: &[&str] = &["pan_position", "tilt_position"];
/// What the clients load, switch and unload, beside what runs.
const OTHERS: &[&str] = &["pan_effort", "pan_velocity", "arm_trajectory"];

/// What a loop did in all windows of a kind.
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

/// The figures; shown as a table in Markdown.
#[derive(Default)]
pub struct Windows {
    /// At rest, and under calls: of the node, and of the bare loop.
    sums: [[Sum; 2]; 2],
    calls: usize,
    /// How long the calls took together.
    calling: Duration,
}

/// Measures windows without and with calls in turns.
/// # Errors
/// The node does not start, or does not answer; its output is shown.
pub fn measure(context: &r2r::Context, folder: &Folder, stop: &Stop) -> Result<Windows, Error> {
    // The last one, which has fewer interrupts of devices as a rule.
    let core = std::thread::available_parallelism().map_or(0, |cores| cores.get() - 1);
    let child = node::start(RATE, Some(core), folder)?;
    let measured = observe(context, core, stop);
    measured.map_err(|error| Error::Start(format!("{error}\n{}", child.output())))
}

fn observe(context: &r2r::Context, core: usize, stop: &Stop) -> Result<Windows, Error> {
    let mut callers = Vec::new();
    for number in 0..CLIENTS {
        callers.push(Caller::new(context, &format!("bench_caller_{number}"), MANAGER)?);
    }
    callers.iter_mut().try_for_each(Caller::wait)?;
    callers[0].start(RUNNING)?;
    let (bare, mut reports) = (Bare::start(core)?, Reports::new(context)?);
    reports.next()?; // the middleware has found all of them
    let mut windows = Windows::default();
    for round in 1..=ROUNDS {
        for is_busy in [false, true] {
            eprintln!(
                "bench: loop: round {round} of {ROUNDS}, {}",
                if is_busy { "calls" } else { "at rest" }
            );
            let before = mark(&mut reports, &bare)?;
            if is_busy {
                let began = clock::now();
                bombard(&mut callers, round as u64)?;
                windows.calling += clock::now().since(began);
                windows.calls += CLIENTS * CALLS;
            } else {
                let end = clock::now() + QUIET;
                while clock::now() < end && !stop.is_set() {
                    reports.next()?;
                }
            }
            if stop.is_set() {
                return Err(Error::Start("interrupted".into()));
            }
            let after = mark(&mut reports, &bare)?;
            windows.add(is_busy, [before, after], &bare);
        }
    }
    Ok(windows)
}

/// How far both loops are at a report of the node's.
fn mark(reports: &mut Reports, bare: &Bare) -> Result<(Steps, Mark), Error> {
    Ok((reports.next()?, bare.mark()))
}

/// All clients call at once, at random.
fn bombard(callers: &mut [Caller], seed: u64) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = callers
            .iter_mut()
            .enumerate()
            .map(|(number, caller)| {
                scope.spawn(move || call(caller, Rng::with_seed(seed * 100 + number as u64)))
            })
            .collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(result) => result,
            Err(_) => Err(Error::Start("a client panicked".into())),
        })
    })
}

/// Some are refused, for the clients do not know of each other.
fn call(caller: &mut Caller, mut random: Rng) -> Result<(), Error> {
    for _ in 0..CALLS {
        let name = OTHERS[random.usize(..OTHERS.len())];
        match random.usize(..5) {
            0 => caller.list(),
            1 => caller.load(name),
            2 => caller.switch(&[name], &[]),
            3 => caller.switch(&[], &[name]),
            _ => caller.unload(name),
        }?;
    }
    Ok(())
}

impl Windows {
    fn add(&mut self, is_busy: bool, [before, after]: [(Steps, Mark); 2], bare: &Bare) {
        let [node, floor] = &mut self.sums[usize::from(is_busy)];
        let (from, to) = (&before.0, &after.0);
        node.add(&to.late.since(&from.late), to.missed - from.missed, to.long - from.long);
        let (late, missed) = bare.between(before.1, after.1);
        floor.add(&late, missed, 0);
    }
}

impl fmt::Display for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| 1 kHz | steps | p50 [µs] | p99 [µs] | p99.9 [µs] | max [µs] | p99.9 to bare | later than 1 ms | left out | \
             longer than 1 ms |\n|---|--:|--:|--:|--:|--:|---|--:|--:|--:|"
        )?;
        for (when, [node, bare]) in ["at rest", "under calls"].iter().zip(&self.sums) {
            let tail = |sum: &Sum| sum.late.quantile(0.999).as_secs_f64();
            let ratio = tail(node) / tail(bare);
            let reached = if ratio <= GOAL { "reached" } else { "not reached" };
            let shown = format!("{ratio:.2}, goal {GOAL} {reached}");
            for (what, sum, shown) in [("loop", node, shown.as_str()), ("bare loop", bare, "1")] {
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
        let rate = self.calls as f64 / self.calling.as_secs_f64();
        write!(
            f,
            "\nHow late the loop of `mechanism` wakes up with 2 running controllers, beside a thread that only sleeps until each \
             millisecond and reads the clock, with the same priority, on the same processor, in the same time: {ROUNDS} windows at \
             rest and {ROUNDS} under calls, in turns. The bare loop's period is a thousandth longer, so that all phases between \
             the two occur. Each time is rounded up by a sixteenth at most; 1 ms is 1.05 here. The calls are {} from {CLIENTS} \
             clients at random, {rate:.0} a second: list, load, start, stop and unload.",
            self.calls
        )
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
        let windows = Windows {
            sums: [[sum(110), sum(100)], [sum(2000), sum(1000)]],
            calls: 100,
            calling: Duration::from_secs(2),
        };
        let text = windows.to_string();
        assert!(text.contains("1.2 reached |"), "{text}");
        assert!(text.contains("1.2 not reached | 1000 | 3 | 2 |"), "{text}");
        assert!(text.contains("50 a second"), "{text}");
    }
}
