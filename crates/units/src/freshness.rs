//! What still counts as said now: the one rule about stamps, receipt and waiting that every machine asks.

use core::time::Duration;

use crate::{Clock, Command, Instant, Stamp};

/// How far a stamp may lie ahead of the wall clock \[s\]: the clocks of two computers differ. It makes nothing fresher.
pub const AHEAD: Duration = Duration::from_millis(100);

/// When a message counts as said: at its stamp, or when it can have come at the earliest, whichever is older.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Said {
    received: Instant,
    /// How old it was then.
    age: Duration,
}

impl Said {
    /// Said `age` before `received`.
    pub const fn new(received: Instant, age: Duration) -> Self {
        Self { received, age }
    }

    /// How old it is at `now`.
    pub fn age(self, now: Instant) -> Duration {
        now.since(self.received).saturating_add(self.age)
    }

    /// When it is `timeout` old; not before it was received.
    pub fn expiry(self, timeout: Duration) -> Instant {
        self.received + timeout.saturating_sub(self.age)
    }

    /// Whether it is `timeout` old at `now`. The timeout itself is too late.
    pub fn is_expired(self, now: Instant, timeout: Duration) -> bool {
        self.age(now) >= timeout
    }
}

/// Why a message says nothing of now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    /// Its stamp is older than that of a message which is still fresh: it was overtaken on the way.
    Late,
    /// It is as old as the timeout, by its stamp or because it can have waited unread for so long.
    Old {
        /// How old it is.
        age: Duration,
    },
    /// Its stamp lies more than [`AHEAD`] in the future, so that nobody can say how old it is.
    Ahead {
        /// How far.
        by: Duration,
    },
    /// It has the stamp of an earlier message, whose time is over.
    Repeated {
        /// How old that one is.
        age: Duration,
    },
}

/// What the stamps of one publisher say: too old, late, from the future, or the same again.
///
/// * A stamp makes a message older, never fresher. Without one (zero) its receipt counts.
/// * A message that was read after the process was held is as old as it may be ([`Clock::waited`]).
/// * An older stamp than the newest one is late while that is fresh. After that time any stamp counts, so a sender's clock
///   that was set back costs one timeout and not the source. If the own clock was set back, nobody is late.
/// * The same stamp again is no news: the time of the first goes on. A relay that repeats a dead sender's last message does
///   not keep it alive, and the last stamp from the future does not become true by repetition.
/// # Real-time
/// No allocation; constant time.
/// # Source
/// own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Freshness {
    /// The newest stamp that counted, zero before the first, and when that was said.
    newest: (Stamp, Said),
    /// The last stamp that was refused because it lay in the future; zero once another one counted.
    ahead: Stamp,
}

impl Freshness {
    /// Judges a message that is read now; when it counts as said.
    /// * `timeout`: for how long a message of this publisher counts
    /// # Errors
    /// [`Stale`]: it says nothing of now.
    pub fn judge(&mut self, clock: &Clock, stamp: Stamp, timeout: Duration) -> Result<Said, Stale> {
        let (now, wall) = (clock.now(), clock.wall());
        let waited = Said::new(now, clock.waited());
        if stamp.is_zero() {
            return if waited.is_expired(now, timeout) {
                Err(Stale::Old { age: waited.age })
            } else {
                Ok(waited)
            };
        }
        let (newest, said) = self.newest;
        if stamp == newest {
            let age = said.age(now);
            return if age >= timeout { Err(Stale::Repeated { age }) } else { Ok(said) };
        }
        let by = time_from(wall, stamp);
        if by > AHEAD || stamp == self.ahead {
            self.ahead = stamp;
            return Err(Stale::Ahead { by });
        }
        let clock_went_back = is_ahead(clock, newest);
        if !newest.is_zero() && stamp < newest && !said.is_expired(now, timeout) && !clock_went_back {
            return Err(Stale::Late);
        }
        let age = time_from(stamp, wall).max(waited.age);
        if age >= timeout {
            return Err(Stale::Old { age });
        }
        let said = Said::new(now, age);
        *self = Self { newest: (stamp, said), ahead: Stamp::ZERO };
        Ok(said)
    }

