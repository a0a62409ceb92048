//! The arbiter's behaviour, a test for each rule.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use arbiter::{Active, Input, Invalid, Level, Output, Params, Refused, Source, SourceType, Verdict};
use common::{Bench, HIGH, LOCK, LOW, WITHHELD, at, go, lock, stamp, stop};
use safety::{Command, Machine, NotFinite, PublisherCount, Velocity};

#[test]
fn a_command_is_sent_by_the_call_that_received_it() {
    let mut bench = Bench::new(vec![]);
    assert_eq!(bench.command(10, LOW, 0.5, 7), [go(0.5, 7)]);
    assert_eq!(bench.0.active().source, Some(LOW));
    assert_eq!(bench.0.health(), (Level::Ok, "low drives".into()));
}

#[test]
fn without_a_source_a_zero_is_sent_every_heartbeat() {
    let mut bench = Bench::new(vec![]);
    assert_eq!(bench.at(99), []);
    assert_eq!(bench.at(100), [Command::STOP]);
    // Late by more than two heartbeats: one zero is enough.
    bench.0.poll(at(350));
    assert_eq!(bench.0.deadline(), Some(at(450)));
}

/// Its velocity is below the neutral threshold and its rate below the heartbeat's: no zero is sent in between.
#[test]
fn a_source_that_creeps_is_not_interrupted_by_zeros() {
    let mut bench = Bench::new(vec![]);
    for number in 0..10 {
        let ms = 200 * number;
        assert_eq!(bench.command(ms, LOW, 0.015, 1 + number as i32), [go(0.015, 1 + number as i32)]);
        assert_eq!(bench.at(ms + 199), []);
    }
    // At rest its zero is repeated; if it is lost while it creeps the arbiter sends its own.
    assert_eq!(bench.command(2000, LOW, 0.0, 11), [go(0.0, 11)]);
    assert_eq!(bench.at(2100), [Command::STOP]);
    assert_eq!(bench.command(2150, LOW, 0.015, 12), [go(0.015, 12)]);
    assert_eq!(bench.at(2650), [Command::STOP]);
}

#[test]
fn a_higher_source_takes_over_at_once_and_the_lower_one_is_refused() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    assert_eq!(bench.command(10, HIGH, -0.2, 2), [go(-0.2, 2)]);
    assert_eq!(bench.command(20, LOW, 0.5, 3), []);
    assert_eq!(bench.verdicts(), [Verdict::Outranked { by: HIGH }, Verdict::Drives]);
    let counters = bench.0.counters();
    let outranked = counters.refused.of(Refused::Outranked);
    assert_eq!((counters.taken_over, outranked, counters.lost), (1, 1, 0));
}

#[test]
fn a_stale_source_loses_and_a_zero_is_sent_at_once() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 7);
    assert_eq!(bench.at(499), []);
    assert_eq!(bench.at(500), [Command::STOP]);
    assert_eq!(bench.at(599), []);
    assert_eq!(bench.at(600), [Command::STOP]);
    assert_eq!(bench.verdicts()[LOW], Verdict::TimedOut);
    assert_eq!(bench.0.health(), (Level::Ok, "no source drives; low timed out".into()));
}

#[test]
fn while_a_command_is_in_force_a_hold_is_detected_within_50_ms() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 7);
    assert_eq!(bench.0.deadline(), Some(at(50)));
    bench.command(10, HIGH, 0.0, 8);
    bench.at(490);
    assert_eq!(bench.0.deadline(), Some(at(500)));
}

#[test]
fn after_a_loss_at_rest_the_next_source_drives_from_its_next_message_on() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, HIGH, 0.0, 1);
    assert_eq!(bench.command(490, LOW, 0.5, 2), [Command::STOP; 4], "every 0.1 s again");
    assert_eq!(bench.at(500), [WITHHELD]);
    assert_eq!(bench.verdicts(), [Verdict::Waits, Verdict::TimedOut]);
    assert_eq!(bench.command(510, LOW, 0.4, 3), [go(0.4, 3)]);
}

