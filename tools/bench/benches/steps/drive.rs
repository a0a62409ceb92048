//! A command through the arbiter, and a stick event through the chain.
//!
//! A step of the arbiter is a command and all that comes of it. A stick event is a reading of the clock, a moved axis and the end of the
//! batch, on a moving robot with default parameters and no obstacles; each is timed alone, the clock's own time included. The floor of
//! the arbiter: the age of each source and lock compared, the command into a queue and out of it, with limits each axis brought a bounded
//! step nearer. Of a stick event: four ages compared, the count made a velocity, its direction, two limits, a queue, the values of two
//! motors.

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Duration;

use arbiter::{Arbiter, Lock, Source, SourceType};
use criterion::Criterion;
use drive_chain::{Drive, Input, Output, Stages};
use hindbrain::Motors;
use joystick::{DeviceId, Joystick};
use params::Value;
use safety::{Command, Instant, Machine, Stamp, Velocity};
use zones::Stick;

use crate::{pair, parameters};

/// From one command to the next.
const PERIOD: Duration = Duration::from_millis(5);
/// A source stays fresh after one command: losses are not measured.
const YEAR: Duration = Duration::from_secs(365 * 86_400);
const STICK: DeviceId = DeviceId(7);
const DEAD_MAN: usize = 5;
/// From one stick event to the next; no other period is a multiple of it.
const EVENT_PERIOD: Duration = Duration::from_millis(7);
/// How often the zone scaling is delivered.
const SCALING: Duration = Duration::from_millis(50);

/// The sources and open locks of an arbiter.
#[derive(Clone, Copy)]
struct Setting {
    sources: u8,
    locks: u8,
    /// Whether every limit of every axis is on, and holds the command back.
    is_limited: bool,
    /// Whether the lowest source publishes while the highest drives; otherwise the highest publishes.
    is_masked: bool,
}

pub fn measure(criterion: &mut Criterion) {
    let two = Setting { sources: 2, locks: 0, is_limited: false, is_masked: false };
    step_arbiter(criterion, "drive arbiter: who drives, of 2 sources", two);
    step_arbiter(
        criterion,
        "drive arbiter: who drives, of 8 sources, 4 locks",
        Setting { sources: 8, locks: 4, ..two },
    );
    step_arbiter(
        criterion,
        "drive arbiter: who drives, of 2 sources, all limits on",
        Setting { is_limited: true, ..two },
    );
    step_arbiter(criterion, "drive arbiter: who is masked, of 2 sources", Setting { is_masked: true, ..two });
    step_chain(criterion, "drive drive: stick event to motor value", false);
    step_chain(criterion, "drive drive: stick event until no output is left", true);
}

fn step_arbiter(criterion: &mut Criterion, name: &str, setting: Setting) {
    let Setting { sources, locks, is_limited, is_masked } = setting;
    let speaker = if is_masked { 0 } else { usize::from(sources) - 1 };
    let params = arbiter_params(setting, speaker);
    let received = vec![(Instant::ZERO, YEAR); params.sources.len() + params.locks.len()];
    let mut arbiter = driving(params, sources, locks);
    // Half a second ahead, half a second astern, and no two commands alike.
    let velocity = |index: u32| {
        let speed = (0.8 + 0.001 * f64::from(index % 100)) * if index < 100 { 1.0 } else { -1.0 };
        Velocity::new([speed; 3], [speed; 3]).unwrap()
    };
    let velocities: Vec<Velocity> = (0..200).map(velocity).collect();
    let (mut now, mut steps, mut driven) = (Instant::from_millis(300), 0, 0);
    let step = || {
        now = now + PERIOD;
        let velocity = velocities[steps % velocities.len()];
        steps += 1;
        arbiter.handle(now, arbiter::Input::command(speaker, Ok(velocity), wall(now)));
        while let Some(output) = black_box(arbiter.poll(now)) {
            // A masked source gets a zero every 0.1 s.
            let counts = |command: Command| !is_masked || !command.velocity.is_neutral();
            driven += usize::from(matches!(output, arbiter::Output::Drive(command) if counts(command)));
        }
    };
    let (mut queue, mut held, mut number) = (VecDeque::with_capacity(64), [0.0; 6], 0);
    let floor = || {
        let now = Instant::from_millis(300);
        number += 1;
        let command = Command::new(velocities[number % velocities.len()], wall(now));
        if !is_fresh(black_box(&received), now) || is_masked {
            return;
        }
        let command = if is_limited { limited(&mut held, command) } else { command };
        black_box(through(&mut queue, command));
    };
    pair(criterion, name, step, floor);
    assert!(if is_masked { driven == 0 } else { driven >= steps }, "{driven} of {steps} commands drove");
}

