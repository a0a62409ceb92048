//! The Pololu Maestro servo controller: two of its channels send servo pulses to two speed controllers.
//!
//! # The device's own watchdog
//! The Maestro has one, but it cannot be set over the line. In the Maestro Control Center, once per device:
//!
//! * "Serial Settings": a timeout of 0.2 s (0.00, the factory setting, switches it off); serial mode "USB Dual Port", or
//!   "UART, fixed baud rate" with the same rate as here; CRC off.
//! * "Channel Settings" of both channels: "On startup or error: Go to" 1472 us; not "Ignore", which keeps the last pulse,
//!   and not "Off" unless the speed controller is known to stop without pulses. Min 784 us or less and Max 2160 us or more
//!   (the factory setting 992 to 2000 us would cut off full speed), no limit of speed or acceleration.
//!
//! When the timeout expires, the Maestro sends every channel to that position and sets serial timeout, bit 5 of its errors,
//! until its errors are read. Opening one detects it this way: it sends no command for a little longer than
//! [`Settings::watchdog`] while the motors are stopped, and reads that bit.
//!
//! # Source
//! Pololu Maestro Servo Controller User's Guide (0J40): sections 4.b "Errors", 4.e "Channel Settings", 5.a "Serial
//! Settings", 5.c "Command Protocols", 5.e "Serial Servo Commands" (Set Target, Get Position, Get Errors). The position and the time-out are our own choice.

use std::time::Duration;

use crate::driver::{Driver, Watchdog};
use crate::error::{Error, hex};
use crate::level;
use crate::line::Line;
use crate::settings::Settings;

/// The command byte of Set Target.
const SET_TARGET: u8 = 0x84;
/// The command byte of Get Position.
const GET_POSITION: u8 = 0x90;
/// The command byte of Get Errors.
const GET_ERRORS: u8 = 0xA1;
/// Data bytes carry seven bits; the eighth marks a command.
const DATA: u16 = 0x7F;

/// The Maestro renews its pulses every 20 ms; after that a target is a position.
const PULSE_PERIOD: Duration = Duration::from_millis(25);

/// The highest channel of the largest Maestro.
pub const LAST_CHANNEL: u8 = 23;

/// The target of a level in quarter microseconds: 3164 (full forward), 5888 (stop) to 8608 (full reverse).
///
/// A level out of range is full.
pub fn target(level: i16) -> u16 {
    level::pulse(level) * 4
}

/// Set Target in the compact protocol.
///
/// * `channel`: 0 to 23
/// * `target` in quarter microseconds, 0 to 16383; higher bits are cut off, since a data byte carries seven bits
/// # Source
/// User's Guide 5.e: command, channel, low seven bits, high seven bits.
pub fn set_target(channel: u8, target: u16) -> [u8; 4] {
    let seven = |value: u16| u8::try_from(value & DATA).unwrap_or(0);
    [SET_TARGET, seven(channel.into()), seven(target), seven(target >> 7)]
}

/// The error bits of a Maestro.
/// # Source
/// User's Guide 4.b, bits 0 to 8; 5.e: Get Errors answers bits 0 to 7, then 8 to 15, and clears them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errors(pub u16);

impl Errors {
    /// No error.
    pub const NONE: Errors = Errors(0);
    /// No valid command was received within the Maestro's own time-out; its channels went to their home positions.
    pub const SERIAL_TIMEOUT: Errors = Errors(1 << 5);

    const NAMES: [&'static str; 9] = [
        "serial signal error",
        "serial overrun",
        "serial buffer full",
        "serial CRC error",
        "serial protocol error",
        "serial timeout",
        "script stack error",
        "script call stack error",
        "script program counter error",
    ];

    /// The errors in the two bytes of an answer.
    pub fn from_answer(answer: [u8; 2]) -> Errors {
        Errors(u16::from_le_bytes(answer))
    }

    /// The names of the bits that are set, separated by commas; a bit without a name by its number.
    pub fn names(self) -> String {
        let set = (0..16_usize).filter(|bit| self.0 >> bit & 1 == 1);
        let name =
            |bit: usize| Self::NAMES.get(bit).map_or_else(|| format!("bit {bit}"), ToString::to_string);
        set.map(name).collect::<Vec<_>>().join(", ")
    }
}

