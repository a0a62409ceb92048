use core::fmt;
use core::time::Duration;
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};

use haptix::{Constants, Device, DeviceError, Model, Sensor, Setpoints, Simulation};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::frames::{Answer, HEADER, MAX_FRAME, MAX_TEXT, Request, VERSION, header};

/// How long a call waits for its answer: half of what a device's loop makes up for.
pub const ANSWER_TIMEOUT: Duration = Duration::from_millis(50);
/// How long the process may take to get ready.
pub const START_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the process may take to end before it is killed.
pub const END_TIMEOUT: Duration = Duration::from_millis(500);

/// A hand in another process, which is started with it and ends with it.
///
/// # Real-time
/// Except for errors no method allocates. `step` writes to a socket and waits for nothing; the other methods wait for an answer, for
/// [`ANSWER_TIMEOUT`] at most. If none came by then, the calls from then on return [`DeviceError::NoAnswer`] at once, until it comes.
/// # Source
/// own
pub struct RemoteHand {
    model: Model,
    child: Child,
    socket: UnixStream,
    timeout: Duration,
    /// The number of the latest request.
    number: u32,
    /// The latest request is not answered yet.
    is_late: bool,
    /// A request could not be sent, since the socket stayed full.
    is_full: bool,
    /// Why there will never be an answer.
    end: Option<String>,
    out: [u8; MAX_FRAME],
    inbox: Inbox,
}

/// Why a remote hand does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The process cannot be started.
    #[error("cannot be started: {0}")]
    NotStarted(io::Error),
    /// The process, or the hand in it, refuses; its reason.
    #[error("{0}")]
    Refused(String),
}

impl From<io::Error> for StartError {
    fn from(error: io::Error) -> Self {
        Self::NotStarted(error)
    }
}

impl RemoteHand {
    /// Starts `program` and gives it the hand that `model` is, read from `description`, and the `seed` of its noise.
    ///
    /// The program is in a process group of its own, so Ctrl-C reaches the caller alone, and its hold comes last.
    /// # Errors
    /// The program cannot be started, refuses the hand, ends, or is not ready within [`START_TIMEOUT`].
    pub fn start(program: Command, model: Model, description: &str, seed: u64) -> Result<Self, StartError> {
        Self::start_with(program, model, description, seed, ANSWER_TIMEOUT)
    }

    /// As [`Self::start`], with another time limit for answers: tests on a busy machine must not depend on it.
    /// # Errors
    /// As [`Self::start`].
    pub fn start_with(
        mut program: Command,
        model: Model,
        description: &str,
        seed: u64,
        timeout: Duration,
    ) -> Result<Self, StartError> {
        if description.len() > MAX_TEXT {
            let length = description.len();
            return Err(StartError::Refused(format!(
                "the description has {length} bytes, must have at most {MAX_TEXT}"
            )));
        }
        let (socket, other) = UnixStream::pair()?;
        program.stdin(Stdio::from(OwnedFd::from(other))).stdout(Stdio::null()).process_group(0);
        let child = program.spawn()?;
        drop(program); // it holds the other end, which would stay open when the process ends
        let mut hand = Self {
            model,
            child,
            socket,
            timeout: START_TIMEOUT,
            number: 0,
            is_late: false,
            is_full: false,
            end: None,
            out: [0; MAX_FRAME],
            inbox: Inbox::default(),
        };
        let request = Request::Start { version: VERSION, seed, description: description.into() };
        let mut frame = vec![0; description.len() + MAX_FRAME];
        let length = request.encode(0, &mut frame);
        hand.socket.set_write_timeout(Some(START_TIMEOUT))?;
        // A process that ended at once is reported by what follows.
        let _ = hand.socket.write_all(frame.get(..length).unwrap_or_default());
        hand.socket.set_nonblocking(true)?;
        let answer = match hand.wait(boot_clock::now() + START_TIMEOUT) {
            Ok(answer) => answer,
            Err(_) => return Err(StartError::Refused(hand.not_started())),
        };
        match answer {
            Answer::Refused(error) => Err(StartError::Refused(error.to_string())),
            _ => {
                hand.timeout = timeout;
                Ok(hand)
            }
        }
    }

    /// The id of the process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Why there is no answer to the first request.
    fn not_started(&mut self) -> String {
        if wait_for(&self.child, END_TIMEOUT) {
            self.note_end();
        }
        let late = || format!("the hand's process is not ready after {} s", START_TIMEOUT.as_secs());
        self.end.clone().unwrap_or_else(late)
    }

    /// Asks, and waits for the answer.
    fn ask(&mut self, request: &Request) -> Result<Answer, DeviceError> {
        let deadline = boot_clock::now() + self.timeout;
        self.send(request, deadline)?;
        self.is_late = true;
        let answer = self.wait(deadline)?;
        self.is_late = false;
        match answer {
            Answer::Refused(error) => Err(error),
            answer => Ok(answer),
        }
    }

    fn done(&mut self, request: &Request) -> Result<(), DeviceError> {
        self.ask(request).map(|_| ())
    }

