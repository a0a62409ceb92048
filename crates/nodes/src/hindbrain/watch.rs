use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, TryLockError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use hindbrain::{GAP_LIMIT, Motors, OVERRUN_LIMIT, TICK};
use realtime::{LONGEST_SILENCE, Pulse};
use ros::panics::lock;
use ros::{Error, clock, panics};
use safety::{Instant, Stamp};

use super::NAME;
use super::controller::Controller;
use super::drive_topics::DriveTopics;

/// A silence that exceeds its limit by this much is too long.
const MARGIN: Duration = Duration::from_millis(1);
/// The longest time between two published motor values that the motors can have followed: after it they may have stopped by
/// themselves. The machine detects every such gap but that of a send that hangs, and a tick earlier.
const LONGEST_GAP: Duration = GAP_LIMIT.saturating_add(TICK);
/// How long a panicking thread waits for the stop before it unwinds, which may end the process.
const FIRST_STOP: Duration = Duration::from_millis(50);

/// The state that the supervising thread watches: when a motor value was last published, and when the node's loop last ran.
///
/// Both must continue, or the motors are stopped: in the composed process other threads would go on driving although the
/// emergency stop is not read.
/// # Real-time
/// Atomics, and two locks. One is held while motor values are published, and the supervising thread waits for it no longer than a tick,
/// so a send that hangs cannot block it. The other one is held while the motor controller is given a value, which waits for nothing.
#[derive(Clone)]
pub struct Watch(Arc<State>);

struct State {
    published: Pulse,
    loop_ran: Pulse,
    is_tripped: AtomicBool,
    is_tripped_for_good: AtomicBool,
    /// Whether motion was to be published too late, and the machine does not know of it yet.
    is_interrupted: AtomicBool,
    /// How often the supervising thread has stopped the motors.
    stops: AtomicU64,
    /// Locked while motor values are published.
    publishing: Mutex<()>,
    /// Locked while the motor controller is given a value.
    driving: Mutex<()>,
}

impl Watch {
    /// Both events count as happened now. It trips after [`OVERRUN_LIMIT`] without a motor value, or if the node's loop does
    /// not run for [`LONGEST_SILENCE`], in which a motor controller stops by itself.
    pub fn new() -> Self {
        Self::with_limits(OVERRUN_LIMIT, LONGEST_SILENCE)
    }

    fn with_limits(published: Duration, loop_ran: Duration) -> Self {
        Self(Arc::new(State {
            published: Pulse::started(published),
            loop_ran: Pulse::started(loop_ran),
            is_tripped: AtomicBool::new(false),
            is_tripped_for_good: AtomicBool::new(false),
            is_interrupted: AtomicBool::new(false),
            stops: AtomicU64::new(0),
            publishing: Mutex::new(()),
            driving: Mutex::new(()),
        }))
    }

    /// Records that a motor value was published.
    pub fn set_published(&self) {
        self.0.published.beat();
    }

    /// Records that the node's loop ran.
    pub fn set_loop_ran(&self) {
        self.0.loop_ran.beat();
    }

    /// Whether the supervising thread stopped the motors; only a stop may be published until this is cleared.
    pub fn is_tripped(&self) -> bool {
        self.0.is_tripped.load(Ordering::SeqCst) || self.is_tripped_for_good()
    }

    /// Clears the trip: the machine knows of it.
    pub fn clear(&self) {
        self.0.is_tripped.store(false, Ordering::SeqCst);
    }

    /// The motor values to publish at `now` in place of `motors`: stop if the supervising thread stopped the motors, or if they may
    /// have stopped by themselves since the last published value. Then only stop is published until the machine knows of it.
    pub fn judge(&self, motors: Motors, now: Instant) -> Motors {
        if !motors.are_stopped() && self.0.published.silence(now) > LONGEST_GAP {
            self.0.is_interrupted.store(true, Ordering::SeqCst);
        }
        let stops = self.is_tripped() || self.is_interrupted();
        if stops { Motors::stop(motors.stamp) } else { motors }
    }

    /// Whether motion was replaced by a stop, since it came too late for the motors.
    pub fn is_interrupted(&self) -> bool {
        self.0.is_interrupted.load(Ordering::SeqCst)
    }

    /// The machine knows that the motors may have stopped by themselves.
    pub fn clear_interruption(&self) {
        self.0.is_interrupted.store(false, Ordering::SeqCst);
    }

    /// From now on only a stop is published until the process ends.
    pub fn trip_for_good(&self) {
        self.0.is_tripped_for_good.store(true, Ordering::SeqCst);
    }

