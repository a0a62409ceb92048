use core::time::Duration;

use crate::Instant;

/// Commands with shorter gaps are one stream.
const STREAM_PAUSE: Duration = Duration::from_millis(500);

/// Whether the messages on an input may command, after a halt of the motors.
///
/// A stream asks for what was wanted before the halt, or for what a leader did meanwhile, so the release alone would move the joints. Its
/// silence shows nothing: a link that drops out for a moment is no act of a person. **So where messages were a stream, the first one that counts
/// after a halt asks for rest.** Where none were, a message after a pause of 0.5 s counts at once.
/// # Source
/// own: an emergency stop that is released moves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamGate {
    /// When the last message came.
    last: Option<Instant>,
    /// Whether two messages were ever nearer than the pause.
    has_streamed: bool,
    /// Whether the motors came back and nothing came since, and whether none counts but one that begins anew.
    is_released: bool,
    is_closed: bool,
    /// Whether the last message did not count, and whether that was reported.
    waits: bool,
    reported: bool,
}

/// How a message that would have to wait begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begins {
    /// It waits.
    Not,
    /// It counts by itself, and opens the way for no other.
    Once,
    /// It asks for rest: it and those after it count.
    Stream,
}

impl Begins {
    /// A stream begins with a message that asks for rest.
    pub const fn with(is_rest: bool) -> Self {
        if is_rest { Self::Stream } else { Self::Not }
    }
}

impl StreamGate {
    /// The motors came back.
    pub fn release(&mut self) {
        (self.is_released, self.is_closed) = (true, self.has_streamed);
    }

    /// A person began anew, as by the start of a controller: the next message counts.
    pub fn open(&mut self) {
        *self = Self { last: self.last, reported: self.reported, ..Self::default() };
    }

    /// Whether the message counts that was `sent` at that time, as far as known, and is read `now`. `begins` is asked for one that would have to
    /// wait, with whether it is part of a stream.
    ///
    /// A reader that was held reads late what was sent meanwhile. So its hold is no pause: a message follows the reading of the one before.
    pub fn passes(&mut self, sent: Instant, now: Instant, begins: impl FnOnce(bool) -> Begins) -> bool {
        let is_stream = self.note(now).is_some_and(|last| sent.since(last) < STREAM_PAUSE);
        self.has_streamed |= is_stream;
        let has_to_wait = self.is_closed || self.is_released && is_stream;
        let begins = if has_to_wait { begins(is_stream) } else { Begins::Stream };
        self.waits = begins == Begins::Not;
        (self.is_released, self.is_closed) = (false, begins != Begins::Stream);
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
            gate.passes(now, now, |_| Begins::with(time < 0))
        };
        messages.iter().filter(|time| counts(time)).copied().collect()
    }

    #[test]
    fn a_stream_from_before_the_release_counts_after_rest_and_never_by_its_silence() {
        assert_eq!(counted(1000, &[900, 950, 1000, 1050, 1550, 9000]), [900, 950]);
        assert_eq!(counted(1000, &[900, 1000, 1050, 9000]), [900], "one before it and one after it are one");
        assert_eq!(counted(1000, &[900, 1000, -1050, 1100]), [900, -1050, 1100]);
        assert_eq!(counted(1000, &[900, 950, 1000, -9000, 9050]), [900, 950, -9000, 9050]);
        // It was silent already when the halt began, or slow at the end.
        assert_eq!(counted(5000, &[100, 150, 6000, 9000, -9050]), [100, 150, -9050]);
        assert_eq!(counted(5000, &[100, 150, 3000, 6000]), [100, 150, 3000]);
    }

    #[test]
    fn a_goal_opens_the_way_for_no_stream() {
        let at = Instant::from_millis;
        let mut gate = StreamGate::default();
        let passes = |gate: &mut StreamGate, time, begins| gate.passes(at(time), at(time), |_| begins);
        assert!(passes(&mut gate, 100, Begins::Not) && passes(&mut gate, 150, Begins::Not));
        gate.release();
        assert!(!passes(&mut gate, 900, Begins::Not) && passes(&mut gate, 1500, Begins::Once));
        assert!(!passes(&mut gate, 1550, Begins::Not) && !passes(&mut gate, 9000, Begins::Not));
        assert!(passes(&mut gate, 9050, Begins::Stream) && passes(&mut gate, 9100, Begins::Not));
    }

    #[test]
    fn a_start_begins_anew() {
        let at = Instant::from_millis;
        let mut gate = StreamGate::default();
        let passes = |gate: &mut StreamGate, time| gate.passes(at(time), at(time), |_| Begins::Not);
        assert!(passes(&mut gate, 100) && passes(&mut gate, 150));
        gate.release();
        assert!(!passes(&mut gate, 900) && gate.news() == Some(true));
        gate.open();
        assert!(gate.news() == Some(false) && passes(&mut gate, 920) && passes(&mut gate, 940));
    }

    #[test]
    fn a_hold_of_the_reader_is_no_pause() {
        let at = Instant::from_millis;
        let mut gate = StreamGate::default();
        assert!(gate.passes(at(1000), at(1000), |_| Begins::Not));
        gate.release();
        // The reader is held from 1020 to 1620 ms, and does not know when it was sent what it then reads.
        for (sent, now) in [(1020, 1020), (1020, 1620), (1020, 1640), (1660, 1660), (1680, 1680)] {
            assert!(!gate.passes(at(sent), at(now), |_| Begins::Not), "{now}");
        }
        assert!(gate.passes(at(2180), at(2180), |_| Begins::Stream));
    }

    #[test]
    fn a_new_command_counts_at_once() {
        assert_eq!(counted(1000, &[1000, 1050]), [1000, 1050]);
        assert_eq!(counted(1000, &[400, 1000, 1050]), [400, 1000, 1050]);
    }
}