fn arbiter_params(setting: Setting, speaker: usize) -> arbiter::Params {
    let source = |index: u8| {
        let name = format!("source_{index}");
        let mut source = Source::new(&name, &format!("/{name}"), SourceType::TwistStamped, index);
        if usize::from(index) != speaker {
            source.timeout = YEAR;
        }
        source
    };
    let lock = |index: u8| {
        let name = format!("lock_{index}");
        Lock { topic: format!("/{name}"), name, priority: 255, timeout: YEAR }
    };
    // From full ahead to full astern it takes 2 s or more, so that every command finds the velocity on its way.
    let limits = [
        ("min", -1.0),
        ("max", 1.0),
        ("acceleration", 1.0),
        ("deceleration", 1.0),
        ("emergency", 2.0),
        ("jerk", 5.0),
    ];
    let of_axis = |axis| limits.map(|(name, value)| (format!("limits.{axis}.{name}"), Value::Float(value)));
    let limits: Vec<_> = ["linear.x", "angular.z"].into_iter().flat_map(of_axis).collect();
    let limits: Vec<_> = limits.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    let overrides = if setting.is_limited { limits } else { Vec::new() };
    arbiter::Params {
        sources: (0..setting.sources).map(source).collect(),
        locks: (0..setting.locks).map(lock).collect(),
        ..parameters(arbiter::specification(), arbiter::Params::read, &overrides)
    }
}

/// Every source has published, and the highest drives.
fn driving(params: arbiter::Params, sources: u8, locks: u8) -> Arbiter {
    let mut arbiter = Arbiter::new(params);
    for lock in 0..usize::from(locks) {
        arbiter.handle(Instant::ZERO, arbiter::Input::LockReceived { lock, closed: false });
    }
    // A lock opens only after it has been released for a while.
    let now = Instant::from_millis(300);
    while let Some(due) = arbiter.deadline().filter(|&due| due < now) {
        while arbiter.poll(due).is_some() {}
    }
    arbiter.handle(now, arbiter::Input::ClockRead(wall(now).into()));
    for source in 0..usize::from(sources) {
        arbiter.handle(now, arbiter::Input::command(source, Ok(Velocity::ZERO), Stamp::ZERO));
    }
    while arbiter.poll(now).is_some() {}
    arbiter
}

/// Each event is timed alone: between two of them the drive runs on for [`EVENT_PERIOD`].
fn step_chain(criterion: &mut Criterion, name: &str, until_dry: bool) {
    let mut rig = Rig::new();
    let mut group = criterion.benchmark_group(name);
    let mut number = 0;
    group.bench_function("step", |bencher| {
        bencher.iter_custom(|events| {
            let event = |_| {
                rig.pass(EVENT_PERIOD);
                number += 1;
                rig.time(count(number), until_dry)
            };
            (0..events).map(event).sum()
        });
    });
    let mut queue = VecDeque::with_capacity(64);
    group.bench_function("floor", |bencher| {
        bencher.iter(|| {
            number += 1;
            if is_fresh(black_box(&[(rig.now, SCALING); 4]), rig.now) {
                black_box(motors(&mut queue, black_box(count(number)), black_box(1.0), wall(rig.now)));
            }
        });
    });
}

/// Between a quarter and all of the way ahead, up and down.
fn count(number: u64) -> i16 {
    -32767 + 250 * ((number % 200) as i16 - 100).abs()
}

/// A drive that is enabled, armed and driving, and a stick that is moved.
struct Rig {
    drive: Drive,
    now: Instant,
    next_scaling: Instant,
}

impl Rig {
    /// Plugged, enabled, zero first, then ahead until the motors follow. All parameters are the defaults, but for those that map
    /// the stick and its dead-man.
    fn new() -> Self {
        let mappings = [
            ("linear.x.axis", Value::Integer(1)),
            ("linear.x.scale", Value::Float(-1.0)),
            ("angular.z.axis", Value::Integer(0)),
            ("angular.z.scale", Value::Float(-1.0)),
            ("enable.on", Value::Integer(DEAD_MAN as i64)),
        ];
        let joystick = parameters(joystick::specification(), joystick::Params::read, &mappings);
        let stages = Stages {
            joystick: Joystick::new(joystick),
            arbiter: Arbiter::new(arbiter::Params::default()),
            zones: zones::ZoneScaler::new(zones::Params::default()),
            hindbrain: hindbrain::Hindbrain::new(hindbrain::Params::default()),
        };
        let source = stages.arbiter.source_index("joystick");
        let (now, next_scaling) = (Instant::from_millis(1000), Instant::ZERO);
        let mut rig = Self { drive: Drive::new(stages, source), now, next_scaling };
        rig.send(Input::Joystick(joystick::Input::DeviceConnected {
            id: STICK,
            name: "Stick".into(),
            guid: "0300".into(),
            serial: String::new(),
            path: String::new(),
            links: vec![],
            mapping: String::new(),
            axes: vec![0; 6],
            buttons: vec![false; 11],
            hats: Vec::new(),
        }));
        // Only a switch that was seen off can be switched on.
        rig.send(Input::Hindbrain(hindbrain::Input::EnableReceived(false)));
        rig.send(Input::Hindbrain(hindbrain::Input::EnableReceived(true)));
        let pressed = joystick::Input::ButtonChanged { id: STICK, button: DEAD_MAN, pressed: true };
        rig.send(Input::Joystick(pressed));
        rig.pass(Duration::from_millis(500));
        rig.send(Input::Joystick(joystick::Input::AxisMoved { id: STICK, axis: 1, value: -32767 }));
        rig.pass(Duration::from_millis(5000));
        rig
    }

