//! A serial line on which every call ends in bounded time.

use std::fs::{File, Metadata, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serial2::{KeepSettings, SerialPort};

use crate::error::Error;
use crate::settings::Settings;

/// How long a device has to answer, in addition to the time that the bytes need on the wire.
/// # Source
/// Own: a USB adapter may delay an answer by 16 ms; the rest is for a busy computer.
pub const ANSWER_LIMIT: Duration = Duration::from_millis(50);
/// How long a device has to accept the bytes, in addition to the time that they need on the wire.
pub const WRITE_LIMIT: Duration = Duration::from_millis(20);

/// Eight data bits, a start bit and a stop bit.
const BITS_PER_BYTE: u32 = 10;

/// An open serial line: 8N1, raw, no flow control, locked for this process.
///
/// At most one packet waits to be sent: a write waits until the previous one must have left, so nothing queues up in the kernel
/// when levels are given faster than the line can send. Dropping the line discards the bytes that have not left: closing would
/// otherwise wait half a minute for a device that accepts nothing.
///
/// The bound ends at the kernel: a worker of its terminal layer hands the bytes over, and a call that reads or waits there is
/// delayed while that worker starves on an overloaded computer. A write into a buffer with room is not.
pub(crate) struct Line {
    port: SerialPort,
    /// File of the same open port, so that it shares the port's lock and non-blocking mode.
    file: File,
    device: PathBuf,
    byte: Duration,
    /// How long the device has to answer, in addition to `byte` for each byte.
    answer: Duration,
    clear_at: Instant,
    stuck: bool,
}

#[allow(clippy::disallowed_methods)] // the one place that reads a clock and sleeps for the serial drivers
impl Line {
    /// Opens the device. Nothing is sent; bytes received before are discarded.
    /// # Errors
    /// It cannot be opened, is not a serial line, or is locked by another process.
    pub(crate) fn open(settings: &Settings) -> Result<Line, Error> {
        let Settings { device, baud, answer, .. } = settings;
        let (baud, answer) = (*baud, *answer);
        let tried = |action| move |error: io::Error| Error::io(device, action, &error);
        // Locked before it is configured: a line that another process uses must not be disturbed.
        let mut port = SerialPort::open(device, KeepSettings).map_err(tried("opening it"))?;
        let file = File::from(port.as_fd().try_clone_to_owned().map_err(tried("opening it"))?);
        claim(&file, device)?;
        let mut configuration = port.get_configuration().map_err(tried("configuring it"))?;
        configuration.set_raw();
        configuration.set_baud_rate(baud).map_err(tried("configuring it"))?;
        port.set_configuration(&configuration).map_err(tried("configuring it"))?;
        port.discard_buffers().map_err(tried("emptying its buffers"))?;
        let byte = Duration::from_secs(1) * BITS_PER_BYTE / baud.max(1);
        Ok(Line { port, file, device: device.clone(), byte, answer, clear_at: Instant::now(), stuck: false })
    }

    /// The open file's metadata: which device it is, whatever its path leads to by now.
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn metadata(&self) -> Result<Metadata, Error> {
        self.file.metadata().map_err(|error| self.io("identifying it", &error))
    }

    /// The device's path, for people.
    pub(crate) fn device(&self) -> String {
        self.device.display().to_string()
    }

    /// Sends `bytes` after the previous ones have left.
    /// # Errors
    /// [`Error::Blocked`] if the device does not accept them in time, [`Error::Io`].
    pub(crate) fn send(&mut self, action: &'static str, bytes: &[u8]) -> Result<(), Error> {
        if self.stuck {
            // The bytes in the buffer are an old level, perhaps half of one.
            self.port.discard_output_buffer().map_err(|error| self.io(action, &error))?;
            self.stuck = false;
        }
        self.wait_until(self.clear_at);
        let limit = WRITE_LIMIT + self.time_of(bytes.len());
        let end = Instant::now() + limit;
        let mut wrote = 0;
        while wrote < bytes.len() {
            let rest = bytes.get(wrote..).unwrap_or_default();
            // It writes before it waits, since there is nearly always room.
            let outcome = match (&self.file).write(rest) {
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    self.write_when_there_is_room(rest, end)
                }
                outcome => outcome,
            };
            match outcome {
                Ok(0) => return Err(self.io(action, &ErrorKind::WriteZero.into())),
                Ok(count) => wrote += count,
                Err(error) if may_pass(&error) && Instant::now() < end => {}
                Err(error) if may_pass(&error) => {
                    self.stuck = true;
                    let (device, of) = (self.device(), bytes.len());
                    return Err(Error::Blocked { device, action, wrote, of, limit });
                }
                Err(error) => return Err(self.io(action, &error)),
            }
        }
        self.clear_at = Instant::now() + self.time_of(bytes.len());
        Ok(())
    }

    fn write_when_there_is_room(&mut self, rest: &[u8], end: Instant) -> io::Result<usize> {
        self.port.set_write_timeout(whole_ms(end.saturating_duration_since(Instant::now())))?;
        self.port.write(rest)
    }

    /// Fills `answer`. Returns how many bytes were received, which may be fewer.
    /// # Errors
    /// [`Error::Io`], also for a line that was hung up.
    pub(crate) fn receive(&mut self, action: &'static str, answer: &mut [u8]) -> Result<usize, Error> {
        self.receive_until(action, answer, |_| false)
    }

    /// Fills `answer`, or ends as soon as the received bytes are a whole answer. Returns how many bytes were received.
    /// # Errors
    /// As for [`receive`](Self::receive).
    pub(crate) fn receive_until(
        &mut self,
        action: &'static str,
        answer: &mut [u8],
        is_whole: impl Fn(&[u8]) -> bool,
    ) -> Result<usize, Error> {
        let end = self.clear_at.max(Instant::now()) + self.limit(answer.len());
        let mut got = 0;
        while got < answer.len() && !is_whole(answer.get(..got).unwrap_or_default()) {
            let left = end.saturating_duration_since(Instant::now());
            let outcome = self.port.set_read_timeout(whole_ms(left));
            match outcome.and_then(|()| self.port.read(answer.get_mut(got..).unwrap_or_default())) {
                Ok(0) => return Err(self.io(action, &ErrorKind::UnexpectedEof.into())),
                Ok(count) => got += count,
                Err(error) if may_pass(&error) && Instant::now() < end => {}
                Err(error) if may_pass(&error) => break,
                Err(error) => return Err(self.io(action, &error)),
            }
        }
        Ok(got)
    }

    /// Sends a request and fills `answer`.
    /// # Errors
    /// [`Error::NoAnswer`] if the answer is incomplete, and those of [`Line::send`].
    pub(crate) fn request(
        &mut self,
        action: &'static str,
        request: &[u8],
        answer: &mut [u8],
    ) -> Result<(), Error> {
        self.send(action, request)?;
        let got = self.receive(action, answer)?;
        if got == answer.len() { Ok(()) } else { Err(self.no_answer(action, answer, got)) }
    }

    /// The error for an answer of which only `got` bytes were received.
    pub(crate) fn no_answer(&self, action: &'static str, answer: &[u8], got: usize) -> Error {
        let found = answer.get(..got).unwrap_or_default().to_vec();
        let (wanted, limit) = (answer.len(), self.limit(answer.len()));
        Error::NoAnswer { device: self.device(), action, found, wanted, limit }
    }

    /// Reads bytes that were received without a request, up to 64.
    /// # Errors
    /// [`Error::Io`].
    pub(crate) fn unrequested(&mut self, action: &'static str) -> Result<Vec<u8>, Error> {
        let mut bytes = [0; 64];
        let outcome = self.port.set_read_timeout(Duration::ZERO);
        match outcome.and_then(|()| self.port.read(&mut bytes)) {
            Ok(0) => Err(self.io(action, &ErrorKind::UnexpectedEof.into())),
            Ok(count) => Ok(bytes.get(..count).unwrap_or_default().to_vec()),
            Err(error) if may_pass(&error) => Ok(Vec::new()),
            Err(error) => Err(self.io(action, &error)),
        }
    }

    /// Sends nothing for `pause` after the last byte has left.
    pub(crate) fn rest(&self, pause: Duration) {
        self.wait_until(self.clear_at.max(Instant::now()) + pause);
    }

    fn wait_until(&self, end: Instant) {
        std::thread::sleep(end.saturating_duration_since(Instant::now()));
    }

    fn limit(&self, bytes: usize) -> Duration {
        self.answer + self.time_of(bytes)
    }

    fn time_of(&self, bytes: usize) -> Duration {
        self.byte * u32::try_from(bytes).unwrap_or(u32::MAX)
    }

    fn io(&self, action: &'static str, error: &io::Error) -> Error {
        Error::io(&self.device, action, error)
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        if !self.stuck {
            self.wait_until(self.clear_at);
        }
        // If the device is unplugged there is nothing to discard.
        let _ = self.port.discard_output_buffer();
    }
}

