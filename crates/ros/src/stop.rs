use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::clock;

/// The wish to end: set by SIGINT, SIGTERM, SIGHUP, SIGQUIT or by the program, seen by every runner.
#[derive(Clone, Debug, Default)]
pub struct Stop {
    wished: Arc<AtomicBool>,
    done: Arc<AtomicBool>,
}

/// A second SIGINT or SIGTERM ends the process at once if it comes later than this after the first signal: a clean stop
/// takes a tenth of it, and signals in quick succession (a closed terminal sends two) must not cut it short.
const IMPATIENT: Duration = Duration::from_secs(1);

/// Ends the process when a clean stop takes longer than `limit`. That is a success if all that had to be said was said:
/// what hangs then are only the ends of the middleware or SDL.
fn end_at_last(stop: Stop, limit: Duration) {
    let _ = thread::Builder::new().name("last".into()).spawn(move || {
        let end = clock::now() + limit;
        while clock::now() < end {
            thread::park_timeout(limit);
        }
        let done = stop.done.load(Ordering::SeqCst);
        if !done {
            // Not by the logger, which may be what hangs.
            eprintln!(
                "something hangs: the process is ended {limit:?} after the signal without its last words"
            );
        }
        exit_at_once(i32::from(!done));
    });
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

    /// A wish that signals set too. The process ends no later than `limit` after the first of them; with exit code 1 and
    /// a message if it was not [`done`](Stop::set_done) by then.
    /// # Errors
    /// The operating system refused the handler or the thread.
    pub fn on_signals(limit: Duration) -> io::Result<Self> {
        let stop = Self::new();
        let wish = stop.clone();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT])?;
        // Lives as long as the process: a signal may come at any time.
        thread::Builder::new().name("signals".into()).spawn(move || {
            let mut first = None;
            for signal in signals.forever() {
                wish.set();
                if first.is_none() {
                    end_at_last(wish.clone(), limit);
                }
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
        self.wished.store(true, Ordering::SeqCst);
    }

    /// From now on nothing is lost if the process ends: the last words are said.
    pub fn set_done(&self) {
        self.done.store(true, Ordering::SeqCst);
    }

    /// Whether somebody wished to end.
    pub fn is_set(&self) -> bool {
        self.wished.load(Ordering::SeqCst)
    }
}