    /// Handles `input` as a batch of its own.
    fn handle(&mut self, input: Input) {
        let clock = Input::ClockRead(wall(self.now).into());
        for input in [clock, input, Input::Joystick(joystick::Input::BatchEnded)] {
            self.drive.handle(self.now, input);
        }
    }

    fn drain(&mut self) {
        while let Some(output) = self.drive.poll(self.now) {
            black_box(output);
        }
    }

    fn send(&mut self, input: Input) {
        self.handle(input);
        self.drain();
    }

    /// Lets `time` pass, as the shell does: at every deadline the drive is drained.
    fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            let due = self.drive.deadline().unwrap_or(end).min(self.next_scaling).min(end);
            // A deadline that is met and stays would stand still.
            self.now = due.max(self.now + Duration::from_micros(1));
            if self.now >= self.next_scaling {
                self.next_scaling = self.now + SCALING;
                let free = zones::Input::ScalingReceived([1.0; 16]);
                self.drive.handle(self.now, Input::Zones(free));
            }
            self.drive.handle(self.now, Input::ClockRead(wall(self.now).into()));
            self.drain();
        }
    }

    /// How long a stick event takes to its motor value, which is the first output, or until there is no more output.
    fn time(&mut self, value: i16, until_dry: bool) -> Duration {
        let began = realtime::now();
        self.handle(Input::Joystick(joystick::Input::AxisMoved { id: STICK, axis: 1, value }));
        let first = self.drive.poll(self.now);
        if until_dry {
            self.drain();
        }
        let took = realtime::now().since(began);
        let Some(Output::Hindbrain(hindbrain::Output::Drive(motors))) = first else {
            panic!("{first:?} came first");
        };
        assert!(motors.stamp == wall(self.now) && motors.levels() != [0, 0], "{motors:?}");
        self.drain();
        took
    }
}

/// Whether every source was received within its timeout.
fn is_fresh(received: &[(Instant, Duration)], now: Instant) -> bool {
    received.iter().all(|(at, timeout)| now.since(*at) <= *timeout)
}

/// The command into a queue and out of it.
fn through(queue: &mut VecDeque<Command>, command: Command) -> Option<Command> {
    black_box(&mut *queue).push_back(command);
    black_box(queue).pop_front()
}

/// Each axis a bounded step nearer to the command.
fn limited(held: &mut [f64; 6], command: Command) -> Command {
    const STEP: f64 = 0.005;
    for (held, wanted) in held.iter_mut().zip(parts(command.velocity)) {
        *held += (wanted - *held).clamp(-STEP, STEP);
    }
    let [x, y, z, ax, ay, az] = *held;
    Command { velocity: Velocity::new([x, y, z], [ax, ay, az]).unwrap(), ..command }
}

/// The count of an axis as the values of both motors: a velocity, its direction, what is allowed in that, a command.
fn motors(queue: &mut VecDeque<Command>, count: i16, allowed: f64, stamp: Stamp) -> Motors {
    let forward = f64::from(count) / -32767.0;
    let stick = Stick::new(100.0 * forward, 0.0);
    let left = stick.direction().min(allowed) - stick.direction();
    let velocity = Velocity::planar(forward.min(allowed), left.min(allowed)).unwrap();
    let command = through(queue, Command::new(velocity, stamp)).unwrap();
    let [forward, _, _, _, _, turn] = parts(command.velocity);
    Motors::from_levels([forward - turn, forward + turn].map(|level| (66.0 * level) as i16), command.stamp)
}

fn parts(velocity: Velocity) -> [f64; 6] {
    let ([x, y, z], [ax, ay, az]) = (velocity.linear(), velocity.angular());
    [x, y, z, ax, ay, az]
}

/// The wall clock at `now`.
fn wall(now: Instant) -> Stamp {
    let nanos = now.as_nanos();
    Stamp { sec: 1_700_000_000 + (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
}
