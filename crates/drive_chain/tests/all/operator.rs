//! An obedient operator: from random states of the chain it does only what the sentence of `why` names, and the vehicle moves within
//! eight acts, or one for each of more than four faults and five more.
//!
//! The operator reads the sentence as a person does. It shares no code with the choice of the sentence, and knows no cause, rank or
//! verdict. `OPERATOR=10000 cargo test -p drive_chain --test all operator` plays that number of states, from `OPERATOR_SEED` if it is set.
#![allow(clippy::unwrap_used, clippy::panic)] // a failure has to end the test with its seed

use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

use drive_chain::Input;
use hindbrain::{Sensor, SoleTopic};
use params::Value;
use safety::{Command, PublisherCount, Stamp, Velocity};
use why::{Moves, Reason, Shown, choose};

use crate::common::{Bench, DEAD_MAN, STICK, STOP, arbiter_params, drive_by};

/// The states of an ordinary run.
const STATES: u64 = 400;
/// Seeds that once failed.
const FAILED: [u64; 1] = [13_147];

/// All that happens around the vehicle, until it is changed.
struct World {
    bench: Bench,
    /// Whether SDL reads the devices.
    polls: bool,
    plugged: bool,
    forward: f64,
    dead_man: bool,
    /// The velocity of navigation ahead \[m/s]; `None` is silence.
    navigation: Option<f64>,
    /// How far navigation's stamps lie behind the clock \[ms].
    behind: i64,
    lock: Option<bool>,
    estop: Option<bool>,
    /// The distances that the sensors measure \[m]; NaN is no measurement.
    sensors: [Option<f64>; 4],
    publishers: hindbrain::Publishers,
    shown: Shown,
    /// The sentences so far.
    story: String,
    codes: BTreeSet<&'static str>,
}

const TOPICS: [(&str, SoleTopic); 5] = [
    ("cmd_vel", SoleTopic::Command),
    ("hind/enable", SoleTopic::Enable),
    ("hind/estop", SoleTopic::Estop),
    ("hind/reset", SoleTopic::Reset),
    ("motors", SoleTopic::Motors),
];

impl World {
    /// A vehicle whose e-stop was reset after the start; everything works, and nobody does anything.
    fn new() -> Self {
        let lock =
            [("locks.door.topic", Value::Text("door".into())), ("locks.door.priority", Value::Integer(200))];
        let fitted = Sensor::ALL.map(|sensor| sensor.frame_id().to_owned()).to_vec();
        let hindbrain = [
            ("accel", Value::Float(200.0)),
            ("ir.sensors", Value::Texts(fitted)),
            ("driver.kind", Value::Text("pololu".into())),
            ("driver.device", Value::Text("/dev/ttyACM0".into())),
        ];
        let mut world = Self {
            bench: Bench::with(drive_by(arbiter_params(&lock), &hindbrain)),
            polls: true,
            plugged: false,
            forward: 0.0,
            dead_man: false,
            navigation: None,
            behind: 0,
            lock: Some(false),
            estop: Some(false),
            sensors: [Some(9.0); 4],
            publishers: hindbrain::Publishers::default(),
            shown: Shown::default(),
            story: String::new(),
            codes: BTreeSet::new(),
        };
        world.gate(hindbrain::Input::DeviceOpened);
        world.gate(hindbrain::Input::EstopReceived(false));
        [false, true, false].into_iter().for_each(|down| world.reset(down));
        world
    }

    fn gate(&mut self, input: hindbrain::Input) {
        self.bench.send([Input::Hindbrain(input)]);
    }

    fn enable(&mut self, on: bool) {
        self.gate(hindbrain::Input::EnableReceived(on));
    }

    fn reset(&mut self, down: bool) {
        self.gate(hindbrain::Input::ResetReceived(down));
    }

    fn count(&mut self, topic: SoleTopic, publishers: usize) {
        self.publishers = self.publishers.with(topic, PublisherCount::of(publishers));
        self.gate(hindbrain::Input::PublishersCounted(self.publishers));
    }

    fn count_sources(&mut self, publishers: usize) {
        let source = self.bench.drive.stages().arbiter.source_index("navigation").unwrap();
        let publishers = PublisherCount::of(publishers);
        self.bench.send([Input::Arbiter(arbiter::Input::SourcePublishersCounted { source, publishers })]);
    }

    fn count_locks(&mut self, publishers: usize) {
        let publishers = PublisherCount::of(publishers);
        self.bench.send([Input::Arbiter(arbiter::Input::LockPublishersCounted { lock: 0, publishers })]);
    }

