use core::time::Duration;

/// Verdict on an act, with a description of what was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The expected outcome was not seen so far.
    Pending(String),
    /// The expected outcome was seen.
    Good(String),
    /// Another outcome was seen.
    Bad(String),
}

/// A step of a script that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Description of the act.
    pub done: String,
    /// Expected outcome; `None` if the act is not judged.
    pub expected: Option<String>,
    /// Verdict on the act.
    pub verdict: Verdict,
}

impl Verdict {
    /// Description of what was seen.
    pub fn seen(&self) -> &str {
        match self {
            Self::Pending(seen) | Self::Good(seen) | Self::Bad(seen) => seen,
        }
    }

    /// Good or bad by `is_good` once it was watched for `time`, pending before.
    pub fn watched(passed: Duration, time: Duration, is_good: bool, seen: String) -> Self {
        match (passed >= time, is_good) {
            (true, true) => Self::Good(seen),
            (true, false) => Self::Bad(seen),
            (false, _) => Self::Pending(seen),
        }
    }

    /// Whether it is what is expected.
    pub fn is_good(&self) -> bool {
        matches!(self, Self::Good(_))
    }
}

/// Act, expected outcome and what was seen in each step, line by line.
pub fn table(outcomes: &[Outcome]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, Outcome { done, expected, verdict }) in outcomes.iter().enumerate() {
        let mark = match (verdict.is_good(), expected) {
            (true, _) => "ok",
            (false, Some(_)) => "FAILED",
            (false, None) => "-",
        };
        lines.push(format!("{:>2} {done}", index + 1));
        lines.extend(expected.as_ref().map(|expected| format!("   expected: {expected}")));
        lines.push(format!("   {mark}: {}", verdict.seen()));
    }
    lines
}

/// The steps whose outcome is not the expected one, one sentence each; a script of `count` steps.
pub fn failures(outcomes: &[Outcome], count: usize) -> Vec<String> {
    let sentences = outcomes.iter().filter_map(|Outcome { done, expected, verdict }| {
        let expected = expected.as_ref().filter(|_| !verdict.is_good())?;
        Some(format!("{done}; expected: {expected}; seen: {}", verdict.seen()))
    });
    let mut failures: Vec<String> = sentences.collect();
    let left = count.saturating_sub(outcomes.len());
    if left > 0 {
        failures.push(format!("the script was not played to its end: {left} steps are missing"));
    }
    failures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_is_pending_at_its_end_has_failed() {
        let outcome = |expected: Option<&str>, verdict| Outcome {
            done: "wait".into(),
            expected: expected.map(Into::into),
            verdict,
        };
        let seen = || "nothing".to_owned();
        let outcomes = [
            outcome(Some("a word"), Verdict::Good(seen())),
            outcome(Some("a word"), Verdict::Pending(seen())),
            outcome(None, Verdict::Bad(seen())),
            outcome(Some("a word"), Verdict::Bad(seen())),
        ];
        let failed = "wait; expected: a word; seen: nothing";
        assert_eq!(failures(&outcomes, 4), [failed, failed]);
        assert_eq!(
            failures(&outcomes[..1], 3),
            ["the script was not played to its end: 2 steps are missing"]
        );
        let table = table(&outcomes);
        let marks: Vec<&str> = table.iter().filter_map(|line| line.strip_suffix(": nothing")).collect();
        assert_eq!(marks, ["   ok", "   FAILED", "   -", "   FAILED"]);
        assert_eq!(table[..2], [" 1 wait", "   expected: a word"]);
    }
}
