//! The handle on the SDL thread.

use std::any::Any;
use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use crate::error::Error;
use crate::event::Event;
use crate::sdl_thread::{Command, SdlThread};
use crate::virtual_pad::VirtualPad;

/// The joysticks of this machine, read by a thread named `sdl` as long as this lives.
///
/// SDL can run once per process at a time; after a stop it can be started again. SDL's own handling of SIGINT and
/// SIGTERM is switched off, so both end the process as usual, or reach the handlers that the process has installed.
///
/// # Real-time
/// A device is read about every millisecond (SDL has no blocking wait without a window), which costs 1 to 3 % of one
/// core. An event reaches the sink within that time.
#[derive(Debug)]
pub struct Gamepads {
    commands: Sender<Command>,
    passes: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

/// The most axes, buttons or hats of a virtual joystick: SDL numbers them in one byte.
const MOST: usize = 255;

impl Gamepads {
    /// Starts SDL and hands every event to `sink`, first those of the devices that are plugged in already.
    ///
    /// `sink` runs on the SDL thread and must not block: no joystick is read meanwhile. If it panics, the thread logs
    /// an error and ends, and [`alive`](Gamepads::alive) turns false; no `Disconnected` comes then, so whoever steers
    /// by the events has to watch it.
    ///
    /// # Errors
    /// [`Error::Sdl`] if SDL does not start, [`Error::Thread`] if there is no thread to be had.
    pub fn start(sink: impl FnMut(Event) + Send + 'static) -> Result<Gamepads, Error> {
        let (commands, inbox) = channel();
        let (started, outcome) = channel();
        let passes = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&passes);
        let body = move || {
            // Nothing is used after a panic but dropped: the handles are closed and SDL is quit on the way out.
            let end = catch_unwind(AssertUnwindSafe(|| match SdlThread::start(inbox, counted, sink) {
                Ok(mut thread) => {
                    let _ = started.send(Ok(()));
                    thread.run();
                }
                Err(reason) => {
                    let _ = started.send(Err(reason));
                }
            }));
            if let Err(panic) = end {
                log::error!("the SDL thread ends, no joystick is read any more: {}", message(&*panic));
            }
        };
        let thread = std::thread::Builder::new().name("sdl".into()).spawn(body).map_err(Error::Thread)?;
        // From here on a return drops `gamepads`, which joins the thread.
        let gamepads = Gamepads { commands, passes, thread: Some(thread) };
        match outcome.recv() {
            Ok(Ok(())) => Ok(gamepads),
            Ok(Err(reason)) => Err(Error::Sdl(reason)),
            Err(_) => Err(Error::Sdl("its thread panicked, see the log".into())),
        }
    }

    /// Plugs in a virtual joystick, which then appears through the sink as `Connected`, like a real one.
    ///
    /// * `name`: any text without NUL, also one that another device has already; reported as given
    /// * `axes`, `buttons`, `hats`: how many, 0 to 255 each; all at rest (axes at 0)
    ///
    /// Waits for the SDL thread, usually less than a millisecond and at most about ten.
    ///
    /// # Errors
    /// [`Error::Name`], [`Error::TooMany`], [`Error::Plug`] if SDL refuses, [`Error::Ended`], [`Error::InsideSink`].
    pub fn plug_virtual(
        &self,
        name: &str,
        axes: usize,
        buttons: usize,
        hats: usize,
    ) -> Result<VirtualPad, Error> {
        let text = CString::new(name).map_err(|_| Error::Name(name.into()))?;
        let counts = [within("axes", axes)?, within("buttons", buttons)?, within("hats", hats)?];
        if self.on_sdl_thread() {
            return Err(Error::InsideSink);
        }
        let (reply, answer) = channel();
        self.commands.send(Command::Plug { name: text, counts, reply }).map_err(|_| Error::Ended)?;
        match answer.recv() {
            Ok(Ok(id)) => Ok(VirtualPad::new(self.commands.clone(), id, [axes, buttons, hats])),
            Ok(Err(reason)) => Err(Error::Plug { name: name.into(), reason }),
            Err(_) => Err(Error::Ended),
        }
    }

    /// Whether joysticks are still being read. False only after the sink has panicked.
    pub fn alive(&self) -> bool {
        self.thread.as_ref().is_some_and(|thread| !thread.is_finished())
    }

    /// How often the SDL thread has looked at the joysticks: it grows at least every 10 ms or so while they are read.
    ///
    /// SDL may hang, for example while it opens a device that does not answer; then no event comes, and a stick seems to
    /// stay where it was. Whoever steers by the events has to watch this.
    pub fn passes(&self) -> u64 {
        self.passes.load(Ordering::Relaxed)
    }

    /// Ends the SDL thread and waits for its end; dropping does the same.
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
        let _ = self.commands.send(Command::Stop);
        if self.on_sdl_thread() {
            return; // dropped by the sink: the thread ends by itself, and cannot wait for that
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The version of the SDL library in use, such as `2.26.5`.
pub fn sdl_version() -> String {
    sdl2::version::version().to_string()
}

fn within(what: &'static str, asked: usize) -> Result<u16, Error> {
    match u16::try_from(asked) {
        Ok(count) if asked <= MOST => Ok(count),
        _ => Err(Error::TooMany { what, asked, most: MOST }),
    }
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("panic without a text")
}
