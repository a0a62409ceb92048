use safety::Instant;

use crate::{RemoteParams, Service};

/// A called service and the state of the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub service: Service,
    attempts: u32,
    at: Instant,
    answered: Option<Instant>,
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

    /// When it was answered.
    pub fn answered(&self) -> Option<Instant> {
        self.answered
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
