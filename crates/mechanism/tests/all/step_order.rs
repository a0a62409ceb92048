//! The parts of a control step in their order, each seen by a controller within the step.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{PERIOD, Rig};
use mechanism::Robot;
use mechanism::controllers::{Controller, ControllerFailure, Step};
use mechanism::robot::transmission::{Simple, Transmission};
use mechanism::robot::{Actuator, Joint, JointKind, JointLimits, SafetyController};
use safety::Instant;

const STRICT: i32 = 2;

/// State of a controller's joint and actuator that it saw in a call, and which call it was.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    call: &'static str,
    position: f64,
    odometer: f64,
    /// The joint's command before the controller wrote.
    command: f64,
    /// The actuator's command.
    effort: f64,
}

/// Writes an effort to its joint, on top of what is there, and notes what it saw.
struct Recorder {
    effort: f64,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Recorder {
    fn note(&self, call: &'static str, step: &Step<'_>) {
        let (joint, actuator) = (&step.robot.joints()[0], &step.robot.actuators()[0]);
        self.seen.lock().unwrap().push(Seen {
            call,
            position: joint.position,
            odometer: joint.statistics.odometer,
            command: joint.commanded_effort,
            effort: actuator.command.effort,
        });
    }
}

impl Controller for Recorder {
    fn starting(&mut self, step: &mut Step<'_>) {
        self.note("starting", step);
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        self.note("update", step);
        step.robot.joints_mut()[0].commanded_effort += self.effort;
        Ok(())
    }

