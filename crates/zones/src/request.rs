use core::time::Duration;

use units::Instant;

use crate::decision::decide;
use crate::feedback::Predicted;
use crate::sensed::Sensed;
use crate::{Applied, Channel, HeldZones, Params, Reason, Stick};

/// What one channel asks for, and what was done to it.
#[derive(Clone, Debug)]
pub(crate) struct Request<T> {
    /// What is in force and when it came.
    pub in_force: Option<(T, Instant)>,
    /// Why nothing is in force.
    pub absent: Reason,
    /// When the next zero is due; `None` while something is in force, and before anything came on a channel that then
    /// keeps silent.
    pub next_zero: Option<Instant>,
    pub applied: Applied,
    held: HeldZones,
    pub predicted: Predicted,
}

impl<T> Request<T> {
    pub(crate) fn new(channel: Channel, source: i32, next_zero: Option<Instant>) -> Self {
        Self {
            in_force: None,
            absent: Reason::CommandStale,
            next_zero,
            applied: Applied::stop(Reason::CommandStale, channel, source),
            held: HeldZones::NONE,
            predicted: Predicted::default(),
        }
    }

    pub(crate) fn is_old(&self, now: Instant, timeout: Duration) -> bool {
        self.in_force.as_ref().is_some_and(|&(_, at)| now >= at + timeout)
    }

    /// When it is lost or its next zero is due.
    pub(crate) fn deadline(&self, timeout: Duration) -> Option<Instant> {
        self.in_force.as_ref().map_or(self.next_zero, |&(_, at)| Some(at + timeout))
    }

    pub(crate) fn take(&mut self, now: Instant, request: T) {
        self.in_force = Some((request, now));
        self.next_zero = None;
    }

    pub(crate) fn lose(&mut self, reason: Reason) {
        self.in_force = None;
        self.absent = reason;
        self.held = HeldZones::NONE;
    }

    /// What is left of `stick`, exactly and as it is told.
    pub(crate) fn judge(
        &mut self,
        params: &Params,
        sensed: &Sensed,
        stick: Stick,
        source: i32,
    ) -> (Stick, Applied) {
        let decision = decide(params, sensed, &mut self.held, stick);
        (decision.output, Applied::new(&decision, self.applied.channel, source))
    }

    pub(crate) fn tell(&mut self, now: Instant, applied: Applied) {
        self.applied = applied;
        self.predicted.note(now, &applied);
    }
}
