use core::time::Duration;

use safety::{Instant, MessageTime};

use crate::controllers::Message;

/// The last number that a controller received on its input, with its time.
///
/// A number that is not finite is ignored, as a message that did not arrive: the one before it expires.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Setpoint {
    value: Option<(f64, MessageTime)>,
}

impl Setpoint {
    /// Takes a message of one number, which counts from `now` on, or the end of what was commanded.
    pub fn receive(&mut self, message: &Message, now: Instant) {
        match *message {
            Message::Float(value) if value.is_finite() => {
                self.value = Some((value, MessageTime::new(now, Duration::ZERO)));
            }
            Message::Stop => self.reset(),
            _ => {}
        }
    }

    /// Forgets it, as at a start: what was commanded before moves nothing.
    pub fn reset(&mut self) {
        self.value = None;
    }

    /// The number, if it is younger than `timeout` at `now`.
    pub fn fresh(&self, now: Instant, timeout: Duration) -> Option<f64> {
        self.value.filter(|(_, time)| !time.is_expired(now, timeout)).map(|(value, _)| value)
    }

    /// The number, however old.
    pub fn last(&self) -> Option<f64> {
        self.value.map(|(value, _)| value)
    }
}
