//! When the remote drives, one sentence at a time.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use crate::bench;

use core::time::Duration;

use bench::{Bench, go, params, position};
use chair::{BadJoystick, Hold, Input, Joystick, Level, Mode, RemoteParams, Source, State};
use safety::{Command, NotFinite, PublisherCount, Stale, Stamp, Velocity};
use zones::{Calibration, Curve, Profiles};

#[test]
fn the_zero_of_a_second_publisher_does_not_restore_motion_once_it_is_gone() {
    let mut bench = Bench::active();
    bench.command = None;
    bench.on(Input::PublishersCounted(PublisherCount::of(2)));
    bench.on(go(0.27, 0.0)); // of the one that stays
    bench.pass(15);
    bench.on(go(0.0, 0.0)); // of the one that goes
    bench.pass(15);
    bench.on(Input::PublishersCounted(PublisherCount::of(1)));
    bench.sent.clear();
    bench.on(go(0.27, 0.0));
    bench.pass(20);
    assert!(!bench.moves(), "it was never released");
}

#[test]
fn sticks_go_out_at_20_hertz_at_least_and_100_at_most() {
    let mut bench = Bench::confirmed();
    bench.pass(1000);
    assert_eq!(bench.sent.len(), 20, "neutral as well");
    bench.on(go(0.0, 0.0));
    bench.sent.clear();
    for ms in 0..1000 {
        bench.on(go(if ms % 2 == 0 { 0.1 } else { 0.2 }, 0.0));
        bench.pass(1);
    }
    // One each 10 ms.
    assert!((99..=101).contains(&bench.sent.len()), "{}", bench.sent.len());
}

#[test]
fn a_command_does_not_wait_for_the_next_period() {
    let mut bench = Bench::confirmed();
    bench.pass(20);
    bench.sent.clear();
    bench.on(go(0.27, 0.0));
    assert_eq!((bench.sent.len(), bench.last()), (1, (50, 0)));
    bench.on(go(0.54, 0.0));
    assert_eq!(bench.last(), (50, 0), "the least gap");
    bench.pass(10);
    assert_eq!(bench.last(), (100, 0));
    bench.on(go(0.0, 0.0));
    assert_eq!(bench.last(), (0, 0), "neutral does not wait");
}

#[test]
fn a_stale_command_is_neutral_at_once() {
    let mut bench = Bench::active();
    bench.command = None;
    let since = bench.ms; // the last command came just now
    bench.pass(499);
    assert_eq!(bench.last(), (50, 0));
    bench.pass(1);
    assert_eq!(bench.sent.last(), Some(&(since + 500, Joystick::neutral(Source::SharedRemote))));
    assert_eq!((bench.remote.state(), bench.remote.counters().lost_commands), (State::Confirmed, 1));
    bench.stopped_for(Hold::CommandMissing, Level::Ok);
}

