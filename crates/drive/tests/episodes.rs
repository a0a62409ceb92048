//! Random faults while a source of the arbiter drives, each with its bound and its way back: the four stages as one machine.
//!
//! `EPISODES=10000 cargo test -p drive --test episodes` plays as many; a seed that fails is printed, and belongs into `SEEDS`.

#![allow(clippy::unwrap_used, clippy::panic)] // what fails has to end the test with its seed

use core::time::Duration;

use arbiter::Invalid;
use drive::{Drive, Input, Stages};
use hindbrain::{Census, Publishers, Sensor, SoleTopic};
use params::{Refusal, Set, Specification, Value};
use scenarios::{Dice, Message, Reading, Second, Topic, Vehicle, World};
use units::{Instant, Machine, Stamp, Velocity};

/// Seeds that once failed are played every time.
const SEEDS: [u64; 1] = [1];

fn read<P>(
    specification: Specification,
    read: fn(&Set) -> Result<P, Refusal>,
    changes: &[(&str, Value)],
) -> P {
    let changes = changes.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    read(&specification.resolve(changes).unwrap()).unwrap()
}

/// The four stages without a stick: navigation drives.
struct Driven {
    machine: Drive,
    now: Instant,
    navigation: usize,
    publishers: Publishers,
    /// The stamps of the last command and of the last measurement of each sensor.
    stamps: [Stamp; 3],
}

impl Driven {
    fn new() -> Self {
        let text = |text: &str| Value::Text(text.into());
        let sensors = ["ir_front_port", "ir_front_starboard"].map(str::to_owned).to_vec();
        let hindbrain = [
            ("accel", Value::Float(200.0)),
            ("estop.required", Value::Bool(true)),
            ("ir.sensors", Value::Texts(sensors)),
            ("driver.kind", text("pololu")),
            ("driver.device", text("/dev/ttyACM0")),
        ];
        let zones = [("mode", text("passthrough"))];
        let stages = Stages {
            joystick: joystick::Joystick::new(joystick::Params::default()),
            arbiter: arbiter::Arbiter::new(arbiter::Params::default()),
            zones: zones::ZoneScaler::new(read(zones::specification(), zones::Params::read, &zones)),
            hindbrain: hindbrain::Hindbrain::new(read(
                hindbrain::specification(),
                hindbrain::Params::read,
                &hindbrain,
            )),
        };
        let navigation = stages.arbiter.source_index("navigation").unwrap();
        Self {
            machine: Drive::new(stages, None),
            now: Instant::from_millis(1_000),
            navigation,
            publishers: Publishers::default(),
            stamps: [Stamp::ZERO; 3],
        }
    }

    fn stamp(&self, behind: i32) -> Stamp {
        let nanos = 1_700_000_000_000_000_000 + self.now.as_nanos() as i64 - i64::from(behind) * 1_000_000;
        Stamp { sec: (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
    }

    fn input(&mut self, message: Message) -> Input {
        Input::Hindbrain(match message {
            Message::Command { forward, behind } => {
                self.stamps[0] = behind.map_or(self.stamps[0], |behind| self.stamp(behind));
                let velocity = Velocity::planar(forward, 0.0).map_err(Invalid::NotFinite);
                let (source, stamp) = (self.navigation, self.stamps[0]);
                return Input::Arbiter(arbiter::Input::command(source, velocity, stamp));
            }
            Message::Enable(on) => hindbrain::Input::EnableReceived(on),
            Message::Estop(pressed) => hindbrain::Input::EstopReceived(pressed),
            Message::Reset(down) => hindbrain::Input::ResetReceived(down),
            Message::Infrared { starboard, reading, repeated } => {
                let (sensor, place) =
                    if starboard { (Sensor::FrontStarboard, 2) } else { (Sensor::FrontPort, 1) };
                if !repeated {
                    self.stamps[place] = self.stamp(0);
                }
                let distance = match reading {
                    Reading::Clear => Some(1.0),
                    Reading::Blocked => Some(0.1),
                    Reading::Invalid => None,
                };
                hindbrain::Input::IrReceived { sensor, distance, stamp: self.stamps[place] }
            }
            Message::Publishers { topic, second } => {
                let topic = match topic {
                    Topic::Command => SoleTopic::Command,
                    Topic::Enable => SoleTopic::Enable,
                    Topic::Estop => SoleTopic::Estop,
                    Topic::Motors => SoleTopic::Motors,
                };
                let census = match second {
                    None => Census::Known { fitting: 1, others: 0 },
                    Some(Second::Alike | Second::SameName) => Census::Known { fitting: 2, others: 0 },
                    Some(Second::BestEffort | Second::OtherType) => Census::Known { fitting: 1, others: 1 },
                };
                self.publishers = self.publishers.with(topic, census);
                hindbrain::Input::PublishersCounted(self.publishers)
            }
            Message::Device(true) => hindbrain::Input::DeviceOpened,
            Message::Device(false) => hindbrain::Input::DeviceLost,
            Message::Parameter { name, value } => hindbrain::Input::ParametersChanged(read(
                hindbrain::specification(),
                hindbrain::Params::read,
                &[(name, Value::Float(value))],
            )),
        })
    }

    fn drain(&mut self) {
        while self.machine.poll(self.now).is_some() {}
    }
}

impl Vehicle for Driven {
    fn receive(&mut self, message: Message) {
        let input = self.input(message);
        self.machine.handle(self.now, Input::ClockRead(self.stamp(0)));
        self.machine.handle(self.now, input);
        self.drain();
    }

    fn pass(&mut self, millis: u32) {
        let end = self.now + Duration::from_millis(millis.into());
        while let Some(at) = self.machine.deadline().filter(|&at| at <= end) {
            self.now = at.max(self.now);
            self.drain();
        }
        self.now = end;
    }

    fn hold(&mut self, millis: u32) {
        self.now = self.now + Duration::from_millis(millis.into());
        self.drain();
    }

    fn levels(&self) -> [i16; 2] {
        self.machine.stages().hindbrain.motors().levels()
    }
}

#[test]
fn every_fault_stops_in_time_and_every_recovery_drives() {
    let episodes = std::env::var("EPISODES").ok().and_then(|count| count.parse().ok()).unwrap_or(200);
    for seed in SEEDS {
        let mut world = World::new(Driven::new());
        world.start().unwrap();
        for (number, episode) in Dice::new(seed).take(episodes).enumerate() {
            if let Err(what) = world.play(&episode) {
                let stages = world.vehicle().machine.stages();
                let (causes, active) = (stages.hindbrain.causes(), stages.arbiter.active());
                panic!("seed {seed}, episode {number} ({episode}): {what}; {causes}; {active:?}");
            }
        }
    }
}
