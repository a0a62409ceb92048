use core::fmt;
use std::io;

use serde::{Serialize, Serializer};
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

/// Why a service refused a request: an exception of the openrobots component.
///
/// # Source
/// joystick-genom3 1.2, *Throws* of its services. `e_nomem` is absent because Rust ends a process that runs out of
/// memory. [`Exception::Value`] is own: the component declares nothing for its setters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "ex", content = "detail")]
pub enum Exception {
    /// `e_noent`: no device has that name.
    #[serde(rename = "::joystick::e_noent")]
    NoEntry,
    /// `e_sdl`.
    #[serde(rename = "::joystick::e_sdl")]
    Sdl {
        /// The reason; at most 256 bytes are sent.
        #[serde(serialize_with = "start::<256, _>")]
        what: String,
    },
    /// `e_sys`.
    #[serde(rename = "::joystick::e_sys")]
    Sys {
        /// The operating system's error number.
        code: i16,
        /// The reason; at most 128 bytes are sent.
        #[serde(serialize_with = "start::<128, _>")]
        what: String,
    },
    /// `e_value`: a value was refused and nothing changed.
    #[serde(rename = "::joystick::e_value")]
    Value {
        /// Name, value and range.
        what: String,
    },
}

/// Why a device was not renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RenameRefused {
    /// No device has the current name.
    UnknownDevice,
    /// The requested name has no letter and no digit.
    NothingLeft {
        /// The requested name.
        name: String,
    },
    /// Another device has that name.
    Taken {
        /// The name of the port.
        name: String,
    },
}

impl From<RenameRefused> for Exception {
    fn from(refused: RenameRefused) -> Self {
        match refused {
            RenameRefused::UnknownDevice => Self::NoEntry,
            RenameRefused::NothingLeft { name } => {
                Self::Sdl { what: format!("name '{name}' has no letter and no digit of ASCII") }
            }
            RenameRefused::Taken { name } => Self::Sdl { what: format!("name in use: '{name}'") },
        }
    }
}

/// Formats it as JSON, `{"ex": <name>, "detail": {..}}`, the content of `genom_exdetail`.
impl fmt::Display for Exception {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut json = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut json, NumericEscapes);
        self.serialize(&mut serializer).map_err(|_| fmt::Error)?;
        f.write_str(core::str::from_utf8(&json).map_err(|_| fmt::Error)?)
    }
}

/// Compact JSON in which every control character is written by its number: a line feed is `\u000a`.
struct NumericEscapes;

impl Formatter for NumericEscapes {
    fn write_char_escape<W: io::Write + ?Sized>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        let escape = match escape {
            CharEscape::Backspace => CharEscape::AsciiControl(0x08),
            CharEscape::Tab => CharEscape::AsciiControl(0x09),
            CharEscape::LineFeed => CharEscape::AsciiControl(0x0a),
            CharEscape::FormFeed => CharEscape::AsciiControl(0x0c),
            CharEscape::CarriageReturn => CharEscape::AsciiControl(0x0d),
            other => other,
        };
        CompactFormatter.write_char_escape(writer, escape)
    }
}

/// Serializes the first `LONGEST` bytes, or slightly fewer where that would split a character.
fn start<const LONGEST: usize, S: Serializer>(what: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(safety::first_bytes(what, LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_is_json_that_names_it() {
        assert_eq!(Exception::NoEntry.to_string(), r#"{"ex":"::joystick::e_noent"}"#);
        let what = "a \"b\" \\ \n\u{1f3ae}".to_owned();
        assert_eq!(
            Exception::Sdl { what: what.clone() }.to_string(),
            "{\"ex\":\"::joystick::e_sdl\",\"detail\":{\"what\":\"a \\\"b\\\" \\\\ \\u000a\u{1f3ae}\"}}"
        );
        assert_eq!(
            Exception::Sys { code: 2, what: "/x: No such file or directory".into() }.to_string(),
            r#"{"ex":"::joystick::e_sys","detail":{"code":2,"what":"/x: No such file or directory"}}"#
        );
        assert_eq!(
            Exception::Value { what: "x is 1".into() }.to_string(),
            r#"{"ex":"::joystick::e_value","detail":{"what":"x is 1"}}"#
        );
    }

    #[test]
    fn a_reason_keeps_the_bounds_of_the_component() {
        let of_sdl = |what: String| Exception::Sdl { what }.to_string().matches(['y', 'é']).count();
        assert_eq!((of_sdl("y".repeat(256) + "y"), of_sdl("y".repeat(254) + "é")), (256 + 1, 255 + 1));
        assert_eq!(of_sdl("y".repeat(255) + "é"), 255 + 1, "a character is not split");
        let long = Exception::Sys { code: 1, what: "x".repeat(300) }.to_string();
        assert_eq!(long.matches("x").count(), 128 + 1, "128 and the one of the key ex");
    }
}