#[test]
fn nothing_moves_before_a_zero_after_anything_that_held_it() {
    type Act = fn(&mut Bench);
    let ours = |bench: &mut Bench| bench.feedback = Some(position(Source::SharedRemote));
    let holders: [(&str, Act, Act); 6] = [
        ("silence of the chair", |b| b.feedback = None, ours),
        (
            "a second publisher",
            |b| b.on(Input::PublishersCounted(PublisherCount::of(2))),
            |b| b.on(Input::PublishersCounted(PublisherCount::of(1))),
        ),
        (
            "no graph",
            |b| b.on(Input::PublishersCounted(PublisherCount::Unknown)),
            |b| b.on(Input::PublishersCounted(PublisherCount::of(1))),
        ),
        (
            "another publisher of sticks",
            |b| b.on(Input::StickPublishersCounted(PublisherCount::of(2))),
            |b| b.on(Input::StickPublishersCounted(PublisherCount::of(1))),
        ),
        ("another profile", |b| b.on(Input::ProfileReceived(99)), |b| b.on(Input::ProfileReceived(1))),
        ("silence of the commands", |b| b.command = None, |b| b.command = Some(go(0.27, 0.0))),
    ];
    for (what, hold, release) in holders {
        let mut bench = Bench::new(params(Mode::Shared));
        bench.on(Input::ProfileReceived(1));
        ours(&mut bench);
        bench.command = Some(go(0.27, 0.0));
        bench.on(Input::Activated);
        bench.pass(500);
        bench.stopped_for(Hold::NotNeutral, Level::Warn);
        assert_eq!(bench.remote.state(), State::Confirmed, "held from the start");
        bench.on(go(0.021, 0.0));
        bench.pass(200);
        assert!(!bench.moves(), "it is slow, and no zero");
        bench.on(go(0.003, 0.0));
        bench.pass(200);
        assert!(bench.moves(), "a stick that drifts is at zero: {what}");
        hold(&mut bench);
        bench.pass(600); // silence counts from 300 and 500 ms on
        bench.sent.clear();
        bench.pass(400);
        assert!(!bench.moves(), "{what}");
        release(&mut bench);
        bench.pass(1000);
        bench.stopped_for(Hold::NotNeutral, Level::Warn);
        bench.on(go(0.0, 0.0));
        bench.pass(200);
        assert!(bench.moves(), "{what}");
    }
}

#[test]
fn silence_after_a_zero_asks_for_another_one() {
    let mut bench = Bench::confirmed();
    bench.pass(1000);
    assert_eq!(bench.remote.counters().lost_commands, 1);
    bench.on(go(0.27, 0.0));
    bench.pass(20);
    assert!(!bench.moves());
    bench.on(go(0.0, 0.0));
    bench.on(go(0.27, 0.0));
    bench.pass(20);
    assert!(bench.moves());
}

#[test]
fn what_counts_as_a_zero_moves_nothing() {
    let mut bench = Bench::confirmed();
    bench.command = Some(go(0.02, 0.05));
    bench.pass(200);
    assert_eq!((bench.last(), bench.remote.state()), ((0, 0), State::Active));
    bench.command = Some(go(0.021, 0.0));
    bench.pass(200);
    assert_ne!(bench.last(), (0, 0));
}

#[test]
fn the_stick_for_a_command_stays_when_parameters_change() {
    let mut bench = Bench::active();
    // Twice the stick for the same speed, if it counted.
    let line = |full| Curve::linear(full).unwrap();
    let mut profiles = Profiles::default();
    assert!(profiles.insert(1, Calibration::new(line(0.27), 1.0, line(0.6)).unwrap()));
    let before = bench.remote.params().clone();
    let rate = Duration::from_millis(20);
    bench.on(Input::ParametersChanged(RemoteParams { profiles, period: rate, ..before.clone() }));
    bench.pass(200);
    assert!(bench.sent.iter().all(|(_, joystick)| joystick.forward_back() == 50) && bench.sent.len() >= 10);
    assert_eq!(bench.remote.params(), &RemoteParams { period: rate, ..before });
}

#[test]
fn an_invalid_command_is_neutral_until_a_zero() {
    let mut bench = Bench::active();
    bench.command = None;
    bench.on(Input::CommandRefused(NotFinite { part: "linear.x", value: f64::NAN }));
    bench.stopped_for(Hold::CommandInvalid, Level::Error);
    bench.on(go(0.27, 0.0));
    bench.stopped_for(Hold::NotNeutral, Level::Warn);
    bench.on(go(0.0, 0.0));
    bench.on(go(0.27, 0.0));
    bench.pass(10);
    assert_eq!(bench.last(), (50, 0));
}

