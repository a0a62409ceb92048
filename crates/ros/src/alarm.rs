use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use units::{Instant, Machine};

use crate::{Error, Shell, clock};

/// How long dropping an [`AlarmThread`] waits for its thread. The thread waits for nothing but the machine's lock; if it hangs
/// there, it ends with the process.
const LONGEST_END: Duration = Duration::from_millis(100);

/// When a machine has to be polled next, and the thread that polls it.
///
/// Threads that wait for messages cannot be woken for a deadline that another thread brings forward, since r2r's wait has no
/// event besides its own. So deadlines have a thread of their own, and all others sleep until a message comes.
pub(crate) struct Alarm {
    /// The instant at which the thread wakes up by itself \[ns\].
    armed: AtomicU64,
    thread: OnceLock<Thread>,
}

impl Alarm {
    pub(crate) fn new() -> Self {
        Self { armed: AtomicU64::new(u64::MAX), thread: OnceLock::new() }
    }

    /// Sets the machine's deadline. Wakes the thread if it would sleep longer. The caller holds the machine's lock.
    pub(crate) fn arm(&self, deadline: Option<Instant>) {
        let at = nanos(deadline);
        if at < self.armed.load(Ordering::Relaxed) {
            self.armed.store(at, Ordering::Relaxed);
            if let Some(thread) = self.thread.get() {
                thread.unpark();
            }
        }
    }

    /// Records that the thread is awake and will sleep until `deadline`. The caller holds the machine's lock.
    pub(crate) fn rearm(&self, deadline: Option<Instant>) {
        self.armed.store(nanos(deadline), Ordering::Relaxed);
    }
}

fn nanos(deadline: Option<Instant>) -> u64 {
    deadline.map_or(u64::MAX, Instant::as_nanos)
}

/// The thread that polls a machine at its deadlines. It ends when this is dropped.
pub struct AlarmThread {
    thread: JoinHandle<()>,
    ended: Arc<AtomicBool>,
}

impl AlarmThread {
    /// Starts the thread of `shell`. A shell has one at most.
    pub(crate) fn start<M: Machine + Send + 'static>(shell: &Shell<M>) -> Result<Self, Error> {
        let (ended, shell) = (Arc::new(AtomicBool::new(false)), shell.clone());
        let ends = Arc::clone(&ended);
        let body = move || {
            let _ = shell.alarm().thread.set(thread::current());
            while !ends.load(Ordering::SeqCst) {
                match shell.poll_at_deadline() {
                    None => thread::park(),
                    Some(deadline) => thread::park_timeout(deadline.since(clock::now())),
                }
            }
        };
        let thread = thread::Builder::new().name("alarm".into()).spawn(body);
        let thread = thread.map_err(|error| Error::Start(format!("no thread for deadlines: {error}")))?;
        Ok(Self { thread, ended })
    }
}

impl Drop for AlarmThread {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        self.thread.thread().unpark();
        let end = clock::now() + LONGEST_END;
        while !self.thread.is_finished() && clock::now() < end {
            thread::park_timeout(Duration::from_millis(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Rings once at the instant that it was given.
    struct Bell(Option<Instant>);

    impl Machine for Bell {
        type Input = Instant;
        type Output = Instant;

        fn handle(&mut self, _: Instant, at: Instant) {
            self.0 = Some(at);
        }

        fn poll(&mut self, now: Instant) -> Option<Instant> {
            self.0.take_if(|at| *at <= now)
        }

        fn deadline(&self) -> Option<Instant> {
            self.0
        }
    }

    #[test]
    fn a_deadline_that_comes_forward_wakes_the_thread_and_one_that_goes_back_is_kept() {
        let (sender, rung) = mpsc::channel();
        let shell = Shell::new(Bell(None), None, move |at| sender.send((at, clock::now())).unwrap());
        let alarm = shell.start_alarm().unwrap();
        let (far, near) = (Duration::from_secs(60), Duration::from_millis(30));
        let longest = Duration::from_secs(10);
        assert!(rung.recv_timeout(near).is_err(), "without a deadline nothing happens");
        shell.deliver(clock::now() + far);
        let soon = clock::now() + near;
        shell.deliver(soon);
        let (due, at) = rung.recv_timeout(longest).unwrap();
        assert!(due == soon && at >= soon);
        shell.deliver(clock::now() + near);
        let later = clock::now() + near * 3;
        shell.deliver(later);
        let (due, at) = rung.recv_timeout(longest).unwrap();
        assert!(due == later && at >= later);
        drop(alarm);
        shell.deliver(clock::now() + near);
        assert!(rung.recv_timeout(near * 3).is_err(), "its thread has ended");
    }
}
