use core::time::Duration;

use units::Instant;

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
