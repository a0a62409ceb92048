//! Several publishers of one source or lock.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use arbiter::{Input, Level, Verdict, ZeroCause};
use common::{Bench, HIGH, LOW, WITHHELD, at, command, drives, go, lock, params, stop};
use safety::{Machine, PublisherCount};

const OTHER: Verdict = Verdict::WaitsForZero(ZeroCause::OtherLost);

#[test]
fn after_a_conflict_of_a_locks_publishers_earlier_messages_do_not_open_it() {
    let mut bench = Bench::opened(params(vec![lock(50)]));
    bench.command(5, LOW, 0.0, 1);
    bench.lock_publishers(20, 2, 0);
    for (ms, closed) in [(30, true), (100, false), (200, false), (290, false)] {
        bench.lock(ms, closed);
    }
    bench.command(295, LOW, 0.0, 1);
    bench.lock_publishers(300, 1, 0);
    assert!(bench.command(310, LOW, 0.5, 2).iter().all(|command| command.velocity.is_zero()));
}

#[test]
fn two_publishers_of_a_lock_close_it_while_they_last() {
    let mut bench = Bench::opened(params(vec![lock(50)]));
    bench.command(10, LOW, 0.5, 1);
    assert_eq!(bench.lock_publishers(20, 2, 0), [WITHHELD]);
    for ms in (30..1_000).step_by(30) {
        // They disagree, and nothing is sent.
        assert!(drives(bench.drain(ms)).iter().all(|command| command.velocity.is_zero()));
        bench.0.handle(at(ms), Input::LockReceived { lock: 0, closed: ms % 20 == 0 });
        bench.0.handle(at(ms), command(LOW, 0.5, ms as i32));
        assert!(matches!(bench.verdicts()[LOW], Verdict::Locked { .. }));
    }
    let text = "lock guard counts as closed: 2 publishers, must be 1; no source drives";
    assert_eq!(bench.0.health(), (Level::Warn, text.into()));
    bench.lock_publishers(1_000, 1, 0);
    bench.open(1_010);
    bench.command(1_270, LOW, 0.5, 1_270);
    assert_eq!(bench.verdicts()[LOW], OTHER, "this is a loss, not an opening");
    bench.command(1_280, LOW, 0.0, 1_280);
    assert_eq!(bench.command(1_290, LOW, 0.5, 1_290), [go(0.5, 1_290)]);
}

#[test]
fn a_conflict_of_publishers_is_reported_while_it_lasts_also_at_rest() {
    let mut bench = Bench::new(vec![lock(5)]);
    bench.drain(1);
    let counted = |all, incompatible| PublisherCount::Known { compatible: all - incompatible, incompatible };
    bench.0.handle(at(1), Input::SourcePublishersCounted { source: LOW, publishers: counted(1, 1) });
    bench.0.handle(at(1), Input::LockPublishersCounted { lock: 0, publishers: PublisherCount::Unknown });
    assert_eq!(bench.drain(1).len(), 1, "~/active shows it");
    let (level, text) = bench.0.health();
    assert_eq!(level, Level::Warn);
    for part in [
        "lock guard counts as closed: its publishers cannot be read from the graph",
        "source low: ignores 1 of 1 publishers: another type, or best effort",
        "no source drives",
    ] {
        assert!(text.contains(part), "{text}");
    }
    bench.on(4, Input::SourcePublishersCounted { source: LOW, publishers: counted(1, 0) });
    bench.lock_publishers(4, 1, 0);
    bench.lock(4, true);
    bench.command(5, LOW, 0.0, 1);
    bench.command(6, LOW, 0.5, 2);
    assert_eq!(bench.0.health(), (Level::Ok, "low drives".into()));
}

#[test]
fn two_publishers_of_a_source_are_a_loss_and_a_zero_of_either_does_not_count() {
    let mut bench = Bench::new(vec![]);
    let counted = |all| Input::SourcePublishersCounted { source: LOW, publishers: PublisherCount::of(all) };
    bench.command(510, LOW, 0.5, 2);
    assert_eq!(bench.verdicts()[LOW], Verdict::Drives);
    assert_eq!(bench.on(520, counted(2)), [WITHHELD]);
    assert_eq!(bench.verdicts()[LOW], Verdict::Conflict);
    bench.command(530, LOW, 0.0, 3);
    assert_eq!(bench.command(540, LOW, -0.5, 4), []);
    assert_eq!(bench.command(545, HIGH, 0.5, 4), [], "the driving source was lost in motion");
    bench.on(550, counted(1));
    assert_eq!(bench.command(560, LOW, -0.5, 5), [], "a zero sent before the end of the conflict");
    assert_eq!(bench.verdicts()[LOW], Verdict::WaitsForZero(ZeroCause::Conflict));
    assert_eq!(bench.command(570, LOW, 0.0, 6), [stop(6)]);
    assert_eq!(bench.command(580, LOW, 0.5, 7), [go(0.5, 7)]);
}

#[test]
fn publisher_counts_are_kept_when_indices_change() {
    let mut bench = Bench::new(vec![]);
    let publishers = PublisherCount::of(2);
    bench.on(0, Input::SourcePublishersCounted { source: HIGH, publishers });
    let mut one = params(vec![]);
    one.sources.remove(LOW);
    bench.on(1, Input::ParametersChanged(one));
    assert_eq!(bench.0.active().publishers, [publishers]);
}
