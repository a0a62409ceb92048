//! A device behind a pseudo-terminal, with faults of lines and devices.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use tempfile::TempDir;

/// The behaviour of a device, without its line.
pub trait Model: Send + 'static {
    /// Receives one byte and returns the answer.
    fn receive(&mut self, byte: u8, now: Instant) -> Vec<u8>;
    /// Time passes: its own watchdog may expire.
    fn tick(&mut self, now: Instant);
    /// The state of its two motors, in its own units.
    fn motors(&self) -> [i32; 2];
}

/// A fault of the answers or of the line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    Nothing,
    /// Executes commands, but never answers.
    Mute,
    /// Answers the right number of bytes, all 0x5A.
    Garbage,
    /// Answers all but the last byte.
    Short,
    /// Answers with one bit of the last byte wrong.
    Flipped,
    /// Answers wrongly once, as `Flipped`, then correctly.
    FlippedOnce,
    /// Does not answer the next query.
    MuteStatusOnce,
    /// Echoes the received bytes, and answers nothing.
    Echo,
    /// Echoes the received bytes, and then answers correctly, as a half-duplex line does.
    EchoFirst,
    /// Answers correctly, with one more byte.
    Tail,
    /// Waits this long before each byte of an answer.
    Dribble(Duration),
    /// Stops reading.
    ReadsNothing,
    /// Sends without end.
    Babble,
}

struct Inside<M> {
    model: M,
    fault: Fault,
    /// Bytes to send without a request.
    unasked: Vec<u8>,
    received: Vec<(Instant, u8)>,
    answered: Instant,
    motors: Vec<(Instant, [i32; 2])>,
}

/// A new pseudo-terminal: this side, which does not block, and the path of the other.
pub fn pseudo_terminal() -> (File, PathBuf) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
    grantpt(&master).expect("the right to it");
    unlockpt(&master).expect("an open lock");
    let name = ptsname(&master, Vec::new()).expect("its name");
    fcntl_setfl(&master, OFlags::NONBLOCK).expect("no blocking");
    (File::from(master), OsStr::from_bytes(name.as_bytes()).into())
}

/// The other side of a pseudo-terminal, which does not block either.
pub fn other_side(name: &Path) -> File {
    let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK;
    File::from(open(name, flags, Mode::empty()).expect("the other side"))
}

/// Waits until there are bytes to read, or it was hung up. Returns whether that happened.
pub fn wait_readable(file: &File, limit: Duration) -> bool {
    let limit = Timespec::try_from(limit).expect("a short time");
    matches!(poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&limit)), Ok(1..))
}

/// A device of this model that is plugged in at [`Fake::path`], a symbolic link that stays when it is plugged in again.
pub struct Fake<M: Model> {
    folder: TempDir,
    inside: Arc<Mutex<Inside<M>>>,
    plugged: Option<(Arc<AtomicBool>, JoinHandle<()>)>,
}

impl<M: Model> Fake<M> {
    pub fn new(model: M) -> Fake<M> {
        let answered = Instant::now();
        let motors = vec![(answered, model.motors())];
        let (unasked, received) = (Vec::new(), Vec::new());
        let inside = Inside { model, fault: Fault::Nothing, unasked, received, answered, motors };
        let mut fake = Fake {
            folder: tempfile::tempdir().expect("a new folder"),
            inside: Arc::new(Mutex::new(inside)),
            plugged: None,
        };
        fake.plug();
        fake
    }

    pub fn path(&self) -> PathBuf {
        self.folder.path().join("device")
    }

    pub fn plug(&mut self) {
        let (mut master, name) = pseudo_terminal();
        let _ = fs::remove_file(self.path());
        symlink(name, self.path()).expect("a link");
        let end = Arc::new(AtomicBool::new(false));
        let (inside, ended) = (Arc::clone(&self.inside), Arc::clone(&end));
        let body = move || run(&mut master, &inside, &ended);
        self.plugged = Some((end, std::thread::spawn(body)));
    }

    /// Removes the line; the device continues.
    pub fn unplug(&mut self) {
        if let Some((end, thread)) = self.plugged.take() {
            end.store(true, Ordering::Relaxed);
            thread.join().expect("the device did not panic");
        }
    }

