//! The Basicmicro RoboClaw motor controller in packet serial.
//!
//! # The device's own watchdog
//! The RoboClaw stops both motors by itself when its serial line falls silent for the time that command 14 sets, in steps of
//! 100 ms; 0 switches it off. Opening one sets [`Settings::watchdog`] and reads it back. Every other
//! [`check`](Driver::check) reads it again, because a controller that lost power for a moment loses it unless it was
//! saved. To have it from power-on, save it in the vendor's program. The manual does not define which bytes reset it.
//!
//! To set up once: a packet serial mode (7 to 14, which choose the address) with the same baud rate as here, unless it is on
//! USB; and no default duty acceleration (commands 68 and 69), because it would also ramp a stop, which is a duty of 0.
//!
//! # Source
//! Basicmicro "RoboClaw Series User Manual": "Packet Serial" (packet timeout, acknowledgement, CRC16), "Advanced Packet
//! Serial" commands 14, 15, 21, 48, 68, 69, 90, "Commands 32 - 34" (duty). [`Status`] names its own sources.

mod packet;
mod status;

use std::time::Duration;

pub use packet::{command, crc16, is_signed, query, timeout_units};
pub use status::Status;

use crate::driver::{Driver, Watchdog};
use crate::error::{Error, hex};
use crate::level;
use crate::line::Line;
use crate::settings::Settings;

/// The answer of a RoboClaw to a valid command.
pub const ACKNOWLEDGEMENT: u8 = 0xFF;

const SET_TIMEOUT: u8 = 14;
const READ_TIMEOUT: u8 = 15;
const READ_VERSION: u8 = 21;
const DRIVE_DUTY: u8 = 34;
const READ_PWM: u8 = 48;
const READ_STATUS: u8 = 90;

/// The RoboClaw discards half a packet after a pause of more than 10 ms.
const PAUSE: Duration = Duration::from_millis(12);
/// 64 reads of 64 bytes are the size of the kernel's buffer.
const MOST_LATE_READS: usize = 64;
/// The longest version text with its CRC.
const LONGEST_VERSION: usize = 50;

/// A RoboClaw on a serial line. Every packet is confirmed, by 0xFF or by a signed answer.
/// # Real-time
/// A call is one exchange: it ends within [`WRITE_LIMIT`](crate::WRITE_LIMIT), [`ANSWER_LIMIT`](crate::ANSWER_LIMIT) and the time of
/// its bytes on the wire, 71 ms at 115200 baud; `confirm` makes a second one if no motor turns. After one
/// that failed it begins with a pause of 12 ms.
pub struct RoboClaw {
    line: Line,
    address: u8,
    /// Motor 1 is starboard.
    swapped: bool,
    invert: [bool; 2],
    watchdog: Duration,
    version: String,
    /// Whether the status of this firmware has 32 bits instead of 16.
    wide: bool,
    /// The warnings that were logged last.
    warned: u32,
    /// Whether the next check reads the watchdog instead of the status.
    watchdog_is_next: bool,
    /// Whether the last exchange failed: the device may hold half a packet.
    has_failed: bool,
}

impl RoboClaw {
    /// Opens the RoboClaw at the end of `line`: stops both motors, sets its time-out and reads it back, reads its version and its status.
    /// # Errors
    /// The RoboClaw does not answer as it should or reports an error.
    pub(crate) fn open(settings: &Settings, line: Line) -> Result<RoboClaw, Error> {
        let mut claw = RoboClaw {
            line,
            address: settings.address,
            swapped: settings.channels == [2, 1],
            invert: settings.invert,
            watchdog: settings.watchdog,
            version: String::new(),
            wide: true,
            warned: 0,
            watchdog_is_next: false,
            has_failed: false,
        };
        claw.twice(RoboClaw::stop)?;
        let packet = command(claw.address, SET_TIMEOUT, &[timeout_units(claw.watchdog)]);
        claw.twice(|claw| claw.send_acknowledged("setting its time-out", &packet))?;
        claw.twice(RoboClaw::check_watchdog)?;
        claw.version = claw.twice(|claw| claw.exchange("reading its version", RoboClaw::read_version))?;
        claw.wide = claw.twice(|claw| claw.exchange("reading its status", RoboClaw::probe_status))?;
        claw.twice(RoboClaw::check_status)?;
        Ok(claw)
    }

