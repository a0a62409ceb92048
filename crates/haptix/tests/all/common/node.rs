//! A node with its device's loop, driven by hand.

use std::time::Duration;

use haptix::{
    AnalyticHand, Answer, Command, Device, DeviceLoop, Haptix, Input, Model, Order, Output, Reading, Report,
    Sensor, Settings, Simulation,
};
use safety::{Instant, Machine, Stamp};

use super::{STEP, values};

pub fn settings() -> Settings {
    Settings {
        command_timeout: Some(Duration::from_secs(1)),
        hold_gain: 0.5,
        simulation: Simulation::default(),
    }
}

pub fn at(millis: u64) -> Instant {
    Instant::from_millis(millis)
}

/// A node, its device's loop, and the time. Outputs go where a shell would carry them.
pub struct Node {
    pub machine: Haptix,
    pub device: DeviceLoop,
    pub millis: u64,
    /// Outputs but readings and orders.
    pub outputs: Vec<Output>,
    pub readings: Vec<(Reading, Stamp)>,
    pub orders: Vec<Order>,
}

impl Node {
    pub fn of(device: impl Device + 'static) -> Self {
        Self::started_at(0, device)
    }

    pub fn started_at(millis: u64, device: impl Device + 'static) -> Self {
        let device = DeviceLoop::new(Box::new(device), STEP, settings());
        let machine = Haptix::new(&device, &settings());
        let mut node = Self { machine, device, millis, outputs: vec![], readings: vec![], orders: vec![] };
        node.drain();
        node
    }

    pub fn new(name: &str) -> Self {
        Self::of(AnalyticHand::new(Model::builtin(name).unwrap(), 1))
    }

    pub fn input(&mut self, input: Input) {
        self.machine.handle(at(self.millis), input);
        self.drain();
    }

    pub fn drain(&mut self) {
        while let Some(output) = self.machine.poll(at(self.millis)) {
            match output {
                Output::Order(order) => {
                    self.orders.push(*order);
                    self.device.take(*order);
                }
                Output::PublishReading(reading, stamp) => self.readings.push((*reading, stamp)),
                output => self.outputs.push(output),
            }
        }
    }

    /// Passes `millis` with the device, whose steps are late by nothing.
    pub fn run(&mut self, millis: u64) {
        for _ in 0..millis {
            match self.device.step(at(self.millis)) {
                Some(Report::Stepped(reading)) => self.input(Input::DeviceStepped(Box::new(reading))),
                Some(Report::Failed(error)) => self.input(Input::DeviceFailed(error)),
                None => {}
            }
            self.millis += 1;
            self.drain();
        }
    }

    /// Passes `millis` without the device; polls at the deadlines.
    pub fn wait(&mut self, millis: u64) {
        let end = self.millis + millis;
        while let Some(due) = self.machine.deadline().filter(|due| *due <= at(end)) {
            self.millis = self.millis.max(due.as_nanos() / 1_000_000);
            self.drain();
        }
        self.millis = end;
    }

    pub fn taken(&mut self) -> Vec<Output> {
        core::mem::take(&mut self.outputs)
    }

    pub fn answer(&mut self, id: u64) -> Option<Answer> {
        self.taken().into_iter().find_map(|output| match output {
            Output::Answer(of, answer) if of == id => Some(answer),
            _ => None,
        })
    }

    pub fn update(&mut self, id: u64, command: Command, wait_for_tick: bool) {
        self.input(Input::UpdateRequested { id, command: Box::new(command), wait_for_tick });
    }

    pub fn last_position(&self) -> f32 {
        self.readings.last().unwrap().0.sensor.motor_pos[0]
    }
}

pub fn positions(given: &[f32]) -> Command {
    Command { ref_pos: values(given), ..Command::default() }
}

pub fn update(answer: Option<Answer>) -> (Result<(), String>, Sensor) {
    match answer {
        Some(Answer::Update(result, sensor)) => (result, *sensor),
        other => panic!("{other:?}"),
    }
}
