//! Errors, one sentence each.

use std::time::Duration;

/// Why SDL could not be started, or a request failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// SDL did not start, with SDL's message. Also if another [`Gamepads`](crate::Gamepads) of the process still
    /// runs.
    #[error("SDL could not start: {0}")]
    Sdl(String),
    /// The operating system refused the SDL thread or the file descriptor that wakes it.
    #[error("the SDL thread could not be created: {0}")]
    Thread(#[source] std::io::Error),
    /// The SDL thread has ended: [`Gamepads`](crate::Gamepads) was stopped, or its sink panicked.
    #[error("the SDL thread has ended, no joystick is read any more")]
    Ended,
    /// Called from inside the sink, where waiting for the SDL thread would be a deadlock.
    #[error("a virtual joystick cannot be plugged in from inside the sink")]
    InsideSink,
    /// Requests for more devices than can exist are pending; the SDL thread hangs, or the ids are invalid.
    #[error("device {id} cannot be commanded: requests for too many devices are pending")]
    TooManyWaiting {
        /// The given id.
        id: u32,
    },
    /// A virtual joystick's name contains a NUL character.
    #[error("the joystick name {0:?} contains a NUL character")]
    Name(String),
    /// A virtual joystick with more axes, buttons or hats than SDL supports was requested.
    #[error("a virtual joystick cannot have {asked} {what}, at most {most}")]
    TooMany {
        /// `"axes"`, `"buttons"` or `"hats"`.
        what: &'static str,
        /// The requested number.
        asked: usize,
        /// The maximum.
        most: usize,
    },
    /// SDL did not connect the virtual joystick of this name in time: its thread hangs, for example while it opens a
    /// device that does not respond, or the sink blocks.
    #[error("the virtual joystick {name:?} could not be plugged in: SDL hangs, no answer for {waited:?}")]
    NoAnswer {
        /// The requested name.
        name: String,
        /// How long the call waited.
        waited: Duration,
    },
    /// SDL refused the virtual joystick of this name.
    #[error("the virtual joystick {name:?} could not be plugged in: {reason}")]
    Plug {
        /// The requested name.
        name: String,
        /// SDL's message.
        reason: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_quotes_the_request_and_the_limit() {
        let error = Error::TooMany { what: "axes", asked: 300, most: 255 };
        assert_eq!(error.to_string(), "a virtual joystick cannot have 300 axes, at most 255");
        assert_eq!(
            Error::Name("a\0b".into()).to_string(),
            "the joystick name \"a\\0b\" contains a NUL character"
        );
    }
}