    /// Sends a frame, if every earlier one is answered; waits until `deadline` for room.
    fn send(&mut self, request: &Request, deadline: Duration) -> Result<(), DeviceError> {
        if let Some(end) = &self.end {
            return Err(DeviceError::Failed(end.clone()));
        }
        if self.is_late {
            // Its answer belongs to a call that has already failed.
            self.wait(Duration::ZERO)?;
            self.is_late = false;
        }
        let number = self.number.wrapping_add(1);
        let length = request.encode(number, &mut self.out);
        let frame = self.out.get(..length).unwrap_or_default();
        let written = loop {
            match self.socket.write(frame) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    let is_waiting = !self.is_full && wait_on(&self.socket, PollFlags::OUT, deadline);
                    if !is_waiting {
                        self.is_full |= !deadline.is_zero();
                        return Err(DeviceError::NoAnswer);
                    }
                }
                written => break written,
            }
        };
        match written {
            Ok(written) if written == length => {
                (self.number, self.is_full) = (number, false);
                Ok(())
            }
            // The kernel takes a frame of this length whole or not at all; half of one could not be repaired.
            Ok(written) => {
                let text = format!("the hand's process took {written} bytes of a frame of {length}");
                self.end = Some(text.clone());
                Err(DeviceError::Failed(text))
            }
            Err(_) => Err(self.lost()),
        }
    }

    /// Waits until `deadline` for the answer to the latest request; those to earlier ones are left out.
    fn wait(&mut self, deadline: Duration) -> Result<Answer, DeviceError> {
        loop {
            while let Some((number, answer)) = self.inbox.take() {
                let Some(answer) = answer else {
                    let text = "the hand's process sent something that is no answer".to_owned();
                    self.end = Some(text.clone());
                    return Err(DeviceError::Failed(text));
                };
                if number == self.number {
                    return Ok(answer);
                }
            }
            match self.inbox.fill(&mut self.socket) {
                Ok(true) => continue,
                Ok(false) => return Err(self.lost()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(_) => return Err(self.lost()),
            }
            if !wait_on(&self.socket, PollFlags::IN, deadline) {
                return Err(DeviceError::NoAnswer);
            }
        }
    }

    /// The process has closed its socket: it has ended or is about to.
    fn lost(&mut self) -> DeviceError {
        self.note_end();
        self.end.clone().map_or(DeviceError::NoAnswer, DeviceError::Failed)
    }

    fn note_end(&mut self) {
        if let Ok(Some(status)) = self.child.try_wait() {
            self.end = Some(describe(status));
        }
    }
}

fn describe(status: ExitStatus) -> String {
    format!("the hand's process ended: {status}")
}

fn timespec(duration: Duration) -> Timespec {
    Timespec::try_from(duration).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 })
}

/// Waits for `what` on the socket, or for less; returns false if there is no time left until `deadline`.
fn wait_on(socket: &UnixStream, what: PollFlags, deadline: Duration) -> bool {
    let left = deadline.saturating_sub(boot_clock::now());
    if left.is_zero() {
        return false;
    }
    let mut sockets = [PollFd::new(socket, what)];
    let _ = poll(&mut sockets, Some(&timespec(left))); // interrupted or not: the caller looks
    true
}

/// Waits until `child` ends, at most for `timeout`; returns whether it has.
fn wait_for(child: &Child, timeout: Duration) -> bool {
    let Ok(process) = pidfd_open(Pid::from_child(child), PidfdFlags::empty()) else { return false };
    let mut ends = [PollFd::new(&process, PollFlags::IN)];
    poll(&mut ends, Some(&timespec(timeout))).is_ok_and(|count| count > 0)
}

impl Device for RemoteHand {
    fn constants(&self) -> &Constants {
        &self.model.constants
    }

    fn command(&mut self, setpoints: &Setpoints) -> Result<(), DeviceError> {
        self.done(&Request::Command(*setpoints))
    }

    fn hold(&mut self, gain: f64) -> Result<(), DeviceError> {
        self.done(&Request::Hold(gain))
    }

    fn step(&mut self, dt: Duration) -> Result<(), DeviceError> {
        self.send(&Request::Step(dt), Duration::ZERO) // waits for nothing
    }

    fn read(&mut self, sensor: &mut Sensor) -> Result<(), DeviceError> {
        match self.ask(&Request::Read)? {
            Answer::Reading(reading) => {
                *sensor = reading;
                Ok(())
            }
            _ => Err(DeviceError::Failed("the hand's process answered without a reading".into())),
        }
    }

    fn reset(&mut self, reset_limb_pose: bool) -> Result<(), DeviceError> {
        self.done(&Request::Reset(reset_limb_pose))
    }

    fn simulate(&mut self, simulation: &Simulation) -> Result<(), DeviceError> {
        self.done(&Request::Simulate(*simulation))
    }
}

impl Drop for RemoteHand {
    fn drop(&mut self) {
        let _ = self.socket.shutdown(std::net::Shutdown::Both); // already closed by the other side
        if !wait_for(&self.child, END_TIMEOUT) {
            let _ = self.child.kill(); // ended meanwhile
        }
        let _ = self.child.wait(); // nobody else waits for it
    }
}

impl fmt::Debug for RemoteHand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteHand")
            .field("process", &self.process())
            .field("is_late", &self.is_late)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

/// The bytes that came and are not used yet.
struct Inbox {
    bytes: [u8; 2 * MAX_FRAME],
    length: usize,
}

impl Default for Inbox {
    fn default() -> Self {
        Self { bytes: [0; 2 * MAX_FRAME], length: 0 }
    }
}

impl Inbox {
    /// Reads once; returns whether something came, or else the other side is closed.
    fn fill(&mut self, socket: &mut UnixStream) -> io::Result<bool> {
        let count = socket.read(self.bytes.get_mut(self.length..).unwrap_or_default())?;
        self.length += count;
        Ok(count > 0)
    }

    /// The first complete answer received, with its number; `None` in its place if it is not a valid one.
    fn take(&mut self) -> Option<(u32, Option<Answer>)> {
        let first = self.bytes.get(..self.length)?.first_chunk::<HEADER>()?;
        let (length, number) = header(*first)?;
        if !(HEADER..=MAX_FRAME).contains(&length) {
            return Some((number, None));
        }
        let answer = Answer::decode(self.bytes.get(..self.length)?.get(HEADER..length)?);
        self.bytes.copy_within(length..self.length, 0);
        self.length -= length;
        Some((number, answer))
    }
}
