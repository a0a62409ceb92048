//! The manager's answers, in the order of the specification's failures.
#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common;

use common::{FAILS, REFUSES, Rig, TIMEOUT};
use mechanism::controllers::{Dependency, Input, Manager, Output, Refusal, Request, ScheduleError};
use safety::Machine;

const STRICT: i32 = 2;
const BEST_EFFORT: i32 = 1;

fn before(name: &str, other: &str) -> (String, Dependency) {
    (name.to_owned(), Dependency::Before(other.to_owned()))
}

#[test]
fn the_list_is_in_the_order_of_the_schedule_which_is_that_of_bytes() {
    let rig = Rig::with(&["controller2", "controller10", "a"]);
    assert_eq!(rig.list(), ["a stopped", "controller10 stopped", "controller2 stopped"]);
    let names: Vec<_> = rig.manager.names().collect();
    assert_eq!(names, ["controller2", "controller10", "a"], "statistics are in the order of loading");
}

#[test]
fn load_refuses_a_loaded_name_an_illegal_one_and_what_does_not_initialise() {
    let mut rig = Rig::with(&["pan"]);
    assert_eq!(rig.load("pan"), Err(Refusal::Loaded("pan".into())));
    for name in ["", "2pan", "a b", "/pan", "pan.x"] {
        assert_eq!(rig.load(name), Err(Refusal::Name(name.into())));
    }
    rig.init_fails.push("tilt".into());
    let refusal = rig.load("tilt").unwrap_err();
    assert_eq!(refusal.to_string(), "controller 'tilt' does not initialise: it was asked to");
    assert_eq!(rig.list(), ["pan stopped"]);
    // A later attempt reads the parameters again.
    rig.init_fails.clear();
    rig.load("tilt").unwrap();
}

