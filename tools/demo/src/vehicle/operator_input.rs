/// The state of the operator's stick and buttons at a moment: levels, not edges.
///
/// Levels are published repeatedly, so a node that starts late receives them too; two levels make an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OperatorInput {
    /// The position of the stick; `None` while it is unplugged.
    pub stick: Option<Stick>,
    /// Whether motion is enabled.
    pub enable: bool,
    /// Whether the reset button is down; releasing it resets.
    pub reset: bool,
    /// Whether the e-stop button is pressed.
    pub estop: bool,
    /// Whether navigation drives when the stick does not.
    pub navigation: bool,
}

/// The position of a stick.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stick {
    /// Pushed forward, -1 to 1.
    pub forward: f64,
    /// Pushed to the left, -1 to 1.
    pub left: f64,
    /// Whether the dead-man button is down.
    pub held: bool,
}

/// Axes and buttons of the virtual stick.
const AXES: usize = 6;
const BUTTONS: usize = 11;
/// The stick's axes and its dead-man button, as `config/demo.yaml` maps them.
const LEFT_RIGHT: usize = 0;
const FORWARD_BACK: usize = 1;
const DEAD_MAN: usize = 5;

impl OperatorInput {
    /// The stick connected and released, nothing enabled, no button down, navigation paused.
    pub const REST: Self =
        Self { stick: Some(Stick::REST), enable: false, reset: false, estop: false, navigation: false };
}

impl Stick {
    /// Released.
    pub const REST: Self = Self { forward: 0.0, left: 0.0, held: false };

    /// Held and pushed.
    pub const fn pushed(forward: f64, left: f64) -> Self {
        Self { forward, left, held: true }
    }

    /// The raw axes and buttons, as a device reports them: forward and left are negative.
    pub fn raw(&self) -> (Vec<i16>, Vec<bool>) {
        let mut axes = vec![0; AXES];
        axes[LEFT_RIGHT] = count(-self.left);
        axes[FORWARD_BACK] = count(-self.forward);
        let mut buttons = vec![false; BUTTONS];
        buttons[DEAD_MAN] = self.held;
        (axes, buttons)
    }

    /// The stick that a device reports. Missing axes and buttons are at rest.
    pub fn from_raw(axes: &[i16], buttons: &[bool]) -> Self {
        let part = |axis: usize| axes.get(axis).map_or(0.0, |&raw| -f64::from(raw) / f64::from(i16::MAX));
        Self {
            forward: part(FORWARD_BACK).clamp(-1.0, 1.0),
            left: part(LEFT_RIGHT).clamp(-1.0, 1.0),
            held: buttons.get(DEAD_MAN).is_some_and(|&down| down),
        }
    }
}

/// A part of the full throw as a raw count; the cast saturates and makes 0 of NaN.
fn count(part: f64) -> i16 {
    (part * f64::from(i16::MAX)) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forward_and_left_are_negative_on_the_wire() {
        // 0.5 * 32767 = 16383.5, cut to 16383
        let (axes, buttons) = Stick::pushed(1.0, 0.5).raw();
        assert_eq!(axes, [-16383, -32767, 0, 0, 0, 0]);
        assert_eq!(buttons.iter().position(|&down| down), Some(5));
        assert_eq!((axes.len(), buttons.len()), (6, 11));
    }

    #[test]
    fn a_stick_survives_the_raw_format() {
        for stick in [Stick::REST, Stick::pushed(-1.0, 1.0), Stick { held: false, ..Stick::pushed(1.0, 0.0) }]
        {
            let (axes, buttons) = stick.raw();
            assert_eq!(Stick::from_raw(&axes, &buttons), stick);
        }
        // A device may report -32768, one count beyond full.
        assert_eq!(Stick::from_raw(&[0, i16::MIN], &[]).forward, 1.0);
        assert_eq!(Stick::from_raw(&[], &[]), Stick::REST);
    }
}
