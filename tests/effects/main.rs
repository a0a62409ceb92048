//! Every parameter that may change at run time has an effect: each machine plays the same scenes with its first parameters and
//! with one of them changed, and its outputs must differ.
//!
//! The parameters come from the specification, so none is forgotten. Effects in a shell only are in [`Subject::elsewhere`],
//! with the test over DDS that shows them. `test_every_parameter.py` tests that a node refuses what it cannot change, and
//! applies what it accepts.
#![allow(clippy::panic)] // a parameter without an effect has to end the test with its name

use std::collections::hash_map::DefaultHasher;
use std::fmt::Debug;
use std::hash::{Hash, Hasher};
use std::time::Duration;

use fastrand::Rng;
use params::{Change, Declaration, Kind, Refusal, Set, Specification, Value};
use safety::{Command, Instant, Machine, Stamp, Velocity};

mod scenes;

/// The steps of one scene.
const STEPS: u64 = 500;
/// The time between two steps.
const STEP: Duration = Duration::from_millis(20);

/// A machine and its inputs.
struct Subject<M: Machine, P> {
    specification: Specification,
    /// The values that must differ from the defaults for all parameters to have an effect.
    base: Vec<(&'static str, Value)>,
    read: fn(&Set) -> Result<P, Refusal>,
    begin: fn(P) -> M,
    changed: fn(P) -> M::Input,
    /// The inputs of one step of a scene: `mood` stays for a while, `rng` is new in each.
    scene: fn(mood: &mut Rng, rng: &mut Rng, step: u64) -> Vec<M::Input>,
    /// Its reports besides its outputs.
    report: fn(&M) -> String,
    /// The scenes to play before a parameter counts as one without effect.
    scenes: u64,
    /// The parameters whose effect is in a shell only, with the test over DDS that shows it, or the reason why another
    /// parameter must be different first.
    elsewhere: &'static [(&'static str, &'static str)],
}

impl<M: Machine<Output: Debug>, P> Subject<M, P> {
    /// A digest of all outputs of one scene.
    fn play(&self, scene: u64, first: &Set, then: &Set) -> u64 {
        let read = |set| (self.read)(set).unwrap_or_else(|refusal| panic!("{refusal:?}"));
        let mut machine = (self.begin)(read(first));
        let mut digest = DefaultHasher::new();
        let drain = |machine: &mut M, now, digest: &mut DefaultHasher| {
            while let Some(output) = machine.poll(now) {
                format!("{now:?} {output:?}").hash(digest);
            }
        };
        let mut now = Instant::ZERO;
        drain(&mut machine, now, &mut digest);
        machine.handle(now, (self.changed)(read(then)));
        let mut rng = Rng::with_seed(scene);
        for step in 0..STEPS {
            let next = now + STEP;
            while let Some(at) = machine.deadline().filter(|&at| now < at && at < next) {
                now = at;
                drain(&mut machine, now, &mut digest);
            }
            now = next;
            // Half a second to two seconds of the same inputs, so time-outs can pass.
            let mut mood =
                Rng::with_seed(scene.wrapping_mul(1000).wrapping_add(step / (25 + scene % 4 * 25)));
            for input in (self.scene)(&mut mood, &mut rng, step) {
                machine.handle(now, input);
                drain(&mut machine, now, &mut digest);
            }
            (self.report)(&machine).hash(&mut digest);
        }
        digest.finish()
    }

    fn walk(&self) {
        let base = self.base.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let first = self.specification.resolve(base).unwrap_or_else(|refusals| panic!("{refusals:?}"));
        let mut plain: Vec<u64> = Vec::new();
        let mut idle = Vec::new();
        for (name, declaration, value) in first.iter().filter(|(_, d, _)| d.change == Change::Live) {
            if self.elsewhere.iter().any(|(pattern, _)| is_like(name, pattern)) {
                continue;
            }
            let others: Vec<Set> = others(declaration, value)
                .into_iter()
                .filter_map(|other| first.change(&[(name.to_owned(), other)]).ok())
                .filter(|set| (self.read)(set).is_ok())
                .collect();
            let mut acts = |other: &Set| {
                (0..self.scenes).zip(0..).any(|(scene, index)| {
                    if plain.len() == index {
                        plain.push(self.play(scene, &first, &first));
                    }
                    self.play(scene, &first, other) != plain[index]
                })
            };
            if !others.iter().any(&mut acts) {
                idle.push(format!("{name} ({} other values)", others.len()));
            }
        }
        let node = self.specification.node;
        assert!(idle.is_empty(), "{node}: these are accepted and change nothing: {idle:#?}");
    }
}

/// Whether the parts of the pattern between its `*` are in the name, one after the other.
fn is_like(name: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|start| name.strip_prefix(start)) else { return false };
    let found = parts.all(|part| match rest.find(part) {
        Some(at) => {
            rest = if part.is_empty() { "" } else { &rest[at + part.len()..] };
            true
        }
        None => false,
    });
    found && rest.is_empty()
}