#[test]
fn after_an_invalid_message_of_the_higher_source_the_lower_one_drives() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, HIGH, 0.5, 1);
    let invalid = Err(Invalid::WorldFrame);
    let input = Input::command(HIGH, invalid, stamp(2));
    assert_eq!(bench.on(10, input), [WITHHELD]);
    assert_eq!(bench.command(20, LOW, 0.3, 3), [], "the driving source was lost in motion");
    assert_eq!(bench.command(30, LOW, 0.0, 4), [stop(4)]);
    assert_eq!(bench.command(40, LOW, 0.3, 5), [go(0.3, 5)]);
    assert_eq!(bench.0.health(), (Level::Warn, "high sent no valid command; low drives".into()));
}

#[test]
fn a_late_command_never_drives() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 5);
    assert_eq!(bench.command(10, LOW, 1.0, 4), []);
    assert_eq!(bench.0.counters().refused.of(Refused::Late), 1);
    assert_eq!(bench.at(500), [Command::STOP], "it does not keep its source alive");
}

#[test]
fn a_zero_of_the_driving_source_is_never_late() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 5);
    assert_eq!(bench.command(10, HIGH, 0.0, 5), [stop(5)]);
    assert_eq!(bench.command(20, HIGH, 1.0, 7), [go(1.0, 7)]);
    assert_eq!(bench.command(30, LOW, 0.0, 4), [], "it does not drive");
    assert_eq!(
        bench.command(40, HIGH, 0.0, 6),
        [WITHHELD],
        "without a stamp, which later stages could refuse as late"
    );
    assert_eq!(bench.command(50, HIGH, 1.0, 8), [go(1.0, 8)], "it still drives");
    assert_eq!(bench.command(500, HIGH, 0.0, 7), [WITHHELD]);
    assert_eq!(bench.verdicts()[HIGH], Verdict::Drives);
    assert_eq!(bench.at(549), []);
    assert_eq!(bench.at(550), [Command::STOP], "it did not keep its source alive");
    assert_eq!(bench.verdicts()[HIGH], Verdict::TimedOut);
}

#[test]
fn a_source_with_older_stamps_is_sent_without_stamps_until_they_are_newer() {
    let mut bench = Bench::new(vec![]);
    assert_eq!(bench.command(0, LOW, 0.5, 9), [go(0.5, 9)]);
    // A stage that ignores stamps older than the last one would continue at 0.5 m/s.
    assert_eq!(bench.command(10, HIGH, 0.1, 5), [go(0.1, 0)]);
    assert_eq!(bench.command(20, HIGH, -0.1, 6), [go(-0.1, 0)], "its next command too");
    assert_eq!(bench.command(30, HIGH, 0.1, 9), [go(0.1, 9)]);
    // The wall clock is set back: no source waits until it has caught up.
    bench.0.handle(at(35), Input::ClockRead(stamp(4).into()));
    assert_eq!(bench.command(40, HIGH, 0.1, 4), [go(0.1, 4)]);
}

#[test]
fn a_sender_whose_last_message_is_repeated_times_out() {
    let mut bench = Bench::new(vec![]);
    assert_eq!(bench.command(0, HIGH, 1.0, 5), [go(1.0, 5)]);
    assert_eq!(bench.command(250, HIGH, 1.0, 5), [go(1.0, 5)]);
    assert_eq!(bench.command(500, HIGH, 1.0, 5), [WITHHELD]);
    assert_eq!(bench.0.counters().refused.of(Refused::Repeated), 1);
    assert_eq!(bench.command(510, HIGH, 0.0, 6), [stop(6)]);
}

#[test]
fn a_lock_that_was_never_received_is_closed() {
    let mut bench = Bench::new(vec![lock(50)]);
    assert_eq!(bench.command(0, LOW, 0.5, 1), []);
    assert_eq!(bench.verdicts(), [Verdict::Locked { by: LOCK }, Verdict::NeverReceived]);
    assert_eq!(
        bench.0.health(),
        (Level::Warn, "lock guard silent, counts as closed; no source drives".into())
    );
    assert_eq!(bench.command(0, HIGH, 0.5, 1), [go(0.5, 1)], "its priority is above the lock's");
}

#[test]
fn a_lock_does_not_mask_its_own_priority() {
    let mut bench = Bench::new(vec![lock(100)]);
    assert_eq!(bench.command(0, HIGH, 0.5, 1), [go(0.5, 1)]);
    let mut bench = Bench::new(vec![lock(101)]);
    assert_eq!(bench.command(0, HIGH, 0.5, 1), []);
}

