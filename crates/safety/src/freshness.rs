//! Which messages are fresh: the one rule about stamps, receipt and queueing that every machine uses.

use core::time::Duration;

use crate::{Clock, Instant, Stamp};

/// How far a stamp may lie ahead of the clock of stamps: the clocks of two computers differ. It makes no message fresher.
pub const AHEAD: Duration = Duration::from_millis(100);

/// The interval at which each stage sends zero while no motion is asked for: the next stage receives an unbroken stream.
pub const HEARTBEAT: Duration = Duration::from_millis(100);

/// While a command is in force its machine is called at least this often, to detect that the process was suspended.
pub const WATCHDOG_INTERVAL: Duration = Duration::from_millis(50);

/// The shortest time-out of a stage's commands \[s]. With one below [`HEARTBEAT`] each zero would be lost before the next one is
/// received, and whether the motion that follows counts would depend on when it begins. Half a heartbeat is left for the transport
/// and a late thread.
///
/// # Source
/// own
pub const SHORTEST_COMMAND_TIMEOUT: f64 = 0.15;
const _: () = assert!(SHORTEST_COMMAND_TIMEOUT * 1000.0 >= 1.5 * HEARTBEAT.as_millis() as f64);

/// A stick that is removed within this time after its release was not released: the kernel reports all buttons of a device that is
/// pulled out as released, and its removal up to some tens of milliseconds later. No receiver lets anything else drive
/// before, if its clock agrees with the sender's.
///
/// # Source
/// own; Linux: `input_disconnect_device` releases the keys before the handlers disconnect.
pub const REMOVAL_TIME: Duration = Duration::from_millis(250);

/// The shortest time for which a source of stick states may be silent before another one drives \[s]: [`REMOVAL_TIME`], and the
/// time that the loss takes to be received.
///
/// # Source
/// own
pub const SHORTEST_STICK_TIMEOUT: f64 = 0.3;
const _: () = assert!(SHORTEST_STICK_TIMEOUT * 1000.0 > REMOVAL_TIME.as_millis() as f64);

/// A message that may have waited for this long, since a thread or the process was held, asks for nothing any more: a request is refused, and a
/// message stops what it commanded.
pub const STALE: Duration = Duration::from_millis(500);

/// Whether what is read now is [`STALE`].
pub fn is_stale(clock: &Clock) -> bool {
    MessageTime::read_now(clock).is_expired(clock.now(), STALE)
}

/// The time from which a message counts: its stamp, or the earliest time at which it can have been received, whichever is older.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct MessageTime {
    received: Instant,
    /// Its age when it was received.
    age: Duration,
}

impl MessageTime {
    /// The time `age` before `received`.
    pub const fn new(received: Instant, age: Duration) -> Self {
        Self { received, age }
    }

    /// The time of a message that is read now, without a stamp: it may have waited since this thread was held.
    pub fn read_now(clock: &Clock) -> Self {
        Self::new(clock.now(), clock.waited())
    }

    /// When the message was new; not before the clock began.
    pub fn begin(self) -> Instant {
        Instant::ZERO + self.received.since(Instant::ZERO).saturating_sub(self.age)
    }

    /// The age at `now`.
    pub fn age(self, now: Instant) -> Duration {
        now.since(self.received).saturating_add(self.age)
    }

    /// When the message is `timeout` old; not before it was received.
    pub fn expiry(self, timeout: Duration) -> Instant {
        self.received + timeout.saturating_sub(self.age)
    }

    /// Whether the message is `timeout` old at `now`. The timeout itself is too late.
    pub fn is_expired(self, now: Instant, timeout: Duration) -> bool {
        self.age(now) >= timeout
    }
}

/// Why a message does not count; as text, words that follow "the last one".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stale {
    /// Its stamp is older than that of a message that is still fresh: it was overtaken on the way.
    #[error("was stamped earlier than the one before")]
    Late,
    /// It is as old as the timeout, by its stamp or because it can have waited unread for that long.
    #[error("was {:.3} s old", .age.as_secs_f64())]
    Old {
        /// Its age.
        age: Duration,
    },
    /// Its stamp lies more than [`AHEAD`] in the future, so its age is not known.
    #[error("was stamped {:.3} s ahead of this clock", .by.as_secs_f64())]
    Ahead {
        /// How far it lies in the future.
        by: Duration,
    },
    /// It repeats the stamp of an earlier message, which is too old.
    #[error("had the stamp of one that is {:.3} s old", .age.as_secs_f64())]
    Repeated {
        /// The age of the earlier message.
        age: Duration,
    },
    /// It has a stamp, and the time is not known: not here, or not where it was stamped.
    #[error("was stamped, and the time is not known")]
    NoTime,
}

