use core::fmt;
use core::time::Duration;

use safety::{Clock, Freshness, Instant, MessageTime, PublisherCount, Stamp};

/// The state of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LockState {
    /// It published open within its timeout.
    Open,
    /// It published closed within its timeout.
    Closed,
    /// It published nothing within its timeout, and counts as closed.
    Silent,
    /// It has several publishers or an incompatible one, and counts as closed meanwhile.
    Conflict(PublisherCount),
}

impl LockState {
    /// Whether it masks sources below it.
    pub const fn is_closed(self) -> bool {
        !matches!(self, Self::Open)
    }

    /// Whether it masks them because it is silent or in conflict.
    pub const fn is_lost(self) -> bool {
        matches!(self, Self::Silent | Self::Conflict(_))
    }
}

impl fmt::Display for LockState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open => f.write_str("open"),
            Self::Closed => f.write_str("closed"),
            Self::Silent => f.write_str("silent, counts as closed"),
            Self::Conflict(publishers) => write!(f, "counts as closed: {publishers}"),
        }
    }
}

/// A lock opens after it published only open for this time. The time is longer than the interval at which the publishers of its
/// topic are counted, so a second publisher opens nothing before it is detected.
const OPENING: Duration = Duration::from_millis(250);

/// The monitor of one lock.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct LockMonitor {
    freshness: Freshness,
    last: Option<(MessageTime, bool)>,
    /// When it opens if it continues to publish open.
    opens: Instant,
    publishers: PublisherCount,
}

impl LockMonitor {
    /// Receives a message that is read now. One that may have been queued for the whole timeout does not open the lock.
    pub(crate) fn receive(&mut self, clock: &Clock, closed: bool, timeout: Duration) {
        let now = clock.now();
        if closed || self.last.is_none_or(|(time, _)| time.is_expired(now, timeout)) {
            self.opens = now + OPENING;
        }
        match self.freshness.judge(clock, Stamp::ZERO, timeout) {
            Ok(time) => self.last = Some((time, closed)),
            Err(_) if closed => self.last = Some((MessageTime::new(now, Duration::ZERO), true)),
            Err(_) => {}
        }
    }

    /// Records the number of publishers. A message of one of several does not count any more: its publisher is not known.
    pub(crate) fn count(&mut self, publishers: PublisherCount) {
        if self.publishers.is_conflict() || publishers.is_conflict() {
            self.last = None;
        }
        self.publishers = publishers;
    }

    /// Lets time pass: a message that is too old is discarded, so a longer `timeout` does not restore it.
    pub(crate) fn expire(&mut self, now: Instant, timeout: Duration) {
        self.last = self.last.filter(|(time, _)| !time.is_expired(now, timeout));
    }

    pub(crate) fn state(&self, now: Instant, timeout: Duration) -> LockState {
        match self.last {
            _ if self.publishers.is_conflict() => LockState::Conflict(self.publishers),
            Some((time, closed)) if !time.is_expired(now, timeout) => match closed || now < self.opens {
                true => LockState::Closed,
                false => LockState::Open,
            },
            _ => LockState::Silent,
        }
    }

    /// When it opens, or times out if no message is received.
    pub(crate) fn expiry(&self, now: Instant, timeout: Duration) -> Option<Instant> {
        let (time, closed) = self.last?;
        let silence = Some(time.expiry(timeout)).filter(|&at| now < at)?;
        Some(if closed || now >= self.opens { silence } else { silence.min(self.opens) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(500);

    fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn clock(at: u64) -> Clock {
        let mut clock = Clock::default();
        clock.pass_to(ms(at), None);
        clock
    }

    #[test]
    fn a_lock_is_open_only_while_it_publishes_open_in_time() {
        let mut lock = LockMonitor::default();
        assert_eq!((lock.state(ms(0), TIMEOUT), lock.expiry(ms(0), TIMEOUT)), (LockState::Silent, None));
        lock.receive(&clock(10), false, TIMEOUT);
        assert_eq!(
            (lock.state(ms(259), TIMEOUT), lock.expiry(ms(259), TIMEOUT)),
            (LockState::Closed, Some(ms(260)))
        );
        assert_eq!(lock.state(ms(260), TIMEOUT), LockState::Open);
        assert_eq!(lock.state(ms(509), TIMEOUT), LockState::Open);
        assert_eq!(lock.expiry(ms(509), TIMEOUT), Some(ms(510)));
        assert_eq!((lock.state(ms(510), TIMEOUT), lock.expiry(ms(510), TIMEOUT)), (LockState::Silent, None));
        lock.receive(&clock(600), true, TIMEOUT);
        assert_eq!(
            (lock.state(ms(600), TIMEOUT), lock.state(ms(1100), TIMEOUT)),
            (LockState::Closed, LockState::Silent)
        );
    }

    #[test]
    fn a_queued_message_does_not_open_a_lock_but_closes_it() {
        let mut held = clock(0);
        held.pass_to(ms(3_000), Some(ms(50)));
        let mut lock = LockMonitor::default();
        lock.receive(&held, false, TIMEOUT);
        assert_eq!(lock.state(ms(3_000), TIMEOUT), LockState::Silent);
        lock.receive(&held, true, TIMEOUT);
        assert_eq!(lock.state(ms(3_000), TIMEOUT), LockState::Closed);
    }

    #[test]
    fn a_second_publisher_closes_it_while_it_lasts() {
        let mut lock = LockMonitor::default();
        lock.receive(&clock(10), false, TIMEOUT);
        lock.count(PublisherCount::of(2));
        let state = lock.state(ms(300), TIMEOUT);
        assert!(state.is_closed() && state.is_lost());
        assert_eq!(state.to_string(), "counts as closed: 2 publishers, must be 1");
        // No message of either of them opens it.
        lock.receive(&clock(290), false, TIMEOUT);
        lock.count(PublisherCount::of(1));
        assert_eq!(lock.state(ms(300), TIMEOUT), LockState::Silent);
        lock.receive(&clock(310), false, TIMEOUT);
        assert_eq!([559, 560].map(|at| lock.state(ms(at), TIMEOUT)), [LockState::Closed, LockState::Open]);
    }

    #[test]
    fn a_longer_timeout_does_not_restore_a_message() {
        let mut lock = LockMonitor::default();
        lock.receive(&clock(10), false, TIMEOUT);
        lock.expire(ms(509), TIMEOUT);
        assert_eq!(lock.state(ms(509), TIMEOUT), LockState::Open);
        lock.expire(ms(510), TIMEOUT);
        assert_eq!(lock.state(ms(510), TIMEOUT * 10), LockState::Silent);
    }

    #[test]
    fn a_publisher_of_open_beside_one_of_closed_does_not_open_the_lock() {
        let mut lock = LockMonitor::default();
        for at in (0..5_000).step_by(10) {
            lock.receive(&clock(at), at % 200 == 0, TIMEOUT);
            assert_eq!(lock.state(ms(at), TIMEOUT), LockState::Closed, "at {at} ms");
        }
    }
}
