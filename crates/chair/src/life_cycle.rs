use units::Instant;

use crate::feedback::Evidence;
use crate::request::{Due, Request};
use crate::{Fault, Remote, Service, State};

/// How the mode is entered and left: by services that may not answer, and whose answer proves nothing.
impl Remote {
    pub(crate) fn activate(&mut self) {
        self.fault = None;
        self.taken_by = None;
        self.feedback.forget();
        self.state = State::Activating;
        self.ask(self.params.mode.set());
    }

    pub(crate) fn deactivate(&mut self) {
        self.state = State::Deactivating;
        self.ask(self.params.mode.remove());
    }

    fn rest(&mut self) {
        self.state = State::Inactive;
        self.request = None;
        self.neutral_first = false;
        self.call = None;
        self.sent = None;
    }

    pub(crate) fn settle_activating(&mut self) {
        let answered = self.request.is_some_and(|request| request.answered().is_some());
        if answered && self.evidence() == Evidence::Right {
            self.request = None;
            self.state = State::Confirmed;
            self.settle_driving();
        } else if self.ask_again() {
            self.fault = Some(if answered { Fault::NotEntered } else { Fault::NoAnswer });
            self.wanted = false;
            self.deactivate();
        }
    }

    pub(crate) fn settle_deactivating(&mut self) {
        let answered = self.request.and_then(|request| request.answered());
        let shown = answered.and_then(|at| self.feedback.since(self.clock.now(), at, self.params.mode));
        if self.open_until().is_some_and(|until| self.clock.now() < until) {
            return; // what is left now could be entered after it
        }
        let waited =
            self.request.is_none_or(|request| request.due(self.clock.now(), &self.params) != Due::Wait);
        // A chair that shows nothing any more cannot be asked better than it was.
        if answered.is_some()
            && (shown.is_some_and(|source| source != self.source()) || waited && shown.is_none())
        {
            self.counters.unconfirmed_removals += u64::from(shown.is_none());
            self.rest();
        } else if self.ask_again() {
            self.fault = Some(Fault::NotLeft);
            self.rest();
        }
    }

    pub(crate) fn hear_answer(&mut self, service: Service) {
        let is_late = matches!(self.state, State::Deactivating | State::Inactive);
        match &mut self.request {
            // An answer to what is still to be called belongs to an earlier call.
            Some(request) if request.service == service && self.call.is_none() => {
                request.answer(self.clock.now())
            }
            _ => self.counters.unexpected_answers += 1,
        }
        if service == self.params.mode.set() {
            self.open = None;
            if is_late {
                self.deactivate(); // it was entered after it was left
            }
        }
    }

    fn ask(&mut self, service: Service) {
        self.neutral_first = true;
        self.request = Some(Request::new(service, self.clock.now()));
        self.call(service);
    }

    /// Calls the service again if it is time; `true` if it was called often enough.
    fn ask_again(&mut self) -> bool {
        let Some(request) = &mut self.request else { return true };
        match request.due(self.clock.now(), &self.params) {
            Due::Wait => false,
            Due::GiveUp => true,
            Due::Again => {
                request.again(self.clock.now());
                let service = request.service;
                self.counters.repeated_calls += 1;
                self.call(service);
                false
            }
        }
    }

    fn call(&mut self, service: Service) {
        self.call = Some(service);
        if service == self.params.mode.set() {
            self.open = Some(self.clock.now());
        }
    }

    /// Until when a mode that was asked for without an answer may still be entered.
    pub(crate) fn open_until(&self) -> Option<Instant> {
        self.open.map(|at| at + self.params.service_timeout)
    }
}
