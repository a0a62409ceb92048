use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::Timespec;
use safety::Instant;

use crate::schedule::Schedule;
use crate::settings::{RealTime, Refused};
use crate::timing::Timing;

/// A thread that calls a function once a period, until it is dropped.
///
/// Its clock counts the time since boot, suspended or not.
/// # Real-time
/// Between the calls it reads the clock and sleeps, and does nothing else.
pub struct Periodic {
    thread: Option<JoinHandle<()>>,
    ended: Arc<AtomicBool>,
}

/// Timing of one call, which the function receives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The time now.
    pub now: Instant,
    /// Delay of `now` after the time at which the call was due.
    pub late: Duration,
    /// The time since the previous call; the period in the first.
    pub since_last: Duration,
    /// How many cycles were left out before this one, because the previous call or a hold took too long.
    pub missed: u64,
}

impl Periodic {
    /// Starts the thread `name` and returns with what the operating system refused. `body` is called every `period`; `timing` counts the
    /// calls.
    /// # Errors
    /// The operating system refuses the thread.
    pub fn start(
        name: &str,
        settings: RealTime,
        period: Duration,
        timing: Arc<Timing>,
        body: impl FnMut(Cycle) + Send + 'static,
    ) -> io::Result<(Self, Vec<Refused>)> {
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let (sender, refused) = channel();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            let _ = sender.send(settings.apply()); // the receiver waits
            drop(sender);
            run(period, &end, &timing, body);
        })?;
        let refused = refused.recv().unwrap_or_default();
        Ok((Self { thread: Some(thread), ended }, refused))
    }

    /// Whether the thread has ended, which only a panic in its function makes it do by itself.
    pub fn has_ended(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }
}

impl Drop for Periodic {
    /// Ends the thread after its present call, and waits for that.
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // it panicked, which was reported there
        }
    }
}

fn run(period: Duration, ended: &AtomicBool, timing: &Timing, mut body: impl FnMut(Cycle)) {
    let start = now();
    let mut schedule = Schedule::new(start + period, period);
    let (mut last, mut missed) = (start, 0);
    while !ended.load(Ordering::SeqCst) {
        sleep_until(schedule.due());
        let woken = now();
        let late = woken.since(schedule.due());
        let cycle = Cycle { now: woken, late, since_last: woken.since(last), missed };
        body(cycle);
        last = woken;
        let end = now();
        timing.add(cycle, end.since(woken), period);
        missed = schedule.end_cycle(end);
    }
}

/// The time now, on the clock of the cycles: since boot, suspended or not.
/// # Real-time
/// It reads the clock and nothing else.
pub fn now() -> Instant {
    Instant::from_nanos(u64::try_from(boot_clock::now().as_nanos()).unwrap_or(u64::MAX))
}

/// Sleeps until `due`; returns at once if that has passed.
fn sleep_until(due: Instant) {
    let nanos = due.as_nanos();
    let part = |part: u64| i64::try_from(part).unwrap_or(i64::MAX);
    let time = Timespec { tv_sec: part(nanos / 1_000_000_000), tv_nsec: part(nanos % 1_000_000_000) };
    // A signal ends the sleep early.
    while now() < due && clock_nanosleep_absolute(ClockId::Boottime, &time) == Err(rustix::io::Errno::INTR) {}
}
