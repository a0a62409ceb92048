//! The errors of a device.

use std::io;
use std::path::Path;
use std::time::Duration;

/// An error of a device. Its text names the device, the action and what was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The operating system returned an error.
    #[error("'{device}': {action}: {reason}")]
    Io {
        /// The device's path.
        device: String,
        /// The action that failed.
        action: &'static str,
        /// The operating system's message.
        reason: String,
    },
    /// Another process holds the device.
    #[error("'{device}' is held by another process")]
    Busy {
        /// The device's path.
        device: String,
    },
    /// Another device than the one of the first opening.
    #[error("'{device}' is {found}, not {known} as at first: plug that one in, or start again with this one")]
    OtherDevice {
        /// The path.
        device: String,
        /// The device that is there.
        found: String,
        /// The device of the first opening.
        known: String,
    },
    /// A write timed out: the device does not accept the bytes.
    #[error("'{device}': {action}: it accepted {wrote} of {of} bytes within {} ms", .limit.as_millis())]
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
    #[error("'{device}': {action}: {} of {wanted} bytes received within {} ms{}", .found.len(), .limit.as_millis(), in_brackets(.found))]
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
    #[error("'{device}': {action}: the answer is {found}, not {wanted}")]
    WrongAnswer {
        /// The device's path.
        device: String,
        /// The action that failed.
        action: &'static str,
        /// The answer of the device.
        found: String,
        /// The expected answer.
        wanted: String,
    },
    /// The device reports error bits.
    #[error("'{device}': {action}: it reports {names} (0x{bits:X})")]
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
    #[error("{action} panicked: {message}")]
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

/// The bytes after a sentence, if there are some: ` (84 00)`.
fn in_brackets(bytes: &[u8]) -> String {
    if bytes.is_empty() { String::new() } else { format!(" ({})", hex(bytes)) }
}

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