#[test]
fn closing_a_lock_stops_at_once_and_opening_it_moves_nothing() {
    let mut bench = Bench::opened(common::params(vec![lock(50)]));
    assert_eq!(bench.command(10, LOW, 0.5, 1), [go(0.5, 1)]);
    assert_eq!(bench.lock(20, true), [WITHHELD]);
    assert_eq!(bench.command(30, LOW, 0.5, 2), []);
    bench.lock(40, false);
    bench.lock(165, false);
    assert_eq!(
        bench.verdicts()[LOW],
        Verdict::Locked { by: 0 },
        "closed 20 ms ago: it opens 250 ms after that"
    );
    assert!(bench.at(269).iter().all(|command| *command == WITHHELD));
    assert_eq!(bench.verdicts()[LOW], Verdict::Locked { by: 0 });
    assert_eq!(bench.at(270), []);
    assert_eq!(bench.verdicts()[LOW], Verdict::Waits, "a message received while locked has no effect");
    assert_eq!(bench.command(280, LOW, 0.5, 3), [go(0.5, 3)]);
}

#[test]
fn a_silent_lock_closes() {
    let mut bench = Bench::opened(common::params(vec![lock(50)]));
    bench.command(100, LOW, 0.5, 1);
    assert_eq!(bench.at(199), []);
    assert_eq!(bench.at(200), [WITHHELD]);
}

#[test]
fn active_is_published_on_change_only() {
    let mut bench = Bench::new(vec![]);
    let published = |outputs: Vec<Output>| {
        let active = |o| if let Output::PublishActive(active) = o { Some(active) } else { None };
        outputs.into_iter().filter_map(active).collect::<Vec<_>>()
    };
    let command = |sec| Input::command(LOW, Ok(Velocity::ZERO), stamp(sec));
    bench.drain(1);
    bench.0.handle(at(1), command(1));
    let verdicts = vec![Verdict::Drives, Verdict::NeverReceived];
    let outputs = bench.drain(1);
    assert!(matches!(outputs[0], Output::Drive(_)), "the command comes first");
    let (publishers, locks) = (vec![PublisherCount::NONE; 2], vec![]);
    let expected = Active { source: Some(LOW), since: at(1), stamp: stamp(0), verdicts, publishers, locks };
    assert_eq!(published(outputs), [expected]);
    bench.0.handle(at(2), command(2));
    assert_eq!(published(bench.drain(2)), []);
}

#[test]
fn stopping_sends_one_zero_and_nothing_afterwards() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    assert_eq!(bench.on(10, Input::Stopping), [WITHHELD]);
    assert_eq!(bench.on(11, Input::Stopping), []);
    assert_eq!(bench.command(20, LOW, 0.5, 2), []);
    assert_eq!(bench.at(5_000), []);
    assert_eq!(bench.0.deadline(), None);
    assert_eq!(bench.0.health(), (Level::Warn, "stopping".into()));
}

#[test]
fn a_clock_that_goes_back_has_no_effect() {
    let mut bench = Bench::new(vec![]);
    bench.command(400, LOW, 0.5, 1);
    // It counts as 400 ms, so the source is lost at 400 + 500.
    let velocity = Ok(Velocity::ZERO);
    bench.0.handle(at(100), Input::command(LOW, velocity, stamp(2)));
    while bench.0.poll(at(100)).is_some() {}
    assert_eq!(bench.at(899), [Command::STOP; 4], "every 0.1 s again");
    assert_eq!(bench.at(900), [Command::STOP]);
}

#[test]
fn an_unread_queue_keeps_the_newest() {
    let mut bench = Bench::new(vec![]);
    for sec in 1..=100 {
        let input = Input::command(LOW, Ok(Velocity::ZERO), stamp(sec));
        bench.0.handle(at(1), input);
    }
    assert_eq!(bench.at(1).last().unwrap().stamp, stamp(100));
    assert_eq!(bench.0.counters().dropped, 100 - 64);
}

