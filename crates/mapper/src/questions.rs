//! What is asked, what can be heard, and what is answered.

use gamepad::Hat;

use crate::mapping::{Mapping, Motion, Switch};

/// What happens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Input {
    /// An axis moved to a raw value.
    Axis(usize, i16),
    /// A button went down or up.
    Button(usize, bool),
    /// A hat moved.
    Hat(usize, Hat),
    /// The device is gone.
    Gone,
    /// The user pressed Enter.
    Enter,
    /// The user has had enough.
    Quit,
}

/// What comes of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Output {
    /// A sentence for the user.
    Say(String),
    /// All is answered.
    Done(Mapping),
    /// Nothing will come of it; why.
    Failed(String),
}

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub enum Question {
    /// An axis.
    Axis(Motion),
    /// A button.
    Button(Switch),
}

/// All questions in their order, and whether an answer is needed.
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
    /// It cannot.
    Yes,
    /// It can.
    No,
}
