//! What happens on the actuator's thread: open, stop, drive, check, lose, open again.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Instant;

use crate::driver::Driver;
use crate::event::Event;
use crate::level;
use crate::shared::{Given, Shared};
use crate::timing::Timing;
use crate::trouble::Trouble;

/// All that the thread owns but the device, which exists only between opening and closing.
pub(crate) struct Thread<Open, Report> {
    open: Open,
    timing: Timing,
    report: Report,
    shared: Arc<Shared>,
    /// Whether the device is lost and that has been told.
    lost: bool,
}

/// What a device was sent and when the next thing is due.
struct Pace {
    /// `None` is a stop of our own.
    sent: Option<[i16; 2]>,
    repeat_at: Instant,
    check_at: Instant,
    silent: bool,
}

#[allow(clippy::disallowed_methods)] // the thread that keeps the times has to read the clock
impl<Open, Report> Thread<Open, Report>
where
    Open: FnMut() -> Result<Box<dyn Driver>, Trouble>,
    Report: FnMut(Event),
{
    pub(crate) fn new(open: Open, timing: Timing, report: Report, shared: Arc<Shared>) -> Self {
        Thread { open, timing, report, shared, lost: false }
    }

    /// Keeps the device open until the actuator is closed. Does not panic.
    pub(crate) fn run(&mut self) {
        while self.shared.look().is_some() {
            match guarded("opening", &mut self.open) {
                Ok(driver) => self.use_up(driver),
                Err(trouble) => self.lose(trouble),
            }
            self.wait_before_reopening();
        }
    }

    /// Uses the device until it makes trouble or the actuator is closed; then stops and closes it, whatever happened.
    fn use_up(&mut self, mut driver: Box<dyn Driver>) {
        let used = guarded("driving the device", || self.session(driver.as_mut()));
        let stopped = guarded("stopping the device", || driver.stop());
        match (used, stopped) {
            (Ok(()), Ok(())) => {}
            (Ok(()), Err(trouble)) => {
                log::error!("the device is closed without being known to have stopped: {trouble}");
                self.lose(trouble);
            }
            (Err(trouble), stopped) => {
                if let Err(reason) = stopped {
                    log::error!("the last try to stop failed too: {reason}");
                }
                // Told before it is closed, which may take long if the device hangs.
                self.lose(trouble);
            }
        }
        if let Err(trouble) = guarded("closing the device", || {
            drop(driver);
            Ok(())
        }) {
            log::error!("{trouble}");
        }
    }

    /// Feeds the device; `Ok` when the actuator is closed.
    fn session(&mut self, driver: &mut dyn Driver) -> Result<(), Trouble> {
        driver.stop()?;
        // Only what is given from now on counts.
        let Some(old) = self.shared.look() else { return Ok(()) };
        let ready = Instant::now();
        self.lost = false;
        (self.report)(Event::Ready { description: driver.description(), watchdog: driver.watchdog() });
        let mut pace = Pace {
            sent: None,
            repeat_at: ready + self.timing.repeat,
            check_at: ready + self.timing.check,
            silent: false,
        };
        while let Some(given) = self.shared.look() {
            let fed = (given.count != old.count).then_some(given);
            let silence_at = fed.map_or(ready, |given| given.at) + self.timing.silence;
            self.pass(driver, &mut pace, fed, silence_at)?;
            let next = pace.repeat_at.min(pace.check_at);
            let next = if pace.silent { next } else { next.min(silence_at) };
            self.shared.wait(Some(given.count), next);
        }
        Ok(())
    }

    /// Sends what is due and tells what has changed.
    fn pass(
        &mut self,
        driver: &mut dyn Driver,
        pace: &mut Pace,
        fed: Option<Given>,
        silence_at: Instant,
    ) -> Result<(), Trouble> {
        let now = Instant::now();
        let silent = now >= silence_at;
        let levels = fed.filter(|_| !silent).map(|given| given.levels.map(|one| level::limited(one, false)));
        if levels != pace.sent || now >= pace.repeat_at {
            match levels {
                Some(levels) => driver.drive(levels)?,
                None => driver.stop()?,
            }
            pace.sent = levels;
            pace.repeat_at = now + self.timing.repeat;
        }
        if silent != pace.silent {
            pace.silent = silent;
            (self.report)(if silent { Event::Silent } else { Event::Fed });
        }
        if now >= pace.check_at {
            driver.check()?;
            pace.check_at = now + self.timing.check;
        }
        Ok(())
    }

    /// Tells that the device is lost, once.
    fn lose(&mut self, trouble: Trouble) {
        if self.lost {
            log::debug!("the device is still lost: {trouble}");
            return;
        }
        self.lost = true;
        let report = &mut self.report;
        if let Err(panic) = guarded("telling that the device is lost", || {
            report(Event::Lost(trouble));
            Ok(())
        }) {
            log::error!("{panic}");
        }
    }

    /// Wakes up now and then, so that whoever watches the passes sees life.
    fn wait_before_reopening(&self) {
        let end = Instant::now() + self.timing.reopen;
        while Instant::now() < end && self.shared.look().is_some() {
            self.shared.wait(None, end.min(Instant::now() + self.timing.repeat));
        }
    }
}

/// Turns a panic into trouble. Nothing that was touched by it is used again but to stop, to close and to tell.
fn guarded<T>(action: &'static str, attempt: impl FnOnce() -> Result<T, Trouble>) -> Result<T, Trouble> {
    catch_unwind(AssertUnwindSafe(attempt))
        .unwrap_or_else(|panic| Err(Trouble::Panicked { action, message: message(&*panic) }))
}

/// The words of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a word".into())
}
