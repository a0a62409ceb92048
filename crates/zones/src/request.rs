use units::Instant;

use crate::decision::decide;
use crate::feedback::Predicted;
use crate::sensed::Sensed;
use crate::{Applied, Channel, HeldZones, Params, Reason, Stick};

/// What was done to what one channel asks for.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Why nothing is in force.
    pub absent: Reason,
    /// When the next zero is due; `None` while something is in force, and before anything came on a channel that then
    /// keeps silent.
    pub next_zero: Option<Instant>,
    /// Whether something came into force that was not told of yet.
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
        self.is_new = false;
        self.applied = applied;
        self.predicted.note(now, &applied);
    }
}
