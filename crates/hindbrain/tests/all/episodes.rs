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
use safety::{Command, PublisherCount, Stamp, Velocity};
use scenarios::{Adapter, Message, Parameters, Process, Setup, Simulated, Topic, play};

/// Seeds and numbers of episodes that once failed.
const FAILED: [(u64, usize); 0] = [];

/// The inputs of hindbrain.
#[derive(Default)]
struct Alone {
    publishers: Publishers,
}

fn alone() -> Simulated<Alone> {
    let changes = [
        ("accel", Value::Float(200.0)),
        ("estop.required", Value::Bool(true)),
        ("ir.sensors", texts(&["ir_front_port", "ir_front_starboard"])),
        ("driver.kind", text("pololu")),
        ("driver.device", text("/dev/ttyACM0")),
    ];
    Simulated::new(Hindbrain::new(params(&changes).unwrap()), Alone::default())
}

impl Adapter for Alone {
    type Machine = Hindbrain;

    fn clock_read(stamp: Stamp) -> Input {
        Input::ClockRead(stamp.into())
    }

    /// `None` for messages that only the stages before it receive.
    fn input(&mut self, _: &Hindbrain, message: Message, stamp: Stamp) -> Option<Input> {
        Some(match message {
            Message::Command { forward, .. } => {
                let command = Velocity::planar(forward, 0.0).map(|velocity| Command::new(velocity, stamp));
                Input::CommandReceived(command)
            }
            Message::Enable(on) => Input::EnableReceived(on),
            Message::Estop(pressed) => Input::EstopReceived(pressed),
            Message::Reset(down) => Input::ResetReceived(down),
            Message::Infrared { starboard, reading, .. } => {
                let sensor = if starboard { Sensor::FrontStarboard } else { Sensor::FrontPort };
                Input::IrReceived { sensor, distance: reading.distance(), stamp }
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
            Message::Active { on, .. } => Input::ActivityChanged(on),
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

    fn set(&mut self, machine: &Hindbrain, _: Process, set: Parameters) -> (Vec<Input>, bool) {
        let changes =
            set.iter().map(|(name, text)| ((*name).to_owned(), Value::Float(text.parse().unwrap())));
        let set = specification().resolve(changes).unwrap();
        (vec![Input::ParametersChanged(Params::read(&set).unwrap())], machine.accepts_parameters())
    }

    fn levels(output: Output) -> Option<[i16; 2]> {
        if let Output::Drive(motors) = output { Some(motors.levels()) } else { None }
    }

    fn causes(machine: &Hindbrain) -> Vec<&'static str> {
        machine.causes().iter().map(|cause| cause.row().code).collect()
    }
}

#[test]
fn every_fault_stops_in_time_and_every_recovery_drives() {
    assert_eq!(OVERRUN_LIMIT.as_millis(), 500, "a hold of 450 ms is no overrun");
    play(&FAILED, Setup::Hindbrain, alone, |_| false, |alone| alone.machine.causes()).unwrap();
}
