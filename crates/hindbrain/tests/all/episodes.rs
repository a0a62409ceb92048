//! Random faults while it drives, each with its bound and its recovery: the machine alone.
//!
//! `EPISODES=100000 cargo test -p hindbrain --test all episodes` plays that number, from `EPISODES_SEED` if it is set. An episode that
//! fails is printed with its seed and number; add it to `FAILED`.

#![allow(clippy::unwrap_used)] // a failure has to end the test with its seed

use crate::common;

use common::{params, text, texts};
use hindbrain::{
    Hindbrain, Input, OVERRUN_LIMIT, Output, Params, Publishers, Sensor, SoleTopic, specification,
};
use params::Value;
use safety::{Command, Instant, Machine, PublisherCount, Stamp, Velocity};
use scenarios::{Inbox, Message, Needs, Parameters, Process, Seen, Setup, Topic, Vehicle, play};

/// Seeds and numbers of episodes that once failed.
const FAILED: [(u64, usize); 0] = [];

/// The time of its start \[ms\].
const START: u64 = 1_000;

/// hindbrain, called exactly at its deadlines.
struct Alone {
    machine: Hindbrain,
    now: Instant,
    publishers: Publishers,
    inbox: Inbox<Input>,
    seen: Vec<Seen>,
    /// The stamps of the last command and of the last measurement of each sensor.
    stamps: [Stamp; 3],
}

impl Alone {
    fn new() -> Self {
        let changes = [
            ("accel", Value::Float(200.0)),
            ("estop.required", Value::Bool(true)),
            ("ir.sensors", texts(&["ir_front_port", "ir_front_starboard"])),
            ("driver.kind", text("pololu")),
            ("driver.device", text("/dev/ttyACM0")),
        ];
        let machine = Hindbrain::new(params(&changes).unwrap());
        let now = Instant::from_millis(START);
        let (publishers, inbox, seen) = (Publishers::default(), Inbox::default(), Vec::new());
        Self { machine, now, publishers, inbox, seen, stamps: [Stamp::ZERO; 3] }
    }

    fn stamp(&self, behind: i32) -> Stamp {
        let nanos = 1_700_000_000_000_000_000 + self.now.as_nanos() as i64 - i64::from(behind) * 1_000_000;
        Stamp { sec: (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
    }

    /// `None` for messages that only the stages before it receive.
    fn input(&mut self, message: Message) -> Option<Input> {
        Some(match message {
            Message::Command { forward, behind } => {
                self.stamps[0] = behind.map_or(self.stamps[0], |behind| self.stamp(behind));
                let stamp = self.stamps[0];
                let command = Velocity::planar(forward, 0.0).map(|velocity| Command::new(velocity, stamp));
                Input::CommandReceived(command)
            }
            Message::Enable(on) => Input::EnableReceived(on),
            Message::Estop(pressed) => Input::EstopReceived(pressed),
            Message::Reset(down) => Input::ResetReceived(down),
            Message::Infrared { starboard, reading, repeated } => {
                let (sensor, place) =
                    if starboard { (Sensor::FrontStarboard, 2) } else { (Sensor::FrontPort, 1) };
                if !repeated {
                    self.stamps[place] = self.stamp(0);
                }
                let distance = reading.distance();
                Input::IrReceived { sensor, distance, stamp: self.stamps[place] }
            }
            Message::Publishers { topic, publishers } => {
                let topic = match topic {
                    Topic::Command => SoleTopic::Command,
                    Topic::Enable => SoleTopic::Enable,
                    Topic::Estop => SoleTopic::Estop,
                    Topic::Reset => SoleTopic::Reset,
                    Topic::Port | Topic::Starboard => SoleTopic::Motors,
                    _ => return None,
                };
                let (compatible, incompatible) = publishers.counted();
                let count = PublisherCount::Known { compatible, incompatible };
                self.publishers = self.publishers.with(topic, count);
                Input::PublishersCounted(self.publishers)
            }
            Message::Device(None) => Input::DeviceOpened,
            Message::Device(Some(_)) => Input::DeviceLost,
            Message::Reference { .. }
            | Message::Dock { .. }
            | Message::Stick(_)
            | Message::Lock(_)
            | Message::Scaling { .. }
            | Message::Profile(_)
            | Message::Second { .. }
            | Message::Held { .. } => return None,
        })
    }

    fn handle(&mut self, input: Input) {
        self.machine.handle(self.now, Input::ClockRead(self.stamp(0)));
        self.machine.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.machine.poll(self.now) {
            if let Output::Drive(motors) = output {
                self.seen.push((self.millis(), motors.levels()));
            }
        }
    }

    /// The time since its start \[ms\].
    fn millis(&self) -> u64 {
        self.now.as_nanos() / 1_000_000 - START
    }
}

impl Vehicle for Alone {
    fn receive(&mut self, message: Message) {
        if let Message::Held { on, .. } = message {
            let waited = self.inbox.hold(on);
            if !on {
                self.drain();
            }
            return waited.into_iter().for_each(|input| self.handle(input));
        }
        let Some(message) = message.received() else { return };
        let input = self.input(message);
        if let Some(input) = input.and_then(|input| self.inbox.take(&message, input)) {
            self.handle(input);
        }
    }

    fn set(&mut self, _: Process, set: Parameters) -> bool {
        let changes =
            set.iter().map(|(name, text)| ((*name).to_owned(), Value::Float(text.parse().unwrap())));
        let set = specification().resolve(changes).unwrap();
        let accepts = self.machine.accepts_parameters();
        self.handle(Input::ParametersChanged(Params::read(&set).unwrap()));
        accepts
    }

    fn pass(&mut self, millis: u64) -> u64 {
        let end = self.now + core::time::Duration::from_millis(millis);
        while let Some(at) = self.machine.deadline().filter(|&at| at <= end && !self.inbox.is_held()) {
            self.now = at.max(self.now);
            self.drain();
        }
        self.now = end;
        millis
    }

    fn seen(&mut self) -> Vec<Seen> {
        core::mem::take(&mut self.seen)
    }

    fn waits_for(&self) -> Needs {
        Needs::of_causes(self.machine.causes().iter().map(|cause| cause.row().code))
    }
}

#[test]
fn every_fault_stops_in_time_and_every_recovery_drives() {
    assert_eq!(OVERRUN_LIMIT.as_millis(), 500, "a hold of 450 ms is no overrun");
    play(&FAILED, Setup::Hindbrain, Alone::new, |_| false, |alone| alone.machine.causes()).unwrap();
}
