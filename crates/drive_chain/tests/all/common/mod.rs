//! A drive with a stick, free surroundings and a clock that the test moves.
#![allow(clippy::unwrap_used, clippy::expect_used)] // helpers of tests

use std::time::Duration;

use drive_chain::{Drive, Input, Output, Stages};
use hindbrain::Motors;
use joystick::DeviceId;
use params::{Refusal, Set, Specification, Value};
use safety::{Instant, Machine, Stamp};

pub const STICK: DeviceId = DeviceId(7);
pub const DEAD_MAN: usize = 5;
pub const STOP: i16 = 90;

pub fn read<P>(
    specification: Specification,
    read: fn(&Set) -> Result<P, Refusal>,
    overrides: &[(&str, Value)],
) -> P {
    let overrides = overrides.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    read(&specification.resolve(overrides).unwrap()).unwrap()
}

/// Full stick is 1 m/s and 1 rad/s, a button is the dead-man, hindbrain is quick.
pub fn drive() -> Drive {
    drive_with(&[])
}

/// As [`drive`], with these parameters of the arbiter.
pub fn drive_with(arbiter: &[(&str, Value)]) -> Drive {
    drive_by(arbiter_params(arbiter), &[("accel", Value::Float(200.0))])
}

/// The arbiter's parameters.
pub fn arbiter_params(overrides: &[(&str, Value)]) -> arbiter::Params {
    read(arbiter::specification(), arbiter::Params::read, overrides)
}

/// Full stick is 1 m/s and 1 rad/s, a button is the dead-man; the arbiter and hindbrain have these parameters.
pub fn drive_by(arbiter: arbiter::Params, hindbrain: &[(&str, Value)]) -> Drive {
    let (int, float) = (Value::Integer, Value::Float);
    let stages = Stages {
        joystick: joystick::Joystick::new(read(
            joystick::specification(),
            joystick::Params::read,
            &[
                ("drag", float(10.0)),
                ("amax", float(10.0)),
                ("awmax", float(10.0)),
                ("linear.x.axis", int(1)),
                ("linear.x.scale", float(-1.0)),
                ("angular.z.axis", int(0)),
                ("angular.z.scale", float(-1.0)),
                ("enable.on", int(DEAD_MAN as i64)),
            ],
        )),
        arbiter: arbiter::Arbiter::new(arbiter),
        zones: zones::ZoneScaler::new(zones::Params::default()),
        hindbrain: hindbrain::Hindbrain::new(read(
            hindbrain::specification(),
            hindbrain::Params::read,
            &[&[("track", float(2.0))], hindbrain].concat(),
        )),
    };
    let stick = stages.arbiter.source_index("joystick");
    Drive::new(stages, stick)
}

