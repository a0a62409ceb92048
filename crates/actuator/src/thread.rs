//! The actuator's thread: open, stop, drive, check, lose, reopen.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::actuator::{Event, Timing};
use crate::driver::Driver;
use crate::error::Error;
use crate::level;
use crate::shared::{Given, Shared};
use boot_clock::now;

/// The thread's state, without the device, which exists only between opening and closing.
pub(crate) struct Thread<Open, Report> {
    open: Open,
    timing: Timing,
    report: Report,
    shared: Arc<Shared>,
    /// The error of the loss that was reported.
    lost: Option<Error>,
}

/// The last levels sent, and when the next exchanges are due.
struct Pace {
    /// `None` is a stop that the thread sends by itself.
    sent: Option<[i16; 2]>,
    repeat_at: Duration,
    check_at: Duration,
    /// When the last exchange began that set the levels.
    driven_at: Duration,
    /// The direction of each motor, and since when the device has it; `Duration::MAX` until it confirms.
    turns: [(i16, Duration); 2],
    /// Until when the device counts as still driving.
    confirmed_until: Duration,
    /// Whether the device may turn its motors: it was sent levels, and did not confirm a stop since.
    may_turn: bool,
    /// Why only stop is sent.
    withheld: Withheld,
    reported: Withheld,
    /// Whether the last drive, or the question before it, failed; both together get one retry.
    drive_failed: bool,
    /// Whether the last check failed; it gets one retry.
    check_failed: bool,
}

/// The longest time from a level that is sent to its effect: at 9600 baud, with a USB adapter and the next pulse of a Maestro.
const SETTLES: Duration = Duration::from_millis(40);
/// The longest time between the answer that the device still drives and the next level.
const CONFIRMED: Duration = Duration::from_millis(10);

/// Why only stop is sent until a stop is given: a caller that was suspended would continue with old levels, and one that does not
/// know that the device stopped would start it again at full speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Withheld {
    /// Levels are sent.
    Nothing,
    /// The device may have stopped by itself.
    Interrupted,
    /// Levels timed out.
    Silent,
}

