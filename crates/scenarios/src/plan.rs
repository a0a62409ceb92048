use std::collections::VecDeque;

use crate::{Fault, Seen};

/// What the motors have to do at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    /// Anything.
    Free,
    /// They are at stop.
    Stop,
    /// Both are at this level, or next to it.
    Level(i16),
}

impl Expect {
    /// What is wrong with these levels.
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

/// That the motors are at stop from a time on, until another one if it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Claim {
    pub of: Fault,
    pub from: u64,
    pub until: Option<u64>,
}

/// What the motors have to do, and since when; what they were told may be known some time later.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    claims: Vec<Claim>,
    /// The level from a time on.
    level: Option<(u64, i16)>,
    why: &'static str,
    /// What was to be expected from each time on.
    past: VecDeque<(u64, Expect)>,
}

/// So many changes of what is expected are remembered.
const REMEMBERED: usize = 64;

impl Plan {
    /// Nothing is expected any more.
    pub(crate) fn clear(&mut self, now: u64) {
        self.claims.clear();
        self.level = None;
        self.why = "";
        self.note(now);
    }

    /// Nothing is expected, and nothing was.
    pub(crate) fn forget(&mut self, now: u64) {
        self.past.clear();
        self.clear(now);
    }

    /// The vehicle drives at this level from `from` on.
    pub(crate) fn go(&mut self, from: u64, level: i16) {
        self.level = Some((from, level));
    }

    /// It is this that lets it drive.
    pub(crate) fn because(&mut self, why: &'static str) {
        self.why = why;
    }

    pub(crate) fn claim(&mut self, claim: Claim) {
        self.claims.push(claim);
    }

    /// The fault is over: what it claims ends then, or stays.
    pub(crate) fn end(&mut self, fault: Fault, until: Option<u64>) {
        for claim in self.claims.iter_mut().filter(|claim| claim.of == fault) {
            claim.until = until;
        }
    }

    /// How long it takes until the level is the one that is expected.
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

    /// What is expected from now on.
    fn note(&mut self, now: u64) {
        let expected = self.expected(now);
        if self.past.back().is_none_or(|(_, last)| *last != expected) {
            self.past.push_back((now, expected));
        }
        if self.past.len() > REMEMBERED {
            self.past.pop_front();
        }
    }

    /// What the motors were told, of which the step from `now` on is the latest.
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn judge(&mut self, now: u64, seen: &[Seen]) -> Result<(), String> {
        self.note(now);
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
