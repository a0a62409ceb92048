//! The control step, by what controllers see of it.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{FAILS, REFUSES, Rig};
use mechanism::controllers::Refusal;

const STRICT: i32 = 2;
const BEST_EFFORT: i32 = 1;

fn running(names: &[&str]) -> Rig {
    let mut rig = Rig::with(names);
    rig.switch(names, &[], STRICT).unwrap();
    rig.log.take();
    rig
}

#[test]
fn a_loaded_controller_is_stopped_and_not_updated() {
    let mut rig = Rig::with(&["a"]);
    rig.step();
    assert_eq!((rig.list(), rig.log.take()), (vec!["a stopped".to_owned()], vec![]));
}

#[test]
fn a_switch_takes_effect_at_the_end_of_a_step() {
    let mut rig = running(&["old"]);
    rig.load("new").unwrap();
    rig.log.take();
    rig.request(common::switch(&["new"], &["old"], STRICT));
    rig.step();
    assert_eq!(rig.log.take(), ["update old", "stopping old", "starting new"]);
    rig.step();
    assert_eq!(rig.log.take(), ["update new"]);
}

#[test]
fn stops_come_before_starts_both_in_the_order_of_the_request() {
    let mut rig = Rig::with(&["a", "b", "c", "d"]);
    rig.switch(&["d", "b"], &[], STRICT).unwrap();
    rig.log.take();
    rig.switch(&["c", "a"], &["d", "b"], STRICT).unwrap();
    let calls = ["update b", "update d", "stopping d", "stopping b", "starting c", "starting a"];
    assert_eq!(rig.log.take(), calls);
    rig.step();
    assert_eq!(rig.log.take(), ["update a", "update c"], "updates are in the order of the schedule");
}

#[test]
fn a_running_controller_is_started_again_and_a_stopped_one_stopped_again() {
    let mut rig = running(&["a"]);
    rig.load("b").unwrap();
    rig.log.take();
    rig.switch(&["a"], &["b"], STRICT).unwrap();
    assert_eq!(rig.log.take(), ["update a", "stopping b", "starting a"]);
    assert_eq!(rig.list(), ["a running", "b stopped"]);
}

#[test]
fn a_name_in_both_lists_is_restarted_and_one_that_stands_twice_is_called_twice() {
    let mut rig = running(&["a"]);
    rig.switch(&["a"], &["a"], STRICT).unwrap();
    assert_eq!(rig.log.take(), ["update a", "stopping a", "starting a"]);
    rig.switch(&["a", "a"], &[], STRICT).unwrap();
    assert_eq!(rig.log.take(), ["update a", "starting a", "starting a"]);
    assert_eq!(rig.list(), ["a running"]);
}

