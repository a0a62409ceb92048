use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use joystick::Joystick;
use ros::{Error, Shell, clock};
use units::Machine;

/// Polls the machine when collected moves are due on `joy`.
///
/// The node's own thread cannot do that in time: it sleeps in the middleware, which nobody can wake, and moves come from
/// SDL's thread, which must not wait.
pub struct Alarm {
    thread: Option<JoinHandle<()>>,
    ended: Arc<AtomicBool>,
}

impl Alarm {
    /// An alarm for the machine in `shell`, in which `view` finds the joystick.
    /// # Errors
    /// There is no thread to be had.
    pub fn start<M: Machine + Send + 'static>(
        shell: Shell<M>,
        view: fn(&M) -> &Joystick,
    ) -> Result<Self, Error> {
        let ended = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&ended);
        let body = move || {
            while !ends.load(Ordering::Relaxed) {
                match shell.inspect(|machine| view(machine).moves_due()) {
                    None => thread::park(),
                    Some(due) => match due.since(clock::now()) {
                        wait if wait.is_zero() => shell.poll(),
                        wait => thread::park_timeout(wait),
                    },
                }
            }
        };
        let thread = thread::Builder::new().name("joy".into()).spawn(body);
        let thread = thread.map_err(|error| Error::Start(format!("no thread for 'joy': {error}")))?;
        Ok(Self { thread: Some(thread), ended })
    }

    /// To be called when something happened to a stick.
    pub fn look(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        self.look();
        if let Some(thread) = self.thread.take() {
            // It waits for nothing but the machine's lock; a panic there was said already.
            let _ = thread.join();
        }
    }
}
