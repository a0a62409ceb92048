//! A person takes the place of the zero that a source has to send after a loss.

use crate::common;

use arbiter::{Input, SourceType, Verdict, ZeroCause};
use common::{Bench, HIGH, LOCK, LOW, command, go, lock, params};
use safety::Command;

const LOST: Verdict = Verdict::WaitsForZero(ZeroCause::Lost);
const OTHER: Verdict = Verdict::WaitsForZero(ZeroCause::OtherLost);
const BEGINS: Verdict = Verdict::WaitsForZero(ZeroCause::Begins);

#[test]
fn a_person_takes_the_place_of_the_zero_of_a_source_that_sends() {
    let mut bench = Bench::new(vec![]);
    let stands = |commands: Vec<Command>| commands.iter().all(|command| command.velocity.is_zero());
    bench.command(0, HIGH, 1.0, 1);
    bench.command(490, LOW, 0.5, 2);
    // Low is silent: there is nothing to acknowledge, now or later.
    assert!(stands(bench.on(1_000, Input::Acknowledged)));
    assert!(stands(bench.command(1_010, LOW, 0.5, 3)));
    assert_eq!(bench.verdicts()[LOW], OTHER);
    assert!(bench.0.can_be_acknowledged(LOW) && !bench.0.can_be_acknowledged(HIGH));
    assert!(stands(bench.on(1_020, Input::Acknowledged)), "an acknowledgement alone moves nothing");
    assert_eq!(bench.verdicts()[LOW], Verdict::Waits);
    assert_eq!(bench.command(1_030, LOW, 0.5, 4), [go(0.5, 4)]);
    assert_eq!(bench.command(1_040, HIGH, 1.0, 5), [], "it was silent at the acknowledgement");
}

#[test]
fn an_acknowledgement_lapses_with_the_commands_that_it_is_about() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    bench.command(600, LOW, 0.5, 2);
    bench.on(610, Input::Acknowledged);
    assert_eq!(bench.verdicts()[LOW], Verdict::Waits);
    assert!(bench.command(1_110, LOW, 0.5, 3).iter().all(|command| command.velocity.is_zero()));
    assert_eq!(bench.verdicts()[LOW], LOST);
}

#[test]
fn a_lock_and_a_stick_are_not_acknowledged() {
    let mut params = params(vec![lock(50)]);
    params.sources[HIGH].kind = SourceType::PoseState;
    let mut bench = Bench::with(params);
    bench.command(0, LOW, 0.5, 1);
    bench.command(0, HIGH, 0.5, 1);
    let verdicts = [Verdict::Locked { by: LOCK }, BEGINS];
    assert_eq!(bench.verdicts(), verdicts);
    bench.on(10, Input::Acknowledged);
    assert_eq!(bench.verdicts(), verdicts);
}

#[test]
fn a_request_that_may_have_waited_acknowledges_nothing() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    bench.command(600, LOW, 0.5, 2);
    bench.after_a_hold(900, command(LOW, 0.5, 3));
    bench.after_a_hold(901, Input::Acknowledged);
    assert_eq!(bench.verdicts()[LOW], LOST);
    bench.on(1_000, Input::Acknowledged);
    assert_eq!(bench.command(1_010, LOW, 0.5, 4), [go(0.5, 4)]);
}
