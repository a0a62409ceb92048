use safety::Instant;

use crate::decision::decide;
use crate::feedback::Predicted;
use crate::sensed::Sensed;
use crate::{Applied, Channel, HeldZones, Params, Reason, Stick};

/// The state of one channel: its request and the result.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Why no request is in force.
    pub absent: Reason,
    /// When the next zero is due; `None` while a request is in force, and on a silent channel before its first
    /// message.
    pub next_zero: Option<Instant>,
    /// Whether a new request was not published yet.
    pub is_new: bool,
    pub applied: Applied,
    held: HeldZones,
    pub predicted: Predicted,
}

impl Request {
    pub(crate) fn new(channel: Channel, source: i32, next_zero: Option<Instant>) -> Self {
        Self {
            absent: Reason::CommandStale,
            next_zero,
            is_new: false,
            applied: Applied::stop(Reason::CommandStale, channel, source),
            held: HeldZones::NONE,
            predicted: Predicted::default(),
        }
    }

    pub(crate) fn lose(&mut self, reason: Reason) {
        self.absent = reason;
        self.held = HeldZones::NONE;
    }

    /// The scaled `stick`, exact and as published.
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

    pub(crate) fn record(&mut self, now: Instant, applied: Applied) {
        self.is_new = false;
        self.applied = applied;
        self.predicted.record(now, &applied);
    }
}
