use core::time::Duration;

use crate::{Instant, PublisherCount};

/// Commands with shorter gaps are one stream.
pub const STREAM_PAUSE: Duration = Duration::from_millis(500);

/// Whether the messages on an input may command, after a halt of the motors or several publishers.
///
/// A stream asks for what was wanted before the halt, or for what a leader did meanwhile, so the release alone would move the joints. Its
/// silence shows nothing: a link that drops out for a moment is no act of a person. **So where messages were a stream, the first one that counts
/// after a halt asks for rest.** Where none were, a message after a pause of 0.5 s counts at once.
///
/// While there are several publishers no message counts, and the end of that is as the end of a halt: the one that stays would lead the joints
/// to where it went meanwhile. A message is judged by the counts before and after its arrival.
/// # Source
/// own: an emergency stop that is released moves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StreamGate {
    /// When the last message came.
    last: Option<Instant>,
    /// Whether two messages were ever nearer than the pause. Nothing ends that: a stream may return at any time.
    has_streamed: bool,
    /// Whether the motors came back and nothing came since, and whether none counts but one that begins anew.
    is_released: bool,
    is_closed: bool,
    /// The last count, and whether that or the one before found several.
    publishers: PublisherCount,
    are_several: bool,
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

    /// The publishers were counted, after the messages before this call and those that follow at once had arrived. Returns whether there are
    /// several from now on: what was commanded ends.
    pub fn count(&mut self, publishers: PublisherCount) -> bool {
        let are_several = self.publishers.update(publishers);
        let were_several = core::mem::replace(&mut self.are_several, are_several);
        if were_several && !are_several {
            self.release();
        }
        are_several && !were_several
    }

    /// A person began anew, as by the start of a controller: the next message counts, if there is one publisher.
    pub fn open(&mut self) {
        (self.is_released, self.is_closed, self.waits) = (false, false, false);
    }

    /// Whether the message counts that was `sent` at that time, as far as known, and is read `now`. `begins` is asked for one that would have to
    /// wait, with whether it is part of a stream.
    ///
    /// A reader that was held reads late what was sent meanwhile. So its hold is no pause: a message follows the reading of the one before.
    pub fn passes(&mut self, sent: Instant, now: Instant, begins: impl FnOnce(bool) -> Begins) -> bool {
        let is_stream = self.note(sent, now);
        let begins = if self.are_several || self.is_closed { begins(is_stream) } else { Begins::Stream };
        let begins = if self.are_several && begins == Begins::Stream { Begins::Not } else { begins };
        self.waits = begins == Begins::Not && !self.are_several;
        (self.is_released, self.is_closed) = (false, begins != Begins::Stream);
        begins != Begins::Not
    }

    /// Notes a message that does not command, but is part of a stream if any; returns whether it is.
    pub fn note(&mut self, sent: Instant, now: Instant) -> bool {
        let last = self.last.replace(now);
        let is_stream = last.is_some_and(|last| sent.since(last) < STREAM_PAUSE);
        self.has_streamed |= is_stream;
        self.is_closed |= self.is_released && is_stream;
        is_stream
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

    #[test]
    fn several_publishers_are_as_a_halt_and_a_message_is_judged_by_two_counts() {
        let at = Instant::from_millis;
        let mut gate = StreamGate::default();
        let (one, two) = (PublisherCount::of(1), PublisherCount::of(2));
        let passes = |gate: &mut StreamGate, time, begins| gate.passes(at(time), at(time), |_| begins);
        assert!(passes(&mut gate, 0, Begins::Not) && passes(&mut gate, 50, Begins::Not));
        assert!(gate.count(two) && !gate.count(two));
        assert!(!passes(&mut gate, 100, Begins::Stream), "rest of which one?");
        assert!(
            !gate.count(one) && !passes(&mut gate, 150, Begins::Stream),
            "it may be that of the other one"
        );
        assert!(!gate.count(one) && !passes(&mut gate, 200, Begins::Not) && gate.news() == Some(true));
        assert!(!passes(&mut gate, 900, Begins::Not), "a pause shows nothing");
        assert!(passes(&mut gate, 950, Begins::Stream) && passes(&mut gate, 1000, Begins::Not));
        let mut single = StreamGate::default();
        assert!(single.count(PublisherCount::Unknown) && !passes(&mut single, 0, Begins::Not));
        single.count(one);
        single.count(one);
        assert!(passes(&mut single, 900, Begins::Not), "no stream, no wait");
    }

    /// One event at a gate: a message or a note after a gap \[ms\], a message that was sent at once and read after a hold, and others.
    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Event {
        Message(u64, bool),
        Held,
        Note(u64),
        Release,
        Open,
        Count(usize),
    }

    /// A gate with its history, from which the rule is decided anew.
    #[derive(Clone, Default)]
    struct History {
        gate: StreamGate,
        now: u64,
        /// When each message and note was sent and read.
        messages: Vec<(u64, u64)>,
        counts: [usize; 2],
        /// How many messages came before the last release, or the end of several publishers; and whether one at rest or a person came since.
        released: Option<usize>,
        has_begun: bool,
    }

    impl History {
        fn arrives(&mut self, gap: u64, held: u64) {
            self.now += gap + held;
            self.messages.push((self.now - held, self.now));
        }

        /// Whether there was a stream before the release, or over it.
        fn streamed_before(&self) -> bool {
            let is_near = |pair: &[(u64, u64)]| pair[1].0.saturating_sub(pair[0].1) < 500;
            let last = self.released.map_or(0, |released| self.messages.len().min(released + 1));
            self.messages[..last].windows(2).any(is_near)
        }

        fn happens(&mut self, event: Event) {
            let are_several = self.counts.contains(&2);
            match event {
                Event::Message(..) | Event::Held => {
                    let (gap, held, is_rest) = if let Event::Message(gap, is_rest) = event {
                        (gap, 0, is_rest)
                    } else {
                        (20, 580, false)
                    };
                    self.arrives(gap, held);
                    let (sent, read) =
                        (Instant::from_millis(self.now - held), Instant::from_millis(self.now));
                    let counts = self.gate.passes(sent, read, |_| Begins::with(is_rest));
                    assert!(!counts || !are_several, "a message of several publishers");
                    self.has_begun |= is_rest && !are_several;
                    assert!(!counts || self.has_begun || !self.streamed_before(), "an old stream");
                    assert!(counts || are_several || !self.has_begun, "it waits without a reason");
                }
                Event::Note(gap) => {
                    self.arrives(gap, 0);
                    let now = Instant::from_millis(self.now);
                    self.gate.note(now, now);
                }
                Event::Release => self.gate.release(),
                Event::Open => self.gate.open(),
                Event::Count(count) => {
                    self.counts = [self.counts[1], count];
                    self.gate.count(PublisherCount::of(count));
                }
            }
            let ended = are_several && !self.counts.contains(&2);
            if event == Event::Release || ended {
                (self.released, self.has_begun) = (Some(self.messages.len()), false);
            }
            self.has_begun |= event == Event::Open;
        }
    }

    #[test]
    fn in_no_order_of_events_does_an_old_stream_count_before_rest_or_a_start() {
        const EVENTS: [Event; 11] = [
            Event::Message(20, false),
            Event::Message(600, false),
            Event::Message(20, true),
            Event::Message(600, true),
            Event::Held,
            Event::Note(20),
            Event::Note(600),
            Event::Release,
            Event::Open,
            Event::Count(1),
            Event::Count(2),
        ];
        fn all(history: &History, left: usize) -> usize {
            if left == 0 {
                return 1;
            }
            let next = |event: &Event| {
                let mut history = history.clone();
                history.happens(*event);
                all(&history, left - 1)
            };
            EVENTS.iter().map(next).sum()
        }
        assert_eq!(
            all(&History { counts: [1; 2], has_begun: true, ..History::default() }, 6),
            11_usize.pow(6)
        );
    }
}
