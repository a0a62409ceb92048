//! How long a call takes, beside one of a bare service.
//!
//! Two controllers run. One call follows the other at random times, over DDS, in turns with a bare r2r service that answers the same
//! list. A load, a switch and an unload take effect in a step of the loop, which is half a millisecond away in the mean.

use core::fmt;
use std::time::Duration;

use processes::Folder;
use ros::{Error, Stop};

use super::calls::{BARE, Caller, MANAGER};
use super::node;
use crate::child;
use crate::distribution::Distribution;

/// How often each is called.
const ROUNDS: usize = 400;
/// The first ones, in which memory is used for the first time, do not count.
const REHEARSED: usize = 20;
const RATE: u32 = 1000;
const RUNNING: &[&str] = &["pan_position", "tilt_position"];
const NAME: &str = "pan_velocity";

/// The calls in the order of the table.
const CALLS: [&str; 6] = [
    "bare service",
    "`list_controllers`",
    "`load_controller`",
    "`switch_controller`, which starts it",
    "`switch_controller`, which stops it",
    "`unload_controller`",
];

/// The figures; shown as a table in Markdown.
pub struct Latency([Distribution; CALLS.len()]);

/// Calls each service in turns, with two controllers that run.
/// # Errors
/// A process does not start, or a call has no answer or is refused.
pub fn measure(context: &r2r::Context, folder: &Folder, stop: &Stop) -> Result<Latency, Error> {
    eprintln!("bench: loop: service calls");
    let _bare = child::start("bench", &["service".to_owned()], folder)?;
    let child = node::start(RATE, None, folder)?;
    let times =
        take_times(context, stop).map_err(|error| Error::Start(format!("{error}\n{}", child.output())))?;
    let none = || Error::Start("no call was made".into());
    let mut each = times.map(Distribution::new).into_iter();
    let mut next = || each.next().flatten().ok_or_else(none);
    Ok(Latency([next()?, next()?, next()?, next()?, next()?, next()?]))
}

fn take_times(context: &r2r::Context, stop: &Stop) -> Result<[Vec<Duration>; CALLS.len()], Error> {
    let mut bare = Caller::new(context, "bench_bare_caller", BARE)?;
    let mut caller = Caller::new(context, "bench_caller", MANAGER)?;
    bare.wait()?;
    caller.wait()?;
    caller.start(RUNNING)?;
    let mut random = fastrand::Rng::with_seed(1);
    let mut times: [Vec<Duration>; CALLS.len()] = Default::default();
    for round in 0..ROUNDS + REHEARSED {
        let mut answers = [(false, Duration::ZERO); CALLS.len()];
        for (number, answer) in answers.iter_mut().enumerate() {
            // Each call at a time of its own within the period of the loop, whose steps would set the pace of the calls.
            caller.pause(Duration::from_micros(random.u64(..2000)));
            *answer = match number {
                0 => bare.list(),
                1 => caller.list(),
                2 => caller.load(NAME),
                3 => caller.switch(&[NAME], &[]),
                4 => caller.switch(&[], &[NAME]),
                _ => caller.unload(NAME),
            }?;
        }
        if stop.is_set() {
            return Err(Error::Start("interrupted".into()));
        }
        for ((name, times), (ok, took)) in CALLS.iter().zip(&mut times).zip(answers) {
            if !ok {
                return Err(Error::Start(format!("{name} is refused")));
            }
            if round >= REHEARSED {
                times.push(took);
            }
        }
    }
    Ok(times)
}

impl fmt::Display for Latency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "| call | calls | p50 [µs] | p99 [µs] | max [µs] | p50 to bare |\n|---|--:|--:|--:|--:|--:|"
        )?;
        let bare = self.0[0].quantile(0.5).as_secs_f64();
        for (name, times) in CALLS.iter().zip(&self.0) {
            let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| times.quantile(share).as_micros());
            let ratio = times.quantile(0.5).as_secs_f64() / bare;
            writeln!(f, "| {name} | {} | {p50} | {p99} | {max} | {ratio:.2} |", times.count())?;
        }
        Ok(())
    }
}
