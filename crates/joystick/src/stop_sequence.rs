use core::time::Duration;

use safety::{Instant, REMOVAL_TIME};

/// How long a loss is published as a state without velocity: several messages, so at least one is received.
const LOSS_TIME: Duration = Duration::from_millis(100);
/// How long zero is published after the stick, or a reference in motion, was lost. Every receiver sees it, even one
/// that misses some messages. Afterwards the stick claims nothing.
const STOP_TIME: Duration = Duration::from_secs(1);

/// The zeros still to be published after the stick or the reference stopped commanding.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StopSequence {
    /// At least one zero is due.
    pub(crate) is_due: bool,
    /// Zero is published in each cycle until then, unless a reference is passed on.
    pub(crate) until: Instant,
    /// Whether the reference is blocked until then: the stick was lost, not released by its user.
    pub(crate) masks: bool,
    /// Until then a state without velocity is published in place of zero.
    pub(crate) lost_until: Instant,
    /// The due stop is that of a held stick: it takes back the release that was published just before the stick was lost.
    pub(crate) retracts: bool,
    /// Until then no reference is passed on: the stick may prove to be removed, not released.
    pub(crate) passes_from: Instant,
}

impl StopSequence {
    /// Starts at `now`, after the loss of a stick or of a reference in motion.
    pub(crate) fn after_loss(now: Instant, masks: bool) -> Self {
        Self { is_due: true, until: now + STOP_TIME, masks, lost_until: now + LOSS_TIME, ..Self::default() }
    }

    /// One zero at `now`, after the user released the stick.
    pub(crate) fn of_release(now: Instant) -> Self {
        Self { is_due: true, passes_from: now + REMOVAL_TIME, ..Self::default() }
    }
}
