//! `/clock` as the clock of stamps: when it can be relied on.

use core::fmt;
use core::time::Duration;

use crate::freshness::STALE;
use crate::{ClockReading, Instant, PublisherCount, Stamp};

/// How long `/clock` may stand still, and how long it has to advance evenly before it is relied on \[boot clock\]. A message that waited for
/// longer on its way to the reader [asks for nothing](STALE), so none from before a jump or a pause counts by the time after it.
const STEADY: Duration = STALE;
/// The fastest clock. Ten times real time is supported, and a reading may come half a period late.
const FASTEST: u32 = 20;
/// How far the clock may be further ahead than it can have got, since readings do not come evenly. This makes messages only older.
const LEEWAY: Duration = Duration::from_secs(1);

/// Why [`SimulatedTime`] cannot be relied on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ClockAnomaly {
    /// It has several publishers, or they cannot be counted.
    Publishers(PublisherCount),
    /// It was not received.
    Absent,
    /// It does not advance.
    Still(Duration),
    /// It went back, or further ahead than a clock does.
    Jumped {
        /// The time that it showed before.
        from: Stamp,
        /// The time that it showed then.
        to: Stamp,
    },
    /// It has only just begun or gone on.
    Begins,
}

/// The time that `/clock` shows, and whether ages follow from it.
///
/// * It shows the time of the last message, as in rclcpp. Nothing is added: a paused clock stands.
/// * It is reliable once it has advanced evenly for 0.5 s of the boot clock, as the topic of a single publisher: at any speed from just above
///   zero, with a pause below 0.5 s, up to twenty times real time. Otherwise stamps have no age, and
///   [nothing that is stamped counts](crate::Stale::NoTime). So what was in force ends by its time-out, and motion begins with a zero.
/// # Source
/// `time_source.cpp` of rclcpp 28 (Jazzy); own: when it is unreliable. rclcpp believes every message, and shows zero before the first.
#[derive(Clone, Debug, Default)]
pub struct SimulatedTime {
    /// The last time that it showed, and when.
    last: Option<(Stamp, Instant)>,
    /// When it showed another time than before.
    advanced: Instant,
    /// Since when it advances evenly.
    even: Instant,
    /// The jump that ended the time before.
    jump: Option<(Stamp, Stamp)>,
    publishers: PublisherCount,
}

impl SimulatedTime {
    /// Receives `stamp` from the topic.
    pub fn receive(&mut self, now: Instant, stamp: Stamp) {
        let stamp = stamp.max(Stamp::ZERO);
        let Some((before, at)) = self.last.replace((stamp, now)) else {
            (self.advanced, self.even) = (now, now);
            return;
        };
        if stamp == before {
            return;
        }
        let stood = now.since(self.advanced) >= STEADY;
        let way = stamp.as_nanos().saturating_sub(before.as_nanos());
        let most = now.since(at).saturating_mul(FASTEST).saturating_add(LEEWAY);
        let jumped = u64::try_from(way).map_or(true, |way| Duration::from_nanos(way) > most);
        if jumped || stood {
            self.even = now;
            self.jump = jumped.then_some((before, stamp));
        }
        self.advanced = now;
    }

    /// Records the number of the topic's publishers.
    pub fn count(&mut self, now: Instant, publishers: PublisherCount) {
        let were_several = core::mem::replace(&mut self.publishers, publishers).are_several();
        if were_several && !publishers.are_several() {
            (self.even, self.jump) = (now, None);
        }
    }

    /// The time that it shows; zero before the first message.
    pub fn stamp(&self) -> Stamp {
        self.last.map_or(Stamp::ZERO, |(stamp, _)| stamp)
    }

    /// Its reading at `now`.
    pub fn reading(&self, now: Instant) -> ClockReading {
        ClockReading { stamp: self.stamp(), is_reliable: self.anomaly(now).is_none() }
    }

