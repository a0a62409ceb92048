use ratatui::crossterm::event::KeyCode;
use ros::{Shell, Stop};

use crate::arm::keyboard::Key;
use crate::arm::machine::{Input, Operator};
use crate::arm::robot::{Controller, Joint};
use crate::arm::view::{self, Picture};
use crate::children::Children;
use crate::error::Error;
use crate::screen;

/// Draws the screen and passes keys on until the user quits.
/// # Errors
/// The node ended, or the terminal cannot be used.
pub fn run(shell: &Shell<Operator>, children: &mut Children, stop: &Stop, domain: u8) -> Result<(), Error> {
    let draw = |frame: &mut ratatui::Frame<'_>, now| {
        // Copied under the lock and drawn outside it, so no message waits for a frame.
        let picture = shell.inspect(|operator| Picture::of(operator, domain, now));
        view::draw(frame, &picture);
    };
    screen::run(children, stop, draw, |code| {
        if let Some(key) = key(code) {
            shell.deliver(Input::KeyPressed(key));
        }
    })
}

/// The meaning of a key.
fn key(code: KeyCode) -> Option<Key> {
    Some(match code {
        KeyCode::Char(digit @ '1'..='9') => {
            let index = usize::try_from(digit.to_digit(10)?).ok()?.checked_sub(1)?;
            Key::Toggle(*Controller::ALL.get(index)?)
        }
        // To the left is counter-clockwise from above, and up is a negative tilt.
        KeyCode::Left => Key::Nudge(Joint::Pan, true),
        KeyCode::Right => Key::Nudge(Joint::Pan, false),
        KeyCode::Up => Key::Nudge(Joint::Tilt, false),
        KeyCode::Down => Key::Nudge(Joint::Tilt, true),
        KeyCode::Char('t') => Key::Trajectory,
        KeyCode::Char('c') => Key::Cable,
        KeyCode::Char('w') => Key::WrongSwitch,
        KeyCode::Char('h') => Key::Halt,
        KeyCode::Char('r') => Key::Reset,
        KeyCode::Char('u') => Key::Unload,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_the_controllers_in_their_order() {
        let keys = ['0', '1', '5', '6', 'x'].map(|letter| key(KeyCode::Char(letter)));
        let toggle = |controller| Some(Key::Toggle(controller));
        let expected = [None, toggle(Controller::PanEffort), toggle(Controller::ArmTrajectory), None, None];
        assert_eq!(keys, expected);
    }

    #[test]
    fn up_raises_the_arm() {
        assert_eq!(key(KeyCode::Up), Some(Key::Nudge(Joint::Tilt, false)));
    }
}
