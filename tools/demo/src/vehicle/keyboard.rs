use core::time::Duration;

use ratatui::crossterm::event::KeyCode;
use safety::{Instant, earliest};

use crate::vehicle::operator_input::{OperatorInput, Stick};

/// A terminal reports key repeats, but no releases: the stick returns after this time without a repeat.
const RETURN: Duration = Duration::from_millis(250);
/// How long one press of the reset key holds the button down: the nodes must receive both levels.
const RESET: Duration = Duration::from_millis(200);
/// How far a key pushes the stick.
const DEFLECTION: f64 = 0.8;

/// The operator input from the keyboard.
#[derive(Clone, Copy, Debug)]
pub struct Keyboard {
    operator_input: OperatorInput,
    forward: Push,
    left: Push,
    reset_until: Option<Instant>,
}

/// One axis of the stick, and until when it stays there.
#[derive(Clone, Copy, Debug, Default)]
struct Push {
    part: f64,
    until: Option<Instant>,
}

impl Push {
    fn push(&mut self, part: f64, now: Instant) {
        *self = Self { part, until: Some(now + RETURN) };
    }

    fn at(&self, now: Instant) -> Option<f64> {
        self.until.filter(|&until| now < until).map(|_| self.part)
    }
}

impl Keyboard {
    /// Takes over the present input: the stick returns to rest and reset is released, all else stays.
    pub fn take_over(held: OperatorInput) -> Self {
        let operator_input = OperatorInput { stick: Some(Stick::REST), reset: false, ..held };
        Self { operator_input, forward: Push::default(), left: Push::default(), reset_until: None }
    }

    /// Handles a key press or repeat; returns whether the key has a meaning.
    pub fn press(&mut self, now: Instant, key: KeyCode) -> bool {
        let input = &mut self.operator_input;
        match key {
            KeyCode::Up | KeyCode::Char('w') => self.forward.push(DEFLECTION, now),
            KeyCode::Down | KeyCode::Char('s') => self.forward.push(-DEFLECTION, now),
            KeyCode::Left | KeyCode::Char('a') => self.left.push(DEFLECTION, now),
            KeyCode::Right | KeyCode::Char('d') => self.left.push(-DEFLECTION, now),
            KeyCode::Char('e') => input.enable = !input.enable,
            KeyCode::Char(' ') => input.estop = true,
            KeyCode::Char('r') => input.estop = false,
            KeyCode::Char('t') => self.reset_until = Some(now + RESET),
            KeyCode::Char('u') => input.stick = if input.stick.is_some() { None } else { Some(Stick::REST) },
            KeyCode::Char('n') => input.navigation = !input.navigation,
            _ => return false,
        }
        true
    }

    /// The operator input at `now`: the dead-man button is held only while the stick is pushed.
    pub fn operator_input(&self, now: Instant) -> OperatorInput {
        let (forward, left) = (self.forward.at(now), self.left.at(now));
        let pushed = Stick {
            forward: forward.unwrap_or_default(),
            left: left.unwrap_or_default(),
            held: forward.is_some() || left.is_some(),
        };
        OperatorInput {
            stick: self.operator_input.stick.map(|_| pushed),
            reset: self.reset_until.is_some_and(|until| now < until),
            ..self.operator_input
        }
    }

