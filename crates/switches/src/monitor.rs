use core::time::Duration;

use safety::{Clock, Instant, MessageTime, PublisherCount, PublisherId};

use crate::{Durability, Invalid, PAUSE, SETTLING, Silence, Switch};

/// The last word of a source.
#[derive(Clone, Copy, Debug)]
struct Word {
    on: bool,
    time: MessageTime,
}

/// The monitor of one switch's source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Monitor {
    /// The last word of the present publisher, or why there is none.
    word: Result<Word, Silence>,
    publishers: PublisherCount,
    /// The only publisher, if there is exactly one that can be received.
    publisher: Option<PublisherId>,
    /// When the publishers were counted last.
    counted: Option<Instant>,
    /// When the first message of the present publisher was received.
    first: Option<Instant>,
    /// How many messages were received.
    pub(crate) received: u64,
}

impl Default for Monitor {
    fn default() -> Self {
        Self {
            word: Err(Silence::NotReceived),
            publishers: PublisherCount::NONE,
            publisher: None,
            counted: None,
            first: None,
            received: 0,
        }
    }
}

impl Monitor {
    /// Receives a message that is read now. With a `timeout` it counts only if it cannot have waited for long. What is received while there
    /// is not exactly one publisher is forgotten when there is.
    pub(crate) fn receive(&mut self, clock: &Clock, state: Result<bool, Invalid>, timeout: Option<Duration>) {
        self.received += 1;
        self.first.get_or_insert(clock.now());
        let time = MessageTime::read_now(clock);
        let is_old = |timeout| clock.waited() > PAUSE || time.is_expired(clock.now(), timeout);
        self.word = match state {
            _ if timeout.is_some_and(is_old) => Err(Silence::Held),
            Ok(on) => Ok(Word { on, time }),
            Err(reason) => Err(Silence::Invalid(reason)),
        };
    }

    /// Records the publishers, and the only one among them. No word of another publisher counts, nor one from before an interruption.
    pub(crate) fn count(&mut self, now: Instant, publishers: PublisherCount, publisher: Option<PublisherId>) {
        let publisher = publisher.filter(|_| publishers == PublisherCount::of(1));
        if self.publisher != publisher {
            (self.word, self.first) = (Err(Silence::NotReceived), None);
        }
        (self.publishers, self.publisher, self.counted) = (publishers, publisher, Some(now));
    }

    /// Forgets the word of a source that must repeat, for `reason`.
    pub(crate) fn forget(&mut self, timeout: Option<Duration>, reason: Silence) {
        if timeout.is_some() && self.word.is_ok() {
            self.word = Err(reason);
        }
    }

    /// Lets time pass: a word that is too old never counts again.
    pub(crate) fn expire(&mut self, now: Instant, timeout: Option<Duration>) {
        let is_old = |word: Word| timeout.is_some_and(|timeout| word.time.is_expired(now, timeout));
        if self.word.is_ok_and(is_old) {
            self.word = Err(Silence::TimedOut);
        }
    }

    /// Returns what to publish at `now`, and until when that may be sent.
    pub(crate) fn state(&self, now: Instant, switch: &Switch) -> Result<(bool, Instant), Silence> {
        if self.counted.is_none_or(|counted| now.since(counted) > PAUSE) {
            return Err(Silence::NotCounted);
        }
        if self.publishers.is_conflict() {
            return Err(Silence::Conflict(self.publishers));
        }
        if self.publisher.is_none() {
            return Err(Silence::NoPublisher);
        }
        let word = self.word?;
        if self.settles(switch).is_some_and(|at| now < at) {
            return Err(Silence::Settling);
        }
        let until = now + PAUSE;
        let until = switch.timeout.map_or(until, |timeout| until.min(word.time.expiry(timeout)));
        Ok((word.on != switch.invert, until))
    }

    /// When the last one of the latched messages is certainly received.
    pub(crate) fn settles(&self, switch: &Switch) -> Option<Instant> {
        let first = self.first.filter(|_| switch.durability == Durability::TransientLocal)?;
        Some(first + SETTLING)
    }
}