#[test]
fn more_controllers_than_a_report_has_room_for_are_refused() {
    let names: Vec<String> = (0..Manager::MOST_CONTROLLERS).map(|number| format!("a{number}")).collect();
    let mut rig = Rig::with(&names.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(rig.load("b"), Err(Refusal::Full(Manager::MOST_CONTROLLERS)));
    rig.unload("a0").unwrap();
    rig.load("b").unwrap();
}

#[test]
fn load_refuses_a_cycle_and_leaves_the_others() {
    let mut rig = Rig::with(&["a"]);
    rig.dependencies = vec![before("c", "a"), ("c".into(), Dependency::After("a".into()))];
    let cycle = ScheduleError::Cycle(vec!["a".into(), "c".into()]);
    assert_eq!(rig.load("c"), Err(Refusal::Schedule(cycle)));
    assert_eq!(rig.list(), ["a stopped"]);
    rig.step();
    assert_eq!(rig.control.controllers().count(), 1);
}

#[test]
fn unload_refuses_what_is_needed_first_then_what_runs_then_what_is_unknown() {
    let mut rig = Rig::with(&["base"]);
    rig.dependencies = vec![before("top", "base"), before("top", "base")];
    rig.load("top").unwrap();
    rig.switch(&["base", "top"], &[], STRICT).unwrap();
    let needed = || Err(Refusal::Needed { name: "base".into(), by: "top".into() });
    assert_eq!(rig.unload("base"), needed(), "checked first, also for one that runs");
    assert_eq!(rig.unload("top"), Err(Refusal::Running("top".into())));
    assert_eq!(rig.unload("none"), Err(Refusal::NotLoaded("none".into())));
    rig.switch(&[], &["top"], STRICT).unwrap();
    rig.unload("top").unwrap();
    rig.switch(&[], &["base"], STRICT).unwrap();
    rig.unload("base").unwrap();
    assert_eq!(rig.list(), Vec::<String>::new());
}

#[test]
fn the_others_keep_their_order_when_one_is_unloaded() {
    let mut rig = Rig::with(&["a", "b", "c"]);
    rig.switch(&["c"], &[], STRICT).unwrap();
    rig.unload("a").unwrap();
    assert_eq!(rig.list(), ["b stopped", "c running"]);
    rig.log.take();
    rig.step();
    assert_eq!(rig.log.take(), ["update c"]);
    assert_eq!(rig.manager.names().collect::<Vec<_>>(), ["b", "c"]);
}

#[test]
fn a_strict_switch_with_an_unknown_name_changes_nothing() {
    let mut rig = Rig::with(&["a", "b"]);
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.log.take();
    assert_eq!(rig.switch(&["b", "none"], &["a"], STRICT), Err(Refusal::NotLoaded("none".into())));
    assert_eq!(rig.switch(&["b"], &["none"], STRICT), Err(Refusal::NotLoaded("none".into())));
    rig.step();
    assert_eq!(
        (rig.list(), rig.log.take()),
        (vec!["a running".into(), "b stopped".into()], vec!["update a".into()])
    );
}

#[test]
fn a_best_effort_switch_is_always_answered_well() {
    let mut rig = Rig::with(&["a"]);
    for strictness in [BEST_EFFORT, 0] {
        rig.switch(&["none"], &["nothing"], strictness).unwrap();
        rig.switch(&["none", "a"], &["nothing"], strictness).unwrap();
        assert_eq!(rig.list(), ["a running"]);
    }
    let zero = rig.warnings.iter().filter(|text| text.starts_with("a switch has strictness 0")).count();
    assert_eq!(zero, 2, "strictness 0 is warned of: {:?}", rig.warnings);
    for strictness in [3, -1, i32::MAX] {
        assert_eq!(rig.switch(&[], &["a"], strictness), Err(Refusal::Strictness(strictness)));
    }
    assert_eq!(rig.list(), ["a running"]);
}

#[test]
fn an_empty_switch_waits_for_one_step() {
    let mut rig = Rig::with(&[]);
    let id = rig.request(common::switch(&[], &[], STRICT));
    assert_eq!(rig.answer(id), None);
    rig.step();
    assert_eq!(rig.answer(id), Some(Ok(())));
}

#[test]
fn a_switch_is_cancelled_while_it_waits_and_not_later() {
    let mut rig = Rig::with(&["a", "b"]);
    let [first, second, third] =
        ["a", "b", "b"].map(|name| rig.request(common::switch(&[name], &[], STRICT)));
    for id in [second, first, 99] {
        rig.tell(Input::Cancelled(id));
    }
    assert_eq!([first, second].map(|id| rig.answer(id)), [const { Some(Err(Refusal::Cancelled)) }; 2]);
    rig.step();
    rig.tell(Input::Cancelled(third));
    assert_eq!(rig.answer(third), Some(Ok(())), "it was switched, so it is too late");
    assert_eq!(rig.list(), ["a stopped", "b running"]);
}

#[test]
fn dependencies_do_not_matter_for_a_switch() {
    let mut rig = Rig::with(&["base"]);
    rig.dependencies = vec![before("top", "base")];
    rig.load("top").unwrap();
    rig.switch(&["top"], &["base"], STRICT).unwrap();
    assert_eq!(rig.list(), ["base stopped", "top running"]);
}

#[test]
fn reload_is_refused_while_controllers_are_loaded() {
    let mut rig = Rig::with(&["a"]);
    assert_eq!(rig.call(Request::Reload { force: false }), Err(Refusal::ControllersLoaded(1)));
    assert_eq!(rig.list(), ["a stopped"]);
    rig.unload("a").unwrap();
    rig.call(Request::Reload { force: false }).unwrap();
    assert_eq!(rig.log.take(), ["drop a", "reload libraries"]);
}

/// A load whose controller is on its way into the loop counts for what comes behind it.
#[test]
fn a_reload_behind_a_load_finds_its_controller() {
    let mut rig = Rig::with(&[]);
    let load = rig.request(Request::Load("a".into()));
    let reload = rig.request(Request::Reload { force: false });
    (0..3).for_each(|_| rig.step());
    assert_eq!(rig.answer(load), Some(Ok(())));
    assert_eq!(rig.answer(reload), Some(Err(Refusal::ControllersLoaded(1))));
    assert_eq!(rig.list(), ["a stopped"]);
    let unload = rig.request(Request::Unload("a".into()));
    let again = rig.request(Request::Load("a".into()));
    (0..3).for_each(|_| rig.step());
    assert_eq!(
        (rig.answer(unload), rig.answer(again)),
        (Some(Ok(())), Some(Ok(()))),
        "and so does an unload"
    );
}

#[test]
fn a_forced_reload_stops_all_and_unloads_dependants_first() {
    let mut rig = Rig::with(&["base", "idle"]);
    rig.dependencies = vec![before("top", "base")];
    rig.load("top").unwrap();
    rig.switch(&["base", "top"], &[], STRICT).unwrap();
    rig.log.take();
    rig.call(Request::Reload { force: true }).unwrap();
    let log = rig.log.take();
    let stops: Vec<_> = log.iter().filter(|line| line.starts_with("stopping")).collect();
    assert_eq!(
        stops,
        ["stopping base", "stopping idle", "stopping top"],
        "in the order of loading, stopped ones too"
    );
    assert_eq!(
        log.first().unwrap(),
        "reload libraries",
        "the controllers go only if there are new libraries"
    );
    assert_eq!(rig.control.controllers().count(), 0);
    assert_eq!(rig.list(), Vec::<String>::new());
}

#[test]
fn a_forced_reload_of_libraries_that_cannot_be_loaded_leaves_all_controllers() {
    let mut rig = Rig::with(&["a", "b"]);
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.log.take();
    rig.libraries_fail = Some("it is no library".into());
    let refusal = rig.call(Request::Reload { force: true }).unwrap_err();
    assert_eq!(refusal.to_string(), "the libraries were not loaded again: it is no library");
    assert_eq!(rig.list(), ["a running", "b stopped"]);
    assert_eq!(rig.log.take(), ["reload libraries"], "nothing was stopped");
}

#[test]
fn a_forced_reload_that_the_loop_leaves_half_way_says_what_is_still_loaded() {
    let mut rig = Rig::with(&["a", "b"]);
    let id = rig.request(Request::Reload { force: true });
    rig.step(); // all are stopped
    rig.step(); // the last one goes
    rig.now = rig.now + TIMEOUT;
    rig.drain();
    let refusal = rig.answer(id).unwrap().unwrap_err();
    assert_eq!(refusal, Refusal::ReloadEnded { time: TIMEOUT, left: 1 });
    let sentence = "the libraries were loaded again, then the control loop did not step for 2s: 1 controllers are still loaded";
    assert_eq!(refusal.to_string(), sentence);
    assert_eq!(rig.list(), ["a stopped"]);
}

#[test]
fn calls_behind_one_for_which_the_loop_did_not_step_end_with_it() {
    let mut rig = Rig::with(&["a"]);
    let ids: Vec<_> = (0..4).map(|_| rig.request(common::switch(&["a"], &[], STRICT))).collect();
    rig.now = rig.now + TIMEOUT;
    rig.drain();
    for id in ids {
        assert_eq!(rig.answer(id), Some(Err(Refusal::LoopSilent(TIMEOUT))));
    }
    rig.step();
    assert_eq!(rig.list(), ["a stopped"]);
}

#[test]
fn a_call_ends_without_a_change_if_the_loop_does_not_step() {
    let mut rig = Rig::with(&["a"]);
    let id = rig.request(common::switch(&["a"], &[], STRICT));
    assert_eq!(rig.manager.deadline(), Some(rig.now + TIMEOUT));
    rig.now = rig.now + TIMEOUT;
    rig.drain();
    assert_eq!(rig.answer(id), Some(Err(Refusal::LoopSilent(TIMEOUT))));
    rig.step();
    assert_eq!(rig.list(), ["a stopped"]);
    assert_eq!(rig.log.take(), Vec::<String>::new(), "it was taken back");
    rig.switch(&["a"], &[], STRICT).unwrap();
}

#[test]
fn a_change_that_hangs_in_the_loop_is_known_once_it_was_made() {
    let mut rig = Rig::with(&["a"]);
    let id = rig.request(common::switch(&["a"], &[], STRICT));
    let taken = rig.waiting.take(); // by the loop, which hangs
    rig.now = rig.now + TIMEOUT;
    rig.drain();
    assert_eq!(rig.answer(id), None);
    rig.now = rig.now + TIMEOUT;
    rig.drain();
    assert_eq!(rig.answer(id), Some(Err(Refusal::LoopHangs(TIMEOUT * 2))));
    let other = rig.request(Request::Load("b".into()));
    assert_eq!(
        rig.answer(other),
        Some(Err(Refusal::LoopHangs(TIMEOUT * 2))),
        "the others do not wait as well"
    );
    rig.waiting = taken;
    rig.step();
    assert_eq!(rig.list(), ["a running"], "what the loop did is known");
    assert!(rig.warnings[0].starts_with("the control loop steps again"), "{:?}", rig.warnings);
    rig.load("b").unwrap();
}

#[test]
fn requests_are_answered_in_their_order_and_too_many_are_refused() {
    let mut rig = Rig::with(&[]);
    let ids: Vec<_> =
        (0..=Manager::MOST_WAITING + 1).map(|_| rig.request(common::switch(&[], &[], STRICT))).collect();
    // One is in progress, a hundred wait, and one is refused.
    assert_eq!(rig.answer(*ids.last().unwrap()), Some(Err(Refusal::Busy(Manager::MOST_WAITING))));
    for &id in &ids[..=Manager::MOST_WAITING] {
        rig.step();
        assert_eq!(rig.answer(id), Some(Ok(())));
    }
}

#[test]
fn a_start_that_fails_is_named_in_the_answer_and_remembered() {
    let mut rig = Rig::with(&["a"]);
    rig.behaviour("a").set(|plan| plan.refuses = true);
    let refusal = rig.switch(&["a"], &[], STRICT).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "controller 'a' does not start: it was asked not to start; nothing was changed"
    );
    assert_eq!(rig.manager.failure("a"), Some(REFUSES));
    assert_eq!(rig.warnings, [""; 0], "the answer says it");
}

