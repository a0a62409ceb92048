//! Two sources, and an arbiter whose clock the test moves, called at every deadline as by a shell.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use arbiter::{Arbiter, Input, Invalid, Lock, Output, Params, Source, SourceType, Verdict};
use safety::{Command, Instant, Machine, PublisherCount, Stamp, Velocity};

pub const LOW: usize = 0;
pub const HIGH: usize = 1;
pub const LOCK: usize = 0;
/// A zero while a source asks for motion.
pub const WITHHELD: Command = Command { withheld: true, ..Command::STOP };
/// How long the arbiter has run \[ms] when a test's time begins: a source that publishes from then on did not publish before.
const START: u64 = 10_000;

/// Two sources of priority 10 and 100, timeout 500 ms, no limits.
pub fn params(locks: Vec<Lock>) -> Params {
    let source =
        |name: &str, priority| Source::new(name, &format!("/{name}"), SourceType::TwistStamped, priority);
    Params { sources: vec![source("low", 10), source("high", 100)], locks, ..Params::default() }
}

pub fn lock(priority: u8) -> Lock {
    Lock { name: "guard".into(), topic: "/guard".into(), priority, timeout: Duration::from_millis(200) }
}

/// The instant `ms` after the start of a test.
pub fn at(ms: u64) -> Instant {
    Instant::from_millis(START + ms)
}

pub struct Bench(pub Arbiter);

impl Bench {
    /// Arbiter with two sources and these locks, after 10 s with only heartbeats.
    pub fn new(locks: Vec<Lock>) -> Self {
        Self::with(params(locks))
    }

    /// Arbiter with these parameters, after 10 s with only heartbeats.
    pub fn with(params: Params) -> Self {
        let mut bench = Self(Arbiter::new(params));
        let zeros = drives(bench.run_to(Instant::from_millis(START)));
        assert!(zeros.len() > 100 && zeros.iter().all(|zero| *zero == Command::STOP), "{zeros:?}");
        bench
    }

    /// As [`with`](Self::with), with a lock that is open and published again at 0.
    pub fn opened(params: Params) -> Self {
        let mut bench = Self(Arbiter::new(params));
        for before in [260, 130, 0] {
            let now = Instant::from_millis(START - before);
            assert!(drives(bench.run_to(now)).iter().all(|zero| *zero == Command::STOP));
            bench.0.handle(now, Input::LockReceived { lock: LOCK, closed: false });
        }
        bench.drain(0);
        bench
    }

    /// The lock publishes only open from `ms` on, until it is open.
    pub fn open(&mut self, ms: u64) -> Vec<Command> {
        [0, 125, 250].into_iter().flat_map(|after| self.lock(ms + after, false)).collect()
    }

    /// An arbiter that has not been called yet.
    pub fn fresh(params: Params) -> Self {
        Self(Arbiter::new(params))
    }

    /// The wall clock reads `millis` after the second 100 at `ms`.
    pub fn clock(&mut self, ms: u64, millis: i64) {
        self.0.handle(at(ms), Input::ClockRead(wall(millis).into()));
    }

    /// All outputs until `now` without an input: the machine is drained at each deadline.
    fn run_to(&mut self, now: Instant) -> Vec<Output> {
        let mut outputs = Vec::new();
        while let Some(due) = self.0.deadline().filter(|due| *due < now) {
            outputs.extend(std::iter::from_fn(|| self.0.poll(due)));
        }
        outputs.extend(std::iter::from_fn(|| self.0.poll(now)));
        assert!(self.0.deadline().is_none_or(|at| at > now), "nothing is due after a drain");
        outputs
    }

    pub fn drain(&mut self, ms: u64) -> Vec<Output> {
        self.run_to(at(ms))
    }

    /// The commands sent until `ms` without an input.
    pub fn at(&mut self, ms: u64) -> Vec<Command> {
        drives(self.drain(ms))
    }

    /// The commands sent if the machine is polled at `ms`, and not before.
    pub fn poll(&mut self, ms: u64) -> Vec<Command> {
        drives(std::iter::from_fn(|| self.0.poll(at(ms))).collect())
    }

    /// The commands sent until `ms`, where `input` happens.
    pub fn on(&mut self, ms: u64, input: Input) -> Vec<Command> {
        let mut out = self.at(ms);
        out.extend(self.after_a_hold(ms, input));
        out
    }

    /// As [`on`](Self::on), but the machine was not called in between.
    pub fn after_a_hold(&mut self, ms: u64, input: Input) -> Vec<Command> {
        self.0.handle(at(ms), input);
        self.at(ms)
    }

    /// A command of `forward` [m/s] with the stamp `sec`.
    pub fn command(&mut self, ms: u64, source: usize, forward: f64, sec: i32) -> Vec<Command> {
        self.on(ms, command(source, forward, sec))
    }

    pub fn lock(&mut self, ms: u64, closed: bool) -> Vec<Command> {
        self.on(ms, Input::LockReceived { lock: LOCK, closed })
    }

    pub fn lock_publishers(&mut self, ms: u64, all: usize, incompatible: usize) -> Vec<Command> {
        let publishers = PublisherCount::Known { compatible: all - incompatible, incompatible };
        self.on(ms, Input::LockPublishersCounted { lock: LOCK, publishers })
    }

    pub fn verdicts(&self) -> &[Verdict] {
        &self.0.active().verdicts
    }
}

pub fn command(source: usize, forward: f64, sec: i32) -> Input {
    let velocity = Velocity::planar(forward, 0.0).map_err(Invalid::NotFinite);
    Input::command(source, velocity, stamp(sec))
}

pub fn drives(outputs: Vec<Output>) -> Vec<Command> {
    let drive = |output| if let Output::Drive(command) = output { Some(command) } else { None };
    outputs.into_iter().filter_map(drive).collect()
}

pub fn stamp(sec: i32) -> Stamp {
    Stamp { sec, nanosec: 0 }
}

pub fn go(forward: f64, sec: i32) -> Command {
    Command::new(Velocity::planar(forward, 0.0).unwrap(), stamp(sec))
}

pub fn stop(sec: i32) -> Command {
    go(0.0, sec)
}

/// `millis` after the second 100.
pub fn wall(millis: i64) -> Stamp {
    let millis = 100_000 + millis;
    Stamp { sec: (millis / 1000) as i32, nanosec: (millis % 1000) as u32 * 1_000_000 }
}
