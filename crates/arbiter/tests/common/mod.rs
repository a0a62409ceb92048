//! Two sources, and an arbiter whose clock the test moves.
#![allow(clippy::unwrap_used, dead_code)] // a test's own ground; not every test uses all of it

use std::time::Duration;

use arbiter::{Arbiter, Input, Invalid, Kind, Lock, Output, Params, Source, Verdict};
use units::{Command, Instant, Machine, Stamp, Velocity};

pub const LOW: usize = 0;
pub const HIGH: usize = 1;
pub const LOCK: usize = 0;

/// Two sources of priority 10 and 100, timeout 500 ms, stamps from 500 ms ago to 100 ms ahead; heartbeat 100 ms, no
/// limits.
pub fn params(locks: Vec<Lock>) -> Params {
    let source = |name: &str, priority| Source::new(name, &format!("/{name}"), Kind::TwistStamped, priority);
    Params { sources: vec![source("low", 10), source("high", 100)], locks, ..Params::default() }
}

pub fn lock(priority: u8) -> Lock {
    Lock { name: "guard".into(), topic: "/guard".into(), priority, timeout: Duration::from_millis(200) }
}

pub struct Bench(pub Arbiter);

impl Bench {
    /// After the zero that a fresh arbiter sends.
    pub fn new(locks: Vec<Lock>) -> Self {
        Self::with(params(locks))
    }

    /// The same with these parameters.
    pub fn with(params: Params) -> Self {
        let mut bench = Self(Arbiter::new(params));
        assert_eq!(bench.at(0), [Command::STOP]);
        bench
    }

    /// The wall clock says `millis` after the second 100 at `ms`.
    pub fn clock(&mut self, ms: u64, millis: i64) {
        self.0.handle(Instant::from_millis(ms), Input::ClockRead(wall(millis)));
    }

    pub fn drain(&mut self, ms: u64) -> Vec<Output> {
        let now = Instant::from_millis(ms);
        let outputs = std::iter::from_fn(|| self.0.poll(now)).collect();
        assert!(self.0.deadline().is_none_or(|at| at > now), "nothing is due after a drain");
        outputs
    }

    /// What goes to the motors when nothing happens at `ms`.
    pub fn at(&mut self, ms: u64) -> Vec<Command> {
        drives(self.drain(ms))
    }

    /// What goes to the motors when `input` happens at `ms`.
    pub fn on(&mut self, ms: u64, input: Input) -> Vec<Command> {
        self.0.handle(Instant::from_millis(ms), input);
        self.at(ms)
    }

    /// A command of `forward` [m/s] with the stamp `sec`.
    pub fn command(&mut self, ms: u64, source: usize, forward: f64, sec: i32) -> Vec<Command> {
        let velocity = Velocity::planar(forward, 0.0).map_err(Invalid::NotFinite);
        self.on(ms, Input::CommandReceived { source, velocity, stamp: stamp(sec) })
    }

    pub fn lock(&mut self, ms: u64, closed: bool) -> Vec<Command> {
        self.on(ms, Input::LockReceived { lock: LOCK, closed })
    }

    pub fn verdicts(&self) -> &[Verdict] {
        &self.0.active().verdicts
    }
}

pub fn drives(outputs: Vec<Output>) -> Vec<Command> {
    let drive = |output| if let Output::Drive(command) = output { Some(command) } else { None };
    outputs.into_iter().filter_map(drive).collect()
}

pub fn stamp(sec: i32) -> Stamp {
    Stamp { sec, nanosec: 0 }
}

pub fn go(forward: f64, sec: i32) -> Command {
    Command { velocity: Velocity::planar(forward, 0.0).unwrap(), stamp: stamp(sec) }
}

pub fn stop(sec: i32) -> Command {
    go(0.0, sec)
}

/// `millis` after the second 100.
pub fn wall(millis: i64) -> Stamp {
    let millis = 100_000 + millis;
    Stamp { sec: (millis / 1000) as i32, nanosec: (millis % 1000) as u32 * 1_000_000 }
}