    fn is_tripped_for_good(&self) -> bool {
        self.0.is_tripped_for_good.load(Ordering::SeqCst)
    }

    /// Locks publishing. The caller holds the lock from reading [`is_tripped`](Self::is_tripped) until the motor values are
    /// published, so a value that was judged before a trip never follows the supervising thread's stop.
    pub fn publishing(&self) -> MutexGuard<'_, ()> {
        lock(&self.0.publishing)
    }

    /// Gives the motor controller the values, or stop once the supervising thread has stopped the motors. It never waits for a send, so
    /// neither does the motor controller.
    pub fn drive(&self, controller: &Controller, levels: [i16; 2]) {
        let _driving = lock(&self.0.driving);
        let stop = Motors::stop(Stamp::ZERO).levels();
        controller.drive(if self.is_tripped() { stop } else { levels });
    }

    /// Locks publishing, unless another thread publishes for longer than a tick.
    fn publishing_within_a_tick(&self) -> Option<MutexGuard<'_, ()>> {
        let end = clock::now() + TICK;
        loop {
            match self.0.publishing.try_lock() {
                Ok(guard) => return Some(guard),
                Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if clock::now() < end => {
                    thread::park_timeout(Duration::from_micros(200));
                }
                Err(TryLockError::WouldBlock) => return None,
            }
        }
    }

    /// Waits until the supervising thread has stopped the motors once more, for [`FIRST_STOP`] at most.
    fn wait_for_stop(&self) {
        let stops = || self.0.stops.load(Ordering::SeqCst);
        let (before, end) = (stops(), clock::now() + FIRST_STOP);
        while stops() == before && clock::now() < end {
            thread::park_timeout(Duration::from_micros(200));
        }
    }

    fn slots(&self) -> [&Pulse; 2] {
        [&self.0.published, &self.0.loop_ran]
    }

    /// The time since the less recent of the two events.
    fn silence(&self, now: Instant) -> Duration {
        self.slots().map(|slot| slot.silence(now)).into_iter().max().unwrap_or_default()
    }

    /// Trips if a limit is exceeded; returns whether it just did.
    fn check(&self, now: Instant) -> bool {
        self.slots().iter().any(|slot| slot.is_lost(now)) && !self.0.is_tripped.swap(true, Ordering::SeqCst)
    }

    /// The time until the next check: an event that is absent until then is absent for too long.
    fn time_to_trip(&self, now: Instant) -> Duration {
        let times = self.slots().map(|slot| slot.limit.saturating_sub(slot.silence(now)));
        times.into_iter().min().unwrap_or_default() + MARGIN
    }
}

static FAULT: OnceLock<fn()> = OnceLock::new();

/// Calls `fault` on the supervising thread at each of its rounds. Tests use it to examine a process that panics there.
pub fn add_fault(fault: fn()) {
    let _ = FAULT.set(fault);
}

/// The thread that stops the motors when no other thread does: when the node's loop or its motor values stop, and as soon as
/// any other thread of the process panics, from then on until the process ends. It runs no code of the machine. If it panics
/// itself, the [final messages](panics::final_messages) stop the motors.
///
/// It publishes through the same DataWriter as the others, so a middleware that hangs there silences it too; the motor
/// controller's own thread and time-out are for that case.
///
/// It ends when it is dropped.
pub struct Supervisor {
    thread: Option<JoinHandle<()>>,
    ended: Arc<AtomicBool>,
}

