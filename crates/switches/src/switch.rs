use core::time::Duration;

/// The message type of a source's topic: the values of `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageType {
    /// `std_msgs/msg/Bool`.
    Bool,
    /// `sensor_msgs/msg/Joy`.
    Joy,
}

params::choices! { MessageType: Bool = "bool", Joy = "joy" }

/// Whether messages of a source may be lost: the values of `reliability`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reliability {
    /// A best-effort publisher is refused.
    Reliable,
    /// Any publisher is accepted.
    BestEffort,
}

params::choices! { Reliability: Reliable = "reliable", BestEffort = "best_effort" }

/// Whether a source's last message is sent to those that subscribe later: the values of `durability`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// It is not, or it is not asked for.
    Volatile,
    /// It is: a latched topic.
    TransientLocal,
}

params::choices! { Durability: Volatile = "volatile", TransientLocal = "transient_local" }

/// The part of a source's message that is the switch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Source {
    /// The whole of a `std_msgs/msg/Bool`.
    Bool,
    /// The button of this number of a `sensor_msgs/msg/Joy`: true is pressed.
    Button(usize),
    /// An axis of a `sensor_msgs/msg/Joy`.
    Axis {
        /// Its number.
        axis: usize,
        /// It is true above this value.
        threshold: f64,
    },
}

/// Why a message says nothing; as text, words that follow "the last message".
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Invalid {
    /// It has no such button.
    #[error("has no button {button}: there are {count}")]
    NoButton {
        /// The number of the button.
        button: usize,
        /// How many buttons the message has.
        count: usize,
    },
    /// The button is neither pressed nor released.
    #[error("has button {button} at {value}, must be 0 or 1")]
    NoState {
        /// The number of the button.
        button: usize,
        /// Its value.
        value: i32,
    },
    /// It has no such axis.
    #[error("has no axis {axis}: there are {count}")]
    NoAxis {
        /// The number of the axis.
        axis: usize,
        /// How many axes the message has.
        count: usize,
    },
    /// The axis is NaN or infinite.
    #[error("has axis {axis} at {value}, must be finite")]
    NotFinite {
        /// The number of the axis.
        axis: usize,
        /// Its value.
        value: f32,
    },
    /// The source is of another type.
    #[error("is of another type than its switch")]
    AnotherType,
}

impl Source {
    /// Its message type.
    pub const fn message_type(self) -> MessageType {
        match self {
            Self::Bool => MessageType::Bool,
            Self::Button(_) | Self::Axis { .. } => MessageType::Joy,
        }
    }

    /// The state of the switch in a `sensor_msgs/msg/Joy`, before it is inverted.
    /// # Errors
    /// [`Invalid`]: the message has no such button or axis, or its value is none of a switch.
    pub fn of_joy(self, axes: &[f32], buttons: &[i32]) -> Result<bool, Invalid> {
        match self {
            Self::Bool => Err(Invalid::AnotherType),
            Self::Button(button) => match buttons.get(button) {
                None => Err(Invalid::NoButton { button, count: buttons.len() }),
                Some(0) => Ok(false),
                Some(1) => Ok(true),
                Some(&value) => Err(Invalid::NoState { button, value }),
            },
            Self::Axis { axis, threshold } => match axes.get(axis) {
                None => Err(Invalid::NoAxis { axis, count: axes.len() }),
                Some(&value) if !value.is_finite() => Err(Invalid::NotFinite { axis, value }),
                Some(&value) => Ok(f64::from(value) > threshold),
            },
        }
    }
}

/// A switch to relay.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// The name in the parameters.
    pub name: String,
    /// The topic of its source.
    pub from: String,
    /// The part of the source's messages that is the switch.
    pub source: Source,
    /// Whether the source's messages may be lost.
    pub reliability: Reliability,
    /// Whether the source's last message is asked for.
    pub durability: Durability,
    /// The topic on which it is published.
    pub to: String,
    /// Whether what is published is the opposite of the source.
    pub invert: bool,
    /// A source must repeat within this time; `None` if it publishes on change only.
    pub timeout: Option<Duration>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_button_is_pressed_or_released_and_nothing_else() {
        let of = |button, buttons: &[i32]| Source::Button(button).of_joy(&[1.0], buttons);
        assert_eq!([of(0, &[1, 0]), of(1, &[1, 0])], [Ok(true), Ok(false)]);
        assert_eq!(of(2, &[1, 0]).unwrap_err().to_string(), "has no button 2: there are 2");
        assert_eq!(of(0, &[]).unwrap_err().to_string(), "has no button 0: there are 0");
        for value in [-1, 2, i32::MIN, i32::MAX] {
            assert_eq!(of(0, &[value]), Err(Invalid::NoState { button: 0, value }));
        }
    }

    #[test]
    fn an_axis_is_true_above_its_threshold() {
        let of = |threshold, value| Source::Axis { axis: 1, threshold }.of_joy(&[0.0, value], &[1]);
        assert_eq!([of(0.5, 0.5), of(0.5, 0.6), of(0.5, -1.0)], [Ok(false), Ok(true), Ok(false)]);
        assert_eq!([of(-0.5, -1.0), of(-0.5, 0.0)], [Ok(false), Ok(true)]);
        let absent = Source::Axis { axis: 1, threshold: 0.5 }.of_joy(&[0.0], &[1]);
        assert_eq!(absent.unwrap_err().to_string(), "has no axis 1: there are 1");
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(matches!(of(0.5, value), Err(Invalid::NotFinite { axis: 1, .. })), "{value}");
        }
    }

    #[test]
    fn a_joy_is_no_bool() {
        assert_eq!(Source::Bool.of_joy(&[1.0], &[1]), Err(Invalid::AnotherType));
    }
}
