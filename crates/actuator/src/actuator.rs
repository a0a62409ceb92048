//! The handle on the actuator's thread.

use std::io;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::driver::Driver;
use crate::event::Event;
use crate::pulse::Pulse;
use crate::settings::{NotStarted, Settings};
use crate::shared::Shared;
use crate::thread::Thread;
use crate::timing::Timing;
use crate::error::Error;
use boot_clock::now;

/// How long a closing actuator is waited for. Its thread goes on stopping the device even after that.
pub const CLOSE_LIMIT: Duration = Duration::from_secs(2);

/// A device that is driven, watched and opened again by a thread named `actuator` as long as this lives.
///
/// The thread alone touches the device. It sends the newest levels as soon as they are given, again every
/// [`Timing::repeat`], and stop when nobody gives any for [`Timing::silence`]. Dropping stops the device and closes it.
/// # Real-time
/// Whatever is due, a stop too, waits for the driver's call that is under way; the drivers' pages say how long that can be.
pub struct Actuator {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// What was seen of the thread's passes.
    pulse: Mutex<Pulse>,
}

/// If the thread does not come round for so long, beyond the time that opening takes, it hangs in the kernel.
const HANGS: Duration = Duration::from_secs(1);

impl Actuator {
    /// Starts the thread, which calls `open` at once and again whenever the device is lost.
    ///
    /// * `open` opens the device; it may take its time, in which nothing is sent
    /// * `report` hears what happens, on the thread, and must not block. If it panics, the device is stopped, closed and
    ///   [`Event::Lost`]: a device does not run on without anybody knowing
    /// # Errors
    /// There is no thread to be had.
    pub fn start(
        open: impl FnMut() -> Result<Box<dyn Driver>, Error> + Send + 'static,
        timing: Timing,
        report: impl FnMut(Event) + Send + 'static,
    ) -> io::Result<Actuator> {
        let shared = Arc::new(Shared::new());
        let thread = Thread::new(open, timing.bounded(), report, Arc::clone(&shared));
        let ended = Ended(Arc::clone(&shared));
        let body = move || {
            // In this order: the end is told when `open` and `report` are dropped too.
            let _ended = ended;
            let mut thread = thread;
            thread.run();
        };
        let thread = std::thread::Builder::new().name("actuator".into()).spawn(body)?;
        Ok(Actuator { shared, thread: Some(thread), pulse: Mutex::new(Pulse::new(HANGS)) })
    }

    /// The same for one of the devices that there are, with the default times.
    /// # Errors
    /// A setting is out of its range, or there is no thread to be had. That the device is not there is none: it is
    /// [`Event::Lost`] and will be tried again.
    pub fn open(
        settings: Settings,
        report: impl FnMut(Event) + Send + 'static,
    ) -> Result<Actuator, NotStarted> {
        settings.check().map_err(NotStarted::Setting)?;
        // Opening takes up to the device's own time-out and some tenths of a second.
        let hangs = settings.watchdog + HANGS;
        let actuator = Actuator::start(move || settings.open(), Timing::default(), report);
        let mut actuator = actuator.map_err(NotStarted::Thread)?;
        actuator.pulse = Mutex::new(Pulse::new(hangs));
        Ok(actuator)
    }

    /// Makes the motors turn so, as soon as the device takes it: port and starboard, -66 to 66, forward positive, beyond
    /// that full.
    ///
    /// The newest levels win, nothing queues up. Has to be called again within [`Timing::silence`], also with the same
    /// levels; after [`Event::Silent`] nothing but stop is sent until stop, `[0, 0]`, was given. While the device is not
    /// [`Event::Ready`] it does nothing, and levels given then are never sent.
    /// # Real-time
    /// Takes a lock that is held for some instructions, and wakes the thread. Does not allocate.
    pub fn drive(&self, levels: [i16; 2]) {
        self.shared.give(levels);
    }

    /// Whether the thread hangs in a driver's call, so that neither levels nor a stop reach the device: [`Event::Hangs`] or
    /// [`Event::HangsNoLonger`] where that is news. To be asked again and again, some times a second, after the events that
    /// the thread reported were taken.
    /// # Real-time
    /// Takes a lock that nobody else needs. Does not allocate.
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

    /// Whether the thread is there. It ends by closing only.
    pub fn alive(&self) -> bool {
        !self.shared.is_ended()
    }

    /// Stops the device, closes it and waits for that, at most [`CLOSE_LIMIT`]; dropping does the same.
    ///
    /// Says whether the thread has come to its end. If the last stop failed, [`Event::Lost`] tells.
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
            // Nothing is left to be done there but to return; a panic cannot leave it.
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

/// Says that the thread has ended, however it ends.
struct Ended(Arc<Shared>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.end();
    }
}
