//! The four stages as one machine that receives [`Message`]s.
#![allow(clippy::unwrap_used)] // helpers of tests

use std::collections::BTreeMap;

use arbiter::Invalid;
use drive_chain::{Drive, Input, Output, Stages};
use hindbrain::{Sensor, SoleTopic};
use joystick::{DeviceId, PoseState, VirtualState};
use params::{Refusal, Set, Specification, Value};
use safety::{Instant, Machine, PublisherCount, Stamp, Velocity};
use scenarios::{Adapter, Hand, Message, Parameters, Process, Publishers, Simulated, Topic};

const FORWARD: usize = 1;
const DEAD_MAN: usize = 5;

/// Parameters of one node that are not the defaults, by name.
type Changes = BTreeMap<String, Value>;

fn read<P>(specification: &Specification, read: fn(&Set) -> Result<P, Refusal>, changes: &Changes) -> P {
    read(&specification.resolve(changes.clone()).unwrap()).unwrap()
}

/// A parameter's value as YAML reads it.
fn value(text: &str) -> Value {
    match (text.parse(), text.parse(), text.parse()) {
        (Ok(whole), _, _) => Value::Integer(whole),
        (_, Ok(float), _) => Value::Float(float),
        (_, _, Ok(switch)) => Value::Bool(switch),
        _ => Value::Text(text.into()),
    }
}

fn changes(parameters: &[(&str, &str)]) -> Changes {
    parameters.iter().map(|(name, text)| ((*name).to_owned(), value(text))).collect()
}

/// The inputs of the four stages, each of which receives its own messages.
pub struct Driven {
    /// Whether the stick is a pad or the virtual one; and how the pad is held, if it is connected.
    is_pad: bool,
    pad: Option<Hand>,
    /// The changed parameters of joystick, arbiter, zones and hindbrain.
    parameters: [Changes; 4],
    publishers: hindbrain::Publishers,
    /// The publishers of navigation's topic, whether or not it is subscribed.
    navigators: Publishers,
}

impl Driven {
    /// The four stages with a pad or with the virtual stick.
    pub fn simulated(is_pad: bool) -> Simulated<Self> {
        let joystick = changes(&[
            ("virtual_device", "Pad"),
            ("drag", "10.0"),
            ("amax", "10.0"),
            ("linear.x.axis", "1"),
            ("linear.x.scale", "-1.0"),
            ("enable.on", "5"),
        ]);
        let arbiter = changes(&[
            ("sources.joystick.topic", "joystick/desired"),
            ("sources.joystick.type", "pose_state"),
            ("sources.joystick.priority", "100"),
            ("sources.navigation.topic", "cmd_vel_smoothed"),
            ("sources.navigation.type", "twist_stamped"),
            ("sources.navigation.priority", "10"),
            ("sources.dock.topic", "dock"),
            ("sources.dock.type", "twist"),
            ("sources.dock.priority", "50"),
            ("locks.door.topic", "door"),
            ("locks.door.priority", "200"),
        ]);
        let sensors = ["ir_front_port", "ir_front_starboard"].map(str::to_owned).to_vec();
        let mut hindbrain = changes(&[
            ("accel", "200.0"),
            ("estop.required", "true"),
            ("driver.kind", "pololu"),
            ("driver.device", "/dev/ttyACM0"),
        ]);
        hindbrain.insert("ir.sensors".into(), Value::Texts(sensors));
        // A user with a pad drives a vehicle, one with the virtual stick a chair.
        let zones = if is_pad {
            Changes::new()
        } else {
            changes(&[
                ("profiles.drive.number", "1"),
                ("profiles.drive.forward.full_throw", "1.0"),
                ("profiles.drive.turn.full_throw", "1.0"),
            ])
        };
        let parameters = [joystick, arbiter, zones, hindbrain];
        let stages = Stages {
            joystick: joystick::Joystick::new(read(
                &joystick::specification(),
                joystick::Params::read,
                &parameters[0],
            )),
            arbiter: arbiter::Arbiter::new(read(
                &arbiter::specification(),
                arbiter::Params::read,
                &parameters[1],
            )),
            zones: zones::ZoneScaler::new(read(&zones::specification(), zones::Params::read, &parameters[2])),
            hindbrain: hindbrain::Hindbrain::new(read(
                &hindbrain::specification(),
                hindbrain::Params::read,
                &parameters[3],
            )),
        };
        let stick = stages.arbiter.source_index("joystick");
        let (publishers, navigators) = (hindbrain::Publishers::default(), Publishers::One);
        let driven = Self { is_pad, pad: None, parameters, publishers, navigators };
        Simulated::new(Drive::new(stages, stick), driven)
    }

