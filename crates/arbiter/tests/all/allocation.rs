//! A step of the arbiter allocates nothing while the verdicts stay the same.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::common;

use allocations::{Counting, count};
use arbiter::{Input, Invalid, Lock, Output, Params, Source, SourceType, specification};
use common::{Bench, HIGH, LOCK, LOW, lock, params, wall};
use params::Value;
use safety::{Instant, Machine, Velocity};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The allocations during a thousand messages of each source, with locks and polls in between.
fn allocations(mut bench: Bench) -> usize {
    let arbiter = &mut bench.0;
    let mut step = |at: u64, input: Input| {
        let now = Instant::from_millis(at);
        arbiter.handle(now, Input::ClockRead(wall(at as i64).into()));
        arbiter.handle(now, input);
        let mut drives = 0;
        while let Some(output) = arbiter.poll(now) {
            drives += usize::from(matches!(output, Output::Drive(_)));
        }
        let _ = arbiter.deadline();
        drives
    };
    let command = |source, at: u64, forward| {
        Input::command(source, Ok(Velocity::planar(forward, 0.0).unwrap()), wall(at as i64))
    };
    step(0, Input::LockReceived { lock: LOCK, closed: false });
    step(0, command(LOW, 0, 0.0));
    step(0, command(HIGH, 0, 0.0));
    let before = count();
    let mut drives = 0;
    for at in (10..10_000).step_by(10) {
        drives += step(at, Input::LockReceived { lock: LOCK, closed: false });
        drives += step(at + 1, command(LOW, at, 0.5));
        drives += step(at + 2, command(HIGH, at, at as f64 / 1e4));
        drives += step(at + 3, command(HIGH, at - 5, 1.0));
    }
    let allocated = count() - before;
    assert!(drives >= 999, "{drives} commands drove");
    allocated
}

#[test]
fn commands_and_locks_allocate_nothing() {
    assert_eq!(allocations(Bench::new(vec![lock(50)])), 0);
    std::hint::black_box(Box::new(1u8));
    assert!(count() > 0, "the allocator counts");
}

#[test]
fn with_limits_they_allocate_nothing_either() {
    let overrides = [("limits.linear.x.acceleration", 0.5), ("limits.linear.x.jerk", 2.0)];
    let set =
        specification().resolve(overrides.map(|(name, value)| (name.into(), Value::Float(value)))).unwrap();
    let limited = Params { limits: Params::read(&set).unwrap().limits, ..params(vec![lock(50)]) };
    assert_eq!(allocations(Bench::with(limited)), 0);
}

#[test]
fn with_eight_sources_and_four_locks_they_allocate_nothing_either() {
    let mut many = params(vec![lock(50)]);
    for number in 0..6 {
        let (name, topic) = (format!("more_{number}"), format!("/more_{number}"));
        many.sources.push(Source::new(&name, &topic, SourceType::TwistStamped, 20 + number));
        // A silent lock, which is closed, stops no source above it.
        many.locks.extend((number < 3).then(|| Lock { name, topic, ..lock(5) }));
    }
    assert_eq!(allocations(Bench::with(many)), 0);
}

#[test]
fn a_takeover_and_a_loss_allocate_only_after_the_command_is_sent() {
    let mut bench = Bench::new(vec![]);
    bench.command(0, LOW, 0.5, 1);
    let arbiter = &mut bench.0;
    let stamp = safety::Stamp { sec: 2, nanosec: 0 };
    let velocities = [Ok(Velocity::planar(0.5, 0.0).unwrap()), Err(Invalid::NoVelocity)];
    for (at, velocity) in [10, 20].into_iter().zip(velocities) {
        let now = Instant::from_millis(at);
        let before = count();
        arbiter.handle(now, Input::command(HIGH, velocity, stamp));
        assert!(matches!(arbiter.poll(now), Some(Output::Drive(_))));
        assert_eq!(count() - before, 0, "at {at} ms");
        assert!(matches!(arbiter.poll(now), Some(Output::PublishActive(_))));
        assert!(count() > before);
    }
}
