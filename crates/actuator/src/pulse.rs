//! Whether a thread still comes round.

use std::time::Duration;

use boot_clock::now;

/// What was seen of the passes of a thread, which it counts.
pub(crate) struct Pulse {
    passes: u64,
    /// When they were seen to grow.
    at: Duration,
    beats: bool,
    /// After so long without one the thread hangs.
    limit: Duration,
}

impl Pulse {
    pub(crate) fn new(limit: Duration) -> Pulse {
        Pulse { passes: 0, at: now(), beats: true, limit }
    }

    /// Looks at `now`; whether the thread comes round, if that is news.
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
    fn a_pulse_that_stops_is_news_once() {
        let ms = Duration::from_millis;
        let mut pulse = Pulse { passes: 0, at: Duration::ZERO, beats: true, limit: ms(500) };
        assert_eq!(pulse.update(1, ms(100)), None);
        assert_eq!(pulse.update(1, ms(599)), None);
        assert_eq!(pulse.update(1, ms(600)), Some(false));
        assert_eq!(pulse.update(1, ms(900)), None);
        assert_eq!(pulse.update(2, ms(901)), Some(true));
    }
}
