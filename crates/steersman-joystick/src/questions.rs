//! The questions, and the inputs and outputs of the mapper.

use gamepad::Hat;

use crate::mapping::{Mapping, Motion, Switch};

/// An input of the mapper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Input {
    /// An axis moved to a raw value.
    Axis(usize, i16),
    /// A button went down or up.
    Button(usize, bool),
    /// A hat moved.
    Hat(usize, Hat),
    /// The device was disconnected.
    Gone,
    /// The user pressed Enter.
    Enter,
    /// The user quits.
    Quit,
}

/// An output of the mapper.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// A sentence for the user.
    Print(String),
    /// All questions are answered.
    Done(Mapping),
    /// The mapping failed; with the reason.
    Failed(String),
}

/// A question.
#[derive(Debug, Clone, Copy)]
pub enum Question {
    /// An axis.
    Axis(Motion),
    /// A button.
    Button(Switch),
}

/// All questions in order, and whether an answer is required.
pub const QUESTIONS: [(Question, Needed); 7] = [
    (Question::Axis(Motion::Drive), Needed::Yes),
    (Question::Axis(Motion::Turn), Needed::Yes),
    (Question::Axis(Motion::Strafe), Needed::No),
    (Question::Axis(Motion::Rise), Needed::No),
    (Question::Button(Switch::On), Needed::Yes),
    (Question::Button(Switch::Slow), Needed::No),
    (Question::Button(Switch::Toggle), Needed::No),
];

/// Whether a question can be skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// An answer is required.
    Yes,
    /// It can be skipped.
    No,
}
