//! The handle on the SDL thread.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::error::Error;
use crate::event::Event;
use crate::inbox::{DeviceRequests, Inbox, Order, Rejected};
use crate::sdl_thread::SdlThread;
use crate::virtual_pad::{VirtualDevice, VirtualPad};
use crate::watch::{Waker, Watch};

/// The joysticks of this machine, read by a thread named `sdl` as long as this value lives.
///
/// SDL can run only once per process at a time; after a stop it can be started again. SDL's own handling of SIGINT
/// and SIGTERM is disabled, so both end the process as usual, or reach the handlers that the process has installed.
///
/// # Real-time
/// The thread sleeps until a device's file has data; SDL then reads it and the event goes to the sink. Only a device
/// without a file that this process may open is polled every millisecond, which costs 1 to 3 % of one core. New
/// devices are found within 0.1 s.
#[derive(Debug)]
pub struct Gamepads {
    inbox: Arc<Inbox>,
    passes: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
    /// Whether SDL took longer to start than expected.
    late: bool,
    ended: Receiver<()>,
}

/// The maximum number of axes, buttons or hats of a virtual joystick: SDL numbers them in one byte.
const MOST: usize = 255;

/// The time limit for SDL to start, to connect a virtual joystick and to end: a hundred times the usual time.
const TIMEOUT: Duration = Duration::from_secs(1);

impl Gamepads {
    /// Starts SDL and passes every event to `sink`, starting with the devices already connected.
    ///
    /// `sink` runs on the SDL thread and must not block: no joystick is read meanwhile. If it panics, the thread logs
    /// an error and ends, and [`alive`](Gamepads::alive) turns false. No `Disconnected` follows in that case, so a
    /// user who drives by the events has to check it.
    ///
    /// SDL opens connected devices while it starts, and a device that does not respond delays it. After a second this
    /// returns anyway, with [`is_starting`](Gamepads::is_starting); if SDL fails later, its thread ends.
    ///
    /// # Errors
    /// [`Error::Sdl`] if SDL does not start, [`Error::Thread`] if the thread cannot be created.
    pub fn start(sink: impl FnMut(Event) + Send + 'static) -> Result<Gamepads, Error> {
        let waker = Arc::new(Waker::new().map_err(Error::Thread)?);
        let watch = Watch::new(&waker).map_err(Error::Thread)?;
        let inbox = Arc::new(Inbox::new(waker));
        let (failed, outcome) = channel();
        let (ends, ended) = channel();
        let passes = Arc::new(AtomicU64::new(0));
        let (posted, counted) = (Arc::clone(&inbox), Arc::clone(&passes));
        let body = move || {
            // After a panic everything is only dropped: the handles are closed and SDL is quit.
            let end =
                catch_unwind(AssertUnwindSafe(|| match SdlThread::start(posted, watch, counted, sink) {
                    Ok(mut thread) => {
                        drop(failed); // the waiting caller receives the disconnection
                        thread.run();
                    }
                    Err(reason) => {
                        if let Err(lost) = failed.send(reason) {
                            log::error!("SDL could not start: {}", lost.0); // the caller has stopped waiting
                        }
                    }
                }));
            if let Err(panic) = end {
                log::error!("the SDL thread ends, no joystick is read any more: {}", message(&*panic));
            }
            drop(ends);
        };
        let thread = std::thread::Builder::new().name("sdl".into()).spawn(body).map_err(Error::Thread)?;
        // From here on a return drops `gamepads`, which joins the thread.
        let mut gamepads = Gamepads { inbox, passes, thread: Some(thread), late: false, ended };
        match outcome.recv_timeout(TIMEOUT) {
            Ok(reason) => return Err(Error::Sdl(reason)),
            Err(why) => gamepads.late = why == RecvTimeoutError::Timeout,
        }
        Ok(gamepads)
    }

    /// Whether SDL is still starting after the time limit.
    pub fn is_starting(&self) -> bool {
        self.late && self.passes() == 0 && self.alive()
    }

