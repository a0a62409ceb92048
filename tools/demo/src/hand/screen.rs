use ratatui::crossterm::event::KeyCode;
use ros::{Shell, Stop};

use crate::children::Children;
use crate::error::Error;
use crate::hand::keyboard::Key;
use crate::hand::machine::{Input, Operator};
use crate::hand::view::{self, Picture};
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
            Key::Grasp(usize::try_from(digit.to_digit(10)?).ok()?.checked_sub(1)?)
        }
        KeyCode::Up | KeyCode::Char('+') => Key::Close,
        KeyCode::Down | KeyCode::Char('-') => Key::Open,
        KeyCode::Char(' ') => Key::LetGo,
        KeyCode::Char('o') => Key::Ball,
        KeyCode::Char('w') => Key::WrongCommand,
        KeyCode::Char('c') => Key::Cable,
        KeyCode::Char('r') => Key::Reset,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_the_grasps_in_their_order() {
        let keys = ['0', '1', '8', 'x'].map(|letter| key(KeyCode::Char(letter)));
        assert_eq!(keys, [None, Some(Key::Grasp(0)), Some(Key::Grasp(7)), None]);
    }

    #[test]
    fn up_and_plus_close_the_hand() {
        assert_eq!([KeyCode::Up, KeyCode::Char('+')].map(key), [Some(Key::Close); 2]);
        assert_eq!([KeyCode::Down, KeyCode::Char('-')].map(key), [Some(Key::Open); 2]);
        assert_eq!(key(KeyCode::Char(' ')), Some(Key::LetGo));
    }
}
