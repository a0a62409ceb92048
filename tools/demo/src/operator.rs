use std::collections::VecDeque;
use std::ops::Deref;

use safety::{Backlog, Instant, Machine};

/// Role of an operator in one of the demos.
pub trait Role {
    /// Input of the operator.
    type Input;
    /// Output of the operator.
    type Output: Send;

    /// Whether the demo ends with `input`; nothing is done after it.
    fn is_end(input: &Self::Input) -> bool;

    /// Takes what happened.
    fn apply(&mut self, now: Instant, input: Self::Input);

    /// Advances the time, and adds what is due to the outputs.
    fn update(&mut self, now: Instant);

    /// The outputs that were not carried out yet.
    fn outputs(&mut self) -> &mut VecDeque<Self::Output>;

    /// When something is due.
    fn deadline(&self, now: Instant) -> Option<Instant>;
}

/// The user of a demo's robot, who observes all topics: a machine like every node.
#[derive(Debug)]
pub struct Operator<R> {
    role: R,
    now: Instant,
    is_stopped: bool,
}

impl<R> Operator<R> {
    /// An operator of this role.
    pub fn of(role: R) -> Self {
        Self { role, now: Instant::ZERO, is_stopped: false }
    }
}

impl<R> Deref for Operator<R> {
    type Target = R;

    fn deref(&self) -> &R {
        &self.role
    }
}

impl<R: Role> Machine for Operator<R> {
    type Input = R::Input;
    type Output = R::Output;

    fn handle(&mut self, now: Instant, input: R::Input) {
        self.now = self.now.max(now);
        if !self.is_stopped {
            self.is_stopped = R::is_end(&input);
            self.role.apply(self.now, input);
        }
    }

    fn poll(&mut self, now: Instant) -> Option<R::Output> {
        self.now = self.now.max(now);
        if self.role.outputs().is_empty() && !self.is_stopped {
            self.role.update(self.now);
        }
        self.role.outputs().pop_front()
    }

    fn backlog(_: &Self::Output) -> Backlog {
        Backlog::Recent
    }

    fn deadline(&self) -> Option<Instant> {
        if self.is_stopped { None } else { self.role.deadline(self.now) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Repeats its inputs, and ends with a zero.
    #[derive(Default)]
    struct EchoRole(VecDeque<i32>, Vec<Instant>);

    impl Role for EchoRole {
        type Input = i32;
        type Output = i32;

        fn is_end(input: &i32) -> bool {
            *input == 0
        }

        fn apply(&mut self, _: Instant, input: i32) {
            self.0.push_back(input);
        }

        fn update(&mut self, now: Instant) {
            self.1.push(now);
        }

        fn outputs(&mut self) -> &mut VecDeque<i32> {
            &mut self.0
        }

        fn deadline(&self, now: Instant) -> Option<Instant> {
            Some(now)
        }
    }

    #[test]
    fn the_last_outputs_are_those_of_the_end() {
        let mut operator = Operator::of(EchoRole::default());
        for input in [1, 0, 2] {
            operator.handle(Instant::ZERO, input);
        }
        let outputs: Vec<i32> = std::iter::from_fn(|| operator.poll(Instant::ZERO)).collect();
        assert_eq!((outputs, operator.deadline()), (vec![1, 0], None));
        assert!(operator.1.is_empty(), "nothing is due after the end");
    }

    #[test]
    fn time_never_goes_back() {
        let mut operator = Operator::of(EchoRole::default());
        for millis in [20, 10, 30] {
            operator.poll(Instant::from_millis(millis));
        }
        assert_eq!(operator.1, [20, 20, 30].map(Instant::from_millis));
        assert_eq!(operator.deadline(), Some(Instant::from_millis(30)));
    }
}