/// Whether the call may succeed after more waiting.
fn may_pass(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// The time rounded up to whole milliseconds, the port's unit: never zero while there is time left.
fn whole_ms(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_micros().div_ceil(1000)).unwrap_or(u64::MAX))
}

/// Locks a device for this process as long as `file`, or a copy of it, is open.
///
/// The lock is advisory: it keeps out a second actuator, which would send its own levels in between, but not every program.
/// # Errors
/// [`Error::Busy`]. Missing lock support is logged, not fatal.
pub(crate) fn claim(file: &File, device: &Path) -> Result<(), Error> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(Error::Busy { device: device.display().to_string() }),
        Err(TryLockError::Error(error)) => {
            log::warn!("'{}' cannot be locked for this process: {error}", device.display());
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Kind;

    #[test]
    fn a_wait_is_rounded_up_to_whole_milliseconds() {
        assert_eq!(whole_ms(Duration::ZERO), Duration::ZERO);
        assert_eq!(whole_ms(Duration::from_micros(1)), Duration::from_millis(1));
        assert_eq!(whole_ms(Duration::from_micros(20_000)), Duration::from_millis(20));
    }

    #[test]
    fn a_missing_device_and_one_that_is_not_a_line_are_quoted() {
        let open = |path| Line::open(&Settings::new(Kind::Pololu, path)).err().map(|error| error.to_string());
        let missing = open("/nowhere/motor");
        assert!(missing.is_some_and(|text| text.starts_with("'/nowhere/motor': opening it: ")));
        let no_line = open("/dev/null");
        assert!(no_line.is_some_and(|text| text.starts_with("'/dev/null': ")));
    }
}
