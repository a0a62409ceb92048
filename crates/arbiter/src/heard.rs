use core::time::Duration;

use units::{Instant, Stamp};

/// What was last heard of a source. Its commands are not kept: one drives from the call that brought it or never.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heard {
    last: Option<Message>,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    /// When it came; for a repeated stamp, when that stamp first came.
    at: Instant,
    /// The newest stamp while the source is fresh; zero if it gives none.
    stamp: Stamp,
    valid: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    NeverHeard,
    TimedOut,
    Invalid,
    Valid,
}

impl Heard {
    /// Takes note of a message; whether it counts.
    ///
    /// * A valid one with an older stamp than that of a fresh source is late and does not count: it neither drives nor
    ///   keeps the source alive. Once the source has timed out any other stamp counts, so that a clock which was set
    ///   back costs one timeout and not the source.
    /// * The same stamp again is no news: the source's time goes on running from when that stamp first came. Thus a
    ///   relay that repeats a dead sender's last message does not keep it alive.
    /// * An invalid one always counts.
    pub(crate) fn receive(&mut self, now: Instant, timeout: Duration, stamp: Stamp, valid: bool) -> bool {
        let mut message = Message { at: now, stamp, valid };
        if let Some(last) = self.last {
            let fresh = now < last.at + timeout;
            let older = !stamp.is_zero() && !last.stamp.is_zero() && stamp < last.stamp;
            if valid && fresh && older {
                return false;
            }
            if !stamp.is_zero() && stamp == last.stamp {
                message.at = last.at;
            }
            if stamp.is_zero() || (fresh && older) {
                message.stamp = last.stamp;
            }
        }
        self.last = Some(message);
        true
    }

    pub(crate) fn health(&self, now: Instant, timeout: Duration) -> Health {
        match self.last {
            None => Health::NeverHeard,
            Some(last) if now >= last.at + timeout => Health::TimedOut,
            Some(Message { valid: false, .. }) => Health::Invalid,
            Some(_) => Health::Valid,
        }
    }

    /// When the source times out; `None` if it has or was never heard.
    pub(crate) fn expiry(&self, now: Instant, timeout: Duration) -> Option<Instant> {
        self.last.map(|last| last.at + timeout).filter(|&at| now < at)
    }
}

/// What was last heard of a lock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bolt {
    last: Option<(Instant, bool)>,
}

impl Bolt {
    pub(crate) fn receive(&mut self, now: Instant, closed: bool) {
        self.last = Some((now, closed));
    }

    /// Closed unless it said within its timeout that it is open.
    pub(crate) fn is_closed(&self, now: Instant, timeout: Duration) -> bool {
        self.last.is_none_or(|(at, closed)| closed || now >= at + timeout)
    }

    /// Whether it is closed because nothing is heard of it.
    pub(crate) fn is_silent(&self, now: Instant, timeout: Duration) -> bool {
        self.last.is_none_or(|(at, _)| now >= at + timeout)
    }

    /// When an open lock closes by silence; `None` if it is closed.
    pub(crate) fn expiry(&self, now: Instant, timeout: Duration) -> Option<Instant> {
        self.last.filter(|&(_, closed)| !closed).map(|(at, _)| at + timeout).filter(|&at| now < at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(500);

    fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn stamp(sec: i32) -> Stamp {
        Stamp { sec, nanosec: 0 }
    }

    #[test]
    fn the_timeout_itself_is_too_late() {
        let mut heard = Heard::default();
        assert_eq!(heard.health(ms(0), TIMEOUT), Health::NeverHeard);
        assert!(heard.receive(ms(100), TIMEOUT, Stamp::ZERO, true));
        assert_eq!(heard.health(ms(599), TIMEOUT), Health::Valid);
        assert_eq!(heard.health(ms(600), TIMEOUT), Health::TimedOut);
        assert_eq!(heard.expiry(ms(599), TIMEOUT), Some(ms(600)));
        assert_eq!(heard.expiry(ms(600), TIMEOUT), None);
    }

    #[test]
    fn a_late_message_does_not_count_while_the_source_is_fresh() {
        let mut heard = Heard::default();
        assert!(heard.receive(ms(0), TIMEOUT, stamp(5), true));
        assert!(!heard.receive(ms(400), TIMEOUT, stamp(4), true));
        assert_eq!(heard.health(ms(500), TIMEOUT), Health::TimedOut, "it did not keep the source alive");
        assert!(heard.receive(ms(500), TIMEOUT, stamp(4), true), "a clock that was set back");
    }

    #[test]
    fn a_repeated_stamp_does_not_keep_a_source_alive() {
        let mut heard = Heard::default();
        for at in [0, 200, 400, 600, 5_000] {
            assert!(heard.receive(ms(at), TIMEOUT, stamp(5), true));
        }
        assert_eq!(heard.health(ms(499), TIMEOUT), Health::Valid);
        assert_eq!(heard.health(ms(5_000), TIMEOUT), Health::TimedOut);
        assert!(heard.receive(ms(5_001), TIMEOUT, stamp(6), true));
        assert_eq!(heard.health(ms(5_001), TIMEOUT), Health::Valid);
    }

    #[test]
    fn messages_without_a_stamp_are_judged_by_receipt_alone() {
        let mut heard = Heard::default();
        assert!(heard.receive(ms(0), TIMEOUT, stamp(5), true));
        assert!(heard.receive(ms(400), TIMEOUT, Stamp::ZERO, true));
        assert_eq!(heard.health(ms(899), TIMEOUT), Health::Valid);
        assert!(!heard.receive(ms(500), TIMEOUT, stamp(4), true), "the last stamp is remembered");
    }

    #[test]
    fn an_invalid_message_counts_however_old_its_stamp_is() {
        let mut heard = Heard::default();
        assert!(heard.receive(ms(0), TIMEOUT, stamp(5), true));
        assert!(heard.receive(ms(1), TIMEOUT, stamp(3), false));
        assert_eq!(heard.health(ms(1), TIMEOUT), Health::Invalid);
        assert!(!heard.receive(ms(2), TIMEOUT, stamp(4), true), "older than what was accepted");
        assert!(heard.receive(ms(3), TIMEOUT, stamp(6), true));
        assert_eq!(heard.health(ms(3), TIMEOUT), Health::Valid);
    }

    #[test]
    fn a_lock_is_open_only_if_it_says_so_in_time() {
        let mut bolt = Bolt::default();
        assert!(bolt.is_closed(ms(0), TIMEOUT) && bolt.is_silent(ms(0), TIMEOUT));
        bolt.receive(ms(0), false);
        assert!(!bolt.is_closed(ms(499), TIMEOUT));
        assert!(bolt.is_closed(ms(500), TIMEOUT) && bolt.is_silent(ms(500), TIMEOUT));
        bolt.receive(ms(600), true);
        assert!(bolt.is_closed(ms(600), TIMEOUT) && !bolt.is_silent(ms(600), TIMEOUT));
        assert_eq!(bolt.expiry(ms(600), TIMEOUT), None, "closed stays closed without a deadline");
    }
}
