//! A controller's life, cell by cell: what a load, a start, a stop and a step do before it is there, while it is stopped, and while
//! it runs. And in which order controllers run.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::Rig;
use mechanism::controllers::{Dependency, Refusal, Request};

const STRICT: i32 = 2;

fn stopped() -> Rig {
    Rig::with(&["a"])
}

fn running() -> Rig {
    let mut rig = stopped();
    rig.switch(&["a"], &[], STRICT).unwrap();
    rig.log.take();
    rig
}

fn start(rig: &mut Rig) -> Result<(), Refusal> {
    rig.switch(&["a"], &[], STRICT)
}

fn stop(rig: &mut Rig) -> Result<(), Refusal> {
    rig.switch(&[], &["a"], STRICT)
}

/// A controller whose init fails is not loaded: all requests about it are refused.
#[test]
fn a_controller_that_is_not_initialised_is_not_there() {
    let mut rig = Rig::new();
    rig.init_fails.push("a".into());
    assert!(rig.load("a").is_err());
    assert_eq!(start(&mut rig), Err(Refusal::NotLoaded("a".into())));
    assert_eq!(stop(&mut rig), Err(Refusal::NotLoaded("a".into())));
    assert_eq!(rig.unload("a"), Err(Refusal::NotLoaded("a".into())));
    rig.step();
    assert_eq!((rig.list(), rig.log.take()), (vec![], vec![]));
    rig.init_fails.clear();
    rig.load("a").unwrap();
    assert_eq!(rig.list(), ["a stopped"]);
}

#[test]
fn a_stopped_controller_is_not_initialised_again() {
    let mut rig = stopped();
    assert_eq!(rig.load("a"), Err(Refusal::Loaded("a".into())));
    assert_eq!(rig.log.take(), Vec::<String>::new(), "nothing was called, created or dropped");
}

#[test]
fn a_stopped_controller_starts() {
    let mut rig = stopped();
    start(&mut rig).unwrap();
    assert_eq!((rig.log.take(), rig.list()), (vec!["starting a".into()], vec!["a running".into()]));
}

#[test]
fn a_stopped_controller_is_stopped_again() {
    let mut rig = stopped();
    stop(&mut rig).unwrap();
    assert_eq!((rig.log.take(), rig.list()), (vec!["stopping a".into()], vec!["a stopped".into()]));
}

#[test]
fn a_stopped_controller_is_not_updated() {
    let mut rig = stopped();
    rig.step();
    assert_eq!(rig.log.take(), Vec::<String>::new());
}

#[test]
fn a_running_controller_is_not_initialised_again() {
    let mut rig = running();
    assert_eq!(rig.load("a"), Err(Refusal::Loaded("a".into())));
    rig.step();
    assert_eq!((rig.log.take(), rig.list()), (vec!["update a".into()], vec!["a running".into()]));
}

#[test]
fn a_running_controller_starts_again_without_a_stop() {
    let mut rig = running();
    start(&mut rig).unwrap();
    assert_eq!(rig.log.take(), ["update a", "starting a"]);
    assert_eq!(rig.list(), ["a running"]);
}

#[test]
fn a_running_controller_stops() {
    let mut rig = running();
    stop(&mut rig).unwrap();
    assert_eq!(
        (rig.log.take(), rig.list()),
        (vec!["update a".into(), "stopping a".into()], vec!["a stopped".into()])
    );
    rig.step();
    assert_eq!(rig.log.take(), Vec::<String>::new());
}

#[test]
fn a_running_controller_is_updated_once_in_each_step() {
    let mut rig = running();
    (0..3).for_each(|_| rig.step());
    assert_eq!(rig.log.take(), ["update a"; 3]);
}

