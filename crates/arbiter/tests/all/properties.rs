//! Random commands, locks and times, with invariants that hold at every millisecond.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use arbiter::{Arbiter, Input, Invalid, Lock, Output, Params, Source, SourceType};
use proptest::prelude::*;
use safety::{Command, Instant, Machine, Stamp, Velocity};

const SOURCES: [(u8, u64); 4] = [(0, 90), (20, 150), (100, 60), (255, 200)]; // priority, timeout [ms]
const LOCKS: [(u8, u64); 2] = [(20, 120), (255, 250)];

#[derive(Clone, Copy, Debug)]
enum Event {
    Command { source: usize, stops: bool, valid: bool, stamp: i32 },
    Lock { lock: usize, closed: bool },
}

fn params(with_locks: bool) -> Params {
    let ms = Duration::from_millis;
    let source = |(index, &(priority, timeout)): (usize, &(u8, u64))| Source {
        timeout: ms(timeout),
        ..Source::new(&index.to_string(), &format!("/s{index}"), SourceType::TwistStamped, priority)
    };
    let lock = |&(priority, timeout): &(u8, u64)| Lock {
        name: priority.to_string(),
        topic: format!("/l{priority}"),
        priority,
        timeout: ms(timeout),
    };
    Params {
        sources: SOURCES.iter().enumerate().map(source).collect(),
        locks: if with_locks { LOCKS.iter().map(lock).collect() } else { Vec::new() },
        ..Params::default()
    }
}

/// A velocity that identifies its source: source 2 asks for 3 m/s.
fn velocity(source: usize) -> Velocity {
    Velocity::planar(source as f64 + 1.0, 0.0).unwrap()
}

fn stamp(sec: i32) -> Stamp {
    Stamp { sec, nanosec: 0 }
}

fn input(event: Event) -> Input {
    match event {
        Event::Command { source, stops, valid, stamp: sec } => {
            let asked = if stops { Velocity::ZERO } else { velocity(source) };
            let velocity = if valid { Ok(asked) } else { Err(Invalid::NoVelocity) };
            Input::command(source, velocity, stamp(sec))
        }
        Event::Lock { lock, closed } => Input::LockReceived { lock, closed },
    }
}

fn events() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let command =
        (0..4usize, prop::bool::weighted(0.3), prop::bool::weighted(0.95), prop_oneof![Just(0), 1..12]);
    let lock = (0..2usize, prop::bool::weighted(0.3));
    let event = prop_oneof![
        3 => command
            .prop_map(|(source, stops, valid, stamp)| Event::Command { source, stops, valid, stamp }),
        2 => lock.prop_map(|(lock, closed)| Event::Lock { lock, closed }),
    ];
    prop::collection::vec((0..80u64, event), 1..60)
}

/// Drains the outputs, checks that none stays due, and returns the commands.
fn drain(arbiter: &mut Arbiter, now: Instant) -> Vec<Command> {
    let outputs = std::iter::from_fn(|| arbiter.poll(now));
    let drives: Vec<Command> =
        outputs.filter_map(|o| if let Output::Drive(command) = o { Some(command) } else { None }).collect();
    assert!(arbiter.deadline().is_none_or(|at| at > now), "a deadline has passed");
    drives
}

proptest! {
    /// With late calls and bursts: every output is a zero or of the source that is reported to drive, and after each drain without
    /// a driving source the last output is a zero.
    #[test]
    fn no_command_of_a_source_that_may_not_drive_is_sent(
        events in events(), polled in prop::collection::vec(any::<bool>(), 60),
    ) {
        let mut arbiter = Arbiter::new(params(true));
        let (mut now, mut may) = (0u64, Vec::new());
        for ((wait, event), polled) in events.into_iter().zip(polled) {
            now += wait;
            arbiter.handle(Instant::from_millis(now), input(event));
            may.extend(arbiter.active().source.map(|source| source as f64 + 1.0));
            if polled {
                let got = drain(&mut arbiter, Instant::from_millis(now));
                for command in &got {
                    prop_assert!(command.velocity.is_zero() || may.contains(&command.velocity.forward()));
                }
                if arbiter.active().source.is_none() {
                    prop_assert!(got.last().is_none_or(|last| last.velocity.is_zero()), "no source drives");
                }
                may.clear();
            }
        }
    }

    /// Between two deadlines the machine has no output: polling more often changes nothing.
    #[test]
    fn polling_between_deadlines_has_no_effect(events in events(), with_locks in any::<bool>()) {
        let (mut lazy, mut eager) = (Arbiter::new(params(with_locks)), Arbiter::new(params(with_locks)));
        let mut now = 0u64;
        for (wait, event) in events {
            for _ in 0..wait {
                now += 1;
                let at = Instant::from_millis(now);
                let due = lazy.deadline().is_some_and(|due| due <= at);
                let of_lazy = if due { drain(&mut lazy, at) } else { Vec::new() };
                prop_assert_eq!(of_lazy, drain(&mut eager, at), "at {} ms", now);
                prop_assert_eq!(lazy.active().source, eager.active().source);
            }
            let at = Instant::from_millis(now);
            lazy.handle(at, input(event));
            eager.handle(at, input(event));
            prop_assert_eq!(drain(&mut lazy, at), drain(&mut eager, at), "{:?} at {} ms", event, now);
        }
    }

    #[test]
    fn the_same_events_give_the_same_outputs(events in events()) {
        let run = || {
            let (mut arbiter, mut now, mut outputs) = (Arbiter::new(params(true)), 0, Vec::new());
            for &(wait, event) in &events {
                now += wait;
                arbiter.handle(Instant::from_millis(now), input(event));
                outputs.extend(std::iter::from_fn(|| arbiter.poll(Instant::from_millis(now))));
            }
            format!("{outputs:?} {:?}", arbiter.report())
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn no_time_index_or_stamp_makes_it_panic(
        calls in prop::collection::vec((any::<u64>(), any::<usize>(), any::<i32>(), any::<u32>()), 1..40),
    ) {
        let mut arbiter = Arbiter::new(params(true));
        for (nanos, index, sec, nanosec) in calls {
            let (now, source) = (Instant::from_nanos(nanos), index % 6);
            let stamp = Stamp { sec, nanosec };
            arbiter.handle(now, Input::command(source, Ok(Velocity::ZERO), stamp));
            arbiter.handle(now, Input::LockReceived { lock: index, closed: sec > 0 });
            let _ = (arbiter.poll(now), arbiter.deadline(), arbiter.health(), arbiter.report());
        }
    }
}