/// A Maestro on a serial line in the compact protocol.
///
/// Set Target has no answer. Get Errors has one, and commands are carried out in order, so its answer proves that the earlier
/// targets have arrived. [`stop`](Driver::stop) and [`check`](Driver::check) rely on that.
/// # Real-time
/// `drive` at most [`WRITE_LIMIT`](crate::WRITE_LIMIT), the others [`ANSWER_LIMIT`](crate::ANSWER_LIMIT) more, both plus
/// the time that a packet needs on the wire (8 bytes; 0.7 ms at 115200 baud).
pub struct Maestro {
    line: Line,
    channels: [u8; 2],
    invert: [bool; 2],
    watchdog: Watchdog,
}

impl Maestro {
    /// Opens the Maestro at the end of `line`: stops both channels, clears old errors, checks that both are at stop, and detects its time-out.
    ///
    /// Takes a quarter longer than [`Settings::watchdog`], and 25 ms, if nothing fails. A Maestro has no answer that names it: it
    /// is known by the positions that it answers.
    /// # Errors
    /// The Maestro does not answer, reports an error, or has another position than stop.
    pub(crate) fn open(settings: &Settings, line: Line) -> Result<Maestro, Error> {
        let (channels, invert) = (settings.channels, settings.invert);
        let mut maestro = Maestro { line, channels, invert, watchdog: Watchdog::NotSeen(settings.watchdog) };
        maestro.drive([0, 0])?;
        let old = maestro.errors("clearing old errors")?;
        if old != Errors::NONE {
            log::info!("'{}' had these errors before it was opened: {}", maestro.line.device(), old.names());
        }
        // It stops again: an error sends the channels home, and a packet cut short by another process corrupts the next one.
        maestro.stop()?;
        maestro.check_positions()?;
        maestro.detect_watchdog(settings)?;
        Ok(maestro)
    }

    /// Checks that both channels are where the stop has put them, which no other device and no echo answers.
    fn check_positions(&mut self) -> Result<(), Error> {
        let action = "reading its positions";
        self.line.rest(PULSE_PERIOD);
        self.check_at_stop(action, &[target(0)])
    }

    fn check_at_stop(&mut self, action: &'static str, allowed: &[u16]) -> Result<(), Error> {
        for channel in self.channels {
            let found = self.position(action, channel)?;
            if !allowed.contains(&found) {
                return Err(self.wrong(action, channel, found, target(0).to_string()));
            }
        }
        Ok(())
    }

    /// The pulse that a channel sends now, in quarter microseconds; 0 without pulses.
    fn position(&mut self, action: &'static str, channel: u8) -> Result<u16, Error> {
        self.ask(action, &[GET_POSITION, channel]).map(u16::from_le_bytes)
    }

    fn wrong(&self, action: &'static str, channel: u8, found: u16, wanted: String) -> Error {
        let found = format!("{found} quarter us on channel {channel}");
        Error::WrongAnswer { device: self.line.device(), action, found, wanted }
    }

    fn detect_watchdog(&mut self, settings: &Settings) -> Result<(), Error> {
        self.line.rest(settings.watchdog * 5 / 4);
        match self.errors("detecting its time-out")? {
            Errors::SERIAL_TIMEOUT => {
                // Where it goes by itself, then and after a reset.
                self.check_at_stop("reading its startup positions", &[0, target(0)])?;
                self.watchdog = Watchdog::Seen(settings.watchdog);
            }
            Errors::NONE => log::warn!(
                "'{}' does not stop by itself within {} ms: set its serial timeout in the Maestro Control Center",
                self.line.device(),
                settings.watchdog.as_millis()
            ),
            errors => return Err(self.device_fault("detecting its time-out", errors)),
        }
        Ok(())
    }

    /// Reads the errors, which clears them.
    fn errors(&mut self, action: &'static str) -> Result<Errors, Error> {
        self.ask(action, &[GET_ERRORS]).map(Errors::from_answer)
    }