    /// Sets how the pad is held: one scan of the devices, and one batch of changes.
    fn hold_pad(&mut self, machine: &mut Drive, now: Instant, hand: Option<Hand>) {
        let id = DeviceId(7);
        let before = core::mem::replace(&mut self.pad, hand);
        let (axes, buttons) = held(hand);
        let mut batch = vec![joystick::Input::DevicesPolled];
        match (before, hand) {
            (Some(_), None) => batch.push(joystick::Input::DeviceDisconnected { id }),
            (None, Some(_)) => batch.push(joystick::Input::DeviceConnected {
                id,
                name: "Pad".into(),
                guid: "0300".into(),
                serial: String::new(),
                path: String::new(),
                links: Vec::new(),
                mapping: String::new(),
                axes: axes.clone(),
                buttons: buttons.clone(),
                hats: Vec::new(),
            }),
            (Some(before), Some(hand)) if before != hand => {
                let (value, pressed) = (axes[FORWARD], buttons[DEAD_MAN]);
                batch.push(joystick::Input::AxisMoved { id, axis: FORWARD, value });
                if before.button != pressed {
                    batch.push(joystick::Input::ButtonChanged { id, button: DEAD_MAN, pressed });
                }
            }
            _ => {}
        }
        batch.push(joystick::Input::BatchEnded);
        batch.into_iter().for_each(|input| machine.handle(now, Input::Joystick(input)));
        if machine.stages().joystick.needs_reading() {
            let read = joystick::Input::DeviceRead { id, axes, buttons, hats: Vec::new() };
            let batch = [read, joystick::Input::BatchEnded];
            batch.into_iter().for_each(|input| machine.handle(now, Input::Joystick(input)));
        }
    }

    /// `None`: the publishers are no longer counted.
    fn count(&mut self, machine: &Drive, topic: Topic, publishers: Publishers) -> Option<Input> {
        let (compatible, incompatible) = publishers.counted();
        let count = PublisherCount::Known { compatible, incompatible };
        let topic = match topic {
            Topic::Command => SoleTopic::Command,
            Topic::Enable => SoleTopic::Enable,
            Topic::Estop => SoleTopic::Estop,
            Topic::Reset => SoleTopic::Reset,
            Topic::Port | Topic::Starboard => SoleTopic::Motors,
            Topic::Source => {
                self.navigators = publishers;
                let source = source(machine.stages().arbiter.params(), NAVIGATION)?;
                return Some(counted(source, publishers));
            }
            Topic::Lock => {
                let (lock, publishers) = (lock(machine), count);
                return Some(Input::Arbiter(arbiter::Input::LockPublishersCounted { lock, publishers }));
            }
            Topic::Arbitrated => return Some(Input::Zones(zones::Input::CommandPublishersCounted(count))),
            Topic::Scaling => return Some(Input::Zones(zones::Input::ScalingPublishersCounted(count))),
            Topic::Profile => return Some(Input::Zones(zones::Input::ProfilePublishersCounted(count))),
            Topic::Reference => {
                return Some(Input::Joystick(joystick::Input::ReferencePublishersCounted(count)));
            }
            Topic::Stick => return Some(Input::Joystick(joystick::Input::VirtualPublishersCounted(count))),
        };
        self.publishers = self.publishers.with(topic, count);
        Some(Input::Hindbrain(hindbrain::Input::PublishersCounted(self.publishers)))
    }
}

/// The topic of the source `navigation`.
const NAVIGATION: &str = "cmd_vel_smoothed";

/// The source that subscribes to `topic`, if there is one.
fn source(params: &arbiter::Params, topic: &str) -> Option<usize> {
    params.sources.iter().position(|source| source.topic == topic)
}

fn lock(machine: &Drive) -> usize {
    machine.stages().arbiter.params().locks.iter().position(|lock| lock.name == "door").unwrap()
}

fn command(machine: &Drive, topic: &str, forward: f64, stamp: Stamp) -> Option<Input> {
    let velocity = Velocity::planar(forward, 0.0).map_err(Invalid::NotFinite);
    let source = source(machine.stages().arbiter.params(), topic)?;
    Some(Input::Arbiter(arbiter::Input::command(source, velocity, stamp)))
}

fn counted(source: usize, publishers: Publishers) -> Input {
    let (compatible, incompatible) = publishers.counted();
    let publishers = PublisherCount::Known { compatible, incompatible };
    Input::Arbiter(arbiter::Input::SourcePublishersCounted { source, publishers })
}

/// The axes and buttons of a stick that is held like this; without one there are none.
fn held(hand: Option<Hand>) -> (Vec<i16>, Vec<bool>) {
    let (mut axes, mut buttons) = (Vec::new(), Vec::new());
    if let Some(Hand { forward, button }) = hand {
        axes.resize(6, 0);
        buttons.resize(11, false);
        axes[FORWARD] = (forward * -32_767.0) as i16;
        buttons[DEAD_MAN] = button;
    }
    (axes, buttons)
}

impl Adapter for Driven {
    type Machine = Drive;

    fn clock_read(stamp: Stamp) -> Input {
        Input::ClockRead(stamp.into())
    }

