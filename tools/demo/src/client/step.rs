use core::fmt::Display;

use crate::calls::{Answer, Failure};

/// An act, and the answers to its calls.
pub struct Step<A> {
    /// The act.
    pub act: A,
    /// Whether all calls were accepted so far, or the first one that was not; `None` without an answer.
    answer: Option<Result<(), String>>,
    /// Whether an answer was not the right one.
    pub has_failed: bool,
}

/// An act that is over.
pub struct Done {
    /// Description of the act.
    pub act: String,
    /// The answers to its calls, and the values at its end.
    pub outcome: String,
}

impl<A: Display> Step<A> {
    /// An act that begins.
    pub fn new(act: A) -> Self {
        Self { act, answer: None, has_failed: false }
    }

    /// Takes the answer to a call, which the node must accept, or refuse if it `is_wrong`; returns a sentence if it did not.
    pub fn answered<T>(&mut self, call: &impl Display, answer: Answer<T>, is_wrong: bool) -> Option<String> {
        let is_right = match &answer {
            Ok(_) => !is_wrong,
            Err(Failure::Refused(_)) => is_wrong,
            Err(Failure::Silent) => false,
        };
        let seen = answer.map_or_else(|why| format!("{call} {why}"), |_| "accepted, must be refused".into());
        self.has_failed |= !is_right;
        let failure = (!is_right).then(|| format!("{}: {seen}", self.act));
        if !matches!(self.answer, Some(Err(_))) {
            self.answer = Some(if is_wrong || failure.is_some() { Err(seen) } else { Ok(()) });
        }
        failure
    }

    /// The answers in a few words; empty if there is none.
    pub fn answer(&self) -> &str {
        match &self.answer {
            None => "",
            Some(Ok(())) => "accepted",
            Some(Err(seen)) => seen,
        }
    }

    /// The act at its end, with the values then.
    pub fn done(self, values: &str) -> Done {
        let parts = [self.answer(), values.trim_end()];
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        Done { act: self.act.to_string(), outcome: parts.join("; ") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_right_or_a_failure() {
        let refused = || Err(Failure::Refused("no".into()));
        for (answer, is_wrong, seen, is_right) in [
            (Ok(()), false, "accepted", true),
            (refused(), true, "load was refused: no", true),
            (Ok(()), true, "accepted, must be refused", false),
            (refused(), false, "load was refused: no", false),
            (Err(Failure::Silent), false, "load was not answered", false),
            (Err(Failure::Silent), true, "load was not answered", false),
        ] {
            let mut step = Step::new("start");
            let failure = (!is_right).then(|| format!("start: {seen}"));
            assert_eq!(step.answered(&"load", answer, is_wrong), failure);
            assert_eq!((step.answered(&"list", Ok(()), false), step.has_failed), (None, !is_right));
            assert_eq!(step.done("at 1  ").outcome, format!("{seen}; at 1"));
        }
        assert_eq!(Step::new("wait").done("at 1").outcome, "at 1");
    }
}