#[test]
fn a_wrong_source_stops_until_the_next_activation() {
    let mut bench = Bench::active();
    bench.feedback = Some(position(Source::ChairPhysical));
    bench.pass(50);
    assert_eq!((bench.remote.state(), bench.called.len()), (State::Lost, 1), "the mode is not taken back");
    bench.stopped_for(Hold::WrongSource(Source::ChairPhysical), Level::Error);
    assert!(bench.remote.health().1.contains("'chair physical' (4)"));
    bench.feedback = Some(position(Source::SharedRemote));
    bench.pass(1000);
    assert_eq!(bench.remote.state(), State::Lost);
    bench.stopped_for(Hold::Taken(Source::ChairPhysical), Level::Error);
    bench.on(Input::Activated);
    bench.pass(500);
    bench.stopped_for(Hold::NotNeutral, Level::Warn);
    bench.on(go(0.0, 0.0));
    bench.pass(100);
    assert!(bench.moves() && bench.remote.state() == State::Active);
    assert_eq!((bench.remote.counters().wrong_sources, bench.remote.counters().lost_chairs), (1, 1));
}

/// 1000 s and `ms` by the wall clock.
fn wall(ms: i64) -> Stamp {
    let ms = 1_000_000 + ms;
    Stamp { sec: (ms / 1000) as i32, nanosec: (ms % 1000) as u32 * 1_000_000 }
}

/// An active bench, its wall clock, and no command that repeats; full throw is 0.54 m/s.
fn with_clock() -> Bench {
    let mut bench = Bench::active();
    bench.on(Input::ClockRead(wall(0).into()));
    bench.command = None;
    bench.on(go(0.0, 0.0));
    bench.sent.clear();
    bench
}

/// A command with a stamp \[ms\].
fn stamped(forward: f64, ms: i64) -> Input {
    Input::CommandReceived(Command::new(Velocity::planar(forward, 0.0).unwrap(), wall(ms)))
}

#[test]
fn a_stop_is_never_too_late() {
    let mut bench = with_clock();
    bench.on(stamped(0.27, 0));
    bench.pass(20);
    bench.on(stamped(0.54, -5));
    bench.pass(20);
    assert_eq!((bench.last(), bench.remote.counters().late_commands), ((50, 0), 1));
    bench.on(stamped(0.0, -60_000));
    assert_eq!((bench.last(), bench.remote.state()), ((0, 0), State::Confirmed));
    assert_eq!(bench.remote.hold(), Some(Hold::CommandStale(Stale::Late)));
    bench.on(stamped(0.27, -1));
    bench.pass(20);
    assert_eq!(bench.last(), (0, 0), "older than what the stop stopped");
    bench.on(stamped(0.27, 60));
    bench.pass(20);
    assert_eq!(bench.last(), (0, 0), "a stop that came late is none to begin with");
    bench.on(stamped(0.0, 80));
    bench.on(stamped(0.27, 81));
    bench.pass(20);
    assert_eq!(bench.last(), (50, 0));
}

#[test]
fn the_timeout_of_an_old_command_is_shortened_by_its_age() {
    let mut bench = with_clock();
    bench.on(stamped(0.54, -300));
    bench.pass(199);
    assert_eq!(bench.last(), (100, 0));
    bench.pass(1);
    bench.stopped_for(Hold::CommandMissing, Level::Ok);
    let at = 400; // 200 ms, and as much in `stopped_for`
    bench.on(stamped(0.0, at - 500));
    bench.on(stamped(0.54, at));
    bench.pass(20);
    assert_eq!(
        (bench.last(), bench.remote.counters().old_commands),
        ((0, 0), 1),
        "an old zero is none to begin with"
    );
    bench.stopped_for(Hold::NotNeutral, Level::Warn);
}

#[test]
fn a_command_from_the_future_is_none() {
    let mut bench = with_clock();
    bench.pass(500);
    bench.on(stamped(0.27, 3_600_000));
    let Some(Hold::CommandStale(stale)) = bench.remote.hold() else { panic!("{:?}", bench.remote.hold()) };
    bench.stopped_for(Hold::CommandStale(stale), Level::Error);
    let text = "was stamped 3599.500 s ahead of this clock";
    assert!(bench.remote.report().contains(&("last stale command", text.into())));
    bench.on(go(0.0, 0.0));
    bench.on(go(0.27, 0.0));
    bench.pass(10);
    assert_eq!((bench.last(), bench.remote.counters().future_commands), ((50, 0), 1));
}

