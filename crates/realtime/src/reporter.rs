use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

/// The thread beside a loop that passes on what the loop reports, until it is dropped.
pub struct Reporter {
    thread: Option<JoinHandle<()>>,
    has_ended: Arc<AtomicBool>,
}

impl Reporter {
    /// Starts the thread `name`. It calls `work` again and again, and sleeps in between for as long as that returns, or until it is
    /// unparked.
    /// # Errors
    /// The operating system refuses the thread.
    pub fn start(name: &str, mut work: impl FnMut() -> Duration + Send + 'static) -> io::Result<Self> {
        let has_ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&has_ended);
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || {
            while !end.load(Ordering::SeqCst) {
                thread::park_timeout(work());
            }
        })?;
        Ok(Self { thread: Some(thread), has_ended })
    }

    /// The thread, to be unparked.
    pub fn thread(&self) -> Option<&Thread> {
        self.thread.as_ref().map(JoinHandle::thread)
    }
}

impl Drop for Reporter {
    fn drop(&mut self) {
        self.has_ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join(); // it panicked, which was reported there
        }
    }
}