    /// `None`: there is no subscription.
    fn input(&mut self, machine: &Drive, message: Message, stamp: Stamp) -> Option<Input> {
        Some(Input::Hindbrain(match message {
            Message::Command { forward, .. } => return command(machine, NAVIGATION, forward, stamp),
            Message::Reference { forward, .. } => {
                let vel = Some([forward, 0.0, 0.0]);
                let state = PoseState { stamp, intrinsic: true, vel, ..PoseState::default() };
                return Some(Input::Joystick(joystick::Input::ReferenceReceived(state)));
            }
            Message::Profile(number) => return Some(Input::Zones(zones::Input::ProfileReceived(number))),
            Message::Dock { forward } => return command(machine, "dock", forward, stamp),
            Message::Stick(hand) => {
                let (axes, buttons) = held(hand);
                let state = VirtualState { stamp: Stamp::ZERO, axes, buttons };
                return Some(Input::Joystick(joystick::Input::VirtualDeviceMoved(Ok(state))));
            }
            Message::Lock(closed) => {
                return Some(Input::Arbiter(arbiter::Input::LockReceived { lock: lock(machine), closed }));
            }
            Message::Scaling { ahead, others } => {
                // The three front zones come first, each with two factors.
                let fields = core::array::from_fn(|field| if field < 6 { ahead } else { others });
                return Some(Input::Zones(zones::Input::ScalingReceived(fields)));
            }
            Message::Publishers { topic, publishers } => return self.count(machine, topic, publishers),
            Message::Second { .. } | Message::Held { .. } => return None,
            Message::Active { process, on } => match process {
                Process::Joystick => return Some(Input::Joystick(joystick::Input::ActivityChanged(on))),
                Process::Arbiter => return Some(Input::Arbiter(arbiter::Input::ActivityChanged(on))),
                Process::Zones => return Some(Input::Zones(zones::Input::ActivityChanged(on))),
                Process::Hindbrain => hindbrain::Input::ActivityChanged(on),
            },
            Message::Enable(on) => hindbrain::Input::EnableReceived(on),
            Message::Estop(pressed) => hindbrain::Input::EstopReceived(pressed),
            Message::Reset(down) => hindbrain::Input::ResetReceived(down),
            Message::Infrared { starboard, reading, .. } => {
                let sensor = if starboard { Sensor::FrontStarboard } else { Sensor::FrontPort };
                hindbrain::Input::IrReceived { sensor, distance: reading.distance(), stamp }
            }
            Message::Device(None) => hindbrain::Input::DeviceOpened,
            Message::Device(Some(_)) => hindbrain::Input::DeviceLost,
        }))
    }

    /// In one process there is no subscription between two stages.
    fn subscribes(topic: Topic) -> bool {
        !matches!(topic, Topic::Command | Topic::Arbitrated)
    }

    fn is_direct(&self, message: &Message) -> bool {
        self.is_pad && matches!(message, Message::Stick(_))
    }

    fn deliver(&mut self, machine: &mut Drive, now: Instant, message: Message) {
        if let Message::Stick(hand) = message {
            self.hold_pad(machine, now, hand);
        }
    }

    fn set(&mut self, machine: &Drive, node: Process, set: Parameters) -> (Vec<Input>, bool) {
        let place = match node {
            Process::Joystick => 0,
            Process::Arbiter => 1,
            Process::Zones => 2,
            Process::Hindbrain => 3,
        };
        let mut parameters = self.parameters[place].clone();
        for (name, text) in set {
            if text.is_empty() {
                // Deleting the topic removes the entry.
                let entry = name.trim_end_matches("topic");
                parameters.retain(|name, _| !name.starts_with(entry));
            } else {
                parameters.insert((*name).to_owned(), value(text));
            }
        }
        let accepts = node != Process::Hindbrain || machine.stages().hindbrain.accepts_parameters();
        let mut inputs = Vec::new();
        match node {
            Process::Joystick => {
                let params = read(&joystick::specification(), joystick::Params::read, &parameters);
                inputs.push(Input::Joystick(joystick::Input::ParametersChanged(params)));
            }
            Process::Arbiter => {
                let params = read(&arbiter::specification(), arbiter::Params::read, &parameters);
                let stick = params.sources.iter().position(|source| source.name == "joystick");
                // The node counts again when its topics change.
                let navigation = source(&params, NAVIGATION).map(|source| counted(source, self.navigators));
                inputs.push(Input::SourcesChanged { params, stick });
                inputs.extend(navigation);
            }
            Process::Zones => {
                let params = read(&zones::specification(), zones::Params::read, &parameters);
                inputs.push(Input::Zones(zones::Input::ParametersChanged(params)));
            }
            Process::Hindbrain => {
                let params = read(&hindbrain::specification(), hindbrain::Params::read, &parameters);
                inputs.push(Input::Hindbrain(hindbrain::Input::ParametersChanged(params)));
            }
        }
        if accepts {
            self.parameters[place] = parameters;
        }
        (inputs, accepts)
    }

    fn levels(output: Output) -> Option<[i16; 2]> {
        match output {
            Output::Hindbrain(hindbrain::Output::Drive(motors)) => Some(motors.levels()),
            _ => None,
        }
    }

    fn causes(machine: &Drive) -> Vec<&'static str> {
        machine.stages().hindbrain.causes().iter().map(|cause| cause.row().code).collect()
    }
}
