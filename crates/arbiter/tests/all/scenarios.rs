//! Ten thousand random scenarios against a reference model: same driving source, same reasons, same commands.
#![allow(clippy::unwrap_used)] // helpers of tests

use crate::model;

use std::time::Duration;

use arbiter::{Arbiter, Input, Invalid, Lock, LockState, Output, Params, Source, SourceType, State, Verdict};
use model::{Asks, Before, Memory, Model, Setting};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use safety::{Instant, Machine, PublisherCount, Stamp, Velocity};

const SCENARIOS: u32 = 10_000;
const TICK: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, Debug)]
enum Event {
    /// With a stamp this many ticks ahead of the wall clock; `None` without.
    Command {
        source: usize,
        stamp: Option<i64>,
        what: Asks,
    },
    /// The last message of the source again.
    Repeat {
        source: usize,
    },
    Lock {
        lock: usize,
        closed: bool,
    },
    LockPublishers {
        lock: usize,
        count: usize,
    },
    Publishers {
        source: usize,
        count: usize,
    },
    /// The machine is not called for this many ticks.
    Hold(i64),
    /// The wall clock is set forward by this many ticks.
    Jump(i64),
    /// The source is removed, or added as a new one.
    Toggle {
        source: usize,
    },
    /// Two sources swap priorities.
    Swap(usize, usize),
}

fn time(ticks: i64) -> Duration {
    TICK * u32::try_from(ticks).unwrap()
}