#[test]
fn best_effort_remembers_and_warns_of_each_controller_that_does_not_start() {
    let mut rig = Rig::with(&["a", "b", "c"]);
    for name in ["a", "c"] {
        rig.behaviour(name).set(|plan| plan.refuses = true);
    }
    rig.switch(&["a", "b", "c"], &[], BEST_EFFORT).unwrap();
    assert_eq!(rig.list(), ["a stopped", "b running", "c stopped"]);
    let failures = ["a", "b", "c"].map(|name| rig.manager.failure(name));
    assert_eq!(failures, [Some(REFUSES), None, Some(REFUSES)]);
    let sentence = |name: &str| format!("controller '{name}' does not start: it was asked not to start");
    assert_eq!(rig.warnings, [sentence("a"), sentence("c")]);
}

#[test]
fn a_running_one_that_could_not_start_again_runs_on() {
    for strictness in [STRICT, BEST_EFFORT] {
        let mut rig = Rig::with(&["a"]);
        rig.switch(&["a"], &[], STRICT).unwrap();
        rig.behaviour("a").set(|plan| plan.refuses = true);
        rig.log.take();
        assert_eq!(rig.switch(&["a"], &[], strictness).is_ok(), strictness == BEST_EFFORT);
        let sentence = "controller 'a' does not start: it was asked not to start";
        let expected: &[&str] = if strictness == BEST_EFFORT { &[sentence] } else { &[] };
        assert_eq!(rig.warnings, expected);
        rig.step();
        assert_eq!((rig.list(), rig.log.take()), (vec!["a running".into()], vec!["update a".into(); 2]));
    }
}