    pub fn fail(&self, fault: Fault) {
        self.lock().fault = fault;
    }

    /// Sends bytes without a request.
    pub fn send_unasked(&self, bytes: &[u8]) {
        self.lock().unasked = bytes.to_vec();
    }

    /// Inspects or changes the device.
    pub fn with<T>(&self, access: impl FnOnce(&mut M) -> T) -> T {
        access(&mut self.lock().model)
    }

    pub fn motors(&self) -> [i32; 2] {
        self.lock().model.motors()
    }

    /// All states of the motors, with their times.
    pub fn history(&self) -> Vec<(Instant, [i32; 2])> {
        self.lock().motors.clone()
    }

    /// All received bytes, with their times.
    pub fn received(&self) -> Vec<(Instant, u8)> {
        self.lock().received.clone()
    }

    /// The time of its last answer.
    pub fn answered(&self) -> Instant {
        self.lock().answered
    }

    fn lock(&self) -> MutexGuard<'_, Inside<M>> {
        self.inside.lock().expect("the device did not panic")
    }
}

impl<M: Model> Drop for Fake<M> {
    fn drop(&mut self) {
        self.unplug();
    }
}

fn run<M: Model>(master: &mut File, inside: &Mutex<Inside<M>>, end: &AtomicBool) {
    while !end.load(Ordering::Relaxed) {
        let ready = wait_readable(master, Duration::from_millis(1));
        let mut bytes = [0; 256];
        let fault = inside.lock().expect("no panic").fault;
        let got =
            if ready && fault != Fault::ReadsNothing { master.read(&mut bytes).unwrap_or(0) } else { 0 };
        if got == 0 && ready {
            std::thread::sleep(Duration::from_millis(1)); // the other side is not open, or it is not read
        }
        let answers = obey(&mut inside.lock().expect("no panic"), &bytes[..got]);
        if fault == Fault::Babble {
            let _ = master.write(&[0xFF; 512]);
        }
        send(master, answers, fault);
    }
}

fn obey<M: Model>(inside: &mut Inside<M>, bytes: &[u8]) -> Vec<Vec<u8>> {
    let now = Instant::now();
    inside.model.tick(now);
    let mut answers = vec![std::mem::take(&mut inside.unasked)];
    for &byte in bytes {
        inside.received.push((now, byte));
        let mut answer = inside.model.receive(byte, now);
        match inside.fault {
            Fault::Nothing | Fault::Dribble(_) => {}
            Fault::Mute | Fault::ReadsNothing | Fault::Babble => answer.clear(),
            // A command is confirmed by one byte.
            Fault::MuteStatusOnce if answer.len() > 1 => {
                answer.clear();
                inside.fault = Fault::Nothing;
            }
            Fault::MuteStatusOnce => {}
            Fault::Garbage => answer.fill(0x5A),
            Fault::Short => drop(answer.pop()),
            Fault::Flipped | Fault::FlippedOnce => {
                if let Some(last) = answer.last_mut() {
                    *last ^= 0x10;
                    if inside.fault == Fault::FlippedOnce {
                        inside.fault = Fault::Nothing;
                    }
                }
            }
            Fault::Echo => answer = vec![byte],
            Fault::EchoFirst => answer.insert(0, byte),
            Fault::Tail if answer.is_empty() => {}
            Fault::Tail => answer.push(0x80),
        }
        if !answer.is_empty() {
            inside.answered = now;
        }
        answers.push(answer);
        let motors = inside.model.motors();
        record(inside, now, motors);
    }
    let motors = inside.model.motors();
    record(inside, now, motors);
    answers
}

fn record<M>(inside: &mut Inside<M>, now: Instant, motors: [i32; 2]) {
    if inside.motors.last().is_none_or(|(_, last)| *last != motors) {
        inside.motors.push((now, motors));
    }
}

fn send(master: &mut File, answers: Vec<Vec<u8>>, fault: Fault) {
    for answer in answers {
        if let Fault::Dribble(pause) = fault {
            for byte in answer {
                std::thread::sleep(pause);
                let _ = master.write(&[byte]);
            }
        } else if !answer.is_empty() {
            let _ = master.write(&answer);
        }
    }
}