/// Judges the stamps of one publisher: too old, late, from the future, or repeated.
///
/// * A stamp makes a message older, never fresher. Without one (zero) its receipt counts.
/// * A message that was read after the process was held counts as maximally old ([`Clock::waited`]).
/// * A stamp older than the newest one is late while the newest is fresh. After that time any stamp counts, so a sender's clock
///   that was set back costs one timeout and not the source. If this computer's clock was set back, no message is late.
/// * A repeated stamp does not restart the time of the first message. A relay that repeats a dead sender's last message does
///   not keep it alive, and the last stamp whose age was not known does not become valid by repetition.
/// * While [the clock is unreliable](Clock::is_reliable) only a message without a stamp counts.
/// # Real-time
/// No allocation; constant time.
/// # Source
/// own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Freshness {
    /// The newest stamp that was accepted, zero before the first, and its time.
    newest: (Stamp, MessageTime),
    /// The last stamp that was refused because its age was not known; zero once another one was accepted.
    ahead: Stamp,
}

impl Freshness {
    /// Judges a message that is read now, and returns its time.
    /// * `timeout`: the time for which a message of this publisher counts
    /// # Errors
    /// [`Stale`] if it does not count.
    pub fn judge(&mut self, clock: &Clock, stamp: Stamp, timeout: Duration) -> Result<MessageTime, Stale> {
        let (now, wall) = (clock.now(), clock.wall());
        let waited = MessageTime::read_now(clock);
        if stamp.is_zero() {
            return if waited.is_expired(now, timeout) {
                Err(Stale::Old { age: waited.age })
            } else {
                Ok(waited)
            };
        }
        if !clock.is_reliable() || stamp == Stamp::UNKNOWN {
            self.ahead = stamp;
            return Err(Stale::NoTime);
        }
        let (newest, time) = self.newest;
        if stamp == newest {
            let age = time.age(now);
            return if age >= timeout { Err(Stale::Repeated { age }) } else { Ok(time) };
        }
        let by = time_from(wall, stamp);
        if by > AHEAD || stamp == self.ahead {
            self.ahead = stamp;
            return Err(Stale::Ahead { by });
        }
        let clock_went_back = is_ahead(clock, newest);
        if !newest.is_zero() && stamp < newest && !time.is_expired(now, timeout) && !clock_went_back {
            return Err(Stale::Late);
        }
        let age = time_from(stamp, wall).max(waited.age);
        if age >= timeout {
            return Err(Stale::Old { age });
        }
        let time = MessageTime::new(now, age);
        *self = Self { newest: (stamp, time), ahead: Stamp::ZERO };
        Ok(time)
    }

    /// This state with every time relative to `now`, without times that cannot matter any more: equal for two that will judge
    /// alike. For exhaustive searches.
    #[must_use]
    pub fn relative(
        self,
        now: Instant,
        wall: Stamp,
        timeout: Duration,
    ) -> (Option<(i64, Duration)>, Option<i64>) {
        let offset = |stamp: Stamp| stamp.as_nanos().saturating_sub(wall.as_nanos());
        let (newest, time) = self.newest;
        let age = time.age(now).min(timeout);
        (
            (!newest.is_zero()).then(|| (offset(newest), age)),
            (!self.ahead.is_zero()).then(|| offset(self.ahead)),
        )
    }
}

/// Whether `stamp` lies too far ahead of the clock of stamps to give an age. If it did not when it was accepted, the clock was set
/// back.
pub fn is_ahead(clock: &Clock, stamp: Stamp) -> bool {
    time_from(clock.wall(), stamp) > AHEAD
}

