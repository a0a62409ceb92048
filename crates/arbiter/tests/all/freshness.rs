//! Stamps against the wall clock: a stamp can make a command older, never fresher.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use std::time::Duration;

use arbiter::{Input, Level, Refused, Verdict, ZeroCause};
use common::{Bench, HIGH, LOW, WITHHELD, at, go, lock, wall};
use safety::{ClockReading, Command, Machine, Stamp, Velocity};

/// At `ms`, counted from second 100 of the wall clock, with a stamp of `stamp` after that second.
fn command(bench: &mut Bench, ms: u64, source: usize, forward: f64, stamp: i64) -> Vec<Command> {
    let mut out = bench.at(ms);
    bench.clock(ms, ms as i64);
    let velocity = Ok(Velocity::planar(forward, 0.0).unwrap());
    out.extend(bench.on(ms, Input::command(source, velocity, wall(stamp))));
    out
}

fn forward(forward: f64, stamp: i64) -> Command {
    Command::new(Velocity::planar(forward, 0.0).unwrap(), wall(stamp))
}

#[test]
fn a_command_that_is_too_old_does_not_drive() {
    let mut bench = Bench::new(vec![]);
    assert_eq!(command(&mut bench, 10, LOW, 0.5, 10 - 500), []);
    assert_eq!(bench.verdicts()[LOW], Verdict::TooOld);
    assert_eq!(
        bench.0.health(),
        (Level::Error, "low sent a command that is too old; no source drives".into())
    );
    assert_eq!(bench.0.counters().refused.of(Refused::TooOld), 1);
    assert_eq!(command(&mut bench, 20, LOW, 0.5, 20 - 499), [], "it asked for motion, and was lost");
    assert_eq!(command(&mut bench, 30, LOW, 0.0, 30 - 499), [forward(0.0, -469)]);
}

#[test]
fn a_command_that_is_too_old_stops_its_source_and_lets_others_drive() {
    let mut bench = Bench::new(vec![]);
    command(&mut bench, 0, HIGH, 0.5, 0);
    bench.at(10);
    bench.clock(10, 1_000); // the wall clock was set forward
    let input = |source, stamp| Input::command(source, Ok(Velocity::planar(0.6, 0.0).unwrap()), wall(stamp));
    assert_eq!(bench.on(10, input(HIGH, 10)), [WITHHELD]);
    let stop = Input::command(LOW, Ok(Velocity::ZERO), wall(999));
    assert_eq!(bench.on(11, stop), [forward(0.0, 999)]);
    assert_eq!(bench.on(11, input(LOW, 1_000)), [forward(0.6, 1_000)]);
    let text = "high sent a command that is too old; low drives";
    assert_eq!(bench.0.health(), (Level::Warn, text.into()));
}

#[test]
fn the_driving_source_stops_when_its_stamp_gets_too_old() {
    let mut bench = Bench::new(vec![]);
    // 300 ms old at its receipt: 200 ms are left of 500.
    assert_eq!(command(&mut bench, 1000, LOW, 0.5, 700).last(), Some(&forward(0.5, 700)));
    assert_eq!(bench.at(1199), []);
    assert_eq!(bench.at(1200), [WITHHELD]);
    assert_eq!(bench.verdicts()[LOW], Verdict::TimedOut, "no new message came in time");
}

#[test]
fn a_stamp_within_the_skew_does_not_make_a_command_fresher() {
    let mut bench = Bench::new(vec![]);
    assert_eq!(command(&mut bench, 0, LOW, 0.5, 100), [forward(0.5, 100)]);
    assert_eq!(bench.at(499), []);
    assert_eq!(bench.at(500), [Command::STOP]);
}

#[test]
fn a_stamp_from_the_future_stops_its_source() {
    let mut bench = Bench::new(vec![]);
    command(&mut bench, 0, LOW, 0.5, 0);
    assert_eq!(command(&mut bench, 10, LOW, 0.6, 111), [WITHHELD]);
    assert_eq!(bench.verdicts()[LOW], Verdict::FromFuture);
    assert_eq!(bench.0.health().1, "low sent a command from the future; no source drives");
    assert_eq!(bench.0.counters().refused.of(Refused::FromFuture), 1);
    assert_eq!(
        command(&mut bench, 20, LOW, 0.0, 20),
        [forward(0.0, 20)],
        "it does not make a later one late"
    );
}

