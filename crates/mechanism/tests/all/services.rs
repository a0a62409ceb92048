//! The services in detail: the order in which they refuse, what a refusal leaves as it was, and when a switch is seen.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::sync::{Arc, Mutex};

use common::Rig;
use mechanism::controllers::{
    Controller, ControllerFailure, Dependency, NewController, Output, Refusal, Request, ScheduleError, Step,
};
use mechanism::controllers::{ControllerTiming, Input};
use safety::{Instant, Machine};

const STRICT: i32 = 2;
const BEST_EFFORT: i32 = 1;

fn before(name: &str, other: &str) -> (String, Dependency) {
    (name.to_owned(), Dependency::Before(other.to_owned()))
}

fn after(name: &str, other: &str) -> (String, Dependency) {
    (name.to_owned(), Dependency::After(other.to_owned()))
}

/// Everything that a refusal must leave as it is: the list in both orders, and what a step calls.
fn state(rig: &mut Rig) -> (Vec<String>, Vec<String>, Vec<String>) {
    rig.log.take();
    rig.step();
    (rig.list(), rig.manager.names().map(str::to_owned).collect(), rig.log.take())
}

fn timing(rig: &Rig, name: &str) -> ControllerTiming {
    let index = rig.manager.names().position(|known| known == name).unwrap();
    rig.control.controllers().nth(index).unwrap().timing
}

#[test]
fn a_load_that_fails_leaves_list_schedule_and_the_others_untouched() {
    let mut rig = Rig::with(&["m", "k"]);
    rig.switch(&["m"], &[], STRICT).unwrap();
    rig.dependencies =
        vec![before("circle", "m"), after("circle", "m"), before("lost", "nobody"), after("late", "nobody")];
    rig.init_fails.push("lame".into());
    let expected = state(&mut rig);
    assert_eq!(expected.2, ["update m"]);
    for name in ["m", "k", "", "a b", "/m", "lame", "circle", "lost", "late"] {
        let samples = timing(&rig, "m").mean;
        assert!(rig.load(name).is_err(), "{name}");
        assert_eq!(state(&mut rig), expected, "after load '{name}'");
        assert!(timing(&rig, "m").mean >= samples && timing(&rig, "k").mean == 0.0, "{name}");
        assert_eq!(rig.control.controllers().count(), 2, "{name}");
    }
}

#[test]
fn a_half_built_controller_of_a_load_that_fails_is_destroyed_at_once() {
    let mut rig = Rig::with(&["a"]);
    rig.dependencies = vec![before("c", "a"), after("c", "a")];
    let id = rig.request(Request::Load("c".into()));
    assert_eq!(rig.log.take(), ["drop c"], "without a step");
    assert!(matches!(rig.answer(id), Some(Err(Refusal::Schedule(ScheduleError::Cycle(_))))));
}

/// A loaded name comes before its form, the form before the initialisation, the initialisation before the schedule.
#[test]
fn load_fails_in_the_order_loaded_illegal_init_cycle() {
    let mut rig = Rig::with(&["a"]);
    rig.init_fails.push("a".into());
    assert_eq!(rig.load("a"), Err(Refusal::Loaded("a".into())), "nothing is created");
    rig.init_fails.push("a b".into());
    assert_eq!(rig.load("a b"), Err(Refusal::Name("a b".into())), "nothing is created");
    rig.dependencies = vec![before("c", "a"), after("c", "a")];
    rig.init_fails.push("c".into());
    assert!(matches!(rig.load("c"), Err(Refusal::Init { .. })), "no schedule is made");
    rig.init_fails.clear();
    assert!(matches!(rig.load("c"), Err(Refusal::Schedule(_))));
    assert_eq!(rig.log.take().last().unwrap(), "drop c");
}

