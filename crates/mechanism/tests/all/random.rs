//! Random calls of the services, against a model that knows only lists of names.
#![allow(clippy::unwrap_used)]

use crate::common;

use common::{Rig, TIMEOUT};
use fastrand::Rng;
use mechanism::controllers::{Dependency, Request};

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "2"];

/// Model of the services: their right answers, written from their description alone.
#[derive(Default)]
struct Model {
    /// Loaded controllers, in the order of loading.
    loaded: Vec<&'static str>,
    running: Vec<&'static str>,
    /// Pairs of a controller and the one that it needs.
    needs: Vec<(&'static str, &'static str)>,
}

impl Model {
    fn load(&mut self, name: &'static str, needs: &[&'static str], init_fails: bool) -> bool {
        let may = name != "2"
            && !self.loaded.contains(&name)
            && !init_fails
            && needs.iter().all(|one| self.loaded.contains(one));
        if may {
            self.loaded.push(name);
            self.needs.extend(needs.iter().map(|&other| (name, other)));
        }
        may
    }

    fn unload(&mut self, name: &str) -> bool {
        let may = self.loaded.contains(&name)
            && !self.running.contains(&name)
            && !self.needs.iter().any(|(_, other)| *other == name);
        if may {
            self.loaded.retain(|one| *one != name);
            self.needs.retain(|(one, _)| *one != name);
        }
        may
    }

    fn switch(
        &mut self,
        start: &[&'static str],
        stop: &[&'static str],
        strictness: i32,
        refuses: &[&str],
    ) -> bool {
        if !(0..=2).contains(&strictness) {
            return false;
        }
        let all_known = start.iter().chain(stop).all(|name| self.loaded.contains(name));
        let starts: Vec<_> = start.iter().copied().filter(|name| self.loaded.contains(name)).collect();
        if strictness == 2 && (!all_known || starts.iter().any(|name| refuses.contains(name))) {
            return false;
        }
        self.running.retain(|name| !stop.contains(name));
        for name in starts {
            if !refuses.contains(&name) && !self.running.contains(&name) {
                self.running.push(name);
            }
        }
        true
    }

    fn list(&self) -> Vec<String> {
        let mut rest = self.loaded.clone();
        let mut list: Vec<String> = Vec::new();
        let mut done: Vec<&str> = Vec::new();
        while !rest.is_empty() {
            let is_free =
                |name: &&&str| self.needs.iter().all(|(one, other)| one != *name || done.contains(other));
            let next = *rest.iter().filter(is_free).min().unwrap();
            rest.retain(|name| *name != next);
            done.push(next);
            list.push(format!("{next} {}", if self.running.contains(&next) { "running" } else { "stopped" }));
        }
        list
    }
}

#[test]
fn tens_of_thousands_of_random_calls_are_answered_as_the_model_does() {
    for seed in 0..200 {
        play(seed);
    }
}

fn play(seed: u64) {
    let mut random = Rng::with_seed(seed);
    let (mut rig, mut model) = (Rig::new(), Model::default());
    for call in 0..200 {
        let mut some = |most: usize| -> Vec<&'static str> {
            (0..random.usize(0..=most)).map(|_| NAMES[random.usize(..NAMES.len())]).collect()
        };
        let (start, stop, needs) = (some(3), some(3), some(1));
        let name = NAMES[random.usize(..NAMES.len())];
        let init_fails = random.u8(..10) == 0;
        // Controllers that refuse to start from now on.
        let refuses: Vec<&str> = model.loaded.iter().copied().filter(|_| random.u8(..6) == 0).collect();
        for name in &model.loaded {
            rig.behaviour(name).set(|plan| plan.refuses = refuses.contains(name));
        }
        let what = format!("seed {seed}, call {call}");
        if random.u8(..40) == 0 && !model.loaded.is_empty() {
            // The loop does not step: nothing changes.
            let id = rig.request(common::switch(&start, &stop, 1));
            rig.now = rig.now + TIMEOUT;
            rig.drain();
            assert!(rig.answer(id).unwrap().is_err(), "{what}");
        } else if random.u8(..40) == 0 && !model.running.is_empty() {
            let name = model.running[random.usize(..model.running.len())];
            rig.behaviour(name).set(|plan| plan.fails = true);
            rig.step();
            rig.behaviour(name).set(|plan| plan.fails = false);
            model.running.retain(|one| *one != name);
        } else if random.u8(..20) == 0 {
            // The end of a halt restarts what runs.
            for is_halted in [true, false] {
                rig.control.robot.actuators_mut()[0].state.is_halted = is_halted;
                rig.step();
            }
            model.running.retain(|name| !refuses.contains(name));
        } else {
            let strictness = random.i32(-1..=3);
            let (got, expected) = match random.u8(..10) {
                0..=3 => {
                    rig.init_fails = if init_fails { vec![name.to_owned()] } else { Vec::new() };
                    let needed =
                        needs.iter().map(|&other| (name.to_owned(), Dependency::Before(other.to_owned())));
                    rig.dependencies = needed.collect();
                    (rig.load(name), model.load(name, &needs, init_fails))
                }
                4..=5 => (rig.unload(name), model.unload(name)),
                6 if random.u8(..8) == 0 => {
                    (model.loaded, model.running, model.needs) = Default::default();
                    (rig.call(Request::Reload { force: true }), true)
                }
                6 => (rig.call(Request::Reload { force: false }), model.loaded.is_empty()),
                _ => {
                    (rig.switch(&start, &stop, strictness), model.switch(&start, &stop, strictness, &refuses))
                }
            };
            assert_eq!(got.is_ok(), expected, "{what}: {got:?}");
        }
        assert_eq!(rig.list(), model.list(), "{what}");
        rig.log.take();
        rig.step();
        // The loop updates exactly what the list has as running, in its order.
        let running =
            model.list().into_iter().filter_map(|one| one.strip_suffix(" running").map(str::to_owned));
        let updates: Vec<String> = running.map(|name| format!("update {name}")).collect();
        assert_eq!(rig.log.take(), updates, "{what}");
    }
}