    /// The same state with every time measured from `now` and forgotten once it cannot matter: equal for two that will judge
    /// alike. For exhaustive searches.
    #[must_use]
    pub fn relative(
        self,
        now: Instant,
        wall: Stamp,
        timeout: Duration,
    ) -> (Option<(i64, Duration)>, Option<i64>) {
        let offset = |stamp: Stamp| stamp.as_nanos().saturating_sub(wall.as_nanos());
        let (newest, said) = self.newest;
        let age = said.age(now).min(timeout);
        (
            (!newest.is_zero()).then(|| (offset(newest), age)),
            (!self.ahead.is_zero()).then(|| offset(self.ahead)),
        )
    }
}

/// Whether `stamp` lies so far ahead of the wall clock that it does not tell when something was said. If it once did not, the wall
/// clock was set back.
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

/// What became of a command that was received.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Received {
    /// It is in force.
    InForce,
    /// A command that asked for motion was lost before it: nothing moves until this publisher sends a zero.
    WaitsForZero,
    /// A neutral one that is stale: it ended the command in force, and is no zero to begin with.
    Stopped(Stale),
    /// It is stale and changed nothing.
    Refused(Stale),
}

/// The commands of one publisher: which one is in force, for how long, and whether motion may begin.
///
/// * A zero is a neutral velocity behind which no motion is [withheld](Command::withheld).
/// * A command is in force until it is as old as the timeout, see [`Freshness`].
/// * **Motion begins with a zero**: while nothing is in force only a zero counts. So a stage that was restarted, a link that comes
///   back or a process that was held does not drive off by itself.
/// * Of one that [may fall silent at rest](Self::silent_at_rest) that is asked only after a command was lost that asked for motion.
/// * **A stop is never too late**: a stale neutral velocity ends what is in force.
/// # Real-time
/// No allocation; constant time.
/// # Source
/// own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CommandMonitor {
    freshness: Freshness,
    in_force: Option<(Command, Said)>,
    waits_for_zero: bool,
    silent_at_rest: bool,
    /// When motion was asked for last, by whatever was not overtaken; `None` since a zero.
    asked: Option<Instant>,
}

impl Default for CommandMonitor {
    /// One whose first command must be a zero.
    fn default() -> Self {
        Self {
            freshness: Freshness::default(),
            in_force: None,
            waits_for_zero: true,
            silent_at_rest: false,
            asked: None,
        }
    }
}

impl CommandMonitor {
    /// One that may say nothing while it asks for nothing, as navigation does between two goals: its first command may ask for
    /// motion, and so may one that follows a zero and silence.
    pub fn silent_at_rest() -> Self {
        Self { waits_for_zero: false, silent_at_rest: true, ..Self::default() }
    }

    /// Takes a command that is read now.
    /// * `timeout`: for how long a command counts; call [`expire`](Self::expire) before
    pub fn receive(&mut self, clock: &Clock, command: Command, timeout: Duration) -> Received {
        let asks = command.asks_for_motion();
        let judged = self.freshness.judge(clock, command.stamp, timeout);
        match judged {
            Ok(_) if !asks => self.asked = None,
            Ok(_) | Err(Stale::Old { .. } | Stale::Ahead { .. } | Stale::Repeated { .. }) if asks => {
                self.asked = Some(clock.now());
            }
            _ => {}
        }
        match judged {
            Err(stale) if command.velocity.is_neutral() => {
                self.in_force = None;
                self.waits_for_zero |= !self.silent_at_rest;
                Received::Stopped(stale)
            }
            Err(stale) => Received::Refused(stale),
            Ok(_) if self.waits_for_zero && asks => Received::WaitsForZero,
            Ok(said) => {
                self.waits_for_zero = false;
                self.in_force = Some((command, said));
                Received::InForce
            }
        }
    }

    /// Lets time pass; whether the command in force was lost by it.
    pub fn expire(&mut self, now: Instant, timeout: Duration) -> bool {
        if self.asked.is_some_and(|at| now.since(at) >= timeout) {
            (self.asked, self.waits_for_zero) = (None, true);
        }
        let is_lost = self.in_force.is_some_and(|(_, said)| said.is_expired(now, timeout));
        if is_lost {
            self.lose();
        }
        is_lost
    }

    /// No command is in force from now on.
    pub fn lose(&mut self) {
        let asked = self.in_force.is_some_and(|(command, _)| command.asks_for_motion());
        self.waits_for_zero |= asked || !self.silent_at_rest;
        self.in_force = None;
    }

