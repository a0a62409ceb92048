use crate::Instant;

/// A node as a function: what happened goes in, what to do comes out, and the caller owns clock and wires.
///
/// The caller feeds each event with [`handle`](Machine::handle), then drains [`poll`](Machine::poll) until it
/// answers `None`, and does so again no later than [`deadline`](Machine::deadline). Given the same calls, a machine
/// gives the same outputs, byte for byte.
///
/// # Real-time
/// Implementations neither block nor read a clock; on the control path they do not allocate after construction.
/// # Source
/// own; the sans-IO style of quinn-proto and str0m.
pub trait Machine {
    /// All that can happen to this node: a closed enum of past events.
    type Input;
    /// All that this node can ask for: a closed enum of commands to its surroundings.
    type Output;

    /// Tells the machine that `input` happened at `now`.
    ///
    /// `now` never decreases from call to call; a smaller one is taken as the latest seen.
    fn handle(&mut self, now: Instant, input: Self::Input);

    /// Takes the next thing to do; `None` when there is nothing left to do at `now`.
    fn poll(&mut self, now: Instant) -> Option<Self::Output>;

    /// Tells the machine that what is handed over from `now` on was read by a thread that read all there was at `since` and was to
    /// read again by `due`. A thread that is late was held, and nobody else notices while others call the machine in time.
    fn read_again(&mut self, now: Instant, since: Instant, due: Instant) {
        let _ = (now, since, due);
    }

    /// When to call [`poll`](Machine::poll) at the latest although nothing happened; `None` for never.
    fn deadline(&self) -> Option<Instant>;
}

/// A machine in which `S` is a stage, or which is `S` itself: so a node's shell is the same alone and in a process with others.
pub trait Contains<S: Machine>: Machine {
    /// The stage.
    fn stage(&self) -> &S;

    /// The input that brings `input` to the stage.
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