impl<Open, Report> Thread<Open, Report>
where
    Open: FnMut() -> Result<Box<dyn Driver>, Error>,
    Report: FnMut(Event),
{
    pub(crate) fn new(open: Open, timing: Timing, report: Report, shared: Arc<Shared>) -> Self {
        Thread { open, timing, report, shared, lost: None }
    }

    /// Keeps the device open until the actuator is closed. Does not panic.
    pub(crate) fn run(&mut self) {
        while self.shared.begin_pass().is_some() {
            match guarded("opening", &mut self.open) {
                Ok(driver) => self.run_device(driver),
                Err(error) => self.lose(error),
            }
            self.wait_before_reopening();
        }
    }

    /// Uses the device until it fails or the actuator is closed; then stops and closes it in either case.
    fn run_device(&mut self, mut driver: Box<dyn Driver>) {
        let used = guarded("driving the device", || self.session(driver.as_mut()));
        self.shared.is_ready.store(false, Ordering::Relaxed);
        if let Err(error) = used {
            // Reported before the device is stopped and closed: both take long if it does not answer.
            self.lose(error);
        }
        if let Err(error) = guarded("stopping the device", || match driver.stop() {
            Err(error) => once_more(driver.as_ref(), error).and_then(|()| driver.stop()),
            Ok(()) => Ok(()),
        }) {
            log::error!("the device is closed without being known to have stopped: {error}");
            self.lose(error);
        }
        if let Err(error) = guarded("closing the device", || {
            drop(driver);
            Ok(())
        }) {
            log::error!("{error}");
        }
    }

    /// Sends levels to the device; `Ok` when the actuator is closed.
    fn session(&mut self, driver: &mut dyn Driver) -> Result<(), Error> {
        if let Err(error) = driver.stop() {
            once_more(driver, error)?;
            driver.stop()?;
        }
        // Only levels given from now on are sent.
        let Some(old) = self.shared.begin_pass() else { return Ok(()) };
        let ready = now();
        self.lost = None;
        (self.report)(Event::Ready { description: driver.description(), watchdog: driver.watchdog() });
        self.shared.is_ready.store(true, Ordering::Relaxed);
        let mut pace = Pace {
            sent: None,
            repeat_at: ready + self.timing.repeat,
            check_at: ready + self.timing.check,
            driven_at: ready,
            turns: [(0, ready); 2],
            confirmed_until: ready,
            may_turn: false,
            withheld: Withheld::Nothing,
            reported: Withheld::Nothing,
            drive_failed: false,
            check_failed: false,
        };
        while let Some(given) = self.shared.begin_pass() {
            let fed = (given.count != old.count).then_some(given);
            let silence_at = fed.map_or(ready, |given| given.at) + self.timing.silence;
            let worked = self.pass(driver, &mut pace, fed, silence_at)?;
            if !worked {
                let next = pace.repeat_at.min(pace.check_at);
                let next = if pace.reported == Withheld::Silent { next } else { next.min(silence_at) };
                self.shared.wait(Some(given.count), next);
            }
        }
        Ok(())
    }

    /// Makes at most one exchange, the one that is due first. Returns whether there was one; the caller reads the newest levels
    /// before the next.
    fn pass(
        &mut self,
        driver: &mut dyn Driver,
        pace: &mut Pace,
        fed: Option<Given>,
        silence_at: Duration,
    ) -> Result<bool, Error> {
        let now = now();
        let gives_stop = fed.is_some_and(|given| given.levels == [0, 0]);
        let is_interrupted = pace.may_turn && now >= pace.driven_at + self.timing.gap;
        let lasting = if gives_stop { Withheld::Nothing } else { pace.withheld };
        pace.withheld = match (now >= silence_at, is_interrupted) {
            (true, _) => Withheld::Silent,
            (false, true) => lasting.max(Withheld::Interrupted),
            (false, false) => lasting,
        };
        let levels = fed
            .filter(|_| pace.withheld == Withheld::Nothing)
            .map(|given| given.levels.map(|one| level::limited(one, false)));
        let drive_is_due = levels != pace.sent || pace.drive_failed || now >= pace.repeat_at;
        // An overdue check precedes levels that are given faster than the line can send, but not a stop.
        let stops = levels.is_none_or(|levels| levels == [0, 0]);
        let check_waited = now >= pace.check_at + self.timing.check && !stops && !pace.drive_failed;
        if drive_is_due && !check_waited {
            // A motor that began to turn just now counts as one at stop.
            let settled = |since| now.saturating_sub(since) >= SETTLES;
            let sides = pace.turns.map(|(side, since)| if settled(since) { side } else { 0 });
            if !stops && sides != [0, 0] && now >= pace.confirmed_until {
                // A device that was reset must not jump to the present level. A stop that is given meanwhile comes next.
                if let Err(error) = driver.confirm(sides) {
                    return may_retry(driver, &mut pace.drive_failed, error);
                }
                pace.confirmed_until = boot_clock::now() + CONFIRMED;
                return Ok(true);
            }
            pace.confirmed_until = now;
            pace.may_turn |= !stops;
            for (turn, level) in pace.turns.iter_mut().zip(levels.unwrap_or_default()) {
                if turn.0 != level.signum() {
                    *turn = (level.signum(), Duration::MAX);
                }
            }
            let done = match levels {
                Some(levels) => driver.drive(levels),
                None => driver.stop(),
            };
            if let Err(error) = done {
                return may_retry(driver, &mut pace.drive_failed, error);
            }
            pace.drive_failed = false;
            pace.turns = pace.turns.map(|(side, since)| (side, since.min(boot_clock::now())));
            pace.may_turn = !stops;
            pace.driven_at = now;
            pace.sent = levels;
            pace.repeat_at = now + self.timing.repeat;
            self.report_silence(pace);
            return Ok(true);
        }
        self.report_silence(pace);
        if now >= pace.check_at {
            if let Err(error) = driver.check() {
                return may_retry(driver, &mut pace.check_failed, error);
            }
            pace.check_failed = false;
            pace.check_at = now + self.timing.check;
            return Ok(true);
        }
        Ok(false)
    }

    /// Reports why only stop is sent, or that a stop was given after that. The stop has been sent to the device.
    fn report_silence(&mut self, pace: &mut Pace) {
        if std::mem::replace(&mut pace.reported, pace.withheld) != pace.withheld {
            (self.report)(match pace.withheld {
                Withheld::Nothing => Event::Fed,
                Withheld::Interrupted => Event::Interrupted,
                Withheld::Silent => Event::Silent,
            });
        }
    }

    /// Reports once that the device is lost, and again if another device has taken its place.
    fn lose(&mut self, error: Error) {
        let is_news = matches!(error, Error::OtherDevice { .. }) && self.lost.as_ref() != Some(&error);
        if self.lost.is_some() && !is_news {
            log::debug!("the device is still lost: {error}");
            return;
        }
        self.lost = Some(error.clone());
        let report = &mut self.report;
        if let Err(panic) = guarded("reporting that the device is lost", || {
            report(Event::Lost(error));
            Ok(())
        }) {
            log::error!("{panic}");
        }
    }

    /// Wakes up periodically, so the counter of passes shows that the thread runs.
    fn wait_before_reopening(&self) {
        let end = now() + self.timing.reopen;
        while now() < end && self.shared.begin_pass().is_some() {
            self.shared.wait(None, end.min(now() + self.timing.repeat));
        }
    }
}

/// Ignores the first error of this kind if a retry may help.
fn may_retry(driver: &dyn Driver, failed: &mut bool, error: Error) -> Result<bool, Error> {
    if std::mem::replace(failed, true) {
        return Err(error);
    }
    once_more(driver, error).map(|()| true)
}

fn once_more(driver: &dyn Driver, error: Error) -> Result<(), Error> {
    if !driver.may_repeat() || !error.is_retriable() {
        return Err(error);
    }
    log::debug!("{error}; trying again");
    Ok(())
}

/// Turns a panic into an error. After it the driver and the handler are used only to stop, to close and to report.
fn guarded<T>(action: &'static str, attempt: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(attempt))
        .unwrap_or_else(|panic| Err(Error::Panicked { action, message: message(&*panic) }))
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a message".into())
}