    fn count_scalings(&mut self, publishers: usize) {
        let count = PublisherCount::of(publishers);
        self.bench.send([Input::Zones(zones::Input::ScalingPublishersCounted(count))]);
    }

    fn activate(&mut self, node: &str, on: bool) {
        self.bench.send([match node {
            "joystick" => Input::Joystick(joystick::Input::ActivityChanged(on)),
            "velocity_arbiter" => Input::Arbiter(arbiter::Input::ActivityChanged(on)),
            "zone_scaler" => Input::Zones(zones::Input::ActivityChanged(on)),
            "hindbrain" => Input::Hindbrain(hindbrain::Input::ActivityChanged(on)),
            other => panic!("no node '{other}'"),
        }]);
    }

    fn plug(&mut self) {
        if !std::mem::replace(&mut self.plugged, true) {
            self.bench.plug();
        }
        self.hold();
    }

    fn unplug(&mut self) {
        if std::mem::replace(&mut self.plugged, false) {
            self.bench.unplug();
        }
    }

    /// Holds the stick as it is to be held.
    fn hold(&mut self) {
        if self.plugged {
            self.bench.stick(self.forward, 0.0, self.dead_man);
        }
    }

    fn push(&mut self, forward: f64) {
        self.forward = forward;
        self.hold();
    }

    fn press(&mut self, dead_man: bool) {
        self.dead_man = dead_man;
        self.hold();
    }

    /// Polls the devices, and reads the stick if its state is not known.
    fn poll(&mut self) {
        self.bench.send([Input::Joystick(joystick::Input::DevicesPolled)]);
        if self.plugged && self.bench.drive.stages().joystick.needs_reading() {
            let mut axes = vec![0; 6];
            axes[1] = (self.forward * -32767.0) as i16;
            let buttons = (0..11).map(|button| button == DEAD_MAN && self.dead_man).collect();
            let read = joystick::Input::DeviceRead { id: STICK, axes, buttons, hats: Vec::new() };
            self.bench.send([Input::Joystick(read), Input::Joystick(joystick::Input::BatchEnded)]);
        }
    }

    /// Lets `millis` pass: each publisher repeats what it publishes 20 times a second.
    fn pass(&mut self, millis: u64) {
        for _ in 0..millis / 50 {
            if self.polls {
                self.poll();
            }
            let stamp = self.bench.stamp();
            let past = stamp.as_nanos() - self.behind * 1_000_000;
            let past = Stamp { sec: (past / 1_000_000_000) as i32, nanosec: (past % 1_000_000_000) as u32 };
            let mut inputs = Vec::new();
            if let Some(forward) = self.navigation {
                let source = self.bench.drive.stages().arbiter.source_index("navigation").unwrap();
                let command = match Velocity::planar(forward, 0.0) {
                    Ok(velocity) => Ok(Command::new(velocity, past)),
                    Err(error) => Err(arbiter::Invalid::NotFinite(error)),
                };
                inputs.push(Input::Arbiter(arbiter::Input::CommandReceived { source, command }));
            }
            let lock = self.lock.map(|closed| arbiter::Input::LockReceived { lock: 0, closed });
            inputs.extend(lock.map(Input::Arbiter));
            inputs.extend(self.estop.map(|on| Input::Hindbrain(hindbrain::Input::EstopReceived(on))));
            for (sensor, distance) in Sensor::ALL.into_iter().zip(self.sensors) {
                if let Some(distance) = distance {
                    let distance = Some(distance).filter(|distance| !distance.is_nan());
                    inputs.push(Input::Hindbrain(hindbrain::Input::IrReceived { sensor, distance, stamp }));
                }
            }
            self.bench.send(inputs);
            self.bench.pass(Duration::from_millis(50));
            let reason = self.reason();
            self.shown.update(self.bench.now, reason);
        }
    }

    fn reason(&self) -> Reason {
        choose(&self.bench.drive.explain())
    }

    fn is_moving(&self) -> bool {
        self.bench.last() != (STOP, STOP)
    }

