//! Limits, gains and transmissions at random, as URDFs have them: no joint passes its limits, and none is dead without a word.
//!
//! `PROPTEST_CASES` is the number of robots.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use crate::common;

use common::Rig;
use fastrand::Rng;
use mechanism::controllers::{Controller, ControllerFailure, Message, Step};
use mechanism::laws::{Gains, Pid};
use mechanism::robot::{Joint, JointDynamics, SimulatedRobot};
use mechanism::standard::{EffortController, PositionController, VelocityController};
use mechanism::{Description, Robot};
use proptest::prelude::*;
use proptest::sample::select;
use safety::Instant;

const STEP: Duration = Duration::from_millis(5);
const STEPS: usize = 200;
const DYNAMICS: JointDynamics = JointDynamics { inertia: 0.1, damping: 0.5 };

/// A transmission with its joints; each has its own [`Drawn`].
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    /// Reduction and offset.
    Simple([f64; 2]),
    Belt(f64),
    Gripper,
    Wrist,
    Coupled,
}

/// A joint as a description has it; empty for what is left out.
#[derive(Clone, Debug)]
struct Drawn {
    kind: &'static str,
    effort: &'static str,
    velocity: &'static str,
    ends: [&'static str; 2],
    has_limit: bool,
    safety: Option<[&'static str; 4]>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let slopes = select(vec!["", "0", "1e-3", "1", "15", "100", "1e6"]);
    let gains = select(vec!["0", "0.0", "1e-9", "0.5", "1.5", "20", "2000000"]);
    let soft =
        select(vec![["", ""], ["-0.9", "0.9"], ["-1", "1"], ["0.2", "0.2"], ["-3", "0.5"], ["4", "5"]]);
    let safety = (slopes, gains, soft).prop_map(|(slope, gain, [lower, upper])| [slope, gain, lower, upper]);
    (
        select(vec!["revolute", "continuous", "prismatic"]),
        select(vec!["0", "1e-3", "0.44", "2.645", "30", "330", "10000"]),
        select(vec!["0", "0.013", "0.5", "3.27", "20"]),
        select(vec![["", ""], ["0", "0"], ["-1", "1"], ["0.1", "2.5"], ["-2.9", "0"]]),
        any::<bool>(),
        proptest::option::of(safety),
    )
        .prop_map(|(kind, effort, velocity, ends, has_limit, safety)| Drawn {
            kind,
            effort,
            velocity,
            ends,
            has_limit,
            safety,
        })
}

fn part() -> impl Strategy<Value = (Kind, [Drawn; 2])> {
    let simple = select(vec![[1.0, 0.0], [6.0, 1.559], [-36.0, -5.99], [0.02, 71.0]]).prop_map(Kind::Simple);
    let kind = prop_oneof![
        4 => simple,
        1 => Just(Kind::Belt(24.7)),
        1 => Just(Kind::Gripper),
        1 => Just(Kind::Wrist),
        1 => Just(Kind::Coupled),
    ];
    (kind, [drawn(), drawn()])
}

fn attributes(named: &[(&str, &str)]) -> String {
    let given = named.iter().filter(|(_, value)| !value.is_empty());
    given.map(|(name, value)| format!(" {name}=\"{value}\"")).collect()
}

impl Drawn {
    /// The gap of a gripper, with limits where its linkage can be.
    fn gap(mut self) -> Self {
        self.kind = "prismatic";
        self.ends = if self.ends == ["", ""] { self.ends } else { ["0", "0.09"] };
        if let Some([.., lower, upper]) = &mut self.safety
            && lower != upper
        {
            (*lower, *upper) = ("0.005", "0.085");
        }
        self
    }

    fn element(&self, name: &str, kind: &str) -> String {
        let [lower, upper] = self.ends;
        let limit =
            [("effort", self.effort), ("velocity", self.velocity), ("lower", lower), ("upper", upper)];
        let limit = if kind == "continuous" && !self.has_limit {
            String::new()
        } else {
            format!("<limit{}/>", attributes(&limit))
        };
        let safety = self.safety.map_or_else(String::new, |[slope, gain, lower, upper]| {
            let named = [
                ("k_position", slope),
                ("k_velocity", gain),
                ("soft_lower_limit", lower),
                ("soft_upper_limit", upper),
            ];
            format!("<safety_controller{}/>", attributes(&named))
        });
        format!(
            "<link name=\"{name}\"/><joint name=\"{name}_joint\" type=\"{kind}\"><parent link=\"root\"/><child link=\"{name}\"/>\
             {limit}{safety}</joint>\n"
        )
    }
}

/// The description of these parts: joints `a0_joint`, `b0_joint`, actuators `a0`, `b0`.
fn urdf(parts: &[(Kind, [Drawn; 2])]) -> String {
    let mut text = "<robot name=\"random\"><link name=\"root\"/>\n".to_owned();
    for (number, (kind, [one, other])) in parts.iter().enumerate() {
        let (a, b) = (format!("a{number}"), format!("b{number}"));
        let one = if *kind == Kind::Gripper { one.clone().gap() } else { one.clone() };
        let (mut one, mut other) = (one, other.clone());
        // Its motors carry both joints: where one may have any speed, rounding leaves nothing of the other's.
        one.has_limit |= *kind == Kind::Wrist;
        other.has_limit |= *kind == Kind::Wrist;
        text += &one.element(&a, one.kind);
        if matches!(kind, Kind::Gripper | Kind::Wrist | Kind::Coupled) {
            text += &other.element(&b, other.kind);
        }
        text += &match kind {
            Kind::Simple([ratio, offset]) => format!(
                "<transmission name=\"{a}\"><type>transmission_interface/SimpleTransmission</type><joint name=\"{a}_joint\">\
                 <offset>{offset}</offset></joint><actuator name=\"{a}\"><mechanicalReduction>{ratio}</mechanicalReduction></actuator></transmission>\n"
            ),
            Kind::Belt(ratio) => format!(
                "<transmission name=\"{a}\" type=\"pr2_mechanism_model/PR2BeltCompensatorTransmission\"><actuator name=\"{a}\"/>\
                 <joint name=\"{a}_joint\"/><mechanicalReduction>{ratio}</mechanicalReduction><compensator k_belt=\"4000\" \
                 mass_motor=\"0.05\" kd_motor=\"15\" lambda_motor=\"60\" lambda_joint=\"60\" lambda_combined=\"0\"/></transmission>\n"
            ),
            Kind::Gripper => format!(
                "<transmission name=\"{a}\" type=\"pr2_mechanism_model/PR2GripperTransmission\"><actuator name=\"{a}\"/>\
                 <gap_joint name=\"{a}_joint\" L0=\"0.0375528\" a=\"0.0683698\" b=\"0.0433849\" gear_ratio=\"40.095\" h=\"0.0\" \
                 mechanical_reduction=\"1.0\" phi0=\"0.518518122146\" r=\"0.0915\" screw_reduction=\"0.004\" t0=\"-0.0001914\" \
                 theta0=\"0.0628824676201\"/><passive_joint name=\"{b}_joint\"/></transmission>\n"
            ),
            Kind::Wrist => format!(
                "<transmission name=\"{a}\" type=\"pr2_mechanism_model/WristTransmission\">\
                 <rightActuator name=\"{a}\" mechanicalReduction=\"-60.17\"/><leftActuator name=\"{b}\" mechanicalReduction=\"60.17\"/>\
                 <flexJoint name=\"{a}_joint\" mechanicalReduction=\"-1\"/><rollJoint name=\"{b}_joint\" mechanicalReduction=\"-1.2\"/>\
                 </transmission>\n"
            ),
            Kind::Coupled => format!(
                "<transmission name=\"{a}\" type=\"steersman/CoupledTransmission\"><actuator name=\"{a}\"/>\
                 <joint name=\"{a}_joint\" coupling=\"1 0.1745 0.8333\"/><joint name=\"{b}_joint\" coupling=\"0 0.384 0.71875\"/>\
                 <mechanicalReduction>4</mechanicalReduction></transmission>\n"
            ),
        };
    }
    text + "</robot>"
}

/// Where a joint begins: in the middle of its range or else of its soft limits, which would have to return it first, and the gap of a gripper where its linkage can be.
fn begin(joint: &Joint, kind: Kind) -> f64 {
    let soft = joint.safety.map(|safety| [safety.soft_lower_limit, safety.soft_upper_limit]);
    let middle = joint.range().or(soft).map_or(0.0, |[lower, upper]| (lower + upper) / 2.0);
    if kind == Kind::Gripper { middle.clamp(0.0, 0.08) } else { middle }
}

/// The robot of `parts`, calibrated, and for each joint that a controller moves its index and its transmission.
fn robot(parts: &[(Kind, [Drawn; 2])]) -> (Robot, Description, Vec<(usize, Kind)>) {
    let description = Description::parse(&urdf(parts)).unwrap();
    assert_eq!(description.skipped, []);
    let mut robot = Robot::new(&description);
    let mut moved = Vec::new();
    for index in 0..robot.joints().len() {
        let name = robot.joints()[index].name.clone();
        let kind = parts[name[1..name.len() - "_joint".len()].parse::<usize>().unwrap()].0;
        if robot.obstacle(index).is_none() {
            moved.push((index, kind));
        }
        let joint = &mut robot.joints_mut()[index];
        (joint.is_calibrated, joint.position) = (true, begin(joint, kind));
    }
    (robot, description, moved)
}

/// A controller of any joint, whose command changes now and then.
enum One {
    /// A library, or whatever writes what it likes.
    Wild(usize),
    Own(Box<dyn Controller>),
}

struct Many(Vec<One>, Rng);

fn number(random: &mut Rng) -> f64 {
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -1e300, 0.0, 1e6, -1e6];
    if random.u8(..4) == 0 {
        odd[random.usize(..odd.len())]
    } else {
        (random.f64() - 0.5) * 10_f64.powi(random.i32(-2..4))
    }
}

impl Many {
    fn new(moved: &[(usize, Kind)], mut random: Rng) -> Self {
        let mut one = |joint: usize| {
            let gain = |random: &mut Rng| {
                if random.bool() { random.f64() * 10_f64.powi(random.i32(-2..7)) } else { 0.0 }
            };
            let [p, i, d] = [0, 1, 2].map(|_| gain(&mut random));
            let law = Pid::new(Gains { p, i, d, i_clamp: 10.0, max_effort: 1e6 });
            let timeout = Duration::from_millis(500);
            match random.u8(..4) {
                0 => One::Wild(joint),
                1 => One::Own(Box::new(EffortController::new(joint, timeout))),
                2 => One::Own(Box::new(VelocityController::new(joint, law, timeout))),
                _ => One::Own(Box::new(PositionController::new(joint, law))),
            }
        };
        let all = moved.iter().map(|(joint, _)| one(*joint)).collect();
        Self(all, random)
    }
}

impl Controller for Many {
    fn starting(&mut self, step: &mut Step<'_>) {
        for one in &mut self.0 {
            if let One::Own(controller) = one {
                controller.starting(step);
            }
        }
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        let Self(all, random) = self;
        for one in all {
            match one {
                One::Wild(joint) => step.robot.joints_mut()[*joint].commanded_effort = number(random),
                One::Own(controller) => {
                    if random.u8(..20) == 0 {
                        controller.receive(0, &mut Message::Float(number(random)), step.now);
                    }
                    controller.update(step)?;
                }
            }
        }
        Ok(())
    }
}

/// Loads and starts `controller`, on a robot whose motors are on.
fn rig(robot: &Robot, simulation: &mut SimulatedRobot, controller: impl Controller + 'static) -> Rig {
    let mut rig = Rig::of(robot.clone());
    for _ in 0..2 * robot.actuators().len() + 5 {
        simulation.step(&mut rig.control.robot, STEP);
    }
    rig.run("many", controller);
    rig
}

fn step(rig: &mut Rig, simulation: &mut SimulatedRobot) {
    simulation.step(&mut rig.control.robot, STEP);
    rig.now = rig.now + STEP;
    let now = rig.now;
    rig.control.step(now, STEP, || Instant::ZERO, None);
}

/// The efforts that reach the joints from what their actuators are commanded.
fn applied(robot: &Robot, moved: &[(usize, Kind)]) -> Vec<f64> {
    let mut copy = robot.clone();
    copy.zero_commands();
    copy.simulate_efforts();
    let effort = |&(index, kind): &(usize, Kind)| match kind {
        // A simulated belt stretches.
        Kind::Belt(ratio) => {
            let name = &robot.joints()[index].name;
            let actuator =
                robot.actuators().iter().find(|actuator| format!("{}_joint", actuator.name) == *name);
            actuator.unwrap().command.effort * ratio
        }
        _ => copy.joints()[index].commanded_effort,
    };
    moved.iter().map(effort).collect()
}

fn config() -> ProptestConfig {
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn whatever_is_commanded_no_joint_passes_its_limits(
        parts in proptest::collection::vec(part(), 1..4),
        seed: u64,
    ) {
        let (robot, _, moved) = robot(&parts);
        // As it is delivered, and without end stops and limits of its own, where only what is commanded can keep them.
        let mut limitless = robot.clone();
        limitless.joints_mut().iter_mut().for_each(|joint| joint.limits = None);
        for plant in [&robot, &limitless] {
            let is_loose = core::ptr::eq(plant, &raw const limitless);
            let mut simulation = SimulatedRobot::new(plant, DYNAMICS);
            let mut rig = rig(&robot, &mut simulation, Many::new(&moved, Rng::with_seed(seed)));
            for _ in 0..STEPS {
                let before: Vec<f64> = simulation.joints().iter().map(|joint| joint.velocity).collect();
                let seen: Vec<f64> = rig.control.robot.joints().iter().map(|joint| joint.position).collect();
                step(&mut rig, &mut simulation);
                prop_assert_eq!(rig.control.robot.joints().len(), before.len());
                let commanded = rig.control.robot.joints().iter().map(|joint| joint.commanded_effort.abs());
                let greatest = commanded.fold(0.0, f64::max);
                let applied = applied(&rig.control.robot, &moved);
                for (&(index, kind), effort) in moved.iter().zip(applied) {
                    let (joint, real) = (&rig.control.robot.joints()[index], &simulation.joints()[index]);
                    let Some(limits) = joint.limits else { continue };
                    // Both motors of a wrist also carry the effort of its other joint, with its rounding.
                    let most = limits.effort * (1.0 + 1e-9) + 1e-12 * greatest;
                    prop_assert!(effort.abs() <= most, "{effort} at {joint:?}");
                    let room = 1e-9 * (1.0 + limits.velocity.max(real.position.abs()));
                    if !is_loose {
                        prop_assert!(real.velocity.abs() <= limits.velocity + room, "{real:?}");
                        if let Some([lower, upper]) = joint.end_stops() {
                            prop_assert!((lower - room..=upper + room).contains(&real.position), "{real:?}");
                        }
                    } else if !matches!(kind, Kind::Belt(_) | Kind::Gripper) {
                        // A belt's speed is an estimate, and a linkage without end stops leaves its formulas.
                        let gain = limits.effort * STEP.as_secs_f64() / DYNAMICS.inertia;
                        prop_assert!(real.velocity.abs() <= limits.velocity + gain + room, "{real:?}");
                        let ends = match joint.safety {
                            Some(soft) => (joint.kind != mechanism::robot::JointKind::Continuous)
                                .then_some([soft.soft_lower_limit, soft.soft_upper_limit]),
                            None => joint.end_stops(),
                        };
                        if let Some([lower, upper]) = ends {
                            let (was, is, at) = (before[index], real.velocity, seen[index]);
                            prop_assert!(at <= upper + room || was < 0.0 || is <= was + room, "driven out: {was} {joint:?}");
                            prop_assert!(at >= lower - room || was > 0.0 || is >= was - room, "driven out: {was} {joint:?}");
                        }
                    }
                }
            }
        }
    }

    /// A belt's speed is an estimate, and a gripper's linkage leaves its formulas there.
    #[test]
    fn a_joint_that_nobody_commands_stays_where_it_is_also_far_beyond_its_limits(
        parts in proptest::collection::vec(part(), 1..4),
        places in proptest::collection::vec(-5.0..5.0_f64, 8),
    ) {
        let (mut robot, _, moved) = robot(&parts);
        for (joint, place) in robot.joints_mut().iter_mut().zip(places) {
            joint.position = place;
        }
        let mut limitless = robot.clone();
        limitless.joints_mut().iter_mut().for_each(|joint| joint.limits = None);
        let mut simulation = SimulatedRobot::new(&limitless, DYNAMICS);
        let mut rig = Rig::of(robot);
        for _ in 0..50 {
            step(&mut rig, &mut simulation);
            for &(index, _) in moved.iter().filter(|(_, kind)| !matches!(kind, Kind::Belt(_) | Kind::Gripper)) {
                prop_assert_eq!(simulation.joints()[index].velocity, 0.0, "{:?}", rig.control.robot.joints()[index]);
            }
        }
    }

    #[test]
    fn a_joint_obeys_its_controller_or_the_start_warns_of_it(
        parts in proptest::collection::vec(part(), 1..3),
    ) {
        let (robot, description, moved) = robot(&parts);
        for (index, kind) in moved {
            let name = &robot.joints()[index].name;
            // The limits' law of such a gain brakes and drives in turn, and always too late for the filters of a belt; a gripper's
            // linkage chatters, and where it is after fifty steps says nothing.
            let is_steep = robot.joints()[index].safety.is_some_and(|safety| safety.k_velocity > 1e3);
            if is_steep && matches!(kind, Kind::Belt(_) | Kind::Gripper) {
                continue;
            }
            // The filters of a belt take their time.
            let steps = if matches!(kind, Kind::Belt(_)) { 1000 } else { 50 };
            let is_warned_of = description.warnings.iter().any(|warning| {
                warning.part == format!("joint '{name}'")
                    && (warning.text.starts_with("no controller can move it: ") || warning.text.contains("less than 1 % of its effort"))
            });
            let [down, up] = [-1e6, 1e6].map(|effort| {
                let mut simulation = SimulatedRobot::new(&robot, DYNAMICS);
                let mut rig = rig(&robot, &mut simulation, Pushes(index, effort));
                (0..steps).for_each(|_| step(&mut rig, &mut simulation));
                simulation.joints()[index].position
            });
            prop_assert!(is_warned_of || up - down > 1e-9, "{}: {} to {}, {:?}", name, down, up, description.warnings);
        }
    }
}

/// It pushes one joint with an effort.
struct Pushes(usize, f64);

impl Controller for Pushes {
    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        step.robot.joints_mut()[self.0].commanded_effort = self.1;
        Ok(())
    }
}
