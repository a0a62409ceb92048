//! The four stages as one machine that receives [`Message`]s.
#![allow(clippy::unwrap_used)] // helpers of tests

use core::time::Duration;
use std::collections::BTreeMap;

use arbiter::Invalid;
use drive_chain::{Drive, Input, Output, Stages};
use hindbrain::{Sensor, SoleTopic};
use joystick::{DeviceId, PoseState, VirtualState};
use params::{Refusal, Set, Specification, Value};
use safety::{Instant, Machine, PublisherCount, Stamp, Velocity};
use scenarios::{Hand, Inbox, Message, Needs, Parameters, Process, Publishers, Seen, Topic, Vehicle};

/// The time of its start \[ms\].
const START: u64 = 1_000;
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

/// The four stages, each of which receives its own messages.
pub struct Driven {
    pub machine: Drive,
    /// Whether the stick is a pad or the virtual one; and how the pad is held, if it is connected.
    is_pad: bool,
    pad: Option<Hand>,
    now: Instant,
    /// The changed parameters of joystick, arbiter, zones and hindbrain.
    parameters: [Changes; 4],
    publishers: hindbrain::Publishers,
    /// The publishers of navigation's topic, whether or not it is subscribed.
    navigators: Publishers,
    inbox: Inbox<Input>,
    seen: Vec<Seen>,
    /// The stamps of the last command, of the last measurement of each sensor and of the last reference.
    stamps: [Stamp; 4],
}

impl Driven {
    pub fn new(is_pad: bool) -> Self {
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
        Self {
            machine: Drive::new(stages, stick),
            is_pad,
            pad: None,
            now: Instant::from_millis(START),
            parameters,
            publishers: hindbrain::Publishers::default(),
            navigators: Publishers::One,
            inbox: Inbox::default(),
            seen: Vec::new(),
            stamps: [Stamp::ZERO; 4],
        }
    }

    fn stamp(&self, behind: i32) -> Stamp {
        let nanos = 1_700_000_000_000_000_000 + self.now.as_nanos() as i64 - i64::from(behind) * 1_000_000;
        Stamp { sec: (nanos / 1_000_000_000) as i32, nanosec: (nanos % 1_000_000_000) as u32 }
    }

    /// The source that subscribes to `topic`, if there is one.
    fn source(&self, topic: &str) -> Option<usize> {
        self.machine.stages().arbiter.params().sources.iter().position(|source| source.topic == topic)
    }

    fn lock(&self) -> usize {
        self.machine.stages().arbiter.params().locks.iter().position(|lock| lock.name == "door").unwrap()
    }

    fn command(&self, topic: &str, forward: f64, stamp: Stamp) -> Option<Input> {
        let velocity = Velocity::planar(forward, 0.0).map_err(Invalid::NotFinite);
        Some(Input::Arbiter(arbiter::Input::command(self.source(topic)?, velocity, stamp)))
    }

    /// Sets how the pad is held: one scan of the devices, and one batch of changes.
    fn hold_pad(&mut self, hand: Option<Hand>) {
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
        batch.into_iter().for_each(|input| self.machine.handle(self.now, Input::Joystick(input)));
        if self.machine.stages().joystick.needs_reading() {
            let read = joystick::Input::DeviceRead { id, axes, buttons, hats: Vec::new() };
            let batch = [read, joystick::Input::BatchEnded];
            batch.into_iter().for_each(|input| self.machine.handle(self.now, Input::Joystick(input)));
        }
    }

