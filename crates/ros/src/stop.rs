use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The wish to end: set by SIGINT, SIGTERM, SIGHUP or by the program, seen by every runner.
///
/// A second SIGINT or SIGTERM ends the process at once, in case a clean stop hangs.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// A wish that only the program can set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A wish that signals set too.
    /// # Errors
    /// The operating system refused the handler.
    pub fn on_signals() -> io::Result<Self> {
        let stop = Self::new();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            // Order matters: the first handler ends the process only if the second one has already run before.
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop.0))?;
            signal_hook::flag::register(signal, Arc::clone(&stop.0))?;
        }
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