#[test]
fn a_command_that_waited_during_a_suspension_moves_nothing() {
    let mut bench = Bench::active();
    (bench.command, bench.feedback) = (None, None);
    bench.ms += 10_000;
    bench.sent.clear();
    for _ in 0..10 {
        bench.on(position(Source::SharedRemote));
        bench.on(go(0.0, 0.0));
        bench.on(go(0.27, 0.0));
    }
    bench.pass(100);
    assert!(!bench.moves() && bench.remote.counters().old_commands == 20, "{:?}", bench.remote.counters());
    (bench.command, bench.feedback) = (Some(go(0.27, 0.0)), Some(position(Source::SharedRemote)));
    bench.pass(1000);
    bench.stopped_for(Hold::NotNeutral, Level::Warn);
}

#[test]
fn a_silent_chair_stops() {
    let mut bench = Bench::active();
    bench.feedback = None;
    bench.pass(299);
    assert_eq!(bench.last(), (50, 0));
    bench.pass(1);
    bench.stopped_for(Hold::FeedbackSilent, Level::Warn);
}

#[test]
fn a_chair_at_ten_hertz_may_miss_one() {
    let mut bench = Bench::active();
    bench.feedback = None;
    for _ in 0..10 {
        for gap in [100, 100, 200] {
            bench.pass(gap);
            bench.on(position(Source::SharedRemote));
        }
    }
    assert_eq!((bench.remote.hold(), bench.remote.counters().lost_chairs), (None, 0));
}

#[test]
fn invalid_feedback_is_ignored() {
    let mut bench = Bench::active();
    let bad = BadJoystick { field: "joystick_zone", value: 9, min: 0, max: 8, unit: "" };
    bench.feedback = Some(Input::FeedbackRefused(bad));
    bench.pass(400);
    assert_eq!(
        (bench.remote.hold(), bench.remote.counters().invalid_feedback),
        (Some(Hold::FeedbackSilent), 8)
    );
    assert!(bench.remote.report().contains(&("last invalid feedback", bad.to_string())));
}

#[test]
fn without_a_calibrated_profile_nothing_moves() {
    let mut bench = Bench::new(params(Mode::Shared));
    bench.feedback = Some(position(Source::SharedRemote));
    bench.command = Some(go(0.27, 0.0));
    bench.on(Input::Activated);
    bench.pass(1000);
    bench.stopped_for(Hold::ProfileMissing, Level::Warn);
    bench.on(Input::ProfileReceived(6));
    bench.stopped_for(Hold::NotCalibrated(6), Level::Error);
    bench.on(Input::ProfileReceived(2));
    bench.on(go(0.0, 0.0));
    bench.pass(60);
    // 0.27 m/s of 1.07 are 25.2 percent.
    assert_eq!(bench.last(), (25, 0));
    bench.on(Input::ProfileReceived(1));
    bench.pass(10);
    assert_eq!(bench.last(), (50, 0), "another profile, another stick for the same speed");
}

#[test]
fn commands_are_cut_and_other_parts_left_out_and_counted() {
    let mut bench = Bench::confirmed();
    let velocity = Velocity::new([5.4, 1.0, 0.0], [0.0, 0.0, 1.2212]).unwrap();
    bench.on(Input::CommandReceived(Command::new(velocity, Stamp::ZERO)));
    bench.pass(10);
    // Ten times too fast: the turn is a tenth as well.
    assert_eq!(bench.last(), (100, -10));
    assert_eq!((bench.remote.counters().cut, bench.remote.counters().dropped_parts), (1, 1));
}