/// Values that the declaration allows and that differ from this one, the likely ones first.
fn others(declaration: &Declaration, value: &Value) -> Vec<Value> {
    let others = match (declaration.kind, value) {
        (Kind::Bool { .. }, Value::Bool(value)) => vec![Value::Bool(!value)],
        (Kind::Integer { min, max, .. }, Value::Integer(value)) => {
            [value / 2, value + 1, value - 1, min, max, value * 2]
                .map(|n| Value::Integer(n.clamp(min, max)))
                .to_vec()
        }
        (Kind::Float { min, max, .. }, Value::Float(value)) => {
            [value / 2.0, value * 2.0, value + (max - min) / 100.0, min, max, (min + max) / 2.0]
                .map(|n| Value::Float(n.clamp(min, max)))
                .to_vec()
        }
        (Kind::Text { allowed: [], .. }, _) => vec![Value::Text("other".into())],
        (Kind::Text { allowed, .. }, _) => allowed.iter().map(|&one| Value::Text(one.into())).collect(),
        (Kind::NumberOrName { min, max, .. }, Value::Integer(value)) => {
            [value + 1, value - 1, min, max].map(|n| Value::Integer(n.clamp(min, max))).to_vec()
        }
        (Kind::OptionalFloat { min, max }, _) => [min, (min + max) / 2.0].map(Value::Float).to_vec(),
        (Kind::Floats { .. }, Value::Floats(values)) => {
            let half =
                |many| values.iter().zip(0..).map(|(v, i)| if i < many { v / 2.0 } else { *v }).collect();
            vec![Value::Floats(half(1)), Value::Floats(half(values.len()))]
        }
        _ => Vec::new(),
    };
    others.into_iter().filter(|other| other != value).collect()
}

/// A command without a stamp.
fn command(velocity: Velocity) -> Command {
    Command::new(velocity, Stamp::ZERO)
}

/// Forward and turn, each at rest, full, or somewhere between.
fn velocity(rng: &mut Rng) -> Velocity {
    let mut part = || [0.0, 1.0, -1.0, rng.f64() * 2.0 - 1.0, rng.f64()][rng.usize(0..5)];
    Velocity::planar(part(), part()).unwrap_or_default()
}

#[test]
fn each_parameter_of_hindbrain_does_something() {
    scenes::hindbrain().walk();
}

#[test]
fn each_parameter_of_the_arbiter_does_something() {
    scenes::arbiter().walk();
}

#[test]
fn each_parameter_of_the_zone_scaler_does_something() {
    scenes::zones().walk();
}

#[test]
fn each_parameter_of_the_joystick_does_something() {
    scenes::joystick().walk();
}

#[test]
fn each_parameter_of_the_chair_does_something() {
    scenes::chair().walk();
}

#[test]
fn each_parameter_of_surround_does_something() {
    scenes::surround().walk();
}

#[test]
fn each_parameter_of_the_simulator_does_something() {
    scenes::simulator().walk();
}

#[test]
fn each_parameter_of_the_switch_relay_does_something() {
    scenes::switches().walk();
}

#[test]
fn each_parameter_of_the_luci_chair_does_something() {
    scenes::luci_chair().walk();
}

/// Breaks the check once: a parameter that no machine reads is found.
#[test]
#[should_panic(expected = "linear.x.scale")]
fn a_parameter_without_an_effect_is_found() {
    let mut subject = scenes::joystick();
    // Without an axis the scale of a coordinate has no effect.
    subject.base.retain(|(name, _)| *name != "linear.x.axis");
    subject.scenes = 3;
    subject.walk();
}

#[test]
fn each_effect_in_a_shell_has_a_test_over_dds() {
    let all = [
        scenes::hindbrain().elsewhere,
        scenes::arbiter().elsewhere,
        scenes::zones().elsewhere,
        scenes::joystick().elsewhere,
        scenes::chair().elsewhere,
        scenes::surround().elsewhere,
        scenes::simulator().elsewhere,
        scenes::luci_chair().elsewhere,
    ];
    let sources = tests::files(&tests::root().join("tests/ros"), &["py"]);
    for (name, shown) in all.concat() {
        let Some((file, test)) = shown.split_once("::") else { continue };
        let path = sources.iter().find(|path| path.ends_with(file));
        let text = path.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
        assert!(text.contains(&format!("\ndef {test}(")), "{name}: {shown} is no test");
    }
}