#[test]
fn all_controllers_of_a_switch_start_in_the_same_step() {
    let names: Vec<String> = (0..100).map(|number| format!("c{number:02}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut rig = Rig::with(&names);
    rig.request(common::switch(&names, &[], STRICT));
    rig.step();
    assert_eq!(rig.log.take().len(), 100, "all starting, none updated");
    rig.step();
    let updates = names.iter().map(|name| format!("update {name}"));
    assert_eq!(rig.log.take(), updates.collect::<Vec<_>>());
}

#[test]
fn the_end_of_a_halt_restarts_what_runs_once_before_its_update() {
    let mut rig = running(&["b", "a"]);
    rig.load("idle").unwrap();
    rig.log.take();
    let halt = |rig: &mut Rig, is_halted| {
        rig.control.robot.actuators_mut()[0].state.is_halted = is_halted;
        rig.step();
        rig.log.take()
    };
    assert_eq!(halt(&mut rig, true), ["update a", "update b"], "controllers are updated while halted");
    assert_eq!(halt(&mut rig, true), ["update a", "update b"]);
    let restart = ["stopping a", "starting a", "stopping b", "starting b", "update a", "update b"];
    assert_eq!(halt(&mut rig, false), restart);
    assert_eq!(halt(&mut rig, false), ["update a", "update b"], "once");
}

#[test]
fn no_motor_gets_an_effort_while_one_is_halted() {
    let mut rig = running(&["a"]);
    rig.behaviour("a").set(|plan| plan.effort = Some(4.0));
    let effort = |rig: &mut Rig, is_halted| {
        rig.control.robot.actuators_mut()[0].state.is_halted = is_halted;
        rig.step();
        rig.control.robot.actuators()[0].command.effort
    };
    // The reduction is 2.
    assert_eq!([effort(&mut rig, false), effort(&mut rig, true), effort(&mut rig, false)], [2.0, 0.0, 2.0]);
}

#[test]
fn a_robot_that_is_halted_from_the_beginning_restarts_controllers_too() {
    let mut robot = common::robot();
    robot.actuators_mut()[0].state.is_halted = true;
    let mut rig = Rig::new();
    rig.control = mechanism::controllers::ControlLoop::new(robot);
    rig.load("a").unwrap();
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.log.take();
    rig.control.robot.actuators_mut()[0].state.is_halted = false;
    rig.step();
    assert_eq!(rig.log.take(), ["stopping a", "starting a", "update a"]);
}

#[test]
fn a_controller_that_does_not_start_after_a_halt_is_stopped_alone() {
    let mut rig = running(&["a", "b"]);
    rig.behaviour("a").set(|plan| plan.refuses = true);
    rig.control.robot.actuators_mut()[0].state.is_halted = true;
    rig.step();
    rig.log.take();
    rig.control.robot.actuators_mut()[0].state.is_halted = false;
    rig.step();
    assert_eq!(rig.log.take(), ["stopping a", "stopping b", "starting b", "update b"]);
    assert_eq!(rig.list(), ["a stopped", "b running"]);
    assert_eq!(rig.warnings, ["controller 'a' stopped by itself: it was asked not to start"]);
    assert_eq!(rig.manager.failure("a"), Some(REFUSES));
}

#[test]
fn commands_are_zero_at_the_start_of_each_step_and_the_last_writer_decides() {
    let mut rig = running(&["a", "b"]);
    rig.behaviour("a").set(|plan| plan.effort = Some(4.0));
    rig.step();
    // The reduction is 2.
    assert_eq!(rig.control.robot.actuators()[0].command.effort, 2.0);
    rig.behaviour("b").set(|plan| plan.effort = Some(-1.0));
    rig.step();
    assert_eq!(rig.control.robot.actuators()[0].command.effort, -0.5, "b is later in the schedule");
    rig.switch(&[], &["a", "b"], STRICT).unwrap();
    rig.step();
    assert_eq!(rig.control.robot.actuators()[0].command.effort, 0.0);
}

#[test]
fn a_controller_that_fails_is_stopped_alone_and_what_it_wrote_is_taken_back() {
    let mut rig = running(&["a", "b", "c"]);
    rig.behaviour("a").set(|plan| plan.effort = Some(4.0));
    rig.behaviour("b").set(|plan| (plan.effort, plan.fails) = (Some(9.0), true));
    rig.step();
    assert_eq!(rig.log.take(), ["update a", "update b", "stopping b", "update c"]);
    assert_eq!(rig.control.robot.joints()[0].commanded_effort, 4.0);
    assert_eq!(rig.list(), ["a running", "b stopped", "c running"]);
    assert_eq!(rig.manager.failure("b"), Some(FAILS));
    // It can be started again.
    rig.behaviour("b").set(|plan| plan.fails = false);
    rig.switch(&["b"], &[], STRICT).unwrap();
    assert_eq!((rig.list()[1].as_str(), rig.manager.failure("b")), ("b running", None));
}

#[test]
fn an_effort_that_is_not_finite_is_zero_and_counts_for_its_writer() {
    for effort in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut rig = running(&["a", "b"]);
        rig.behaviour("a").set(|plan| plan.effort = Some(effort));
        rig.step();
        rig.step();
        assert_eq!(rig.control.robot.actuators()[0].command.effort, 0.0);
        let counts: Vec<u64> = rig.control.controllers().map(|slot| slot.invalid_commands).collect();
        assert_eq!(counts, [2, 0]);
        assert_eq!(rig.control.robot.joints()[0].statistics.invalid_commands, 2);
    }
}

#[test]
fn a_strict_switch_in_which_one_cannot_start_changes_nothing() {
    let mut rig = running(&["old", "kept"]);
    ["new", "newer", "bad"].iter().for_each(|name| rig.load(name).unwrap());
    rig.behaviour("bad").set(|plan| plan.refuses = true);
    rig.log.take();
    let refusal = rig.switch(&["new", "kept", "newer", "bad"], &["old"], STRICT).unwrap_err();
    assert_eq!(refusal, Refusal::NotStarted { name: "bad".into(), failure: REFUSES });
    assert_eq!(rig.log.take(), ["update kept", "update old"], "nobody is stopped, started, or started again");
    assert_eq!(rig.list(), ["bad stopped", "kept running", "new stopped", "newer stopped", "old running"]);
    rig.step();
    assert_eq!(rig.log.take(), ["update kept", "update old"]);
}

#[test]
fn a_best_effort_switch_goes_on_after_a_start_that_fails() {
    let mut rig = Rig::with(&["bad", "good"]);
    rig.behaviour("bad").set(|plan| plan.refuses = true);
    rig.switch(&["bad", "good"], &[], BEST_EFFORT).unwrap();
    assert_eq!(rig.list(), ["bad stopped", "good running"]);
    assert!(rig.warnings[0].starts_with("controller 'bad' does not start"), "{:?}", rig.warnings);
}

#[test]
fn loading_and_unloading_others_keeps_state_and_statistics() {
    let mut rig = running(&["a"]);
    let before = rig.control.controllers().next().unwrap().timing;
    rig.load("b").unwrap();
    rig.unload("b").unwrap();
    let after = rig.control.controllers().next().unwrap().timing;
    // Each update takes 10 us by the clock of these tests.
    assert!(after.mean > before.mean && rig.list() == ["a running"]);
    rig.step();
    assert_eq!(rig.log.take().last().unwrap(), "update a");
}

#[test]
fn a_stopped_controller_adds_samples_of_zero() {
    let mut rig = Rig::with(&["a"]);
    (0..3).for_each(|_| rig.step());
    let timing = rig.control.controllers().next().unwrap().timing;
    assert_eq!((timing.mean, timing.max), (0.0, std::time::Duration::ZERO));
    rig.switch(&["a"], &[], STRICT).unwrap();
    (0..4).for_each(|_| rig.step());
    // 5 samples of 0 (the load's step, three, the switch's) and 4 of 10 us: 40/9.
    let mean = rig.control.controllers().next().unwrap().timing.mean;
    assert!((mean - 40e-6 / 9.0).abs() < 1e-12, "{mean}");
}

#[test]
fn an_update_that_takes_too_long_is_an_overrun_of_that_controller_alone() {
    let mut rig = running(&["a", "slow", "z"]);
    let overruns = |rig: &Rig| rig.control.controllers().map(|slot| slot.timing.overruns).collect::<Vec<_>>();
    // 10 us come on top of each: a millisecond itself is in time.
    for (takes, expected) in
        [(980, [0, 0, 0]), (990, [0, 0, 0]), (991, [0, 1, 0]), (5000, [0, 2, 0]), (0, [0, 2, 0])]
    {
        rig.behaviour("slow").set(|plan| plan.takes = takes);
        rig.step();
        assert_eq!(overruns(&rig), expected, "{takes} us");
    }
    // One that is stopped has none, and the others keep theirs.
    rig.switch(&[], &["slow"], STRICT).unwrap();
    rig.behaviour("slow").set(|plan| plan.takes = 5000);
    rig.behaviour("z").set(|plan| plan.takes = 5000);
    rig.step();
    assert_eq!(overruns(&rig), [0, 2, 1]);
    assert_eq!(rig.list(), ["a running", "slow stopped", "z running"], "an overrun stops nothing");
}

#[test]
fn the_last_command_is_zero_effort_and_disabled() {
    let mut rig = running(&["a"]);
    rig.behaviour("a").set(|plan| plan.effort = Some(4.0));
    rig.step();
    rig.control.stop();
    let command = rig.control.robot.actuators()[0].command;
    assert_eq!((command.effort, command.enable), (0.0, false));
}
