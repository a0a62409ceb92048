//! The errors of a device.

use std::fmt;
use std::io;
use std::path::Path;
use std::time::Duration;

/// An error of a device. Its text names the device, the action and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The operating system returned an error.
    Io {
        /// The device's path.
        device: String,
        /// The action that failed.
        action: &'static str,
        /// The operating system's message.
        reason: String,
    },
    /// Another process holds the device.
    Busy {
        /// The device's path.
        device: String,
    },
    /// Another device than the one of the first opening.
    OtherDevice {
        /// The path.
        device: String,
        /// The device that is there.
        found: String,
        /// The device of the first opening.
        known: String,
    },
    /// A write timed out: the device does not accept the bytes.
    Blocked {
        /// The device's path.
        device: String,
        /// The action that failed.
        action: &'static str,
        /// How many bytes it accepted.
        wrote: usize,
        /// The number of bytes to write.
        of: usize,
        /// The time limit.
        limit: Duration,
    },
    /// The answer is missing or incomplete.
    NoAnswer {
        /// The device's path.
        device: String,
        /// The action that failed.
        action: &'static str,
        /// The bytes that were received.
        found: Vec<u8>,
        /// How many bytes an answer has.
        wanted: usize,
        /// The time limit.
        limit: Duration,
    },
    /// The answer violates the device's protocol, or its value is not the expected one.
    WrongAnswer {
        /// The device's path.
        device: String,
        /// The action that failed.
        action: &'static str,
        /// What it answered.
        found: String,
        /// What it should have answered.
        wanted: String,
    },
    /// The device reports error bits.
    DeviceFault {
        /// The device's path.
        device: String,
        /// The action that failed.
        action: &'static str,
        /// The error bits.
        bits: u32,
        /// Their names, separated by commas.
        names: String,
    },
    /// A driver or the event handler panicked.
    Panicked {
        /// The action that failed.
        action: &'static str,
        /// The panic's message.
        message: String,
    },
}

impl Error {
    /// An error of the operating system from `action` on `device`.
    pub(crate) fn io(device: &Path, action: &'static str, error: &io::Error) -> Error {
        Error::Io { device: device.display().to_string(), action, reason: error.to_string() }
    }

    /// Whether a retry may help: the line works and only this answer was missing or wrong.
    pub(crate) fn is_retriable(&self) -> bool {
        matches!(self, Error::NoAnswer { .. } | Error::WrongAnswer { .. })
    }
}

/// Bytes in hexadecimal: `84 00 70 2E`.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(" ")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Io { device, action, reason } => write!(f, "'{device}': {action}: {reason}"),
            Error::Busy { device } => write!(f, "'{device}' is held by another process"),
            Error::OtherDevice { device, found, known } => {
                write!(
                    f,
                    "'{device}' is {found}, not {known} as at first: plug that one in, or start again with this one"
                )
            }
            Error::Blocked { device, action, wrote, of, limit } => {
                write!(
                    f,
                    "'{device}': {action}: it accepted {wrote} of {of} bytes within {} ms",
                    limit.as_millis()
                )
            }
            Error::NoAnswer { device, action, found, wanted, limit } => {
                let (got, within) = (found.len(), limit.as_millis());
                write!(f, "'{device}': {action}: {got} of {wanted} bytes received within {within} ms")?;
                if got > 0 { write!(f, " ({})", hex(found)) } else { Ok(()) }
            }
            Error::WrongAnswer { device, action, found, wanted } => {
                write!(f, "'{device}': {action}: the answer is {found}, not {wanted}")
            }
            Error::DeviceFault { device, action, bits, names } => {
                write!(f, "'{device}': {action}: it reports {names} (0x{bits:X})")
            }
            Error::Panicked { action, message } => write!(f, "{action} panicked: {message}"),
        }
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_quotes_device_action_and_finding() {
        let device = || "/dev/motor".to_owned();
        let (action, limit) = ("reading its errors", Duration::from_millis(50));
        let error = Error::NoAnswer { device: device(), action, found: vec![0x0A], wanted: 2, limit };
        assert_eq!(
            error.to_string(),
            "'/dev/motor': reading its errors: 1 of 2 bytes received within 50 ms (0A)"
        );
        let error =
            Error::DeviceFault { device: device(), action, bits: 0x20, names: "serial timeout".into() };
        assert_eq!(error.to_string(), "'/dev/motor': reading its errors: it reports serial timeout (0x20)");
        let error = Error::Blocked { device: device(), action: "driving", wrote: 3, of: 8, limit };
        assert_eq!(error.to_string(), "'/dev/motor': driving: it accepted 3 of 8 bytes within 50 ms");
    }
}