    /// When the input changes by itself.
    pub fn deadline(&self, now: Instant) -> Option<Instant> {
        let later = |at: Option<Instant>| at.filter(|&at| now < at);
        earliest(later(self.reset_until), earliest(later(self.forward.until), later(self.left.until)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Instant {
        Instant::from_millis(millis)
    }

    #[test]
    fn the_stick_returns_when_no_key_repeats() {
        let mut keyboard = Keyboard::take_over(OperatorInput::REST);
        keyboard.press(at(0), KeyCode::Up);
        assert_eq!(keyboard.operator_input(at(249)).stick, Some(Stick::pushed(0.8, 0.0)));
        assert_eq!(keyboard.deadline(at(0)), Some(at(250)));
        assert_eq!(
            keyboard.operator_input(at(250)).stick,
            Some(Stick::REST),
            "the dead-man button is released too"
        );
        assert_eq!(keyboard.deadline(at(250)), None);
        keyboard.press(at(200), KeyCode::Up);
        assert_eq!(
            keyboard.operator_input(at(449)).stick,
            Some(Stick::pushed(0.8, 0.0)),
            "a repeat holds it"
        );
    }

    #[test]
    fn two_keys_make_a_curve_and_the_opposite_key_turns_round() {
        let mut keyboard = Keyboard::take_over(OperatorInput::REST);
        keyboard.press(at(0), KeyCode::Up);
        keyboard.press(at(100), KeyCode::Right);
        assert_eq!(keyboard.operator_input(at(200)).stick, Some(Stick::pushed(0.8, -0.8)));
        assert_eq!(
            keyboard.operator_input(at(300)).stick,
            Some(Stick::pushed(0.0, -0.8)),
            "forward is over at 250 ms"
        );
        keyboard.press(at(310), KeyCode::Left);
        assert_eq!(keyboard.operator_input(at(320)).stick, Some(Stick::pushed(0.0, 0.8)));
    }

    #[test]
    fn one_press_of_reset_is_both_edges() {
        let mut keyboard = Keyboard::take_over(OperatorInput::REST);
        keyboard.press(at(0), KeyCode::Char('t'));
        assert!(keyboard.operator_input(at(199)).reset && !keyboard.operator_input(at(200)).reset);
        assert_eq!(keyboard.deadline(at(0)), Some(at(200)));
    }

    #[test]
    fn switches_stay() {
        let mut keyboard = Keyboard::take_over(OperatorInput::REST);
        for key in [KeyCode::Char('e'), KeyCode::Char(' '), KeyCode::Char('n'), KeyCode::Char('u')] {
            keyboard.press(at(0), key);
        }
        let on = OperatorInput { stick: None, enable: true, reset: false, estop: true, navigation: true };
        assert_eq!(keyboard.operator_input(at(10_000)), on);
        for key in [KeyCode::Char('e'), KeyCode::Char('r'), KeyCode::Char('n'), KeyCode::Char('u')] {
            keyboard.press(at(0), key);
        }
        assert_eq!(keyboard.operator_input(at(10_000)), OperatorInput::REST);
    }

    #[test]
    fn arrows_and_letters_push_the_stick() {
        for (arrow, letter) in
            [(KeyCode::Up, 'w'), (KeyCode::Down, 's'), (KeyCode::Left, 'a'), (KeyCode::Right, 'd')]
        {
            let sticks = [arrow, KeyCode::Char(letter)].map(|key| {
                let mut keyboard = Keyboard::take_over(OperatorInput::REST);
                assert!(keyboard.press(at(0), key));
                keyboard.operator_input(at(1)).stick
            });
            assert!(sticks[0] == sticks[1] && sticks[0] != Some(Stick::REST), "{sticks:?}");
        }
        assert!(!Keyboard::take_over(OperatorInput::REST).press(at(0), KeyCode::Char('x')));
    }

    #[test]
    fn an_unplugged_stick_cannot_be_pushed() {
        let mut keyboard = Keyboard::take_over(OperatorInput::REST);
        keyboard.press(at(0), KeyCode::Char('u'));
        keyboard.press(at(0), KeyCode::Up);
        assert_eq!(keyboard.operator_input(at(1)).stick, None);
    }

    #[test]
    fn taking_over_releases_the_stick_and_keeps_the_switches() {
        let held = OperatorInput {
            stick: Some(Stick::pushed(1.0, 1.0)),
            enable: true,
            reset: true,
            estop: true,
            navigation: true,
        };
        let keyboard = Keyboard::take_over(held);
        assert_eq!(
            keyboard.operator_input(at(0)),
            OperatorInput { stick: Some(Stick::REST), reset: false, ..held }
        );
    }
}
