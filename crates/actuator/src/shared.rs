//! The state that the actuator's thread shares with its callers.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use boot_clock::now;

/// The newest levels and the requests to the thread. Locked for a few instructions at a time, never while the device is used.
pub(crate) struct Shared {
    state: Mutex<State>,
    /// Wakes the thread.
    wake: Condvar,
    /// Wakes the callers that wait for the thread's end.
    ended: Condvar,
    /// How many passes the thread has made.
    pub(crate) passes: AtomicU64,
    /// Whether the device is open and was not lost since.
    pub(crate) is_ready: AtomicBool,
}

struct State {
    given: Given,
    closing: bool,
    ended: bool,
}

/// Levels, and when they were given.
#[derive(Clone, Copy)]
pub(crate) struct Given {
    pub(crate) levels: [i16; 2],
    /// How many were given so far.
    pub(crate) count: u64,
    /// Undefined while `count` is 0.
    pub(crate) at: Duration,
}

impl Shared {
    pub(crate) fn new() -> Shared {
        let given = Given { levels: [0, 0], count: 0, at: now() };
        Shared {
            state: Mutex::new(State { given, closing: false, ended: false }),
            wake: Condvar::new(),
            ended: Condvar::new(),
            passes: AtomicU64::new(0),
            is_ready: AtomicBool::new(false),
        }
    }

    /// Replaces the levels, also those that the thread has not sent yet.
    pub(crate) fn give(&self, levels: [i16; 2]) {
        let mut state = self.lock();
        state.given = Given { levels, count: state.given.count.wrapping_add(1), at: now() };
        drop(state);
        self.wake.notify_one();
    }

    /// Requests the end of the thread.
    pub(crate) fn close(&self) {
        self.lock().closing = true;
        self.wake.notify_one();
    }

    /// Records that the thread no longer uses the device.
    pub(crate) fn end(&self) {
        self.lock().ended = true;
        self.ended.notify_all();
    }

    /// Whether the thread ends within `limit`.
    pub(crate) fn wait_for_end(&self, limit: Duration) -> bool {
        let state = self.lock();
        let waited = self.ended.wait_timeout_while(state, limit, |state| !state.ended);
        waited.unwrap_or_else(PoisonError::into_inner).0.ended
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.lock().ended
    }

    /// Counts a pass. Returns the newest levels, or `None` if the thread is to end.
    pub(crate) fn begin_pass(&self) -> Option<Given> {
        self.passes.fetch_add(1, Ordering::Relaxed);
        let state = self.lock();
        (!state.closing).then_some(state.given)
    }

    /// Waits until `deadline`, until there are newer levels than `seen`, or until the thread is to end.
    pub(crate) fn wait(&self, seen: Option<u64>, deadline: Duration) {
        let left = deadline.saturating_sub(now());
        let idle = |state: &mut State| !state.closing && seen.is_none_or(|seen| state.given.count == seen);
        // After a poisoned lock or a time-out the thread checks the state itself.
        let _ = self.wake.wait_timeout_while(self.lock(), left, idle);
    }

    /// A poisoned lock is usable: each value is set in one assignment.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Monitors the counter of passes that a thread increments.
pub(crate) struct Pulse {
    passes: u64,
    /// When the counter last changed.
    at: Duration,
    beats: bool,
    /// The thread hangs after this time without a pass.
    limit: Duration,
}

impl Pulse {
    pub(crate) fn new(limit: Duration) -> Pulse {
        Pulse { passes: 0, at: now(), beats: true, limit }
    }

    /// Records the counter at `now`. Returns whether the thread runs if that changed, otherwise `None`.
    pub(crate) fn update(&mut self, passes: u64, now: Duration) -> Option<bool> {
        if passes != self.passes {
            (self.passes, self.at) = (passes, now);
        }
        let beats = now.saturating_sub(self.at) < self.limit;
        (std::mem::replace(&mut self.beats, beats) != beats).then_some(beats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_counter_is_reported_once() {
        let ms = Duration::from_millis;
        let mut pulse = Pulse { passes: 0, at: Duration::ZERO, beats: true, limit: ms(500) };
        assert_eq!(pulse.update(1, ms(100)), None);
        assert_eq!(pulse.update(1, ms(599)), None);
        assert_eq!(pulse.update(1, ms(600)), Some(false));
        assert_eq!(pulse.update(1, ms(900)), None);
        assert_eq!(pulse.update(2, ms(901)), Some(true));
    }
}
