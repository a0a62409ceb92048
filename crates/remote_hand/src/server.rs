use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use haptix::{Device, DeviceError, Sensor};

use crate::frames::{Answer, HEADER, MAX_FRAME, MAX_TEXT, Request, VERSION, header};

/// Hand that the caller wants to have simulated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The description of the hand, as [`haptix::Model::parse`] reads it.
    pub description: String,
    /// The seed of its noise.
    pub seed: u64,
}

/// Why the process ends, other than because its caller has ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The socket fails.
    #[error("the socket to the caller failed: {0}")]
    Io(#[from] io::Error),
    /// The caller sent something else than a request.
    #[error("the caller sent something that is no request")]
    NoRequest,
    /// The caller is of another version.
    #[error("{}", wrong_version(*.0))]
    Version(u32),
    /// The hand cannot be made; the caller knows.
    #[error("{0}")]
    Refused(String),
}

fn wrong_version(version: u32) -> String {
    format!("the caller speaks version {version}, this executable version {VERSION}: rebuild both")
}

/// The socket that is this process's standard input.
/// # Errors
/// The operating system refuses it.
pub fn socket_of_stdin() -> io::Result<UnixStream> {
    Ok(UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?))
}

/// Serves the device that `make` makes, until the caller ends.
/// # Errors
/// The device cannot be made, or the caller breaks the protocol.
pub fn serve<D: Device>(
    mut socket: UnixStream,
    make: impl FnOnce(&Start) -> Result<D, String>,
) -> Result<(), ServeError> {
    let mut frame = vec![0; MAX_FRAME];
    let mut out = [0; MAX_FRAME];
    let Some(number) = receive(&mut socket, &mut frame, MAX_TEXT + MAX_FRAME)? else { return Ok(()) };
    let mut answer = |socket: &mut UnixStream, number, answer: Answer| {
        let length = answer.encode(number, &mut out);
        match socket.write_all(out.get(..length).unwrap_or_default()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()), // the next reading says so
            other => other,
        }
    };
    let Some(Request::Start { version, seed, description }) = Request::decode(&frame) else {
        return Err(ServeError::NoRequest);
    };
    let refused = |text| Answer::Refused(DeviceError::Failed(text));
    if version != VERSION {
        answer(&mut socket, number, refused(wrong_version(version)))?;
        return Err(ServeError::Version(version));
    }
    let mut device = match make(&Start { description, seed }) {
        Ok(device) => device,
        Err(text) => {
            answer(&mut socket, number, refused(text.clone()))?;
            return Err(ServeError::Refused(text));
        }
    };
    answer(&mut socket, number, Answer::Done)?;
    let mut failure = None;
    while let Some(number) = receive(&mut socket, &mut frame, MAX_FRAME)? {
        let request = Request::decode(&frame).ok_or(ServeError::NoRequest)?;
        if let Some(outcome) = carry_out(&mut device, &request, &mut failure)? {
            answer(&mut socket, number, outcome.unwrap_or_else(Answer::Refused))?;
        }
    }
    Ok(())
}

type Outcome = Result<Answer, DeviceError>;

/// The answer to `request`; none to a step, whose failure is kept in `failure` until the next reading.
fn carry_out(
    device: &mut impl Device,
    request: &Request,
    failure: &mut Option<DeviceError>,
) -> Result<Option<Outcome>, ServeError> {
    let done = |outcome: Result<(), DeviceError>| outcome.map(|()| Answer::Done);
    Ok(Some(match request {
        Request::Start { .. } => return Err(ServeError::NoRequest),
        Request::Step(dt) => {
            if let Err(error) = device.step(*dt) {
                *failure = Some(error);
            }
            return Ok(None);
        }
        Request::Read => match failure.take() {
            Some(error) => Err(error),
            None => {
                let mut sensor = Sensor::default();
                device.read(&mut sensor).map(|()| Answer::Reading(sensor))
            }
        },
        Request::Command(setpoints) => done(device.command(setpoints)),
        Request::Hold(gain) => done(device.hold(*gain)),
        Request::Reset(reset_limb_pose) => done(device.reset(*reset_limb_pose)),
        Request::Simulate(simulation) => {
            *failure = None; // of what was simulated before
            done(device.simulate(simulation))
        }
    }))
}

/// Reads a frame of at most `longest` bytes; what follows its header is then in `frame`. Returns its number, or `None` at the end.
fn receive(socket: &mut UnixStream, frame: &mut Vec<u8>, longest: usize) -> Result<Option<u32>, ServeError> {
    let is_end =
        |error: &io::Error| matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset);
    let mut first = [0; HEADER];
    match socket.read_exact(&mut first) {
        Err(error) if is_end(&error) => return Ok(None),
        other => other?,
    }
    let (length, number) = header(first).ok_or(ServeError::NoRequest)?;
    if !(HEADER..=longest).contains(&length) {
        return Err(ServeError::NoRequest);
    }
    frame.resize(length - HEADER, 0);
    match socket.read_exact(frame) {
        Err(error) if is_end(&error) => Ok(None),
        other => Ok(other.map(|()| Some(number))?),
    }
}
