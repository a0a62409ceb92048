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
use crate::inbox::{Inbox, NotTaken, Order, Wishes};
use crate::sdl_thread::SdlThread;
use crate::virtual_pad::{VirtualDevice, VirtualPad};
use crate::watch::{Bell, Watch};

/// The joysticks of this machine, read by a thread named `sdl` as long as this lives.
///
/// SDL can run once per process at a time; after a stop it can be started again. SDL's own handling of SIGINT and
/// SIGTERM is switched off, so both end the process as usual, or reach the handlers that the process has installed.
///
/// # Real-time
/// The thread sleeps until the file of a device has something, which takes SDL a read and the event to the sink. Only where a
/// device has no file that this process may open it is read every millisecond, which costs 1 to 3 % of one core. Devices that come
/// are found within 0.1 s.
#[derive(Debug)]
pub struct Gamepads {
    inbox: Arc<Inbox>,
    passes: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
    /// Whether SDL took longer to start than it should.
    late: bool,
    ended: Receiver<()>,
}

/// The most axes, buttons or hats of a virtual joystick: SDL numbers them in one byte.
const MOST: usize = 255;

/// How long SDL gets to start, to plug in a virtual joystick, to end: a hundred times what it takes, unless it hangs.
const LONGEST: Duration = Duration::from_secs(1);

