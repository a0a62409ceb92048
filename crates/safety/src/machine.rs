use crate::{Backlog, Instant};

/// A node as a state machine: its inputs are events, its outputs are commands, and the caller owns the clock and the transport.
///
/// The caller passes each event to [`handle`](Machine::handle), then drains [`poll`](Machine::poll) until it returns
/// `None`, and polls again no later than [`deadline`](Machine::deadline). Given the same calls, a machine gives the same
/// outputs, byte for byte.
///
/// # Real-time
/// Implementations neither block nor read a clock; on the control path they do not allocate after construction.
/// # Source
/// own; the sans-IO style of quinn-proto and str0m.
pub trait Machine {
    /// Everything that can happen to this node: a closed enum of past events.
    type Input;
    /// Everything that this node can request: a closed enum of commands to its surroundings.
    type Output: Send;

    /// Handles `input`, which happened at `now`.
    ///
    /// `now` never decreases from call to call; a smaller one counts as the latest one.
    fn handle(&mut self, now: Instant, input: Self::Input);

    /// Returns the next output; `None` when there is none left at `now`.
    fn poll(&mut self, now: Instant) -> Option<Self::Output>;

    /// Reports that inputs from `now` on were read by a thread that emptied its queue at `since` and was due to read again by `due`.
    /// A thread that is late was held; the machine cannot detect that itself while other threads call it in time. The caller polls
    /// at a deadline that has passed, even if the machine forgets it here.
    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        let _ = (now, since, due);
    }

    /// Whether something may move for more than a second without a message that the node receives: a second publisher matters then.
    fn may_move(&self) -> bool {
        false
    }

    /// Whether `input` is a command for motion: of many that waited in a topic only the newest counts, as in a queue of one message.
    fn asks_for_motion(input: &Self::Input) -> bool {
        let _ = input;
        false
    }

    /// Whether `output` may be overtaken or lost while it waits because a send hangs.
    fn backlog(output: &Self::Output) -> Backlog;

    /// The latest time of the next [`poll`](Machine::poll) if nothing happens; `None` for never.
    fn deadline(&self) -> Option<Instant>;
}

/// A machine that contains `S` as a stage, or is `S` itself: a node's shell is the same in a process of its own and in a shared one.
pub trait Contains<S: Machine>: Machine {
    /// The stage.
    fn stage(&self) -> &S;

    /// The input that passes `input` to the stage.
    fn wrap(input: S::Input) -> Self::Input;
}

impl<M: Machine> Contains<M> for M {
    fn stage(&self) -> &M {
        self
    }

    fn wrap(input: M::Input) -> M::Input {
        input
    }
}

/// The earlier of two deadlines, where `None` means never.
pub fn earliest(a: Option<Instant>, b: Option<Instant>) -> Option<Instant> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn never_is_later_than_any_deadline() {
        let (early, late) = (Instant::from_nanos(1), Instant::from_nanos(2));
        assert_eq!(earliest(Some(late), Some(early)), Some(early));
        assert_eq!(earliest(None, Some(late)), Some(late));
        assert_eq!(earliest(Some(late), None), Some(late));
        assert_eq!(earliest(None, None), None);
    }
}
