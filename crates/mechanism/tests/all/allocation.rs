//! The control step neither allocates nor frees, whatever it changes.
#![allow(clippy::unwrap_used)]

use crate::common;

use std::time::Duration;

use allocations::{Counting, count};
use common::{PERIOD, Rig};
use mechanism::Robot;
use mechanism::controllers::{
    Change, ControlLoop, Controller, ControllerFailure, Input, Manager, NewController,
};
use mechanism::controllers::{Output, Request, Step};
use safety::{Instant, Machine};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// It writes and fails as its number has it, and allocates nothing itself.
struct Worker {
    number: usize,
    steps: usize,
}

impl Controller for Worker {
    fn can_start(&self, _: &Robot) -> Result<(), ControllerFailure> {
        if self.number % 10 == 7 { Err(ControllerFailure("no")) } else { Ok(()) }
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        self.steps += 1;
        for joint in step.robot.joints_mut() {
            joint.commanded_effort += if self.number % 10 == 3 { f64::NAN } else { 0.1 };
        }
        if self.number % 10 == 5 && self.steps.is_multiple_of(4) {
            Err(ControllerFailure("now and then"))
        } else {
            Ok(())
        }
    }
}

/// The change that a request asks the loop for.
fn change(manager: &mut Manager, request: Request) -> Box<Change> {
    let now = Instant::ZERO;
    manager.handle(now, Input::Requested(0, request));
    loop {
        match manager.poll(now).unwrap() {
            Output::Change(change) => return change,
            Output::Create(name) => {
                let controller = Box::new(Worker { number: name[1..].parse().unwrap(), steps: 0 });
                let created = NewController::new(1, controller);
                manager.handle(now, Input::Created(Ok(created)));
            }
            _ => {}
        }
    }
}

/// A step with `change`, which must not allocate; what is left over is dropped outside.
fn step(control: &mut ControlLoop, manager: &mut Manager, now: &mut Instant, change: Option<Box<Change>>) {
    let mut change = change;
    *now = *now + PERIOD;
    let mut time = *now;
    let clock = || {
        time = time + Duration::from_micros(1);
        time
    };
    let before = count();
    control.step(*now, PERIOD, clock, change.as_deref_mut());
    let mut failures = 0;
    control.take_failures(usize::MAX, |_, _| failures += 1);
    assert_eq!(count(), before, "{change:?}");
    if let Some(change) = change {
        manager.handle(*now, Input::Changed(change));
    }
    while manager.poll(*now).is_some() {}
}

#[test]
fn a_step_allocates_nothing_with_1_10_and_100_controllers() {
    for number in [1, 10, 100] {
        let (mut control, mut manager) =
            (ControlLoop::new(common::robot()), Manager::new(Duration::from_secs(2)));
        let mut now = Instant::from_millis(1);
        let names: Vec<String> = (0..number).map(|index| format!("c{index}")).collect();
        for name in &names {
            let add = change(&mut manager, Request::Load(name.clone()));
            step(&mut control, &mut manager, &mut now, Some(add));
        }
        for strictness in [1, 2] {
            let none = Vec::new;
            let start = Request::Switch { start: names.clone(), stop: none(), strictness };
            let stop = Request::Switch { start: none(), stop: names.clone(), strictness };
            for request in [start.clone(), start, stop] {
                let switch = change(&mut manager, request);
                step(&mut control, &mut manager, &mut now, Some(switch));
                for tick in 0..20 {
                    control.robot.actuators_mut()[0].state.is_halted = tick % 5 == 2;
                    step(&mut control, &mut manager, &mut now, None);
                }
            }
        }
        for name in names {
            let remove = change(&mut manager, Request::Unload(name));
            step(&mut control, &mut manager, &mut now, Some(remove));
        }
        assert_eq!(control.controllers().count(), 0);
    }
}

#[test]
fn an_unloaded_controller_is_dropped_outside_the_loop() {
    let mut rig = Rig::with(&["a", "b"]);
    rig.request(Request::Unload("a".into()));
    let mut change = rig.waiting.take();
    rig.control.step(rig.now, PERIOD, || Instant::ZERO, change.as_deref_mut());
    assert_eq!(rig.log.take(), Vec::<String>::new(), "it still exists");
    drop(change);
    assert_eq!(rig.log.take(), ["drop a"]);
}
