use haptix::MAX;
use safety::Instant;

use crate::hand::calls::{Answer, Call};
use crate::hand::observed::Reading;

/// The changes since the last act began, and what was known before.
pub type Record = crate::record::Record<Change>;

/// Something that was seen.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// A reading was received.
    Reading(Box<Reading>),
    /// The first word of the hand's state was received.
    State(String),
    /// A call was answered.
    Answered(Call, Answer),
}

impl Record {
    /// The readings from `from` on.
    pub fn readings(&self, from: Instant) -> impl DoubleEndedIterator<Item = (Instant, &Reading)> {
        self.since(from).iter().filter_map(|(at, change)| match change {
            Change::Reading(reading) => Some((*at, &**reading)),
            _ => None,
        })
    }

    /// The last reading no later than `time`.
    pub fn reading_at(&self, time: Instant) -> Option<&Reading> {
        self.last(time, |change| if let Change::Reading(reading) = change { Some(&**reading) } else { None })
    }

    /// State of the hand at `time`; empty if it is not known.
    pub fn state_at(&self, time: Instant) -> &str {
        self.last(time, |change| if let Change::State(state) = change { Some(state.as_str()) } else { None })
            .unwrap_or_default()
    }

    /// When the hand was first seen in this state from `from` on.
    pub fn state_since(&self, from: Instant, wanted: &str) -> Option<Instant> {
        let is_it = |change: &Change| matches!(change, Change::State(state) if state == wanted);
        self.since(from).iter().find_map(|(at, change)| is_it(change).then_some(*at))
    }

    /// The answers from `from` on.
    pub fn answers(&self, from: Instant) -> impl DoubleEndedIterator<Item = (&Call, &Answer)> {
        self.since(from).iter().filter_map(|(_, change)| match change {
            Change::Answered(call, answer) => Some((call, answer)),
            _ => None,
        })
    }

    /// Where the last grasp since `from` moves the motors \[rad\], once the node has answered.
    pub fn goal(&self, from: Instant) -> Option<&[f32; MAX]> {
        self.answers(from)
            .rev()
            .find_map(|(_, answer)| if let Answer::Grasps(goal) = answer { Some(&**goal) } else { None })
    }
}
