//! Random commands, locks and times, against a model that walks through every millisecond.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use arbiter::{Arbiter, Input, Invalid, Kind, Lock, Output, Params, Source};
use proptest::prelude::*;
use units::{Command, Instant, Machine, Stamp, Velocity};

const HEARTBEAT: u64 = 70;
const SOURCES: [(u8, u64); 4] = [(0, 90), (20, 150), (100, 60), (255, 200)]; // priority, timeout [ms]
const LOCKS: [(u8, u64); 2] = [(20, 120), (255, 250)];

#[derive(Clone, Copy, Debug)]
enum Event {
    Command { source: usize, valid: bool, stamp: i32 },
    Lock { lock: usize, closed: bool },
}

fn params(with_locks: bool) -> Params {
    let ms = Duration::from_millis;
    let source = |(index, &(priority, timeout)): (usize, &(u8, u64))| Source {
        timeout: ms(timeout),
        ..Source::new(&index.to_string(), &format!("/s{index}"), Kind::TwistStamped, priority)
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
        heartbeat: ms(HEARTBEAT),
        ..Params::default()
    }
}

/// A velocity that tells its source: source 2 asks for 3 m/s.
fn velocity(source: usize) -> Velocity {
    Velocity::planar(source as f64 + 1.0, 0.0).unwrap()
}

fn stamp(sec: i32) -> Stamp {
    Stamp { sec, nanosec: 0 }
}

fn input(event: Event) -> Input {
    match event {
        Event::Command { source, valid, stamp: sec } => {
            let velocity = if valid { Ok(velocity(source)) } else { Err(Invalid::NoVelocity) };
            Input::CommandReceived { source, velocity, stamp: stamp(sec) }
        }
        Event::Lock { lock, closed } => Input::LockReceived { lock, closed },
    }
}

/// The reference: states of all sources and locks as ages that grow by one each millisecond.
#[derive(Clone)]
struct Model {
    with_locks: bool,
    sources: [Option<Heard>; 4],
    locks: [Option<(bool, u64)>; 2],
    driving: Option<usize>,
    silent_for: Option<u64>,
    /// The stamp of the last command that drove.
    last: i32,
}

#[derive(Clone, Copy)]
struct Heard {
    age: u64,
    valid: bool,
    newest: i32,
    said: i32,
    /// How long ago the newest stamp came.
    since: u64,
}

impl Model {
    fn new(with_locks: bool) -> Self {
        Self {
            with_locks,
            sources: [None; 4],
            locks: [None; 2],
            driving: None,
            silent_for: Some(HEARTBEAT),
            last: 0,
        }
    }

    fn masked(&self, source: usize) -> bool {
        self.with_locks
            && (0..2).any(|lock| {
                let open = matches!(self.locks[lock], Some((false, age)) if age < LOCKS[lock].1);
                !open && SOURCES[source].0 < LOCKS[lock].0
            })
    }

    fn eligible(&self, source: usize) -> bool {
        self.sources[source].is_some_and(|h| h.valid && h.age < SOURCES[source].1) && !self.masked(source)
    }

    fn winner(&self) -> Option<usize> {
        (0..4).rev().find(|&source| self.eligible(source)) // SOURCES is in the order of priority
    }

    fn check_loss(&mut self, out: &mut Vec<(i32, f64)>) {
        if self.driving.is_some() && self.driving != self.winner() {
            self.driving = None;
            self.silent_for = Some(0);
            out.push((0, 0.0));
        }
    }

    fn millisecond(&mut self, out: &mut Vec<(i32, f64)>) {
        self.sources.iter_mut().flatten().for_each(|h| (h.age, h.since) = (h.age + 1, h.since + 1));
        self.locks.iter_mut().flatten().for_each(|(_, age)| *age += 1);
        self.silent_for = self.silent_for.map(|ms| ms + 1);
        self.check_loss(out);
        self.beat(out);
    }

    fn beat(&mut self, out: &mut Vec<(i32, f64)>) {
        if self.silent_for.is_some_and(|ms| ms >= HEARTBEAT) {
            self.silent_for = Some(0);
            out.push((0, 0.0));
        }
    }

    fn event(&mut self, event: Event, out: &mut Vec<(i32, f64)>) {
        match event {
            Event::Lock { lock, closed } => {
                if self.with_locks {
                    self.locks[lock] = Some((closed, 0));
                }
            }
            Event::Command { source, valid, stamp } => {
                let before = self.sources[source];
                let remembered = before.is_some_and(|h| h.since < SOURCES[source].1);
                let newest = before.map_or(0, |h| h.newest);
                let older = stamp != 0 && newest != 0 && remembered && stamp < newest;
                if valid && older {
                    return;
                }
                let said = before.map_or(0, |h| h.said);
                let repeated = stamp != 0 && (stamp == newest || stamp == said);
                self.sources[source] = Some(Heard {
                    age: if repeated { before.unwrap().age } else { 0 },
                    valid,
                    newest: if stamp == 0 || older { newest } else { stamp },
                    since: before.filter(|h| stamp == 0 || older || stamp == h.newest).map_or(0, |h| h.since),
                    said: stamp,
                });
                if valid && self.winner() == Some(source) {
                    self.driving = Some(source);
                    self.silent_for = None;
                    let told = if stamp < self.last { 0 } else { stamp };
                    self.last = stamp;
                    out.push((told, source as f64 + 1.0));
                }
            }
        }
        self.check_loss(out);
    }
}

