//! How late the loop wakes up at rest and under thousands of calls, beside the bare loop in the same time.
//!
//! The windows alternate. Two controllers run, and the clients list, load, start, stop and unload others at random.

use core::fmt;
use std::time::Duration;

use fastrand::Rng;
use processes::Folder;
use ros::{Error, Stop, clock};

use super::calls::{Caller, MANAGER};
use super::node;
use crate::bare_loop::Bare;
use crate::lateness::{Mark, Pair, Table};
use crate::reports::Reports;

const RATE: u32 = 1000;
const ROUNDS: usize = 5;
/// The length of a window without calls.
const QUIET: Duration = Duration::from_secs(6);
/// The clients that call, and how often each does in one window.
const CLIENTS: usize = 4;
const CALLS: usize = 1250;
const RUNNING: &[&str] = &["pan_position", "tilt_position"];
/// Controllers that the clients load, switch and unload, beside those that run.
const OTHERS: &[&str] = &["pan_effort", "pan_velocity", "arm_trajectory"];

/// The figures; shown as a table in Markdown.
#[derive(Default)]
pub struct Windows {
    /// At rest, and under calls: of the node and of the bare loop.
    sums: [Pair; 2],
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
            let before = Mark::take(&mut reports, &bare)?;
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
            let after = Mark::take(&mut reports, &bare)?;
            windows.sums[usize::from(is_busy)].add(before, after, &bare);
        }
    }
    Ok(windows)
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

impl fmt::Display for Windows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Table(&[("at rest", self.sums[0]), ("under calls", self.sums[1])]))?;
        let rate = self.calls as f64 / self.calling.as_secs_f64();
        write!(
            f,
            "\n{ROUNDS} windows at rest and {ROUNDS} under calls; {} calls from {CLIENTS} clients, {rate:.0} a second.",
            self.calls
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_of_the_calls_is_theirs_alone() {
        let windows = Windows { calls: 100, calling: Duration::from_secs(2), ..Windows::default() };
        assert!(windows.to_string().contains("50 a second"), "{windows}");
    }
}