#[test]
fn a_loaded_controller_is_last_in_the_list_stopped_and_has_fresh_statistics() {
    let mut rig = Rig::with(&["m", "a"]);
    rig.switch(&["m", "a"], &[], STRICT).unwrap();
    (0..10).for_each(|_| rig.step());
    assert!(timing(&rig, "a").mean > 0.0);
    rig.switch(&[], &["a"], STRICT).unwrap();
    rig.unload("a").unwrap();
    rig.load("b").unwrap();
    rig.load("a").unwrap();
    assert_eq!(rig.manager.names().collect::<Vec<_>>(), ["m", "b", "a"]);
    assert_eq!(rig.list(), ["a stopped", "b stopped", "m running"]);
    assert_eq!((timing(&rig, "a").mean, timing(&rig, "a").overruns), (0.0, 0), "its own of before is gone");
}

/// A controller may take long to initialise: the loop steps on, and lists are answered.
#[test]
fn while_a_controller_initialises_the_loop_steps_and_the_list_is_there() {
    let mut rig = Rig::with(&["m"]);
    rig.switch(&["m"], &[], STRICT).unwrap();
    rig.log.take();
    rig.manager.handle(rig.now, Input::Requested(900, Request::Load("slow".into())));
    let asked = rig.manager.poll(rig.now);
    assert!(matches!(&asked, Some(Output::Create(name)) if name == "slow"));
    rig.manager.handle(rig.now, Input::Requested(901, Request::Unload("nobody".into())));
    for _ in 0..1500 {
        rig.step();
    }
    assert_eq!(rig.log.take().len(), 1500, "m is updated in each step");
    assert_eq!(rig.list(), ["m running"]);
    let refused = Some(Err(Refusal::NotLoaded("nobody".into())));
    assert_eq!((rig.answer(901), rig.answer(900)), (refused, None), "other calls do not wait for a load");
    let controller = Box::new(common::Recorder {
        name: "slow".into(),
        log: rig.log.clone(),
        behaviour: common::Behaviour::default(),
        taken: std::sync::Arc::default(),
    });
    let created = NewController::new(9, controller);
    rig.tell(Input::Created(Ok(created)));
    rig.step();
    assert_eq!(rig.answer(900), Some(Ok(())));
    assert_eq!(rig.list(), ["m running", "slow stopped"]);
}

#[test]
fn a_dependency_of_either_kind_refuses_the_unload_and_for_a_whole_loaded_life() {
    for dependency in [before("top", "base"), after("top", "base")] {
        let mut rig = Rig::with(&["base"]);
        rig.dependencies = vec![dependency];
        rig.load("top").unwrap();
        let expected = state(&mut rig);
        for _ in 0..2 {
            assert_eq!(
                rig.unload("base"),
                Err(Refusal::Needed { name: "base".into(), by: "top".into() }),
                "both are stopped"
            );
            assert_eq!(state(&mut rig), expected);
        }
        rig.unload("top").unwrap();
        rig.unload("base").unwrap();
        assert_eq!(rig.list(), Vec::<String>::new());
    }
}

#[test]
fn an_unload_destroys_its_controller_and_computes_the_schedule_anew() {
    let mut rig = Rig::with(&["m"]);
    rig.dependencies = vec![before("a", "m")];
    rig.load("a").unwrap();
    rig.load("b").unwrap();
    assert_eq!(rig.list(), ["b stopped", "m stopped", "a stopped"], "a waits for m");
    rig.log.take();
    rig.unload("a").unwrap();
    assert_eq!(rig.log.take(), ["drop a"]);
    rig.dependencies.clear();
    rig.load("a").unwrap();
    assert_eq!(rig.list(), ["a stopped", "b stopped", "m stopped"], "this one has no dependency");
}

#[test]
fn an_unload_that_fails_leaves_everything_untouched() {
    let mut rig = Rig::with(&["m", "k"]);
    rig.switch(&["m"], &[], STRICT).unwrap();
    let expected = state(&mut rig);
    for name in ["m", "nobody", ""] {
        assert!(rig.unload(name).is_err(), "{name}");
        assert_eq!(state(&mut rig), expected, "{name}");
    }
}

#[test]
fn a_strict_switch_names_the_first_unknown_of_stop_and_then_of_start() {
    let mut rig = Rig::with(&["a"]);
    let refused = |name: &str| Err(Refusal::NotLoaded(name.into()));
    assert_eq!(rig.switch(&["x", "y"], &["a", "z", "w"], STRICT), refused("z"));
    assert_eq!(rig.switch(&["a", "y", "x"], &["a"], STRICT), refused("y"));
}

