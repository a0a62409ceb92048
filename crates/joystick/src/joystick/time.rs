use safety::{Instant, Machine};

use crate::log::LogRow;
use crate::{Input, Joystick, Output, Report};

/// Effects of the passage of time.
impl Joystick {
    /// Advances the time; everything that has expired by `now` is handled before any other input.
    pub(super) fn pass_to(&mut self, now: Instant) {
        // Before the first cycle nothing was due, so no suspension can be detected.
        let due = if self.pace.was_polled() { self.deadline() } else { None };
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
        if let Some(events) = self.virtual_device.expire(self.now) {
            self.emit(Report::VirtualSilent);
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