/// A controller may name only what is loaded already, so never itself, and it does not matter whether the other one runs.
#[test]
fn a_dependency_is_on_a_loaded_controller_running_or_not_and_never_on_itself() {
    for other in ["nobody", "me"] {
        for dependency in [Dependency::Before, Dependency::After] {
            let mut rig = Rig::with(&["a"]);
            rig.dependencies = vec![("me".into(), dependency(other.to_owned()))];
            let refusal = rig.load("me").unwrap_err();
            assert_eq!(
                refusal.to_string(),
                format!("controller 'me' depends on '{other}', which is not loaded")
            );
            assert_eq!(rig.list(), ["a stopped"]);
        }
    }
    for runs in [false, true] {
        let mut rig = Rig::with(&["z"]);
        if runs {
            rig.switch(&["z"], &[], STRICT).unwrap();
        }
        let twice = || ("me".to_owned(), Dependency::Before("z".into()));
        rig.dependencies = vec![twice(), twice()];
        rig.load("me").unwrap();
        assert_eq!(rig.manager.list()[0].name, "z", "it runs before me, though its name is greater");
    }
}

/// Controllers as `name(BEFORE other; AFTER other)`, loaded one after the other; returns the first refusal, and the schedule.
fn loaded(text: &str) -> (Option<Refusal>, String, Rig) {
    let mut rig = Rig::new();
    let mut refusal = None;
    for one in text.split(',') {
        let (name, rest) = one.trim().split_once('(').unwrap_or((one.trim(), ""));
        for part in rest.trim_end_matches(')').split(';').filter(|part| !part.is_empty()) {
            let (kind, other) = part.trim().split_once(' ').unwrap();
            let make = if kind == "BEFORE" { Dependency::Before } else { Dependency::After };
            rig.dependencies.push((name.to_owned(), make(other.to_owned())));
        }
        refusal = refusal.or(rig.load(name).err());
    }
    let order: Vec<String> = rig.manager.list().into_iter().map(|one| one.name).collect();
    (refusal, order.join(","), rig)
}

/// The vectors by hand: among those whose predecessors ran, the smallest name is next. In `d, c(BEFORE d), a(BEFORE c),
/// b(AFTER d)` b has to precede d: b is the only one without a predecessor, then d, c, a.
#[test]
fn controllers_loaded_one_by_one_run_in_the_order_of_the_vectors() {
    for (text, expected) in [
        ("c2,c10,a", "a,c10,c2"),
        ("b,a(BEFORE b)", "b,a"),
        ("a,z(AFTER a)", "z,a"),
        ("m,a(BEFORE m),b", "b,m,a"),
        ("d,c(BEFORE d),a(BEFORE c),b(AFTER d)", "b,d,c,a"),
    ] {
        let (refusal, order, mut rig) = loaded(text);
        assert_eq!((refusal, order.as_str()), (None, expected), "{text}");
        // The loop runs them in this order, whatever the order of the start is.
        let names: Vec<String> = rig.manager.names().map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        rig.switch(&names, &[], STRICT).unwrap();
        rig.log.take();
        rig.step();
        let updates: Vec<String> = expected.split(',').map(|name| format!("update {name}")).collect();
        assert_eq!(rig.log.take(), updates, "{text}");
    }
}

#[test]
fn a_load_that_closes_a_cycle_fails_and_the_others_stay() {
    for (text, rest) in [("a,c(BEFORE a;AFTER a)", "a"), ("a,b(BEFORE a),c(BEFORE b;AFTER a)", "a,b")] {
        let (refusal, order, mut rig) = loaded(text);
        assert!(matches!(refusal, Some(Refusal::Schedule(_))), "{text}: {refusal:?}");
        assert_eq!(order, rest, "{text}");
        rig.dependencies.clear();
        rig.load("c").unwrap();
    }
}

#[test]
fn the_schedule_is_computed_again_at_each_load_and_unload() {
    let mut rig = Rig::with(&["m"]);
    rig.dependencies = vec![("z".into(), Dependency::After("m".into()))];
    let order = |rig: &Rig| rig.manager.list().into_iter().map(|one| one.name).collect::<Vec<_>>();
    rig.load("z").unwrap();
    assert_eq!(order(&rig), ["z", "m"]);
    rig.load("n").unwrap();
    assert_eq!(order(&rig), ["n", "z", "m"], "n and z may run first: the smaller name does");
    rig.unload("z").unwrap();
    assert_eq!(order(&rig), ["m", "n"]);
    assert_eq!(rig.call(Request::Unload("z".into())), Err(Refusal::NotLoaded("z".into())));
}
