//! The settings of a device.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::driver::Driver;
use crate::error::Error;
use crate::line::{ANSWER_LIMIT, Line};
use crate::pololu::{LAST_CHANNEL, Maestro};
use crate::roboclaw::RoboClaw;

/// The supported kinds of device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A [`pololu`](crate::pololu) Maestro on a serial line.
    Pololu,
    /// A [`roboclaw`](crate::roboclaw) on a serial line.
    RoboClaw,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 2] = [Kind::Pololu, Kind::RoboClaw];

    /// The name in a parameter: `pololu`, `roboclaw`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Pololu => "pololu",
            Kind::RoboClaw => "roboclaw",
        }
    }
}

/// The settings of a device. Fields that its kind does not use are ignored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The kind of device.
    pub kind: Kind,
    /// The absolute path of the serial line. Use one below `/dev/serial/by-id`: it leads to the same adapter at any port, and
    /// never to another one. After the first opening [`Port`](crate::Port) follows the adapter.
    pub device: PathBuf,
    /// Bits per second on a serial line. A device on its own USB socket ignores it, but it still limits how much is sent.
    pub baud: u32,
    /// The channels of port and starboard: 0 to 23 of a Maestro, 1 and 2 or 2 and 1 of a RoboClaw.
    pub channels: [u8; 2],
    /// A RoboClaw's address, 0x80 to 0x87.
    pub address: u8,
    /// Whether the port and the starboard motor are inverted.
    pub invert: [bool; 2],
    /// The time without a command after which the device stops by itself, 200 ms to 1 s. It is set in a RoboClaw, in whole
    /// steps of 100 ms; it is only checked in a Maestro.
    pub watchdog: Duration,
    /// How long the device has to answer, in addition to the time that the bytes need on the wire. [`ANSWER_LIMIT`] for a device
    /// in use; longer in tests, whose devices share the processor with them.
    pub answer: Duration,
}

/// A setting is out of its range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{name}' is {value}, must be {range}")]
pub struct OutOfRange {
    /// The field of [`Settings`].
    pub name: &'static str,
    /// The value.
    pub value: String,
    /// The valid range.
    pub range: &'static str,
}

/// Why an actuator was not started.
#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    /// A setting is out of its range.
    #[error(transparent)]
    Setting(OutOfRange),
    /// The operating system refused the thread.
    #[error("the actuator's thread could not be created: {0}")]
    Thread(#[source] io::Error),
}

/// A device that receives no level for this time stops by itself. It is less than the 0.25 s in which every node behind hindbrain's
/// motor topics has to stop, two whole steps of the RoboClaw's time-out, and would expire during a retry if it were shorter.
const WATCHDOG: Duration = Duration::from_millis(200);
const BAUDS_OF_ROBOCLAW: [u32; 7] = [9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800];

impl Settings {
    /// A device of this kind: 115200 baud, the first two channels, address 0x80, nothing inverted, watchdog 200 ms, answers
    /// within [`ANSWER_LIMIT`].
    pub fn new(kind: Kind, device: impl Into<PathBuf>) -> Settings {
        Settings {
            kind,
            device: device.into(),
            baud: 115_200,
            channels: if kind == Kind::RoboClaw { [1, 2] } else { [0, 1] },
            address: 0x80,
            invert: [false; 2],
            watchdog: WATCHDOG,
            answer: ANSWER_LIMIT,
        }
    }