impl Supervisor {
    /// Starts watching. `drives` are the topics that move the vehicle, `controller` is the motor controller behind them.
    /// # Errors
    /// The operating system refuses the thread.
    pub fn start(watch: Watch, drives: DriveTopics, controller: Option<Controller>) -> Result<Self, Error> {
        let ended = Arc::new(AtomicBool::new(false));
        let end = Arc::clone(&ended);
        let watched = watch.clone();
        let thread = thread::Builder::new()
            .name("supervisor".into())
            .spawn(move || supervise(&watched, &drives, controller.as_ref(), &end))
            .map_err(|error| Error::Start(format!("the supervising thread does not start: {error}")))?;
        let supervisor = thread.thread().clone();
        panics::at_once(move || {
            watch.trip_for_good();
            if thread::current().id() != supervisor.id() {
                supervisor.unpark();
                watch.wait_for_stop();
            }
        });
        Ok(Self { thread: Some(thread), ended })
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}

fn supervise(watch: &Watch, drives: &DriveTopics, controller: Option<&Controller>, ended: &AtomicBool) {
    let stop = Motors::stop(Stamp::ZERO);
    let mut due = Instant::ZERO;
    let mut was_for_good = false;
    while !ended.load(Ordering::SeqCst) {
        let began = clock::now();
        let sleep = if watch.is_tripped() { TICK / 2 } else { watch.time_to_trip(began) };
        thread::park_timeout(sleep);
        if !watch.is_tripped() && clock::now().since(began) > sleep + TICK {
            // The process was held as a whole, which the machine judges: no thread hangs that had no time to run.
            thread::park_timeout(TICK);
        }
        let now = clock::now();
        if let Some(fault) = FAULT.get() {
            fault();
        }
        let tripped = watch.check(now);
        let is_for_good = watch.is_tripped_for_good();
        if watch.is_tripped() && (now >= due || is_for_good != was_for_good) {
            due = now + TICK;
            was_for_good = is_for_good;
            if let Some(controller) = controller {
                watch.drive(controller, stop.levels()); // first: a topic may hang, and so may who publishes on it
            }
            let _publishing = watch.publishing_within_a_tick();
            drives.stop(); // if it fails, the next attempt follows one tick later
            watch.0.stops.fetch_add(1, Ordering::SeqCst);
        }
        if tripped {
            log::error!(
                target: NAME,
                "hindbrain's loop or its motor values stalled for {:.2} s: the supervising thread stops the motors",
                watch.silence(now).as_secs_f64()
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(100);

    #[test]
    fn it_trips_once_when_either_is_silent() {
        let watch = Watch::with_limits(LIMIT, LIMIT);
        let start = clock::now();
        assert!(!watch.check(start + LIMIT / 2));
        assert!(watch.check(start + LIMIT * 2) && watch.is_tripped());
        assert!(!watch.check(start + LIMIT * 3), "once is enough");
        watch.clear();
        assert!(watch.check(start + LIMIT * 3), "nothing happened since");
    }

    #[test]
    fn one_of_both_is_not_enough() {
        for drives in [true, false] {
            let watch = Watch::with_limits(LIMIT, LIMIT);
            let start = clock::now();
            let later = start + LIMIT * 2;
            (if drives { &watch.0.published } else { &watch.0.loop_ran }).beat_at(later);
            assert!(watch.check(later), "drives: {drives}");
        }
    }

    #[test]
    fn a_loop_that_stands_still_trips_as_early_as_a_motor_controller_needs_it() {
        let watch = Watch::with_limits(LIMIT, LIMIT / 2);
        let start = clock::now();
        assert!(watch.time_to_trip(start) <= LIMIT / 2 + MARGIN);
        watch.0.published.beat_at(start + LIMIT);
        assert!(watch.check(start + LIMIT), "it drives while the emergency stop is not read");
    }

    #[test]
    fn motion_that_comes_later_than_the_motors_wait_is_a_stop_until_the_machine_knows() {
        let watch = Watch::new();
        let ahead = Motors::from_levels([66, 66], Stamp::ZERO);
        let published = clock::now();
        watch.0.published.beat_at(published);
        assert_eq!(watch.judge(ahead, published + LONGEST_GAP), ahead);
        let late = published + LONGEST_GAP + MARGIN;
        assert!(
            watch.judge(Motors::stop(Stamp::ZERO), late).are_stopped() && !watch.is_interrupted(),
            "a stop is never late"
        );
        assert!(watch.judge(ahead, late).are_stopped() && watch.is_interrupted());
        watch.0.published.beat_at(late);
        assert!(
            watch.judge(ahead, late).are_stopped(),
            "the values come in time again, and the machine still asks for motion"
        );
        watch.clear_interruption();
        assert_eq!(watch.judge(ahead, late), ahead);
    }

    #[test]
    fn a_trip_for_good_is_not_cleared() {
        let watch = Watch::with_limits(LIMIT, LIMIT);
        watch.trip_for_good();
        watch.clear();
        assert!(watch.is_tripped());
    }

    #[test]
    fn a_thread_that_hangs_while_it_publishes_does_not_keep_the_supervising_thread() {
        let watch = Watch::with_limits(LIMIT, LIMIT);
        let held = watch.publishing();
        let start = clock::now();
        assert!(watch.publishing_within_a_tick().is_none() && clock::now().since(start) >= TICK);
        drop(held);
        assert!(watch.publishing_within_a_tick().is_some());
    }
}
