use units::{Instant, Machine};

use crate::log::LogRow;
use crate::{Input, Joystick, Output, Report};

/// What happens because time passes.
impl Joystick {
    /// Lets time pass: what is over by now is over, before anything else happens.
    pub(super) fn pass_to(&mut self, now: Instant) {
        // Before the first cycle nothing was due, and so nobody was held.
        let due = if self.pace.has_begun() { self.deadline() } else { None };
        self.clock.pass_to(now, due);
        self.now = self.clock.now();
        if self.stopped {
            return;
        }
        if self.filter.expire(self.now) {
            self.desire();
        }
        self.report_reference();
        if self.reading.expire(self.now) {
            self.carry_out([Input::ReadingLost, Input::BatchEnded]);
        }
        if let Some(events) = self.virtual_device.expire(self.now) {
            self.tell(Report::VirtualSilent);
            self.carry_out(events);
        }
        let output = self.feedbacks.expire(self.now, self.devices.driver_id());
        self.queue.extend(output);
    }

    pub(super) fn carry_out(&mut self, inputs: impl IntoIterator<Item = Input>) {
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
            self.look();
        }
        let desired = self.make_desired();
        if self.logging {
            let row = LogRow::of(desired, self.stamp(), self.filter.intrinsic(), self.filter.active());
            self.queue.push_back(Output::LogRow(LogRow { skipped: missed, ..row }));
        }
        if is_other {
            self.tell(Report::Intrinsic(!intrinsic));
        }
    }
}