    /// Checks that every setting is within its range.
    ///
    /// Baud rates below 9600 are refused: a level and a check would not fit into their intervals.
    /// # Errors
    /// [`OutOfRange`] quotes the first invalid setting.
    /// # Source
    /// Own; the devices' limits are those of Pololu's User's Guide 5.a and of the RoboClaw User Manual, "Packet Serial".
    pub fn check(&self) -> Result<(), OutOfRange> {
        let refuse = |name, value: String, range| Err(OutOfRange { name, value, range });
        let [port, starboard] = self.channels;
        if !self.device.is_absolute() {
            return refuse("device", self.device.display().to_string(), "an absolute path");
        }
        if port == starboard {
            return refuse("channels", format!("{:?}", self.channels), "two different channels");
        }
        match self.kind {
            Kind::Pololu if !(9600..=200_000).contains(&self.baud) => {
                return refuse("baud", self.baud.to_string(), "9600 to 200000");
            }
            Kind::Pololu if port.max(starboard) > LAST_CHANNEL => {
                return refuse("channels", format!("{:?}", self.channels), "0 to 23");
            }
            Kind::RoboClaw if !BAUDS_OF_ROBOCLAW.contains(&self.baud) => {
                let range = "9600, 19200, 38400, 57600, 115200, 230400 or 460800";
                return refuse("baud", self.baud.to_string(), range);
            }
            Kind::RoboClaw if ![[1, 2], [2, 1]].contains(&self.channels) => {
                return refuse("channels", format!("{:?}", self.channels), "[1, 2] or [2, 1]");
            }
            Kind::RoboClaw if !(0x80..=0x87).contains(&self.address) => {
                return refuse("address", format!("0x{:X}", self.address), "0x80 to 0x87");
            }
            Kind::RoboClaw if !self.watchdog.as_nanos().is_multiple_of(100_000_000) => {
                return refuse("watchdog", format!("{:?}", self.watchdog), "whole steps of 100 ms");
            }
            Kind::Pololu | Kind::RoboClaw => {}
        }
        if !(WATCHDOG..=Duration::from_secs(1)).contains(&self.watchdog) {
            return refuse("watchdog", format!("{:?}", self.watchdog), "200 ms to 1 s");
        }
        Ok(())
    }

    /// Opens the device, which stops its motors. Blocks up to about two seconds.
    /// # Errors
    /// The line cannot be opened; the device does not answer as it should, reports an error, or is not at stop. The settings are not
    /// checked.
    pub fn open(&self) -> Result<Box<dyn Driver>, Error> {
        self.open_on(Line::open(self)?)
    }

    /// As [`open`](Self::open), on a line that is open already.
    pub(crate) fn open_on(&self, line: Line) -> Result<Box<dyn Driver>, Error> {
        Ok(match self.kind {
            Kind::Pololu => Box::new(Maestro::open(self, line)?),
            Kind::RoboClaw => Box::new(RoboClaw::open(self, line)?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(kind: Kind, change: impl Fn(&mut Settings)) -> Option<String> {
        let mut settings = Settings::new(kind, "/dev/motor");
        change(&mut settings);
        settings.check().err().map(|reason| reason.to_string())
    }

    #[test]
    fn new_settings_are_within_their_ranges() {
        for kind in Kind::ALL {
            assert_eq!(refused(kind, |_| {}), None);
        }
    }

    #[test]
    fn a_setting_out_of_range_is_quoted() {
        let quoted = |kind, change: fn(&mut Settings), text: &str| {
            assert_eq!(refused(kind, change).as_deref(), Some(text));
        };
        let relative = "'device' is ttyACM0, must be an absolute path";
        quoted(Kind::Pololu, |s| s.device = "ttyACM0".into(), relative);
        quoted(Kind::Pololu, |s| s.channels = [3, 3], "'channels' is [3, 3], must be two different channels");
        quoted(Kind::Pololu, |s| s.baud = 200_001, "'baud' is 200001, must be 9600 to 200000");
        quoted(Kind::Pololu, |s| s.channels = [24, 0], "'channels' is [24, 0], must be 0 to 23");
        quoted(Kind::Pololu, |s| s.watchdog = Duration::ZERO, "'watchdog' is 0ns, must be 200 ms to 1 s");
        quoted(Kind::RoboClaw, |s| s.address = 0x88, "'address' is 0x88, must be 0x80 to 0x87");
        quoted(Kind::RoboClaw, |s| s.channels = [0, 1], "'channels' is [0, 1], must be [1, 2] or [2, 1]");
        quoted(
            Kind::RoboClaw,
            |s| s.watchdog = Duration::from_millis(250),
            "'watchdog' is 250ms, must be whole steps of 100 ms",
        );
        quoted(
            Kind::RoboClaw,
            |s| s.watchdog = Duration::from_millis(1100),
            "'watchdog' is 1.1s, must be 200 ms to 1 s",
        );
        assert!(refused(Kind::RoboClaw, |s| s.baud = 2400).is_some());
    }
}
