use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use safety::{Instant, Machine};

use crate::{Error, Shell, clock};

/// How long dropping an [`AlarmThread`] waits for its thread. Besides its timer the thread waits for the machine's lock and for the
/// middleware; if it hangs there, it ends with the process.
const LONGEST_END: Duration = Duration::from_millis(100);

/// When a machine has to be polled next, and the timer for which the thread waits that polls it.
///
/// Threads that wait for messages cannot be woken for a deadline that another thread brings forward, since r2r's wait has no
/// event besides its own. So deadlines have a thread of their own, and all others sleep until a message comes. A thread that
/// changes the deadline sets the timer and wakes nobody.
pub(crate) struct Alarm(OnceLock<Timer>);

impl Alarm {
    pub(crate) fn new() -> Self {
        Self(OnceLock::new())
    }

    /// Lets the timer ring at `deadline`. There is none before the thread has started, which begins with a poll.
    pub(crate) fn set(&self, deadline: Option<Instant>) {
        if let Some(timer) = self.0.get() {
            timer.set(deadline);
        }
    }
}

/// A timer of the operating system, by the clock of [`clock::now`].
struct Timer(OwnedFd);

impl Timer {
    fn new() -> Result<Self, Error> {
        timerfd_create(TimerfdClockId::Boottime, TimerfdFlags::CLOEXEC)
            .map(Self)
            .map_err(|error| Error::Start(format!("no timer for deadlines: {error}")))
    }

    /// Lets it ring at `deadline`, at once if that is past, or not at all.
    fn set(&self, deadline: Option<Instant>) {
        // A time of zero would turn the timer off.
        let at = deadline.map_or(0, |deadline| deadline.as_nanos().max(1));
        let it_value = Timespec { tv_sec: (at / 1_000_000_000) as i64, tv_nsec: (at % 1_000_000_000) as i64 };
        let time = Itimerspec { it_interval: Timespec::default(), it_value };
        // Fails only for a descriptor or a time that is none.
        let _ = timerfd_settime(&self.0, TimerfdTimerFlags::ABSTIME, &time);
    }

    /// Waits until it rings; a signal may end it early.
    fn wait(&self) {
        let _ = rustix::io::read(&self.0, &mut [0; 8]);
    }
}

/// The thread that polls a machine at its deadlines. It ends when this is dropped.
pub struct AlarmThread {
    thread: JoinHandle<()>,
    ended: Arc<AtomicBool>,
    alarm: Arc<Alarm>,
}

impl AlarmThread {
    /// Starts the thread of `shell`. A shell has one at most.
    pub(crate) fn start<M: Machine + Send + 'static>(shell: &Shell<M>) -> Result<Self, Error> {
        let timer = Timer::new()?;
        let (ended, alarm) = (Arc::new(AtomicBool::new(false)), Arc::clone(shell.alarm()));
        let (ends, shell) = (Arc::clone(&ended), shell.clone());
        let body = move || {
            let timer = shell.alarm().0.get_or_init(|| timer);
            while !ends.load(Ordering::SeqCst) {
                shell.poll_at_deadline();
                timer.wait();
            }
        };
        let thread = thread::Builder::new().name("alarm".into()).spawn(body);
        let thread = thread.map_err(|error| Error::Start(format!("no thread for deadlines: {error}")))?;
        Ok(Self { thread, ended, alarm })
    }
}

impl Drop for AlarmThread {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        let end = clock::now() + LONGEST_END;
        while !self.thread.is_finished() && clock::now() < end {
            // Again each time: the thread may just have set the machine's deadline.
            self.alarm.set(Some(Instant::ZERO));
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

        fn backlog(_: &Instant) -> safety::Backlog {
            safety::Backlog::Each
        }

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

    /// Is due until it was polled so often, always at the same instant.
    struct Peal(u32);

    impl Machine for Peal {
        type Input = ();
        type Output = ();

        fn backlog((): &()) -> safety::Backlog {
            safety::Backlog::Each
        }

        fn handle(&mut self, _: Instant, (): ()) {}

        fn poll(&mut self, _: Instant) -> Option<()> {
            self.0 = self.0.saturating_sub(1);
            None
        }

        fn deadline(&self) -> Option<Instant> {
            (self.0 > 0).then_some(Instant::from_nanos(1))
        }
    }

    #[test]
    fn a_machine_that_is_still_due_is_polled_again() {
        let shell = Shell::new(Peal(5), None, |()| {});
        let _alarm = shell.start_alarm().unwrap();
        let end = clock::now() + Duration::from_secs(10);
        while shell.inspect(|peal| peal.0 > 0) {
            assert!(clock::now() < end, "it was polled once");
            thread::yield_now();
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
