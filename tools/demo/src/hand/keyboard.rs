use crate::hand::act::{Act, Feels};
use crate::hand::machine::{Grip, User};
use crate::hand::script::CLOSED;

/// A key with a meaning for the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Moves the fingers by the grasp with this index.
    Grasp(usize),
    /// Closes the grasp further.
    Close,
    /// Opens it further.
    Open,
    /// Opens it all the way.
    LetGo,
    /// Puts the ball there, or takes it away.
    Ball,
    /// Gives a wrong command.
    WrongCommand,
    /// Pulls the commander's cable, or plugs it in again.
    Cable,
    /// Resets the hand.
    Reset,
}

/// How much further a grasp is closed or opened by one key.
const PART: f32 = 0.1;

/// Act of the operator for `key`; nothing if the hand has no such grasp, or none is set.
pub fn act(key: Key, operator: &User) -> Option<Act> {
    let set = operator.grip();
    let level = |by: f32| set.map(|grip| Grip { level: part(grip.level + by), ..grip });
    let grip = match key {
        Key::Grasp(grasp) => {
            let closed = set.map(|grip| grip.level).filter(|level| *level > 0.0);
            Some(Grip { grasp, level: closed.unwrap_or(CLOSED) })
        }
        Key::Close => level(PART),
        Key::Open => level(-PART),
        Key::LetGo => level(-1.0),
        Key::Ball => return Some(Act::Ball(!operator.has_ball())),
        Key::WrongCommand => return Some(Act::WrongCommand),
        Key::Cable if operator.commander().is_pulled() => {
            return Some(Act::Plug(operator.commander().is_active()));
        }
        Key::Cable => return Some(Act::Pull),
        Key::Reset => return Some(Act::Reset),
    }?;
    let name = operator.device().grasps.get(grip.grasp)?.clone();
    // With a ball it depends on the grasp what is felt.
    let feels = if operator.has_ball() { Feels::Anything } else { Feels::Nothing };
    Some(Act::Grasp { name, level: grip.level, feels })
}

/// A level from 0 to 1 in tenths.
fn part(level: f32) -> f32 {
    (level.clamp(0.0, 1.0) * 10.0).round() / 10.0
}
