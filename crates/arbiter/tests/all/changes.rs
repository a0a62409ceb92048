//! Parameters that change while a source drives.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use arbiter::{Input, Output, Source, SourceType, Verdict, ZeroCause};
use common::{Bench, HIGH, LOW, WITHHELD, at, go, lock, params, stop};
use safety::{Command, Machine};

#[test]
fn after_a_change_of_priorities_the_other_source_drives_once_it_sent_a_zero() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.1, 1);
    bench.command(0, HIGH, 0.5, 2);
    let mut swapped = params(vec![]);
    swapped.sources[LOW].priority = 200;
    assert_eq!(bench.on(10, Input::ParametersChanged(swapped)), [WITHHELD]);
    assert_eq!(bench.command(20, HIGH, 0.5, 3), []);
    assert_eq!(bench.command(30, LOW, 0.1, 4), []);
    assert_eq!(bench.verdicts()[LOW], Verdict::WaitsForZero(ZeroCause::OtherLost));
    assert_eq!(bench.command(40, LOW, 0.0, 5), [stop(5)]);
    assert_eq!(bench.command(50, LOW, 0.1, 6), [go(0.1, 6)]);
}

#[test]
fn a_change_of_priorities_that_leaves_the_driver_requires_nothing() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.1, 1);
    bench.command(0, HIGH, 0.5, 2);
    let mut closer = params(vec![]);
    closer.sources[LOW].priority = closer.sources[HIGH].priority - 1;
    assert_eq!(bench.on(10, Input::ParametersChanged(closer)), []);
    assert_eq!(bench.verdicts(), [Verdict::Outranked { by: HIGH }, Verdict::Drives]);
    bench.command(20, HIGH, 0.0, 3);
    bench.command(300, LOW, 0.1, 4);
    assert_eq!(bench.command(530, LOW, 0.1, 5).last(), Some(&go(0.1, 5)), "it was released and handed over");
}

#[test]
fn other_sources_start_as_new() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, HIGH, 0.5, 2);
    let mut fewer = params(vec![]);
    fewer.sources.truncate(1);
    assert_eq!(bench.on(10, Input::ParametersChanged(fewer)), [Command::STOP]);
    assert_eq!(bench.verdicts(), [Verdict::NeverReceived]);
    assert_eq!(bench.command(20, HIGH, 0.5, 3), [], "this source was removed");
    assert_eq!(bench.0.counters().unknown, 1);
}

#[test]
fn a_source_that_stays_keeps_its_state_and_drives_on() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    let since = bench.0.active().since;
    let mut more = params(vec![]);
    more.sources.insert(0, Source::new("another", "/another", SourceType::Twist, 50));
    assert_eq!(bench.on(10, Input::ParametersChanged(more)), []);
    assert_eq!(bench.0.active().source, Some(1), "low is the second one now");
    assert_eq!(bench.verdicts(), [Verdict::NeverReceived, Verdict::Drives, Verdict::NeverReceived]);
    assert_eq!(bench.0.active().since, since);
    assert_eq!(bench.command(20, 1, 0.6, 2), [go(0.6, 2)]);
    assert_eq!(bench.command(30, 1, 0.7, 1), [], "its last stamp is remembered");
    assert_eq!(bench.command(40, 0, 0.0, 1), [go(0.0, 0)], "the new source outranks it");
}

#[test]
fn a_source_with_another_topic_or_type_is_a_new_one() {
    for change in [
        |source: &mut Source| source.topic = "/elsewhere".into(),
        |source: &mut Source| source.kind = SourceType::PoseState,
        |source: &mut Source| source.name = "other".into(),
    ] {
        let mut bench = Bench::new(vec![]);
        bench.command(0, LOW, 0.5, 1);
        let mut other = params(vec![]);
        change(&mut other.sources[LOW]);
        assert_eq!(bench.on(10, Input::ParametersChanged(other)), [Command::STOP]);
        assert_eq!(bench.verdicts(), [Verdict::NeverReceived; 2]);
    }
}

#[test]
fn a_new_lock_is_closed_and_an_old_one_stays_as_it_is() {
    let mut bench = Bench::opened(params(vec![lock(50)]));
    bench.command(10, LOW, 0.5, 1);
    let mut locks = vec![lock(60)];
    assert_eq!(
        bench.on(20, Input::ParametersChanged(params(locks.clone()))),
        [],
        "it is open, with priority 60 too"
    );
    locks.push(arbiter::Lock { name: "another".into(), topic: "/another".into(), ..lock(50) });
    assert_eq!(bench.on(30, Input::ParametersChanged(params(locks.clone()))), [WITHHELD]);
    assert_eq!(bench.verdicts()[LOW], Verdict::Locked { by: 1 });
    locks[0].topic = "/guard_elsewhere".into();
    bench.on(40, Input::ParametersChanged(params(locks)));
    assert_eq!(bench.verdicts()[LOW], Verdict::Locked { by: 0 }, "not received yet, and of higher priority");
}

#[test]
fn changed_indices_are_published_even_if_the_verdicts_are_the_same() {
    let mut bench = Bench::new(vec![]);
    bench.drain(1);
    let mut others = params(vec![]);
    others.sources[LOW].name = "other".into();
    bench.0.handle(at(2), Input::ParametersChanged(others.clone()));
    assert!(bench.0.deadline().is_some_and(|due| due <= at(2)));
    assert!(matches!(bench.drain(2)[..], [Output::PublishActive(_)]));
    bench.drain(3);
    bench.0.handle(at(3), Input::ParametersChanged(others));
    assert_eq!(bench.drain(3), [], "nothing changed");
}

