use core::time::Duration;

use crate::{ClockReading, Instant, Stamp};

/// How late a call may be before the machine counts as held.
const GRACE: Duration = Duration::from_millis(20);
/// The time after a hold in which messages may come from the middleware's queues; after it they are certainly empty.
const QUEUES: Duration = Duration::from_millis(50);

/// The time of a machine: the latest `now`, the clock of stamps, and how long a message that is read now may have been queued.
///
/// * A machine that compares stamps receives readings of their clock as an input, and adds the monotonic time since. It is the wall clock,
///   or `/clock` in simulated time, which may be unreliable.
/// * A machine that is called later than its deadline was **held** (stopped, starved, suspended). A message that is read in the 50 ms
///   after that may have been received at any time since the call before. If the machine is held again in these 50 ms, and for longer
///   than 50 ms, messages of the first hold may still be queued. This holds for two holds only: a machine that is always late is slow,
///   but it still accepts messages.
/// # Source
/// own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// `None` before the first call: nothing was due then.
    now: Option<Instant>,
    read: Option<(Instant, ClockReading)>,
    held: Option<Hold>,
}

/// The last hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hold {
    /// When it began.
    began: Instant,
    /// The earliest time at which a message that is read after it may have been received: its begin, or that of the hold before.
    since: Instant,
    /// Time until which messages that were queued in it may still be read.
    until: Instant,
}

const SECOND: i64 = 1_000_000_000;

impl Clock {
    /// Records the `reading` of the clock of stamps at `now`; it may have been set forward or back. This does not advance the time:
    /// [`pass_to`](Self::pass_to) does, so no hold is missed.
    pub fn read(&mut self, now: Instant, reading: impl Into<ClockReading>) {
        self.read = Some((self.now().max(now), reading.into()));
    }

    /// Advances to `now`, which never goes back. `due` is the machine's deadline for this call
    /// ([`Machine::deadline`](crate::Machine::deadline)).
    pub fn pass_to(&mut self, now: Instant, due: Option<Instant>) {
        let Some(before) = self.now.replace(self.now().max(now)) else { return };
        let late = due.map_or(Duration::ZERO, |due| self.now().since(due));
        // Within the time of an earlier hold the earlier one counts.
        if late > GRACE && self.held.is_none_or(|held| self.now() >= held.until) {
            let unread = self.held.filter(|held| before < held.until && late > QUEUES);
            let since = unread.map_or(before, |held| held.began);
            self.held = Some(Hold { began: before, since, until: self.now() + QUEUES });
        }
    }

    /// Records a thread that emptied its queue at `since`, was due to read again by `due`, and reads at the latest instant, see
    /// [`Machine::read_again`](crate::Machine::read_again). Of two holds in 50 ms the one that began first counts.
    pub fn read_again(&mut self, since: Instant, due: Instant) {
        let is_covered = self.held.is_some_and(|held| self.now() < held.until && held.since <= since);
        if self.now().since(due) > GRACE && !is_covered {
            self.held = Some(Hold { began: since, since, until: self.now() + QUEUES });
        }
    }

    /// The latest instant.
    pub const fn now(&self) -> Instant {
        match self.now {
            Some(now) => now,
            None => Instant::ZERO,
        }
    }

    /// The stamp of the latest instant, see [`at`](Self::at).
    pub fn wall(&self) -> Stamp {
        self.at(self.now())
    }

    /// The stamp that ages are compared with and that a command gets at `now`: the last reading plus the time since;
    /// [`Stamp::ZERO`] before the first reading, and [`Stamp::UNKNOWN`] while the clock is unreliable.
    ///
    /// Saturates in the last second that a stamp can represent.
    pub fn at(&self, now: Instant) -> Stamp {
        let Some((read_at, reading)) = self.read else { return Stamp::ZERO };
        if !reading.is_reliable {
            return Stamp::UNKNOWN;
        }
        let since = i64::try_from(now.since(read_at).as_nanos()).unwrap_or(i64::MAX);
        let nanos = reading.stamp.as_nanos().saturating_add(since);
        Stamp {
            sec: i32::try_from(nanos.div_euclid(SECOND)).unwrap_or(i32::MAX),
            nanosec: u32::try_from(nanos.rem_euclid(SECOND)).unwrap_or(0),
        }
    }

    /// The stamp of what was measured at `at`, until now, by the time that the clock shows, reliable or not: nothing moves by it.
    pub fn measured(&self, at: Instant) -> Stamp {
        let Some((read_at, reading)) = self.read else { return Stamp::ZERO };
        if reading.is_reliable { self.wall() } else { reading.stamp }
            .before(self.now().max(read_at).since(at))
    }

    /// Whether what the clock shows gives an age.
    pub fn is_reliable(&self) -> bool {
        self.read.is_none_or(|(_, reading)| reading.is_reliable)
    }

    /// How long a message that is read now may have been queued; zero unless the machine was held just before.
    pub fn waited(&self) -> Duration {
        match self.held {
            Some(Hold { since, until, .. }) if self.now() < until => self.now().since(since),
            _ => Duration::ZERO,
        }
    }
}

