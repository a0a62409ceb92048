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

/// The wish to end: set by SIGINT, SIGTERM, SIGHUP, SIGQUIT or by the program, seen by every runner.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<Wish>);

#[derive(Debug, Default)]
struct Wish {
    is_set: AtomicBool,
    is_done: AtomicBool,
    is_limited: AtomicBool,
    last: OnceLock<Thread>,
}

/// A second SIGINT or SIGTERM ends the process at once if it comes later than this after the first signal: a clean stop
/// takes a tenth of it, and signals in quick succession (a closed terminal sends two) must not cut it short.
const IMPATIENT: Duration = Duration::from_secs(1);
/// How long the last line on stderr may take.
const LAST_LINE: Duration = Duration::from_millis(100);

/// Ends the process when it takes longer than `limit` to end after it was to. That is a success if all that had to be said
/// was said and nothing panicked: what hangs then are only the ends of the middleware or SDL.
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
        // Not by the logger, which may be what hangs.
        let line = format!("something hangs: the process is ended after {limit:?} without its last words");
        print_line_within(LAST_LINE, line);
    }
    exit_at_once(i32::from(!done || panics::happened()));
}

/// Ends the process with `code` and runs nothing more, neither of this program nor of its libraries.
pub fn exit_at_once(code: i32) -> ! {
    signal_hook::low_level::exit(code)
}

impl Stop {
    /// A wish that only the program can set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A wish that signals set too, except for SIGHUP where that is ignored already (`nohup`). The process ends no later than
    /// `limit` after the first of them or after [`end`](Stop::end); with exit code 1 and a message if it was not
    /// [`done`](Stop::set_done) by then.
    /// # Errors
    /// The operating system refused the handler or a thread.
    pub fn on_signals(limit: Duration) -> io::Result<Self> {
        let stop = Self::new();
        let hangup = (!is_ignored(SIGHUP)).then_some(SIGHUP);
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGQUIT].into_iter().chain(hangup))?;
        // Both threads live as long as the process: a signal or a panic may come at any time.
        let wish = stop.clone();
        let last = thread::Builder::new().name("last".into()).spawn(move || end_at_last(&wish, limit))?;
        let _ = stop.0.last.set(last.thread().clone());
        let wish = stop.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            let mut first = None;
            for signal in signals.forever() {
                wish.end();
                let since = clock::now().since(*first.get_or_insert(clock::now()));
                if since > IMPATIENT && signal != SIGHUP {
                    std::process::exit(128 + signal);
                }
            }
        })?;
        Ok(stop)
    }

    /// Wishes to end.
    pub fn set(&self) {
        self.0.is_set.store(true, Ordering::SeqCst);
    }

    /// Wishes to end within the limit, whatever hangs. Takes no lock.
    pub fn end(&self) {
        self.set();
        self.0.is_limited.store(true, Ordering::SeqCst);
        if let Some(last) = self.0.last.get() {
            last.unpark();
        }
    }

    /// From now on nothing is lost if the process ends: the last words are said.
    pub fn set_done(&self) {
        self.0.is_done.store(true, Ordering::SeqCst);
    }

    /// Whether the process is to end.
    pub fn is_set(&self) -> bool {
        self.0.is_set.load(Ordering::SeqCst)
    }
}

/// Whether the process was started with `signal` ignored; not if the operating system does not tell.
fn is_ignored(signal: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