    /// `None`: there is no subscription, or it was already delivered.
    fn input(&mut self, message: Message) -> Option<Input> {
        Some(Input::Hindbrain(match message {
            Message::Command { forward, behind } => {
                self.stamps[0] = behind.map_or(self.stamps[0], |behind| self.stamp(behind));
                return self.command("cmd_vel_smoothed", forward, self.stamps[0]);
            }
            Message::Reference { forward, behind } => {
                self.stamps[3] = behind.map_or(self.stamps[3], |behind| self.stamp(behind));
                let vel = Some([forward, 0.0, 0.0]);
                let stamp = self.stamps[3];
                let state = PoseState { stamp, intrinsic: true, vel, ..PoseState::default() };
                return Some(Input::Joystick(joystick::Input::ReferenceReceived(state)));
            }
            Message::Profile(number) => return Some(Input::Zones(zones::Input::ProfileReceived(number))),
            Message::Dock { forward } => return self.command("dock", forward, Stamp::ZERO),
            Message::Stick(hand) => {
                let (axes, buttons) = held(hand);
                let state = VirtualState { stamp: Stamp::ZERO, axes, buttons };
                return Some(Input::Joystick(joystick::Input::VirtualDeviceMoved(state)));
            }
            Message::Lock(closed) => {
                return Some(Input::Arbiter(arbiter::Input::LockReceived { lock: self.lock(), closed }));
            }
            Message::Scaling { ahead, others } => {
                // The three front zones come first, each with two factors.
                let fields = core::array::from_fn(|field| if field < 6 { ahead } else { others });
                return Some(Input::Zones(zones::Input::ScalingReceived(fields)));
            }
            Message::Publishers { topic, publishers } => return self.count(topic, publishers),
            Message::Second { .. } | Message::Held { .. } => return None,
            Message::Enable(on) => hindbrain::Input::EnableReceived(on),
            Message::Estop(pressed) => hindbrain::Input::EstopReceived(pressed),
            Message::Reset(down) => hindbrain::Input::ResetReceived(down),
            Message::Infrared { starboard, reading, repeated } => {
                let (sensor, place) =
                    if starboard { (Sensor::FrontStarboard, 2) } else { (Sensor::FrontPort, 1) };
                if !repeated {
                    self.stamps[place] = self.stamp(0);
                }
                let distance = reading.distance();
                hindbrain::Input::IrReceived { sensor, distance, stamp: self.stamps[place] }
            }
            Message::Device(None) => hindbrain::Input::DeviceOpened,
            Message::Device(Some(_)) => hindbrain::Input::DeviceLost,
        }))
    }

    /// `None`: the publishers are no longer counted.
    fn count(&mut self, topic: Topic, publishers: Publishers) -> Option<Input> {
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
                let source = self.source("cmd_vel_smoothed")?;
                return Some(Input::Arbiter(arbiter::Input::SourcePublishersCounted {
                    source,
                    publishers: count,
                }));
            }
            Topic::Lock => {
                let lock = self.lock();
                return Some(Input::Arbiter(arbiter::Input::LockPublishersCounted {
                    lock,
                    publishers: count,
                }));
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

    fn handle(&mut self, input: Input) {
        self.machine.handle(self.now, Input::ClockRead(self.stamp(0)));
        self.machine.handle(self.now, input);
        self.drain();
    }

    fn drain(&mut self) {
        while let Some(output) = self.machine.poll(self.now) {
            if let Output::Hindbrain(hindbrain::Output::Drive(motors)) = output {
                self.seen.push((self.now.as_nanos() / 1_000_000 - START, motors.levels()));
            }
        }
    }
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

impl Vehicle for Driven {
    fn receive(&mut self, message: Message) {
        if let Message::Held { on, .. } = message {
            let waited = self.inbox.hold(on);
            if !on {
                self.drain();
            }
            return waited.into_iter().for_each(|input| self.handle(input));
        }
        // In one process there is no subscription between two stages.
        if matches!(message, Message::Second { topic: Topic::Command | Topic::Arbitrated, .. }) {
            return;
        }
        let Some(message) = message.received() else { return };
        if let (Message::Stick(hand), true) = (message, self.is_pad) {
            if !self.inbox.is_held() {
                self.machine.handle(self.now, Input::ClockRead(self.stamp(0)));
                self.hold_pad(hand);
                self.drain();
            }
            return;
        }
        let input = self.input(message);
        if let Some(input) = input.and_then(|input| self.inbox.take(&message, input)) {
            self.handle(input);
        }
    }

    fn set(&mut self, node: Process, set: Parameters) -> bool {
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
        let accepts = node != Process::Hindbrain || self.machine.stages().hindbrain.accepts_parameters();
        let input = match node {
            Process::Joystick => {
                let params = read(&joystick::specification(), joystick::Params::read, &parameters);
                Input::Joystick(joystick::Input::ParametersChanged(params))
            }
            Process::Arbiter => {
                let params = read(&arbiter::specification(), arbiter::Params::read, &parameters);
                let stick = params.sources.iter().position(|source| source.name == "joystick");
                Input::SourcesChanged { params, stick }
            }
            Process::Zones => {
                let params = read(&zones::specification(), zones::Params::read, &parameters);
                Input::Zones(zones::Input::ParametersChanged(params))
            }
            Process::Hindbrain => {
                let params = read(&hindbrain::specification(), hindbrain::Params::read, &parameters);
                Input::Hindbrain(hindbrain::Input::ParametersChanged(params))
            }
        };
        self.handle(input);
        if node == Process::Arbiter {
            // The node does the same when its topics change.
            let counted = self.count(Topic::Source, self.navigators);
            counted.into_iter().for_each(|input| self.handle(input));
        }
        if accepts {
            self.parameters[place] = parameters;
        }
        accepts
    }

    fn pass(&mut self, millis: u64) -> u64 {
        let end = self.now + Duration::from_millis(millis);
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
        Needs::of_causes(self.machine.stages().hindbrain.causes().iter().map(|cause| cause.row().code))
    }
}