impl Gamepads {
    /// Starts SDL and hands every event to `sink`, first those of the devices that are plugged in already.
    ///
    /// `sink` runs on the SDL thread and must not block: no joystick is read meanwhile. If it panics, the thread logs
    /// an error and ends, and [`alive`](Gamepads::alive) turns false; no `Disconnected` comes then, so whoever steers
    /// by the events has to watch it.
    ///
    /// SDL opens what is plugged in while it starts, and a device that does not answer holds it up. After a second this
    /// returns all the same, with [`is_starting`](Gamepads::is_starting); should SDL fail later on, its thread ends.
    ///
    /// # Errors
    /// [`Error::Sdl`] if SDL does not start, [`Error::Thread`] if there is no thread to be had.
    pub fn start(sink: impl FnMut(Event) + Send + 'static) -> Result<Gamepads, Error> {
        let bell = Arc::new(Bell::new().map_err(Error::Thread)?);
        let watch = Watch::new(Arc::clone(&bell)).map_err(Error::Thread)?;
        let inbox = Arc::new(Inbox::new(bell));
        let (failed, outcome) = channel();
        let (ends, ended) = channel();
        let passes = Arc::new(AtomicU64::new(0));
        let (posted, counted) = (Arc::clone(&inbox), Arc::clone(&passes));
        let body = move || {
            // Nothing is used after a panic but dropped: the handles are closed and SDL is quit on the way out.
            let end =
                catch_unwind(AssertUnwindSafe(|| match SdlThread::start(posted, watch, counted, sink) {
                    Ok(mut thread) => {
                        drop(failed); // whoever waits hears that
                        thread.run();
                    }
                    Err(reason) => {
                        if let Err(lost) = failed.send(reason) {
                            log::error!("SDL could not start: {}", lost.0); // nobody waits for it any more
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
        match outcome.recv_timeout(LONGEST) {
            Ok(reason) => return Err(Error::Sdl(reason)),
            Err(why) => gamepads.late = why == RecvTimeoutError::Timeout,
        }
        Ok(gamepads)
    }

    /// Whether SDL still starts after more time than that should take.
    pub fn is_starting(&self) -> bool {
        self.late && self.passes() == 0 && self.alive()
    }

    /// Plugs in a virtual joystick, which then appears through the sink as `Connected`, like a real one.
    ///
    /// Waits for the SDL thread, usually less than a millisecond and at most about ten; a second if SDL hangs. A pad that
    /// comes later than that is not plugged in, or unplugged at once.
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
        // As long as it lives, the pad is wanted.
        let waiting = Arc::new(());
        let wanted = Arc::downgrade(&waiting);
        self.inbox.post(Order::Plug { device, reply, wanted }).map_err(|_| Error::Ended)?;
        match answer.recv_timeout(LONGEST) {
            Ok(Ok(pad)) => Ok(pad),
            Ok(Err(reason)) => Err(Error::Plug { name, reason }),
            Err(RecvTimeoutError::Disconnected) => Err(Error::Ended),
            Err(RecvTimeoutError::Timeout) => Err(Error::NoAnswer { name, waited: LONGEST }),
        }
    }

    /// Lets the two motors of device `id` run for so long, then stop; a new call replaces the one before.
    ///
    /// * `low`: the slow, strong motor, 0 (at rest) to 65535; `high`: the quick, weak one, likewise
    /// * `time`: at most 65.535 s; with 0, or with both strengths 0, the motors stop
    ///
    /// Motors also stop when this is dropped. Should the SDL thread hang, the kernel stops them after 65 s at the latest.
    ///
    /// # Errors
    /// [`Error::Ended`], [`Error::TooManyWaiting`]. A device that cannot, or that there is not, is told by
    /// [`Event::Refused`].
    ///
    /// # Real-time
    /// Does not wait for the device, which is told within 10 ms or so; of several calls in that time the last counts.
    pub fn rumble(&self, id: u32, low: u16, high: u16, time: Duration) -> Result<(), Error> {
        self.wish(id, |wishes| wishes.rumble = Some(((low, high), time)))
    }

    /// Gives the light of device `id` a colour: red, green, blue.
    ///
    /// # Errors
    /// As for [`rumble`](Gamepads::rumble).
    pub fn set_led(&self, id: u32, colour: [u8; 3]) -> Result<(), Error> {
        self.wish(id, |wishes| wishes.led = Some(colour))
    }

    /// Switches the accelerometer and the gyro of device `id` on or off; on, each measurement comes as
    /// [`Event::SensorMoved`], some hundred times a second. They are off at the plug.
    ///
    /// # Errors
    /// As for [`rumble`](Gamepads::rumble).
    pub fn enable_sensors(&self, id: u32, enable: bool) -> Result<(), Error> {
        self.wish(id, |wishes| wishes.sensors = Some(enable))
    }

    /// Asks for an [`Event::State`] of every device that is connected when the SDL thread hears of it: for a sink that has
    /// given up what it knew, as it should after a hang.
    ///
    /// # Errors
    /// [`Error::Ended`].
    ///
    /// # Real-time
    /// Does not wait for the answer, which comes within 10 ms or so; later where SDL hangs.
    pub fn retell(&self) -> Result<(), Error> {
        self.inbox.post(Order::Retell).map_err(|_| Error::Ended)
    }

    fn wish(&self, id: u32, want: impl FnOnce(&mut Wishes)) -> Result<(), Error> {
        self.inbox.wish(id, want).map_err(|reason| match reason {
            NotTaken::Ended => Error::Ended,
            NotTaken::TooMany => Error::TooManyWaiting { id },
        })
    }

    /// Whether joysticks are still being read. False only after the sink has panicked, or after SDL failed to start when
    /// nobody waited for that any more.
    pub fn alive(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// How often the SDL thread has looked at the joysticks: it grows at least every 0.1 s or so while they are read.
    ///
    /// SDL may hang, for example while it opens a device that does not answer; then no event comes, and a stick seems to
    /// stay where it was. Whoever steers by the events has to watch this.
    pub fn passes(&self) -> u64 {
        self.passes.load(Ordering::Relaxed)
    }

    /// Ends the SDL thread and waits for its end, but for no more than a second if it hangs; dropping does the same.
    ///
    /// Virtual states queued so far are still applied. No event comes after this, no `Disconnected` either.
    pub fn stop(self) {}

    fn on_sdl_thread(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| thread.thread().id() == std::thread::current().id())
    }
}

impl Drop for Gamepads {
    fn drop(&mut self) {
        // Both can only fail because the thread is at its end already, and a panic there has been logged.
        let _ = self.inbox.post(Order::Stop);
        if self.on_sdl_thread() {
            return; // dropped by the sink: the thread ends by itself, and cannot wait for that
        }
        // Nothing is ever sent.
        let hangs = self.ended.recv_timeout(LONGEST) == Err(RecvTimeoutError::Timeout);
        match self.thread.take() {
            Some(thread) if !hangs => drop(thread.join()),
            _ => log::error!("SDL hangs at its end and is left behind"),
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
