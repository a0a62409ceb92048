//! A hindbrain with a clock, called exactly at its deadlines, and a record of its outputs.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::time::Duration;

use hindbrain::{
    Cause, Detail, Hindbrain, Input, Motors, Output, Params, Publishers, Refused, Report, Sensor, SoleTopic,
    StopState, specification,
};
use params::Value;
use safety::{Command, Implausible, Instant, Machine, NotFinite, PublisherCount, Stamp, Velocity};

pub struct Rig {
    pub hindbrain: Hindbrain,
    pub now: Instant,
    pub drives: Vec<(Instant, Motors)>,
    pub states: Vec<(Instant, StopState)>,
    pub details: Vec<Detail>,
    pub refusals: Vec<Refused>,
    pub dropped: Vec<Implausible>,
    pub reports: Vec<Report>,
}

/// The parameters with these changes.
pub fn params(changes: &[(&str, Value)]) -> Result<Params, String> {
    let changes = changes.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    let set = specification().resolve(changes).map_err(|refusals| refusals[0].to_string())?;
    Params::read(&set).map_err(|refusal| refusal.to_string())
}

pub fn rig(changes: &[(&str, Value)]) -> Rig {
    Rig::new(params(changes).unwrap())
}

pub fn text(text: &str) -> Value {
    Value::Text(text.into())
}

pub fn texts(texts: &[&str]) -> Value {
    Value::Texts(texts.iter().map(|&text| text.into()).collect())
}

pub fn command(forward: f64, turn: f64) -> Input {
    stamped(forward, turn, Stamp::ZERO)
}

pub fn stamped(forward: f64, turn: f64, stamp: Stamp) -> Input {
    Input::CommandReceived(Ok(Command::new(Velocity::planar(forward, turn).unwrap(), stamp)))
}

pub fn not_finite() -> Input {
    Input::CommandReceived(Err(NotFinite { part: "linear.x", value: f64::NAN }))
}

pub fn ir(sensor: Sensor, distance: f64) -> Input {
    Input::IrReceived { sensor, distance: Some(distance), stamp: Stamp::ZERO }
}

/// This number of publishers on `topic`, and none counted on the others.
pub fn publishers(topic: SoleTopic, compatible: usize, incompatible: usize) -> Input {
    Input::PublishersCounted(
        Publishers::default().with(topic, PublisherCount::Known { compatible, incompatible }),
    )
}

impl Rig {
    /// Enable was received as false, since a true as first message is not an edge.
    pub fn new(params: Params) -> Self {
        let mut rig = Self::without_messages(params);
        rig.send(Input::EnableReceived(false));
        rig
    }

    /// No message was received yet.
    pub fn without_messages(params: Params) -> Self {
        let (drives, states) = (Vec::new(), Vec::new());
        let mut rig = Self {
            hindbrain: Hindbrain::new(params),
            now: Instant::from_millis(1_000),
            drives,
            states,
            details: Vec::new(),
            refusals: Vec::new(),
            dropped: Vec::new(),
            reports: Vec::new(),
        };
        rig.drain();
        rig
    }

    pub fn send(&mut self, input: Input) {
        self.hindbrain.handle(self.now, input);
        self.drain();
    }

    pub fn drain(&mut self) {
        while let Some(output) = self.hindbrain.poll(self.now) {
            match output {
                Output::Drive(motors) => self.drives.push((self.now, motors)),
                Output::PublishState(state) => self.states.push((self.now, state)),
                Output::PublishDetail(detail) => self.details.push(detail),
                Output::Refuse(refused) => self.refusals.push(refused),
                Output::Drop(dropped) => self.dropped.push(dropped),
                Output::Report(report) => self.reports.push(report),
            }
        }
        assert!(self.hindbrain.deadline().is_none_or(|at| at > self.now), "a deadline has passed");
    }

    /// Lets the machine read the wall clock: 1000 s at the start.
    pub fn read_clock(&mut self) {
        self.send(Input::ClockRead(self.wall(0).into()));
    }

    /// The wall clock's time `ms` from now.
    pub fn wall(&self, ms: i64) -> Stamp {
        let nanos = 999_000_000_000 + self.now.as_nanos() as i64 + ms * 1_000_000;
        Stamp { sec: (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
    }

    /// A command with a stamp `ms` from now.
    pub fn stamped_at(&self, forward: f64, ms: i64) -> Input {
        stamped(forward, 0.0, self.wall(ms))
    }

    /// Lets time pass and calls the machine at each of its deadlines.
    pub fn wait(&mut self, ms: u64) {
        let end = self.now + Duration::from_millis(ms);
        while let Some(at) = self.hindbrain.deadline().filter(|&at| at <= end) {
            self.now = at;
            self.drain();
        }
        self.now = end;
    }

    /// Lets time pass without calling the machine.
    pub fn stall(&mut self, ms: u64) {
        self.now = self.now + Duration::from_millis(ms);
    }

    /// Repeats `inputs` every 10 ms for `ms`.
    pub fn repeat(&mut self, inputs: &[Input], ms: u64) {
        for _ in 0..ms / 10 {
            inputs.iter().for_each(|input| self.send(input.clone()));
            self.wait(10);
        }
    }

    /// Enables and sends the zero that motion begins with.
    pub fn ready(&mut self) {
        self.send(Input::EnableReceived(true));
        self.wait(20);
        self.send(command(0.0, 0.0));
        assert_eq!(self.state(), StopState::Ok, "{}", self.hindbrain.causes());
    }

    /// Receives an e-stop for the first time, and ends the emergency stop that begins with it.
    pub fn first_estop(&mut self) {
        self.send(Input::EstopReceived(false));
        self.click_reset();
        self.send(Input::EnableReceived(false));
    }

    /// Drives at full speed forward.
    pub fn full_speed(&mut self) {
        self.ready();
        self.repeat(&[command(1.0, 0.0)], 4_000);
        assert_eq!(self.levels(), [66, 66]);
    }

    pub fn click_reset(&mut self) {
        self.send(Input::ResetReceived(false));
        self.send(Input::ResetReceived(true));
        self.send(Input::ResetReceived(false));
    }

    pub fn state(&self) -> StopState {
        self.hindbrain.state()
    }

    pub fn levels(&self) -> [i16; 2] {
        self.hindbrain.motors().levels()
    }

    pub fn has(&self, cause: Cause) -> bool {
        self.hindbrain.causes().contains(cause)
    }

    /// The levels that were sent last.
    pub fn last(&self) -> [i16; 2] {
        self.drives.last().unwrap().1.levels()
    }

    pub fn since(&self, start: Instant) -> Duration {
        self.now.since(start)
    }
}