    /// From now on a zero has to come before anything moves.
    pub fn require_zero(&mut self) {
        self.waits_for_zero = true;
    }

    /// Whether a zero has to come before anything moves.
    pub fn waits_for_zero(&self) -> bool {
        self.waits_for_zero
    }

    /// Whether its publisher asks for motion now, as of the last call, whether or not anything is in force: then a zero that
    /// somebody else says in its place withholds that.
    pub fn asks_for_motion(&self) -> bool {
        self.asked.is_some()
    }

    /// The command in force.
    pub fn command(&self) -> Option<Command> {
        self.in_force.map(|(command, _)| command)
    }

    /// How old the command in force is.
    pub fn age(&self, now: Instant) -> Option<Duration> {
        self.in_force.map(|(_, said)| said.age(now))
    }

    /// When the command in force is lost if nothing comes.
    pub fn expiry(&self, timeout: Duration) -> Option<Instant> {
        self.in_force.map(|(_, said)| said.expiry(timeout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Velocity;

    const TIMEOUT: Duration = Duration::from_millis(500);

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    /// 100 s and `millis`.
    fn wall(millis: i64) -> Stamp {
        let nanos = 100_000_000_000 + millis * 1_000_000;
        Stamp { sec: (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
    }

    /// A clock at `at` ms, where the wall clock says 100 s and `said` ms.
    fn clock_saying(at: u64, said: i64) -> Clock {
        let mut clock = Clock::default();
        clock.read(Instant::from_millis(at), wall(said));
        clock.pass_to(Instant::from_millis(at), None);
        clock
    }

    fn clock(at: u64) -> Clock {
        clock_saying(at, at as i64)
    }

    fn age(judged: Result<Said, Stale>, at: u64) -> Option<Duration> {
        judged.ok().map(|said| said.age(Instant::from_millis(at)))
    }

    #[test]
    fn a_stamp_makes_a_message_older_and_never_fresher() {
        let judge = |stamp| age(Freshness::default().judge(&clock(1000), stamp, TIMEOUT), 1000);
        assert_eq!(judge(wall(1000)), Some(ms(0)));
        assert_eq!(judge(wall(501)), Some(ms(499)));
        assert_eq!(judge(wall(500)), None, "the timeout itself is too late");
        assert_eq!(judge(wall(1100)), Some(ms(0)), "as if it was of now");
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
        // Its newest is from 400 on, and so over at 900: a sender's clock that was set back costs one timeout.
        assert!(freshness.judge(&clock(900), wall(401 + 100), TIMEOUT).is_ok());
    }

    #[test]
    fn the_same_stamp_again_is_no_news() {
        let mut freshness = Freshness::default();
        for at in [0, 200, 400] {
            assert_eq!(age(freshness.judge(&clock(at), wall(0), TIMEOUT), at), Some(ms(at)));
        }
        assert_eq!(freshness.judge(&clock(500), wall(0), TIMEOUT), Err(Stale::Repeated { age: ms(500) }));
        // Nothing of its age is forgotten, though the clock was set back.
        assert_eq!(
            freshness.judge(&clock_saying(600, 0), wall(0), TIMEOUT),
            Err(Stale::Repeated { age: ms(600) })
        );
    }

    #[test]
    fn a_stamp_from_the_future_does_not_become_true_by_repetition() {
        let mut freshness = Freshness::default();
        for at in (0..5_000).step_by(100) {
            assert!(freshness.judge(&clock(at), wall(2_000), TIMEOUT).is_err(), "at {at} ms");
        }
        assert!(freshness.judge(&clock(5_000), wall(5_000), TIMEOUT).is_ok(), "it made no other one late");
        // A stream that was ahead once, and is of now ever since, may come to that very stamp.
        assert!(freshness.judge(&clock(6_000), wall(7_000), TIMEOUT).is_err());
        assert!(freshness.judge(&clock(6_500), wall(6_500), TIMEOUT).is_ok());
        assert!(freshness.judge(&clock(7_000), wall(7_000), TIMEOUT).is_ok());
    }

    #[test]
    fn an_own_clock_that_is_set_back_makes_nobody_late() {
        let mut freshness = Freshness::default();
        assert!(freshness.judge(&clock_saying(0, 900), wall(900), TIMEOUT).is_ok());
        assert!(freshness.judge(&clock_saying(1, 799), wall(799), TIMEOUT).is_ok(), "101 ms back");
        assert_eq!(
            freshness.judge(&clock_saying(2, 699), wall(698), TIMEOUT),
            Err(Stale::Late),
            "100 ms back"
        );
    }

    #[test]
    fn what_waited_unread_is_as_old_as_it_may_be() {
        let mut clock = Clock::default();
        clock.pass_to(Instant::from_millis(1000), Some(Instant::from_millis(1000)));
        clock.pass_to(Instant::from_millis(1300), Some(Instant::from_millis(1020)));
        assert_eq!(age(Freshness::default().judge(&clock, Stamp::ZERO, TIMEOUT), 1300), Some(ms(300)));
        clock.pass_to(Instant::from_millis(11_000), Some(Instant::from_millis(1320)));
        let held = Freshness::default().judge(&clock, Stamp::ZERO, TIMEOUT);
        assert_eq!(held, Err(Stale::Old { age: ms(10_000) }), "held again before the queues were dry");
    }

    #[test]
    fn the_ends_of_time_are_no_overflow() {
        let (first, last) = (Stamp { sec: i32::MIN, nanosec: 0 }, Stamp { sec: i32::MAX, nanosec: u32::MAX });
        for (read, stamp) in [(first, last), (last, first)] {
            let mut clock = Clock::default();
            clock.read(Instant::from_nanos(u64::MAX), read);
            clock.pass_to(Instant::from_nanos(u64::MAX), None);
            assert!(Freshness::default().judge(&clock, stamp, Duration::MAX).is_ok() || read < stamp);
            assert!(Freshness::default().judge(&clock, stamp, TIMEOUT).is_err());
        }
    }

    fn command(forward: f64, stamp: Stamp) -> Command {
        Command::new(Velocity::planar(forward, 0.0).unwrap(), stamp)
    }

    #[test]
    fn after_a_loss_in_motion_a_zero_has_to_come_first() {
        let mut monitor = CommandMonitor::silent_at_rest();
        let drive = command(1.0, Stamp::ZERO);
        assert_eq!(monitor.receive(&clock(0), drive, TIMEOUT), Received::InForce);
        assert!(!monitor.expire(Instant::from_millis(499), TIMEOUT));
        assert!(monitor.expire(Instant::from_millis(500), TIMEOUT) && monitor.command().is_none());
        assert_eq!(monitor.receive(&clock(600), drive, TIMEOUT), Received::WaitsForZero);
        assert_eq!(monitor.command(), None);
        assert_eq!(monitor.receive(&clock(610), Command::STOP, TIMEOUT), Received::InForce);
        assert_eq!(monitor.receive(&clock(620), drive, TIMEOUT), Received::InForce);
    }

    #[test]
    fn after_silence_a_zero_comes_first_unless_one_may_be_silent_at_rest() {
        for (mut monitor, expected) in [
            (CommandMonitor::default(), Received::WaitsForZero),
            (CommandMonitor::silent_at_rest(), Received::InForce),
        ] {
            monitor.receive(&clock(0), Command::STOP, TIMEOUT);
            assert!(monitor.expire(Instant::from_millis(700), TIMEOUT));
            assert_eq!(monitor.receive(&clock(700), command(1.0, Stamp::ZERO), TIMEOUT), expected);
        }
    }

    #[test]
    fn a_stale_zero_stops_and_is_no_zero_to_begin_with() {
        let mut monitor = CommandMonitor::silent_at_rest();
        monitor.receive(&clock(1000), command(1.0, wall(1000)), TIMEOUT);
        let late = monitor.receive(&clock(1010), command(0.0, wall(990)), TIMEOUT);
        assert_eq!((late, monitor.command()), (Received::Stopped(Stale::Late), None));
        let mut monitor = CommandMonitor::default();
        let old = monitor.receive(&clock(1000), command(0.0, wall(0)), TIMEOUT);
        assert_eq!((old, monitor.waits_for_zero()), (Received::Stopped(Stale::Old { age: ms(1000) }), true));
    }

    #[test]
    fn the_first_command_is_a_zero() {
        let mut monitor = CommandMonitor::default();
        assert_eq!(monitor.receive(&clock(0), command(1.0, Stamp::ZERO), TIMEOUT), Received::WaitsForZero);
        assert_eq!(monitor.receive(&clock(1), command(0.003, Stamp::ZERO), TIMEOUT), Received::InForce);
        assert_eq!(monitor.receive(&clock(2), command(1.0, Stamp::ZERO), TIMEOUT), Received::InForce);
    }

    #[test]
    fn a_zero_that_withholds_motion_stops_and_is_none_to_begin_with() {
        let withheld = command(1.0, Stamp::ZERO).reduced_to(Velocity::ZERO);
        let mut monitor = CommandMonitor::default();
        assert_eq!(monitor.receive(&clock(0), withheld, TIMEOUT), Received::WaitsForZero);
        let mut monitor = CommandMonitor::silent_at_rest();
        assert_eq!(monitor.receive(&clock(0), command(1.0, Stamp::ZERO), TIMEOUT), Received::InForce);
        assert_eq!(monitor.receive(&clock(1), withheld, TIMEOUT), Received::InForce);
        assert_eq!(monitor.command(), Some(withheld));
        assert!(monitor.expire(Instant::from_millis(501), TIMEOUT) && monitor.waits_for_zero());
    }

    #[test]
    fn a_stale_zero_has_a_stream_begin_again_with_a_zero() {
        let mut monitor = CommandMonitor::default();
        assert_eq!(monitor.receive(&clock(1000), command(0.0, wall(1000)), TIMEOUT), Received::InForce);
        assert!(!monitor.waits_for_zero());
        let late = monitor.receive(&clock(1010), command(0.0, wall(990)), TIMEOUT);
        assert_eq!((late, monitor.waits_for_zero()), (Received::Stopped(Stale::Late), true));
    }

    #[test]
    fn a_stale_motion_changes_nothing() {
        let mut monitor = CommandMonitor::silent_at_rest();
        let drive = command(1.0, wall(1000));
        monitor.receive(&clock(1000), drive, TIMEOUT);
        let late = monitor.receive(&clock(1010), command(0.5, wall(990)), TIMEOUT);
        assert_eq!((late, monitor.command()), (Received::Refused(Stale::Late), Some(drive)));
    }

    #[test]
    fn the_age_and_the_end_of_the_command_in_force_are_known() {
        let mut monitor = CommandMonitor::silent_at_rest();
        assert_eq!((monitor.age(Instant::from_millis(5)), monitor.expiry(TIMEOUT)), (None, None));
        monitor.receive(&clock(1000), command(1.0, wall(900)), TIMEOUT);
        assert_eq!(monitor.age(Instant::from_millis(1050)), Some(ms(150)));
        assert_eq!(monitor.expiry(TIMEOUT), Some(Instant::from_millis(1400)));
    }

    #[test]
    fn whoever_has_to_send_a_zero_first_drives_nothing_without() {
        let mut monitor = CommandMonitor::silent_at_rest();
        monitor.require_zero();
        let held = monitor.receive(&clock(0), command(1.0, Stamp::ZERO), TIMEOUT);
        assert_eq!((held, monitor.waits_for_zero()), (Received::WaitsForZero, true));
    }

    #[test]
    fn nothing_is_said_of_an_age_before_the_clock_was_read() {
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

    #[test]
    fn whoever_asks_is_known_whether_or_not_it_is_obeyed() {
        let mut monitor = CommandMonitor::silent_at_rest();
        monitor.require_zero();
        monitor.receive(&clock(0), command(1.0, Stamp::ZERO), TIMEOUT);
        assert!(monitor.asks_for_motion(), "it waits for a zero");
        monitor.receive(&clock(10), command(0.0, wall(10)), TIMEOUT);
        assert!(!monitor.asks_for_motion());
        monitor.receive(&clock(20), command(1.0, wall(5)), TIMEOUT);
        assert!(!monitor.asks_for_motion(), "what was overtaken says nothing");
        monitor.receive(&clock(700), command(1.0, wall(100)), TIMEOUT);
        monitor.receive(&clock(710), command(0.0, wall(90)), TIMEOUT);
        assert!(monitor.asks_for_motion(), "a stale command asks, and a stale zero does not take it back");
        monitor.expire(Instant::from_millis(1_199), TIMEOUT);
        assert!(monitor.asks_for_motion() && !monitor.waits_for_zero());
        monitor.expire(Instant::from_millis(1_200), TIMEOUT);
        assert!(!monitor.asks_for_motion() && monitor.waits_for_zero(), "silence after it is a loss");
    }
}
