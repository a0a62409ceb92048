use std::cell::Cell;

use mechanism::Robot;
use mechanism::controllers::{
    Controller, ControllerFailure, ControllerInput, ControllerOutput, Message, Report, Step,
};
use ros::panics;
use units::Instant;

/// A controller whose panic stops it alone, as a failure does. It does not start again: its state is not known.
pub(super) struct Guarded {
    controller: Box<dyn Controller>,
    has_panicked: Cell<bool>,
}

const PANICKED: ControllerFailure = ControllerFailure("it panicked; unload it and load it again");

impl Guarded {
    pub(super) fn new(controller: Box<dyn Controller>) -> Self {
        Self { controller, has_panicked: Cell::new(false) }
    }

    fn call<T>(&mut self, call: impl FnOnce(&mut dyn Controller) -> T) -> Option<T> {
        if self.has_panicked.get() {
            return None;
        }
        let controller = &mut *self.controller;
        let outcome = panics::contain(|| call(controller));
        self.has_panicked.set(outcome.is_none());
        outcome
    }
}

impl Controller for Guarded {
    fn inputs(&self) -> &'static [ControllerInput] {
        self.controller.inputs()
    }

    fn outputs(&self) -> &'static [ControllerOutput] {
        self.controller.outputs()
    }

    fn report(&mut self) -> Option<(usize, Report)> {
        self.call(|controller| controller.report()).flatten()
    }

    fn receive(&mut self, input: usize, message: &mut Message, now: Instant) {
        self.call(|controller| controller.receive(input, message, now));
    }

    fn can_start(&self, robot: &Robot) -> Result<(), ControllerFailure> {
        if self.has_panicked.get() {
            return Err(PANICKED);
        }
        panics::contain(|| self.controller.can_start(robot)).unwrap_or_else(|| {
            self.has_panicked.set(true);
            Err(PANICKED)
        })
    }

    /// After a panic here the next update fails.
    fn starting(&mut self, step: &mut Step<'_>) {
        self.call(|controller| controller.starting(step));
    }

    fn update(&mut self, step: &mut Step<'_>) -> Result<(), ControllerFailure> {
        self.call(|controller| controller.update(step)).unwrap_or(Err(PANICKED))
    }

    fn stopping(&mut self, step: &mut Step<'_>) {
        self.call(|controller| controller.stopping(step));
    }
}
