use core::time::Duration;

use units::{Instant, Stamp};

use crate::Source;

/// What was last heard of a source. Its commands are not kept: one drives from the call that brought it or never.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Heard {
    last: Option<Message>,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    /// When it came; for a repeated stamp, when that stamp first came.
    at: Instant,
    /// Its own stamp, to know it again.
    told: Stamp,
    /// The newest stamp, zero if it gave none, and when that came.
    newest: Stamp,
    newest_at: Instant,
    /// By its stamp at `at`; `None` if it has none or nobody knows what time it is.
    age: Option<Age>,
    valid: bool,
    /// Whether its source has timed out by a time-out that was shorter than today's.
    lapsed: bool,
}

/// How old a message was when it came, by its stamp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Age {
    /// How far the stamp lay behind the wall clock.
    behind: Duration,
    /// How far it lay ahead.
    ahead: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Health {
    NeverHeard,
    TimedOut,
    TooOld,
    FromFuture,
    Invalid,
    Valid,
}

impl Age {
    /// Of `stamp` when the wall clock says `wall`; zero stands for unknown in either.
    fn of(stamp: Stamp, wall: Stamp) -> Option<Self> {
        let behind = wall.as_nanos().saturating_sub(stamp.as_nanos());
        let time = Duration::from_nanos(behind.unsigned_abs());
        let (behind, ahead) = if behind < 0 { (Duration::ZERO, time) } else { (time, Duration::ZERO) };
        (!stamp.is_zero() && !wall.is_zero()).then_some(Self { behind, ahead })
    }

    fn is_ahead(self, source: &Source) -> bool {
        !source.max_age.is_zero() && self.ahead > source.skew
    }

    /// The same with all that is said against the message at either of two times.
    fn worse(self, other: Self) -> Self {
        Self { behind: self.behind.max(other.behind), ahead: self.ahead.max(other.ahead) }
    }
}

impl Heard {
    /// Takes note of a message that came while the wall clock said `wall`; whether it counts.
    ///
    /// * A valid one with an older stamp than one that came within the timeout is late and does not count: it neither
    ///   drives nor keeps the source alive. After that time any stamp counts, so that a sender's clock which was set
    ///   back costs one timeout and not the source. The own clock, set back, costs nothing: what lies in its future now
    ///   makes nobody late, since a stop may be among them.
    /// * The same stamp again is no news: the source's time goes on running from when that stamp first came, and its
    ///   age is the greatest it ever was. Thus a relay that repeats a dead sender's last message does not keep it alive.
    /// * A stamp from the future counts, against its source, but makes no later one late.
    /// * An invalid one always counts.
    pub(crate) fn receive(
        &mut self,
        now: Instant,
        wall: Stamp,
        source: &Source,
        stamp: Stamp,
        valid: bool,
    ) -> bool {
        let age = Age::of(stamp, wall);
        let mut message =
            Message { at: now, told: stamp, newest: stamp, newest_at: now, age, valid, lapsed: false };
        let last = self.last.unwrap_or(Message { told: Stamp::ZERO, newest: Stamp::ZERO, ..message });
        let void = now >= last.newest_at + source.timeout
            || Age::of(last.newest, wall).is_some_and(|age| age.is_ahead(source));
        let older = !stamp.is_zero() && !last.newest.is_zero() && !void && stamp < last.newest;
        if valid && older {
            return false;
        }
        if !stamp.is_zero() && (stamp == last.told || stamp == last.newest) {
            (message.at, message.lapsed) = (last.at, last.lapsed);
            message.age =
                message.age.map(|age| Age { behind: age.behind.saturating_sub(now.since(last.at)), ..age });
        }
        if !stamp.is_zero() && stamp == last.told {
            message.age = match (message.age, last.age) {
                (Some(a), Some(b)) => Some(a.worse(b)),
                (a, b) => a.or(b),
            };
        }
        if stamp.is_zero() || stamp == last.newest || older || message.is_ahead(source) {
            (message.newest, message.newest_at) = (last.newest, last.newest_at);
        }
        self.last = Some(message);
        true
    }

    pub(crate) fn health(&self, now: Instant, source: &Source) -> Health {
        match self.last {
            None => Health::NeverHeard,
            Some(last) if last.lapsed || now >= last.at + source.timeout => Health::TimedOut,
            Some(Message { valid: false, .. }) => Health::Invalid,
            Some(last) if last.is_ahead(source) => Health::FromFuture,
            Some(last) => match last.ages_at(source) {
                Some(at) if at <= last.at => Health::TooOld,
                Some(at) if at <= now => Health::TimedOut,
                _ => Health::Valid,
            },
        }
    }

    /// A longer time-out brings nobody back who was silent for longer than the one so far.
    pub(crate) fn adopt(&mut self, now: Instant, old: &Source, new: &Source) {
        if self.health(now, old) == Health::TimedOut
            && self.health(now, new) == Health::Valid
            && let Some(last) = &mut self.last
        {
            last.lapsed = true;
        }
    }

