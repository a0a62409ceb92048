//! A drive that is enabled, armed and driving, and a stick that is moved.

use std::collections::VecDeque;
use std::hint::black_box;
use std::time::Duration;

use arbiter::Arbiter;
use drive_chain::{Drive, Input, Output, Stages};
use hindbrain::Hindbrain;
use joystick::{DeviceId, Joystick};
use params::{Refusal, Set, Specification, Value};
use ros::Error;
use safety::{Command, Instant, Machine, Stamp};
use zones::ZoneScaler;

use super::case::Work;
use super::floor;

const STICK: DeviceId = DeviceId(7);
const DEAD_MAN: usize = 5;
/// From one stick event to the next; no other period is a multiple of it.
const PERIOD: Duration = Duration::from_millis(7);
/// How often the zone scaling is delivered.
const SCALING: Duration = Duration::from_millis(50);

/// How far an event is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Until {
    /// Until the first output, which is its motor value.
    MotorValue,
    /// Until the drive has no more output.
    Dry,
}

/// The events of one batch through the drive.
pub struct StickEvent {
    drive: Drive,
    until: Until,
    now: Instant,
    next_scaling: Instant,
    count: i16,
    first: Option<Output>,
    events: usize,
    /// Events whose first output was not their motor value, or a stop.
    strayed: usize,
    queue: VecDeque<Command>,
}

impl StickEvent {
    /// Plugged, enabled, zero first, then ahead until the motors follow. All parameters are the defaults, but for those
    /// that map the stick and its dead-man.
    /// # Errors
    /// The parameters are refused: they are not those of this version.
    pub fn new(until: Until) -> Result<Self, Error> {
        let stages = Stages {
            joystick: Joystick::new(read(joystick::specification(), joystick::Params::read, mappings())?),
            arbiter: Arbiter::new(arbiter::Params::default()),
            zones: ZoneScaler::new(zones::Params::default()),
            hindbrain: Hindbrain::new(hindbrain::Params::default()),
        };
        let source = stages.arbiter.source_index("joystick");
        let mut event = Self {
            drive: Drive::new(stages, source),
            until,
            now: Instant::from_millis(1000),
            next_scaling: Instant::ZERO,
            count: 0,
            first: None,
            events: 0,
            strayed: 0,
            queue: VecDeque::with_capacity(64),
        };
        event.set_off();
        Ok(event)
    }

    fn set_off(&mut self) {
        self.deliver(Input::Joystick(joystick::Input::DeviceConnected {
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
        self.deliver(Input::Hindbrain(hindbrain::Input::EnableReceived(false)));
        self.deliver(Input::Hindbrain(hindbrain::Input::EnableReceived(true)));
        let pressed = joystick::Input::ButtonChanged { id: STICK, button: DEAD_MAN, pressed: true };
        self.deliver(Input::Joystick(pressed));
        self.pass(Duration::from_millis(500));
        self.move_stick(-32767);
        while self.drive.poll(self.now).is_some() {}
        self.pass(Duration::from_millis(5000));
    }

    /// Delivers `input` as a batch of its own.
    fn deliver(&mut self, input: Input) {
        for input in [self.clock(), input, Input::Joystick(joystick::Input::BatchEnded)] {
            self.drive.handle(self.now, input);
        }
        while self.drive.poll(self.now).is_some() {}
    }

    fn move_stick(&mut self, value: i16) {
        self.drive.handle(self.now, self.clock());
        let moved = joystick::Input::AxisMoved { id: STICK, axis: 1, value };
        self.drive.handle(self.now, Input::Joystick(moved));
        self.drive.handle(self.now, Input::Joystick(joystick::Input::BatchEnded));
    }

    fn clock(&self) -> Input {
        Input::ClockRead(wall(self.now))
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
                let open = zones::Input::ScalingReceived([1.0; 16]);
                self.drive.handle(self.now, Input::Zones(open));
            }
            self.drive.handle(self.now, self.clock());
            while self.drive.poll(self.now).is_some() {}
        }
    }

    fn is_motor_value(&self) -> bool {
        match &self.first {
            Some(Output::Hindbrain(hindbrain::Output::Drive(motors))) => {
                motors.stamp == wall(self.now) && motors.levels() != [0, 0]
            }
            _ => false,
        }
    }
}

impl Work for StickEvent {
    fn before(&mut self) {
        self.pass(PERIOD);
        self.events += 1;
        // Between a quarter and all of the way ahead, up and down.
        self.count = -32767 + 250 * (self.events as i16 % 200 - 100).abs();
    }

    fn once(&mut self) {
        self.move_stick(self.count);
        self.first = self.drive.poll(self.now);
        if self.until == Until::Dry {
            while let Some(output) = self.drive.poll(self.now) {
                black_box(output);
            }
        }
    }

    fn after(&mut self) {
        self.strayed += usize::from(!self.is_motor_value());
        while self.drive.poll(self.now).is_some() {}
    }

    fn floor(&mut self) {
        let received = [(self.now, SCALING); 4];
        if floor::fresh(black_box(&received), self.now) {
            let count = black_box(self.count);
            black_box(floor::motors(&mut self.queue, count, black_box(1.0), wall(self.now)));
        }
    }

    fn check(&self) -> Result<(), Error> {
        let (strayed, events) = (self.strayed, self.events);
        let strayed_error = || {
            let message = "stick events did not come out first of the bench's drive, as a motor value";
            Error::Start(format!("{strayed} of {events} {message}"))
        };
        (strayed == 0).then_some(()).ok_or_else(strayed_error)
    }
}

/// The parameters that `read` makes of the defaults and `overrides`.
/// # Errors
/// One is refused: they are not those of this version.
pub fn read<P>(
    specification: Specification,
    read: fn(&Set) -> Result<P, Refusal>,
    overrides: Vec<(String, Value)>,
) -> Result<P, Error> {
    let refused = |refusals| Error::Parameters { node: "bench".into(), refusals };
    let set = specification.resolve(overrides).map_err(refused)?;
    read(&set).map_err(|refusal| refused(vec![refusal]))
}

fn mappings() -> Vec<(String, Value)> {
    let mappings = [
        ("linear.x.axis", Value::Integer(1)),
        ("linear.x.scale", Value::Float(-1.0)),
        ("angular.z.axis", Value::Integer(0)),
        ("angular.z.scale", Value::Float(-1.0)),
        ("enable.on", Value::Integer(DEAD_MAN as i64)),
    ];
    mappings.map(|(name, value)| (name.to_owned(), value)).into()
}

/// The wall clock at `now`.
pub fn wall(now: Instant) -> Stamp {
    let nanos = now.as_nanos();
    Stamp { sec: 1_700_000_000 + (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
}
