//! A person takes the place of the zero that a source has to send after a loss.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use arbiter::{Input, NotAcknowledged, SourceType, Verdict, ZeroCause};
use common::{Bench, HIGH, LOCK, LOW, go, lock, params, wall};
use safety::{Command, Stamp};

const LOST: Verdict = Verdict::WaitsForZero(ZeroCause::Lost);
const OTHER: Verdict = Verdict::WaitsForZero(ZeroCause::OtherLost);
const BEGINS: Verdict = Verdict::WaitsForZero(ZeroCause::Begins);

/// A person acts at `ms`.
fn acknowledge(bench: &mut Bench, ms: u64) -> Vec<Command> {
    let mut commands = bench.at(ms);
    let millis = i64::try_from(ms).unwrap();
    bench.clock(ms, millis);
    commands.extend(bench.on(ms, Input::Acknowledged { stamp: wall(millis) }));
    commands
}

#[test]
fn a_person_takes_the_place_of_the_zero_of_a_source_that_sends() {
    let mut bench = Bench::new(vec![]);
    let stands = |commands: Vec<Command>| commands.iter().all(|command| command.velocity.is_zero());
    bench.command(0, HIGH, 1.0, 0);
    bench.command(490, LOW, 0.5, 0);
    // Low is silent: there is nothing to acknowledge, now or later.
    assert!(stands(acknowledge(&mut bench, 1_000)));
    assert!(stands(bench.command(1_010, LOW, 0.5, 0)));
    assert_eq!(bench.verdicts()[LOW], OTHER);
    assert!(stands(acknowledge(&mut bench, 1_020)), "an acknowledgement alone moves nothing");
    assert_eq!(bench.verdicts()[LOW], Verdict::Waits);
    assert_eq!(bench.command(1_030, LOW, 0.5, 0), [go(0.5, 0)]);
    assert_eq!(bench.command(1_040, HIGH, 1.0, 0), [], "it was silent at the acknowledgement");
}

#[test]
fn an_acknowledgement_lapses_with_the_commands_that_it_is_about() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 0);
    bench.command(600, LOW, 0.5, 0);
    acknowledge(&mut bench, 610);
    assert_eq!(bench.verdicts()[LOW], Verdict::Waits);
    assert!(bench.command(1_110, LOW, 0.5, 0).iter().all(|command| command.velocity.is_zero()));
    assert_eq!(bench.verdicts()[LOW], LOST);
}

#[test]
fn a_lock_and_a_stick_are_not_acknowledged() {
    let mut params = params(vec![lock(50)]);
    params.sources[HIGH].kind = SourceType::PoseState;
    let mut bench = Bench::with(params);
    bench.command(0, LOW, 0.5, 0);
    bench.command(0, HIGH, 0.5, 0);
    let verdicts = [Verdict::Locked { by: LOCK }, BEGINS];
    assert_eq!(bench.verdicts(), verdicts);
    acknowledge(&mut bench, 10);
    assert_eq!(bench.verdicts(), verdicts);
}

#[test]
fn an_acknowledgement_that_may_be_late_moves_nothing() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    bench.command(600, LOW, 0.5, 2);
    let stamp = |millis| Input::Acknowledged { stamp: wall(millis) };
    bench.on(610, stamp(610));
    assert_eq!(bench.0.not_acknowledged(), Some(NotAcknowledged::NoTime));
    bench.clock(620, 620);
    let refused = [
        (Input::Acknowledged { stamp: Stamp::ZERO }, "it has no stamp"),
        (stamp(120), "it is 500 ms old, must be younger than 500 ms"),
        (stamp(721), "it is stamped 101 ms ahead of this clock, must be at most 100 ms"),
    ];
    for (input, sentence) in refused {
        bench.on(620, input);
        assert_eq!(bench.0.not_acknowledged().unwrap().to_string(), sentence);
        assert_eq!(bench.verdicts()[LOW], LOST);
    }
    bench.on(620, stamp(121));
    assert_eq!((bench.0.not_acknowledged(), bench.verdicts()[LOW]), (None, Verdict::Waits));
    bench.on(630, stamp(630));
    let sentence = "it came 0.010 s after the last one, must be at least 1 s";
    assert_eq!(bench.0.not_acknowledged().unwrap().to_string(), sentence);
}
