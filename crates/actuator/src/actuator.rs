//! The handle on the actuator's thread.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use boot_clock::now;

use crate::driver::{Driver, Watchdog};
use crate::error::Error;
use crate::port::Port;
use crate::settings::{NotStarted, Settings};
use crate::shared::{Pulse, Shared};
use crate::thread::Thread;

/// How long [`Actuator::close`] waits. The thread continues to stop the device after that.
pub const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// A device that a thread named `actuator` drives, checks and reopens until this is dropped.
///
/// Only that thread uses the device. It sends the newest levels as soon as they are given, repeats them every
/// [`Timing::repeat`], and sends stop when none are given for [`Timing::silence`]. Dropping stops the device and closes it.
/// # Real-time
/// Everything, also a stop, waits for the driver's present call; the drivers' pages state its longest time.
pub struct Actuator {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// Detects a thread that hangs.
    pulse: Mutex<Pulse>,
}

/// A thread that makes no pass for this time, in addition to the time that opening takes, hangs in the kernel.
const HANGS: Duration = Duration::from_secs(1);

impl Actuator {
    /// Starts the thread, which calls `open` at once and again whenever the device is lost.
    ///
    /// * `open` opens the device; it may block, and nothing is sent meanwhile
    /// * `report` receives the events on the thread and must not block. If it panics, the device is stopped and closed and is
    ///   [`Event::Lost`]: no device runs on unsupervised
    /// # Errors
    /// The thread cannot be started.
    pub fn start(
        open: impl FnMut() -> Result<Box<dyn Driver>, Error> + Send + 'static,
        timing: Timing,
        report: impl FnMut(Event) + Send + 'static,
    ) -> io::Result<Actuator> {
        let shared = Arc::new(Shared::new());
        let thread = Thread::new(open, timing.bounded(), report, Arc::clone(&shared));
        let ended = Ended(Arc::clone(&shared));
        let body = move || {
            // In this order: the end is signalled after `open` and `report` are dropped.
            let _ended = ended;
            let mut thread = thread;
            thread.run();
        };
        let thread = std::thread::Builder::new().name("actuator".into()).spawn(body)?;
        Ok(Actuator { shared, thread: Some(thread), pulse: Mutex::new(Pulse::new(HANGS)) })
    }

    /// Starts the thread for one of the supported devices, with the default times.
    /// # Errors
    /// A setting is out of its range, or the thread cannot be started. A missing device is not an error here: it is
    /// [`Event::Lost`] and is tried again.
    pub fn open(
        settings: Settings,
        report: impl FnMut(Event) + Send + 'static,
    ) -> Result<Actuator, NotStarted> {
        settings.check().map_err(NotStarted::Setting)?;
        // Opening takes up to the device's own time-out and some tenths of a second.
        let hangs = settings.watchdog + HANGS;
        let timing = Timing { gap: settings.watchdog * 9 / 10, ..Timing::default() };
        let mut port = Port::new(settings);
        let actuator = Actuator::start(move || port.open(), timing, report);
        let mut actuator = actuator.map_err(NotStarted::Thread)?;
        actuator.pulse = Mutex::new(Pulse::new(hangs));
        Ok(actuator)
    }

    /// Sets the levels of the motors as soon as the device accepts them: port and starboard, -66 to 66, forward positive; a
    /// level out of range is full.
    ///
    /// The newest levels win, nothing queues up. Call it again within [`Timing::silence`], also with the same levels. After
    /// [`Event::Silent`] or [`Event::Interrupted`] only stop is sent until stop, `[0, 0]`, was given. Levels that are given while the device is not
    /// [`Event::Ready`] are never sent.
    /// # Real-time
    /// Locks a mutex that is held for a few instructions, and wakes the thread. Does not allocate.
    pub fn drive(&self, levels: [i16; 2]) {
        self.shared.give(levels);
    }

    /// Checks whether the thread hangs in a driver's call, in which case neither levels nor a stop reach the device. Returns
    /// [`Event::Hangs`] or [`Event::HangsNoLonger`] when that changed. Call it some times a second, after the events that the
    /// thread reported were handled.
    /// # Real-time
    /// Locks a mutex that only this method uses. Does not allocate.
    pub fn hangs(&self) -> Option<Event> {
        let (passes, is_ready) =
            (self.shared.passes.load(Ordering::Relaxed), self.shared.is_ready.load(Ordering::Relaxed));
        let mut pulse = self.pulse.lock().unwrap_or_else(PoisonError::into_inner);
        match pulse.update(passes, now()) {
            Some(false) => Some(Event::Hangs),
            Some(true) if is_ready => Some(Event::HangsNoLonger),
            _ => None,
        }
    }