fn stamp(ticks: i64) -> Stamp {
    let nanos = ticks * TICK.as_nanos() as i64;
    Stamp { sec: (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
}

fn params(model: &Model) -> Params {
    let source = |index: usize| {
        let (priority, timeout) = model.setting.sources[index];
        let kind = if model.setting.sticks[index] { SourceType::PoseState } else { SourceType::Twist };
        Source {
            timeout: time(timeout),
            ..Source::new(&format!("s{index}"), &format!("/s{index}"), kind, priority)
        }
    };
    let lock = |(index, &(priority, timeout)): (usize, &(u8, i64))| Lock {
        name: format!("l{index}"),
        topic: format!("/l{index}"),
        priority,
        timeout: time(timeout),
    };
    Params {
        sources: (0..model.present.len()).filter(|&s| model.present[s]).map(source).collect(),
        locks: model.setting.locks.iter().enumerate().map(lock).collect(),
        ..Params::default()
    }
}

struct Pair {
    model: Model,
    arbiter: Arbiter,
    now: Instant,
}

impl Pair {
    fn send(&mut self, input: Input) {
        self.arbiter.handle(self.now, Input::ClockRead(stamp(self.model.wall).into()));
        self.arbiter.handle(self.now, input);
    }

    fn receive(&mut self, source: usize, sent: i64, what: Asks) {
        if !self.model.present[source] {
            return;
        }
        self.model.receive(source, sent, what);
        self.model.update();
        // A velocity that identifies its source.
        let velocity = Velocity::planar(source as f64 + 1.0, 0.0).unwrap();
        let is_stick = self.model.setting.sticks[source];
        let (source, stamp) = (self.model.index(source), stamp(sent));
        let [forward, zero] = [velocity.linear(), [0.0; 3]].map(Some);
        let state = |vel, acc| Input::StateReceived {
            source,
            state: State { stamp, intrinsic: true, vel, acc, ..State::default() },
        };
        self.send(match what {
            Asks::Hold => state(zero, zero),
            Asks::Pass => state(zero, Some([-1.0, 0.0, 0.0])),
            Asks::Go if is_stick => state(forward, zero),
            Asks::Stop if is_stick => state(zero, None),
            Asks::Nonsense if is_stick => state(None, None),
            Asks::Go => Input::command(source, Ok(velocity), stamp),
            Asks::Stop => Input::command(source, Ok(Velocity::ZERO), stamp),
            Asks::Nonsense => Input::command(source, Err(Invalid::NoVelocity), stamp),
        });
    }

    fn play(&mut self, event: Event) {
        let count = self.model.present.len();
        match event {
            Event::Command { source, stamp, what } => {
                let sent = stamp.map_or(0, |ahead| self.model.wall + ahead);
                self.receive(source % count, sent, what);
            }
            Event::Repeat { source } => {
                let memory = self.model.sources[source % count];
                if memory.received {
                    self.receive(source % count, memory.sent, Asks::Go);
                }
            }
            Event::Lock { lock, closed } => {
                if lock < self.model.locks.len() {
                    self.model.lock(lock, closed);
                    self.model.update();
                    self.send(Input::LockReceived { lock, closed });
                }
            }
            Event::LockPublishers { lock, count } => {
                if lock < self.model.locks.len() {
                    self.model.count_lock(lock, count);
                    self.model.update();
                    let publishers = PublisherCount::of(count);
                    self.send(Input::LockPublishersCounted { lock, publishers });
                }
            }
            Event::Publishers { source, count: publishers } => {
                let source = source % count;
                if self.model.present[source] {
                    self.model.count(source, publishers);
                    self.model.update();
                    let publishers = PublisherCount::of(publishers);
                    let source = (0..source).filter(|&s| self.model.present[s]).count();
                    self.send(Input::SourcePublishersCounted { source, publishers });
                }
            }
            Event::Hold(ticks) => {
                let until = self.now + time(ticks);
                // A machine without an earlier deadline was not held; a machine that is slightly late is not tested here.
                if self.arbiter.deadline().is_some_and(|due| due + time(5) < until) {
                    self.now = until;
                    self.model.hold(ticks);
                }
            }
            Event::Jump(ticks) => self.model.wall = (self.model.wall + ticks).max(1),
            Event::Toggle { source } => {
                let source = source % count;
                let before = self.model.before();
                let leaves = self.model.present[source];
                self.model.present[source] = !leaves;
                if !leaves {
                    self.model.sources[source] = Memory::new(self.model.setting.sticks[source]);
                }
                self.adopt(&before, leaves.then_some(source));
            }
            Event::Swap(a, b) => {
                let (a, b) = (a % count, b % count);
                let before = self.model.before();
                let ranks = &mut self.model.setting.sources;
                (ranks[a].0, ranks[b].0) = (ranks[b].0, ranks[a].0);
                self.adopt(&before, None);
            }
        }
    }

    fn adopt(&mut self, before: &Before, removed: Option<usize>) {
        self.model.change(before, removed);
        let params = params(&self.model);
        self.send(Input::ParametersChanged(params));
    }

    fn compare(&mut self) -> Result<(), TestCaseError> {
        let outputs = std::iter::from_fn(|| self.arbiter.poll(self.now));
        let got: Vec<(Option<usize>, Stamp, bool)> = outputs
            .filter_map(|output| match output {
                Output::Drive(command) => {
                    let source = command.velocity.forward() as usize;
                    Some((source.checked_sub(1), command.stamp, command.withheld))
                }
                Output::PublishActive(_) => None,
            })
            .collect();
        let expected: Vec<_> = self
            .model
            .out
            .drain(..)
            .map(|(source, sent, withheld)| (source, stamp(sent), withheld))
            .collect();
        prop_assert_eq!(got, expected);
        let present: Vec<usize> = (0..self.model.present.len()).filter(|&s| self.model.present[s]).collect();
        let verdicts: Vec<Verdict> = present.iter().map(|&source| self.model.verdict(source)).collect();
        prop_assert_eq!(&self.arbiter.active().verdicts, &verdicts);
        let locks: Vec<LockState> =
            (0..self.model.locks.len()).map(|lock| self.model.lock_state(lock)).collect();
        prop_assert_eq!(&self.arbiter.active().locks, &locks);
        prop_assert_eq!(self.arbiter.active().source, self.model.driving.map(|s| self.model.index(s)));
        Ok(())
    }
}

fn settings() -> impl Strategy<Value = Setting> {
    let priorities = prop::sample::subsequence(vec![0u8, 1, 9, 10, 100, 254, 255], 1..=4).prop_shuffle();
    let times = prop::collection::vec(3..40i64, 4);
    let locks = prop::collection::vec((prop::sample::select(vec![0u8, 10, 11, 100, 255]), 3..20i64), 0..3);
    let sticks = prop::collection::vec(prop::bool::weighted(0.3), 4);
    (priorities, times, locks, sticks).prop_map(|(priorities, times, locks, mut sticks)| {
        sticks.truncate(priorities.len());
        // A stick's is 0.3 s at least.
        let times =
            times.into_iter().zip(&sticks).map(|(time, &is_stick)| time + if is_stick { 27 } else { 0 });
        let times: Vec<i64> = times.collect();
        Setting { sources: priorities.into_iter().zip(times).collect(), sticks, locks }
    })
}

fn events() -> impl Strategy<Value = Vec<(u32, Event)>> {
    let stamp = prop_oneof![
        2 => Just(None),
        8 => (-3..=1i64).prop_map(Some),
        2 => (-45..15i64).prop_map(Some),
    ];
    let what = prop_oneof![12 => Just(Asks::Go), 5 => Just(Asks::Stop), 2 => Just(Asks::Hold), 1 => Just(Asks::Pass), 1 => Just(Asks::Nonsense)];
    let event = prop_oneof![
        20 => (0..4usize, stamp, what).prop_map(|(source, stamp, what)| Event::Command { source, stamp, what }),
        2 => (0..4usize).prop_map(|source| Event::Repeat { source }),
        5 => (0..3usize, prop::bool::weighted(0.25)).prop_map(|(lock, closed)| Event::Lock { lock, closed }),
        1 => (0..3usize, 0..3usize).prop_map(|(lock, count)| Event::LockPublishers { lock, count }),
        2 => (0..4usize, 0..3usize).prop_map(|(source, count)| Event::Publishers { source, count }),
        1 => (13..60i64).prop_map(Event::Hold),
        1 => (-30..30i64).prop_map(Event::Jump),
        1 => (0..4usize).prop_map(|source| Event::Toggle { source }),
        1 => (0..4usize, 0..4usize).prop_map(|(a, b)| Event::Swap(a, b)),
    ];
    prop::collection::vec((prop_oneof![4 => 0..4u32, 1 => 0..25u32, 1 => Just(210)], event), 1..40)
}

#[test]
fn the_arbiter_agrees_with_the_model_in_ten_thousand_scenarios() {
    let config = Config { cases: SCENARIOS, failure_persistence: None, ..Config::default() };
    // A fixed seed.
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut seen = std::collections::BTreeMap::<String, u64>::new();
    let counted = std::cell::RefCell::new(&mut seen);
    let scenario = (settings(), events());
    runner
        .run(&scenario, |(setting, events)| {
            let model = Model::new(setting);
            let arbiter = Arbiter::new(params(&model));
            let mut pair = Pair { model, arbiter, now: Instant::ZERO };
            pair.compare()?;
            for (wait, event) in events {
                for _ in 0..wait {
                    pair.now = pair.now + TICK;
                    pair.model.tick();
                    pair.compare()?;
                }
                pair.play(event);
                pair.compare()?;
                for verdict in &pair.arbiter.active().verdicts {
                    let words = verdict.explain(pair.arbiter.params());
                    let kind = words.split(" by ").next().unwrap_or_default().to_owned();
                    *counted.borrow_mut().entry(kind).or_default() += 1;
                }
            }
            Ok(())
        })
        .unwrap();
    // Every reason occurs, so the agreement is not trivial.
    assert_eq!(seen.len(), 14, "{seen:?}");
    assert!(seen.values().all(|&count| count > 150), "{seen:?}");
}
