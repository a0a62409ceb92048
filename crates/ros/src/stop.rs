use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::clock;

/// The wish to end: set by SIGINT, SIGTERM, SIGHUP or by the program, seen by every runner.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

/// A second SIGINT or SIGTERM ends the process at once if it comes later than this after the first signal: a clean stop
/// takes a tenth of it, and signals in quick succession (a closed terminal sends two) must not cut it short.
const IMPATIENT: Duration = Duration::from_secs(1);

/// Ends the process when a clean stop takes far too long: its last words are said within a tenth of this, and what may
/// hang after them are only the middleware's and SDL's own ends.
fn end_at_last() {
    const LAST: Duration = Duration::from_secs(2);
    let _ = thread::Builder::new().name("last".into()).spawn(|| {
        let end = clock::now() + LAST;
        while clock::now() < end {
            thread::park_timeout(LAST);
        }
        signal_hook::low_level::exit(0);
    });
}

impl Stop {
    /// A wish that only the program can set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A wish that signals set too.
    /// # Errors
    /// The operating system refused the handler or the thread.
    pub fn on_signals() -> io::Result<Self> {
        let stop = Self::new();
        let wish = stop.clone();
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        // Lives as long as the process: a signal may come at any time.
        thread::Builder::new().name("signals".into()).spawn(move || {
            let mut first = None;
            for signal in signals.forever() {
                wish.set();
                if first.is_none() {
                    end_at_last();
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
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether somebody wished to end.
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
