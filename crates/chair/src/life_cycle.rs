use safety::Instant;

use crate::feedback::Evidence;
use crate::{Fault, Remote, RemoteParams, Service, State};

/// Enters and leaves the mode by services that may not answer, and whose answer proves nothing.
impl Remote {
    pub(crate) fn activate(&mut self) {
        self.fault = None;
        self.taken_by = None;
        self.feedback.reset();
        self.state = State::Activating;
        self.request_service(self.params.mode.set());
    }

    pub(crate) fn deactivate(&mut self) {
        self.state = State::Deactivating;
        self.request_service(self.params.mode.remove());
    }

    fn finish(&mut self) {
        self.state = State::Inactive;
        self.request = None;
        self.neutral_first = false;
        self.call = None;
        self.sent = None;
    }

    pub(crate) fn update_activating(&mut self) {
        let answered = self.request.is_some_and(|request| request.answered.is_some());
        if answered && self.evidence() == Evidence::Right {
            self.request = None;
            self.state = State::Confirmed;
            self.update_driving();
        } else if self.retry() {
            self.fault = Some(if answered { Fault::NotEntered } else { Fault::NoAnswer });
            self.wanted = false;
            self.deactivate();
        }
    }

    pub(crate) fn update_deactivating(&mut self) {
        let answered = self.request.and_then(|request| request.answered);
        let reported = answered.and_then(|at| self.feedback.since(self.clock.now(), at, self.params.mode));
        if self.open_until().is_some_and(|until| self.clock.now() < until) {
            return; // a mode left now could be entered afterwards
        }
        let waited =
            self.request.is_none_or(|request| request.due(self.clock.now(), &self.params) != Due::Wait);
        // Asking again does not help if the chair no longer reports anything.
        if answered.is_some()
            && (reported.is_some_and(|source| source != self.source()) || waited && reported.is_none())
        {
            self.counters.unconfirmed_removals += u64::from(reported.is_none());
            self.finish();
        } else if self.retry() {
            self.fault = Some(Fault::NotLeft);
            self.finish();
        }
    }

    pub(crate) fn receive_answer(&mut self, service: Service) {
        let is_late = matches!(self.state, State::Deactivating | State::Inactive);
        match &mut self.request {
            // An answer while the call is pending belongs to an earlier call.
            Some(request) if request.service == service && self.call.is_none() => {
                request.answer(self.clock.now())
            }
            _ => self.counters.unexpected_answers += 1,
        }
        if service == self.params.mode.set() {
            self.open = None;
            if is_late {
                self.deactivate(); // the mode was entered after it was left
            }
        }
    }

    fn request_service(&mut self, service: Service) {
        self.neutral_first = true;
        self.request = Some(Request::new(service, self.clock.now()));
        self.call(service);
    }

    /// Calls the service again if due; returns `true` after the last attempt.
    fn retry(&mut self) -> bool {
        let Some(request) = &mut self.request else { return true };
        match request.due(self.clock.now(), &self.params) {
            Due::Wait => false,
            Due::GiveUp => true,
            Due::Retry => {
                request.retry(self.clock.now());
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

    /// Time until which a requested mode without an answer may still be entered.
    pub(crate) fn open_until(&self) -> Option<Instant> {
        self.open.map(|at| at + self.params.service_timeout)
    }
}

/// A called service and the state of the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub service: Service,
    attempts: u32,
    at: Instant,
    /// When it was answered.
    pub answered: Option<Instant>,
}

/// The next action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Wait.
    Wait,
    /// Call again.
    Retry,
    /// The last attempt has failed.
    GiveUp,
}

impl Request {
    /// Called for the first time at `now`.
    pub fn new(service: Service, now: Instant) -> Self {
        Self { service, attempts: 1, at: now, answered: None }
    }

    /// Called again at `now`.
    pub fn retry(&mut self, now: Instant) {
        *self = Self { attempts: self.attempts.saturating_add(1), ..Self::new(self.service, now) };
    }

    /// Records an answer at `now`; the first one counts.
    pub fn answer(&mut self, now: Instant) {
        self.answered = self.answered.or(Some(now));
    }

    /// The action at `now` if the effect has not shown.
    pub fn due(&self, now: Instant, params: &RemoteParams) -> Due {
        match now >= self.deadline(params) {
            false => Due::Wait,
            true if self.attempts < params.attempts => Due::Retry,
            true => Due::GiveUp,
        }
    }

    /// When the next action is due.
    pub fn deadline(&self, params: &RemoteParams) -> Instant {
        match self.answered {
            Some(at) => at + params.confirm_timeout,
            None => self.at + params.service_timeout,
        }
    }
}
