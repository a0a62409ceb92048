//! Detects a thread that hangs.

use std::time::Duration;

use boot_clock::now;

/// Monitors the counter of passes that a thread increments.
pub(crate) struct Pulse {
    passes: u64,
    /// When the counter last changed.
    at: Duration,
    beats: bool,
    /// The thread hangs after this time without a pass.
    limit: Duration,
}

impl Pulse {
    pub(crate) fn new(limit: Duration) -> Pulse {
        Pulse { passes: 0, at: now(), beats: true, limit }
    }

    /// Records the counter at `now`. Returns whether the thread runs if that changed, otherwise `None`.
    pub(crate) fn update(&mut self, passes: u64, now: Duration) -> Option<bool> {
        if passes != self.passes {
            (self.passes, self.at) = (passes, now);
        }
        let beats = now.saturating_sub(self.at) < self.limit;
        (std::mem::replace(&mut self.beats, beats) != beats).then_some(beats)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_counter_is_reported_once() {
        let ms = Duration::from_millis;
        let mut pulse = Pulse { passes: 0, at: Duration::ZERO, beats: true, limit: ms(500) };
        assert_eq!(pulse.update(1, ms(100)), None);
        assert_eq!(pulse.update(1, ms(599)), None);
        assert_eq!(pulse.update(1, ms(600)), Some(false));
        assert_eq!(pulse.update(1, ms(900)), None);
        assert_eq!(pulse.update(2, ms(901)), Some(true));
    }
}