#[test]
fn one_that_fails_in_the_step_of_a_switch_that_starts_it_runs() {
    let mut rig = Rig::with(&["a"]);
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.behaviour("a").set(|plan| plan.fails = true);
    let id = rig.request(common::switch(&["a"], &[], STRICT));
    rig.step();
    assert_eq!(rig.answer(id), Some(Ok(())));
    assert_eq!((rig.list(), rig.manager.failure("a")), (vec!["a running".to_owned()], None));
    assert_eq!(rig.unload("a"), Err(Refusal::Running("a".into())), "the manager and the loop agree");
    rig.step();
    assert_eq!((rig.list(), rig.manager.failure("a")), (vec!["a stopped".to_owned()], Some(FAILS)));
    rig.unload("a").unwrap();
    rig.log.take();
}

#[test]
fn a_switch_does_not_wait_for_a_load_that_takes_long() {
    let mut rig = Rig::with(&["a"]);
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.log.take();
    rig.is_slow = true;
    let slow = rig.request(Request::Load("slow".into()));
    let next = rig.request(Request::Load("next".into()));
    rig.switch(&[], &["a"], STRICT).unwrap();
    rig.unload("a").unwrap();
    assert_eq!((rig.answer(slow), rig.answer(next)), (None, None));
    rig.is_slow = false;
    rig.create_what_waits();
    (0..3).for_each(|_| rig.step());
    assert_eq!((rig.answer(slow), rig.answer(next)), (Some(Ok(())), Some(Ok(()))));
    let names: Vec<_> = rig.manager.names().collect();
    assert_eq!(names, ["slow", "next"], "loads come in their order");
}