    fn stopping(&mut self, step: &mut Step<'_>) {
        self.note("stopping", step);
    }
}

/// A joint with an effort of 3 at most, in the middle of its range, whose actuator has a reduction of 2, and an actuator beside
/// it that no transmission uses.
fn robot() -> Robot {
    let mut joint = Joint::new("pan", JointKind::Continuous);
    joint.limits = Some(JointLimits { effort: 3.0, velocity: 100.0, lower: 0.0, upper: 0.0 });
    joint.safety = Some(SafetyController { k_velocity: 1.0, ..SafetyController::default() });
    let simple = Simple { actuator: 0, joint: 0, reduction: 2.0, simulated: None };
    let actuators = vec![Actuator::new("pan_motor"), Actuator::new("spare")];
    Robot::from_parts(vec![joint], actuators, vec![Transmission::Simple(simple)])
}

/// A rig in which `a` commands `first` and then `b` commands `second` beside it.
fn rig(first: f64, second: f64) -> (Rig, Arc<Mutex<Vec<Seen>>>) {
    let seen = Arc::<Mutex<Vec<Seen>>>::default();
    let mut rig = Rig::of(robot());
    rig.run("a", Recorder { effort: first, seen: Arc::clone(&seen) });
    rig.run("b", Recorder { effort: second, seen: Arc::clone(&seen) });
    rig.step();
    seen.lock().unwrap().clear();
    (rig, seen)
}

fn take(seen: &Arc<Mutex<Vec<Seen>>>) -> Vec<Seen> {
    std::mem::take(&mut seen.lock().unwrap())
}

/// Positions of this step and their statistics, commands at zero, then the controllers one after the other, the limits, the
/// actuators, and at the very end the switch.
#[test]
fn a_step_reads_zeroes_updates_limits_writes_and_switches_in_this_order() {
    let (mut rig, seen) = rig(1.0, 9.0);
    let motor = &mut rig.control.robot.actuators_mut()[0];
    (motor.state.position, motor.command.effort) = (4.0, 0.25);
    rig.request(common::switch(&["b"], &["a"], STRICT));
    rig.step();
    // The reduction of 2 makes 4 rad at the motor 2 rad of the joint, moved from 0. The motor's command is the old one until
    // 1 + 9 = 10 is limited to 3 and divided by 2.
    let seen_by = |call, command, effort| Seen { call, position: 2.0, odometer: 2.0, command, effort };
    let expected = [
        seen_by("update", 0.0, 0.25),
        seen_by("update", 1.0, 0.25),
        seen_by("stopping", 3.0, 1.5),
        seen_by("starting", 3.0, 1.5),
    ];
    assert_eq!(take(&seen), expected);
    rig.step();
    // Only b now, which starts from zero again.
    assert_eq!(take(&seen), [seen_by("update", 0.0, 1.5)]);
    assert_eq!(rig.control.robot.actuators()[0].command.effort, 1.5);
}

/// A controller that is started again at the end of a halt sees this step's position and commands at zero; its first update in this
/// step comes later.
#[test]
fn a_restart_lies_after_the_zeroes_and_before_the_first_update() {
    let (mut rig, seen) = rig(1.0, 1.0);
    let motor = |rig: &mut Rig, is_halted| {
        let state = &mut rig.control.robot.actuators_mut()[0].state;
        (state.is_halted, state.position) = (is_halted, state.position + 2.0);
        rig.step();
    };
    motor(&mut rig, true);
    take(&seen);
    motor(&mut rig, false);
    let calls: Vec<_> =
        take(&seen).into_iter().map(|seen| (seen.call, seen.position, seen.command)).collect();
    let expected = [
        ("stopping", 2.0, 0.0),
        ("starting", 2.0, 0.0),
        ("stopping", 2.0, 0.0),
        ("starting", 2.0, 0.0),
        ("update", 2.0, 0.0),
        ("update", 2.0, 1.0),
    ];
    assert_eq!(calls, expected);
}

#[test]
fn a_halt_of_one_step_restarts_and_one_of_an_unused_actuator_does_not() {
    for (actuator, calls) in [(0, vec!["stopping", "starting", "update"]), (1, vec!["update"])] {
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let mut rig = Rig::of(robot());
        rig.run("a", Recorder { effort: 0.0, seen: Arc::clone(&seen) });
        rig.step();
        rig.control.robot.actuators_mut()[actuator].state.is_halted = true;
        rig.step();
        rig.control.robot.actuators_mut()[actuator].state.is_halted = false;
        take(&seen);
        rig.step();
        assert_eq!(
            take(&seen).into_iter().map(|seen| seen.call).collect::<Vec<_>>(),
            calls,
            "actuator {actuator}"
        );
    }
}

/// A restart is for running controllers alone, in the order of the schedule, and a switch of the same step follows it.
#[test]
fn a_restart_and_a_switch_of_one_step_are_made_one_after_the_other() {
    let mut rig = Rig::with(&["b", "a", "idle"]);
    rig.switch(&["b", "a"], &[], STRICT).unwrap();
    rig.control.robot.actuators_mut()[0].state.is_halted = true;
    rig.step();
    rig.control.robot.actuators_mut()[0].state.is_halted = false;
    rig.log.take();
    rig.request(common::switch(&["idle"], &["a"], STRICT));
    rig.step();
    let calls = [
        "stopping a",
        "starting a",
        "stopping b",
        "starting b",
        "update a",
        "update b",
        "stopping a",
        "starting idle",
    ];
    assert_eq!(rig.log.take(), calls);
}

/// A load takes effect before the controllers' turn: the step that takes it adds a sample of no time for the new one.
#[test]
fn a_loaded_controller_has_a_sample_of_the_step_that_took_it() {
    let mut rig = Rig::with(&["a"]);
    let mean = |rig: &Rig| rig.control.controllers().next().unwrap().timing.mean;
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.step();
    // Samples of the load's and the switch's step, of no time, and one of 10 us: 10/3.
    assert!((mean(&rig) - 10e-6 / 3.0).abs() < 1e-12, "{}", mean(&rig));
}

/// Controllers that take these times \[us\] in one step, by the loop's clock.
fn step_with_times(rig: &mut Rig, micros: &[u64]) {
    rig.now = rig.now + PERIOD;
    let (mut time, mut times) = (rig.now, micros.iter());
    let mut is_first = true;
    let clock = || {
        if !std::mem::take(&mut is_first) {
            time = time + Duration::from_micros(*times.next().unwrap());
        }
        time
    };
    rig.control.step(rig.now, PERIOD, clock, None);
}

/// More than 1.000 ms is an overrun, at any rate of the loop, and only for the controller that took it. Its time is the end of
/// that call.
#[test]
fn an_overrun_counts_for_its_controller_alone_at_the_end_of_its_call() {
    let mut rig = Rig::with(&["c", "a", "idle", "b"]);
    rig.switch(&["a", "b", "c"], &[], STRICT).unwrap();
    step_with_times(&mut rig, &[1000, 1001, 300]);
    let begin = rig.now;
    let timing = |rig: &Rig, name: &str| {
        let index = rig.manager.names().position(|known| known == name).unwrap();
        rig.control.controllers().nth(index).unwrap().timing
    };
    let counts = ["a", "b", "c", "idle"].map(|name| timing(&rig, name).overruns);
    assert_eq!(counts, [0, 1, 0, 0], "1000 us are none");
    assert_eq!(timing(&rig, "b").last_overrun, Some(begin + Duration::from_micros(2001)), "1000 + 1001");
    assert_eq!(timing(&rig, "a").last_overrun, None);
    step_with_times(&mut rig, &[0, 0, 5000]);
    let last = rig.now;
    let counts = ["a", "b", "c", "idle"].map(|name| timing(&rig, name).overruns);
    assert_eq!(counts, [0, 1, 1, 0], "never reset");
    assert_eq!(timing(&rig, "c").last_overrun, Some(last + Duration::from_micros(5000)));
    assert_eq!(timing(&rig, "c").max, Duration::from_micros(5000));
}

/// A stop, a start, a failure and a reset of the motors forget nothing; another controller's load and unload neither.
#[test]
fn an_overrun_stays_in_the_statistics_until_its_controller_is_loaded_again() {
    let mut rig = Rig::with(&["a", "b"]);
    rig.switch(&["a", "b"], &[], STRICT).unwrap();
    step_with_times(&mut rig, &[4000, 0]);
    let timing = |rig: &Rig| {
        let index = rig.manager.names().position(|known| known == "a").unwrap();
        let timing = rig.control.controllers().nth(index).unwrap().timing;
        (timing.overruns, timing.last_overrun, timing.max)
    };
    let after = timing(&rig);
    assert_eq!((after.0, after.2), (1, Duration::from_micros(4000)));
    rig.switch(&[], &["a"], STRICT).unwrap();
    step_with_times(&mut rig, &[0]);
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.switch(&["a"], &["a"], STRICT).unwrap();
    for is_halted in [true, false] {
        rig.control.robot.actuators_mut()[0].state.is_halted = is_halted;
        step_with_times(&mut rig, &[0, 0]);
    }
    rig.switch(&[], &["b"], STRICT).unwrap();
    rig.unload("b").unwrap();
    rig.load("c").unwrap();
    rig.behaviour("a").set(|plan| plan.fails = true);
    rig.step();
    assert_eq!(rig.list(), ["a stopped", "c stopped"]);
    assert_eq!(timing(&rig), after, "it is of all that happened since the load");
    rig.unload("a").unwrap();
    rig.load("a").unwrap();
    assert_eq!((timing(&rig).0, timing(&rig).1), (0, None));
    assert!(timing(&rig).2 < Duration::from_micros(4000), "fresh: {:?}", timing(&rig));
}

/// The statistics are over all samples since the load: a window of them would forget the first.
#[test]
fn timing_covers_all_samples_since_the_load() {
    let mut rig = Rig::with(&["a"]);
    rig.switch(&["a"], &[], STRICT).unwrap();
    step_with_times(&mut rig, &[900]);
    for _ in 0..997 {
        step_with_times(&mut rig, &[0]);
    }
    let timing = rig.control.controllers().next().unwrap().timing;
    // 1000 samples, two of them of the load's and the switch's step: mean 0.9 us; E[x²] = 810000/1000 us², so the deviation is
    // sqrt(810 - 0.81) us.
    assert_eq!(timing.max, Duration::from_micros(900));
    assert!((timing.mean - 0.9e-6).abs() < 1e-12, "{}", timing.mean);
    let deviation = (810.0_f64 - 0.81).sqrt() * 1e-6;
    assert!((timing.standard_deviation() - deviation).abs() < 1e-12, "{}", timing.standard_deviation());
}

/// A step at a time before the last one, as no clock of a loop makes it, and one far in the future.
#[test]
fn steps_at_odd_times_update_all_the_same() {
    let mut rig = Rig::with(&["a"]);
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.log.take();
    for (at, period) in [(0, PERIOD), (u64::MAX, Duration::MAX), (5, Duration::ZERO)] {
        let now = Instant::from_nanos(at);
        rig.control.step(now, period, || now, None);
    }
    assert_eq!(rig.log.take(), ["update a"; 3]);
}
