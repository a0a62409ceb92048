//! An arbiter with one publishing source.

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Duration;

use arbiter::{Arbiter, Input, Lock, Output, Params, Source, SourceType, specification};
use params::Value;
use ros::Error;
use safety::{Command, Instant, Machine, Stamp, Velocity};

use super::case::Work;
use super::{floor, stick};

/// From one command to the next.
const PERIOD: Duration = Duration::from_millis(5);
/// A source stays fresh after one command: losses are not measured.
const DAY: Duration = Duration::from_secs(86_400);

/// The sources and locks of the arbiter.
#[derive(Clone, Copy)]
pub struct Setting {
    /// How many sources.
    pub sources: u8,
    /// How many locks, all of them open.
    pub locks: u8,
    /// Whether every limit of every axis is on, and holds the command back.
    pub limited: bool,
    /// Whether the lowest source publishes while the highest drives; otherwise the highest publishes.
    pub masked: bool,
}

/// A command through the arbiter until it has no more output.
pub struct ArbiterStep {
    arbiter: Arbiter,
    setting: Setting,
    speaker: usize,
    now: Instant,
    velocities: Vec<Velocity>,
    steps: usize,
    driven: usize,
    queue: VecDeque<Command>,
    received: Vec<(Instant, Duration)>,
    held: [f64; 6],
}

impl ArbiterStep {
    /// Every source has published, and the highest drives.
    /// # Errors
    /// The parameters are refused: they are not those of this version.
    pub fn new(setting: Setting) -> Result<Self, Error> {
        let highest = usize::from(setting.sources) - 1;
        let speaker = if setting.masked { 0 } else { highest };
        let params = params(setting, speaker)?;
        let received = vec![(Instant::ZERO, DAY); params.sources.len() + params.locks.len()];
        let mut arbiter = Arbiter::new(params);
        for lock in 0..usize::from(setting.locks) {
            arbiter.handle(Instant::ZERO, Input::LockReceived { lock, closed: false });
        }
        // A lock opens only after it has been released for a while.
        let now = Instant::from_millis(300);
        while let Some(due) = arbiter.deadline().filter(|&due| due < now) {
            while arbiter.poll(due).is_some() {}
        }
        arbiter.handle(now, Input::ClockRead(stick::wall(now)));
        for source in 0..=highest {
            let velocity = Ok(Velocity::ZERO);
            arbiter.handle(now, Input::command(source, velocity, Stamp::ZERO));
        }
        while arbiter.poll(now).is_some() {}
        let (velocities, queue) = (velocities()?, VecDeque::with_capacity(64));
        Ok(Self {
            arbiter,
            setting,
            speaker,
            now,
            velocities,
            steps: 0,
            driven: 0,
            queue,
            received,
            held: [0.0; 6],
        })
    }

    fn velocity(&self) -> Velocity {
        self.velocities.get(self.steps % self.velocities.len()).copied().unwrap_or(Velocity::ZERO)
    }
}

impl Work for ArbiterStep {
    fn once(&mut self) {
        self.now = self.now + PERIOD;
        self.steps += 1;
        let (velocity, stamp) = (Ok(self.velocity()), stick::wall(self.now));
        self.arbiter.handle(self.now, Input::command(self.speaker, velocity, stamp));
        while let Some(output) = black_box(self.arbiter.poll(self.now)) {
            // A masked source gets a zero every 0.1 s.
            let counts = |command: Command| !self.setting.masked || !command.velocity.is_neutral();
            self.driven += usize::from(matches!(output, Output::Drive(command) if counts(command)));
        }
    }

    fn floor(&mut self) {
        let command = Command::new(self.velocity(), stick::wall(self.now));
        if !floor::fresh(black_box(&self.received), self.now) || self.setting.masked {
            return;
        }
        let command = if self.setting.limited { floor::limited(&mut self.held, command) } else { command };
        black_box(floor::through(&mut self.queue, command));
    }

    fn check(&self) -> Result<(), Error> {
        let (driven, steps) = (self.driven, self.steps);
        let right = if self.setting.masked { driven == 0 } else { driven >= steps };
        let error = || Error::Start(format!("of {steps} commands {driven} came out of the bench's arbiter"));
        right.then_some(()).ok_or_else(error)
    }
}

fn params(setting: Setting, speaker: usize) -> Result<Params, Error> {
    let source = |index: u8| {
        let name = format!("source_{index}");
        let mut source = Source::new(&name, &format!("/{name}"), SourceType::TwistStamped, index);
        if usize::from(index) != speaker {
            source.timeout = DAY;
        }
        source
    };
    let lock = |index: u8| {
        let name = format!("lock_{index}");
        Lock { topic: format!("/{name}"), name, priority: 255, timeout: DAY }
    };
    let limits = match setting.limited {
        true => limited()?.limits,
        false => Params::default().limits,
    };
    Ok(Params {
        sources: (0..setting.sources).map(source).collect(),
        locks: (0..setting.locks).map(lock).collect(),
        limits,
        ..Params::default()
    })
}

/// From full ahead to full astern it takes 2 s or more, so that every command finds the velocity on its way.
fn limited() -> Result<Params, Error> {
    let axes = ["linear.x", "angular.z"];
    let limits = [
        ("min", -1.0),
        ("max", 1.0),
        ("acceleration", 1.0),
        ("deceleration", 1.0),
        ("emergency", 2.0),
        ("jerk", 5.0),
    ];
    let of_axis = |axis| limits.map(|(name, value)| (format!("limits.{axis}.{name}"), Value::Float(value)));
    stick::read(specification(), Params::read, axes.into_iter().flat_map(of_axis).collect())
}

/// Half a second ahead, half a second astern, and no two commands alike.
fn velocities() -> Result<Vec<Velocity>, Error> {
    let velocity = |index: u32| {
        let sign = if index < 100 { 1.0 } else { -1.0 };
        let speed = sign * (0.8 + 0.001 * f64::from(index % 100));
        Velocity::new([speed; 3], [speed; 3]).map_err(|error| Error::Start(error.to_string()))
    };
    (0..200).map(velocity).collect()
}