/// Nothing of a refused switch is left for the next one.
#[test]
fn a_refused_switch_leaves_nothing_pending() {
    let mut rig = Rig::with(&["a", "b"]);
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.log.take();
    assert!(rig.switch(&["b", "nobody"], &["a"], STRICT).is_err());
    rig.switch(&[], &[], STRICT).unwrap();
    assert_eq!(
        (rig.list(), rig.log.take()),
        (vec!["a running".into(), "b stopped".into()], vec!["update a".into()])
    );
}

#[test]
fn a_best_effort_switch_of_unknown_names_alone_waits_for_a_step_and_is_answered_well() {
    let mut rig = Rig::with(&["a"]);
    let id = rig.request(common::switch(&["x", ""], &["y"], BEST_EFFORT));
    assert_eq!(rig.answer(id), None);
    rig.step();
    assert_eq!(rig.answer(id), Some(Ok(())));
}

#[test]
fn a_name_that_stands_twice_in_the_stops_is_stopped_twice() {
    let mut rig = Rig::with(&["a"]);
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.log.take();
    rig.switch(&[], &["a", "a"], STRICT).unwrap();
    assert_eq!(rig.log.take(), ["update a", "stopping a", "stopping a"]);
    assert_eq!(rig.list(), ["a stopped"]);
}

/// Step number, controller and call.
type Calls = Arc<Mutex<Vec<(u64, String, &'static str)>>>;

/// Notes the step numbers of its calls; the number of a step is that of its time.
struct Stepper {
    name: String,
    seen: Calls,
}

impl Stepper {
    fn note(&self, step: &Step<'_>, what: &'static str) {
        let number = step.now.since(Instant::ZERO).as_millis() as u64;
        self.seen.lock().unwrap().push((number, self.name.clone(), what));
    }
}

impl Controller for Stepper {
    fn starting(&mut self, step: &mut Step<'_>) {
        self.note(step, "starting");
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        self.note(step, "update");
        Ok(())
    }

    fn stopping(&mut self, step: &mut Step<'_>) {
        self.note(step, "stopping");
    }
}

/// Half of 60 controllers replace the other half again and again: by their own records each of them sees each switch in the same
/// step, no step has a mixture, and none has no controller.
#[test]
fn a_switch_is_seen_by_every_controller_in_the_same_step() {
    let seen = Calls::default();
    let mut rig = Rig::new();
    let names: Vec<String> = (0..60).map(|number| format!("c{number:02}")).collect();
    for name in &names {
        let own = Stepper { name: name.clone(), seen: Arc::clone(&seen) };
        rig.own.push((name.clone(), Box::new(own)));
        rig.load(name).unwrap();
    }
    let (left, right): (Vec<&str>, Vec<&str>) = {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        (names[..30].to_vec(), names[30..].to_vec())
    };
    rig.switch(&left, &[], STRICT).unwrap();
    let mut running = (&left, &right);
    for round in 0..50 {
        (0..round % 4).for_each(|_| rig.step());
        running = (running.1, running.0);
        seen.lock().unwrap().clear();
        rig.request(common::switch(running.0, running.1, STRICT));
        let switched = rig.now.since(Instant::ZERO).as_millis() as u64 + 1;
        (0..2).for_each(|_| rig.step());
        let seen = seen.lock().unwrap();
        let steps_of = |what: &str, names: &[&str]| -> Vec<u64> {
            let of = |name: &&str| seen.iter().find(|(_, known, act)| known == name && *act == what);
            names.iter().map(|name| of(name).unwrap().0).collect()
        };
        let (started, stopped) = running;
        assert_eq!(steps_of("update", stopped), vec![switched; 30], "the old ones' last update");
        assert_eq!(steps_of("stopping", stopped), vec![switched; 30]);
        assert_eq!(steps_of("starting", started), vec![switched; 30]);
        assert_eq!(steps_of("update", started), vec![switched + 1; 30], "the new ones' first update");
        assert_eq!(seen.len(), 120, "and nothing else was called");
    }
}
