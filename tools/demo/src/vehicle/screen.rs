use std::time::Duration;

use ratatui::crossterm::event::KeyCode;
use ros::{Latency, Shell, Stop, clock};
use simulator::Params;

use crate::children::Children;
use crate::error::Error;
use crate::screen;
use crate::vehicle::keyboard::Key;
use crate::vehicle::machine::{Input, Operator};
use crate::vehicle::stages::Stage;
use crate::vehicle::view::{self, Figures, Picture};

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
    let world = Params::default();
    let mut figures = [Figures::default(); 4];
    let mut figures_due = clock::now();
    let draw = |frame: &mut ratatui::Frame<'_>, now| {
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
        view::draw(frame, &picture);
    };
    screen::run(children, stop, draw, |code| {
        if let Some(key) = key(code) {
            shell.deliver(Input::KeyPressed(key));
        }
    })
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

/// The meaning of a key.
fn key(code: KeyCode) -> Option<Key> {
    Some(match code {
        KeyCode::Up | KeyCode::Char('w') => Key::Forward,
        KeyCode::Down | KeyCode::Char('s') => Key::Back,
        KeyCode::Left | KeyCode::Char('a') => Key::Left,
        KeyCode::Right | KeyCode::Char('d') => Key::Right,
        KeyCode::Char('e') => Key::Enable,
        KeyCode::Char(' ') => Key::PressEstop,
        KeyCode::Char('r') => Key::ReleaseEstop,
        KeyCode::Char('t') => Key::Reset,
        KeyCode::Char('u') => Key::Plug,
        KeyCode::Char('n') => Key::Navigation,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrows_and_letters_push_the_stick() {
        for (arrow, letter, pushed) in [
            (KeyCode::Up, 'w', Key::Forward),
            (KeyCode::Down, 's', Key::Back),
            (KeyCode::Left, 'a', Key::Left),
        ] {
            assert_eq!([arrow, KeyCode::Char(letter)].map(key), [Some(pushed); 2]);
        }
        assert_eq!([KeyCode::Char('e'), KeyCode::Char('x')].map(key), [Some(Key::Enable), None]);
    }
}
