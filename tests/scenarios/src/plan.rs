use std::collections::VecDeque;

use crate::{Fault, Seen};

/// The required state of the motors at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Anything.
    Free,
    /// They are at stop.
    Stop,
    /// Both are at this level, or within 3 of it.
    Level(i16),
}

impl Expect {
    /// The violation by these levels, if any.
    pub(crate) fn wrong(self, levels: [i16; 2]) -> Option<String> {
        match self {
            Self::Stop if levels != [0, 0] => Some("must stand".into()),
            Self::Level(level) if levels.iter().any(|one| (one - level).abs() > 3) => {
                Some(format!("must be at {level}"))
            }
            _ => None,
        }
    }
}

/// The requirement that the motors are at stop from a time on, until another one if it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub of: Fault,
    pub from: u64,
    pub until: Option<u64>,
}

/// The required state of the motors and its past, since motor levels may be reported with a delay.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    claims: Vec<Claim>,
    /// The required level from a time on.
    level: Option<(u64, i16)>,
    why: &'static str,
    /// The requirement from each time on.
    past: VecDeque<(u64, Expect)>,
}

/// The most changes of the requirement that are remembered.
const MAX_PAST: usize = 64;

impl Plan {
    /// Removes all requirements from now on.
    pub(crate) fn clear(&mut self, now: u64) {
        self.claims.clear();
        self.level = None;
        self.why = "";
        self.record(now);
    }

    /// Removes all requirements, also those of the past.
    pub(crate) fn reset(&mut self, now: u64) {
        self.past.clear();
        self.clear(now);
    }

    /// Requires that the vehicle drives at this level from `from` on.
    pub(crate) fn go(&mut self, from: u64, level: i16) {
        self.level = Some((from, level));
    }

    /// Sets the reason for which the vehicle drives, for the error message.
    pub(crate) fn set_reason(&mut self, why: &'static str) {
        self.why = why;
    }

    pub(crate) fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// Ends the claims of a fault that is over, at `until` if that is known.
    pub(crate) fn end(&mut self, fault: Fault, until: Option<u64>) {
        for claim in self.claims.iter_mut().filter(|claim| claim.of == fault) {
            claim.until = until;
        }
    }

    /// The time until the required level applies.
    pub(crate) fn until_settled(&self, now: u64) -> u64 {
        self.level.map_or(0, |(from, _)| from.saturating_sub(now))
    }

    fn expected(&self, at: u64) -> Expect {
        let covers = |claim: &Claim| claim.from <= at && claim.until.is_none_or(|until| at < until);
        match self.level {
            _ if self.claims.iter().any(covers) => Expect::Stop,
            Some((from, level)) if from <= at => Expect::Level(level),
            _ => Expect::Free,
        }
    }

    /// Records the requirement from now on.
    fn record(&mut self, now: u64) {
        let expected = self.expected(now);
        if self.past.back().is_none_or(|(_, last)| *last != expected) {
            self.past.push_back((now, expected));
        }
        if self.past.len() > MAX_PAST {
            self.past.pop_front();
        }
    }

    /// Checks the motor levels against the requirements; the step from `now` on is the latest.
    /// # Errors
    /// The violation.
    pub(crate) fn judge(&mut self, now: u64, seen: &[Seen]) -> Result<(), String> {
        self.record(now);
        for &(at, levels) in seen {
            let expected =
                self.past.iter().rev().find(|(from, _)| *from <= at).map_or(Expect::Free, |(_, one)| *one);
            if let Some(what) = expected.wrong(levels) {
                let claims: Vec<String> =
                    self.claims.iter().map(|one| format!("{} from {} ms", one.of.name(), one.from)).collect();
                let claims = claims.join(", ");
                return Err(format!("at {at} ms the motors are at {levels:?}, {what} {}{claims}", self.why));
            }
        }
        Ok(())
    }
}