#[test]
fn messages_commands_and_losses_are_counted() {
    let mut bench = Bench::new(vec![lock(200)]);
    bench.open(0);
    for ms in [300, 310, 320] {
        bench.command(ms, LOW, 0.5, 1);
    }
    bench.lock(330, true);
    bench.command(340, LOW, 0.5, 1);
    let counters = bench.0.counters();
    assert_eq!((counters.driven, counters.refused.of(Refused::Locked)), (3, 1));
    assert_eq!(counters.unknown, 0);
    let publishers = PublisherCount::Unknown;
    let strange = [
        Input::LockReceived { lock: 7, closed: false },
        Input::SourcePublishersCounted { source: 7, publishers },
        Input::LockPublishersCounted { lock: 7, publishers },
    ];
    for (count, input) in (1..).zip(strange) {
        bench.on(350, input);
        assert_eq!(bench.0.counters().unknown, count);
    }
    assert_eq!(bench.0.counters().lost, 1, "by the lock");
    bench.open(360);
    bench.command(700, LOW, 0.0, 1);
    bench.at(2_000);
    assert_eq!(bench.0.counters().lost, 2, "by silence");
}

#[test]
fn a_message_queued_for_another_thread_is_as_old_as_its_last_reading() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.0, 0);
    assert_eq!(bench.command(10, LOW, 0.5, 0), [go(0.5, 0)]);
    bench.at(470);
    // Its thread had emptied its queue at 20 ms, was due to read again by 40, and does so now.
    bench.0.read_again(at(480), at(20), at(40));
    assert_eq!(bench.on(480, common::command(LOW, 0.5, 0)), [go(0.5, 0)]);
    let age = bench.0.traffic(LOW).unwrap().age;
    assert_eq!(age, Some(std::time::Duration::from_millis(460)));
}

#[test]
fn after_stopping_every_verdict_has_the_reason() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.0, 1);
    bench.on(10, Input::Stopping);
    assert_eq!(bench.verdicts(), [Verdict::Stopping; 2]);
}

#[test]
fn a_report_names_sources_and_reasons() {
    let mut bench = Bench::new(vec![]);
    assert_eq!((bench.0.source_index("high"), bench.0.source_index("none")), (Some(HIGH), None));
    bench.command(0, HIGH, 0.5, 1);
    bench.command(0, LOW, 0.0, 1);
    let invalid = NotFinite { part: "angular.z", value: f64::INFINITY };
    let velocity = Err(Invalid::NotFinite(invalid));
    bench.on(1, Input::command(LOW, velocity, stamp(2)));
    let report = bench.0.report();
    let value = |key| &report.iter().find(|(k, _)| *k == key).unwrap().1;
    assert_eq!(value("active"), "high");
    assert_eq!(value("verdicts"), "low sent no valid command; high drives");
    assert_eq!(value("last invalid"), "low: angular.z is inf, must be finite");
    assert_eq!((value("commands").as_str(), value("outranked").as_str()), ("3", "1"));
    assert_eq!(value("active for"), "0.0 s");
    assert_eq!(value("rates"), "low 0 Hz; high 0 Hz", "no second is over yet");
    assert_eq!(value("ages"), "low 0.000 s; high 0.001 s");
    assert_eq!(value("refusals"), "low 1 invalid, 1 outranked; high none");
}

#[test]
fn a_minute_at_1_khz_on_five_sources_drops_no_command_and_passes_no_refused_one() {
    let source =
        |index: u8| Source::new(&index.to_string(), &format!("/s{index}"), SourceType::TwistStamped, index);
    let mut bench = Bench::with(Params { sources: (0..5).map(source).collect(), ..common::params(vec![]) });
    let (mut sent, mut got) = (Vec::new(), Vec::new());
    for ms in 1..60_000 {
        // In each second another source is the highest one that publishes.
        let highest = 4 - (ms / 1000) as usize % 5;
        for source in (0..=highest).rev() {
            // The driving source stops before it falls silent: losing it in motion would stop all.
            let stops = source == highest && ms % 1000 >= 999;
            let forward = if stops { 0.0 } else { (source + 1) as f64 };
            let driven = bench.command(ms, source, forward, ms as i32);
            if source == highest {
                sent.push((ms, forward));
                got.extend(driven.iter().map(|command| (ms, command.velocity.forward())));
            } else {
                // From the others at most the zero of a loss is sent.
                assert!(driven.iter().all(|command| command.velocity.is_zero()), "{driven:?} at {ms} ms");
            }
        }
    }
    got.retain(|&(_, forward)| forward != 0.0);
    sent.retain(|&(_, forward)| forward != 0.0);
    // The previous source published last in millisecond 999 and is lost 500 ms later: until then it masks the sources below.
    sent.retain(|&(ms, forward)| forward == 5.0 || ms % 1000 >= 499);
    assert!(got.len() > 35_000);
    assert_eq!(got, sent);
}