fn events() -> impl Strategy<Value = Vec<(u64, Event)>> {
    let command = (0..4usize, prop::bool::weighted(0.85), prop_oneof![Just(0), 1..12]);
    let lock = (0..2usize, prop::bool::weighted(0.3));
    let event = prop_oneof![
        3 => command.prop_map(|(source, valid, stamp)| Event::Command { source, valid, stamp }),
        2 => lock.prop_map(|(lock, closed)| Event::Lock { lock, closed }),
    ];
    prop::collection::vec((0..80u64, event), 1..60)
}

/// Drains what is due, checks that nothing stays due, and gives what goes to the motors.
fn drain(arbiter: &mut Arbiter, now: Instant) -> Vec<Command> {
    let outputs = std::iter::from_fn(|| arbiter.poll(now));
    let drives: Vec<Command> =
        outputs.filter_map(|o| if let Output::Drive(command) = o { Some(command) } else { None }).collect();
    assert!(arbiter.deadline().is_none_or(|at| at > now), "a deadline has passed");
    drives
}

fn plain(commands: &[Command]) -> Vec<(i32, f64)> {
    commands.iter().map(|c| (c.stamp.sec, c.velocity.forward())).collect()
}

proptest! {
    #[test]
    fn the_arbiter_does_what_the_model_says(events in events(), with_locks in any::<bool>()) {
        let mut arbiter = Arbiter::new(params(with_locks));
        let mut model = Model::new(with_locks);
        let mut now = 0u64;
        let mut expected = Vec::new();
        model.beat(&mut expected);
        prop_assert_eq!(plain(&drain(&mut arbiter, Instant::ZERO)), expected);
        for (wait, event) in events {
            for _ in 0..wait {
                now += 1;
                let mut expected = Vec::new();
                model.millisecond(&mut expected);
                let due = arbiter.deadline().is_some_and(|at| at <= Instant::from_millis(now));
                // Only at its deadline is the arbiter called: it must not have missed one.
                let got = if due { drain(&mut arbiter, Instant::from_millis(now)) } else { Vec::new() };
                prop_assert_eq!(plain(&got), expected, "at {} ms", now);
                prop_assert_eq!(arbiter.active().source, model.driving);
            }
            let mut expected = Vec::new();
            model.event(event, &mut expected);
            arbiter.handle(Instant::from_millis(now), input(event));
            let got = drain(&mut arbiter, Instant::from_millis(now));
            prop_assert_eq!(plain(&got), expected, "{:?} at {} ms", event, now);
            prop_assert_eq!(arbiter.active().source, model.driving);
        }
    }

    /// The model is not asked here, only who may drive; the arbiter is called late and with bursts.
    #[test]
    fn nothing_of_a_source_that_may_not_drive_gets_out(
        events in events(), polled in prop::collection::vec(any::<bool>(), 60),
    ) {
        let mut arbiter = Arbiter::new(params(true));
        let mut model = Model::new(true);
        let (mut now, mut ignored) = (0u64, Vec::new());
        let mut may: Vec<f64> = Vec::new();
        for ((wait, event), polled) in events.into_iter().zip(polled) {
            now += wait;
            for _ in 0..wait {
                model.millisecond(&mut ignored);
            }
            model.event(event, &mut ignored);
            may.extend(model.winner().map(|source| source as f64 + 1.0));
            arbiter.handle(Instant::from_millis(now), input(event));
            if polled {
                let got = drain(&mut arbiter, Instant::from_millis(now));
                for command in &got {
                    prop_assert!(command.velocity.is_zero() || may.contains(&command.velocity.forward()));
                }
                if model.winner().is_none() {
                    prop_assert!(got.last().is_none_or(|last| last.velocity.is_zero()), "nobody is eligible");
                    prop_assert_eq!(arbiter.active().source, None);
                }
                may.clear();
            }
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
            arbiter.handle(now, Input::CommandReceived { source, velocity: Ok(Velocity::ZERO), stamp });
            arbiter.handle(now, Input::LockReceived { lock: index, closed: sec > 0 });
            let _ = (arbiter.poll(now), arbiter.deadline(), arbiter.health(), arbiter.report());
        }
    }
}
