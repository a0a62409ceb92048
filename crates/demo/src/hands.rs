use core::time::Duration;

use units::{Instant, earliest};

use crate::wish::{Stick, Wish};

/// A key that means something to the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Pushes the stick forward.
    Forward,
    /// Pulls the stick back.
    Back,
    /// Pushes the stick to the left.
    Left,
    /// Pushes the stick to the right.
    Right,
    /// Enables motion, or takes that back.
    Enable,
    /// Presses the e-stop.
    PressEstop,
    /// Releases the e-stop.
    ReleaseEstop,
    /// Presses reset and lets it go.
    Reset,
    /// Pulls the stick out, or plugs it in again.
    Plug,
    /// Pauses navigation, or lets it go on.
    Navigation,
}

/// A terminal tells that a key repeats, not that it was let go: the stick returns after this long without a repeat.
const RETURN: Duration = Duration::from_millis(250);
/// How long one press of the reset key holds the button down: the nodes must see both levels.
const RESET: Duration = Duration::from_millis(200);
/// How far a key pushes the stick.
const THROW: f64 = 0.8;

/// The operator's hands at the keyboard.
#[derive(Clone, Copy, Debug)]
pub struct Hands {
    wish: Wish,
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

impl Hands {
    /// Takes over what somebody else held: the stick returns to rest and reset is let go, all else stays.
    pub fn take_over(held: Wish) -> Self {
        let wish = Wish { stick: Some(Stick::REST), reset: false, ..held };
        Self { wish, forward: Push::default(), left: Push::default(), reset_until: None }
    }

    /// A key was pressed, or repeats.
    pub fn press(&mut self, now: Instant, key: Key) {
        match key {
            Key::Forward => self.forward.push(THROW, now),
            Key::Back => self.forward.push(-THROW, now),
            Key::Left => self.left.push(THROW, now),
            Key::Right => self.left.push(-THROW, now),
            Key::Enable => self.wish.enable = !self.wish.enable,
            Key::PressEstop => self.wish.estop = true,
            Key::ReleaseEstop => self.wish.estop = false,
            Key::Reset => self.reset_until = Some(now + RESET),
            Key::Plug => {
                self.wish.stick = if self.wish.stick.is_some() { None } else { Some(Stick::REST) };
            }
            Key::Navigation => self.wish.navigation = !self.wish.navigation,
        }
    }

    /// What is held at `now`: the dead-man button only while the stick is pushed.
    pub fn wish(&self, now: Instant) -> Wish {
        let (forward, left) = (self.forward.at(now), self.left.at(now));
        let pushed = Stick {
            forward: forward.unwrap_or_default(),
            left: left.unwrap_or_default(),
            held: forward.is_some() || left.is_some(),
        };
        Wish {
            stick: self.wish.stick.map(|_| pushed),
            reset: self.reset_until.is_some_and(|until| now < until),
            ..self.wish
        }
    }

    /// When the wish changes by itself.
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
        let mut hands = Hands::take_over(Wish::REST);
        hands.press(at(0), Key::Forward);
        assert_eq!(hands.wish(at(249)).stick, Some(Stick::pushed(0.8, 0.0)));
        assert_eq!(hands.deadline(at(0)), Some(at(250)));
        assert_eq!(hands.wish(at(250)).stick, Some(Stick::REST), "the dead-man button is let go too");
        assert_eq!(hands.deadline(at(250)), None);
        hands.press(at(200), Key::Forward);
        assert_eq!(hands.wish(at(449)).stick, Some(Stick::pushed(0.8, 0.0)), "a repeat holds it");
    }

    #[test]
    fn two_keys_make_a_curve_and_the_opposite_key_turns_round() {
        let mut hands = Hands::take_over(Wish::REST);
        hands.press(at(0), Key::Forward);
        hands.press(at(100), Key::Right);
        assert_eq!(hands.wish(at(200)).stick, Some(Stick::pushed(0.8, -0.8)));
        assert_eq!(hands.wish(at(300)).stick, Some(Stick::pushed(0.0, -0.8)), "forward is over at 250 ms");
        hands.press(at(310), Key::Left);
        assert_eq!(hands.wish(at(320)).stick, Some(Stick::pushed(0.0, 0.8)));
    }

    #[test]
    fn one_press_of_reset_is_both_edges() {
        let mut hands = Hands::take_over(Wish::REST);
        hands.press(at(0), Key::Reset);
        assert!(hands.wish(at(199)).reset && !hands.wish(at(200)).reset);
        assert_eq!(hands.deadline(at(0)), Some(at(200)));
    }

    #[test]
    fn switches_stay() {
        let mut hands = Hands::take_over(Wish::REST);
        for key in [Key::Enable, Key::PressEstop, Key::Navigation, Key::Plug] {
            hands.press(at(0), key);
        }
        let on = Wish { stick: None, enable: true, reset: false, estop: true, navigation: true };
        assert_eq!(hands.wish(at(10_000)), on);
        for key in [Key::Enable, Key::ReleaseEstop, Key::Navigation, Key::Plug] {
            hands.press(at(0), key);
        }
        assert_eq!(hands.wish(at(10_000)), Wish::REST);
    }

    #[test]
    fn an_unplugged_stick_cannot_be_pushed() {
        let mut hands = Hands::take_over(Wish::REST);
        hands.press(at(0), Key::Plug);
        hands.press(at(0), Key::Forward);
        assert_eq!(hands.wish(at(1)).stick, None);
    }

    #[test]
    fn taking_over_lets_the_stick_go_and_keeps_the_switches() {
        let held = Wish {
            stick: Some(Stick::pushed(1.0, 1.0)),
            enable: true,
            reset: true,
            estop: true,
            navigation: true,
        };
        let hands = Hands::take_over(held);
        assert_eq!(hands.wish(at(0)), Wish { stick: Some(Stick::REST), reset: false, ..held });
    }
}
