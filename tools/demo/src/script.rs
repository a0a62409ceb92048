use core::time::Duration;

use safety::Instant;

/// A script: steps one after the other, each for its part of the length.
#[derive(Clone, Copy, Debug)]
pub struct Script<S: 'static> {
    steps: &'static [(S, u32)],
    length: Duration,
}

/// The place in a script.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place<S> {
    /// When the script began.
    pub began: Instant,
    /// The index of the step.
    pub index: usize,
    /// The step.
    pub step: S,
    /// When the step ends, unless a call is not answered then.
    pub ends: Instant,
}

/// An act with the time of its begin.
#[derive(Clone, Debug)]
pub struct Episode<A> {
    /// The act.
    pub act: A,
    /// When it began.
    pub began: Instant,
}

impl<S: Copy> Script<S> {
    /// A script of these steps, each with its share of the length in percent; calls that take long lengthen it.
    pub const fn of(steps: &'static [(S, u32)], length: Duration) -> Self {
        Self { steps, length }
    }

    /// How many steps there are.
    pub const fn count(&self) -> usize {
        self.steps.len()
    }

    /// The step with this index, and its part of the length; `None` after the last.
    pub fn part(&self, index: usize) -> Option<(S, Duration)> {
        let (step, share) = self.steps.get(index)?;
        Some((*step, self.length * *share / 100))
    }
}
