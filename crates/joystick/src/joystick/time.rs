use core::time::Duration;

use safety::{Instant, Machine, WATCHDOG_INTERVAL};

use crate::log::LogRow;
use crate::{Input, Joystick, Output, Report};

/// Effects of the passage of time.
impl Joystick {
    /// Advances the time; everything that has expired by `now` is handled before any other input.
    pub(super) fn pass_to(&mut self, now: Instant) {
        // Before the first cycle nothing was due, so no suspension can be detected.
        let due = if self.pace.was_polled { self.deadline() } else { None };
        self.clock.pass_to(now, due);
        self.now = self.clock.now();
        if self.stopped {
            return;
        }
        if self.filter.expire(self.now) {
            self.publish_desired();
        }
        self.report_reference();
        if self.reading.expire(self.now) {
            self.handle_all([Input::ReadingLost, Input::BatchEnded]);
        }
        if let Some((events, report)) = self.virtual_device.expire(self.now) {
            self.emit(report);
            self.handle_all(events);
        }
        let output = self.feedbacks.expire(self.now, self.devices.driver_id());
        self.queue.extend(output);
    }

    pub(super) fn handle_all(&mut self, inputs: impl IntoIterator<Item = Input>) {
        for input in inputs {
            self.step(input);
        }
    }

    /// Runs the filter if its cycle is due.
    pub(super) fn cycle(&mut self) {
        if self.stopped {
            return;
        }
        self.pace.follow(self.now, self.filter.course(self.now), self.logging);
        let Some(missed) = self.pace.step(self.now) else { return };
        self.counters.missed_cycles = self.counters.missed_cycles.saturating_add(missed);
        let intrinsic = self.filter.intrinsic();
        self.filter.advance(self.now);
        self.filter.apply_frame();
        let is_other = self.filter.intrinsic() != intrinsic;
        if is_other {
            self.update_filter();
        }
        let desired = self.make_desired();
        if self.logging {
            let row = LogRow::of(desired, self.stamp(), self.filter.intrinsic(), self.filter.active());
            self.queue.push_back(Output::LogRow(LogRow { skipped: missed, ..row }));
        }
        if is_other {
            self.emit(Report::Intrinsic(!intrinsic));
        }
    }
}

/// How the desired state evolves without further inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Course {
    /// There is no desired state.
    None,
    /// It is zero and stays zero.
    Rests,
    /// It changes, or is motion that has to be repeated.
    Moves,
}

/// When the filter's cycles are due.
///
/// A cycle is due one interval after the last was *due*; cycles that were not polled in time are skipped and counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    period: Duration,
    /// The time between cycles; `None` while there are no cycles.
    interval: Option<Duration>,
    due: Instant,
    /// The time of the last cycle.
    cycled: Option<Instant>,
    /// Whether the machine was polled.
    pub(super) was_polled: bool,
}

impl Pace {
    pub(super) fn new(rate: u32) -> Self {
        let period = Duration::from_nanos(1_000_000_000 / u64::from(rate.clamp(1, 1_000_000_000)));
        Self { period, interval: None, due: Instant::ZERO, cycled: None, was_polled: false }
    }

    /// Sets the rate that `course` needs. With `steady`, which a log needs, cycles always run at the full rate. A
    /// cycle that was not due before does not count as missed.
    pub(super) fn follow(&mut self, now: Instant, course: Course, steady: bool) {
        let interval = match course {
            _ if steady => Some(self.period),
            Course::Moves => Some(self.period),
            Course::Rests => Some(self.period.max(WATCHDOG_INTERVAL)),
            Course::None => None,
        };
        if let Some(interval) = interval.filter(|_| self.interval != interval) {
            self.due = self.due.max(now).min(now + interval.saturating_mul(2));
        }
        self.interval = interval;
    }

    /// The desired state was published outside of the cycles at `now`. The next cycle is two periods away, so a stick
    /// that reports at the rate of the cycles is published once.
    pub(super) fn restart(&mut self, now: Instant) {
        self.due = now + self.interval.unwrap_or_default().max(self.period.saturating_mul(2));
    }

    /// Advances to the next cycle if one is due at `now`, and returns how many were skipped.
    pub(super) fn step(&mut self, now: Instant) -> Option<u64> {
        self.was_polled = true;
        // At the end of time the next cycle would be due at the same time again.
        let interval = self.interval.filter(|_| self.due <= now && self.cycled != Some(now))?;
        let (late, interval) = (now.since(self.due).as_nanos(), interval.as_nanos().max(1));
        self.due = now + Duration::from_nanos(u64::try_from(interval - late % interval).unwrap_or(u64::MAX));
        self.cycled = Some(now);
        Some(u64::try_from(late / interval).unwrap_or(u64::MAX))
    }

    /// When the next cycle is due.
    pub(super) fn deadline(&self) -> Option<Instant> {
        self.interval.map(|_| self.due)
    }
}

/// After this time without a poll of the devices their state is unknown.
const TIMEOUT: Duration = Duration::from_millis(250);

/// Monitors whether the devices are polled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reading {
    /// When they were last polled; `None` before the first poll and after a loss.
    last_read: Option<Instant>,
    is_lost: bool,
}

impl Reading {
    /// Records a poll of the devices and returns whether the reading had been lost.
    pub(super) fn record(&mut self, now: Instant) -> bool {
        self.last_read = Some(now);
        core::mem::take(&mut self.is_lost)
    }

    /// Advances the time and returns whether the reading was lost just now.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let is_lost = self.last_read.is_some_and(|at| now.since(at) >= TIMEOUT);
        if is_lost {
            self.lose();
        }
        is_lost
    }

    /// The devices are no longer polled.
    pub(super) fn lose(&mut self) {
        (self.last_read, self.is_lost) = (None, true);
    }

    /// Whether the devices are no longer polled.
    pub(super) fn is_lost(self) -> bool {
        self.is_lost
    }

    /// When the reading is lost without another poll.
    pub(super) fn deadline(self) -> Option<Instant> {
        self.last_read.map(|at| at + TIMEOUT)
    }
}