impl Clock {
    /// How much longer messages may come from the queues, and how long ago the last hold began; zero once the queues are empty.
    /// Exhaustive searches need it.
    pub fn waiting_left(&self) -> (Duration, Duration) {
        let held = self.held.filter(|held| self.now() < held.until);
        held.map_or_else(Default::default, |held| {
            (held.until.since(self.now()), self.now().since(held.began))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    fn called_at_0() -> Clock {
        let mut clock = Clock::default();
        clock.pass_to(at(0), None);
        clock
    }

    /// Monotonic time counts from the start of the computer, so the first call is "late" by hours for a machine that is due at 0.
    #[test]
    fn before_the_first_call_there_was_no_hold() {
        let mut clock = Clock::default();
        clock.pass_to(at(18_840_000), Some(at(0)));
        assert_eq!((clock.waited(), clock.now()), (Duration::ZERO, at(18_840_000)));
    }

    #[test]
    fn a_stamp_is_the_last_reading_and_the_time_since() {
        let mut clock = Clock::default();
        assert_eq!(clock.wall(), Stamp::ZERO);
        clock.read(at(100), Stamp { sec: 5, nanosec: 999_000_000 });
        clock.pass_to(at(103), None);
        // 5.999 s + 3 ms = 6.002 s
        assert_eq!(clock.wall(), Stamp { sec: 6, nanosec: 2_000_000 });
        // a clock that was set back is used as it is
        clock.read(at(200), Stamp { sec: 1, nanosec: 0 });
        clock.pass_to(at(200), None);
        assert_eq!((clock.wall(), clock.now()), (Stamp { sec: 1, nanosec: 0 }, at(200)));
    }

    #[test]
    fn the_latest_instant_does_not_overflow() {
        let mut clock = Clock::default();
        clock.read(Instant::ZERO, Stamp { sec: i32::MAX, nanosec: 999_999_999 });
        clock.pass_to(Instant::from_nanos(u64::MAX), Some(Instant::ZERO));
        assert_eq!(clock.wall().sec, i32::MAX);
        clock.read(Instant::ZERO, Stamp { sec: i32::MIN, nanosec: u32::MAX });
        assert!(clock.wall().sec < 0);
    }

    #[test]
    fn a_message_read_after_a_hold_may_have_been_queued_since_the_previous_call() {
        let mut clock = Clock::default();
        clock.pass_to(at(100), None);
        clock.pass_to(at(1000), None);
        assert_eq!(clock.waited(), Duration::ZERO, "nothing was due");
        clock.pass_to(at(1120), Some(at(1100)));
        assert_eq!(clock.waited(), Duration::ZERO, "20 ms late is no hold");
        clock.pass_to(at(2000), Some(at(1140)));
        assert_eq!(clock.waited(), Duration::from_millis(880));
        clock.pass_to(at(2049), Some(at(2020)));
        assert_eq!(clock.waited(), Duration::from_millis(929), "late again before the queues are empty");
        clock.pass_to(at(2050), Some(at(2069)));
        assert_eq!(clock.waited(), Duration::ZERO, "the queues are empty");
        clock.pass_to(at(2200), Some(at(2070)));
        assert_eq!(clock.waited(), Duration::from_millis(150));
    }

    #[test]
    fn an_unreliable_clock_stamps_measurements_and_no_command() {
        let mut clock = Clock::default();
        let stamp = Stamp { sec: 5, nanosec: 0 };
        clock.pass_to(at(100), None);
        assert_eq!((clock.measured(at(100)), clock.is_reliable()), (Stamp::ZERO, true));
        clock.read(at(100), ClockReading { stamp, is_reliable: false });
        clock.pass_to(at(103), None);
        assert_eq!(
            (clock.wall(), clock.at(at(110)), clock.is_reliable()),
            (Stamp::UNKNOWN, Stamp::UNKNOWN, false)
        );
        // 5 s - 3 ms: what stands for long is not added to.
        assert_eq!(clock.measured(at(100)), Stamp { sec: 4, nanosec: 997_000_000 });
        clock.read(at(103), stamp);
        clock.pass_to(at(104), None);
        assert_eq!((clock.wall(), clock.is_reliable()), (Stamp { sec: 5, nanosec: 1_000_000 }, true));
        assert_eq!(clock.measured(at(102)), Stamp { sec: 4, nanosec: 999_000_000 });
        clock.read(at(104), ClockReading { stamp: Stamp::ZERO, is_reliable: false });
        assert_eq!(clock.measured(at(0)), Stamp::ZERO, "before zero there is no time");
    }

    /// Messages on a computer that is always 25 ms late stay fresh enough.
    #[test]
    fn on_a_computer_that_is_always_late_a_message_is_at_most_two_calls_old() {
        let mut clock = Clock::default();
        for n in 1..1000 {
            clock.pass_to(at(45 * n), Some(at(45 * n - 25)));
            assert!(clock.waited() <= Duration::from_millis(90), "{:?}", clock.waited());
        }
    }

    #[test]
    fn a_message_queued_in_a_hold_may_still_be_queued_in_the_next_one() {
        let ms = Duration::from_millis;
        // Held from 0 to 1000 ms and again right away: until when, and how long a message may have been queued.
        for (again, waited) in [(1049, 1049), (1069, 69), (1091, 1091), (2000, 2000)] {
            let mut clock = called_at_0();
            clock.pass_to(at(1000), Some(at(20)));
            clock.pass_to(at(again), Some(at(1020)));
            assert_eq!(clock.waited(), ms(waited), "{again}");
        }
        // With 50 ms in between the queues are empty.
        let mut clock = called_at_0();
        clock.pass_to(at(1000), Some(at(20)));
        clock.pass_to(at(1020), Some(at(1020)));
        clock.pass_to(at(1050), Some(at(1040)));
        clock.pass_to(at(2000), Some(at(1070)));
        assert_eq!(clock.waited(), ms(950));
        // A third hold may find messages that were queued in the second.
        clock.pass_to(at(3000), Some(at(2020)));
        assert_eq!(clock.waited(), ms(1950));
        clock.pass_to(at(4000), Some(at(3020)));
        assert_eq!(clock.waited(), ms(2000));
    }

    #[test]
    fn a_call_late_by_exactly_the_grace_is_no_hold_and_the_queues_are_empty_after_exactly_their_time() {
        // The grace is 20 ms, and the queues are empty 50 ms after a hold.
        let mut clock = Clock::default();
        clock.pass_to(at(1000), None);
        clock.read_again(at(900), at(980));
        assert_eq!(clock.waited(), Duration::ZERO, "20 ms late");
        clock.read_again(at(900), at(979));
        assert_eq!(clock.waited(), Duration::from_millis(100));
        clock.pass_to(at(1050), Some(at(1050)));
        clock.read_again(at(1000), at(1029));
        assert_eq!(
            clock.waited(),
            Duration::from_millis(50),
            "the previous hold is over, and this is another"
        );
        // A second hold of exactly 50 ms ends while the first one's queues may not be empty.
        let mut clock = called_at_0();
        clock.pass_to(at(1000), Some(at(20)));
        clock.pass_to(at(1070), Some(at(1020)));
        assert_eq!(clock.waited(), Duration::from_millis(70));
    }

    #[test]
    fn the_possible_queueing_time_ends_with_the_queues() {
        let ms = Duration::from_millis;
        let mut clock = called_at_0();
        assert_eq!(clock.waiting_left(), (ms(0), ms(0)));
        clock.pass_to(at(1000), Some(at(20)));
        assert_eq!(clock.waiting_left(), (ms(50), ms(1000)));
        clock.pass_to(at(1049), Some(at(1049)));
        assert_eq!(clock.waiting_left(), (ms(1), ms(1049)));
        clock.pass_to(at(1050), Some(at(1050)));
        assert_eq!(clock.waiting_left(), (ms(0), ms(0)));
    }

    #[test]
    fn of_two_threads_that_were_held_the_longer_hold_counts() {
        let ms = Duration::from_millis;
        let mut clock = Clock::default();
        clock.pass_to(at(1000), Some(at(1000)));
        clock.read_again(at(700), at(720));
        assert_eq!(clock.waited(), ms(300), "others called in time");
        clock.pass_to(at(1010), Some(at(1020)));
        clock.read_again(at(960), at(980));
        assert_eq!(clock.waited(), ms(310));
        clock.read_again(at(400), at(420));
        assert_eq!(clock.waited(), ms(610));
        clock.pass_to(at(1060), Some(at(1040)));
        clock.read_again(at(1040), at(1045));
        assert_eq!(clock.waited(), Duration::ZERO, "15 ms late is no hold");
    }

    /// However late the calls are.
    #[test]
    fn on_a_computer_that_is_always_held_a_message_is_at_most_three_calls_old() {
        for late in 21..200 {
            let mut clock = Clock::default();
            for n in 1..1000 {
                clock.pass_to(at((20 + late) * n), Some(at((20 + late) * n - late)));
                assert!(clock.waited() <= Duration::from_millis(3 * (20 + late)), "{late}");
            }
        }
    }

    #[test]
    fn a_reading_of_the_clock_hides_no_hold() {
        let mut clock = Clock::default();
        clock.pass_to(at(100), None);
        clock.read(at(900), Stamp { sec: 5, nanosec: 0 });
        clock.pass_to(at(900), Some(at(120)));
        assert_eq!(
            (clock.waited(), clock.wall()),
            (Duration::from_millis(800), Stamp { sec: 5, nanosec: 0 })
        );
    }

    #[test]
    fn time_does_not_go_back() {
        let mut clock = Clock::default();
        clock.pass_to(at(5), None);
        clock.pass_to(at(3), None);
        assert_eq!(clock.now(), at(5));
    }
}