/// The time from `earlier` to `later`; zero if it is the other way round or if one of them is unknown.
fn time_from(earlier: Stamp, later: Stamp) -> Duration {
    if earlier.is_zero() || later.is_zero() {
        return Duration::ZERO;
    }
    Duration::from_nanos(u64::try_from(later.as_nanos().saturating_sub(earlier.as_nanos())).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClockReading;
    use crate::test_clock::{TIMEOUT, clock, clock_reading, ms, wall};

    fn age(judged: Result<MessageTime, Stale>, at: u64) -> Option<Duration> {
        judged.ok().map(|time| time.age(Instant::from_millis(at)))
    }

    #[test]
    fn a_stamp_makes_a_message_older_and_never_fresher() {
        let judge = |stamp| age(Freshness::default().judge(&clock(1000), stamp, TIMEOUT), 1000);
        assert_eq!(judge(wall(1000)), Some(ms(0)));
        assert_eq!(judge(wall(501)), Some(ms(499)));
        assert_eq!(judge(wall(500)), None, "the timeout itself is too late");
        assert_eq!(judge(wall(1100)), Some(ms(0)), "as if it was stamped now");
        assert_eq!(judge(wall(1101)), None);
        assert_eq!(judge(Stamp::ZERO), Some(ms(0)));
    }

    #[test]
    fn a_late_message_is_refused_while_the_newest_is_fresh() {
        let mut freshness = Freshness::default();
        assert!(freshness.judge(&clock(0), wall(0), TIMEOUT).is_ok());
        assert_eq!(freshness.judge(&clock(100), wall(-1), TIMEOUT), Err(Stale::Late));
        assert_eq!(age(freshness.judge(&clock(500), wall(400), TIMEOUT), 500), Some(ms(100)));
        assert_eq!(freshness.judge(&clock(501), wall(399), TIMEOUT), Err(Stale::Late));
        // The newest message counts from 400 and expires at 900: a sender's clock that was set back costs one timeout.
        assert!(freshness.judge(&clock(900), wall(401 + 100), TIMEOUT).is_ok());
    }

    #[test]
    fn a_repeated_stamp_does_not_refresh() {
        let mut freshness = Freshness::default();
        for at in [0, 200, 400] {
            assert_eq!(age(freshness.judge(&clock(at), wall(0), TIMEOUT), at), Some(ms(at)));
        }
        assert_eq!(freshness.judge(&clock(500), wall(0), TIMEOUT), Err(Stale::Repeated { age: ms(500) }));
        // Its age is kept although the clock was set back.
        assert_eq!(
            freshness.judge(&clock_reading(600, 0), wall(0), TIMEOUT),
            Err(Stale::Repeated { age: ms(600) })
        );
    }

    #[test]
    fn a_stamp_from_the_future_does_not_become_valid_by_repetition() {
        let mut freshness = Freshness::default();
        for at in (0..5_000).step_by(100) {
            assert!(freshness.judge(&clock(at), wall(2_000), TIMEOUT).is_err(), "at {at} ms");
        }
        assert!(
            freshness.judge(&clock(5_000), wall(5_000), TIMEOUT).is_ok(),
            "it does not make another one late"
        );
        // A stream that was ahead once and has been current since may reach that stamp.
        assert!(freshness.judge(&clock(6_000), wall(7_000), TIMEOUT).is_err());
        assert!(freshness.judge(&clock(6_500), wall(6_500), TIMEOUT).is_ok());
        assert!(freshness.judge(&clock(7_000), wall(7_000), TIMEOUT).is_ok());
    }

    #[test]
    fn an_own_clock_that_is_set_back_makes_no_message_late() {
        let mut freshness = Freshness::default();
        assert!(freshness.judge(&clock_reading(0, 900), wall(900), TIMEOUT).is_ok());
        assert!(freshness.judge(&clock_reading(1, 799), wall(799), TIMEOUT).is_ok(), "101 ms back");
        assert_eq!(
            freshness.judge(&clock_reading(2, 699), wall(698), TIMEOUT),
            Err(Stale::Late),
            "100 ms back"
        );
    }

    #[test]
    fn without_a_time_only_a_message_without_a_stamp_counts() {
        let unreliable = |at: u64| {
            let mut clock = clock(at);
            clock.read(Instant::from_millis(at), ClockReading { stamp: wall(at as i64), is_reliable: false });
            clock
        };
        let mut freshness = Freshness::default();
        for stamp in [wall(0), wall(-1), wall(1_000_000), Stamp { sec: -1, nanosec: 0 }, Stamp::UNKNOWN] {
            assert_eq!(freshness.judge(&unreliable(0), stamp, TIMEOUT), Err(Stale::NoTime));
        }
        assert_eq!(age(freshness.judge(&unreliable(0), Stamp::ZERO, TIMEOUT), 0), Some(ms(0)));
        // A stamp that was refused so does not become valid by repetition, and an accepted one keeps its age.
        assert!(freshness.judge(&unreliable(0), wall(0), TIMEOUT).is_err());
        assert!(freshness.judge(&clock(10), wall(0), TIMEOUT).is_err());
        assert!(freshness.judge(&clock(20), wall(20), TIMEOUT).is_ok());
        assert_eq!(freshness.judge(&unreliable(120), wall(20), TIMEOUT), Err(Stale::NoTime));
        assert_eq!(age(freshness.judge(&clock(130), wall(20), TIMEOUT), 130), Some(ms(110)));
        // What was stamped without a time counts nowhere, even if the clock here has just begun.
        let mut begun = Clock::default();
        begun.read(Instant::ZERO, Stamp { sec: 0, nanosec: 2 });
        begun.pass_to(Instant::ZERO, None);
        assert_eq!(Freshness::default().judge(&begun, Stamp::UNKNOWN, TIMEOUT), Err(Stale::NoTime));
    }

    #[test]
    fn queued_commands_are_assumed_maximally_old() {
        let mut clock = Clock::default();
        clock.pass_to(Instant::from_millis(1000), Some(Instant::from_millis(1000)));
        clock.pass_to(Instant::from_millis(1300), Some(Instant::from_millis(1020)));
        assert_eq!(age(Freshness::default().judge(&clock, Stamp::ZERO, TIMEOUT), 1300), Some(ms(300)));
        clock.pass_to(Instant::from_millis(11_000), Some(Instant::from_millis(1320)));
        let held = Freshness::default().judge(&clock, Stamp::ZERO, TIMEOUT);
        assert_eq!(held, Err(Stale::Old { age: ms(10_000) }), "held again before the queues were empty");
    }

    #[test]
    fn the_ends_of_time_do_not_overflow() {
        let (first, last) = (Stamp { sec: i32::MIN, nanosec: 0 }, Stamp { sec: i32::MAX, nanosec: u32::MAX });
        for (read, stamp) in [(first, last), (last, first)] {
            let mut clock = Clock::default();
            clock.read(Instant::from_nanos(u64::MAX), read);
            clock.pass_to(Instant::from_nanos(u64::MAX), None);
            assert!(Freshness::default().judge(&clock, stamp, Duration::MAX).is_ok() || read < stamp);
            assert!(Freshness::default().judge(&clock, stamp, TIMEOUT).is_err());
        }
    }

    #[test]
    fn no_age_is_known_before_the_clock_was_read() {
        let mut clock = Clock::default();
        clock.pass_to(Instant::from_millis(1000), None);
        let judged = Freshness::default().judge(&clock, wall(100_000_000), TIMEOUT);
        assert_eq!(age(judged, 1000), Some(ms(0)), "neither old nor from the future: there is no wall clock");
    }

    #[test]
    fn two_that_will_judge_alike_are_equal_relative_to_now() {
        let relative =
            |freshness: Freshness, at| freshness.relative(Instant::from_millis(at), wall(at as i64), TIMEOUT);
        assert_eq!(relative(Freshness::default(), 0), (None, None));
        let of = |begin: u64| {
            let mut freshness = Freshness::default();
            let begin_wall = begin as i64;
            assert!(freshness.judge(&clock(begin), wall(begin_wall - 30), TIMEOUT).is_ok());
            assert!(freshness.judge(&clock(begin + 10), wall(begin_wall + 400), TIMEOUT).is_err());
            relative(freshness, begin + 20)
        };
        assert_eq!(of(1000), (Some((-50_000_000, ms(50))), Some(380_000_000)));
        assert_eq!(of(1000), of(7000));
    }
}