#[test]
fn without_a_time_no_source_with_stamps_drives() {
    let mut bench = Bench::new(vec![]);
    assert_eq!(command(&mut bench, 0, LOW, 0.5, 0), [forward(0.5, 0)]);
    let mut unreliable = |ms: u64, stamp| {
        let reading = ClockReading { stamp: wall(ms as i64), is_reliable: false };
        bench.0.handle(at(ms), Input::ClockRead(reading));
        let input = Input::command(LOW, Ok(Velocity::planar(0.5, 0.0).unwrap()), stamp);
        (bench.on(ms, input), bench.verdicts()[LOW])
    };
    assert_eq!(unreliable(10, wall(10)), (vec![WITHHELD], Verdict::TooOld));
    assert_eq!(unreliable(20, Stamp::UNKNOWN), (vec![], Verdict::TooOld));
    assert_eq!(
        unreliable(30, Stamp::ZERO),
        (vec![], Verdict::WaitsForZero(ZeroCause::Lost)),
        "it counts from its receipt"
    );
    assert_eq!(command(&mut bench, 40, LOW, 0.0, 40), [forward(0.0, 40)]);
    assert_eq!(command(&mut bench, 50, LOW, 0.5, 50), [forward(0.5, 50)]);
    bench.clock(60, 60);
    let unknown = Input::command(LOW, Ok(Velocity::planar(0.5, 0.0).unwrap()), Stamp::UNKNOWN);
    assert_eq!(bench.on(60, unknown), [WITHHELD], "a stage without a time stamped it");
}

#[test]
fn a_late_command_is_ignored_even_if_it_is_also_too_old() {
    let mut bench = Bench::new(vec![]);
    command(&mut bench, 1000, LOW, 0.5, 1000);
    assert_eq!(command(&mut bench, 1010, LOW, 0.6, 100), []);
    assert_eq!(bench.verdicts()[LOW], Verdict::Drives);
    assert_eq!(bench.0.counters().refused.of(Refused::Late), 1);
}

#[test]
fn without_a_stamp_or_a_clock_only_the_receipt_counts() {
    let mut bench = Bench::new(vec![]);
    bench.clock(0, 0);
    let unstamped = Input::command(LOW, Ok(Velocity::ZERO), Stamp::ZERO);
    assert_eq!(bench.on(0, unstamped).len(), 1);
    assert_eq!(bench.verdicts()[LOW], Verdict::Drives);

    let mut bench = Bench::new(vec![]);
    assert_eq!(bench.command(0, LOW, 0.5, 7), [go(0.5, 7)], "the wall clock is not known");
}

#[test]
fn a_jump_of_the_clock_does_not_affect_earlier_messages() {
    for jump in [-3_600_000, 3_600_000] {
        let mut bench = Bench::new(vec![lock(50)]);
        bench.lock(0, false);
        command(&mut bench, 0, LOW, 0.5, 0);
        bench.at(100);
        bench.clock(100, jump);
        assert_eq!(bench.at(199), []);
        assert_eq!(bench.at(200), [WITHHELD], "the lock times out as usual");
    }
}

#[test]
fn active_has_its_start_time() {
    let mut bench = Bench::new(vec![]);
    command(&mut bench, 1_000, LOW, 0.5, 1_000);
    command(&mut bench, 1_400, LOW, 0.5, 1_400);
    let active = bench.0.active();
    assert_eq!((active.since, active.stamp), (at(1_000), wall(1_000)));
    assert_eq!(bench.0.active_for(), Duration::from_millis(400));
    bench.at(1_899);
    bench.clock(1_900, 1_900);
    bench.at(1_900);
    let active = bench.0.active();
    assert_eq!((active.source, active.since, active.stamp), (None, at(1_900), wall(1_900)));
}

#[test]
fn the_traffic_of_each_source_is_counted() {
    let mut bench = Bench::new(vec![]);
    for ms in (0..2_000).step_by(50) {
        command(&mut bench, ms, LOW, 0.5, ms as i64 - 20);
        command(&mut bench, ms, HIGH, 0.5, if ms % 100 == 0 { ms as i64 - 30 } else { ms as i64 - 600 });
    }
    let (low, high) = (bench.0.traffic(LOW).unwrap(), bench.0.traffic(HIGH).unwrap());
    assert_eq!((low.rate, low.received, low.age), (20, 40, Some(Duration::from_millis(20))));
    // Every second message of the higher source is older than its last one, and late.
    assert_eq!((high.received, high.driven, high.refused.of(Refused::Late)), (40, 20, 20));
    // Low drives at 0 ms, before the first message of the other; after that it is outranked.
    assert_eq!((low.driven, low.refused.of(Refused::Outranked)), (1, 39));
    assert_eq!(bench.0.traffic(2), None);
}
