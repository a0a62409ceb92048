use std::fs;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};
use std::time::Duration;

use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGTSTP, SIGTTIN,
    SIGTTOU, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::Signals;
use signal_hook::low_level::signal_name;

use crate::stderr::print_line_within;
use crate::{clock, panics};

/// The request to end the process, set by a signal or by the program, and checked by every runner.
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

/// The signals with which people, terminals and launch files end a process.
const COMMON: [i32; 4] = [SIGINT, SIGTERM, SIGQUIT, SIGHUP];
/// All other signals that by default end a process or suspend it and that can be caught, besides the real-time signals.
///
/// Absent: SIGPIPE, which Rust's programs ignore; SIGKILL and SIGSTOP, which cannot be caught, and SIGSEGV, SIGBUS, SIGFPE and SIGILL: a handler of them that returns
/// repeats the faulty instruction for ever.
const OTHERS: [i32; 16] = [
    SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGIO, SIGXCPU, SIGXFSZ,
    SIGSYS, SIGTRAP, SIGABRT, SIGSTKFLT, SIGPWR,
];
/// SIGSTKFLT and SIGPWR, which `signal-hook` does not name.
const SIGSTKFLT: i32 = 16;
const SIGPWR: i32 = 30;
/// The real-time signals that glibc leaves to programs.
const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;

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

    /// A request that signals set too: every signal that can be caught and would end the process, or suspend it with its motors
    /// at their last value. A signal that is already ignored stays so (`nohup`), except SIGINT, SIGTERM and SIGQUIT. The process
    /// ends no later than `limit` after the first signal or after [`end`](Stop::end). It ends with exit code 1 and a message if it
    /// was not [`done`](Stop::set_done) by then.
    /// # Errors
    /// The operating system refused the handler or a thread.
    pub fn on_signals(limit: Duration) -> io::Result<Self> {
        let stop = Self::new();
        let ignored = ignored();
        let all = COMMON.into_iter().chain(OTHERS).chain(REAL_TIME);
        let mut signals = Signals::new(all.filter(|&signal| {
            matches!(signal, SIGINT | SIGTERM | SIGQUIT) || ignored >> (signal - 1) & 1 == 0
        }))?;
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
                if first.is_none() && !COMMON.contains(&signal) {
                    let name = signal_name(signal).map_or(format!("signal {signal}"), str::to_owned);
                    print_line_within(LAST_LINE, format!("{name} was received: the process ends at stop"));
                }
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

/// The signals that the process was started with as ignored, the lowest bit for signal 1; none if the operating system does not
/// report them.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