    /// Connects a virtual joystick, which then appears in the sink as `Connected`, like a real one.
    ///
    /// Waits for the SDL thread, usually less than a millisecond and at most about ten; one second if SDL hangs.
    /// After that the pad is not connected, or disconnected at once.
    ///
    /// # Errors
    /// [`Error::Name`], [`Error::TooMany`], [`Error::Plug`] if SDL refuses, [`Error::NoAnswer`] if it hangs,
    /// [`Error::Ended`], [`Error::InsideSink`].
    pub fn plug(&self, device: VirtualDevice) -> Result<VirtualPad, Error> {
        if self.on_sdl_thread() {
            return Err(Error::InsideSink);
        }
        if device.name.contains('\0') {
            return Err(Error::Name(device.name));
        }
        for (what, asked) in [("axes", device.axes), ("buttons", device.buttons), ("hats", device.hats)] {
            if asked > MOST {
                return Err(Error::TooMany { what, asked, most: MOST });
            }
        }
        let name = device.name.clone();
        let (reply, answer) = channel();
        // While this lives, the caller still waits for the pad.
        let waiting = Arc::new(());
        let wanted = Arc::downgrade(&waiting);
        self.inbox.post(Order::Plug { device, reply, wanted }).map_err(|_| Error::Ended)?;
        match answer.recv_timeout(TIMEOUT) {
            Ok(Ok(pad)) => Ok(pad),
            Ok(Err(reason)) => Err(Error::Plug { name, reason }),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Ended),
            Err(RecvTimeoutError::Timeout) => Err(Error::NoAnswer { name, waited: TIMEOUT }),
        }
    }

    /// Runs the two motors of device `id` for `time`; a new call replaces the previous one.
    ///
    /// * `low`: the slow, strong motor, 0 (at rest) to 65535; `high`: the fast, weak one, likewise
    /// * `time`: at most 65.535 s; with 0, or with both strengths 0, the motors stop
    ///
    /// The motors also stop when this value is dropped. If the SDL thread hangs, the kernel stops them after 65 s at
    /// the latest.
    ///
    /// # Errors
    /// [`Error::Ended`], [`Error::TooManyWaiting`]. If the device does not exist or has no motors, [`Event::Refused`]
    /// reports it.
    ///
    /// # Real-time
    /// Does not wait for the device, which is commanded within 10 ms or so; of several calls in that time the last
    /// one counts.
    pub fn rumble(&self, id: u32, low: u16, high: u16, time: Duration) -> Result<(), Error> {
        self.request(id, |requests| requests.rumble = Some(((low, high), time)))
    }

    /// Sets the light colour of device `id`: red, green, blue.
    ///
    /// # Errors
    /// As for [`rumble`](Gamepads::rumble).
    pub fn set_led(&self, id: u32, colour: [u8; 3]) -> Result<(), Error> {
        self.request(id, |requests| requests.led = Some(colour))
    }

    /// Switches the accelerometer and the gyro of device `id` on or off. When on, each measurement is an
    /// [`Event::SensorMoved`], some hundred times a second. They are off at the connection.
    ///
    /// # Errors
    /// As for [`rumble`](Gamepads::rumble).
    pub fn enable_sensors(&self, id: u32, enable: bool) -> Result<(), Error> {
        self.request(id, |requests| requests.sensors = Some(enable))
    }

    /// Requests an [`Event::State`] of every connected device, for a sink that discarded its state, as it should
    /// after a hang.
    ///
    /// # Errors
    /// [`Error::Ended`].
    ///
    /// # Real-time
    /// Does not wait for the events, which arrive within 10 ms or so; later if SDL hangs.
    pub fn request_states(&self) -> Result<(), Error> {
        self.inbox.post(Order::ReportStates).map_err(|_| Error::Ended)
    }

    fn request(&self, id: u32, want: impl FnOnce(&mut DeviceRequests)) -> Result<(), Error> {
        self.inbox.request(id, want).map_err(|reason| match reason {
            Rejected::Ended => Error::Ended,
            Rejected::TooMany => Error::TooManyWaiting { id },
        })
    }

    /// Whether joysticks are still being read. False only after the sink has panicked, or after SDL failed to start
    /// late.
    pub fn alive(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// How often the SDL thread has polled the joysticks: it grows at least every 0.1 s or so while they are read.
    ///
    /// SDL may hang, for example while it opens a device that does not respond. Then no event arrives, and a stick
    /// appears to keep its position. A user who drives by the events has to check this.
    pub fn passes(&self) -> u64 {
        self.passes.load(Ordering::Relaxed)
    }

    /// Ends the SDL thread and waits for its end, at most one second if it hangs; dropping does the same.
    ///
    /// Virtual states queued so far are still applied. No event follows, not even `Disconnected`.
    pub fn stop(self) {}

    fn on_sdl_thread(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| thread.thread().id() == std::thread::current().id())
    }
}

impl Drop for Gamepads {
    fn drop(&mut self) {
        // Both fail only if the thread has already ended; a panic there has been logged.
        let _ = self.inbox.post(Order::Stop);
        if self.on_sdl_thread() {
            return; // dropped by the sink: the thread ends by itself and cannot wait for itself
        }
        // Nothing is ever sent on this channel.
        let hangs = self.ended.recv_timeout(TIMEOUT) == Err(RecvTimeoutError::Timeout);
        match self.thread.take() {
            Some(thread) if !hangs => drop(thread.join()),
            _ => log::error!("SDL hangs while it shuts down; its thread is abandoned"),
        }
    }
}

/// The version of the SDL library in use, such as `2.26.5`.
pub fn sdl_version() -> String {
    sdl2::version::version().to_string()
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("panic without a text")
}
