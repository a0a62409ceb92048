use std::time::Duration;

use ratatui::Frame;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ros::{Stop, clock};
use safety::Instant;

use crate::children::Children;
use crate::error::Error;

/// Time from frame to frame.
const FRAME: Duration = Duration::from_millis(50);

/// Draws frames with `draw` and passes keys on to `press` until the user quits.
/// # Errors
/// A node ended, or the terminal cannot be used.
pub fn run(
    children: &mut Children,
    stop: &Stop,
    mut draw: impl FnMut(&mut Frame<'_>, Instant),
    mut press: impl FnMut(KeyCode),
) -> Result<(), Error> {
    let mut terminal = ratatui::try_init().map_err(Error::io("take over the terminal"))?;
    let _restored = Restored;
    while !stop.is_set() {
        if let Some(error) = children.ended() {
            return Err(error);
        }
        let now = clock::now();
        terminal.draw(|frame| draw(frame, now)).map_err(Error::io("draw the screen"))?;
        let frame_ends = now + FRAME;
        loop {
            let left = frame_ends.since(clock::now());
            if !event::poll(left).map_err(Error::io("wait for keys"))? {
                break;
            }
            match event::read().map_err(Error::io("read the keys"))? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match pressed(&key) {
                    Some(Pressed::Quit) => return Ok(()),
                    Some(Pressed::Key(code)) => press(code),
                    None => {}
                },
                _ => {}
            }
        }
    }
    Ok(())
}

/// Restores the terminal when it is dropped; a panic does so by ratatui's own hook.
struct Restored;

impl Drop for Restored {
    fn drop(&mut self) {
        ratatui::restore();
    }
}

#[derive(Debug, PartialEq)]
enum Pressed {
    /// A key for the operator; letters are small.
    Key(KeyCode),
    Quit,
}

/// Ctrl-C is an ordinary key here, and quits. Others with Ctrl mean nothing.
fn pressed(event: &KeyEvent) -> Option<Pressed> {
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    match event.code {
        KeyCode::Char('c' | 'C') if control => Some(Pressed::Quit),
        _ if control => None,
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Some(Pressed::Quit),
        KeyCode::Char(letter) => Some(Pressed::Key(KeyCode::Char(letter.to_ascii_lowercase()))),
        code => Some(Pressed::Key(code)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(code: KeyCode, modifiers: KeyModifiers) -> Option<Pressed> {
        pressed(&KeyEvent::new(code, modifiers))
    }

    #[test]
    fn keys_mean_the_same_in_both_cases() {
        for letter in ['w', 'W'] {
            let meant = meaning(KeyCode::Char(letter), KeyModifiers::NONE);
            assert_eq!(meant, Some(Pressed::Key(KeyCode::Char('w'))));
        }
        assert_eq!(meaning(KeyCode::Char('Q'), KeyModifiers::NONE), Some(Pressed::Quit));
    }

    #[test]
    fn keys_with_control_do_not_drive() {
        assert_eq!(meaning(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Pressed::Quit));
        for code in ['w', 'a', 's', 'd', 'e', 'r', 't'] {
            assert_eq!(meaning(KeyCode::Char(code), KeyModifiers::CONTROL), None);
        }
    }
}
