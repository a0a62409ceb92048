use units::Instant;

use crate::{RemoteParams, Service};

/// A service that was called, and how that stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub service: Service,
    attempts: u32,
    at: Instant,
    answered: Option<Instant>,
}

/// What is to be done about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Nothing yet.
    Wait,
    /// Ask again.
    Again,
    /// It was asked often enough.
    GiveUp,
}

impl Request {
    /// Called for the first time at `now`.
    pub fn new(service: Service, now: Instant) -> Self {
        Self { service, attempts: 1, at: now, answered: None }
    }

    /// Called again at `now`.
    pub fn again(&mut self, now: Instant) {
        *self = Self { attempts: self.attempts.saturating_add(1), ..Self::new(self.service, now) };
    }

    /// An answer came at `now`; the first one counts.
    pub fn answer(&mut self, now: Instant) {
        self.answered = self.answered.or(Some(now));
    }

    /// When it was answered.
    pub fn answered(&self) -> Option<Instant> {
        self.answered
    }

    /// What is due at `now` if its effect does not show.
    pub fn due(&self, now: Instant, params: &RemoteParams) -> Due {
        match now >= self.deadline(params) {
            false => Due::Wait,
            true if self.attempts < params.attempts => Due::Again,
            true => Due::GiveUp,
        }
    }

    /// When something is due.
    pub fn deadline(&self, params: &RemoteParams) -> Instant {
        match self.answered {
            Some(at) => at + params.confirm_timeout,
            None => self.at + params.service_timeout,
        }
    }
}