/// Drives the machine as a shell does: clock, events, drain; in between at every deadline.
pub struct Bench {
    pub drive: Drive,
    pub now: Instant,
    pub motors: Vec<(Instant, Motors)>,
    pub outputs: Vec<Output>,
    next_scaling: Instant,
    pub scaling: Option<[f32; 16]>,
    /// Whether there is an e-stop; it repeats that it is released.
    has_estop: bool,
    /// How far the wall clock was set since the beginning \[ms].
    pub wall: i64,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(drive())
    }

    pub fn with(drive: Drive) -> Self {
        Self {
            drive,
            now: Instant::from_millis(1000),
            motors: Vec::new(),
            outputs: Vec::new(),
            next_scaling: Instant::ZERO,
            scaling: Some([1.0; 16]),
            has_estop: false,
            wall: 0,
        }
    }

    pub fn stamp(&self) -> Stamp {
        let nanos = self.now.as_nanos() as i64 + self.wall * 1_000_000;
        let (sec, nanosec) = (nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000));
        Stamp { sec: 1_700_000_000 + sec as i32, nanosec: nanosec as u32 }
    }

    pub fn send(&mut self, inputs: impl IntoIterator<Item = Input>) {
        self.drive.handle(self.now, Input::ClockRead(self.stamp().into()));
        for input in inputs {
            self.drive.handle(self.now, input);
        }
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.drive.poll(self.now) {
            if let Output::Hindbrain(hindbrain::Output::Drive(motors)) = output {
                self.motors.push((self.now, motors));
            }
            self.outputs.push(output);
        }
    }

    /// Lets `time` pass; the zones' scaling and a released e-stop are sent every 50 ms.
    pub fn pass(&mut self, time: Duration) {
        let end = self.now + time;
        while self.now < end {
            let due = self.drive.deadline().unwrap_or(end).min(end).min(self.next_scaling.max(self.now));
            self.now = self.now.max(due);
            if self.now >= self.next_scaling {
                self.next_scaling = self.now + Duration::from_millis(50);
                if self.has_estop {
                    self.drive.handle(self.now, Input::Hindbrain(hindbrain::Input::EstopReceived(false)));
                }
                if let Some(fields) = self.scaling {
                    self.drive.handle(self.now, Input::Zones(zones::Input::ScalingReceived(fields)));
                }
            }
            self.drive.handle(self.now, Input::ClockRead(self.stamp().into()));
            self.drain();
            if self.drive.deadline().is_some_and(|next| next <= self.now) {
                self.now = self.now + Duration::from_micros(1); // a deadline that does not advance would hang the test
            }
        }
    }

    pub fn plug(&mut self) {
        self.send([
            Input::Joystick(joystick::Input::DeviceConnected {
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
            }),
            Input::Joystick(joystick::Input::BatchEnded),
        ]);
    }

    pub fn unplug(&mut self) {
        self.send([
            Input::Joystick(joystick::Input::DeviceDisconnected { id: STICK }),
            Input::Joystick(joystick::Input::BatchEnded),
        ]);
    }

    pub fn stick(&mut self, forward: f64, left: f64, dead_man: bool) {
        let axis = |axis, value: f64| joystick::Input::AxisMoved {
            id: STICK,
            axis,
            value: (value * -32767.0) as i16,
        };
        self.send([
            Input::Joystick(axis(1, forward)),
            Input::Joystick(axis(0, left)),
            Input::Joystick(joystick::Input::ButtonChanged {
                id: STICK,
                button: DEAD_MAN,
                pressed: dead_man,
            }),
            Input::Joystick(joystick::Input::BatchEnded),
        ]);
    }

    pub fn enable(&mut self, on: bool) {
        if on {
            // Only a switch that was received off can be switched on.
            self.send([Input::Hindbrain(hindbrain::Input::EnableReceived(false))]);
        }
        self.send([Input::Hindbrain(hindbrain::Input::EnableReceived(on))]);
    }

    /// The e-stop is pressed and released, reset and enabled again: everything that motion needs except a zero.
    pub fn estop_and_back(&mut self) {
        self.has_estop = true;
        for (pressed, down) in [(true, false), (false, false), (false, true), (false, false)] {
            self.send([Input::Hindbrain(hindbrain::Input::EstopReceived(pressed))]);
            self.send([Input::Hindbrain(hindbrain::Input::ResetReceived(down))]);
        }
        self.enable(true);
    }

    pub fn last(&self) -> (i16, i16) {
        self.motors.last().map_or((STOP, STOP), |(_, motors)| (motors.port, motors.starboard))
    }

    /// Plugs the pad, enables, sends a zero, then drives full ahead.
    pub fn full_ahead(&mut self) {
        self.plug();
        self.enable(true);
        self.stick(0.0, 0.0, true);
        self.pass(Duration::from_millis(500));
        self.stick(1.0, 0.0, true);
        self.pass(Duration::from_millis(1500));
        assert!(self.last().0 < 40 && self.last().1 < 40, "motors are {:?}", self.last());
    }

    /// When the motors stopped and stayed stopped.
    pub fn stopped_since(&self) -> Option<Instant> {
        let moving = self.motors.iter().rposition(|(_, m)| (m.port, m.starboard) != (STOP, STOP));
        self.motors.get(moving.map_or(0, |index| index + 1)).map(|(at, _)| *at)
    }
}

/// Whether the motors were at stop throughout 3 s, with a call of `each` every 50 ms.
pub fn stands(bench: &mut Bench, mut each: impl FnMut(&mut Bench)) -> bool {
    bench.motors.clear();
    for _ in 0..60 {
        each(bench);
        bench.pass(Duration::from_millis(50));
    }
    bench.motors.iter().all(|(_, m)| (m.port, m.starboard) == (STOP, STOP))
}
