use core::time::Duration;

use crate::Instant;

/// Commands with shorter gaps are one stream, which after a halt of the motors has to pause for this long.
pub const STREAM_PAUSE: Duration = Duration::from_millis(500);

/// Whether the messages on an input may command, after a halt of the motors.
///
/// A stream that ran on through the halt asks for what was wanted before it, or for what a leader did meanwhile, so the release alone
/// would move the joints. It counts again after a pause of [`STREAM_PAUSE`], or once it asks for rest. A message after a
/// pause counts at once.
/// # Source
/// own: an emergency stop that is released moves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamGate {
    /// When the last message came.
    last: Option<Instant>,
    /// Whether the motors came back since the last one that counted.
    is_closed: bool,
    /// Whether the last message did not count, and whether that was reported.
    waits: bool,
    reported: bool,
}

impl StreamGate {
    /// The motors came back.
    pub fn release(&mut self) {
        self.is_closed = true;
    }

    /// Whether the message counts that was `sent` at that time, as far as known, and is read `now`. `is_rest` is asked for one that is
    /// part of a stream from before the release.
    ///
    /// A reader that was held reads late what was sent meanwhile. So its hold is no pause: a message follows the reading of the one before.
    pub fn passes(&mut self, sent: Instant, now: Instant, is_rest: impl FnOnce() -> bool) -> bool {
        let last = self.note(now);
        let is_stream = last.is_some_and(|last| sent.since(last) < STREAM_PAUSE);
        self.waits = self.is_closed && is_stream && !is_rest();
        self.is_closed = self.waits;
        !self.waits
    }

    /// Notes a message that is read `now` and does not command, but is part of the stream; returns when the one before was read.
    pub fn note(&mut self, now: Instant) -> Option<Instant> {
        self.last.replace(now)
    }

    /// Whether its messages wait, if that changed since the last report.
    pub fn news(&mut self) -> Option<bool> {
        let is_new = core::mem::replace(&mut self.reported, self.waits) != self.waits;
        is_new.then_some(self.waits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which messages count, of those at these times \[ms\] with a release at `release`; one that asks for rest is negative.
    fn counted(release: i64, messages: &[i64]) -> Vec<i64> {
        let (mut gate, mut is_released) = (StreamGate::default(), false);
        let mut counts = |&time: &i64| {
            if time.abs() >= release && !is_released {
                is_released = true;
                gate.release();
            }
            let now = Instant::from_millis(time.unsigned_abs());
            gate.passes(now, now, || time < 0)
        };
        messages.iter().filter(|time| counts(time)).copied().collect()
    }

    #[test]
    fn a_stream_from_before_the_release_counts_after_a_pause_or_rest() {
        assert_eq!(counted(1000, &[900, 950, 1000, 1050, 1549]), [900, 950]);
        assert_eq!(counted(1000, &[900, 1000, 1499, 1999, 2050]), [900, 1999, 2050]);
        assert_eq!(counted(1000, &[900, 1000, -1050, 1100]), [900, -1050, 1100]);
    }

    #[test]
    fn a_hold_of_the_reader_is_no_pause() {
        let at = Instant::from_millis;
        let mut gate = StreamGate::default();
        assert!(gate.passes(at(1000), at(1000), || false));
        gate.release();
        // The reader is held from 1020 to 1620 ms, and does not know when it was sent what it then reads.
        for (sent, now) in [(1020, 1020), (1020, 1620), (1020, 1640), (1660, 1660), (1680, 1680)] {
            assert!(!gate.passes(at(sent), at(now), || false), "{now}");
        }
        assert!(gate.passes(at(2180), at(2180), || false));
    }

    #[test]
    fn a_new_command_counts_at_once() {
        assert_eq!(counted(1000, &[1000, 1050]), [1000, 1050]);
        assert_eq!(counted(1000, &[400, 1000, 1050]), [400, 1000, 1050]);
    }
}