    /// Whether the thread runs. Only closing ends it.
    pub fn alive(&self) -> bool {
        !self.shared.is_ended()
    }

    /// Stops the device, closes it and waits for that, at most [`CLOSE_LIMIT`]; dropping does the same.
    ///
    /// Returns whether the thread has ended. If the last stop failed, the thread reports [`Event::Lost`].
    pub fn close(mut self) -> bool {
        self.finish()
    }

    fn finish(&mut self) -> bool {
        let Some(thread) = self.thread.take() else { return true };
        self.shared.close();
        if thread.thread().id() == std::thread::current().id() {
            return false; // closed by `report`: the thread ends by itself, and cannot wait for that
        }
        if self.shared.wait_for_end(CLOSE_LIMIT) {
            // The thread only has to return; it catches its panics.
            let _ = thread.join();
            return true;
        }
        log::error!("the actuator's device hangs: it is not known to have stopped");
        false
    }
}

impl Drop for Actuator {
    fn drop(&mut self) {
        self.finish();
    }
}

/// Signals the end of the thread, also after a panic.
struct Ended(Arc<Shared>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The intervals of the actuator's thread.
///
/// A device in use has the defaults; other values are for tests. Every value is allowed. An interval below one millisecond
/// counts as one, so the thread cannot spin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Time-out of the levels: without [`drive`](crate::Actuator::drive) for this time the device receives stop.
    pub silence: Duration,
    /// The longest time between two levels that the device accepted while it turned its motors: after it the device may have
    /// stopped by itself, and receives only stop until a stop is given. It is less than the device's own watchdog.
    pub gap: Duration,
    /// The longest interval between two levels that are sent, which resets the device's own watchdog.
    pub repeat: Duration,
    /// The interval between two checks of the device.
    pub check: Duration,
    /// The time after which a device that was lost, or could not be opened, is opened again.
    pub reopen: Duration,
}

impl Default for Timing {
    /// Silence 250 ms, gap 180 ms, repeat 50 ms, check 100 ms, reopen 1 s.
    /// # Source
    /// Own: twelve missed levels at 50 Hz are silence. Between two levels that a device accepted there is at most a repeat, a
    /// check that is not answered, a pause and the question before it: 160 ms, less than the gap, and that is less
    /// than the shortest watchdog of 200 ms.
    fn default() -> Self {
        Timing {
            silence: Duration::from_millis(250),
            gap: Duration::from_millis(180),
            repeat: Duration::from_millis(50),
            check: Duration::from_millis(100),
            reopen: Duration::from_secs(1),
        }
    }
}

impl Timing {
    /// These intervals, none so short that the thread cannot sleep.
    pub(crate) fn bounded(self) -> Timing {
        let least = Duration::from_millis(1);
        Timing {
            silence: self.silence,
            gap: self.gap,
            repeat: self.repeat.max(least),
            check: self.check.max(least),
            reopen: self.reopen.max(least),
        }
    }
}

/// An event of the device, reported on the actuator's thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// The device is open and has been sent stop. It moves with the next level that is given.
    Ready {
        /// Description of the device for people.
        description: String,
        /// The state of the device's own stop on silence.
        watchdog: Watchdog,
    },
    /// The device cannot be used, or its state is not known. Reported once, until the next [`Event::Ready`],
    /// and again if another device has taken its place.
    ///
    /// Also reported when the last stop of a closing actuator failed.
    Lost(Error),
    /// No level was given for [`Timing::silence`](crate::Timing::silence). The device has been sent stop, and receives nothing else
    /// until a stop is given.
    Silent,
    /// The device turned its motors and received no levels for [`Timing::gap`](crate::Timing::gap), so it may have stopped by itself. It
    /// has been sent stop, and receives nothing else until a stop is given.
    Interrupted,
    /// A stop was given after [`Event::Silent`] or [`Event::Interrupted`] and sent to the device. It moves with the next level that is given.
    Fed,
    /// A driver's call does not return, and the state of the motors is not known. [`Actuator::hangs`] returns it, since the
    /// thread itself cannot report it.
    ///
    /// [`Actuator::hangs`]: crate::Actuator::hangs
    Hangs,
    /// The call returned and the device is still [`Event::Ready`]. A device that was lost meanwhile is only [`Event::Lost`].
    HangsNoLonger,
}
