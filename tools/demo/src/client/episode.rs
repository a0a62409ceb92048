use core::time::Duration;

use safety::Instant;

use crate::calls::Answer;
use crate::client::Client;
use crate::verdict::Verdict;

/// An act, and what happened since it began.
pub struct Episode<C: Client> {
    /// The act.
    pub act: C::Act,
    /// When it began.
    pub began: Instant,
    /// The client as it was then.
    pub before: C,
    /// Each with its time since the begin.
    changes: Vec<(Duration, Change<C>)>,
}

/// Something that was seen or done.
pub enum Change<C: Client> {
    /// A message was received.
    Received(C::Message),
    /// A call was answered.
    Answered(C::Call, Answer<C::Value>),
    /// A command was sent.
    Sent(C::Command),
}

impl<C: Client> Episode<C> {
    /// An act that begins at `began`.
    pub fn new(act: C::Act, began: Instant, before: C) -> Self {
        Self { act, began, before, changes: Vec::new() }
    }

    /// Records a change.
    pub fn push(&mut self, now: Instant, change: Change<C>) {
        self.changes.push((now.since(self.began), change));
    }

    /// The received values that `pick` selects, each with its time since the begin.
    pub fn received<'a, T>(
        &'a self,
        pick: impl Fn(&'a C::Message) -> Option<T>,
    ) -> impl Iterator<Item = (Duration, T)> {
        self.changes.iter().filter_map(move |(at, change)| match change {
            Change::Received(message) => Some((*at, pick(message)?)),
            _ => None,
        })
    }

    /// The answers to the calls.
    pub fn answers(&self) -> impl DoubleEndedIterator<Item = (&C::Call, &Answer<C::Value>)> {
        self.changes.iter().filter_map(|(_, change)| match change {
            Change::Answered(call, answer) => Some((call, answer)),
            _ => None,
        })
    }

    /// When a command was sent that `is_it`, since the begin.
    pub fn sent(&self, is_it: impl Fn(&C::Command) -> bool) -> Option<Duration> {
        let is_sent = |change: &Change<C>| matches!(change, Change::Sent(command) if is_it(command));
        self.changes.iter().find_map(|(at, change)| is_sent(change).then_some(*at))
    }

    /// Verdict on the first call that was not accepted.
    pub fn not_accepted(&self) -> Option<Verdict> {
        self.answers()
            .find_map(|(call, answer)| Some(Verdict::Bad(format!("{call} {}", answer.as_ref().err()?))))
    }
}

/// Verdict while an answer is missing.
pub fn unanswered() -> Verdict {
    Verdict::Pending("no answer yet".into())
}

/// Since when the values are as `is_so` says, if they are so to the end.
pub fn lasting<T>(
    values: impl Iterator<Item = (Duration, T)>,
    is_so: impl Fn(T) -> bool,
) -> Option<Duration> {
    let mut lasting = None;
    for (at, value) in values {
        lasting = is_so(value).then(|| lasting.unwrap_or(at));
    }
    lasting
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_lasts_if_it_is_not_left() {
        let since = |values: [i32; 4]| {
            let timed = (0..).map(Duration::from_millis).zip(values);
            lasting(timed, |value| value > 0).map(|time| time.as_millis())
        };
        assert_eq!([[0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 0]].map(since), [Some(3), Some(1), None]);
    }
}