    /// When the source times out; `None` if it has or was never heard.
    pub(crate) fn expiry(&self, now: Instant, source: &Source) -> Option<Instant> {
        let last = self.last.filter(|last| !last.lapsed)?;
        let times = [Some(last.at + source.timeout), last.ages_at(source)];
        times.into_iter().flatten().filter(|&at| now < at).min()
    }

    /// How old the last message is that counted, by its stamp or by its arrival, whichever makes it older.
    pub(crate) fn age(&self, now: Instant) -> Option<Duration> {
        let last = self.last?;
        Some(now.since(last.at).saturating_add(last.age.unwrap_or_default().behind))
    }
}

impl Message {
    fn is_ahead(&self, source: &Source) -> bool {
        self.age.is_some_and(|age| age.is_ahead(source))
    }

    /// When its stamp gets too old, which may have been before it came; `None` for never.
    fn ages_at(&self, source: &Source) -> Option<Instant> {
        let age = self.age.filter(|_| !source.max_age.is_zero())?;
        Some(self.at + source.max_age.saturating_sub(age.behind))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Kind;

    const UNKNOWN: Stamp = Stamp::ZERO;

    /// Timeout 500 ms, no limit of the stamp's age.
    fn source() -> Source {
        Source {
            timeout: Duration::from_millis(500),
            max_age: Duration::ZERO,
            ..Source::new("s", "/s", Kind::Twist, 1)
        }
    }

    /// The same with stamps from 400 ms ago to 100 ms ahead.
    fn judged() -> Source {
        Source { max_age: Duration::from_millis(400), skew: Duration::from_millis(100), ..source() }
    }

    fn ms(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn stamp(sec: i32) -> Stamp {
        Stamp { sec, nanosec: 0 }
    }

    /// 100 s and `millis`.
    fn wall(millis: u32) -> Stamp {
        Stamp { sec: 100, nanosec: millis * 1_000_000 }
    }

    #[test]
    fn the_timeout_itself_is_too_late() {
        let (mut heard, source) = (Heard::default(), source());
        assert_eq!(heard.health(ms(0), &source), Health::NeverHeard);
        assert!(heard.receive(ms(100), UNKNOWN, &source, Stamp::ZERO, true));
        assert_eq!(heard.health(ms(599), &source), Health::Valid);
        assert_eq!(heard.health(ms(600), &source), Health::TimedOut);
        assert_eq!(heard.expiry(ms(599), &source), Some(ms(600)));
        assert_eq!(heard.expiry(ms(600), &source), None);
    }

    #[test]
    fn a_late_message_does_not_count_while_the_source_is_fresh() {
        let (mut heard, source) = (Heard::default(), source());
        assert!(heard.receive(ms(0), UNKNOWN, &source, stamp(5), true));
        assert!(!heard.receive(ms(400), UNKNOWN, &source, stamp(4), true));
        assert_eq!(heard.health(ms(500), &source), Health::TimedOut, "it did not keep the source alive");
        assert!(heard.receive(ms(500), UNKNOWN, &source, stamp(4), true), "a clock that was set back");
    }

    #[test]
    fn a_repeated_stamp_does_not_keep_a_source_alive() {
        let (mut heard, source) = (Heard::default(), source());
        for at in [0, 200, 400, 600, 5_000] {
            assert!(heard.receive(ms(at), UNKNOWN, &source, stamp(5), true));
        }
        assert_eq!(heard.health(ms(499), &source), Health::Valid);
        assert_eq!(heard.health(ms(5_000), &source), Health::TimedOut);
        assert!(heard.receive(ms(5_001), UNKNOWN, &source, stamp(6), true));
        assert_eq!(heard.health(ms(5_001), &source), Health::Valid);
    }

    #[test]
    fn messages_without_a_stamp_are_judged_by_receipt_alone() {
        let (mut heard, source) = (Heard::default(), judged());
        assert!(heard.receive(ms(0), wall(0), &source, wall(0), true));
        assert!(heard.receive(ms(300), wall(300), &source, Stamp::ZERO, true));
        assert_eq!(heard.health(ms(799), &source), Health::Valid);
        assert!(!heard.receive(ms(499), wall(499), &source, stamp(99), true), "the last stamp is remembered");
        assert!(heard.receive(ms(500), wall(500), &source, stamp(99), true), "but not for ever");
    }

    #[test]
    fn an_invalid_message_counts_however_old_its_stamp_is() {
        let (mut heard, source) = (Heard::default(), source());
        assert!(heard.receive(ms(0), UNKNOWN, &source, stamp(5), true));
        assert!(heard.receive(ms(1), UNKNOWN, &source, stamp(3), false));
        assert_eq!(heard.health(ms(1), &source), Health::Invalid);
        assert!(!heard.receive(ms(2), UNKNOWN, &source, stamp(4), true), "older than what was accepted");
        assert!(heard.receive(ms(3), UNKNOWN, &source, stamp(6), true));
        assert_eq!(heard.health(ms(3), &source), Health::Valid);
    }

    #[test]
    fn a_stamp_makes_a_command_older() {
        let (mut heard, source) = (Heard::default(), judged());
        // 300 ms old when it comes at 1000 ms, so that 100 ms are left of 400.
        assert!(heard.receive(ms(1000), wall(300), &source, wall(0), true));
        assert_eq!(heard.expiry(ms(1000), &source), Some(ms(1100)));
        assert_eq!(heard.age(ms(1050)), Some(Duration::from_millis(350)));
        assert_eq!(heard.health(ms(1099), &source), Health::Valid);
        assert_eq!(heard.health(ms(1100), &source), Health::TimedOut);
        assert!(heard.receive(ms(1150), wall(450), &source, wall(50), true));
        assert_eq!(heard.health(ms(1150), &source), Health::TooOld, "400 ms is too old already");
        assert_eq!(heard.health(ms(1650), &source), Health::TimedOut, "and then nothing came");
        assert!(heard.receive(ms(1700), wall(500), &source, wall(101), true));
        assert_eq!(heard.health(ms(1700), &source), Health::Valid, "399 ms");
    }

    #[test]
    fn a_stamp_never_makes_a_command_fresher() {
        let (mut heard, source) = (Heard::default(), judged());
        assert!(heard.receive(ms(0), wall(0), &source, wall(100), true));
        assert_eq!(heard.expiry(ms(0), &source), Some(ms(400)), "as if it was of now");
        // The same again: nothing of its age is forgotten, though the clock was set back.
        assert!(heard.receive(ms(300), wall(0), &source, wall(100), true));
        assert_eq!(heard.expiry(ms(300), &source), Some(ms(400)));
    }

    #[test]
    fn a_stamp_from_the_future_counts_against_its_source_alone() {
        let (mut heard, source) = (Heard::default(), judged());
        assert!(heard.receive(ms(0), wall(0), &source, wall(100), true));
        assert_eq!(heard.health(ms(0), &source), Health::Valid, "within the skew");
        assert!(heard.receive(ms(10), wall(10), &source, wall(111), true));
        assert_eq!(heard.health(ms(10), &source), Health::FromFuture);
        assert!(heard.receive(ms(20), wall(20), &source, wall(111), true));
        assert_eq!(heard.health(ms(20), &source), Health::FromFuture, "waiting makes the same one no better");
        assert!(heard.receive(ms(30), wall(30), &source, wall(105), true));
        assert_eq!(heard.health(ms(30), &source), Health::Valid, "it did not make this one late");
    }

    #[test]
    fn a_clock_that_is_set_back_makes_nobody_late() {
        let (mut heard, source) = (Heard::default(), judged());
        assert!(heard.receive(ms(0), wall(900), &source, wall(900), true));
        // 101 ms back, and 100: that much two clocks may differ.
        assert!(heard.receive(ms(1), wall(799), &source, wall(799), true));
        assert_eq!(heard.health(ms(1), &source), Health::Valid);
        assert!(!heard.receive(ms(2), wall(699), &source, wall(699), true));
        // Messages without a stamp keep nothing of the future alive either.
        assert!(heard.receive(ms(3), wall(0), &source, Stamp::ZERO, true));
        assert!(heard.receive(ms(4), wall(4), &source, wall(4), true));
    }

    #[test]
    fn a_future_stamp_that_is_repeated_until_it_is_true_does_not_drive() {
        let (mut heard, source) = (Heard::default(), judged());
        for at in (0..5_000).step_by(100) {
            let wall = Stamp { sec: 100 + (at / 1000) as i32, nanosec: (at % 1000) as u32 * 1_000_000 };
            assert!(heard.receive(ms(at), wall, &source, stamp(102), true));
            assert_ne!(heard.health(ms(at), &source), Health::Valid, "at {at} ms");
        }
    }

    #[test]
    fn no_age_is_judged_without_a_limit_or_a_clock() {
        let mut heard = Heard::default();
        assert!(heard.receive(ms(0), wall(0), &source(), stamp(1), true));
        assert_eq!(heard.health(ms(0), &source()), Health::Valid);
        assert!(heard.receive(ms(1), wall(1), &source(), stamp(1_000_000), true));
        assert_eq!(heard.health(ms(1), &source()), Health::Valid);
        let mut heard = Heard::default();
        assert!(heard.receive(ms(0), UNKNOWN, &judged(), stamp(1), true));
        assert_eq!(heard.health(ms(499), &judged()), Health::Valid);
    }

    #[test]
    fn the_ends_of_time_are_no_overflow() {
        let (first, last) = (Stamp { sec: i32::MIN, nanosec: 0 }, Stamp { sec: i32::MAX, nanosec: u32::MAX });
        // 2^32 s between them, and what the nanoseconds add.
        assert!(Age::of(first, last).unwrap().behind > Duration::from_secs(4_294_967_295));
        assert!(Age::of(last, first).unwrap().ahead > Duration::from_secs(4_294_967_295));
        let mut heard = Heard::default();
        let end = Instant::from_nanos(u64::MAX);
        heard.receive(end, first, &judged(), last, true);
        heard.receive(end, last, &judged(), first, true);
        assert_eq!((heard.health(end, &judged()), heard.expiry(end, &judged())), (Health::TimedOut, None));
    }
}