    /// One random change of the world.
    fn change(&mut self, random: &mut fastrand::Rng) {
        let flag = random.bool();
        match random.u8(0..30) {
            0 => self.estop = *random.choice(&[None, Some(false), Some(true), Some(true)]).unwrap(),
            1 => self.lock = *random.choice(&[None, Some(false), Some(true)]).unwrap(),
            2 | 3 => self.enable(flag),
            4 => self.reset(flag),
            5 => self.plug(),
            6 => self.unplug(),
            7..=9 => self.press(flag),
            10..=12 => {
                let forward = *random.choice(&[0.0, 0.0, 0.015, 0.3, 1.0, -1.0]).unwrap();
                self.push(forward);
            }
            13..=15 => {
                let forward = [None, Some(0.0), Some(0.3), Some(-0.5), Some(0.01), Some(f64::NAN)];
                self.navigation = *random.choice(&forward).unwrap();
            }
            16 => self.behind = *random.choice(&[0, 0, 2_000, -2_000]).unwrap(),
            17 => {
                let index = random.usize(0..4);
                self.sensors[index] = *random.choice(&[None, Some(9.0), Some(0.05), Some(f64::NAN)]).unwrap();
            }
            18 => self.count(random.choice(&TOPICS).unwrap().1, if flag { 1 } else { 2 }),
            19 => self.count_sources(if flag { 1 } else { 2 }),
            20 => self.count_locks(if flag { 1 } else { 2 }),
            21 => self.count_scalings(if flag { 1 } else { 2 }),
            22 => self.gate(if flag { hindbrain::Input::DeviceOpened } else { hindbrain::Input::DeviceLost }),
            23 => {
                let nodes = ["joystick", "velocity_arbiter", "zone_scaler", "hindbrain"];
                self.activate(random.choice(nodes).unwrap(), flag);
            }
            24..=26 => {
                let factor = *random.choice(&[0.0, 0.5, 1.0, f32::NAN]).unwrap();
                let mut fields = [1.0; 16];
                let end = if flag { 16 } else { 6 };
                fields[..end].fill(factor);
                self.bench.scaling = Some(fields);
            }
            27 => self.bench.scaling = None,
            28 => self.gate(hindbrain::Input::Unwatched),
            _ => self.polls = flag,
        }
    }

    /// Does what `sentence` names, and nothing else.
    fn obey(&mut self, sentence: &str) {
        let (is, act) = sentence.split_once(". ").unwrap();
        let named = |name: &str| is.contains(name);
        match act {
            "Release it." if named("e-stop") => self.estop = Some(false),
            "Press and release reset." => {
                self.reset(true);
                self.pass(200);
                self.reset(false);
            }
            "Release it, then press and release it again." => {
                for down in [false, true, false] {
                    self.reset(down);
                    self.pass(200);
                }
            }
            "Switch hind/enable off and on." | "Publish false, then true." => {
                self.enable(false);
                self.pass(100);
                self.enable(true);
            }
            "Switch hind/enable on." => self.enable(true),
            "Let its publisher repeat true or false on hind/estop." => self.estop = Some(false),
            "Check its cable and its power." | "Connect it, and check driver.device." => {
                self.gate(hindbrain::Input::DeviceOpened);
            }
            "Activate it." => {
                let nodes = ["joystick", "velocity_arbiter", "zone_scaler", "hindbrain"];
                self.activate(nodes.into_iter().find(|node| named(node)).unwrap(), true);
            }
            _ if named("has not one publisher") || act.starts_with("End ") => {
                let topics = TOPICS.iter().rev().find(|(topic, _)| named(topic));
                if named("The source navigation") {
                    self.count_sources(1);
                } else if named("The lock door") {
                    self.count_locks(1);
                } else if named("luci/scaling") {
                    self.count_scalings(1);
                } else {
                    self.count(topics.unwrap_or_else(|| panic!("{sentence}")).1, 1);
                }
            }
            "Start it." | "Correct it." if named("infra-red sensor") => {
                let sensor = Sensor::ALL.into_iter().find(|sensor| named(sensor.frame_id())).unwrap();
                self.sensors[sensor.index()] = Some(9.0);
            }
            "Clear one of them." => self.sensors[..2].fill(Some(9.0)),
            "Drive straight away from it, or clear it." => {
                let pair = if named("front") { 0..2 } else { 2..4 };
                self.sensors[pair].fill(Some(9.0));
            }
            "Let the stick go once." | "Let it go once." => {
                let forward = self.forward;
                self.push(0.0);
                self.pass(500);
                self.push(forward);
            }
            "Let it send a zero once." | "Send a zero once." => self.send_zero(),
            "Correct it, and let it send a zero." => {
                let is_number = self.navigation.is_some_and(f64::is_finite);
                self.navigation = Some(self.navigation.filter(|_| is_number).unwrap_or(0.5));
                self.send_zero();
            }
            "Correct what publishes luci/scaling, then let go once." => {
                self.bench.scaling = Some([1.0; 16]);
                self.pass(100);
                let forward = self.forward;
                self.push(0.0);
                self.send_zero();
                self.push(forward);
            }
            "Synchronize the clocks, or send them sooner." | "Synchronize the clocks." => self.behind = 0,
            "Start its publisher." | "Open it." if named("The lock door") => self.lock = Some(false),
            "Start surround or the chair."
            | "Start its publisher again."
            | "Drive another way, or clear it." => {
                self.bench.scaling = Some([1.0; 16]);
            }
            "Clear the way, or look at the status of what publishes luci/scaling." => {
                self.bench.scaling = Some([1.0; 16]);
            }
            "Push the stick." => self.push(0.5),
            "Push further." if named("joystick") => self.push(0.5),
            "Push further." | "Give it a goal." | "Start it, or give it a goal." | "Let it send one." => {
                self.navigation = Some(0.5);
            }
            "Let joystick end." => self.press(false),
            "Let navigation end." => self.navigation = None,
            "Hold button 5 of Stick." => self.press(true),
            "Release it, then press it." => {
                self.press(false);
                self.pass(200);
                self.press(true);
            }
            "Connect one." => self.plug(),
            "Unplug the one that blocks." => {
                self.unplug();
                self.polls = true;
            }
            "Wait." => self.pass(1000),
            _ if act.starts_with("Connect it, or set control_device") => self.plug(),
            _ => panic!("the operator does not know what to do: {sentence}"),
        }
    }