    /// Retries an attempt once if the answer was missing or wrong. Only for opening, while the motors are stopped.
    fn twice<T>(&mut self, mut attempt: impl FnMut(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        match attempt(self) {
            Err(error) if error.is_retriable() => {
                log::debug!("{error}; trying again");
                attempt(self)
            }
            outcome => outcome,
        }
    }

    /// Makes one exchange, after a pause if the one before failed.
    fn exchange<T>(
        &mut self,
        action: &'static str,
        mut attempt: impl FnMut(&mut Self, &'static str) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if std::mem::take(&mut self.has_failed) {
            self.line.rest(PAUSE);
        }
        // A late answer must not count as the next one. A device that sends without end fails by its wrong answers.
        let mut left = MOST_LATE_READS;
        while left > 0 && !self.line.unrequested(action)?.is_empty() {
            left -= 1;
        }
        let outcome = attempt(self, action);
        self.has_failed = outcome.is_err();
        outcome
    }

    /// Sends a packet and reads its acknowledgement.
    fn send_acknowledged(&mut self, action: &'static str, packet: &[u8]) -> Result<(), Error> {
        self.exchange(action, |claw, action| {
            let mut answer = [0; 1];
            claw.line.request(action, packet, &mut answer)?;
            // The rest of an echo may begin with this byte too.
            let found = [&answer[..], &claw.line.unrequested(action)?].concat();
            if found == [ACKNOWLEDGEMENT] { Ok(()) } else { Err(claw.wrong(action, &found, "FF".into())) }
        })
    }

    /// Reads an answer of `N` bytes; the last two are the CRC of the others.
    fn ask<const N: usize>(&mut self, action: &'static str, number: u8) -> Result<[u8; N], Error> {
        self.exchange(action, |claw, action| {
            let mut answer = [0; N];
            let request = query(claw.address, number);
            claw.line.request(action, &request, &mut answer)?;
            if is_signed(request, &answer) { Ok(answer) } else { Err(claw.unsigned(action, &answer)) }
        })
    }

    fn read_version(&mut self, action: &'static str) -> Result<String, Error> {
        let request = query(self.address, READ_VERSION);
        self.line.send(action, &request)?;
        // The length is not known: up to 48 bytes, of which the last is zero, and a CRC.
        let mut answer = [0; LONGEST_VERSION];
        let is_whole = |bytes: &[u8]| matches!(bytes, [.., 0, _, _]) && is_signed(request, bytes);
        let got = self.line.receive_until(action, &mut answer, is_whole)?;
        let answer = answer.get(..got).unwrap_or_default();
        let text = answer.iter().take_while(|byte| !matches!(byte, 0 | b'\n')).map(|&byte| char::from(byte));
        let text: String = text.filter(|c| !c.is_control()).collect();
        if got == 0 {
            Err(self.line.no_answer(action, &[0; LONGEST_VERSION], 0))
        } else if is_signed(request, answer) {
            Ok(text)
        } else {
            Err(self.unsigned(action, answer))
        }
    }

    /// Whether the status has 32 bits, which depends on the firmware.
    fn probe_status(&mut self, action: &'static str) -> Result<bool, Error> {
        let request = query(self.address, READ_STATUS);
        self.line.send(action, &request)?;
        let mut answer = [0; 6];
        let got = self.line.receive(action, &mut answer)?;
        let answer = answer.get(..got).unwrap_or_default();
        match got {
            6 if is_signed(request, answer) => Ok(true),
            4 if is_signed(request, answer) => Ok(false),
            4 | 6 => Err(self.unsigned(action, answer)),
            _ => Err(self.line.no_answer(action, &[0; 6], got)),
        }
    }

    fn check_status(&mut self) -> Result<(), Error> {
        let action = "reading its status";
        let status = if self.wide {
            let [a, b, c, d, ..] = self.ask::<6>(action, READ_STATUS)?;
            Status::wide([a, b, c, d])
        } else {
            let [a, b, ..] = self.ask::<4>(action, READ_STATUS)?;
            Status::narrow([a, b])
        };
        let warnings = status.warnings();
        if warnings != self.warned {
            log::warn!("'{}' warns of: {}", self.line.device(), status.names(warnings));
            self.warned = warnings;
        }
        match status.errors() {
            0 => Ok(()),
            bits => {
                let names = status.names(bits);
                Err(Error::DeviceFault { device: self.line.device(), action, bits, names })
            }
        }
    }

    fn check_watchdog(&mut self) -> Result<(), Error> {
        let action = "reading its time-out";
        let wanted = timeout_units(self.watchdog);
        let [found, ..] = self.ask::<3>(action, READ_TIMEOUT)?;
        if found == wanted {
            return Ok(());
        }
        let in_ms = |units: u8| format!("{} ms", u16::from(units) * 100);
        let (device, found, wanted) = (self.line.device(), in_ms(found), in_ms(wanted));
        Err(Error::WrongAnswer { device, action, found, wanted })
    }

    fn unsigned(&self, action: &'static str, answer: &[u8]) -> Error {
        self.wrong(action, answer, "bytes with a valid CRC".into())
    }

    fn wrong(&self, action: &'static str, answer: &[u8], wanted: String) -> Error {
        Error::WrongAnswer { device: self.line.device(), action, found: format!("'{}'", hex(answer)), wanted }
    }
}

impl Driver for RoboClaw {
    fn drive(&mut self, levels: [i16; 2]) -> Result<(), Error> {
        let [port, starboard] = levels;
        let [a, b] = self.invert;
        let mut duties = [level::limited(port, a), level::limited(starboard, b)].map(level::duty);
        if self.swapped {
            duties.reverse();
        }
        let [[a, b], [c, d]] = duties.map(i16::to_be_bytes);
        self.send_acknowledged("driving", &command(self.address, DRIVE_DUTY, &[a, b, c, d]))
    }

    /// Reads the duties: after a reset both are 0. Its time-out may be saved, so that it shows no reset.
    fn confirm(&mut self, _: [i16; 2]) -> Result<(), Error> {
        let action = "looking for a reset";
        let [a, b, c, d, ..] = self.ask::<6>(action, READ_PWM)?;
        if [a, b, c, d] != [0; 4] {
            return Ok(());
        }
        self.check_status()?;
        let (device, found) = (self.line.device(), "a duty of 0".into());
        Err(Error::WrongAnswer { device, action, found, wanted: "as driven".into() })
    }

    /// Checks the status and the time-out alternately; an unanswered check is repeated.
    fn check(&mut self) -> Result<(), Error> {
        if self.watchdog_is_next {
            self.check_watchdog()?;
        } else {
            self.check_status()?;
        }
        self.watchdog_is_next = !self.watchdog_is_next;
        Ok(())
    }

    /// Every command sets absolute values, and no query changes anything.
    fn may_repeat(&self) -> bool {
        true
    }

    fn model(&self) -> &str {
        &self.version
    }

    fn description(&self) -> String {
        let (version, device, address) = (&self.version, self.line.device(), self.address);
        format!("{version} on '{device}', address 0x{address:X}")
    }

    fn watchdog(&self) -> Watchdog {
        Watchdog::Set(self.watchdog)
    }
}
