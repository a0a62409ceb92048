use core::sync::atomic::{AtomicU64, Ordering};
use core::time::Duration;

use safety::Instant;

use crate::now;

/// How long the thread of a node may give no sign of life before the loops beside it stop what they move.
///
/// A node's thread wakes every 0.1 s at least.
pub const LONGEST_SILENCE: Duration = Duration::from_millis(250);

/// The sign of life of a thread, for another thread that stops something without it.
///
/// # Real-time
/// An atomic: neither side waits for the other.
#[derive(Debug)]
pub struct Pulse {
    /// When it last beat, in nanoseconds since boot; [`NEVER`] before that.
    last: AtomicU64,
    /// How long it may be silent.
    pub limit: Duration,
}

/// A time that no clock reaches.
const NEVER: u64 = u64::MAX;

impl Pulse {
    /// A pulse that may be silent for `limit`, and is lost until its first beat: a thread that never gives a sign of life is not alive.
    pub const fn new(limit: Duration) -> Self {
        Self { last: AtomicU64::new(NEVER), limit }
    }

    /// A pulse that beats now, and so is supervised from now on.
    pub fn started(limit: Duration) -> Self {
        let pulse = Self::new(limit);
        pulse.beat();
        pulse
    }

    /// Gives a sign of life.
    pub fn beat(&self) {
        self.beat_at(now());
    }

    /// Gives a sign of life at a time that the caller read.
    pub fn beat_at(&self, now: Instant) {
        self.last.store(now.as_nanos(), Ordering::SeqCst);
    }

    /// The time since the last sign of life, or the longest there is before the first one.
    pub fn silence(&self, now: Instant) -> Duration {
        match self.last.load(Ordering::SeqCst) {
            NEVER => Duration::MAX,
            last => now.since(Instant::from_nanos(last)),
        }
    }

    /// Whether it has ever beaten.
    pub fn has_begun(&self) -> bool {
        self.last.load(Ordering::SeqCst) != NEVER
    }

    /// Whether it has been silent for longer than it may.
    pub fn is_lost(&self, now: Instant) -> bool {
        self.silence(now) > self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_millis(100);

    #[test]
    fn it_is_lost_before_its_first_beat_and_after_its_limit() {
        let pulse = Pulse::new(LIMIT);
        let at = |millis: u64| Instant::from_millis(5000 + millis);
        assert!(
            pulse.is_lost(Instant::ZERO) && pulse.is_lost(at(0)) && !pulse.has_begun(),
            "nobody lives yet"
        );
        pulse.beat_at(at(0));
        assert!(!pulse.is_lost(at(100)) && pulse.is_lost(at(101)));
        pulse.beat_at(at(101));
        assert!(!pulse.is_lost(at(201)));
        assert!(pulse.has_begun());
        assert_eq!(pulse.silence(at(151)), LIMIT / 2);
    }

    #[test]
    fn a_started_one_lives_for_its_limit_without_a_beat() {
        let before = now();
        let pulse = Pulse::started(LIMIT);
        assert!(pulse.has_begun() && !pulse.is_lost(before + LIMIT) && pulse.is_lost(now() + LIMIT * 2));
    }
}