#[test]
fn a_shorter_timeout_takes_effect_at_once() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, HIGH, 0.5, 1);
    let mut short = params(vec![]);
    short.sources[HIGH].timeout = std::time::Duration::from_millis(50);
    assert_eq!(bench.on(49, Input::ParametersChanged(short.clone())), []);
    assert_eq!(bench.at(50), [Command::STOP]);
    assert_eq!(
        bench.on(51, Input::ParametersChanged(params(vec![]))),
        [],
        "a longer timeout does not restore a source"
    );
    assert_eq!(bench.verdicts()[HIGH], Verdict::TimedOut);
    assert_eq!(bench.command(52, HIGH, 0.5, 1), [], "nor does the same message again");
    assert_eq!(bench.command(53, HIGH, 0.0, 2), [go(0.0, 2)]);
}

#[test]
fn a_source_that_loses_by_the_change_sends_no_further_sample() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.1, 1);
    bench.command(0, HIGH, 0.5, 2);
    let mut other = params(vec![]);
    other.sources[LOW].priority = 200;
    let set = arbiter::specification()
        .resolve([("limits.linear.x.deceleration".to_owned(), params::Value::Float(1.0))])
        .unwrap();
    other.limits = arbiter::Params::read(&set).unwrap().limits;
    assert_eq!(bench.on(10, Input::ParametersChanged(other)), [WITHHELD]);
}

#[test]
fn a_source_that_is_raised_above_a_closed_lock_starts_nothing() {
    for priority in [60, 50] {
        let mut bench = Bench::opened(params(vec![lock(50)]));
        assert_eq!(bench.command(1, LOW, 0.5, 1), [go(0.5, 1)]);
        for ms in [10, 100, 180] {
            bench.lock(ms, true);
            bench.command(ms, LOW, 0.5, ms as i32);
        }
        let mut raised = bench.0.params().clone();
        raised.sources[LOW].priority = priority;
        bench.on(190, Input::ParametersChanged(raised));
        assert_eq!(bench.command(195, LOW, 0.5, 195), [], "{priority}");
        assert_eq!(bench.command(198, LOW, 0.0, 198), [stop(198)]);
        assert_eq!(bench.command(200, LOW, 0.5, 200), [go(0.5, 200)]);
    }
}

#[test]
fn a_swap_of_priorities_before_the_first_message_after_a_lock_opens_starts_nothing() {
    let mut bench = Bench::opened(params(vec![lock(150)]));
    for ms in [1, 10, 100, 190] {
        bench.lock(ms, ms > 1);
        bench.command(ms, HIGH, 0.0, ms as i32); // it holds the vehicle still
        bench.command(ms, LOW, 0.5, ms as i32);
    }
    bench.open(200);
    bench.command(420, LOW, 0.5, 420);
    bench.drain(455);
    assert_eq!(bench.verdicts(), [Verdict::Outranked { by: HIGH }, Verdict::Waits]);
    let mut swapped = bench.0.params().clone();
    swapped.sources[LOW].priority = 120;
    bench.on(460, Input::ParametersChanged(swapped));
    assert_eq!(bench.command(470, LOW, 0.5, 470), []);
    assert_eq!(bench.verdicts()[LOW], Verdict::WaitsForZero(ZeroCause::OtherLost));
}

#[test]
fn a_source_that_is_raised_above_one_of_two_closed_locks_waits_for_a_zero() {
    let mut bench = Bench::opened(params(vec![lock(150), lock(50)]));
    let both = |bench: &mut Bench, ms, first| {
        bench.on(ms, Input::LockReceived { lock: 1, closed: true });
        bench.lock(ms, first);
        bench.command(ms, LOW, 0.5, ms as i32)
    };
    (1..200).step_by(50).for_each(|ms| drop(both(&mut bench, ms, true)));
    let mut raised = bench.0.params().clone();
    raised.sources[LOW].priority = 60;
    bench.on(200, Input::ParametersChanged(raised));
    let sent: Vec<Command> = (220..900).step_by(50).flat_map(|ms| both(&mut bench, ms, false)).collect();
    assert!(sent.iter().all(|command| command.velocity.is_zero()), "{sent:?}");
    assert_eq!(bench.verdicts()[LOW], Verdict::WaitsForZero(ZeroCause::OtherLost));
}

#[test]
fn a_stick_that_is_added_while_it_runs_begins_with_a_zero_after_a_silence() {
    let mut bench = Bench::new(vec![]);
    let mut more = bench.0.params().clone();
    more.sources.push(Source::new("stick", "/stick", SourceType::PoseState, 200));
    bench.on(10, Input::ParametersChanged(more));
    assert_eq!(bench.command(6_000, 2, 0.0, 1).last(), Some(&stop(1)));
    assert_eq!(bench.command(6_010, 2, 0.5, 2), [go(0.5, 2)]);
    assert_eq!(bench.command(6_020, 2, 0.0, 3), [stop(3)]);
    let out = bench.command(8_000, 2, 0.5, 4);
    assert!(out.iter().all(|command| command.velocity.is_zero()), "it moved during its silence: {out:?}");
}
