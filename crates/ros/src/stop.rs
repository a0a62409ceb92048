use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::stderr::print_line_within;
use crate::{clock, panics};

/// The request to end the process, set by SIGINT, SIGTERM, SIGHUP, SIGQUIT or by the program, and checked by every runner.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<StopState>);

#[derive(Debug, Default)]
struct StopState {
    is_set: AtomicBool,
    is_done: AtomicBool,
    is_limited: AtomicBool,
    is_interrupted: AtomicBool,
    last: OnceLock<Thread>,
}

/// A second SIGINT or SIGTERM ends the process at once if it comes later than this after the first signal. A clean stop takes a
/// tenth of it, and signals in quick succession (a closed terminal sends two) must not cut it short.
const IMPATIENT: Duration = Duration::from_secs(1);
/// How long the last line on stderr may take.
const LAST_LINE: Duration = Duration::from_millis(100);

/// Ends the process if it takes longer than `limit` to end after [`Stop::end`]. The exit code is 0 if all final messages were
/// published and no thread panicked: only the shutdown of the middleware or SDL hangs then.
fn end_at_last(stop: &Stop, limit: Duration) {
    while !stop.0.is_limited.load(Ordering::SeqCst) {
        thread::park();
    }
    let end = clock::now() + limit;
    while clock::now() < end {
        thread::park_timeout(limit);
    }
    let done = stop.0.is_done.load(Ordering::SeqCst);
    if !done {
        // Not through the logger, which may be what hangs.
        let line =
            format!("something hangs: the process is ended after {limit:?} without its final messages");
        print_line_within(LAST_LINE, line);
    }
    exit_at_once(i32::from(!done || panics::happened()));
}

/// Ends the process with `code` without running any further code of the program or its libraries.
pub fn exit_at_once(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}

impl Stop {
    /// A request that only the program can set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A request that signals set too, except for SIGHUP where that is already ignored (`nohup`). The process ends no later
    /// than `limit` after the first signal or after [`end`](Stop::end). It ends with exit code 1 and a message if it was not
    /// [`done`](Stop::set_done) by then.
    /// # Errors
    /// The operating system refused the handler or a thread.
    pub fn on_signals(limit: Duration) -> io::Result<Self> {
        let stop = Self::new();
        let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGQUIT].into_iter().chain(hangup))?;
        // Both threads live as long as the process: a signal or a panic may come at any time.
        let state = stop.clone();
        let last = thread::Builder::new().name("last".into()).spawn(move || end_at_last(&state, limit))?;
        let _ = stop.0.last.set(last.thread().clone());
        let state = stop.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            let mut first = None;
            for signal in signals.forever() {
                state.0.is_interrupted.fetch_or(signal == SIGINT, Ordering::SeqCst);
                state.end();
                let since = clock::now().since(*first.get_or_insert(clock::now()));
                if since > IMPATIENT && signal != SIGHUP {
                    exit_at_once(128 + signal);
                }
            }
        })?;
        Ok(stop)
    }

    /// Requests the end.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::SeqCst);
    }

    /// Requests the end within the limit, even if something hangs. Takes no lock.
    pub fn end(&self) {
        self.set();
        self.0.is_limited.store(true, Ordering::SeqCst);
        if let Some(last) = self.0.last.get() {
            last.unpark();
        }
    }

    /// Records that the final messages are published: nothing is lost if the process ends from now on.
    pub fn set_done(&self) {
        self.0.is_done.store(true, Ordering::SeqCst);
    }

    /// Whether SIGINT, as Ctrl-C or a launch file sends it, was among the signals.
    pub fn is_interrupted(&self) -> bool {
        self.0.is_interrupted.load(Ordering::SeqCst)
    }

    /// Whether the process is to end.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::SeqCst)
    }
}

/// Whether the process was started with `signal` ignored; `false` if the operating system does not report it.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
