use std::time::Duration;

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ros::{Latency, Shell, Stop, clock};
use world::Params;

use crate::children::Children;
use crate::error::Error;
use crate::keyboard::Key;
use crate::machine::{Input, Operator};
use crate::stages::Stage;
use crate::view::{self, Figures, Picture};

/// Time from frame to frame.
const FRAME: Duration = Duration::from_millis(50);
/// Time from figures to figures: sorting thousands of latencies is not for every frame.
const FIGURES: Duration = Duration::from_millis(500);

/// Draws the screen and passes keys on until the user quits.
/// # Errors
/// A node ended, or the terminal cannot be used.
pub fn run(
    shell: &Shell<Operator>,
    children: &mut Children,
    stop: &Stop,
    gamepad: Option<&str>,
    domain: u8,
) -> Result<(), Error> {
    let mut terminal = ratatui::try_init().map_err(Error::io("take over the terminal"))?;
    let _restored = Restored;
    let world = Params::default();
    let mut figures = [Figures::default(); 4];
    let mut figures_due = clock::now();
    while !stop.is_set() {
        if let Some(error) = children.ended() {
            return Err(error);
        }
        let now = clock::now();
        if now >= figures_due {
            figures_due = now + FIGURES;
            figures = measure(shell);
        }
        let (observed, operator_input, pilot, missing) = shell.inspect(|operator| {
            (operator.observed().clone(), operator.operator_input(), operator.pilot(), operator.missing())
        });
        let picture = Picture {
            observed: &observed,
            operator_input,
            pilot,
            missing: &missing,
            figures: &figures,
            world: &world,
            gamepad,
            domain,
            now,
        };
        terminal.draw(|frame| view::draw(frame, &picture)).map_err(Error::io("draw the screen"))?;
        let frame_ends = now + FRAME;
        loop {
            let left = frame_ends.since(clock::now());
            if !event::poll(left).map_err(Error::io("wait for keys"))? {
                break;
            }
            match event::read().map_err(Error::io("read the keys"))? {
                Event::Key(key) if key.kind != KeyEventKind::Release => match command(&key) {
                    Some(Command::Quit) => return Ok(()),
                    Some(Command::Key(key)) => shell.deliver(Input::KeyPressed(key)),
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

/// Copies under the lock and sorts outside it, so no message waits for a figure.
fn measure(shell: &Shell<Operator>) -> [Figures; 4] {
    Stage::ALL.map(|stage| {
        let (rate, latency): (Option<f64>, Latency) = shell.inspect(|operator| {
            let traffic = operator.traffic(stage);
            (traffic.rate(), traffic.latency.clone())
        });
        Figures { rate, latency: latency.quantiles() }
    })
}

enum Command {
    Key(Key),
    Quit,
}

/// The command of a key. Ctrl-C is an ordinary key here, and quits.
fn command(event: &KeyEvent) -> Option<Command> {
    let control = event.modifiers.contains(KeyModifiers::CONTROL);
    let key = match event.code {
        KeyCode::Char('c' | 'C') if control => return Some(Command::Quit),
        _ if control => return None,
        KeyCode::Up | KeyCode::Char('w' | 'W') => Key::Forward,
        KeyCode::Down | KeyCode::Char('s' | 'S') => Key::Back,
        KeyCode::Left | KeyCode::Char('a' | 'A') => Key::Left,
        KeyCode::Right | KeyCode::Char('d' | 'D') => Key::Right,
        KeyCode::Char('e' | 'E') => Key::Enable,
        KeyCode::Char(' ') => Key::PressEstop,
        KeyCode::Char('r' | 'R') => Key::ReleaseEstop,
        KeyCode::Char('t' | 'T') => Key::Reset,
        KeyCode::Char('u' | 'U') => Key::Plug,
        KeyCode::Char('n' | 'N') => Key::Navigation,
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => return Some(Command::Quit),
        _ => return None,
    };
    Some(Command::Key(key))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(code: KeyCode, modifiers: KeyModifiers) -> Option<Command> {
        command(&KeyEvent::new(code, modifiers))
    }

    #[test]
    fn keys_mean_the_same_in_both_cases() {
        for (small, large, key) in [('w', 'W', Key::Forward), ('e', 'E', Key::Enable), ('t', 'T', Key::Reset)]
        {
            for code in [small, large] {
                let meant = meaning(KeyCode::Char(code), KeyModifiers::NONE);
                assert!(matches!(meant, Some(Command::Key(k)) if k == key), "{code}");
            }
        }
    }

    #[test]
    fn keys_with_control_do_not_drive() {
        assert!(matches!(meaning(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Command::Quit)));
        for code in ['w', 'a', 's', 'd', 'e', 'r', 't'] {
            assert!(meaning(KeyCode::Char(code), KeyModifiers::CONTROL).is_none());
        }
    }
}