    /// Why it cannot be relied on at `now`.
    pub fn anomaly(&self, now: Instant) -> Option<ClockAnomaly> {
        let stands = now.since(self.advanced);
        match (self.last, self.jump) {
            _ if self.publishers.are_several() => Some(ClockAnomaly::Publishers(self.publishers)),
            (None, _) => Some(ClockAnomaly::Absent),
            _ if stands >= STEADY => Some(ClockAnomaly::Still(stands)),
            _ if now.since(self.even) >= STEADY => None,
            (_, Some((from, to))) => Some(ClockAnomaly::Jumped { from, to }),
            (_, None) => Some(ClockAnomaly::Begins),
        }
    }
}

impl fmt::Display for ClockAnomaly {
    /// Words that follow the name of the topic.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |stamp: Stamp| stamp.as_nanos() as f64 / 1e9;
        match *self {
            Self::Publishers(count) => match count.total() {
                Some(count) => write!(f, "has {count} publishers, must have one"),
                None => f.write_str("has publishers that cannot be counted, must have one"),
            },
            Self::Absent => f.write_str("was not received"),
            Self::Still(time) => write!(f, "has not advanced for {:.1} s", time.as_secs_f64()),
            Self::Jumped { from, to } => {
                write!(f, "jumped from {:.3} s to {:.3} s", seconds(from), seconds(to))
            }
            Self::Begins => write!(f, "advances since less than {} s", STEADY.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Clock, Command, CommandMonitor, Received, Stale, Velocity};

    const TIMEOUT: Duration = Duration::from_millis(500);

    fn ms(millis: u64) -> Stamp {
        Stamp::of(Duration::from_millis(millis))
    }

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    /// A clock that is received every 10 ms, and a machine's clock that reads it.
    #[derive(Default)]
    struct Bench {
        time: SimulatedTime,
        clock: Clock,
        /// The boot clock, and what `/clock` shows \[ms\].
        boot: u64,
        shown: f64,
    }

    impl Bench {
        /// Runs `millis` of the boot clock in which `/clock` is `speed` times as fast.
        fn run(&mut self, millis: u64, speed: f64) -> &mut Self {
            for _ in 0..millis / 10 {
                self.boot += 10;
                self.shown += 10.0 * speed;
                self.time.receive(at(self.boot), ms(self.shown as u64));
                self.read();
            }
            self
        }

        /// Lets `millis` of the boot clock pass without a message on `/clock`.
        fn silent(&mut self, millis: u64) -> &mut Self {
            self.boot += millis;
            self.read();
            self
        }

        fn jump(&mut self, to: f64) -> &mut Self {
            self.shown = to;
            self.run(10, 0.0)
        }

        fn read(&mut self) {
            self.clock.read(at(self.boot), self.time.reading(at(self.boot)));
            self.clock.pass_to(at(self.boot), None);
        }

        fn anomaly(&self) -> Option<ClockAnomaly> {
            self.time.anomaly(at(self.boot))
        }

        fn running(speed: f64) -> Self {
            let mut bench = Self { shown: 100_000.0, ..Self::default() };
            bench.run(1000, speed);
            assert_eq!(bench.anomaly(), None, "at {speed}");
            bench
        }

        /// The answer of a monitor to a command of 1 m/s or rest that was stamped when `/clock` showed `stamp` \[ms\].
        fn give(&self, monitor: &mut CommandMonitor, speed: f64, stamp: f64) -> Received {
            let velocity = Velocity::planar(speed, 0.0).unwrap();
            monitor.expire(at(self.boot), TIMEOUT);
            monitor.receive(&self.clock, Command::new(velocity, ms(stamp as u64)), TIMEOUT)
        }

        /// A monitor in which a command of now is in force.
        fn driven(&self) -> CommandMonitor {
            let mut monitor = CommandMonitor::default();
            assert_eq!(self.give(&mut monitor, 0.0, self.shown), Received::InForce);
            assert_eq!(self.give(&mut monitor, 1.0, self.shown), Received::InForce);
            monitor
        }
    }

    #[test]
    fn the_time_is_known_once_the_clock_has_advanced_for_half_a_second() {
        let mut bench = Bench::default();
        assert_eq!(bench.silent(5000).anomaly(), Some(ClockAnomaly::Absent));
        assert_eq!(
            bench.time.reading(at(bench.boot)),
            ClockReading { stamp: Stamp::ZERO, is_reliable: false }
        );
        bench.shown = 7000.0;
        assert_eq!(bench.run(500, 1.0).anomaly(), Some(ClockAnomaly::Begins));
        assert_eq!(bench.run(10, 1.0).anomaly(), None, "it began at 5010");
        assert_eq!((bench.clock.wall(), bench.boot), (ms(7510), 5510));
    }

    #[test]
    fn a_clock_of_any_supported_speed_is_reliable_and_makes_no_time_out_longer() {
        for speed in [0.01, 0.1, 1.0, 10.0, 20.0] {
            let mut bench = Bench::running(speed);
            let mut monitor = bench.driven();
            bench.run(490, speed);
            assert!(!monitor.expire(at(bench.boot), TIMEOUT) && bench.anomaly().is_none(), "{speed}");
            bench.run(10, speed);
            assert!(monitor.expire(at(bench.boot), TIMEOUT), "{speed}: 0.5 s of the boot clock");
            // A stamp makes a command older by `/clock`, and so the rest of its time shorter: 0.2 s by `/clock` leave 0.3 s.
            let mut monitor = bench.driven();
            bench.run(10, speed);
            let ago = bench.shown - 200.0;
            if speed < 10.0 {
                assert_eq!(bench.give(&mut monitor, 0.0, ago), Received::Stopped(Stale::Late), "{speed}");
            }
            let mut monitor = CommandMonitor::silent_at_rest();
            assert_eq!(bench.give(&mut monitor, 1.0, ago), Received::InForce);
            assert_eq!(monitor.expiry(TIMEOUT).map(|end| end.since(at(bench.boot)).as_millis()), Some(300));
        }
    }

    #[test]
    fn a_faster_clock_jumps_all_the_time() {
        let mut bench = Bench { shown: 1.0, ..Bench::default() };
        bench.run(2000, 150.0); // 1.5 s in 10 ms
        assert!(matches!(bench.anomaly(), Some(ClockAnomaly::Jumped { .. })));
    }

    #[test]
    fn a_paused_clock_stops_and_its_end_moves_nothing() {
        for is_silent in [false, true] {
            let mut bench = Bench::running(1.0);
            let mut monitor = bench.driven();
            let pause = |bench: &mut Bench, millis| {
                if is_silent { bench.silent(millis) } else { bench.run(millis, 0.0) }.anomaly()
            };
            assert_eq!(pause(&mut bench, 490), None, "a short pause is none");
            assert_eq!(pause(&mut bench, 10), Some(ClockAnomaly::Still(TIMEOUT)));
            assert!(monitor.expire(at(bench.boot), TIMEOUT), "by the boot clock");
            let paused = bench.shown;
            for _ in 0..100 {
                pause(&mut bench, 1000);
                let refused = Received::Refused(Stale::NoTime);
                assert_eq!(bench.give(&mut monitor, 1.0, paused), refused, "the same stamp");
                assert_eq!(bench.give(&mut monitor, 1.0, paused + 1.0), refused, "another node's time");
                assert_eq!(bench.give(&mut monitor, 0.0, paused), Received::Stopped(Stale::NoTime));
            }
            // What was on its way all the time is young by `/clock`, and a zero has to come first.
            bench.run(500, 0.1);
            assert_eq!(bench.give(&mut monitor, 1.0, paused + 2.0), Received::Refused(Stale::NoTime));
            bench.run(10, 0.1);
            assert_eq!(bench.give(&mut monitor, 1.0, bench.shown), Received::WaitsForZero);
            assert_eq!(bench.give(&mut monitor, 0.0, bench.shown), Received::InForce);
        }
    }

    #[test]
    fn a_jump_makes_no_old_command_young() {
        for (to, speed) in [(10.0, 1.0), (99_000.0, 1.0), (100_500.0, 0.1), (103_000.0, 1.0), (1e9, 10.0)] {
            let mut bench = Bench::running(1.0);
            let mut monitor = bench.driven();
            let from = ms(bench.shown as u64);
            bench.jump(to);
            assert_eq!(bench.anomaly(), Some(ClockAnomaly::Jumped { from, to: ms(to as u64) }));
            for _ in 0..50 {
                // As old as it could be, and as young by the new time.
                assert_eq!(bench.give(&mut monitor, 1.0, to), Received::Refused(Stale::NoTime), "to {to}");
                bench.run(10, speed);
            }
            assert!(monitor.command().is_none() && monitor.waits_for_zero(), "to {to}: it stopped");
            bench.run(10, speed);
            assert_eq!(bench.anomaly(), None);
            assert_eq!(bench.give(&mut monitor, 1.0, bench.shown), Received::WaitsForZero);
            assert_eq!(bench.give(&mut monitor, 0.0, bench.shown), Received::InForce);
            assert_eq!(bench.give(&mut monitor, 1.0, bench.shown), Received::InForce, "to {to}");
        }
    }

    #[test]
    fn a_step_within_the_leeway_only_makes_commands_older() {
        let mut bench = Bench::running(1.0);
        let mut monitor = bench.driven();
        let before = bench.shown;
        bench.jump(before + 900.0);
        assert_eq!(bench.anomaly(), None);
        assert_eq!(
            bench.give(&mut monitor, 1.0, before + 1.0),
            Received::Refused(Stale::Old { age: Duration::from_millis(899) })
        );
    }

    #[test]
    fn two_publishers_are_a_conflict_however_they_agree() {
        let mut bench = Bench::running(1.0);
        let mut monitor = bench.driven();
        for count in [PublisherCount::of(2), PublisherCount::Unknown] {
            bench.time.count(at(bench.boot), count);
            bench.run(1000, 1.0);
            assert_eq!(bench.anomaly(), Some(ClockAnomaly::Publishers(count)));
            assert_eq!(bench.give(&mut monitor, 1.0, bench.shown), Received::Refused(Stale::NoTime));
        }
        bench.time.count(at(bench.boot), PublisherCount::of(1));
        assert_eq!(bench.run(490, 1.0).anomaly(), Some(ClockAnomaly::Begins));
        assert_eq!(bench.run(10, 1.0).anomaly(), None);
        assert_eq!(bench.give(&mut monitor, 1.0, bench.shown), Received::WaitsForZero);
        bench.time.count(at(bench.boot), PublisherCount::NONE);
        assert_eq!(bench.run(10, 1.0).anomaly(), None, "none is discovered yet");
        // Two that disagree jump with each message.
        for _ in 0..100 {
            bench.jump(5000.0).jump(90_000.0);
            assert!(matches!(bench.anomaly(), Some(ClockAnomaly::Jumped { .. })));
        }
    }

    #[test]
    fn the_ends_of_time_do_not_overflow() {
        let mut time = SimulatedTime::default();
        let last = Stamp { sec: i32::MAX, nanosec: 999_999_999 };
        for stamp in [Stamp { sec: i32::MIN, nanosec: 0 }, last, Stamp::ZERO, last, last] {
            time.receive(Instant::from_nanos(u64::MAX), stamp);
            assert!(time.anomaly(Instant::from_nanos(u64::MAX)).is_some() && time.stamp() >= Stamp::ZERO);
        }
    }

    #[test]
    fn a_doubt_says_what_is_wrong_with_the_topic() {
        let jump = ClockAnomaly::Jumped { from: ms(100_000), to: ms(500) };
        let words = [
            (ClockAnomaly::Publishers(PublisherCount::of(2)), "has 2 publishers, must have one"),
            (
                ClockAnomaly::Publishers(PublisherCount::Unknown),
                "has publishers that cannot be counted, must have one",
            ),
            (ClockAnomaly::Absent, "was not received"),
            (ClockAnomaly::Still(Duration::from_millis(3210)), "has not advanced for 3.2 s"),
            (jump, "jumped from 100.000 s to 0.500 s"),
            (ClockAnomaly::Begins, "advances since less than 0.5 s"),
        ];
        for (anomaly, expected) in words {
            assert_eq!(anomaly.to_string(), expected);
        }
    }
}
