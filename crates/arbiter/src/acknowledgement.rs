use safety::{Clock, Command, Instant, PublisherCount};

use crate::{Arbiter, Verdict};

/// A person's button: it is pressed when its one publisher sends false, then true.
///
/// A message that may have been queued while the machine was held is no press, and with it the release before counts no longer: a person
/// answers to what is seen now.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Acknowledgement {
    released_at: Option<Instant>,
    publishers: PublisherCount,
}

impl Acknowledgement {
    /// Receives a message. Returns when the button was released before this press, if it is one.
    pub(crate) fn receive(&mut self, clock: &Clock, is_pressed: bool) -> Option<Instant> {
        let released_at = self.released_at.take();
        if self.publishers.are_several() || !clock.waited().is_zero() {
            return None;
        }
        if !is_pressed {
            self.released_at = Some(clock.now());
        }
        released_at.filter(|_| is_pressed)
    }

    /// The publishers of its topic were counted: messages of several do not count.
    pub(crate) fn count(&mut self, publishers: PublisherCount) {
        if self.publishers.update(publishers) {
            self.released_at = None;
        }
    }
}

impl Arbiter {
    /// A person's button was pressed, which was released at `released_at`.
    pub(crate) fn acknowledge(&mut self, released_at: Instant) {
        let may_be_answered = |index: &usize| {
            self.params.sources.get(*index).is_some_and(|source| source.kind.is_silent_at_rest())
        };
        let waits = |index: &usize| {
            let waits_for_zero = matches!(self.active.verdicts.get(*index), Some(Verdict::WaitsForZero(_)));
            waits_for_zero && self.sources.get(*index).is_some_and(|monitor| monitor.waited_at(released_at))
        };
        let priority = |index: &usize| self.params.sources.get(*index).map(|source| source.priority);
        let answered = match self.driving {
            driving @ Some(_) => driving.filter(may_be_answered),
            None => (0..self.sources.len()).filter(may_be_answered).filter(waits).max_by_key(priority),
        };
        if let Some(monitor) = answered.and_then(|index| self.sources.get_mut(index)) {
            monitor.waive_zero();
            self.ramp.stop(self.clock.now());
            self.push(Command::STOP);
        }
    }
}