    fn send_zero(&mut self) {
        let forward = self.navigation.replace(0.0);
        self.pass(300);
        self.navigation = forward;
    }

    /// Does what is named until the vehicle moves, `most` times at most; returns how often.
    fn drive(&mut self, most: usize) -> Result<usize, String> {
        for acts in 0..=most {
            self.pass(1500);
            let now = self.bench.now;
            let reason = self.reason();
            let shown = self.shown.update(now, reason).map(|(shown, _)| *shown).unwrap();
            let _ = writeln!(self.story, "{}", shown.sentence());
            self.codes.insert(shown.row().name);
            let says = Moves::of(&shown) == Moves::Yes;
            if says != self.is_moving() {
                return Err(format!("the motors are {:?}", self.bench.last()));
            }
            if says {
                return Ok(acts);
            }
            self.obey(&shown.sentence());
        }
        Err(format!("it stands after {most} acts"))
    }
}

/// The number of changes that lead to the state of this seed.
fn changes(seed: u64) -> u64 {
    1 + seed % 8
}

/// The random state of this seed.
fn state(seed: u64, random: &mut fastrand::Rng) -> World {
    let mut world = World::new();
    world.pass(random.u64(0..10) * 100);
    // Half of the states are reached out of a drive.
    if random.bool() {
        world.plug();
        world.enable(false);
        world.enable(true);
        world.press(true);
        world.pass(6_000);
        world.push(1.0);
        world.pass(500);
    }
    for _ in 0..changes(seed) {
        world.change(random);
        world.pass(random.u64(0..16) * 50);
    }
    world
}

fn play(seed: u64) -> Result<(usize, BTreeSet<&'static str>), String> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut world = state(seed, &mut random);
    // A vehicle in which all works takes six acts after an emergency stop: reset, enable, connect, hold, push, let go. Each change may be a
    // fault with an act of its own, so no order of the acts bounds them by less than their number.
    let most = if changes(seed) <= 4 { 8 } else { (5 + changes(seed) as usize).min(12) };
    world.drive(most).map(|acts| (acts, world.codes.clone())).map_err(|error| {
        format!(
            "OPERATOR_SEED={seed} OPERATOR=1: {error} after\n{}{:#?}",
            world.story,
            world.bench.drive.explain()
        )
    })
}

#[test]
fn an_obedient_operator_drives_within_eight_acts() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().unwrap());
    let (first, count) = (number("OPERATOR_SEED").unwrap_or(0), number("OPERATOR").unwrap_or(STATES));
    let (mut most, mut codes, mut failed) = (0, BTreeSet::new(), Vec::new());
    for seed in FAILED.into_iter().chain(first..first + count) {
        match play(seed) {
            Ok((acts, named)) => {
                most = most.max(acts);
                codes.extend(named);
            }
            Err(error) => failed.push(error),
        }
    }
    let failures = failed.len();
    assert!(
        failed.is_empty(),
        "{failures} of {count} failed\n{}",
        failed.iter().take(3).cloned().collect::<String>()
    );
    println!("{count} states, {most} acts at most, {} reasons: {codes:?}", codes.len());
    assert!(count < STATES || codes.len() >= 25, "{codes:?}");
}