    /// Sends a request and returns its answer, which has two bytes.
    fn ask(&mut self, action: &'static str, request: &[u8]) -> Result<[u8; 2], Error> {
        let unrequested = self.line.unrequested(action)?;
        if !unrequested.is_empty() {
            // Otherwise an echo could count as an answer.
            let (device, found) = (self.line.device(), format!("'{}' before the request", hex(&unrequested)));
            return Err(Error::WrongAnswer { device, action, found, wanted: "silence".into() });
        }
        let mut answer = [0; 2];
        self.line.request(action, request, &mut answer)?;
        Ok(answer)
    }

    fn check_errors(&mut self, action: &'static str) -> Result<(), Error> {
        match self.errors(action)? {
            Errors::NONE => Ok(()),
            errors => Err(self.device_fault(action, errors)),
        }
    }

    fn device_fault(&self, action: &'static str, errors: Errors) -> Error {
        Error::DeviceFault {
            device: self.line.device(),
            action,
            bits: errors.0.into(),
            names: errors.names(),
        }
    }

    fn send(&mut self, action: &'static str, levels: [i16; 2]) -> Result<(), Error> {
        let [port, starboard] = levels;
        let [first, second] = self.channels;
        let [a, b] = self.invert;
        // Both in one write, so nothing comes between them.
        let mut packet = [0; 8];
        let (left, right) = packet.split_at_mut(4);
        left.copy_from_slice(&set_target(first, target(level::limited(port, a))));
        right.copy_from_slice(&set_target(second, target(level::limited(starboard, b))));
        self.line.send(action, &packet)
    }
}

impl Driver for Maestro {
    fn drive(&mut self, levels: [i16; 2]) -> Result<(), Error> {
        self.send("driving", levels)
    }

    /// Reads one position: a reset sends all channels to their startup positions, which are stop or no pulses.
    fn confirm(&mut self, sides: [i16; 2]) -> Result<(), Error> {
        let turning = self.channels.into_iter().zip(self.invert).zip(sides).find(|&(_, side)| side != 0);
        let Some(((channel, inverted), side)) = turning else { return Ok(()) };
        let action = "looking for a reset";
        let (found, stop) = (self.position(action, channel)?, target(0));
        let is_forward = (side > 0) != inverted;
        if found != 0 && if is_forward { found < stop } else { found > stop } {
            return Ok(());
        }
        self.check_errors(action)?;
        Err(self.wrong(action, channel, found, "as driven".into()))
    }

    fn check(&mut self) -> Result<(), Error> {
        self.check_errors("reading its errors")
    }

    fn stop(&mut self) -> Result<(), Error> {
        self.send("stopping", [0, 0])?;
        self.check_errors("confirming the stop")
    }

    fn description(&self) -> String {
        let [first, second] = self.channels;
        format!("Pololu Maestro on '{}', channels {first} and {second}", self.line.device())
    }

    fn watchdog(&self) -> Watchdog {
        self.watchdog
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_target_is_the_users_guides_example() {
        // 5.e: channel 2 to 1500 us; 1500 * 4 = 6000 = 46 * 128 + 112.
        assert_eq!(set_target(2, 6000), [0x84, 0x02, 0x70, 0x2E]);
    }

    #[test]
    fn stop_is_1472_us() {
        // 1472 * 4 = 5888 = 46 * 128 + 0.
        assert_eq!((target(0), set_target(0, target(0))), (5888, [0x84, 0x00, 0x00, 0x2E]));
        // 791 * 4 = 3164 = 24 * 128 + 92; 2152 * 4 = 8608 = 67 * 128 + 32.
        assert_eq!(set_target(1, target(66)), [0x84, 0x01, 0x5C, 0x18]);
        assert_eq!(set_target(1, target(-66)), [0x84, 0x01, 0x20, 0x43]);
    }

    #[test]
    fn errors_are_named() {
        // The low byte comes first: 0x20 is bit 5, 0x01 in the second byte bit 8, 0x80 bit 15.
        assert_eq!(Errors::from_answer([0x20, 0x00]), Errors::SERIAL_TIMEOUT);
        assert_eq!(
            Errors::from_answer([0x30, 0x81]).names(),
            "serial protocol error, serial timeout, script program counter error, bit 15"
        );
        assert_eq!(Errors::NONE.names(), "");
    }
}