#[test]
fn a_load_that_hangs_ends_with_its_name_and_blocks_no_other_request_but_loads() {
    let mut rig = Rig::with(&["a"]);
    rig.is_slow = true;
    let slow = rig.request(Request::Load("slow".into()));
    assert_eq!(rig.manager.deadline(), Some(rig.now + TIMEOUT));
    let next = rig.request(Request::Load("next".into()));
    rig.now = rig.now + TIMEOUT;
    rig.drain();
    let what = "the initialisation of controller 'slow'";
    let refusal = Refusal::Slow { what: what.into(), time: TIMEOUT };
    assert!(refusal.to_string().starts_with("the initialisation of controller 'slow' takes longer than"));
    assert_eq!(rig.answer(slow), Some(Err(refusal)));
    let hangs = |time| Some(Err(Refusal::Hangs { what: what.into(), time }));
    assert_eq!(rig.answer(next), hangs(TIMEOUT), "what waited does not wait on");
    rig.now = rig.now + TIMEOUT;
    for request in [Request::Load("b".into()), Request::Reload { force: true }] {
        let id = rig.request(request);
        assert_eq!(rig.answer(id), hangs(TIMEOUT * 2));
    }
    assert_eq!(rig.manager.deadline(), None);
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.switch(&[], &["a"], STRICT).unwrap();
    rig.unload("a").unwrap();
    // It returns after all: what it made is discarded, and the next load works.
    rig.is_slow = false;
    rig.create_what_waits();
    rig.step();
    assert_eq!(rig.list(), Vec::<String>::new());
    assert_eq!(rig.warnings, [format!("{what} has ended after its request was refused")]);
    rig.load("b").unwrap();
}

#[test]
fn a_withdrawal_that_comes_too_late_takes_no_other_change() {
    let mut rig = Rig::with(&["a", "b"]);
    let first = rig.request(common::switch(&["a"], &[], STRICT));
    let second = rig.request(common::switch(&["b"], &[], STRICT));
    rig.manager.handle(rig.now, Input::Cancelled(first));
    let Some(Output::Withdraw) = rig.manager.poll(rig.now) else { panic!("it is withdrawn") };
    rig.step(); // the loop had taken the first change, and the second one waits now
    assert_eq!(rig.answer(first), Some(Ok(())));
    let taken = rig.waiting.take();
    assert!(taken.is_some());
    rig.tell(Input::Withdrawn(taken));
    rig.step();
    assert_eq!(rig.answer(second), Some(Ok(())));
    assert_eq!(rig.list(), ["a running", "b running"]);
}

#[test]
fn best_effort_warns_of_each_name_that_it_leaves_out() {
    let mut rig = Rig::with(&["a"]);
    rig.switch(&["a", "pan"], &["tilt"], BEST_EFFORT).unwrap();
    assert_eq!(rig.list(), ["a running"]);
    let expected = [
        "no controller 'tilt' is loaded: it is not stopped",
        "no controller 'pan' is loaded: it is not started",
    ];
    assert_eq!(rig.warnings, expected);
}

/// The efforts of both add, as in the original: that is allowed, and reported.
#[test]
fn controllers_that_share_a_joint_are_warned_of_at_the_switch_that_makes_it_so() {
    let mut rig = Rig::with(&[]);
    rig.moves = [("arm", "pan"), ("arm", "tilt"), ("pan", "pan"), ("tilt", "tilt"), ("other", "lift")]
        .map(|(of, joint)| (of.to_owned(), joint.to_owned()))
        .into();
    ["arm", "pan", "tilt", "other"].iter().for_each(|name| rig.load(name).unwrap());
    rig.switch(&["arm", "other"], &[], STRICT).unwrap();
    assert_eq!((rig.warnings.len(), rig.manager.shared_joints()), (0, vec![]));
    rig.switch(&["pan"], &[], STRICT).unwrap();
    assert_eq!(rig.warnings, ["joint 'pan' is moved by 'arm' and 'pan' at once: their efforts add"]);
    assert_eq!(rig.manager.shared_joints(), [("pan", vec!["arm", "pan"])]);
    // What shares nothing new adds nothing, and neither does a change of hands.
    rig.switch(&[], &["other"], STRICT).unwrap();
    rig.switch(&["other"], &[], STRICT).unwrap();
    rig.switch(&["tilt"], &["arm"], STRICT).unwrap();
    assert_eq!((rig.warnings.len(), rig.manager.shared_joints()), (1, vec![]));
}
